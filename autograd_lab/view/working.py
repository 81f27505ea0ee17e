"""The formula of a node with the numbers of one pass in it: `self: 1.0 × 4.0 = 4.0`. Of scalars alone."""

from __future__ import annotations

import re
from typing import Any

from autograd_lab.events import NodeEvaluated, OpApplied, Value
from autograd_lab.view.formula import formula_of
from autograd_lab.view.history import Op
from autograd_lab.view.numeral import numeral
from autograd_lab.view.state import GraphState

WORD = re.compile(r"[a-z_][a-z_0-9]*", re.IGNORECASE)


def worked(event: NodeEvaluated, op: Op, state: GraphState) -> str:
    """What the node that has just run computed, operand by operand; nothing where not all is one number each."""
    clauses = [clause.strip().partition(": ") for clause in formula_of(op.name).split(";")]
    names = {name for name, _, _ in clauses} | {"g", "y", "self", "alpha", "exponent"}
    known = _known(op, state)
    said = []
    for number, (name, _, formula) in enumerate(clauses):
        gradient = event.gradients[number] if number < len(event.gradients) else None
        result = None if gradient is None else _number(gradient)
        wanted = names & set(WORD.findall(formula))
        if result is None or not wanted or any(known.get(word) is None for word in wanted):
            continue
        said.append(f"{name}: {_filled(formula, {word: known[word] for word in wanted})} = {numeral(result)}")
    return ";  ".join(said)


def _known(op: Op, state: GraphState) -> dict[str, Any]:
    """The numbers that a formula can name: the gradient, what was saved, and what else belongs to the op."""
    assert op.node is not None
    node = state.node(op.node)
    known = dict(op.event.attributes) if isinstance(op.event, OpApplied) else {}
    if len(node.gathered) == 1 and node.gathered[0] is not None:
        known["g"] = _number(node.gathered[0])
    for slot in node.slots:
        if slot.tensor is None:
            known[slot.name] = slot.number
        elif state.value_is_known(slot.tensor):
            known["y" if slot.name == "result" else slot.name] = _number(state.tensors[slot.tensor].value)
    return known


def _number(value: Value) -> Any:
    return None if isinstance(value.numbers, list) else value.numbers


def _filled(formula: str, numbers: dict[str, Any]) -> str:
    def filled(word: re.Match[str]) -> str:
        if word[0] not in numbers:
            return word[0]
        text = numeral(numbers[word[0]])
        return f"({text})" if text.startswith("-") and word.start() else text

    return WORD.sub(filled, formula)
