"""Bytes that the slots of a graph hold, step by step: counted in a trace, and drawn as a strip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping

from autograd_lab import events as e
from autograd_lab.trace import Trace
from autograd_lab.view.charts.chart import step_chart
from autograd_lab.view.kit.ink import sheet, words
from autograd_lab.view.kit.numeral import bytes_text

WIDTH, LEFT, RIGHT, TALL, BETWEEN = 1000.0, 110.0, 20.0, 120.0, 44.0
"""Sizes of a strip's picture, its margins, a chart and the room above it, px."""


class _Held:
    """What slots hold: each memory once, however many slots lead to it, and none that was there before the graph."""

    def __init__(self) -> None:
        self._devices: dict[Hashable, str] = {}
        self._storages: dict[str, str] = {}
        self._there: set[str] = set()
        self._slots: dict[str, dict[Hashable, int]] = {}

    def see(self, event: e.Event) -> None:
        """Take the next event."""
        match event:
            case e.TensorCreated(tensor=facts):
                self._there.add(facts.storage)
                self._place(facts)
            case e.OpApplied(outputs=outputs) | e.NodeMet(outputs=outputs):
                for facts in outputs:
                    self._place(facts)
            case e.TensorDetached(tensor=facts):
                self._place(facts)
            case e.TensorModified(tensor=tensor, storage=storage) if storage is not None:
                device = self._devices.get(self._storages.get(tensor, ""), "cpu")
                self._devices.setdefault(storage, device)
                self._storages[tensor] = storage
            case e.TensorSaved(packed=False):
                place: Hashable = self._storages.get(event.tensor or "") or (event.node, event.slot)
                if place not in self._there:
                    self._slots.setdefault(event.node, {})[place] = event.nbytes
            case e.SavedFreed(node=node):
                self._slots.pop(node, None)
            case e.GraphReleased(nodes=nodes):
                for node in nodes:
                    self._slots.pop(node, None)

    def _place(self, facts: e.TensorFacts) -> None:
        self._storages[facts.id] = facts.storage
        self._devices[facts.storage] = facts.device

    @property
    def nbytes(self) -> Counter[str]:
        """All of it, by devices."""
        found: dict[Hashable, int] = {}
        for slots in self._slots.values():
            for place, nbytes in slots.items():
                found[place] = max(nbytes, found.get(place, 0))
        sums = Counter[str]()
        for place, nbytes in found.items():
            sums[self._devices.get(place, "cpu")] += nbytes
        return sums


def bytes_kept(trace: Trace) -> list[int]:
    """The bytes that slots hold at first and after each event. What a hook keeps elsewhere is not counted."""
    return [counts.total() for counts in _kept(trace)]


def bytes_kept_on(trace: Trace) -> dict[str, list[int]]:
    """The same for each device on which there ever are any."""
    kept = _kept(trace)
    return {device: [counts[device] for counts in kept] for device in sorted(set[str]().union(*kept))}


def _kept(trace: Trace) -> list[Counter[str]]:
    held, found = _Held(), [Counter[str]()]
    for event in trace:
        held.see(event)
        found.append(held.nbytes)
    return found


def strip(runs: Mapping[str, Trace]) -> str:
    """The SVG of one chart for each run, by its name: bytes that slots hold, over its steps, on one scale."""
    kept = dict(_rows(runs))
    steps, top = max(map(len, kept.values())), int(1.35 * max(1, *map(max, kept.values())))
    body, y = words("bytes in slots, step after step", LEFT, 24, 18), 62.0
    for (name, device), each in kept.items():
        place = (LEFT, y, WIDTH - LEFT - RIGHT, TALL)
        body += step_chart(_label(name, device), each, ["forward", *_phases(runs[name])], place, steps, top)
        y += TALL + BETWEEN
    if any(isinstance(event, e.TensorSaved) and event.packed for run in runs.values() for event in run):
        body += words("What hooks keep elsewhere is not counted.", LEFT, y - BETWEEN + 26, 16, "quiet")
        y += 26
    said = [
        f"{_label(*row)}: {bytes_text(max(each))} at most, {bytes_text(each[-1])} at the end"
        for row, each in kept.items()
    ]
    return sheet(WIDTH, y - BETWEEN + 18, "bytes in slots over the steps", "; ".join(said), body)


def _rows(runs: Mapping[str, Trace]) -> Iterator[tuple[tuple[str, str], list[int]]]:
    """A row for each run, or for each of its devices if it has others than the CPU."""
    for name, run in runs.items():
        devices = bytes_kept_on(run)
        if devices.keys() - {"cpu"}:
            yield from (((name, device), each) for device, each in devices.items())
        else:
            yield (name, ""), bytes_kept(run)


def _label(name: str, device: str) -> str:
    return f"{name}, on {device}" if device else name


def _phases(events: Iterable[e.Event]) -> Iterator[str]:
    """Which phase each event belongs to: a backward pass, or what comes after it up to the next op, or forward."""
    depth, phase = 0, "forward"
    for event in events:
        match event:
            case e.BackwardStarted():
                depth, phase = depth + 1, "backward"
            case e.BackwardFinished() | e.ErrorRaised():
                depth = max(depth - 1, 0)
            case e.OpApplied() if not depth:
                phase = "forward"
        yield phase
