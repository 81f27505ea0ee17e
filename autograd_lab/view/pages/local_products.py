"""Why a node is about to send what it sends: the product of its local derivative, at the line along which it goes.

A node turns one gradient into several before any of them leaves. In between, each line says what will come and why, as
`1 × d = 4`; the number that then rides along it takes the place of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autograd_lab import events as e
from autograd_lab.view.graph.facts.history import History, Op
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.formula import formula_of
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.capsule import TAG, number_tag, tag_width
from autograd_lab.view.motion.manner import Manner
from autograd_lab.view.motion.patterns import APPEAR, YIELDS
from autograd_lab.view.track import Track

KIND = "reason"
WORD = re.compile(r"[a-z_][a-z_0-9]*", re.IGNORECASE)
SHORT = 6
"""Names of no more characters stand for their values."""
AROUND = 4
"""So much of a line stays free at either side of its reason, px."""
HIDDEN = Look(("hidden",))


@dataclass(frozen=True, slots=True)
class Reason:
    """From a step up to another, what a line is going to bring, the longest wording first."""

    begins: int
    ends: int
    said: tuple[str, ...]


Reasons = Mapping[tuple[str, int], Sequence[Reason]]
"""By node, and which of its edges it is."""


def reasons_in(
    events: Sequence[e.Event], worked: Mapping[int, str], history: History
) -> dict[tuple[str, int], list[Reason]]:
    """Those of all nodes whose formula has been `worked` out in numbers, by the step at which each had run."""
    found: dict[tuple[str, int], list[Reason]] = {}
    for step, text in worked.items():
        event = events[step - 1]
        assert isinstance(event, e.NodeEvaluated)
        op = history.ops[history.op_of_node[event.node]]
        for edge, said in _of_node(op, text, history):
            found.setdefault((event.node, edge), []).append(Reason(step, _end(events, step, edge), said))
    return found


def _end(events: Sequence[e.Event], step: int, edge: int) -> int:
    """The step at which what was told is under way, or will never be."""
    for after, event in enumerate(events[step:], step + 1):
        sends = isinstance(event, e.GradientSent) and event.edge == edge
        if sends or isinstance(event, e.NodeVisited | e.BackwardFinished | e.ErrorRaised):
            return after
    return len(events)


def _of_node(op: Op, text: str, history: History) -> Iterator[tuple[int, tuple[str, ...]]]:
    """By edge how its gradient is worked out, the longest wording first."""
    clauses = [clause.strip().partition(": ") for clause in formula_of(op.name).split(";")]
    edges = {name: edge for edge, (name, _, _) in enumerate(clauses)}
    formulas = {name: formula for name, _, formula in clauses}
    labels = _labels(op, edges, history)
    for clause in re.sub(r"(\d)\.0\b", r"\1", text).split(";  "):
        name, _, sum_ = clause.partition(": ")
        numbers, _, result = sum_.rpartition(" = ")
        named = _named(formulas[name], numbers, labels)
        [factor] = re.findall(r"^\S+ ([×÷] \S+)$", named) or [f"= {result}"]
        yield edges[name], (f"{named} = {result}", named, f"{numbers} = {result}", factor)


def _labels(op: Op, edges: Mapping[str, int], history: History) -> dict[str, str]:
    """What the operands that a formula names, and the result, are called in the program."""
    boxes = {name: use.box for name, edge in edges.items() for use in op.uses if use.operand.edge == edge and use.box}
    boxes |= {"y": op.outputs[0]} if op.outputs else {}
    found = {name: history.boxes[box].label for name, box in boxes.items()}
    return {name: label for name, label in found.items() if label.isidentifier() and len(label) <= SHORT}


def _named(formula: str, numbers: str, labels: Mapping[str, str]) -> str:
    """A formula with names for values and the number that arrived; `numbers` is all of it in numbers."""
    if formula == "g":
        return f"{numbers} × 1"
    arrived = re.match(r"g\b", formula) and re.match(r"\S+", numbers)
    wanted = set(WORD.findall(formula)) - {"g", "cos", "sin", "log", "exp"}
    if not arrived or not wanted <= set(labels):
        return numbers
    return WORD.sub(lambda word: arrived[0] if word[0] == "g" else labels.get(word[0], word[0]), formula)


Moved = tuple[Part, Track, list[Manner]]


def reason_parts(picture: Picture, reasons: Reasons) -> Iterator[Moved]:
    """The reasons that have room on the lines of a picture, each with its track and how it moves."""
    numbers = {part.of: part for part in picture.parts if part.kind == "number"}
    for name, wire in picture.wire.items():
        if name not in numbers or len(wire.edges) != 1 or len(picture.choice.cards.cards[wire.target].ops) != 1:
            continue
        told = reasons.get(wire.edges[0], ())
        if told:
            yield _part(numbers[name], _room(picture.drawing.routes[name]), told)


def _room(route: Sequence[tuple[float, float]]) -> float:
    """As wide as a text on a line may be: as far as it goes across or, where it goes down, as that."""
    xs, ys = zip(*route, strict=True)
    across, down = max(xs) - min(xs), max(ys) - min(ys)
    return (across if 2 * across > down else down) - 2 * AROUND


def _part(number: Part, room: float, told: Sequence[Reason]) -> Moved:
    track: list[tuple[int, Look]] = [(0, HIDDEN)]
    for each in told:
        text = next((text for text in each.said if tag_width(text) <= room), each.said[-1])
        track += [(each.begins, Look((), (("title", text),))), (each.ends, HIDDEN)]
    width = max(tag_width(look.text("title")) for _, look in track)
    x, y = number.x + number.width / 2, number.y + number.height / 2
    part = Part(f"{number.of}?", KIND, number.of, x - width / 2, y - TAG / 2, width, TAG)
    return part, track, [APPEAR if look is not HIDDEN else YIELDS for _, look in track[1:]]


def draw_reason(part: Part, look: Look) -> str:
    """A reason as if it stood in the corner."""
    return number_tag(part.width / 2, part.height / 2, look.text("title"))
