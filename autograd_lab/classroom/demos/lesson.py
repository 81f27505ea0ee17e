"""The first graph of a lesson as a demo: its cells are run up to the figure, or the question, that shows it."""

from __future__ import annotations

import io
import json
import linecache
import os
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograd_lab.classroom.demos.demo import Demo
from autograd_lab.compiler.compiled import Compiled
from autograd_lab.display.afterwards import tensors_in, trace_of
from autograd_lab.display.picture import Drawing
from autograd_lab.display.target import Misuse
from autograd_lab.events import BackwardStarted
from autograd_lab.lessons.worded import worded
from autograd_lab.trace import Trace

NOTEBOOKS = Path(__file__).parents[3] / "notebooks"
PROGRESS = "AUTOGRAD_LAB_PROGRESS"
LESSON = re.compile(r"L(\d{1,2})", re.IGNORECASE)
ASKED_OF_RUN = re.compile(r'^predict\("(L\d+\.P\d+)", \w+\)', re.MULTILINE)
"""A question that is asked in the player of a run."""


@dataclass(frozen=True)
class LessonRun(Demo):
    """The demo of a lesson, with the run that each of its questions is asked of, by their ids, as far as wanted."""

    runs: Mapping[str, Trace] = field(default_factory=dict)


class _Seen(BaseException):
    """All that was wanted of a notebook has been seen."""


def lesson_demo(name: str, questions: Collection[str] = ()) -> LessonRun | None:
    """What `L3` means; None for what is no name of a lesson. It comes with the runs that `questions` are asked of.

    Raises Misuse for a lesson that is not here.
    """
    number = LESSON.fullmatch(name)
    if number is None:
        return None
    found = sorted(NOTEBOOKS.glob(f"{int(number[1]):02d}_*.ipynb"))
    if not found:
        raise Misuse(f"there is no lesson {name} in {NOTEBOOKS}: lessons 0 to 20 come with the clone of the project")
    title, texts = _read(found[0])
    asked = set(ASKED_OF_RUN.findall("\n".join(texts)))
    seen = _Notebook(wanted=asked.intersection(questions))
    seen.run(texts, found[0].stem)
    if seen.shown is None:
        raise Misuse(f"{title} has no figure of a graph")
    return LessonRun(name.upper(), f"'''{worded(title)}'''", seen.shown, (), runs=seen.runs)


def _read(notebook: Path) -> tuple[str, list[str]]:
    """The title of a notebook, and the texts of its cells with code. Raises Misuse for one that is damaged."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        return "".join(cells[0]["source"]).partition("\n")[0].lstrip("# "), texts
    except (ValueError, TypeError, LookupError, RecursionError):
        raise Misuse(f"{notebook} is damaged") from None


@dataclass
class _Notebook:
    """What a notebook shows while its cells run: its first figure through which backward goes, else its first figure;
    and the runs of the `wanted` questions."""

    wanted: Collection[str]
    runs: dict[str, Trace] = field(default_factory=dict)
    figures: list[Trace] = field(default_factory=list)

    @property
    def shown(self) -> Trace | None:
        return next(filter(_goes_back, self.figures), self.figures[0] if self.figures else None)

    def run(self, cells: list[str], name: str) -> None:
        """Run cells until all that is wanted has been seen."""
        mine = {"figure": self.figure, "predict": self.predict}
        namespace: dict[str, Any] = {"__name__": "__main__"}
        with _as_nobody(), suppress(_Seen):
            for number, text in enumerate(cells):
                _run(text, f"<{name}, cell {number}>", namespace)
                namespace |= {each: said for each, said in mine.items() if each in namespace}

    def predict(self, id: str, run: Any = None, **answer: Any) -> None:
        """In the place of what a notebook calls so."""
        if isinstance(run, Trace):
            self.runs[id] = run
        self._look()

    def figure(self, run: Any, *says: Any, **options: Any) -> None:
        """In the place of what a notebook calls so."""
        if not isinstance(run, Compiled | Drawing):  # no graph: a chart, or what became of one
            self.figures.append(run if isinstance(run, Trace) else trace_of(*tensors_in(run)))
        self._look()

    def _look(self) -> None:
        if any(map(_goes_back, self.figures)) and self.runs.keys() >= set(self.wanted):
            raise _Seen


def _goes_back(run: Trace) -> bool:
    return any(isinstance(event, BackwardStarted) for event in run)


@contextmanager
def _as_nobody() -> Iterator[None]:
    """Meanwhile nothing is printed, and nobody's progress is written down."""
    before = os.environ.get(PROGRESS)
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        os.environ[PROGRESS] = str(Path(folder) / "progress.jsonl")
        try:
            yield
        finally:
            os.environ.pop(PROGRESS)
            if before is not None:
                os.environ[PROGRESS] = before


def _run(text: str, file: str, namespace: dict[str, Any]) -> None:
    """Run a cell as its notebook does, so that its lines can be shown."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), namespace)
