"""Findings in other languages: whatever is said of a mistake has its pair, and code alone is left as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograd_lab.display.script import find_script
from autograd_lab.findings.alive import Alive
from autograd_lab.findings.diagnosis import OF_MANY_TURNS, OF_TURNS
from autograd_lab.findings.finding import Finding
from autograd_lab.view.languages.pairs import pairs
from autograd_lab.view.languages.phrasebook import Phrasebook
from autograd_lab.view.languages.speaking import spoken_in
from autograd_lab.view.pages.film_findings import in_words
from tests.findings.test_programs import PROGRAMS, found_in
from tests.view.languages.test_languages import OTHERS, unsaid

MISTAKES = [*PROGRAMS, find_script("inplace"), find_script("residual")]
CODE = re.compile(r"`[^`]*`|\b\w+\(\)|\b\w+Error: .*")
"""Code, and what PyTorch says."""
ENGLISH = re.compile(r"\b(the|of|and|or|is|it|that|which|with|for|to|at|by|not|here|infinite)\b")
"""Words that are none in Spanish."""


@pytest.fixture(scope="module", params=OTHERS)
def book(request: pytest.FixtureRequest) -> Phrasebook:
    return Phrasebook(pairs(request.param, "sentences"), pairs(request.param, "language"))


def texts_of(finding: Finding) -> Iterator[str]:
    yield from (finding.sentence, finding.remedy, *(place.words for place in finding.cause))


@pytest.mark.parametrize("program", MISTAKES, ids=lambda path: path.stem)
def test_all_that_is_said_of_a_mistake_has_its_pair_and_no_english_is_left(program: Path, book: Phrasebook) -> None:
    found = found_in(program)
    assert not unsaid(book, (("", text) for each in found for text in texts_of(each)))
    with spoken_in("es"):
        said = [text for each in found for text in texts_of(in_words(each))]
    assert not [text for text in said if ENGLISH.search(CODE.sub("", text))]


def test_what_was_not_checked_and_how_graphs_are_freed_has_its_pair(book: Phrasebook) -> None:
    held = [
        Alive(name=name, where=None, graphs=n, operations=3, nbytes=12) for name in ("x", "a tensor") for n in (1, 2)
    ]
    said = [*OF_TURNS, *OF_MANY_TURNS, *(each.remedy for each in held)]
    assert not unsaid(book, [("", text) for text in said])
    assert not book.missing("Only the first 12 backward passes of the run were looked at.")
