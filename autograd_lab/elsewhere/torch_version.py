"""Which PyTorch is spelled here, and by what: `torch.__version__`."""

from __future__ import annotations

import re
from typing import Any


class TorchVersion(str):
    """A version that is greater than another by its numbers: 2.13 comes after 2.9."""

    __slots__ = ()
    __module__ = "torch.torch_version"
    __hash__ = str.__hash__

    def _numbers(self, other: Any) -> tuple[list[int], list[int]]:
        """Both as lists of numbers, of one length, and whether something local to it follows."""
        parts = [re.findall(r"\d+", one.partition("+")[0]) if isinstance(one, str) else one for one in (self, other)]
        most = max(map(len, parts))
        filled = [[*map(int, part), *[0] * (most - len(part))] for part in parts]
        return [*filled[0], "+" in self], [*filled[1], "+" in other]

    def __lt__(self, other: Any) -> bool:
        first, second = self._numbers(other)
        return first < second

    def __le__(self, other: Any) -> bool:
        first, second = self._numbers(other)
        return first <= second

    def __gt__(self, other: Any) -> bool:
        return not self <= other

    def __ge__(self, other: Any) -> bool:
        return not self < other


OWN = "0.1.0"
"""This package's version."""
VERSION = TorchVersion(f"2.13.0+autograd_lab.{OWN}")
"""The PyTorch that is spelled here, and what spells it: what programs and libraries read to know what there is."""
