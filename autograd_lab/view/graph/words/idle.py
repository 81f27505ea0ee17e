"""Why gradients do not get far though nothing is wrong: a module was not called, an op is flat where it stands."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from autograd_lab.events import Value
from autograd_lab.view.graph.facts.call import Call
from autograd_lab.view.graph.facts.history import History, Op
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.words.called import Called
from autograd_lab.view.kit.figure import counted, listed, numbers_of, short_of
from autograd_lab.view.kit.headline import Headline, said
from autograd_lab.view.kit.signs import base_of

NEARLY = 0.95
"""So near to its bound an op is flat: beyond it a sigmoid lets a twentieth past at most, a softmax as well."""
HALF, MOSTLY = 0.5, 0.75
"""So many rows of a softmax, or elements of another op, have to be flat to be worth a word."""
BOUNDED = ("softmax", "sigmoid", "tanh")
"""Ops with bounds."""
PARAMETER = re.compile(r"[A-Za-z_]\w*(\.\w+)+")
"""A parameter's name: the way to it from a variable."""
LEAST = 3
"""Of fewer probabilities nothing is said."""
MOST = 3
"""So many names are told."""


def left_out(history: History, called: Called, until: int) -> Headline | None:
    """The modules of a model that nobody called before a step, as an expert that was not chosen."""
    before = [call for call in history.calls if call.entered <= until]
    ran = {call.name for call in before}
    missing = [name for name in dict.fromkeys([*_gaps(before), *_unused(history, until)]) if name not in ran]
    used = {box.label.rpartition(".")[0] for box in history.boxes.values() if box.uses or box.grads}
    names = [
        called.path(name) for name in missing if name not in used and name.rpartition(".")[0] not in ("", *missing)
    ]
    if not names:
        return None
    who, is_one = listed(names) if len(names) <= MOST else f"{counted(len(names))} modules", len(names) == 1
    short = f"{who} {'gets' if is_one else 'get'} no gradient"
    parent = names[0].rpartition(".")[0]
    beside = [called.path(name) for name in sorted(ran) if called.path(name).rpartition(".")[0] == parent]
    sub = said(f"{listed(beside, most=6)} ran") if beside and parent else ()
    return Headline(f"{short}: {'it was' if is_one else 'they were'} not called", short, sub)


def frozen(history: History, called: Called) -> str:
    """Of the models that ran, those whose parameters ask for no gradient, while others' do; nothing if none are so."""
    asking: dict[str, set[bool]] = defaultdict(set)
    for box in history.boxes.values():
        model = called.model(box.facts.id) if box.is_leaf and PARAMETER.fullmatch(box.label) else ""
        if model:
            asking[model].add(any(facts.requires_grad for facts in box.forms))
    names = [model for model, asks in asking.items() if asks == {False}]
    if not names or len(names) == len(asking) or len(names) > MOST:
        return ""
    verb, whose = ("is", "its") if len(names) == 1 else ("are", "their")
    return f"{listed(names)} {verb} frozen: {whose} parameters ask for no gradient"


def _gaps(calls: Iterable[Call]) -> Iterator[str]:
    """Modules of lists, as is seen by the numbers of others: a list that is itself never called counts from 0, so if
    there is a number 3, there is a number 2."""
    rows: dict[str, set[int]] = defaultdict(set)
    names = {call.name for call in calls}
    for name in names:
        parent, _, last = name.rpartition(".")
        if last.isdigit() and "." in parent and parent not in names:
            rows[parent].add(int(last))
    for parent, numbers in rows.items():
        yield from (f"{parent}.{number}" for number in sorted(set(range(max(numbers))) - numbers))


def _unused(history: History, until: int) -> Iterator[str]:
    """Modules whose weights no op has taken, though they were there."""
    for box in history.boxes.values():
        if box.is_leaf and box.facts.requires_grad and box.born <= until and not box.uses and not box.grads:
            yield (box.facts.name or "").rpartition(".")[0]


def unreached(history: History, until: int, loss: str) -> Headline | None:
    """The user's leaves, made before a step, that never get a gradient, as a weight of a branch that was not taken."""
    boxes = [box for box in history.boxes.values() if box.is_leaf and box.facts.requires_grad and box.born <= until]
    names = [name for box in boxes if (name := box.facts.name or "").isidentifier() and not box.grads]
    if not names or not loss:
        return None
    who, is_one = listed(names) if len(names) <= MOST else f"{counted(len(names))} leaves", len(names) == 1
    short = f"{who} {'gets' if is_one else 'get'} no gradient"
    return Headline(f"{short}: {loss} does not depend on {'it' if is_one else 'them'}", short)


def saturated(ops: Sequence[Op], state: GraphState, history: History, called: Called) -> Headline | None:
    """The op, of those that took part, that is flat at the greatest share of what it made."""
    found: list[tuple[float, Op, str]] = []
    for op in ops:
        if base_of(op.name) not in BOUNDED:
            continue
        box = history.boxes[op.outputs[0]] if len(op.outputs) == 1 else None
        numbers = numbers_of(box.values[-1]) if box is not None and box.values else None
        if box is None or not numbers or len(numbers) < LEAST:
            continue
        share, told = _flat(base_of(op.name), numbers, box.facts.shape, called.box(box))
        found += [(share, op, told)] * bool(told)
    if not found:
        return None
    _, op, told = max(found, key=lambda each: each[0])
    return Headline(
        f"{called.word(op)} is saturated: {told}", f"{called.word(op)} is saturated", said(_lost(op, state))
    )


def _flat(word: str, numbers: list[float], shape: Sequence[int], name: str) -> tuple[float, str]:
    """The share of what an op made that is at a bound of the op, and that in words if it is large."""
    of = f" of {name}" * bool(name)
    if word == "softmax" and shape and shape[-1] >= LEAST:
        rows = [numbers[at : at + shape[-1]] for at in range(0, len(numbers), shape[-1])]
        flat = sum(max(row) >= NEARLY for row in rows)
        total, what = len(rows), f"rows{of} one is over {NEARLY}"
        told = f"in {counted(flat)} of {counted(total)} {what}" if total > 1 else f"one{of} is over {NEARLY}"
        return flat / total, told if flat >= HALF * total else ""
    low = {"sigmoid": 1 - NEARLY, "tanh": -NEARLY}.get(word)
    if low is None:
        return 0.0, ""
    flat = sum(number >= NEARLY or number <= low for number in numbers)
    told = f"{counted(flat)} of its {counted(len(numbers))} values are nearly {'±1' if low < 0 else '0 or 1'}"
    return flat / len(numbers), told if flat >= MOSTLY * len(numbers) else ""


def _lost(op: Op, state: GraphState) -> str:
    """What came to an op, and what it passed on."""
    node = state.nodes[op.node or ""]
    came, went = _first(node.gathered), _first(node.sent)
    return "" if came is None or went is None else f"a gradient of {short_of(came)} arrives, {short_of(went)} is left"


def _first(values: Iterable[Value | None]) -> Value | None:
    return next((value for value in values if value is not None), None)
