"""The lessons carry every item of the articles, keep the order of a lesson, and can be read."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograd_lab.lessons.edition import called, called_in
from autograd_lab.lessons.notebooks import Build, build_one, closed_cells, notebook_of, written
from autograd_lab.lessons.reveal import CLOSED
from autograd_lab.lessons.syllabus import ARTICLES, DEFECTS, INDEX, LESSONS, TITLES, Lesson
from tests.lessons.lint import STAGES, complaints, reading
from tests.lessons.running import NOTEBOOKS, SOURCES, WRITTEN, built, code_cells, each_lesson, each_notebook, opened

MOST_WORDS, HIGHEST_GRADE = 1800, 9.0


@each_notebook
def test_it_is_well_formed(name: str) -> None:
    assert list(complaints(built(name, closed=False))) == []


@each_notebook
def test_what_learners_open_is_what_the_source_gives(name: str) -> None:
    file = NOTEBOOKS / f"{name}.ipynb"
    assert file.exists() and file.read_text(encoding="utf-8") == written(opened(name)), (
        "run: autograd-lab lessons build"
    )
    if name != INDEX:
        kept = json.loads((CLOSED / f"lesson{name[:2]}.json").read_text(encoding="utf-8"))
        source = SOURCES[name].read_text(encoding="utf-8")
        assert kept == closed_cells(source), "run: autograd-lab lessons build"
        of_lesson = {id: each for id, each in called().items() if id.startswith(f"L{int(name[:2])}.")}
        assert of_lesson == called_in(source), "run: autograd-lab lessons build"


@each_lesson
def test_what_an_article_says_has_its_title_above_it_and_a_link_to_where_it_is_listed(lesson: Lesson) -> None:
    cells = built(lesson.name, closed=False).cells
    index = "\n".join(cell.source for cell in built(INDEX).cells)
    for cell in (cell for cell in cells if "defect" in cell.metadata):
        title = TITLES[cell.metadata["defect"][:3]]
        assert cell.source.startswith(f"# Article: {title}\n") and f"\n### {title}\n" in index
    for heading in (cell for cell in cells if cell.source.startswith("## The article says")):
        assert f"]({INDEX}.ipynb)" in heading.source


def test_every_lesson_has_a_source() -> None:
    assert {file.stem for file in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")} == set(SOURCES) - {INDEX}
    assert set(SOURCES) <= {INDEX, *(lesson.name for lesson in LESSONS)}


def named(notebook: Any, key: str, *, code: bool = False) -> set[str]:
    """The ids that cells name under a key: one, or a list."""
    cells = code_cells(notebook) if code else notebook.cells
    found = [cell.metadata.get(key, []) for cell in cells]
    return {each for names in found for each in ([names] if isinstance(names, str) else names)}


@each_lesson
def test_its_items_and_defects_are_carried_by_its_cells(lesson: Lesson) -> None:
    notebook = built(lesson.name)
    assert set(lesson.items) <= named(notebook, "source")
    assert set(lesson.defects) <= named(notebook, "defect", code=True)


@each_lesson
def test_its_parts_come_in_their_order(lesson: Lesson) -> None:
    found = [cell.metadata["stage"] for cell in built(lesson.name).cells if "stage" in cell.metadata]
    wanted = [stage for stage in STAGES if stage != "says" or lesson.defects]
    assert list(dict.fromkeys(found)) == wanted


def test_the_plan_gives_each_item_and_each_defect_a_lesson() -> None:
    for counts, mark, spread in ((ARTICLES, "", "items"), (DEFECTS, "E", "defects")):
        wanted = {f"{name}-{mark}{number}" for name, count in counts.items() for number in range(1, count + 1)}
        assert {each for lesson in LESSONS for each in getattr(lesson, spread)} == wanted
    assert sum(ARTICLES.values()) == 118


def test_every_lesson_is_written() -> None:
    assert list(LESSONS) == WRITTEN


def test_the_index_leads_to_every_lesson() -> None:
    text = "\n".join(cell.source for cell in built(INDEX).cells)
    assert [lesson.name for lesson in LESSONS if f"]({lesson.name}.ipynb)" not in text] == []


def test_lessons_can_be_read_and_their_length_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    found = {lesson.name: reading(built(lesson.name, closed=False)) for lesson in WRITTEN}
    with capsys.disabled():
        lines = [f"  {name:28} {words:5} words, grade {grade:.1f}" for name, (words, grade) in found.items()]
        print("\nprose of the lessons:", *lines, sep="\n", file=sys.stderr)
    assert {name: it for name, it in found.items() if it[0] > MOST_WORDS or it[1] > HIGHEST_GRADE} == {}


SOURCE = """\
# %% [markdown] id="top"
# # Title

