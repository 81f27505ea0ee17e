"""Where two worlds disagree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.differential.observe import Facts, Numbers, Text

TOLERANCE = {"float16": 4e-3, "float32": 2e-5, "float64": 1e-10}
"""Relative to the largest number of the program so far: sums of large numbers may cancel."""
OUT_OF_HAND = {"float16": 2e3, "float32": 1e7, "float64": 1e12}
"""Where numbers have grown beyond this, they are compared no more."""
NOWHERE = "nothing"
CREATORS = {"tensor", "ones", "zeros", "full", "arange"}
"""What a line's operands may be made by, which is not what the line is about."""


@dataclass(frozen=True)
class Difference:
    """One fact that is not the same here (`ours`) and in PyTorch (`theirs`) after a line.

    `made` is the line that last gave the subject, if that is a variable, its value; `lines` are all so far; `errors`
    is what the last one raised here and in PyTorch. `stuck` names tensors that require grad, but were made in
    inference mode.
    """

    line: str
    subject: str
    aspect: str
    ours: Any
    theirs: Any
    made: str = ""
    lines: tuple[str, ...] = ()
    errors: tuple[str, str] = ("", "")
    stuck: frozenset[str] = frozenset()

    @property
    def failed(self) -> bool:
        """Whether the last line raised an error in both worlds."""
        return all(self.errors)

    @property
    def signature(self) -> str:
        """What differences that have one cause share, as far as can be seen from outside."""
        line = self.line.rpartition(": ")[2]
        calls = [name for name in re.findall(r"(?:\.|\b)([a-zA-Z_]\w*)\(", line) if name not in CREATORS]
        op = calls or re.findall(r"(?<=\w )[-+*/%@&|^<>!=]+(?= )|\.m?T\b", line.partition(" = ")[2] or line) or ["[]"]
        kind = re.sub(r"node \d+ ", "", self.subject) if self.subject.startswith("node") else ""
        told = ""
        if self.aspect in ("raises", "message", "warns"):
            told = re.sub(r"[-\d.\[\], ]+", " ", f"{self.ours} | {self.theirs}")
        elif self.aspect == "grad_fn":
            told = re.sub(r"node \d+ ", "", f"{self.ours} | {self.theirs}")
        return " / ".join([self.aspect, kind, op[-1], told[:200]])

    def __str__(self) -> str:
        return f"{self.subject}: {self.aspect}\n    here:    {self.ours!r}\n    PyTorch: {self.theirs!r}"


@dataclass
class Scale:
    """How large numbers have been so far, and whether the two worlds still have the same ones to the last bit.

    Where they have not, `slack` is the loosest tolerance that was called for: float64 may be made of float32.
    """

    largest: float = 1.0
    same_bits: bool = True
    slack: float = 0.0
    out_of_hand: bool = field(default=False)

    def agree(self, one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
        """Whether two arrays hold the same numbers."""
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        same = one.tobytes() == other.tobytes()
        if one.dtype.kind != "f":
            return same or self.out_of_hand
        self.same_bits &= same
        finite = np.abs(other[np.isfinite(other)], dtype=np.float64)
        self.largest = max(self.largest, float(finite.max(initial=0.0)))
        kind = str(one.dtype)
        self.out_of_hand |= self.largest > OUT_OF_HAND[kind]
        if same or self.out_of_hand:
            return True
        self.slack = max(self.slack, TOLERANCE[kind])
        tolerance = self.slack
        with np.errstate(all="ignore"):
            return bool(np.allclose(one, other, rtol=tolerance, atol=tolerance * self.largest, equal_nan=True))


def same(ours: Any, theirs: Any, scale: Scale) -> bool:
    """Whether a fact is the same in both worlds."""
    if isinstance(ours, Numbers) and isinstance(theirs, Numbers):
        return scale.agree(ours.array, theirs.array)
    if isinstance(ours, Text) and isinstance(theirs, Text):
        return not scale.same_bits or ours == theirs
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(
            same(one, other, scale) for one, other in zip(ours, theirs, strict=True)
        )
    if isinstance(ours, float) and isinstance(theirs, float):
        return scale.agree(np.array(ours), np.array(theirs))
    return type(ours) is type(theirs) and bool(ours == theirs)


def giver(lines: Sequence[str], name: str) -> str:
    """The last of the lines that gave a variable its value."""
    gives = re.compile(rf"(^|[ ,]){re.escape(name)}(, ?\w+)*,? = ")
    return next((line for line in reversed(lines) if gives.search(line)), "")


def differences(lines: Sequence[str], ours: Facts, theirs: Facts, scale: Scale) -> list[Difference]:
    """All facts that differ after some lines, those that may be causes first."""
    keys = [*theirs, *(key for key in ours if key not in theirs)]
    found = []
    errors = ours["line", "message"] or "", theirs["line", "message"] or ""
    for key in keys:
        one, other = ours.get(key, NOWHERE), theirs.get(key, NOWHERE)
        if not same(one, other, scale):
            found.append(Difference(lines[-1], *key, one, other, giver(lines, key[0]), tuple(lines), errors))
    return found
