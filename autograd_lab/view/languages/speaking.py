"""The language that is spoken: of this process, or for a while.

It is that of `AUTOGRAD_LAB_LANGUAGE`, if that is set, else English, until somebody says otherwise. What is made of a
trace, as a scene or a page, speaks the language of the moment at which it is made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import ParamSpec, TypeVar

from autograd_lab.view.languages.pairs import ENGLISH, languages, pairs
from autograd_lab.view.languages.phrasebook import Phrasebook

P = ParamSpec("P")
T = TypeVar("T")

VARIABLE = "AUTOGRAD_LAB_LANGUAGE"
_chosen: list[str] = []
"""The language that was chosen last, and those that come back when it has had its while."""


def language() -> str:
    """The code of the language that is spoken now."""
    return _chosen[-1] if _chosen else known(os.environ.get(VARIABLE) or ENGLISH)


def known(code: str) -> str:
    """The code of a language that there is, as of `es_MX.UTF-8`. Raises ValueError for one that there is not."""
    found = code.lower().replace("-", "_").partition("_")[0]
    if found not in languages():
        there = ", ".join(f"{code} ({name})" for code, name in languages().items())
        raise ValueError(f"there is no language {code!r}; there are {there}")
    return found


def speak(code: str) -> None:
    """Speak a language from now on. Raises ValueError for one that there is not."""
    _chosen[-1:] = [known(code)]


@contextmanager
def spoken_in(code: str) -> Iterator[None]:
    """Speak a language for a while. Raises ValueError for one that there is not."""
    _chosen.append(known(code))
    try:
        yield
    finally:
        _chosen.pop()


def in_one_language(make: Callable[P, T]) -> Callable[P, T]:
    """Have what makes all of a scene or a page ask once which language is spoken, and not for each of its texts."""

    @wraps(make)
    def made(*args: P.args, **options: P.kwargs) -> T:
        with spoken_in(language()):
            return make(*args, **options)

    return made


@cache
def _phrasebook(code: str) -> Phrasebook:
    return Phrasebook(pairs(code, "sentences"), pairs(code, "language"))


def translated(text: str, kind: str = "") -> str:
    """A text of what is made of a trace, in the language that is spoken; a word by itself is of a `kind`."""
    code = language()
    return text if code == ENGLISH or not text else _phrasebook(code).say(text, kind)


def spoken(answer: Callable[P, str]) -> Callable[P, str]:
    """Have a function that answers in English answer in the language that is spoken."""

    @wraps(answer)
    def answered(*about: P.args, **more: P.kwargs) -> str:
        return translated(answer(*about, **more))

    return answered
