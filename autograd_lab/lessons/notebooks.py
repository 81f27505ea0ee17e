"""From one source to its builds: for learners, with solutions, as slides, for nbgrader.

A source is a Python file in jupytext's percent format. What a cell is for stands in its `# %%` line, as in
`# %% id="f1" answers="L3.F1"`; `notebooks/WRITING.md` says what there is.
"""

from __future__ import annotations

import json
import re
from enum import StrEnum
from pathlib import Path
from typing import Any

import jupytext
import nbformat

from autograd_lab.lessons.behind import behind
from autograd_lab.lessons.edition import CALLED, called_in
from autograd_lab.lessons.front import give_front, keep_picture
from autograd_lab.lessons.glossary import explained
from autograd_lab.lessons.reveal import CLOSED
from autograd_lab.lessons.syllabus import INDEX, TITLES
from autograd_lab.lessons.translated import translate
from autograd_lab.trace import write_whole
from autograd_lab.view.languages.pairs import ENGLISH
from autograd_lab.view.languages.speaking import spoken_in

SOLUTION = re.compile(r"^ *### BEGIN SOLUTION\n(?:.*\n)*? *### END SOLUTION\n?", re.MULTILINE)
MARKS = re.compile(r"^ *### (?:BEGIN|END) SOLUTION\n?", re.MULTILINE)
KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
LANGUAGE = {"language_info": {"name": "python"}}
SAYS, LISTED = "## The article says", f"The [index]({INDEX}.ipynb) lists the articles."
NBGRADER_CONFIG = '''"""For nbgrader: answer cells have stubs already, so it has to put nothing there that raises."""

c = get_config()  # noqa: F821 - nbgrader gives it
c.CourseDirectory.course_id = "autograd_lab"
c.ClearSolutions.code_stub = {"python": "# your answer"}
'''


class Build(StrEnum):
    STUDENT = "student"
    SOLUTION = "solution"
    SLIDES = "slides"
    NBGRADER = "nbgrader"


def build_one(source: Path, kind: Build, folder: Path, language: str = ENGLISH) -> Path:
    """Write the notebook of a source into a folder; for nbgrader into a course with one assignment a lesson."""
    target = folder / f"{source.stem}.ipynb"
    if kind is Build.NBGRADER:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "nbgrader_config.py", NBGRADER_CONFIG.encode())
        target = folder / "source" / source.stem / f"{source.stem}.ipynb"
    target.parent.mkdir(parents=True, exist_ok=True)
    lesson = lesson_of(source)
    notebook = notebook_of(source.read_text(encoding="utf-8"), kind, lesson=lesson, language=language)
    if kind is Build.STUDENT:
        with spoken_in(language):
            give_front(notebook, lesson, source.stem)
            keep_picture(lesson, source.stem, folder)
    write_whole(target, written(notebook).encode())
    if kind is Build.STUDENT and folder.resolve() == source.resolve().parents[1]:
        keep_closed(source)
    return target


def lesson_of(source: Path) -> int | None:
    """The number of the lesson that a source is of; the index is of none."""
    number = re.match(r"(\d\d)_", source.stem)
    return None if number is None else int(number[1])


def keep_closed(source: Path) -> None:
    """Write down, for `reveal`, the cells of a lesson that learners get closed, and for `check` the names of what its
    exercises ask for."""
    lesson = lesson_of(source)
    if lesson is None:
        return
    text = source.read_text(encoding="utf-8")
    _keep(CLOSED / f"lesson{lesson:02}.json", closed_cells(text))
    before = json.loads(CALLED.read_text(encoding="utf-8")) if CALLED.exists() else {}
    others = {id: name for id, name in before.items() if not id.startswith(f"L{lesson}.")}
    _keep(CALLED, dict(sorted((others | called_in(text)).items())))


def _keep(file: Path, what: dict[str, Any]) -> None:
    write_whole(file, (json.dumps(what, indent=1, ensure_ascii=False) + "\n").encode())


def closed_cells(source: str) -> dict[str, Any]:
    """The cells of a source that stay closed until questions are answered, by id: `after` which ones, whether it is
    `prose`, and the lines of its `source`, without a heading, which stays open.
    """
    cells = [cell for cell in notebook_of(source, Build.SOLUTION).cells if "after" in cell.metadata]
    return {cell.id: {"after": _ids(cell), "prose": not _is_code(cell), "source": _body(cell)} for cell in cells}


def written(notebook: Any) -> str:
    """A notebook as text, the same for the same notebook."""
    text: str = nbformat.writes(notebook)
    return text.rstrip("\n") + "\n"


def notebook_of(
    source: str, kind: Build, *, closed: bool = True, lesson: int | None = None, language: str = ENGLISH
) -> Any:
    """The notebook that a source becomes; for learners some cells are closed, unless told otherwise. With the number of
    its lesson, words of earlier ones say what they mean. In another language it speaks that when it runs.

    Raises ValueError for a cell without an id, or with one that is taken.
    """
    with spoken_in(language):
        return _notebook(source, kind, closed, lesson)


