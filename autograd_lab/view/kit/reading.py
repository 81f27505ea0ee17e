"""How a value reads on a card or a line: the number, a row of few numbers, or the norm of many.

>>> reading(Value(numbers=-0.41614684)), reading(Value(numbers=[1.0, 2.0])), reading(Value(numbers=[[3.0], [4.0]]))
('−0.4161', '1.0  2.0', '‖5.0‖')
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from autograd_lab.events import Value
from autograd_lab.view.kit.numeral import numbers_in, numeral
from autograd_lab.view.kit.per_value import per_value
from autograd_lab.view.kit.unknown import or_else

Matrix = list[list[Any]]

DECIMALS, NEAR = 4, 1e4
"""As many as PyTorch prints, of numbers up to such a size."""
FEW, LONGEST = 4, 60
"""So many numbers in a row are written out, in so many characters at most."""

UNKNOWN = "?"
"""What stands on a line whose gradient nobody has seen, as on a device that computes nothing."""
TILE, WHOLE = 8, 12
"""A tile has at most so many rows and columns, of an array with more than the second number."""
LARGEST, SAMPLE = "+", "~"
"""What a cell is of several numbers: that which is largest in magnitude; or any one, all that older traces know."""


def short(number: Any, digits: int = 3) -> str:
    """A number in few digits, with a real minus sign.

    >>> short(0.00012345), short(13.9728), short(-2.0), short(123456.0)
    ('1.2e−4', '13.97', '−2.0', '123456')

    What is nearly a whole number is written as PyTorch does, so that it is told from one:

    >>> short(-3.9999998), short(4.0), short(123.4), short(0.99999999)
    ('−4.0000', '4.0', '123.4', '1.0000')
    """
    if isinstance(number, float) and number and abs(number) < 1e-3:
        head, exponent = f"{number:.1e}".split("e")
        return f"{head}e{int(exponent)}".replace("-", "−")
    text = numeral(number, digits)
    if isinstance(number, float) and abs(number) < NEAR and _is_long(text):
        rounded = f"{number:.{DECIMALS}f}"
        return (rounded if float(rounded).is_integer() else text).replace("-", "−")
    return (text.removesuffix(".0") if len(text) > 6 else text).replace("-", "−")


def _is_long(text: str) -> bool:
    """Whether a number has got more digits than people read, to be told from a whole one, or still is not told."""
    return "≈" in text or len(text.partition(".")[2]) > DECIMALS


def scalar_of(value: Value | None) -> Any:
    """The one number that a value is, or None."""
    return None if value is None or isinstance(value.numbers, list) else value.numbers


def row_of(value: Value | None) -> list[Any] | None:
    """Up to four numbers that are all of a value, or None."""
    numbers = value.numbers if value is not None else None
    if not isinstance(numbers, list) or not 1 <= len(numbers) <= FEW or any(isinstance(n, list) for n in numbers):
        return None
    return numbers


def is_written(value: Value | None) -> bool:
    """Whether a value is written out in numbers, rather than drawn as a tile."""
    return scalar_of(value) is not None or row_of(value) is not None


@or_else(None)
@per_value
def norm_of(value: Value | None) -> float | None:
    """The Euclidean norm of the finite elements; None where nothing is known, and where none of them is finite.

    >>> norm_of(Value(numbers=[3.0, 4.0, math.nan])), norm_of(Value(numbers=[math.nan, math.nan]))
    (5.0, None)
    """
    if value is None or value.norm is not None or value.numbers is None:
        return None if value is None else value.norm
    numbers = numbers_in(value.numbers)
    finite = [float(n) for n in numbers if math.isfinite(n)]
    return math.hypot(*finite) if finite or not numbers else None


def sign_of(value: Value | None) -> int:
    """-1 for a negative number; norms have no sign, and count as positive."""
    number = scalar_of(value)
    return -1 if number is not None and number < 0 else 1


@or_else("unknown")
@per_value
def reading(value: Value | None, digits: int = 4) -> str:
    """The number itself, up to four numbers, or the norm between double bars; NaNs and infinities are always told."""
    if value is None:
        return "none"
    if value == Value():
        return "unknown"
    row = row_of(value)
    if row is not None:
        told = "  ".join(short(number, digits if len(row) == 1 else 3) for number in row)
        return told if len(told) <= LONGEST or len(row) == 1 else _barred(norm_of(value), 3)
    if scalar_of(value) is not None:
        return short(scalar_of(value), digits)
    if spoilt := spoilt_in(value):
        return spoilt
    return _barred(norm_of(value), 3)


def spoilt_in(*values: Value) -> str:
    """What is no number in values of many: it is told in place of a norm that leaves it out.

    >>> spoilt_in(Value(numbers=[1.0, math.nan]), Value(numbers=math.nan)), spoilt_in(Value(numbers=[1.0, 2.0]))
    ('2 NaN', '')
    """
    found = [_not_finite(value) for value in values]
    nans, infs = (sum(counts) for counts in zip(*found, strict=True))
    return f"{nans:,} NaN" if nans else f"{infs:,} inf" if infs else ""


def _not_finite(value: Value) -> tuple[int, int]:
    """How many NaNs and infinities are in a value."""
    found = [float(n) for n in numbers_in(value.numbers)] if value.numbers is not None else []
    return value.nans or sum(map(math.isnan, found)), value.infs or sum(map(math.isinf, found))


def matrix_of(value: Value | None) -> tuple[Matrix, str]:
    """The numbers of a tile, and whether each is the `LARGEST` of several, or of a `SAMPLE`.

    They are all numbers of a small array, and of a large one at most eight a side. Of more than two dimensions all but
    the last count as rows. Raises ValueError for rows that are not of one length.
    """
    if value is None:
        return [], ""
    known = value.blocks if value.numbers is None else value.numbers
    rows = _rows(value.thumbnail if known is None else known)
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("rows of several lengths are no array")
    tile = _blocks(rows)
    if known is None:
        return tile, SAMPLE
    return tile, LARGEST if len(tile) * len(tile[0] if tile else ()) < _count_of(value, rows) else ""


def _count_of(value: Value, rows: Matrix) -> float:
    """How many numbers a value has, as far as that is told."""
    if value.numbers is not None:
        return sum(map(len, rows))
    return math.inf if value.shape is None else math.prod(value.shape)


def grid_of(shape: Sequence[int]) -> tuple[int, int]:
    """Rows and columns of the tile of an array of this shape.

    >>> grid_of((64, 3)), grid_of((10,)), grid_of(())
    ((8, 3), (1, 10), (1, 1))
    """
    rows, columns = math.prod(shape[:-1]), shape[-1] if shape else 1
    return _count(rows), _count(columns)


def _count(length: int) -> int:
    """How many blocks a length is cut into."""
    return len(_spans(length)) if length else 1


def _rows(source: Any) -> Matrix:
    if not isinstance(source, list):
        return [] if source is None else [[source]]
    while source and isinstance(source[0], list) and source[0] and isinstance(source[0][0], list):
        source = [row for block in source for row in block]
    return source if source and isinstance(source[0], list) else [source] if source else []


def _blocks(rows: Matrix) -> Matrix:
    """One number for each block: that which is largest in magnitude; none is dropped."""
    if len(rows) <= WHOLE and all(len(row) <= WHOLE for row in rows):
        return rows
    spans = [_spans(len(rows)), _spans(len(rows[0]))]
    return [
        [max((rows[i][j] for i in range(*down) for j in range(*across)), key=_weight) for across in spans[1]]
        for down in spans[0]
    ]


def _spans(count: int) -> list[tuple[int, int]]:
    step = 1 if count <= WHOLE else -(-count // TILE)
    return [(start, min(count, start + step)) for start in range(0, count, step)]


def _weight(number: Any) -> tuple[bool, float, bool]:
    """NaN first, which must not be lost in a block; of two of one size, the positive one."""
    return number != number, abs(float(number)), number > 0


@or_else("plus")
def sign_class(value: Value) -> str:
    """Whether a gradient is positive (as is every norm, and what is not known), negative, exactly 0, or no number."""
    norm = norm_of(value)
    if _not_finite(value)[0]:
        return "odd"
    return "zero" if norm == 0 and not is_endless(value) else "minus" if sign_of(value) < 0 else "plus"


def is_endless(value: Value) -> bool:
    """Whether any of its numbers is infinite."""
    return _not_finite(value)[1] > 0


@or_else(UNKNOWN)
def label_of(value: Value) -> str:
    """What stands on a line: the number, or the norm of several between double bars, in fewer digits than on a card.

    >>> label_of(Value(numbers=-2.0)), label_of(Value(numbers=[3.0, 4.0]))
    ('−2.0', '‖5.0‖')
    """
    if scalar_of(value) is not None:
        return reading(value, 3)
    text = reading(value, 3)
    if norm_of(value) is None:
        return "NaN" if "NaN" in text else UNKNOWN
    return text if "NaN" in text or "inf" in text else _barred(norm_of(value), 2)


def _barred(norm: float | None, digits: int) -> str:
    """A norm between double bars; an exact 0 has no digits behind the point, as if it were rounded."""
    return "‖0‖" if norm == 0 else f"‖{short(norm, digits)}‖"
