"""Sentences in another language: patterns with holes, names that stay, and English where there is no pair."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from autograd_lab.view.languages.phrasebook import Phrasebook

PAIRS = {
    "{a} is {b}.": "{a} es {b}.",
    "{a} is {b}": "{a} es {b}",
    "{a} and {b}": "{a} y {b}",
    "the sum of {n:count} numbers": "la suma de {n} números",
    "{a} travels from {b} to {c}.": "A {c} viaja {a} desde {b}.",
    "line {n}: {text:code}": "línea {n}: {text}",
    "count:two": "dos",
    "the end": "el fin",
}
BOOK = Phrasebook(PAIRS, {" de el ": " del ", "name": "made up"})


def test_what_is_in_holes_stands_where_the_other_language_has_it() -> None:
    assert BOOK.say("4.0 travels from c to a.") == "A a viaja 4.0 desde c."


def test_a_hole_with_a_kind_takes_that_kind_alone_and_numbers() -> None:
    assert BOOK.say("the sum of two numbers") == "la suma de dos números"
    assert BOOK.say("the sum of 1,200 numbers") == "la suma de 1,200 números"
    assert BOOK.say("the sum of some numbers") == "the sum of some numbers"


def test_a_variable_that_is_called_like_a_word_stays_what_it_is() -> None:
    assert BOOK.say("two is 3.0.") == "two es 3.0."


def test_an_expression_is_a_name_whatever_words_are_in_its_brackets() -> None:
    assert BOOK.say("f(1 if yes else (no or 2)) is 3.0.") == "f(1 if yes else (no or 2)) es 3.0."


def test_a_line_of_a_program_is_said_as_it_is() -> None:
    assert BOOK.say("line 4: return the end") == "línea 4: return the end"


def test_a_capital_stays_one() -> None:
    assert BOOK.say("The sum of two numbers is b.") == "La suma de dos números es b."


def test_what_has_no_pair_stays_english_a_sentence_at_a_time() -> None:
    assert BOOK.say("a is b. Nobody knows why. b is c.") == "a es b. Nobody knows why. b es c."


def test_grammar_joins_words_that_meet() -> None:
    assert Phrasebook({"of {a}": "fin de {a}"} | PAIRS, {" de el ": " del "}).say("of the end") == "fin del fin"


@given(st.text(alphabet="ab and is.,:()", max_size=200))
@example(" and ".join(["a"] * 150))
@example("(" * 200)
def test_every_text_comes_back_soon(text: str) -> None:
    book = Phrasebook(PAIRS, {})
    assert book.say(text).count(".") == text.count(".")


def test_no_hole_takes_in_the_next_sentence() -> None:
    assert BOOK.say("a is b. And nobody is c.") == "a es b. And nobody is c."
