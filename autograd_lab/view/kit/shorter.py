"""Shorter: a term, or a line of words or of code, in less room, and if that can be, not cut in the middle of a name.

>>> fit_term("softmax(scores)", 85, 15), fit_term("x @ w1 + b1", 70, 15), fit_term("mean((x @ w - a)²)", 80, 15)
('softmax(…)', 'x @ w1…', 'mean(…)')
>>> fit_words("loss = mse_loss(model(x), target)", 200, 15, mono=True)
'loss = mse_loss(…'
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from autograd_lab.view.kit.font import ELLIPSIS, PATH, fit, text_width

NAME = re.compile(r"\w+( \w+)?")
HIDDEN = f"({ELLIPSIS})"
ENDS_IN_NAME = re.compile(r"\w+\s*$")
GRACE = 1.2
"""A name may be so much wider than there is room."""
LEAST = 0.5
"""Of what would fit, at least so much is shown."""


@lru_cache(maxsize=4096)
def fit_term(text: str, width: float, size: float, *, bold: bool = False, grace: float = GRACE) -> str:
    """The term in `width` px: what stands in brackets goes first, then what stands last; of a long name its end.

    A name without anything else may be wider by `grace`, before it is cut.
    """
    is_path = PATH.fullmatch(text) is not None
    if text_width(text, size, bold=bold) <= width * (grace if is_path else 1) or is_path:
        return fit(text, width * (grace if is_path else 1), size, bold=bold)
    widths = ((term, text_width(term, size, bold=bold)) for term in _shorter(text))
    fitting = (term for term, wide in widths if wide <= width * (grace if NAME.fullmatch(term) else 1))
    return next(fitting, None) or fit(text, width, size, bold=bold)


def fit_words(text: str, width: float, size: float, *, bold: bool = False, mono: bool = False) -> str:
    """A line of words or of code in `width` px, cut where a word ends."""
    shown = fit(text, width, size, bold=bold, mono=mono)
    if shown == text or not _is_inside(text, len(shown) - 1):
        return shown
    whole = ENDS_IN_NAME.sub("", shown[:-1])
    return whole.rstrip() + ELLIPSIS if len(whole) >= LEAST * len(shown) else shown


def _is_inside(text: str, at: int) -> bool:
    """Whether a name goes on there."""
    return re.fullmatch(r"\w\w", text[at - 1 : at + 1]) is not None


def _shorter(text: str) -> Iterator[str]:
    """The same term in fewer and fewer letters."""
    short = text
    if NAME.fullmatch(text):
        yield text
    for depth in range(_deepest(text), 0, -1):
        short = _closed(short, depth)
        yield short
    if short.endswith(HIDDEN) and " " not in short:
        yield short.removesuffix(HIDDEN)
    words = [word for word in re.split(r" (?!\))", short) if word != ELLIPSIS]
    for count in range(len(words) - 1, 0, -1):
        yield from (f"{' '.join(words[:count])}{gap}{ELLIPSIS}" for gap in (" ", ""))
    parts = short.split("_") if NAME.fullmatch(short) else []
    yield from (f"{'_'.join(parts[:count])}_{ELLIPSIS}" for count in range(len(parts) - 1, 0, -1) if parts[0])


def _deepest(text: str) -> int:
    deep = most = 0
    for char in text:
        deep += {"(": 1, ")": -1}.get(char, 0)
        most = max(most, deep)
    return most


def _closed(text: str, depth: int) -> str:
    """The text with dots for whatever stands in brackets in brackets, so deep; empty ones stay as they are."""
    found, deep, start = "", 0, 0
    for at, char in enumerate(text):
        deep += char == "("
        if char == "(" and deep == depth:
            start = len(found) + 1
        if char == ")" and deep == depth and found[start:].strip():
            found = found[:start] + ELLIPSIS
        deep -= char == ")"
        found += text[at]
    return found