def _notebook(source: str, kind: Build, closed: bool, lesson: int | None) -> Any:
    notebook = jupytext.reads(source, fmt="py:percent")
    notebook.metadata = nbformat.from_dict({**KERNEL, **LANGUAGE})
    notebook.nbformat_minor = 5
    _name_articles(notebook)
    translate(notebook)
    taken: set[str] = set()
    for cell in notebook.cells:
        cell.metadata.pop("lines_to_next_cell", None)  # blank lines of the source, of which jupytext takes note
        id = cell.metadata.pop("id", None)
        if id is None or id in taken:
            raise ValueError(f"{'no' if id is None else 'a second'} cell id {id or ''} at {cell.source[:60]!r}")
        taken.add(id)
        cell.id = id
        _give_slide(cell)
        if kind is Build.NBGRADER:
            _give_grades(cell)
        elif cell.cell_type == "code":
            cell.source = (MARKS if kind is Build.SOLUTION else SOLUTION).sub("", cell.source).rstrip("\n")
    if lesson is not None:
        _explain_words(notebook, lesson)
    if closed and kind in (Build.STUDENT, Build.NBGRADER):
        notebook.cells = [each for cell in notebook.cells for each in _closed(cell)]
    if kind is Build.SLIDES:
        notebook.cells = [cell for cell in notebook.cells if cell.metadata.slideshow.slide_type != "skip"]
    nbformat.validate(notebook)
    return notebook


def _name_articles(notebook: Any) -> None:
    """Above what an article says stands which one it is; below the heading of all that, where they are listed."""
    for cell in notebook.cells:
        if "defect" in cell.metadata:
            cell.source = f"# Article: {TITLES[cell.metadata['defect'][:3]]}\n{cell.source}"
        elif cell.source.startswith(SAYS) and f"{INDEX}.ipynb" not in cell.source:
            cell.source += f"\n\n{LISTED}"


def _explain_words(notebook: Any, lesson: int) -> None:
    """Not in what is closed: that may be printed, as it is."""
    prose = [cell for cell in notebook.cells if not _is_code(cell) and "after" not in cell.metadata]
    for cell, text in zip(prose, explained([cell.source for cell in prose], lesson), strict=True):
        cell.source = text


def _closed(cell: Any) -> list[Any]:
    """What learners get of a cell: itself, or a call that reveals it, below its heading if it has one."""
    if "after" not in cell.metadata:
        return [cell]
    after = _ids(cell)
    name = f"{after[0].partition('.')[0]}.{cell.id}"
    text = f'reveal("{name}")  # {behind(cell.source, prose=not _is_code(cell))}'
    call = nbformat.v4.new_code_cell(text, metadata=cell.metadata)
    call.metadata["after"], call.id = after, cell.id
    if _is_code(cell) or not cell.source.startswith("#"):
        return [call]
    cell.source, cell.id = cell.source.partition("\n")[0], f"{cell.id}-heading"
    cell.metadata = nbformat.from_dict({key: it for key, it in cell.metadata.items() if key != "after"})
    return [cell, call]


def _ids(cell: Any) -> list[str]:
    after = cell.metadata["after"]
    return [after] if isinstance(after, str) else list(after)


def _is_code(cell: Any) -> bool:
    return bool(cell.cell_type == "code")


def _body(cell: Any) -> list[str]:
    text: str = cell.source
    if not _is_code(cell) and text.startswith("#"):
        text = text.partition("\n")[2].strip("\n")
    return text.split("\n")


def _give_slide(cell: Any) -> None:
    """A heading begins a slide, what follows is on it; answers and checks are for those who work, not for a wall."""
    heading = cell.cell_type == "markdown" and cell.source.startswith("#")
    default = "slide" if heading else "skip" if {"answers", "checks"} & cell.metadata.keys() else "-"
    cell.metadata["slideshow"] = nbformat.from_dict({"slide_type": cell.metadata.pop("slide", default)})


def _give_grades(cell: Any) -> None:
    """Tell nbgrader which cells are answers, and which grade them; what must not change is locked."""
    meta = cell.metadata
    answers, checks = meta.get("answers"), meta.get("checks")
    grade = {"schema_version": 3, "solution": bool(answers), "grade": bool(checks), "task": False}
    grade |= {"locked": not answers, "grade_id": cell.id} | ({"points": 1} if checks else {})
    if answers or checks:
        meta["nbgrader"] = nbformat.from_dict(grade)
    if checks:
        assert_ = f"assert check({checks!r}, {_answer_in(cell.source, checks)})"
        cell.source += f"\n### BEGIN HIDDEN TESTS\n{assert_}\n### END HIDDEN TESTS"


def _answer_in(source: str, id: str) -> str:
    """The expression that a cell checks: what stands after the id in `check("L3.F1", answer)`."""
    match = re.search(rf'check\("{re.escape(id)}", (.+)\)\s*$', source, re.MULTILINE)
    if match is None:
        raise ValueError(f'a cell that checks {id} should have a line check("{id}", …)')
    return match[1]
