"""What stays true of a thing in the picture, in rows of a word and what it says, for whoever looks at it closely.

A row is (word, text) or, where the text tells of a moment, (word, text, step).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from autograd_lab.events import Event, OpApplied, TensorFacts, TensorSaved, Where
from autograd_lab.view.graph.facts.held_memory import bytes_saved
from autograd_lab.view.graph.facts.history import Box, History, Op
from autograd_lab.view.graph.facts.in_place import state_of_saved
from autograd_lab.view.graph.facts.state import attribute_of
from autograd_lab.view.graph.words.incident import Incidents, incidents_of
from autograd_lab.view.graph.words.working import WORD
from autograd_lab.view.kit.font import clean
from autograd_lab.view.kit.formula import formula_of
from autograd_lab.view.kit.numeral import bytes_text, numeral
from autograd_lab.view.kit.signs import base_of
from autograd_lab.view.kit.unknown import or_else

Row = list[Any]
ELEMENTWISE = {"add", "sub", "rsub", "mul", "div", "pow"}
"""Ops of which an operand may be repeated to fit the other."""
"""What a saved value is whose version has moved though no element was written."""
FAR = 6
"""So many steps along `next_functions` are still written down."""


def about(history: History, events: Iterable[Event], workings: Mapping[str, list[Row]]) -> dict[str, list[Row]]:
    """Rows for each box and each op, by id; those of a slot by `<op>.s<its place>`, of an operand by `<op>.u<…>`.

    `workings` has rows for ops, too: what they computed in each pass.
    """
    reached = expressions(history)
    incidents = incidents_of(history, events)
    found = {box.id: [*_rows(_of_box, box, history, reached)] for box in history.boxes.values()}
    for op in history.ops.values():
        found[op.id] = [*_rows(_of_op, op, history, reached, workings.get(op.id, ()))]
        for number, slot in enumerate(op.slots):
            found[f"{op.id}.s{number}"] = [*_rows(_of_slot, slot, op, history, reached, incidents)]
        for number in range(len(op.uses)):
            found[f"{op.id}.u{number}"] = [*_rows(_of_use, op, number, history, reached)]
    for name, rows in incidents.hooks.items():
        found[name] += rows
    return {name: [[word, clean(text), *step] for word, text, *step in rows] for name, rows in found.items()}


@or_else([["unknown", "what there is to say of it"]])
def _rows(rows_of: Callable[..., Iterable[Row]], *about: Any) -> list[Row]:
    return list(rows_of(*about))


@or_else({})
def expressions(history: History) -> dict[str, str]:
    """The Python expression that reaches each recorded op, and each leaf's AccumulateGrad, from a variable not far."""
    found: dict[str, str] = {}
    variables = _variables(history)
    for op in reversed(history.ops.values()):
        named = next((box for box in op.outputs if box in variables), None)
        if op.node is not None and named is not None:
            found[op.id] = f"{_meant_by(history.boxes[named])}.grad_fn"
        if op.id not in found or found[op.id].count("[") >= 2 * FAR:
            continue
        for use in op.uses:
            source = history.boxes.get(use.box or "")
            if source is None or use.operand.edge is None:
                continue
            key = source.op if source.op is not None and not source.is_leaf else source.id
            found.setdefault(key, f"{found[op.id]}.next_functions[{use.operand.edge}][0]")
    return found


def _variables(history: History) -> set[str]:
    """The boxes that a variable means at the end, and that have a node of their own: not what was called so before, no
    leaf among what a node made, and no view whose base was written to, which is given another node when it is asked."""
    last = {_meant_by(box): box for box in history.boxes.values() if box.facts.name is not None}
    return {box.id for box in last.values() if not box.is_leaf and not (box.owners and box.strangers)}


def _meant_by(box: Box) -> str | None:
    """The variable that means what is in a box, as far as is known."""
    return box.facts.later or box.facts.name


def _of_box(box: Box, history: History, reached: dict[str, str]) -> Iterator[Row]:
    facts = box.facts
    yield ["tensor", box.label or "without a name"]
    yield ["shape", _shape(facts)]
    yield ["dtype", f"{facts.dtype}, {bytes_text(facts.nbytes)}"]
    if facts.device != "cpu":
        yield ["device", facts.device]
    asks = "asks for a gradient" if facts.requires_grad else "asks for no gradient"
    yield ["kind", f"{'leaf' if box.is_leaf else 'not a leaf'}; {asks}"]
    if owner := box.owners.get(facts.storage):
        yield ["memory", f"shared with {owner}"]
    made = history.ops[box.op] if box.op is not None else None
    if made is not None:
        yield ["made by", made.name, made.born]
        yield from _line(made.event.where, box.born)
    if facts.expression and facts.expression != box.label:
        yield ["expression", facts.expression]
    yield from _changes(box)
    if made is not None and made.id in reached and not box.is_leaf:
        yield ["its node", reached[made.id]]
    elif box.id in reached:
        yield ["its node", f"{reached[box.id]}, an AccumulateGrad"]


def _shape(facts: TensorFacts) -> str:
    return f"{list(facts.shape)}" if facts.shape else "[], a scalar"


