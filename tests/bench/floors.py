"""How fast recording could be at best: a listener that keeps what events are made of, and finds out nothing.

The same engine says the same to it as to a recorder. It copies values, walks to the program's frame for each op, and
waits for nodes to go, as any recorder must; it gives no ids, looks for no names, and compares nothing with what it
told before. What is left to a recorder beyond its time is what could be saved.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
import weakref
from typing import Any

import autograd_lab
from autograd_lab import listening, record
from autograd_lab.recording.values.snapshot import snapshot
from autograd_lab.whose import users_frame
from tests.bench.workloads import WORKLOADS, Step

GOALS = {"W1": 2.5, "W3": 3.5}
"""Microseconds of recording an event that are aimed at."""


class Bare:
    """Keeps one tuple for each event."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self._alive: dict[int, Any] = {}

    def __getattr__(self, name: str) -> Any:
        """All else that an engine may say: kept as it is."""
        keep = self.kept.append

        def said(*facts: Any) -> None:
            keep((name, *map(id, facts)))

        self.__dict__[name] = said
        return said

    def op_applied(self, node: Any, name: str, operands: Any, outputs: Any, in_place: bool = False) -> None:
        """An op, with its results and what it saves."""
        frame = users_frame(sys._getframe(1))
        assert frame is not None
        made = tuple([(id(o), o._array.dtype, o._needs, id(o._cell), snapshot(o._array)) for o in outputs])
        taken = tuple([id(one) for one in operands])
        self.kept.append((id(frame.f_code), frame.f_lasti, id(node), name, taken, made))
        if node is not None:
            self._alive[id(node)] = weakref.ref(node, self.kept.append)
            if node._saved:
                for slot, source, array, version in node.saved_slots():
                    self.kept.append((slot, id(source), id(array), version))

    def tensor_modified(self, tensor: Any, op: str, source: Any = None) -> None:
        """A write, and what is there now."""
        frame = users_frame(sys._getframe(1))
        assert frame is not None
        self.kept.append((id(frame.f_code), frame.f_lasti, id(tensor), op, snapshot(tensor._array)))

    def node_visited(self, node: Any, gradients: Any) -> None:
        """What has arrived was kept when it was sent."""
        self.kept.append((id(node), tuple([id(g) for g in gradients])))

    def node_evaluated(self, node: Any, gradients: Any) -> None:
        """What a node has computed."""
        self.kept.append((id(node), tuple([None if g is None else snapshot(g) for g in gradients])))

    def gradient_sent(self, node: Any, edge: int, gradient: Any, arrived: int, expected: int) -> None:
        """What was kept when it was computed goes along an edge."""
        self.kept.append((id(node), edge, id(gradient), arrived, expected))

    def grad_accumulated(self, tensor: Any, added: Any, is_first: bool) -> None:
        """What a leaf has now."""
        self.kept.append((id(tensor), id(added), is_first, snapshot(tensor._grad._array)))


def once(step: Step, repeats: int) -> float:
    """CPU microseconds of a step."""
    start = time.process_time()
    for _ in range(repeats):
        step()
    return (time.process_time() - start) / repeats * 1e6


def bare(step: Step, repeats: int) -> float:
    """The same, while a bare listener hears all."""
    before, listening.active = listening.active, Bare()
    try:
        return once(step, repeats)
    finally:
        listening.active = before


def recorded(step: Step, repeats: int) -> float:
    """The same, while a recorder does."""
    with record():
        return once(step, repeats)


def costs(name: str, rounds: int = 15) -> tuple[int, float, float]:
    """How many events a step has, and what each costs, in microseconds: with a bare listener, and with a recorder."""
    workload = next(each for each in WORKLOADS if each.name == name)
    step, repeats = workload.make(autograd_lab), max(1, workload.repeats // 4)
    step()
    with record() as trace:
        step()
    events = len(trace.events)
    ways = once, bare, recorded
    best = [min(times) for times in zip(*[_round(ways, step, repeats) for _ in range(rounds)], strict=True)]
    return events, (best[1] - best[0]) / events, (best[2] - best[0]) / events


def _round(ways: Any, step: Step, repeats: int) -> list[float]:
    gc.collect()
    return [way(step, repeats) for way in ways]


def run(_options: argparse.Namespace) -> None:
    print(f"{'':6}{'events':>8}{'goal, µs an event':>20}{'bare listener':>16}{'recorder':>12}")
    for name, goal in GOALS.items():
        events, least, now = costs(name)
        print(f"{name:6}{events:8}{goal:20.1f}{least:16.2f}{now:12.2f}")
