"""Where a gradient comes from, in a sentence: `b.grad = 1·4 + 1·5 = 9: two paths arrive and add`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from autograd_lab.events import Value
from autograd_lab.view.kit.figure import counted, figure, is_now, numbers_of, short_of

LISTED = 3
"""Of so many gradients that met the sizes are told."""
COUNTABLE = 1000
"""Nobody would count more paths."""
CLOSE = 0.02
"""So far, relative to them, a sum in half precision may be from its parts."""


class Gradient(NamedTuple):
    """A gradient: what arrived, from nodes of which names; by how many paths, and the factors on each of these, if they
    are known."""

    value: Value
    parts: Sequence[Value]
    names: Sequence[str]
    paths: int
    factors: Sequence[Sequence[float]] | None
    is_hooked: bool


def origin_of(gradient: Gradient, held: Value | None = None, total: Value | None = None) -> str:
    """What follows the name of a gradient; it was added to what was `held`, which makes the `total`.

    >>> y = Gradient(Value(numbers=1.0), [], [], 1, [()], False)
    >>> met = [Value(numbers=4.0), Value(numbers=-11.0)]
    >>> b = Gradient(Value(numbers=-7.0), met, "cd", 2, [(4.0, 1.0), (-11.0, 1.0)], False)
    >>> w = Gradient(Value(norm=5.0), [Value(norm=n) for n in (4.0, 3.0)], "cd", 9, None, False)
    >>> for said in origin_of(y), origin_of(b), origin_of(b, Value(numbers=2.0), Value(numbers=-5.0)), origin_of(w):
    ...     print(said)
     = 1: backward begins here
     = 4·1 − 11·1 = −7: two paths arrive and add
     = 2 + (4·1 − 11·1) = −5: it was 2, and two paths arrive and add
     has norm 5: gradients of norm 4 and 3 arrive and add, by nine paths
    """
    value = gradient.value if total is None else total
    sums, now = _sum(gradient), short_of(value)
    how = _how(gradient) + ", and a hook was called" * gradient.is_hooked
    if held is not None:
        before, added = short_of(held), f"({sums})" if " " in sums else sums or short_of(gradient.value)
        how = f"it was {before}, and {how}"
        sums = "" if _is_word(before) or _is_word(added) else f"{before} + {added}"
    if _is_word(now):
        return f" {is_now(value)}: {how}"
    return f" = {sums.replace('+ −', '− ')} = {now}: {how}" if sums not in ("", now) else f" = {now}: {how}"


def _sum(gradient: Gradient) -> str:
    """The paths in numbers, if these make the gradient; else what arrived, if it is few numbers."""
    numbers = numbers_of(gradient.value)
    if gradient.factors and numbers is not None and len(numbers) == 1:
        terms = [math.prod(factors) for factors in gradient.factors]
        if abs(math.fsum(terms) - numbers[0]) <= CLOSE * math.fsum(map(abs, terms)):
            return " + ".join(map(_product, gradient.factors)).replace("+ −", "− ")
    texts = [short_of(part) for part in gradient.parts]
    return "" if len(texts) < 2 or any(map(_is_word, texts)) else " + ".join(texts).replace("+ −", "− ")


def _product(factors: Sequence[float]) -> str:
    first, *others = map(figure, factors or (1.0,))
    return "·".join([first, *(f"({text})" if text.startswith("−") else text for text in others)])


def _how(gradient: Gradient) -> str:
    """How many paths there are, or what of what size met."""
    if not gradient.parts:
        return "backward begins here"
    if gradient.factors is not None:
        return "one path" if gradient.paths == 1 else f"{counted(gradient.paths)} paths arrive and add"
    if len(gradient.parts) == 1:
        met = f"it arrives from {gradient.names[0]}"
    elif any(_is_word(short_of(part)) for part in gradient.parts):
        met = f"gradients of norm {_listed(gradient.parts)} arrive and add"
    else:
        met = f"{counted(len(gradient.parts))} gradients arrive and add"
    many = counted(gradient.paths) if gradient.paths < COUNTABLE else "many"
    return met + (f", by {many} paths" if gradient.paths > len(gradient.parts) else "")


def _listed(parts: Sequence[Value]) -> str:
    """The sizes of what met; of many those of the first, and how many more there are."""
    sizes = [short_of(part).removeprefix("norm ") for part in parts]
    if len(sizes) > LISTED + 1:
        sizes[LISTED:] = [f"{counted(len(sizes) - LISTED)} more"]
    return f"{', '.join(sizes[:-1])} and {sizes[-1]}"


def _is_word(text: str) -> bool:
    """Whether a value is told by its size, or not at all."""
    return text[:1].isalpha()
