"""What gradients that meet add up to: torch adds them in place if nobody looks on, so it is done again with copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from autograd_lab.torch_bridge.internals import no_dispatch
from autograd_lab.torch_bridge.reading.tensors import copy_of

Key = tuple[str, int]
"""Where gradients meet: a node's id and the number of its output."""


class Sums:
    """The gradients of one pass that meet others, `meeting` so many at each place; no copy outlives its node's turn."""

    def __init__(self, meeting: dict[Key, int]) -> None:
        self._meeting = meeting
        self._copies: dict[int, Any] = {}
        self._totals: dict[Key, Any] = {}

    def begin(self, key: Key, seed: Any) -> None:
        """A pass begins with a gradient."""
        copy = copy_of(seed) if self._meeting[key] > 1 else None
        if copy is not None:
            self._add(key, copy)

    def computed(self, keys: Sequence[Key | None], gradients: Sequence[Any]) -> None:
        """A node has computed gradients that are to go to these places."""
        pairs = enumerate(zip(keys, gradients, strict=False))
        self._copies = {
            at: copy_of(one) for at, (key, one) in pairs if one is not None and key and self._meeting.get(key, 0) > 1
        }

    def total_at(self, at: int, key: Key) -> Any:
        """One of those has been sent; the sum of all that have met there, None if it is the first."""
        copy = self._copies.pop(at, None)
        if copy is None:
            return None
        met = key in self._totals
        self._add(key, copy)
        return self._totals[key] if met else None

    def visited(self, node: str, outputs: int) -> None:
        """Nothing more will arrive at a node."""
        for number in range(outputs):
            self._totals.pop((node, number), None)

    def _add(self, key: Key, copy: Any) -> None:
        before = self._totals.get(key)
        with no_dispatch(), torch.no_grad():
            self._totals[key] = copy if before is None else before + copy
