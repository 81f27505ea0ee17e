"""What a style sheet can do to a drawing, whichever of its rules turn out to be the strongest."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

WORD = re.compile(r"[\w-]+")

Names = frozenset[str]
"""Tags and classes."""


class Rule(NamedTuple):
    """A rule: what must be there for each of its selectors, and all of its text."""

    selectors: tuple[Names, ...]
    text: str


@cache
def rules(style: str) -> tuple[Rule, ...]:
    """The rules of a style sheet that has no nested ones."""
    return tuple(
        Rule(tuple(frozenset(WORD.findall(each)) for each in selectors.split(",")), f"{selectors}{{{body}}}")
        for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", style)
    )


@lru_cache(maxsize=4096)
def values(style: str, name: str, names: Names) -> tuple[str, ...]:
    """What a style sheet may give to this property of an element, where it and all that it is in have these names."""
    found = (re.findall(rf"[{{;]{name}:([^;}}]+)", rule.text) for rule in rules(style) if _meets(rule, names))
    return tuple(dict.fromkeys(value for each in found for value in each))


def needed(style: str, svg: str) -> str:
    """The part of a style sheet that a drawing can need: reading a rule takes a renderer longer than leaving it out."""
    names = frozenset(WORD.findall(svg)) | {"svg"}
    return "".join(rule.text for rule in rules(style) if _meets(rule, names))


def _meets(rule: Rule, names: Names) -> bool:
    return any(selector <= names for selector in rule.selectors)
