"""What stands at the front of notebooks: a picture that tells no answer, and a cell that does nothing but on Colab."""

from __future__ import annotations

import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from autograd_lab.lessons.front import FETCH, PICTURES, picture
from autograd_lab.lessons.question import Question
from autograd_lab.lessons.registry import module_of, tasks_of
from autograd_lab.lessons.syllabus import Lesson
from tests.lessons.running import NOTEBOOKS, each_lesson, opened
from tests.lessons.spoil import HARMLESS

MOST_BYTES = 30_000


@each_lesson
def test_a_reader_on_the_web_sees_a_picture_below_the_title_though_nothing_has_run(lesson: Lesson) -> None:
    first = opened(lesson.name).cells[0].source
    assert re.match(
        rf"# Lesson {lesson.number} · .*\n\n!\[The graph of [^]]+\]\({PICTURES}/{lesson.name}.svg\)\n\n", first
    )
    assert not any(cell.outputs for cell in opened(lesson.name).cells if cell.cell_type == "code")


@each_lesson
def test_its_picture_is_what_the_engine_draws_today_small_and_asks_nobody_for_anything(lesson: Lesson) -> None:
    file = NOTEBOOKS / PICTURES / f"{lesson.name}.svg"
    text = file.read_text(encoding="utf-8")
    assert text == picture(lesson.number), "run: autograd-lab lessons build"
    assert len(text) < MOST_BYTES and not re.search(r"(?:href|src|url\()\W*(?:http|//)", text)


@each_lesson
def test_its_picture_has_no_text_that_is_the_answer_to_a_question_of_the_lesson(lesson: Lesson) -> None:
    shown = {re.sub("<[^>]+>", "", text) for text in re.findall(r"<text.*?</text>", picture(lesson.number))}
    for asked in tasks_of(module_of(str(lesson.number))).values():
        if isinstance(asked, Question) and asked.id not in HARMLESS:
            truth = asked.choices[asked.right()].text
            assert not shown & {truth, f"{truth}.0"}, asked.id


def test_every_picture_is_of_a_lesson() -> None:
    assert {file.stem for file in (NOTEBOOKS / PICTURES).iterdir()} == {
        file.stem for file in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb")
    }


@pytest.mark.parametrize("name", ["index", "00_reading_the_picture"])
def test_the_first_code_fetches_the_package_on_colab_and_does_nothing_elsewhere(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = next(cell for cell in opened(name).cells if cell.cell_type == "code")
    assert code.source == FETCH and code.metadata["jupyter"]["source_hidden"]
    ran: list[Any] = []
    names = {"get_ipython": lambda: SimpleNamespace(run_line_magic=lambda *words: ran.append(words))}
    exec(FETCH, dict(names))
    assert ran == []
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    exec(FETCH, dict(names))
    assert ran == [("pip", "install -q 'autograd-lab[lab]'")]
