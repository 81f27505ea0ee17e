"""Lessons as learners have them: as notebooks, and in kernels."""

from __future__ import annotations

import ast
import io
import os
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

from autograd_lab.lessons.front import give_front
from autograd_lab.lessons.notebooks import Build, lesson_of, notebook_of
from autograd_lab.lessons.syllabus import LESSONS
from autograd_lab.view.languages.pairs import ENGLISH
from autograd_lab.view.languages.speaking import spoken_in

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
SOURCES = {path.stem: path for path in sorted((NOTEBOOKS / "source").glob("*.py"))}
WRITTEN = [lesson for lesson in LESSONS if lesson.name in SOURCES]
"""The lessons that there are; of the others nothing can be tested."""

each_lesson = pytest.mark.parametrize("lesson", WRITTEN, ids=lambda lesson: lesson.name)
each_notebook = pytest.mark.parametrize("name", SOURCES)
ASYNCHRONOUS = "jupyter_client.asynchronous.AsyncKernelClient"
ANEW = """\
import os
os.chdir({folder!r})
os.environ["AUTOGRAD_LAB_PROGRESS"] = os.path.join({folder!r}, "progress.jsonl")
from autograd_lab.view.languages.speaking import speak
speak("en")
get_ipython().run_line_magic("reset", "-f")
get_ipython().user_module.__spec__ = None
"""
"""What makes a kernel as good as new; without its `__spec__`, a kernel's module starts no processes."""
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


def built(
    name: str, kind: Build = Build.STUDENT, *, closed: bool = True, explained: bool = True, language: str = ENGLISH
) -> Any:
    """The notebook of a source, built anew; what is closed to learners may be left open, words left unexplained."""
    lesson = lesson_of(SOURCES[name]) if explained else None
    return notebook_of(SOURCES[name].read_text(encoding="utf-8"), kind, closed=closed, lesson=lesson, language=language)


def opened(name: str, language: str = ENGLISH) -> Any:
    """The notebook that learners open: as it is built, with what stands at its front."""
    notebook = built(name, language=language)
    with spoken_in(language):
        give_front(notebook, lesson_of(SOURCES[name]), name)
    return notebook


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


class Kernel:
    """A kernel of one world, in which notebooks run one after the other: to import a world takes longer than they do.

    What a notebook has named is gone before the next one, which has a folder and a learner of its own.
    """

    def __init__(self, world: str) -> None:
        with pytest.MonkeyPatch.context() as context:
            context.setenv("AUTOGRAD_LAB_WORLD", world)
            context.setenv("PYTHONPATH", str(ROOT))
            self._manager = KernelManager(kernel_name="python3", client_class=ASYNCHRONOUS)
            self._manager.start_kernel()

    def execute(self, notebook: Any, folder: Path) -> Any:
        """Run all cells for a learner whose progress is kept in that folder. Raises at the first error."""
        self._run(new_notebook(cells=[new_code_cell(ANEW.format(folder=str(folder)))]))
        return self._run(notebook)

    def _run(self, notebook: Any) -> Any:
        client = NotebookClient(notebook, self._manager, timeout=120, coalesce_streams=True)
        client.execute()
        client.kc.stop_channels()
        return notebook

    def shut_down(self) -> None:
        self._manager.shutdown_kernel(now=True)


def printed(cell: Any) -> str:
    """What a cell says in words: streams and plain texts, without addresses in memory."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return ADDRESS.sub("0x…", "\n".join(texts))


def said_without_notebook(notebook: Any, world: str, folder: Path) -> list[str]:
    """What each cell says in a world, run in this process for a learner who is new: no kernel is started.

    As in a notebook, the value of a last expression is shown.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    progress = str(folder / f"{world}.jsonl")
    asked = {"AUTOGRAD_LAB_WORLD": world, "AUTOGRAD_LAB_PROGRESS": progress, "AUTOGRAD_LAB_ORDER": "written"}
    with patch.dict(os.environ, asked):
        return [_said(cell, names) for cell in code_cells(notebook)]


def _said(cell: Any, names: dict[str, Any]) -> str:
    lines = ast.parse(cell.source, f"<{cell.id}>")
    last = lines.body.pop() if lines.body and isinstance(lines.body[-1], ast.Expr) else None
    with redirect_stdout(io.StringIO()) as said:
        exec(compile(lines, f"<{cell.id}>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"<{cell.id}>", "eval"), names)
            if value is not None:
                print(repr(value))
    return ADDRESS.sub("0x…", said.getvalue())
