"""What stays true of a thing in the picture, in rows of a word and what it says, for whoever looks at it closely.

A row is (word, text) or, where the text tells of a moment, (word, text, step).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from autograd_lab.events import Event, OpApplied, TensorSaved, Where
from autograd_lab.view.font import clean
from autograd_lab.view.formula import formula_of
from autograd_lab.view.history import Box, History, Op
from autograd_lab.view.numeral import bytes_text, numeral
from autograd_lab.view.why import reasons

Row = list[Any]
FAR = 6
"""So many steps along `next_functions` are still written down."""


def about(history: History, events: Iterable[Event]) -> dict[str, list[Row]]:
    """Rows for each box and each op, by id; those of a slot by `<op>.<slot's place>`."""
    reached = expressions(history)
    missing = reasons(history, events)
    found = {box.id: list(_of_box(box, history, reached)) for box in history.boxes.values()}
    for name, (reason, step) in missing.items():
        found[name].append(["no .grad", reason, *([step] if step is not None else [])])
    for op in history.ops.values():
        found[op.id] = list(_of_op(op, history, reached))
        for number, slot in enumerate(op.slots):
            found[f"{op.id}.{number}"] = list(_of_slot(slot, op, history, reached))
    return {name: [[word, clean(text), *step] for word, text, *step in rows] for name, rows in found.items()}


def expressions(history: History) -> dict[str, str]:
    """The Python expression that reaches each recorded op, and each leaf's AccumulateGrad, from a variable not far."""
    found: dict[str, str] = {}
    for op in reversed(history.ops.values()):
        named = next((box for box in op.outputs if _is_variable(history.boxes[box], history)), None)
        if op.node is not None and named is not None:
            found[op.id] = f"{history.boxes[named].facts.name}.grad_fn"
        if op.id not in found or found[op.id].count("[") >= 2 * FAR:
            continue
        for use in op.uses:
            source = history.boxes.get(use.box or "")
            if source is None or use.operand.edge is None:
                continue
            key = source.op if source.op is not None and not source.is_leaf else source.id
            found.setdefault(key, f"{found[op.id]}.next_functions[{use.operand.edge}][0]")
    return found


def _is_variable(box: Box, history: History) -> bool:
    """Whether the name still means this very box at the end."""
    last = history.box_of(box.facts.id) == box.id
    return box.facts.name is not None and box.facts.name == box.label and last


def _of_box(box: Box, history: History, reached: dict[str, str]) -> Iterator[Row]:
    facts = box.facts
    yield ["tensor", box.label or "without a name"]
    yield ["shape", f"{list(facts.shape)}" if facts.shape else "[], a scalar"]
    yield ["dtype", f"{facts.dtype}, {bytes_text(facts.nbytes)}"]
    asks = "asks for a gradient" if facts.requires_grad else "asks for no gradient"
    yield ["kind", f"{'leaf' if box.is_leaf else 'not a leaf'}; {asks}"]
    if box.shares_with:
        yield ["memory", f"shared with {box.shares_with}"]
    made = history.ops[box.op] if box.op is not None else None
    if made is not None:
        yield ["made by", made.name, made.born]
        yield from _line(made.event.where, box.born)
    if facts.expression and facts.expression != box.label:
        yield ["expression", facts.expression]
    if made is not None and made.id in reached:
        yield ["its node", reached[made.id]]
    elif box.id in reached:
        yield ["its node", f"{reached[box.id]}, an AccumulateGrad"]


def _of_op(op: Op, history: History, reached: dict[str, str]) -> Iterator[Row]:
    yield ["node" if op.node is not None else "op", op.name if op.node is not None else f"{op.name}, not recorded"]
    if formula := formula_of(op.name) if op.node is not None else "":
        yield ["gradient", formula]
    takes = ", ".join(_operand(op, number, history) for number in range(len(op.uses)))
    yield ["takes", takes or "nothing"]
    yield ["makes", ", ".join(history.boxes[box].label or "an unnamed tensor" for box in op.outputs)]
    if isinstance(op.event, OpApplied):
        for name, value in op.event.attributes.items():
            yield [name, str(value)]
    if op.node is not None:
        saved, count = bytes_text(sum(slot.nbytes for slot in op.slots)), len(op.slots)
        yield ["saves", f"{count} value{'s' * (count > 1)}, {saved}" if count else "nothing"]
    yield from _line(op.event.where, op.born)
    if op.id in reached:
        yield ["reached by", reached[op.id]]


def _operand(op: Op, number: int, history: History) -> str:
    use = op.uses[number]
    if use.box is None:
        return numeral(use.operand.number)
    way = "" if use.operand.edge is None else f" (edge {use.operand.edge})"
    return (history.boxes[use.box].label or "an unnamed tensor") + way


def _of_slot(slot: TensorSaved, op: Op, history: History, reached: dict[str, str]) -> Iterator[Row]:
    yield ["slot", f"_saved_{slot.slot} of {op.name}"]
    if slot.packed:
        yield ["holds", "what a pack hook returned; backward has it unpacked"]
    elif slot.tensor is None:
        yield ["holds", f"the number {numeral(slot.number)}"]
    else:
        box = history.boxes.get(history.box_of(slot.tensor) or "")
        yield ["holds", f"{(box.label if box else '') or 'an unnamed tensor'} at version {slot.version}"]
        yield ["bytes", bytes_text(slot.nbytes)]
    yield from _line(slot.where, op.born)
    if op.id in reached:
        yield ["reached by", f"{reached[op.id]}._saved_{slot.slot}"]


def _line(where: Where | None, step: int) -> Iterator[Row]:
    if where is not None:
        yield ["line", f"{where.line}: {where.text.strip()}", step]
