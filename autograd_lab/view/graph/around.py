"""What stands around the graph of a recording: lines of the program, the timeline, what is aside, and the legend."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from autograd_lab import events as e
from autograd_lab.trace import Trace
from autograd_lab.trace.course import Series
from autograd_lab.view.graph.cards.card import Cards
from autograd_lab.view.graph.facts.fault import culprits_at
from autograd_lab.view.graph.facts.history import Box, History
from autograd_lab.view.graph.facts.state import GraphState, Slot
from autograd_lab.view.kit.numeral import amount
from autograd_lab.view.kit.program_lines import Line
from autograd_lab.view.kit.reading import short
from autograd_lab.view.kit.shapes.axis import Band, Tick
from autograd_lab.view.kit.shapes.panel import CodeLine
from autograd_lab.view.kit.shapes.spark import Spark
from autograd_lab.view.languages.speaking import translated

MANY_BANDS = 10
"""Of more phases than these, only the passes have bands."""
SPARKS, LOSSES = 4, 2
"""Sparklines that there is room for, and those of losses among them: of a GAN both."""
TICKS = 90
"""More marks than these would melt into a bar."""
NAMES = 3
"""So many things that are made aside are named."""
PYTORCHS = ("RuntimeError", "NotImplementedError", "OutOfMemoryError")
"""What PyTorch raises, and Python hardly by itself."""


def code_lines(
    lines: Sequence[Line], state: GraphState, suspects: Iterable[str], here: e.Where | None
) -> list[CodeLine]:
    """The lines of the program, of which the one that the step is about, `here`, and those at fault are marked."""
    saved, wrote, freed = culprits_at(state, suspects)
    stops = isinstance(state.event, e.ErrorRaised)
    marks = [(here, "now", "stops here" * stops), (saved, "saved", "saved here"),
             (wrote, "bad", "overwritten here"), (freed, "bad", "freed here")]  # fmt: skip
    found = []
    for file, number, text in lines:
        mine = [(mark, note) for where, mark, note in marks
                if where is not None and (where.file, where.line) == (file, number)]  # fmt: skip
        mark = next((mark for mark, _ in reversed(mine)), "")
        found.append(CodeLine(number, text, mark, " · ".join(filter(None, (translated(note) for _, note in mine)))))
    return found


def running_line(lines: Sequence[Line], shown: Sequence[CodeLine], here: e.Where | None) -> list[CodeLine]:
    """The line that runs, where there is room for one; if none does, one that is marked."""
    running = [line for line, (file, number, _) in zip(shown, lines, strict=True)
               if here is not None and (here.file, here.line) == (file, number)]  # fmt: skip
    return (running or [line for line in shown if line.mark])[:1]


def around_now(lines: Sequence[CodeLine], most: int) -> list[CodeLine]:
    """At most so many lines: those that are marked, and what is near the running one."""
    if len(lines) <= most:
        return list(lines)
    marked = [number for number, line in enumerate(lines) if line.mark]
    now = next((number for number in marked if lines[number].mark == "now"), marked[-1] if marked else 0)
    kept = set(sorted(marked, key=lambda number: abs(number - now))[:most])
    near = sorted(range(len(lines)), key=lambda number: (abs(number - now), number))
    for number in near:
        if len(kept) >= most:
            break
        kept.add(number)
    return [lines[number] for number in sorted(kept)]


def bands_of(events: Sequence[e.Event]) -> list[Band]:
    """Forward and backward, in turn."""
    found: list[Band] = []
    start, depth = 0, 0
    for step, event in enumerate(events, 1):
        if isinstance(event, e.BackwardStarted):
            depth += 1
            if depth == 1:
                found += [Band("forward", "forward", start, step - 1)] if step - 1 > start else []
                start = step - 1
        elif isinstance(event, e.BackwardFinished | e.ErrorRaised) and depth:
            depth = 0 if isinstance(event, e.ErrorRaised) else depth - 1
            if not depth:
                kind = "failed" if isinstance(event, e.ErrorRaised) else "backward"
                found.append(Band("backward", kind, start, step))
                start = step
    if depth:
        found.append(Band("backward", "backward", start, len(events)))
    elif len(events) > start:
        found.append(
            Band(translated("after", "band") if found else "forward", "" if found else "forward", start, len(events))
        )
    return found if len(found) <= MANY_BANDS else [band for band in found if band.kind != "forward"]


def ticks_of(events: Sequence[e.Event], cards: Cards) -> list[Tick]:
    """A mark for each node where it is made and where it runs, with the name of its card; of too many nodes, a mark
    where each card begins to."""
    names = {op.node: card.box.label for card in cards.cards.values() if card.box is not None
             for op in card.ops[-1:] if op.node}  # fmt: skip
    found: list[tuple[int, str, str]] = []
    for step, event in enumerate(events, 1):
        if isinstance(event, e.OpApplied) and event.node:
            found.append((step, "forward", event.node))
        elif isinstance(event, e.NodeVisited):
            found.append((step, "", event.node))
    shown = found if len(found) <= TICKS else _first_of_each(found, cards)
    told = {node: name for node, name in names.items() if name.isidentifier() and len(name) < 10}
    return [Tick(step, kind, "" if kind else told.get(node, "")) for step, kind, node in shown]


def _first_of_each(found: Iterable[tuple[int, str, str]], cards: Cards) -> Iterator[tuple[int, str, str]]:
    """Those marks at which a card begins to be made, or to run."""
    of = {op.node: name for name, card in cards.cards.items() for op in card.ops if op.node}
    latest: tuple[str, str] | None = None
    for step, kind, node in found:
        here = (of.get(node, ""), kind)
        if here[0] and here != latest:
            latest = here
            yield step, kind, node


def folded_in(cards: Cards) -> str:
    """How many ops share a card with others: "8 of 11 ops", "All 8 ops"; empty where each has a card of its own."""
    counts = [len(card.ops) for card in cards.cards.values()]
    hidden, total = sum(count for count in counts if count > 1), sum(counts)
    if not hidden:
        return ""
    return f"All {amount(total)} ops" if hidden == total else f"{amount(hidden)} of {amount(total)} ops"


def not_drawn(cards: Cards) -> str:
    """What has no cards, in words; empty where every op has one."""
    count = len(cards.aside)
    ops = f"{amount(count)} ops without gradient are" if count > 1 else "One op without gradient is"
    return translated(f"{ops} not drawn") if count else ""


def aside_of(cards: Cards) -> tuple[str, str]:
    """What is done without gradient: what it makes, and how many ops it takes."""
    if not cards.aside:
        return "", ""
    made = (cards.history.boxes[box] for op in cards.aside for box in op.outputs)
    names = list(dict.fromkeys(box.label for box in made if box.label.isidentifier() and not _asks(box, cards)))
    told = ", ".join(names[:NAMES]) + (", …" if len(names) > NAMES else "")
    count = len(cards.aside)
    ops = translated(f"{amount(count)} op{'s' * (count > 1)} without gradient")
    return (told, ops) if told else (ops, "")


def _asks(box: Box, cards: Cards) -> bool:
    """Whether a tensor asks for a gradient, now or in another of its lives, as what a Function of the user's gives."""
    lives = cards.history.lives.get(box.facts.id, ())
    return box.has_grad or any(cards.history.boxes[life].facts.requires_grad for life in lives)


