"""What a timeline shows beside phases and marks: nodes that were visited, which module ran, which iteration it was."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

from autograd_lab import events as e
from autograd_lab.trace import Trace
from autograd_lab.trace.course import Course
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.passes import Passes, passes_of
from autograd_lab.view.kit.font import clean
from autograd_lab.view.languages.speaking import translated
from autograd_lab.view.pages.film_flow import film_flow

Band = list[tuple[int, str]]
"""Names from a step on, one after the other; empty where there is none."""
Inside = tuple[tuple[int, str], ...]
"""The calls of modules that go on, the outermost first: the step at which each began, and its name."""
DEEP = 2
"""So many rows of modules are shown, one for those inside of the other."""


def timeline_of(trace: Trace, history: History) -> dict[str, Any]:
    """All of it, JSON-able; the words are those of `widgets/src/film.ts`."""
    loop = _turns(trace.events) if trace.course is None else _shown(trace.course)
    bands = {"loops": [loop] if loop else [], "modules": _modules(trace.events)}
    told = {name: [list(map(list, band)) for band in rows] for name, rows in bands.items()}
    flow = film_flow(trace, sum(bool(name) for _, name in loop)) if loop else {}
    return told | {"visits": [list(visit) for visit in _visits(trace, history)], **flow}


def _visits(trace: Trace, history: History) -> list[tuple[int, int, str]]:
    """Of each visit of a node: in which pass, as which node of that, and what it is called."""
    leaves = {
        box.leaf_node: translated(f"AccumulateGrad of {box.label}") for box in history.boxes.values() if box.label
    }
    names = {node: history.ops[op].name for node, op in history.op_of_node.items()}
    running, counts, found = [0], [0], []
    for event in trace:
        match event:
            case e.BackwardStarted():
                running.append(len(counts))
                counts.append(0)
            case e.BackwardFinished() if len(running) > 1:
                running.pop()
            case e.ErrorRaised():
                running = [0]
            case e.NodeVisited(node=node):
                number = running[-1]
                counts[number] += 1
                name = names.get(node) or leaves.get(node, "AccumulateGrad")
                found.append((number, counts[number], clean(name)))
    return found


def _modules(events: Sequence[e.Event]) -> list[Band]:
    """Who runs: in backward the module in which a node was recorded. First the outermost modules of which there are
    several, then those inside of them."""
    insides = list(_insides(events))
    deepest = max(map(len, insides), default=0)
    called = [{inside[level][1] for inside in insides if len(inside) > level} for level in range(deepest)]
    first = next((level for level, names in enumerate(called) if len(names) > 1), 0)
    return [_band(insides, level) for level in range(first, min(deepest, first + DEEP))]


def _insides(events: Sequence[e.Event]) -> Iterator[Inside]:
    """What runs at each step, from step 0 on."""
    made: dict[str, Inside] = {}
    calls: Inside = ()
    visited: Inside = ()
    yield ()
    for step, event in enumerate(events, 1):
        match event:
            case e.ModuleEntered():
                name = ".".join(filter(None, (event.root, event.module))) or event.type
                calls = (*calls, (step, clean(name)))
            case e.ModuleLeft():
                calls = calls[:-1]
            case e.OpApplied(node=str(node)):
                made[node] = calls
            case e.NodeVisited(node=node):
                visited = made.get(node, visited)  # a leaf goes with the node that leads to it
            case e.BackwardStarted() | e.BackwardFinished() | e.ErrorRaised():
                visited = ()
        yield calls or visited


def _band(insides: Sequence[Inside], level: int) -> Band:
    calls = [inside[level] if len(inside) > level else (0, "") for inside in insides]
    changes = (step for step, (before, call) in enumerate(pairwise(calls), 1) if call != before)
    return [(step, calls[step][1]) for step in (0, *changes)]


def _shown(course: Course) -> Band:
    """The iterations, if a recording has several."""
    starts = [0, *(count + 1 for count in accumulate(course.events[:-1]))]
    found = [(at, translated(f"iteration {number:,}")) for at, number in zip(starts, course.shown, strict=False)]
    return found if len(found) > 1 else []


def _turns(events: Sequence[e.Event]) -> Band:
    """The turns of a training loop that was recorded as a whole: backward comes back to its line, after weights have
    moved."""
    found = passes_of(events)
    places = [events[each.start - 1].where for each in found.passes]
    starts = [each.start for each, place in zip(found.passes, places, strict=True) if place == places[0]]
    moves = [0, *found.moves]
    last = ((start, moves[bisect_left(moves, after) - 1]) for start, after in pairwise((*starts, len(events) + 1)))
    ends = [_end(found, step) for start, step in last if step > start]
    if len(ends) < 2:
        return []
    begin = _begin(events[: starts[0]], events[ends[0] :])
    names = [
        (at, translated(f"iteration {number:,}")) for number, at in enumerate((begin, *(end + 1 for end in ends)), 1)
    ]
    goes_on = starts[-1] > ends[-1]
    before: Band = [(0, "")] if begin else []
    return [*before, *(names if goes_on else [*names[:-1], (names[-1][0], "")])]


def _end(found: Passes, step: int) -> int:
    """The step at which a change of weights is over."""
    update = found.update_at(step)
    return step if update is None or math.isinf(update.end) else int(update.end)


def _begin(first: Sequence[e.Event], second: Sequence[e.Event]) -> int:
    """The step at which the first turn begins: with the line with which the second one does."""
    lines: dict[e.Where | None, int] = {}
    for step, event in enumerate(first, 1):
        lines.setdefault(event.where, step)
    return next((lines[event.where] for event in second if event.where is not None and event.where in lines), 0)
