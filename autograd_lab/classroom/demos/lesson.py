"""The first graph of a lesson as a demo: its cells are run up to the figure, or the question, that shows it."""

from __future__ import annotations

import io
import json
import linecache
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
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
    """The demo of a lesson. `others` are the questions that are asked of other runs than this one."""

    others: frozenset[str] = frozenset()


class _Shown(BaseException):
    """A figure shows a graph that backward went through, or a question is asked of it."""

    def __init__(self, run: Trace) -> None:
        self.run = run


def lesson_demo(name: str, question: str = "") -> LessonRun | None:
    """What `L3` means; None for what is no name of a lesson. If a `question` is asked of a run, it is of that run.

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
    run, of_it = _first_graph(texts, found[0].stem, question if question in asked else "")
    if run is None:
        raise Misuse(f"{title} has no figure of a graph")
    return LessonRun(name.upper(), f"'''{worded(title)}'''", run, (), others=frozenset(asked - of_it))


def _read(notebook: Path) -> tuple[str, list[str]]:
    """The title of a notebook, and the texts of its cells with code. Raises Misuse for one that is damaged."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        return "".join(cells[0]["source"]).partition("\n")[0].lstrip("# "), texts
    except (ValueError, TypeError, LookupError, RecursionError):
        raise Misuse(f"{notebook} is damaged") from None


def _first_graph(cells: list[str], name: str, question: str) -> tuple[Trace | None, set[str]]:
    """The trace of the first figure through which backward goes, else that of the first figure; or that of which a
    `question` is asked, if one is given. Also the questions that have been asked of it by then."""
    others: list[Trace] = []
    asked: dict[str, Any] = {}

    def of(run: Any) -> set[str]:
        return {id for id, each in asked.items() if each is run}

    def predict(id: str, run: Any = None, **answer: Any) -> None:
        asked[id] = run
        if question and id == question:
            raise _Shown(run)

    def figure(run: Any, *says: Any, **options: Any) -> None:
        if isinstance(run, Compiled | Drawing):
            return  # no graph: a chart, or what became of one
        told = run if isinstance(run, Trace) else trace_of(*tensors_in(run))
        if not question and any(isinstance(event, BackwardStarted) for event in told):
            raise _Shown(told)
        others.append(told)

    namespace: dict[str, Any] = {"__name__": "__main__"}
    with _as_nobody():
        for number, text in enumerate(cells):
            try:
                _run(text, f"<{name}, cell {number}>", namespace)
            except _Shown as shown:
                return shown.run, of(shown.run)
            namespace |= {each: said for each, said in (("figure", figure), ("predict", predict)) if each in namespace}
    return (others[0], of(others[0])) if others else (None, set())


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