def is_pytorchs(error: e.ErrorRaised) -> bool:
    """Whether an error is surely one of PyTorch's, and none that a line of the program raises by itself."""
    line = "" if error.where is None else error.where.text
    return error.error in PYTORCHS and not re.search(r"\b(raise|assert)\b", line)


def saved_and_now(history: History, state: GraphState) -> Iterator[tuple[str, e.Value, e.Value]]:
    """Of each tensor that stopped backward: its name, what was saved, and what is there now."""
    if state.error is None or state.error.node is None or state.error.node not in state.nodes:
        return
    slots = state.nodes[state.error.node].slots
    told = {slot.tensor: found for slot in slots if (found := versions_in(history, state, slot)) is not None}
    yield from told.values()


def versions_in(history: History, state: GraphState, slot: Slot) -> tuple[str, e.Value, e.Value] | None:
    """The name of a tensor that was saved and overwritten, what was saved, and what is there now, as far as known."""
    first = history.box_of(slot.tensor, 0) if slot.tensor is not None else None
    if first is None or slot.tensor is None or slot.version or not state.is_stale(slot):
        return None  # only of what was saved at version 0 the value is known
    box = history.boxes[first]
    return box.label, box.values[0], state.tensors[slot.tensor].value


def sparks_of(trace: Trace, step: int) -> list[Spark]:
    """The losses and the largest gradients of a training loop, over all iterations that have them by then."""
    course = trace.course
    if course is None or course.seen < 2:
        return []
    losses = [each for each in course.series if each.kind == "loss" and len(each.points) > 1][:LOSSES]
    norms = sorted((each for each in course.series if each.kind == "norm"), key=lambda each: -each.points[-1][1])
    now, passes = course.iteration_at(step), _passes(trace.events, *course.span_at(step))
    begun = sum(begin <= step for begin, _ in passes)
    ended = all(end <= step for _, end in passes)
    if len(passes) > len(losses):  # of several in an iteration the course has the last
        losses = [replace(each, name=translated(f"last {each.name}")) for each in losses]
    known = [(each, now - (number >= begun)) for number, each in enumerate(losses)]
    known += [(each, now - (not ended)) for each in norms]
    shown = known[:SPARKS]
    ends = [point[0] for each, _ in shown for point in (each.points[0], each.points[-1])]
    sparks = (_spark(each, until, now) for each, until in shown)
    return [replace(spark, span=(min(ends), max(ends))) for spark in sparks if spark is not None]


def _passes(events: Sequence[e.Event], first: int, last: float) -> list[tuple[int, float]]:
    """The first and the last step of each backward pass of an iteration; a pass in another is a part of that."""
    found: list[tuple[int, float]] = []
    depth = 0
    for step in range(first, int(min(last, len(events))) + 1):
        if isinstance(events[step - 1], e.BackwardStarted):
            depth += 1
            found += [(step, math.inf)] * (depth == 1)
        elif isinstance(events[step - 1], e.BackwardFinished) and depth:
            depth -= 1
            found[-1] = found[-1] if depth else (found[-1][0], step)
    return found


def _spark(each: Series, until: int, now: int) -> Spark | None:
    """How a number went up to the iteration that is shown or, if it is not known there yet, to the one before."""
    points = each.points if until == now else tuple(point for point in each.points if point[0] <= until)
    if not points:
        return None
    last = min(points, key=lambda point: abs(point[0] - until))[1]
    name = each.name if each.kind == "loss" else f"‖∂‖ {each.name}"
    kind, word = "" if each.kind == "loss" else "plus", "now" if until == now else "last"
    return Spark(name, points, until, short(points[0][1]), short(last), kind, translated(word, "spark"))
