"""A value closely: all numbers of a small array as a table, a large one as statistics, a histogram and a tile."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from autograd_lab.events import Value
from autograd_lab.view.graph.looks.tile_look import tile_text
from autograd_lab.view.kit.font import clean
from autograd_lab.view.kit.numeral import DIGITS, Shape, numbers_in, numeral, shape_of
from autograd_lab.view.kit.reading import LARGEST, SAMPLE, matrix_of
from autograd_lab.view.kit.tile import largest
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.pages.contents import Content

LINE = 8
"""So many numbers of a vector stand in one row."""
SURE = 1e-4
"""A variance below this share of the mean's square is lost in the rounding of what it is computed from."""

Sheet = dict[str, Any]
"""`rows` of a table, each with its place ahead of its numbers; `facts`, a word and a number each; `bars` of a histogram
from `low` to `high`; `heat`, a tile as text, and what `each` of its cells is; `note`."""
EACH = {LARGEST: "each the largest of its block", SAMPLE: "each one of several numbers"}


@or_else({"note": "unknown"})
def sheet_of(content: Content) -> Sheet:
    """What can be shown of a value, JSON-able; texts are clean."""
    value, shape = content.value, shape_of(content.value, content.shape)
    if value is None:
        return {"note": clean(content.said)}
    if value == Value():
        return {"note": worded("unknown")}
    if value.numbers is not None:
        return _small(value, shape)
    sheet: Sheet = {"facts": list(_facts(value, math.prod(shape))), **_heat(value)}
    if value.histogram is not None:
        finite, counted = math.prod(shape) - value.nans - value.infs, sum(value.histogram)
        sheet |= {"bars": list(value.histogram), "low": _number(value.minimum), "high": _number(value.maximum)}
        sheet["note"] = (
            worded("of a sample of {} elements", f"{counted:,}")
            if counted < finite
            else worded("of all {} elements", f"{counted:,}")
        )
    return sheet


def _heat(value: Value) -> Sheet:
    """The numbers that stand for all of them, on a scale of their own."""
    rows, each = matrix_of(value)
    return {"heat": tile_text(value, largest(rows)).removesuffix(each), "each": worded(EACH.get(each, ""))}


def _small(value: Value, shape: Shape) -> Sheet:
    numbers = numbers_in(value.numbers)
    if not shape:
        return {"rows": [["", numeral(value.numbers)]]}
    if not numbers:
        return {"note": worded("empty")}
    sheet: Sheet = {"rows": list(_rows(value.numbers, shape))}
    if len(numbers) > 1 and all(map(math.isfinite, numbers)):
        sheet["facts"] = [[worded("norm"), numeral(math.hypot(*numbers))]]
    return sheet


def _rows(numbers: Any, shape: Shape, place: str = "") -> Iterator[list[str]]:
    """The rows of the last dimension, each after the indices ahead of it; a vector in pieces."""
    if len(shape) > 1:
        for index, part in enumerate(numbers):
            yield from _rows(part, shape[1:], f"{place}{', ' * bool(place)}{index}")
        return
    step = len(numbers) if place else LINE
    for first in range(0, len(numbers), step):
        yield [place or (str(first) if len(numbers) > step else ""), *map(numeral, numbers[first : first + step])]


def _facts(value: Value, size: int) -> Iterator[list[str]]:
    finite = size - value.nans - value.infs
    yield [worded("elements"), f"{size:,}"]
    if value.minimum is not None and value.maximum is not None:
        yield [worded("minimum"), _number(value.minimum)]
        yield [worded("maximum"), _number(value.maximum)]
    if value.mean is not None and value.norm is not None:
        yield [worded("mean"), _number(value.mean)]
        squares, square = value.norm * value.norm, value.mean * value.mean  # a power would raise what is too large
        variance = squares / finite - square
        if SURE * square < variance < math.inf:
            yield [worded("std"), _number(math.sqrt(variance))]
        yield [worded("norm"), _number(value.norm)]
    for word, count in (("NaN", value.nans), (worded("infinite"), value.infs)):
        if count:
            yield [word, f"{count:,}"]


def _number(number: float | None) -> str:
    return numeral(number, DIGITS)