# %% id="fill" answers="L3.F1"
a = ...
### BEGIN SOLUTION
a = 1
### END SOLUTION

# %% id="fill-check" checks="L3.F1"
check("L3.F1", a)
"""


class TestBuilds:
    def test_learners_get_stubs_and_the_solution_has_answers(self) -> None:
        assert [notebook_of(SOURCE, kind).cells[1].source for kind in (Build.STUDENT, Build.SOLUTION)] == [
            "a = ...",
            "a = ...\na = 1",
        ]

    def test_slides_leave_out_what_is_for_those_who_work(self) -> None:
        slides = notebook_of(SOURCE, Build.SLIDES)
        assert [cell.metadata.slideshow.slide_type for cell in slides.cells] == ["slide"]

    def test_no_solution_is_in_any_notebook_for_learners(self) -> None:
        for name in SOURCES:
            assert "SOLUTION" not in written(built(name)) and "HIDDEN" not in written(built(name))

    def test_cells_need_an_id_of_their_own(self) -> None:
        with pytest.raises(ValueError, match="no cell id"):
            notebook_of("# %%\n1", Build.STUDENT)
        with pytest.raises(ValueError, match="a second cell id a"):
            notebook_of('# %% id="a"\n1\n\n# %% id="a"\n2', Build.STUDENT)

    def test_a_notebook_is_the_same_each_time_it_is_built(self, tmp_path: Path) -> None:
        source = next(iter(SOURCES.values()))
        one, two = (build_one(source, Build.STUDENT, tmp_path / name).read_bytes() for name in ("1", "2"))
        assert one == two
        nbformat.validate(nbformat.reads(one.decode(), as_version=4))

    def test_the_command_builds_them_or_says_why_not(self, tmp_path: Path) -> None:
        from typer.testing import CliRunner

        from autograd_lab.commands.cli import app

        source = ["--source", str(NOTEBOOKS / "source")]
        done = CliRunner().invoke(app, ["lessons", "build", "--slides", "-o", str(tmp_path / "s"), *source])
        assert done.exit_code == 0 and len(list((tmp_path / "s").glob("*.ipynb"))) == len(SOURCES)
        nothing = CliRunner().invoke(app, ["lessons", "build", "--source", str(tmp_path)])
        assert nothing.exit_code == 2 and "there are no lessons in" in nothing.output
        both = CliRunner().invoke(app, ["lessons", "build", "--slides", "--solution", *source])
        assert both.exit_code == 2 and "exclude each other" in both.output


@pytest.mark.parametrize(
    ("cell", "complaint"),
    [
        ('# %% id="fig"\nfigure(run, "A graph of three nodes, as an example.")', "something to do within 2 cells"),
        ('# %% id="fig"\nfigure(run)\ncheck("L3.F1")', "says in words"),
        ('# %% id="fun"\ndef f():\n' + "    x = 1\n" * 12, "more than 10 lines"),
        ('# %% id="X"\n1', "an id is"),
        ('# %% id="xx" sorce="003-1"\n1', "nobody reads sorce"),
        ('# %% id="xx" defect="003-E1"\nassert True', "The article says"),
        ('# %% [markdown] id="xx"\n# [there](nowhere.md)', "leads nowhere"),
    ],
)
def test_the_linter_sees_what_it_is_there_for(cell: str, complaint: str) -> None:
    assert any(complaint in each for each in complaints(notebook_of(cell, Build.STUDENT)))
