"""A mistake as the gallery shows it: a program of the tests without what is for tests, its mended one, and its run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from typer.testing import CliRunner

from autograd_lab.commands.cli import app
from autograd_lab.display.script import run_script
from autograd_lab.events import ErrorRaised
from autograd_lab.findings.diagnosis import diagnose
from autograd_lab.findings.finding import ERROR, Finding
from autograd_lab.findings.kinds import KINDS
from autograd_lab.trace import Trace
from autograd_lab.view.pages.film_findings import step_of

PROGRAMS = Path(__file__).parent.parent / "tests" / "findings" / "programs"
FOR_TESTS = ("# remedy: ", "# also: ")
ARROW = "# <-- here"
IN_THE_ACT = (
    "gradients-add-up", "gradients-cleared-before-step", "step-before-backward", "step-without-backward",
    "graph-never-used", "leaf-replaced", "written-behind-autograd", "dead-relu",
)  # fmt: skip
"""Kinds of which one sees most when the line that is to blame does it for the last time: a picture of a loop is of its
last turn. Of the others one sees most in the end, with all gradients there."""


@dataclass(frozen=True)
class Mistake:
    """What the files of a mistake say. Lines are counted as in `text`, which is what the page shows and what is run."""

    name: str
    kind: str
    title: str
    why: str
    text: str
    mended: str
    advice: str

    @property
    def file(self) -> str:
        return f"{self.name}.py"

    @property
    def anchor(self) -> str:
        return self.name.replace("_", "-")

    def changes(self) -> tuple[list[int], list[str]]:
        """The lines of the mended program that are new, and the lines that are gone without another in their place."""
        before, after = self.text.splitlines(), self.mended.splitlines()
        new, gone = [], []
        for what, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if what != "equal":
                new += [number + 1 for number in range(k, m) if after[number].strip()]
                gone += [] if what == "replace" else [line.strip() for line in before[i:j] if line.strip()]
        moved = {after[number - 1].strip() for number in new}
        return new, [line for line in gone if line not in moved]


@dataclass(frozen=True)
class Seen:
    """What a mistake's run shows: its trace, what `diagnose` prints, and the finding that the page is about."""

    trace: Trace
    printed: str
    finding: Finding

    @cached_property
    def error(self) -> str:
        """What PyTorch says; nothing, where the program comes to its end."""
        errors = [event for event in self.trace if isinstance(event, ErrorRaised)]
        return f"{errors[-1].error}: {errors[-1].message}" if errors else ""

    @property
    def step(self) -> int:
        """The step at which one sees it best."""
        if self.finding.severity == ERROR:
            return self.finding.steps[0]
        if self.finding.kind not in IN_THE_ACT:
            return len(self.trace)
        return step_of(self.finding, self.trace)


def mistakes() -> dict[str, list[Mistake]]:
    """Those of each kind, the shortest first, in the order of the index."""
    found: dict[str, list[Mistake]] = {kind: [] for kind in KINDS}
    for path in sorted(PROGRAMS.glob("*.py")):
        mistake = read(path)
        found[mistake.kind].append(mistake)
    return {kind: sorted(each, key=lambda mistake: mistake.text.count("\n")) for kind, each in found.items()}


def read(path: Path) -> Mistake:
    """The mistake of a file among the tests' programs."""
    about, text = _parted(path)
    advice, mended = _parted(path.parent.with_name("mended") / path.name)
    head, title, why = about.split("\n\n")
    lines = [line.removesuffix(ARROW).rstrip() for line in text.splitlines() if not line.startswith(FOR_TESTS)]
    kind = head.partition(": ")[2]
    return Mistake(path.stem, kind, title, _flowing(why), "\n".join(lines).strip() + "\n", mended, _flowing(advice))


def _parted(path: Path) -> tuple[str, str]:
    """The docstring of a file, and what follows it."""
    text = path.read_text("utf-8")
    module = ast.parse(text)
    end = module.body[0].end_lineno or 0
    return ast.get_docstring(module) or "", "".join(text.splitlines(keepends=True)[end:]).lstrip("\n")


def _flowing(text: str) -> str:
    return " ".join(text.split())


def look(mistake: Mistake) -> Seen:
    """Run it where there is nothing but its file, as its readers will."""
    with TemporaryDirectory() as folder, chdir(folder), _quiet():
        Path(mistake.file).write_text(mistake.text, "utf-8")
        printed = CliRunner().invoke(app, ["diagnose", mistake.file]).stdout
        trace = run_script(Path(mistake.file)).trace
    finding = next(each for each in diagnose(trace) if each.kind == mistake.kind)
    return Seen(trace, printed, finding)


@contextmanager
def _quiet() -> Iterator[None]:
    """What programs print and are warned of is no news to whoever builds the site."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
