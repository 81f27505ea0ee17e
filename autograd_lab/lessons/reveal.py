"""What a notebook keeps closed until a prediction is made or skipped: text is not there, code runs in silence."""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

from autograd_lab.lessons.behind import behind
from autograd_lab.lessons.cell_texts import code_said, prose_said
from autograd_lab.lessons.progress import GRADERS, answered
from autograd_lab.lessons.worded import worded
from autograd_lab.lessons.words import in_notebook, tell

CLOSED = Path(__file__).parent / "closed"
"""A file for each lesson, written by `autograd-lab lessons build`."""
_waiting: dict[str, list[Callable[[], None]]] = {}
"""What is to be done as soon as a question is answered, by its id."""


@dataclass(frozen=True)
class Closed:
    """A cell that is not in the notebook: its text, and the questions that come before it."""

    after: tuple[str, ...]
    prose: bool
    source: str

    def unanswered(self) -> list[str]:
        """The questions that still have to be answered or skipped. For a grader there are none."""
        if any(os.environ.get(name) for name in GRADERS):
            return []
        return [id for id in self.after if id not in answered()]


def reveal(name: str) -> None:
    """Open a cell such as `L3.grads` once the questions before it are answered or skipped; until then say so.

    A notebook opens it by itself at the answer; elsewhere one calls this again. Code runs in any case, for later cells
    build on it. Once open it takes the place of the call in a notebook, to be read and changed. Raises LookupError, and
    what the code raises.
    """
    closed = _closed(name)
    if closed.unanswered():
        with _silence() as heard:
            if not closed.prose:
                _run(name, closed.source)
        _keep_closed(closed, heard)
    elif closed.prose:
        _show_prose(closed.source)
    else:
        _put_in_place(closed.source)
        _run(name, closed.source)


def answered_now(id: str) -> None:
    """Tell the cells that wait for a question that it has been answered or skipped."""
    for tell_it in _waiting.pop(id, []):
        tell_it()


@cache
def _cells_of(lesson: int) -> dict[str, Closed]:
    file = CLOSED / f"lesson{lesson:02}.json"
    found = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return {name: Closed(tuple(it["after"]), it["prose"], "\n".join(it["source"])) for name, it in found.items()}


def _closed(name: str) -> Closed:
    lesson, _, cell = name.partition(".")
    cells = _cells_of(int(lesson[1:])) if lesson[1:].isdigit() else {}
    if cell not in cells:
        raise LookupError(worded("there is nothing to reveal that is called {name}", name=repr(name)))
    closed = cells[cell]
    return replace(closed, source=prose_said(closed.source) if closed.prose else code_said(closed.source))


def _keep_closed(closed: Closed, heard: Any) -> None:
    """Say what a cell waits for. In a notebook it opens by itself then, with what it said when it ran."""
    left = closed.unanswered()
    one, many = "closed until {ids} above is answered or skipped.", "closed until {ids} above are answered or skipped."
    ids = worded(" and ").join(filter(None, [", ".join(left[:-1]), left[-1]]))
    what = behind(closed.source, closed.prose)
    text = f"{what[0].upper()}{what[1:]}: {worded(one if len(left) == 1 else many, ids=ids)}"
    if not in_notebook():
        tell(f"{text} {worded('Then run this again.')}")
        return
    from IPython.display import display

    notice = display(_markdown(f"*{text}*"), raw=True, display_id=True)
    places = [display({"text/plain": ""}, raw=True, display_id=True) for _ in heard.outputs]

    def opened() -> None:
        if closed.unanswered():
            return
        notice.update(_markdown(closed.source if closed.prose else _as_read(closed.source, heard.stdout)), raw=True)
        for place, output in zip(places, heard.outputs, strict=True):
            place.update(output.data, metadata=output.metadata, raw=True)

    for id in left:
        _waiting.setdefault(id, []).append(opened)


def _as_read(source: str, printed: str) -> str:
    """Code with what it printed. To change it one runs the cell, and has it there."""
    said = f"\n```\n{printed}```\n" if printed else ""
    return f"```python\n{source}\n```\n{said}"


def _show_prose(source: str) -> None:
    if not in_notebook():
        print(source)
        return
    from IPython.display import display

    display(_markdown(source), raw=True)


def _markdown(text: str) -> dict[str, str]:
    return {"text/markdown": text, "text/plain": text}


def _put_in_place(source: str) -> None:
    """Have the front end write the code where the call stands; one that cannot do so shows its output all the same."""
    if in_notebook():
        _shell().set_next_input(source, replace=True)


def _run(name: str, source: str) -> None:
    """Run code among the names of whoever has called `reveal`, with its lines known to recordings and tracebacks."""
    frame: Any = sys._getframe(2)
    code = _compiled(f"<{name}>", source)
    exec(code, frame.f_globals)  # the lesson's own text, from this package


def _compiled(file: str, source: str) -> CodeType:
    if in_notebook():
        file = _shell().compile.cache(source)
    else:
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    return compile(source, file, "exec")


def _shell() -> Any:
    from IPython import get_ipython

    return get_ipython()


def _silence() -> Any:
    """A context in which nothing is said; in a notebook it gives what would have been."""
    if not in_notebook():
        return contextlib.redirect_stdout(io.StringIO())
    from IPython.utils.capture import capture_output

    return capture_output(stderr=False)
