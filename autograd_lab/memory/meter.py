"""How many bytes a training step holds, op by op, and how long it takes; what its graph keeps, slot by slot."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.exact.saving import Packed

FORWARD, BACKWARD, AGAIN = "forward", "backward", "again"
"""What an op is part of; AGAIN is a piece of forward that runs inside backward."""

SMALL = 1024
"""Arrays of fewer bytes are not counted among what a graph keeps."""


@dataclass(frozen=True)
class Kept:
    """An array that a graph keeps for backward, of so many bytes; `elsewhere` a hook has it, or knows how to get it."""

    nbytes: int
    elsewhere: bool = False


@dataclass(frozen=True)
class Reading:
    """A training step, measured: the bytes held after each op, by name, and of which phase it is.

    The first entry is the state before. `kept` is what the graph keeps at the end of forward, but for weights.
    """

    held: tuple[int, ...]
    phases: tuple[str, ...]
    names: tuple[str, ...]
    seconds: float
    kept: tuple[Kept, ...]

    @property
    def after_forward(self) -> int:
        """The bytes held when backward begins."""
        return self.held[self.phases.index(BACKWARD) - 1]

    @property
    def most(self) -> int:
        """The most bytes held after any op."""
        return max(self.held)


class Meter:
    """Listens in the place of a recorder, and notes at each op how many bytes Python and numpy hold by then."""

    def __init__(self) -> None:
        self.held, self.phases, self.names = [0], [FORWARD], [""]
        self._depth = 0
        self._before = 0

    def __enter__(self) -> Meter:
        gc.collect()
        tracemalloc.start()
        self._before, self._outer = tracemalloc.get_traced_memory()[0], listening.active
        listening.active = self
        return self

    def __exit__(self, *_: object) -> None:
        listening.active = self._outer
        tracemalloc.stop()

    def __getattr__(self, name: str) -> Callable[..., None]:
        """Of whatever else an engine tells, nothing is noted."""
        return lambda *args, **named: None

    def op_applied(self, node: Any, name: str, *_: Any) -> None:
        """An op has run forward."""
        self._note(AGAIN if self._depth else FORWARD, name)

    def node_evaluated(self, node: Any, gradients: Any) -> None:
        """A node has run backward."""
        self._note(BACKWARD, node.name())

    def backward_started(self, *_: Any) -> None:
        """A pass begins, maybe inside another."""
        self._depth += 1

    def backward_left(self) -> None:
        """A pass ends with an error."""
        self._depth -= 1

    def backward_finished(self) -> None:
        """A pass is over."""
        self._depth -= 1

    def _note(self, phase: str, name: str) -> None:
        self.held.append(tracemalloc.get_traced_memory()[0] - self._before)
        self.phases.append(phase)
        self.names.append(name)


def measured(forward: Callable[[], Any], rounds: int = 3) -> Reading:
    """A step that `forward` begins, by returning its loss: the bytes in one run, the time as the best of others."""
    seconds = min(_timed(forward) for _ in range(rounds))
    kept = tuple(kept_by(forward))
    with Meter() as meter:
        forward().backward()
    return Reading(tuple(meter.held), tuple(meter.phases), tuple(meter.names), seconds, kept)


def _timed(forward: Callable[[], Any]) -> float:
    start = time.perf_counter()
    forward().backward()
    return time.perf_counter() - start


def kept_by(forward: Callable[[], Any]) -> Iterator[Kept]:
    """The arrays that the graph of a loss keeps for backward, in the order in which it was recorded, each once.

    What was there before `forward`, such as weights and inputs, is left out.
    """
    there = [_owner(each._array) for each in gc.get_objects() if issubclass(type(each), Variable)]
    seen = set(map(id, there))  # held until the end, so that no id is given anew
    for node in _nodes(forward().grad_fn):
        for source in (node._saved or ())[::3]:
            if type(source) is Packed:
                yield Kept(getattr(source.kept, "nbytes", 0), True)
            for array in _arrays(source):
                if array.nbytes >= SMALL and id(owner := _owner(array)) not in seen:
                    seen.add(id(owner))
                    yield Kept(array.nbytes)


def _arrays(source: Any) -> list[Any]:
    """The arrays that a slot keeps alive: its own or, for a checkpoint, those that it begins anew from."""
    if type(source) is Packed:
        segment = getattr(source.unpack, "__self__", None)
        return [array for one in getattr(segment, "starts", ()) for array in _arrays(one)]
    if isinstance(source, Variable):
        return [source._array]
    return [source] if isinstance(source, np.ndarray) else []


def _nodes(last: Any) -> list[Any]:
    """All nodes that a node leads to, oldest first."""
    found, waiting = {last}, [last]
    while waiting:
        for node, _ in waiting.pop().next_functions:
            if node is not None and node not in found:
                found.add(node)
                waiting.append(node)
    return sorted((node for node in found if node.next_functions), key=lambda node: node.seq)


def _owner(array: Any) -> Any:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
