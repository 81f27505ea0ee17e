"""Numbers as a picture shows them: short, told apart, and loud when they are not numbers.

>>> numeral(5.0), numeral(3), numeral(-0.125), numeral(1/3), numeral(float("nan"))
('5.0', '3', '-0.125', '0.33333', 'NaN')
>>> numeral(24309.25), numeral(-0.9995, digits=3), numeral(12345.678, digits=3), numeral(0.9999999999)
('24309.2', '-0.9995', '12345.7', '≈1.0')
>>> brief(Value(numbers=[1.0, 2.0])), brief(Value(numbers=[1.0, 2.0, 2.0]))
('[1.0, 2.0]', 'norm 3.0')
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from autograd_lab.events import Value
from autograd_lab.view.kit.unknown import or_else

Shape = tuple[int, ...]

ROWS, COLUMNS = 4, 4
"""Arrays of up to this many rows and columns are shown as a table of numbers, larger ones as a tile."""

DIGITS, FEWER, FEWEST, MOST_DIGITS = 5, 3, 2, 9
NUMBER = 6
"""Characters that one of few numbers takes about."""
EDGE = 12
"""Characters that a value written on a line may have."""
PLAIN = 1e6
"""Numbers below this one are written without an exponent."""


def numeral(number: Any, digits: int = DIGITS) -> str:
    """A number in `digits` significant digits, or as many more as show that it is no whole number."""
    if isinstance(number, bool) or not isinstance(number, float):
        return str(number)
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "+inf" if number > 0 else "-inf"
    text = f"{number:.{digits}g}"
    if "e+" in text and abs(number) < PLAIN:
        text = f"{number:.{len(str(int(abs(number))))}g}"
    if "." not in text and "e" not in text and float(text) != number:
        whole = len(text.lstrip("-"))
        longer = (f"{number:.{more}g}" for more in range(whole + 1, MOST_DIGITS + 1))
        text = next((found for found in longer if "." in found), f"≈{text}")
    if "e" in text:
        head, exponent = text.split("e")
        return f"{head}e{int(exponent)}"
    return text if "." in text else f"{text}.0"


@or_else("unknown")
def brief(value: Value | None, room: int = 14) -> str:
    """A value in about `room` characters: the number, the few numbers, or its Euclidean norm.

    How many numbers are few depends on the room alone, so that of one array there is always the same to be seen.
    """
    if value is None:
        return "none"
    if value == Value():
        return "unknown"
    few = value.numbers is not None and NUMBER * len(numbers_in(value.numbers)) <= room
    if shouts(value) and not few:
        return _shout(value)
    if value.numbers is None:
        return f"norm {numeral(value.norm, FEWER)}"
    if not isinstance(value.numbers, list):
        return numeral(value.numbers)
    if not few:
        return f"norm {numeral(_norm(value), FEWER)}"
    texts = [_row(value.numbers, digits) for digits in (DIGITS, FEWER, FEWEST)]
    return next((text for text in texts if len(text) <= room), texts[-1])


def amount(count: int) -> str:
    """A count in as many digits as one reads at a glance.

    >>> amount(640), amount(3_152_384), amount(124_439_808), amount(12_345)
    ('640', '3.2 M', '124 M', '12.3 k')
    """
    if count < 10_000:
        return f"{count:,}"
    scaled, unit = next((count / size, unit) for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")) if count >= size)
    return f"{scaled:.1f} {unit}" if scaled < 100 else f"{scaled:,.0f} {unit}"


def bytes_on(devices: Mapping[str, int]) -> str:
    """Numbers of bytes by where they are; nothing is said of where if that is the CPU alone.

    >>> bytes_on({"cpu": 12}), bytes_on({"cuda:0": 4096, "cpu": 0}), bytes_on({"cuda:0": 4096, "cpu": 12})
    ('12 B', '4 KiB on cuda:0', '4 KiB on cuda:0 and 12 B on cpu')
    """
    there = {device: count for device, count in devices.items() if count}
    if not there.keys() - {"cpu"}:
        return bytes_text(sum(there.values()))
    return " and ".join(f"{bytes_text(count)} on {device}" for device, count in there.items())


def bytes_text(count: int) -> str:
    """A number of bytes with its unit.

    >>> bytes_text(12), bytes_text(4096), bytes_text(3_000_000)
    ('12 B', '4 KiB', '2.9 MiB')
    """
    amount, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.1f}".removesuffix(".0") + f" {unit}"


def shape_of(value: Value | None, otherwise: Shape) -> Shape:
    """The shape of what a value was taken of, as far as it shows that; `otherwise` what its tensor says."""
    if value is None or (value.shape is None and value.numbers is None):
        return otherwise
    return _sides(value.numbers) if value.shape is None else value.shape


def _sides(numbers: Any) -> Shape:
    """The lengths of nested lists, down to what is empty or no list."""
    sides = []
    while isinstance(numbers, list):
        sides.append(len(numbers))
        numbers = numbers[0] if numbers else None
    return tuple(sides)


@or_else(["unknown"])
def table(value: Value | None) -> list[str]:
    """The numbers of a small array, one line a row; a 0-d array has one line, an empty one none."""
    if value is None or value.numbers is None:
        return []
    shape, flat = shape_of(value, ()), numbers_in(value.numbers)
    columns = shape[-1] if shape else 1
    cells = [
        [numeral(number, FEWER if shape else DIGITS) for number in flat[at : at + columns]]
        for at in range(0, len(flat), columns or 1)
    ]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]


@or_else("unknown")
def statistics(value: Value) -> str:
    """A large array in one line."""
    if shouts(value):
        return _shout(value)
    flat = numbers_in(value.numbers)
    if value.minimum is None and not flat:
        return "empty"
    low, high = (min(flat), max(flat)) if flat else (value.minimum, value.maximum)
    mean = sum(flat) / len(flat) if flat else value.mean
    return f"{numeral(low, FEWER)} to {numeral(high, FEWER)}, mean {numeral(mean, FEWER)}"


@or_else(False)
def shouts(value: Value) -> bool:
    """Whether there is a NaN or an infinity in it."""
    return bool(value.nans or value.infs) or any(not math.isfinite(number) for number in numbers_in(value.numbers))


def _shout(value: Value) -> str:
    flat = numbers_in(value.numbers)
    nans = value.nans + sum(math.isnan(number) for number in flat)
    infs = value.infs + sum(math.isinf(number) for number in flat)
    if value.numbers is not None and not isinstance(value.numbers, list):
        return numeral(value.numbers)
    return " ".join(text for count, text in ((nans, f"{nans} NaN"), (infs, f"{infs} inf")) if count)


def numbers_in(numbers: Any) -> list[Any]:
    """All numbers of nested lists, or the one that there is, as they are: whole ones stay whole."""
    if isinstance(numbers, list):
        if numbers and not isinstance(numbers[0], list):  # lists in it are either all or none
            return numbers.copy()
        return [number for part in numbers for number in numbers_in(part)]
    return [] if numbers is None else [numbers]


def _norm(value: Value) -> float:
    return math.hypot(*numbers_in(value.numbers)) if value.norm is None else value.norm


def _row(numbers: Any, digits: int) -> str:
    if isinstance(numbers, list):
        return "[" + ", ".join(_row(number, digits) for number in numbers) + "]"
    return numeral(numbers, digits)
