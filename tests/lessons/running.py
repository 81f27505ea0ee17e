"""Lessons run as learners run them: in a kernel, or as plain Python without one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from nbclient import NotebookClient

from autograd_lab.lessons.notebooks import Build, notebook_of
from autograd_lab.lessons.syllabus import LESSONS

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
SOURCES = {path.stem: path for path in sorted((NOTEBOOKS / "source").glob("*.py"))}
WRITTEN = [lesson for lesson in LESSONS if lesson.name in SOURCES]
"""The lessons that there are; of the others nothing can be tested."""

each_lesson = pytest.mark.parametrize("lesson", WRITTEN, ids=lambda lesson: lesson.name)
each_notebook = pytest.mark.parametrize("name", SOURCES)
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


def built(name: str, kind: Build = Build.STUDENT) -> Any:
    """The notebook of a source, built anew."""
    return notebook_of(SOURCES[name].read_text(encoding="utf-8"), kind)


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def executed(notebook: Any, folder: Path, world: str = "autograd_lab") -> Any:
    """Run all cells in a kernel, whose learner has a progress file of its own. Raises at the first error."""
    with pytest.MonkeyPatch.context() as context:
        context.setenv("AUTOGRAD_LAB_WORLD", world)
        context.setenv("AUTOGRAD_LAB_PROGRESS", str(folder / "progress.jsonl"))
        context.setenv("PYTHONPATH", str(ROOT))
        place = {"metadata": {"path": folder}}
        client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources=place, coalesce_streams=True)
        client.execute()
    return notebook


def printed(cell: Any) -> str:
    """What a cell says in words: streams and plain texts, without addresses in memory."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return ADDRESS.sub("0x…", "\n".join(texts))
