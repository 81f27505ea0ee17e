"""Other languages: whatever is said of a trace has its pair, in stories, bundled examples and a compilation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

import autograd_lab as lab
from autograd_lab.compiler.telling import trace_of
from autograd_lab.display.script import find_script, run_script
from autograd_lab.events import OpApplied
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.kit.headline import MINUS, Headline, Run, said
from autograd_lab.view.languages.pairs import ENGLISH, languages, pairs
from autograd_lab.view.languages.phrasebook import HOLE, Phrasebook
from autograd_lab.view.languages.speaking import language, speak, spoken_in
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.scene import make_scene
from tests.stories import PROGRAMS
from tests.story import recorded

OTHERS = [code for code in languages() if code != ENGLISH]
OF_PYTORCH = re.compile(r"(^|\bstopped\. )[A-Z]\w+(Error|Exception): ")
"""What PyTorch says stays as PyTorch says it."""
OF_THE_PROGRAM = ("", "line", "expression", "Python")
"""Words of rows that tell code, and that of one without a word."""
EXAMPLES = ("expression", "mlp", "inplace", "checkpoint", "residual", "experts", "autocast")


@pytest.fixture(scope="module", params=OTHERS)
def book(request: pytest.FixtureRequest) -> Phrasebook:
    return Phrasebook(pairs(request.param, "sentences"), pairs(request.param, "language"))


def ran(example: str) -> Trace:
    return run_script(find_script(example)).trace


def unsaid(book: Phrasebook, told: Iterable[tuple[str, str]]) -> list[str]:
    """The sentences of some texts, each with its kind, that have no pair."""
    return [each for kind, text in dict.fromkeys(told) if not OF_PYTORCH.search(text)
            for each in book.missing(text, kind)]  # fmt: skip


def said_in(film: dict[str, Any], trace: Trace) -> Iterator[tuple[str, str]]:
    """All that a film says of its trace, with the kind that it is of."""
    attributes = {name for event in trace if isinstance(event, OpApplied) for name in event.attributes}
    yield from (("", text) for text in film["captions"])
    yield from (("", text) for name in ("headlines", "phases", "iterations") for _, text in film.get(name, ()))
    yield from (("", text) for told in film["words"] for text in dict(told).values())
    yield from (("row", word) for word, *_ in film["rows"] if word and word not in attributes)
    yield from (("", text) for word, text, *_ in film["rows"] if word not in OF_THE_PROGRAM)
    yield from (("held", name) for holding in film["holdings"] for name, *_ in holding)
    yield from (("key", key[2]) for key in film["legend"])
    yield "", film["holding"]


@pytest.mark.parametrize("topic", sorted({name.partition(".")[0] for name in PROGRAMS}))
def test_all_that_stories_say_has_its_pair(topic: str, book: Phrasebook) -> None:
    told = []
    for name, program in PROGRAMS.items():
        trace = recorded(program, lab) if name.partition(".")[0] == topic else Trace()
        if history_of(trace).is_drawable:
            scene = make_scene(trace)
            steps = range(scene.steps + 1)
            told += [("", text) for step in steps for text in (scene.caption(step), scene.headline(step).text)]
    assert not unsaid(book, told)


@pytest.mark.parametrize("example", EXAMPLES)
def test_all_that_the_film_of_an_example_says_has_its_pair(example: str, book: Phrasebook) -> None:
    trace = ran(example)
    assert not unsaid(book, said_in(film_of(make_scene(trace)), trace))


def test_all_that_is_said_of_a_compilation_has_its_pair(book: Phrasebook) -> None:
    @lab.compile
    def wasteful(x: Any) -> Any:
        x.sin()
        return (x.exp() / 2 + x.exp()) * 1

    wasteful(lab.ones(4, 4, requires_grad=True))
    trace = trace_of(wasteful.entries[0], "wasteful")
    assert not unsaid(book, [(kind, text) for kind, text in said_in(film_of(make_scene(trace)), trace)])


@pytest.mark.parametrize("code", OTHERS)
def test_a_pair_has_no_hole_that_english_has_not(code: str) -> None:
    for english, other in pairs(code, "sentences").items():
        known = {name for name, _ in HOLE.findall(english)}
        assert {name for name, _ in HOLE.findall(other)} <= known, english


def test_a_film_speaks_the_language_that_is_spoken_when_it_is_made() -> None:
    trace = ran("expression")
    with spoken_in("es"):
        film = film_of(make_scene(trace))
    assert film["captions"][1] == "a vale 2.0; pide gradiente."
    assert film["headlines"][-1][1] == "b.grad = 9: llegan dos gradientes y se suman"
    assert film_of(make_scene(trace))["captions"][1] == "a is 2.0; it asks for a gradient."


def test_coloured_words_keep_their_colours() -> None:
    headline = Headline("a is cleared", sub=said(Run("−5", MINUS), " comes from ", Run("d")))
    with spoken_in("es"):
        assert headline.translated().sub == (Run("−5", MINUS), Run(" viene de d"))


def test_a_language_that_there_is_not_is_told_with_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"there is no language 'tlh'; there are en \(English\), es \(español\)"):
        speak("tlh")
    assert language() == ENGLISH


def test_the_language_of_a_locale_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRAD_LAB_LANGUAGE", "es_MX.UTF-8")
    assert language() == "es"
