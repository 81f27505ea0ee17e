"""Every term is explained before it is used, and says what it means wherever it comes back."""

from __future__ import annotations

import re
from typing import Any

import pytest

from autograd_lab.lessons.glossary import READY, TERMS, Term, explained, plain_parts
from autograd_lab.lessons.notebooks import Build
from autograd_lab.lessons.syllabus import LESSONS, Lesson
from tests.lessons.running import built, each_lesson

each_term = pytest.mark.parametrize("term", TERMS, ids=lambda term: term.word)
LEAF = next(term for term in TERMS if term.word == "leaf")
TAG = re.compile(r"<[^>]+>")
SET_OFF = re.compile(r"(?<![*\w])\*{1,2}(?=\S)([^*]+?)(?<=\S)\*{1,2}")
AT_ONCE = ("weight", "training", "loss", "gradient", "autograd")
"""Terms that the first cell of their lesson explains."""
BY_NAME = {lesson.number: lesson.name for lesson in LESSONS}


def prose(number: int) -> list[str]:
    """The texts of a lesson, as they are read from top to bottom, without tags."""
    notebook: Any = built(BY_NAME[number], Build.SOLUTION, closed=False)
    return [TAG.sub("", cell.source) for cell in notebook.cells if cell.cell_type == "markdown"]


def used(term: Term, text: str) -> bool:
    return any(free and term.pattern.search(part) for part, free in plain_parts(text))


@each_lesson
def test_no_term_is_used_before_the_lesson_that_explains_it(lesson: Lesson) -> None:
    known = READY.get(lesson.number, lesson.number)
    early = [term.word for term in TERMS if known < term.lesson != lesson.number]
    texts = "\n\n".join(prose(lesson.number))
    assert [word for word in early if used(next(term for term in TERMS if term.word == word), texts)] == []


@each_term
def test_a_term_is_set_off_where_it_is_explained_and_not_used_before(term: Term) -> None:
    for text in prose(term.lesson)[term.word not in AT_ONCE :]:  # the first cell says which words will come
        set_off = [match for match in SET_OFF.finditer(text) if term.pattern.fullmatch(match[1].strip("."))]
        if set_off:
            before = text[: set_off[0].start()]
            assert not used(term, before.rpartition("\n\n")[0]), "it is used in a paragraph before"
            return
        assert not used(term, text), f"used before it is explained: {text[:80]!r}"
    raise AssertionError(f"lesson {term.lesson} does not explain it")


def test_a_round_d_is_explained_in_the_first_text_with_one() -> None:
    first = next(text for lesson in LESSONS for text in prose(lesson.number) if "\\partial" in text)
    assert "∂" in first


def test_the_first_use_in_a_later_lesson_says_what_the_word_means_and_code_stays_as_it_is() -> None:
    texts = ["# A leaf", "`leaf` $leaf$ **leaf** A leaf and two leaves.", "Leaves."]
    assert explained(texts, 3) == [
        "# A leaf",
        f'`leaf` $leaf$ **leaf** A <abbr title="{LEAF.says}">leaf</abbr> and two leaves.',
        "Leaves.",
    ]
    assert explained(texts, 0) == texts


def test_what_learners_open_has_it() -> None:
    text = "\n".join(cell.source for cell in built(BY_NAME[4]).cells)
    assert text.count("<abbr title=") >= 3 and text.count(">node</abbr>") + text.count(">nodes</abbr>") == 1
