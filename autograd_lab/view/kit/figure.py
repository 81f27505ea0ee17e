"""Numbers as a headline says them: in four digits, without a point that tells nothing, with the true minus sign.

>>> figure(13.973056), figure(4.0), figure(-0.41615), figure(1e-7), figure(24309.25), figure(float("nan"))
('13.97', '4', '−0.4162', '1e−7', '24309', 'NaN')
>>> figure(-3.9999998), figure(4.003), figure(123.96), figure(3.9999998, 2)
('−4.0000', '4.003', '124', '4')
>>> times(260.4), times(2.04), times(17.0), times(83211.0), times(3.2e7)
('260', '2', '17', '83,000', '32 million')
>>> is_now(Value(numbers=4.0)), is_now(Value(numbers=[1.0, -2.0])), is_now(Value(numbers=[[3.0, 0.0], [0.0, 4.0]]))
('is 4', 'is [1, −2]', 'has norm 5')
>>> sum_text([3.0, -4.5, 2.0], 0.5)
'3 − 4.5 + 2 = 0.5'
>>> counted(2), counted(4), counted(40)
('two', 'four', '40')
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from autograd_lab.events import Value
from autograd_lab.view.kit.headline import MINUS, PLAIN, PLUS
from autograd_lab.view.kit.numeral import numbers_in
from autograd_lab.view.kit.per_value import per_value

DIGITS, MOST_DECIMALS = 4, 6
WHOLE = 1e6
"""Numbers below this one are written without an exponent."""
LARGE = {"trillion": 1e12, "billion": 1e9, "million": 1e6}
SHORT = 12
"""Characters that the numbers of a small array may have in a headline."""
WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def figure(number: Any, digits: int = DIGITS) -> str:
    """A number in so many significant digits; what is not 0 is never written as 0."""
    if isinstance(number, bool) or not isinstance(number, float):
        return str(number).replace("-", "−")
    if math.isnan(number):
        return "NaN"
    if digits == DIGITS and abs(number) < 10**DIGITS and not number.is_integer():
        rounded = f"{number:.{DIGITS}f}"
        if float(rounded).is_integer() and float(rounded):
            return rounded.replace("-", "−")  # not a whole number: PyTorch prints it so, too
    text = f"{number:.0f}" if 10**digits <= abs(number) < WHOLE else f"{number:.{digits}g}"
    if "e" in text:
        head, exponent = text.split("e")
        text = f"{head}e{int(exponent)}"
    return "0" if text == "-0" else text.replace("-", "−")


def times(ratio: float) -> str:
    """How many times, in two digits, large numbers in words."""
    if not 10 <= ratio < 1000 * LARGE["trillion"]:
        return figure(ratio, 2)
    rounded = float(f"{ratio:.2g}")
    word, size = next(((word, size) for word, size in LARGE.items() if rounded >= size), ("", 1.0))
    return f"{rounded / size:,g} {word}".rstrip()


def ordinal(number: int) -> str:
    """Which one of several.

    >>> ordinal(3), ordinal(21), ordinal(112)
    ('third', '21st', '112th')
    """
    if number <= len(ORDINALS):
        return ORDINALS[number - 1]
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def counted(count: int) -> str:
    """A count as a word, if it is small."""
    return WORDS[count] if 0 <= count < len(WORDS) else f"{count:,}"


def often(count: int) -> str:
    """How often: once, twice, three times."""
    return {1: "once", 2: "twice"}.get(count, f"{counted(count)} times")


def sum_text(terms: Sequence[float], total: float) -> str:
    """A sum and what it makes, as one writes them."""
    texts, end = sum_of(terms, total)
    return f"{' + '.join(texts)} = {end}".replace("+ −", "− ").replace("= ≈", "≈")


def sum_of(terms: Sequence[float], total: float) -> tuple[list[str], str]:
    """The terms and the total of a sum, in as many decimals as it takes to come out; else ≈ says that it does not.

    >>> sum_of([4.0, 5.0], 9.0), sum_of([-11.606, 104.772], 93.166), sum_of([1e20, 1.0], 1e20)
    ((['4', '5'], '9'), (['−11.606', '104.772'], '93.166'), (['1e20', '1'], '≈ 1e20'))
    """
    told = [*map(figure, terms), figure(total)]
    least = len(told[-1].partition(".")[2]) or 1
    for decimals in (None, *range(least, MOST_DECIMALS)):
        texts = told if decimals is None else [f"{number:.{decimals}f}".replace("-", "−") for number in (*terms, total)]
        if all(map(math.isfinite, (*terms, total))) and _comes_out(texts):
            return texts[:-1], texts[-1]
    return told[:-1], f"≈ {told[-1]}" if all(map(math.isfinite, terms)) else told[-1]


def _comes_out(texts: Sequence[str]) -> bool:
    *terms, total = (Decimal(text.replace("−", "-")) for text in texts)
    return sum(terms) == total


def number_of(value: Value | None) -> float | None:
    """The number that a value is, if it is one real number."""
    numbers = None if value is None else value.numbers
    return float(numbers) if isinstance(numbers, int | float) else None


def sum_of_numbers(values: Sequence[Value]) -> Value | None:
    """What several single numbers add up to; None for others."""
    numbers = [number_of(value) for value in values]
    known = [number for number in numbers if number is not None]
    return Value(numbers=math.fsum(known)) if known and len(known) == len(numbers) else None


def numbers_of(value: Value | None) -> list[float] | None:
    """All the numbers of a value, if they are known, and real."""
    if value is None or value.numbers is None:
        return None
    flat = numbers_in(value.numbers)
    return None if any(not isinstance(number, int | float) for number in flat) else [float(n) for n in flat]


@per_value
def norm_of(value: Value | None) -> float | None:
    """The Euclidean norm of a value, if it is known and finite."""
    if value is None or value.nans or value.infs:
        return None
    numbers = numbers_of(value)
    norm = value.norm if numbers is None else math.hypot(*numbers)
    return norm if norm is not None and math.isfinite(norm) else None


@per_value
def is_bad(value: Value | None) -> bool:
    """Whether a value has a NaN or an infinity."""
    numbers = numbers_of(value) or ()
    return value is not None and bool(value.nans or value.infs or not all(map(math.isfinite, numbers)))


@per_value
def is_zero(value: Value | None) -> bool:
    """Whether all of a value is known to be exactly 0."""
    numbers = numbers_of(value)
    if numbers is None:
        return value is not None and not value.nans and value.minimum == value.maximum == 0
    return bool(numbers) and not any(numbers)


def short_of(value: Value | None) -> str:
    """A value in few characters: the number, the few numbers, `norm 0.21`."""
    number, numbers = number_of(value), numbers_of(value)
    if number is not None:
        return figure(number)
    if numbers and value is not None and not isinstance(value.numbers[0], list):
        text = f"[{', '.join(figure(each, 3) for each in numbers)}]"
        if len(text) <= SHORT:
            return text
    if is_bad(value):
        return "not finite"
    norm = norm_of(value)
    return "not known" if norm is None else f"norm {figure(norm, 3)}"


def is_now(value: Value | None) -> str:
    """A value after a subject: `is 4`, `has norm 0.21`."""
    text = short_of(value)
    return f"has {text}" if text.startswith("norm") else f"is {text}"


def hue(value: Value | None) -> str:
    """The role of a gradient by its sign, if it has only one."""
    numbers = numbers_of(value) or []
    if not numbers and value is not None and value.minimum is not None and value.maximum is not None:
        numbers = [value.minimum, value.maximum]
    if not numbers or any(map(math.isnan, numbers)):
        return PLAIN
    return PLUS if min(numbers) >= 0 else MINUS if max(numbers) <= 0 else PLAIN


def listed(names: Sequence[str], most: int = 3) -> str:
    """Names as one lists them: `a, b and c`; of many only how many they are."""
    if len(names) > most:
        return f"{counted(len(names))} values"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)
