"""The formula of a node with the numbers of one pass in it: `self: 1.0 × 4.0 = 4.0`. Of scalars alone.

What does not come out is not said: a hook may have changed the gradient, or the formula be another one at 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from types import CodeType
from typing import Any

from autograd_lab.events import NodeEvaluated, OpApplied, Value
from autograd_lab.view.graph.facts.history import Op
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.kit.formula import formula_of
from autograd_lab.view.kit.numeral import numeral
from autograd_lab.view.kit.unknown import or_else

WORD = re.compile(r"[a-z_][a-z_0-9]*", re.IGNORECASE)
PYTHON = str.maketrans({"−": "-", "×": "*", "÷": "/", "^": "**", "²": "**2", "ᵀ": " transposed"})
FUNCTIONS = {
    "exp": math.exp, "log": math.log, "sin": math.sin, "cos": math.cos, "__builtins__": {},
    "sign": lambda x: math.copysign(x != 0, x),
}  # fmt: skip
CLOSE = 0.02
"""So far, relative to it, a result in half precision may be from what its formula gives."""


@or_else("")
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
        if result is None or not wanted or not all(isinstance(known.get(word), int | float) for word in wanted):
            continue
        if not _comes_out(formula, {word: known[word] for word in wanted}, result):
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


def _comes_out(formula: str, numbers: Mapping[str, Any], result: Any) -> bool:
    """Whether a formula of this package's own gives this result; one in words passes g on, or stops it."""
    code = _python(formula)
    try:
        expected: Any = numbers.get("g") if code is None else eval(code, {**FUNCTIONS, **_floats(numbers)})
    except (ArithmeticError, ValueError):
        return not math.isfinite(result)
    if isinstance(expected, complex) or not math.isfinite(expected):
        return not math.isfinite(result)
    return math.isclose(result, expected, rel_tol=CLOSE) or (code is None and result == 0)


def _floats(numbers: Mapping[str, Any]) -> dict[str, float]:
    """Numbers of which a power takes no time, be they ever so large."""
    return {name: float(number) for name, number in numbers.items()}


@cache
def _python(formula: str) -> CodeType | None:
    """The formula as Python, if it is not in words."""
    try:
        return compile(formula.translate(PYTHON), formula, "eval")
    except SyntaxError:
        return None


def _number(value: Value) -> Any:
    return None if isinstance(value.numbers, list) else value.numbers


def _filled(formula: str, numbers: dict[str, Any]) -> str:
    def filled(word: re.Match[str]) -> str:
        if word[0] not in numbers:
            return word[0]
        text = numeral(numbers[word[0]])
        return f"({text})" if text.startswith("-") and word.start() else text

    return WORD.sub(filled, formula)