def _changes(box: Box) -> Iterator[Row]:
    """What is another from some step on, by `t_`, `x.data = y` and their kin."""
    before = box.facts
    for step, facts in box.later:
        if facts.shape != before.shape:
            yield ["shape", f"{_shape(facts)} from here on", step]
        if (facts.dtype, facts.nbytes) != (before.dtype, before.nbytes):
            yield ["dtype", f"{facts.dtype}, {bytes_text(facts.nbytes)} from here on", step]
        if facts.device != before.device:
            yield ["device", f"{facts.device} from here on", step]
        if facts.storage != before.storage:
            owner = box.owners.get(facts.storage)
            yield ["memory", f"{f'shared with {owner}' if owner else 'its own'} from here on", step]
        before = facts


def _of_op(op: Op, history: History, reached: dict[str, str], workings: Iterable[Row]) -> Iterator[Row]:
    yield ["node" if op.node is not None else "op", op.name if op.node is not None else f"{op.name}, without a node"]
    if formula := formula_of(op.name) if op.node is not None else "":
        yield ["gradient", formula + ";  each summed to its operand's shape" * _is_broadcast(op, history)]
    yield from workings
    takes = ", ".join(_operand(op, number, history) for number in range(len(op.uses)))
    yield ["takes", takes or "nothing"]
    yield ["makes", ", ".join(history.boxes[box].label or "an unnamed tensor" for box in op.outputs)]
    if isinstance(op.event, OpApplied):
        for name, value in op.event.attributes.items():
            yield [name, str(value)]
    if op.node is not None:
        saved, count = bytes_text(bytes_saved([op], history)), len(op.slots)
        yield ["saves", f"{count} value{'s' * (count > 1)}, {saved}" if count else "nothing"]
    yield from _line(op.event.where, op.born)
    if op.id in reached:
        yield ["reached by", reached[op.id]]


def _is_broadcast(op: Op, history: History) -> bool:
    """Whether an operand of an elementwise op is repeated in its result; its gradient is a sum then."""
    taken = (use.box for use in op.uses if use.box is not None and use.operand.edge is not None)
    shapes = {history.boxes[box].at(op.born).shape for box in taken}
    return base_of(op.name) in ELEMENTWISE and bool(shapes - {history.boxes[box].facts.shape for box in op.outputs})


def _operand(op: Op, number: int, history: History) -> str:
    use = op.uses[number]
    if use.box is None:
        return numeral(use.operand.number)
    way = "" if use.operand.edge is None else f" (edge {use.operand.edge})"
    return (history.boxes[use.box].label or "an unnamed tensor") + way


def _of_use(op: Op, number: int, history: History, reached: dict[str, str]) -> Iterator[Row]:
    """The line from an operand to the op that takes it, along which its gradient comes back."""
    use = op.uses[number]
    box = history.boxes[use.box] if use.box is not None else None
    label = numeral(use.operand.number) if box is None else box.label or "an unnamed tensor"
    if use.operand.edge is None:
        yield ["line", f"from {label} to {op.name}"]
        yield ["gradient", "none comes back this way"]
        return
    yield ["edge", f"{use.operand.edge} of {op.name}, to {label}"]
    if box is not None:
        made = history.ops[box.op].name if box.op is not None and not box.is_leaf else "AccumulateGrad"
        yield ["leads to", f"{made} of {label}"]
        yield ["shape", _shape(box.at(op.born))]
    if op.id in reached:
        yield ["reached by", f"{reached[op.id]}.next_functions[{use.operand.edge}]"]


def _of_slot(
    slot: TensorSaved, op: Op, history: History, reached: dict[str, str], incidents: Incidents
) -> Iterator[Row]:
    yield ["slot", f"{attribute_of(slot)} of {op.name}"]
    if slot.packed:
        yield ["saved", "what a pack hook returned; backward has it unpacked"]
    elif slot.tensor is None:
        yield ["saved", f"the number {numeral(slot.number)}{_needed(slot.slot, op)}"]
    else:
        box = history.boxes.get(history.box_of(slot.tensor) or "")
        held = f"{(box.label if box else '') or 'an unnamed tensor'} at version {slot.version}"
        yield ["saved", held + _needed(slot.slot, op)]
        yield ["bytes", bytes_text(slot.nbytes)]
    yield from _line(slot.where, op.born)
    yield from _fate(slot, op, history, incidents)
    if op.id in reached and base_of(op.name) != "copyslices":  # which hides what it saved
        yield ["reached by", f"{reached[op.id]}.{attribute_of(slot)}"]


def _needed(slot: str, op: Op) -> str:
    """What a saved value is needed for, as far as the formula of its node tells."""
    name = "y" if slot == "result" else slot
    clauses = [clause.strip().partition(": ") for clause in formula_of(op.name).split(";")]
    told = [f"{each} = {text}" for each, _, text in clauses if name in WORD.findall(text)]
    return f", for the gradient of {' and of '.join(told)}" if told else ""


def _fate(slot: TensorSaved, op: Op, history: History, incidents: Incidents) -> Iterator[Row]:
    box = history.boxes.get(history.box_of(slot.tensor) or "") if slot.tensor is not None else None
    write, freed = incidents.fate_of(slot, box.facts.counter if box is not None else None, op.born)
    if write is not None:
        step, event = write
        where = event.where
        how = f"by {event.op}" if where is None else f"on line {where.number}: {where.text.strip()}"
        what = state_of_saved(event.op)
        yield [what, f"{how}, which made version {event.version}", step]
    if freed:
        yield ["freed", incidents.freed[slot.node][1], freed]


def _line(where: Where | None, step: int) -> Iterator[Row]:
    if where is not None:
        yield ["line", f"{where.number}: {where.text.strip()}", step]
