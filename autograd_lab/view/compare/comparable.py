"""Aspects: what can be compared of an op, a tensor, its `.grad` or a saved value with their partners in another trace.

An aspect is a text or a value. What moves on at each step, such as how far backward has come, is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from autograd_lab.events import Value
from autograd_lab.view.graph.facts.history import Box, History, Op
from autograd_lab.view.graph.facts.state import FREED, RETAINED, GraphState
from autograd_lab.view.graph.words.phrase import in_words
from autograd_lab.view.kit.numeral import numeral
from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.languages.speaking import translated
from autograd_lab.view.languages.texts import worded

Aspects = Mapping[str, str | Value]

NEAR, ZERO = 2e-5, 2.0**-22
"""Floats are equal that differ by so much of the larger one, or of an array's largest, or by so little at all: two
engines round in their own ways."""
NEAR_OF = {"float64": (1e-10, 2.0**-44), "float16": (4e-3, 2.0**-13), "bfloat16": (3e-2, 2.0**-10)}
"""The same for types of other precision than float32."""


def parts_of(history: History) -> Iterator[Part]:
    """Everything that has aspects, drawn or not, as if each thing were a part: by its id, with no place."""
    nowhere = (0.0, 0.0, 0.0, 0.0)
    for op in history.ops.values():
        yield Part(op.id, "op", op.id, *nowhere)
        for number in range(len(op.slots)):
            yield Part(f"{op.id}.s{number}", "slot", op.id, *nowhere, number)
    for box in history.boxes.values():
        yield Part(box.id, "tensor", box.id, *nowhere)
        if box.has_grad:
            yield Part(f"{box.id}.grad", "grad", box.id, *nowhere)


@or_else({})
def aspects_of(part: Part, state: GraphState, history: History) -> Aspects:
    """What there is to compare in a state; nothing of what is not there yet."""
    owner: Op | Box = history.ops[part.of] if part.of in history.ops else history.boxes[part.of]
    if state.step < owner.born:
        return {}
    if isinstance(owner, Op):
        return dict(_of_slot(part.index, owner, state) if part.kind == "slot" else _of_op(owner))
    return dict(_of_grad(owner, state) if part.kind == "grad" else _of_box(owner, state))


Told = Iterator[tuple[str, str | Value]]


def _of_op(op: Op) -> Told:
    if op.event.where is not None:
        numbers = [numeral(use.operand.number) for use in op.uses if use.operand.number is not None]
        text = op.event.where.text.strip()
        unsaid = [number for number in numbers if number.removesuffix(".0") not in text]
        yield "program", text + (worded(" with {}", ", ".join(unsaid)) if unsaid else "")
    yield "recorded", worded("recorded") if op.node is not None else worded("not recorded")


def _of_slot(number: int, op: Op, state: GraphState) -> Told:
    slots = state.nodes[op.node].slots if op.node is not None and op.node in state.nodes else ()
    if number >= len(slots):
        return
    slot = slots[number]
    if slot.tensor is None and not slot.packed and slot.status != FREED:
        yield "number", numeral(slot.number)
    words = {FREED: worded("freed"), RETAINED: worded("kept")}
    is_packed = slot.packed and slot.status != FREED
    kept = worded("packed by a hook") if is_packed else words.get(slot.status, worded("saved"))
    now = state.version(slot.tensor).number if slot.tensor is not None and state.is_stale(slot) else None
    yield "kept", kept if now is None else worded("stale (saved at version {}, now {})", slot.version, now)


def _of_box(box: Box, state: GraphState) -> Told:
    tensor = state.tensors[box.facts.id]
    facts = box.facts if tensor.rewrites > box.rewrite else tensor.facts
    yield "shape", worded("shape {}", list(facts.shape))
    yield "dtype", facts.dtype
    yield "device", facts.device
    if tensor.rewrites > box.rewrite:
        yield "life", worded("overwritten")
        return
    yield "life", worded("not overwritten")
    yield "asks", worded("asks for a gradient") if tensor.requires_grad else worded("asks for no gradient")
    yield "version", worded("version {}", state.version(facts.id).number)
    if state.value_is_known(facts.id) and tensor.value != Value():
        yield "value", tensor.value


def _of_grad(box: Box, state: GraphState) -> Told:
    tensor = state.tensors[box.facts.id]
    if tensor.rewrites == box.rewrite and (tensor.requires_grad or tensor.grad is not None):
        yield "grad", tensor.grad or "None"


def unequal(one: Aspects, other: Aspects) -> Iterator[tuple[str, str, str]]:
    """The aspects in which two partners differ: name, and what to say of each. What one of them lacks is no aspect."""
    if one.get("shape") != other.get("shape"):  # then all else differs, too
        one, other = ({name: aspects[name] for name in ("shape",) if name in aspects} for aspects in (one, other))
    dtypes = {str(each.get("dtype", "")).removeprefix("torch.") for each in (one, other)}
    near = NEAR_OF.get(dtypes.pop(), (NEAR, ZERO)) if len(dtypes) == 1 else (NEAR, ZERO)
    for name in one:
        if name in other and not _equal(one[name], other[name], near):
            yield name, *_told_apart(one[name], other[name])


def _told_apart(one: str | Value, other: str | Value) -> tuple[str, str]:
    told, there = (translated(in_words(aspect)) if isinstance(aspect, Value) else aspect for aspect in (one, other))
    return (told, there) if told != there else (told, worded("{} of other numbers", there))


def _equal(one: str | Value, other: str | Value, near: tuple[float, float]) -> bool:
    if isinstance(one, Value) and isinstance(other, Value):
        return same_value(one, other, near)
    return one == other


def same_value(one: Value, other: Value, near: tuple[float, float] = (NEAR, ZERO)) -> bool:
    """Whether two values are equal as far as floats can be, by a share of the largest, and at all; NaN equals NaN."""
    elements = ["numbers", "minimum", "maximum"]
    if (one.blocks is None) == (other.blocks is None):  # else one of them is of an older trace
        elements.append("thumbnail" if one.blocks is None else "blocks")
    size = _size(elements, one, other)
    return (
        (one.nans, one.infs) == (other.nans, other.infs)
        and all(_close(getattr(one, name), getattr(other, name), size, near) for name in (*elements, "mean"))
        and _close(one.norm, other.norm, _size(("norm",), one, other), near)
    )


def _size(names: Iterable[str], *values: Value) -> float:
    """The largest finite number."""
    numbers = (number for name in names for value in values for number in _flat(getattr(value, name)))
    return max((abs(number) for number in numbers if math.isfinite(number)), default=0.0)


def _close(one: Any, other: Any, size: float, near: tuple[float, float]) -> bool:
    """Whether numbers, or lists of numbers, are equal beside what is `size` large."""
    here, there, most = _flat(one), _flat(other), max(near[1], near[0] * size)
    return len(here) == len(there) and all(
        abs(a - b) <= most if math.isfinite(a) and math.isfinite(b) else a == b or (math.isnan(a) and math.isnan(b))
        for a, b in zip(here, there, strict=True)
    )


def _flat(numbers: Any) -> list[float]:
    if isinstance(numbers, list):
        return [number for part in numbers for number in _flat(part)]
    return [] if numbers is None else [numbers]
