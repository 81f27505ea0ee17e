"""A program: a graph made into a Python function, with the buffers that it computes in."""

from __future__ import annotations

from types import CodeType
from typing import Any

import numpy as np

from autograd_lab.compiler.graph import Graph, Value, exchanged
from autograd_lab.compiler.program.buffers import Plan, planned
from autograd_lab.compiler.program.listing import Listing, listed
from autograd_lab.engine.numbers.dtypes import Array

ALIGNED = 64
"""Buffers begin at multiples of this many bytes, where a line of the processor's cache does."""


class Program:
    """Computes a graph: a call takes arrays for its inputs, and gives a tuple of what it returns.

    Each call has a set of buffers to itself, also when another thread, or a hook, calls in the meantime.
    """

    def __init__(self, name: str, graph: Graph, writes: dict[Value, Value] | None = None) -> None:
        writes = writes or {}
        self.graph = graph
        self.plan: Plan = planned(graph, writes)
        self.listing: Listing = listed(name, graph, self.plan, writes)
        self._code: CodeType = compile(self.listing.text, f"<compiled {name}>", "exec")
        self._idle: list[Any] = []

    def __call__(self, *arrays: Array) -> Any:
        try:
            run = self._idle.pop()
        except IndexError:
            run = self._function()
        try:
            return run(*arrays)
        finally:
            self._idle.append(run)

    def _function(self) -> Any:
        """The function of the listing, with buffers of its own."""
        names = {"__name__": __name__, **self.listing.names}
        buffers = [_aligned(buffer.nbytes) for buffer in self.plan.buffers]
        for value, number in self.plan.homes.items():
            names[value.name] = np.ndarray(value.shape, value.dtype, buffers[number], 0, value.strides)
        for each in self.listing.standing:
            args, options = exchanged((each.args, each.options), lambda value: names[value.name])
            names[each.result.name] = each.kernel.run(*args, **dict(options))
        names |= {loop.name: loop.tiles() for loop in self.listing.loops}
        exec(self._code, names)
        return names[self.listing.name]


def _aligned(nbytes: int) -> Array:
    memory = np.empty(nbytes + ALIGNED, np.uint8)
    start = -memory.__array_interface__["data"][0] % ALIGNED
    return memory[start : start + nbytes]
