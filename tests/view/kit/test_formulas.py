"""What the view writes down of an op's backward is what the engine's op computes: the view may not ask it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograd_lab
from autograd_lab.view.graph.words.working import PYTHON
from autograd_lab.view.kit.formula import FORMULAS, OTHERWISE, formula_of
from autograd_lab.view.kit.signs import base_of

USES = """
m.add(x, y, alpha=3); m.sub(x, y, alpha=2); m.rsub(x, y, alpha=2); m.rsub(x, 1.5, alpha=3); x * y; x * 2; x / y; x / 3
-x; x**2; x**3.5; x**-1; x**y; 2**x; x.exp(); x.log(); x.sqrt(); x.reciprocal(); x.sin(); x.cos(); x.tanh(); x.sigmoid()
(x - 1).relu(); (x - 1).abs(); x.sum(); x.sum(0); x.mean(); x.mean(1); x @ y; x.mv(y[0]); x[0].dot(y[1]); x.t()
m.addmm(x, x, y, beta=2, alpha=3); x.transpose(0, 1); x.view(9); x[:1].expand(3, 3); x.clone(); x.softmax(1)
x.log_softmax(1)
"""
EXPRESSIONS = [each.strip() for each in USES.replace("\n", ";").split(";") if each.strip()]
NOT_OURS = {"reshape"}
"""Names of nodes that only other engines record."""

FUNCTIONS = {"exp": np.exp, "log": np.log, "sin": np.sin, "cos": np.cos, "sign": np.sign}
IN_WORDS: dict[str, Callable[..., Any]] = {
    "g where y > 0, else 0": lambda g, y, self: np.where(y > 0, g, 0),
    "g, as often as elements were added": lambda g, y, self: np.broadcast_to(g, self.shape),
    "g ÷ number of elements, for each": lambda g, y, self: np.broadcast_to(g, self.shape) / self.size,
    "g ÷ number of elements of each mean, for each": lambda g, y, self: (g / self.shape[1])[:, None] + 0 * self,
    "outer product of g and vec": lambda g, y, self, vec: np.outer(g, vec),
    "g × beta, summed to its shape": lambda g, y, self, beta, **_: g * beta,
    "g, the same two dims exchanged": lambda g, y, self: g.swapaxes(0, 1),
    "g in the old shape": lambda g, y, self: g.reshape(self.shape),
    "g, summed over what was repeated": lambda g, y, self: g.sum(0, keepdims=True),
    "g − exp(y) × sum of g": lambda g, y, self: g - np.exp(y) * g.sum(1, keepdims=True),
    "y × (g − sum of g × y)": lambda g, y, self: y * (g - (g * y).sum(1, keepdims=True)),
}


def used(expression: str, seed: int) -> tuple[Any, dict[str, Any]]:
    """The node that an expression records, and what a formula can name."""
    random = np.random.default_rng(seed)
    x, y = (autograd_lab.tensor(random.uniform(0.5, 2, (3, 3)), requires_grad=True) for _ in range(2))
    z = eval(expression, {"m": autograd_lab, "x": x, "y": y})
    node = z.grad_fn
    operand = x - 1 if "(x - 1)" in expression else x
    known = {"g": random.uniform(-2, 2, tuple(z.shape)), "y": z.detach().numpy()}
    known |= {slot: array for slot, _, array, _ in node.saved_slots() if array is not None and slot != "result"}
    return node, {"self": operand.detach().numpy(), **known, **node.attributes()}


def computed(formula: str, known: dict[str, Any]) -> Any:
    if formula in IN_WORDS:
        wanted = IN_WORDS[formula].__code__.co_varnames
        return IN_WORDS[formula](**{name: known[name] for name in wanted if name in known})
    python = formula.replace("ᵀ", ".T").translate(PYTHON)
    return eval(python, {**FUNCTIONS, **known})


@pytest.mark.parametrize("expression", EXPRESSIONS)
@given(seed=st.integers(0, 10**6))
def test_what_is_said_of_a_node_is_what_it_sends(expression: str, seed: int) -> None:
    node, known = used(expression, seed)
    formulas = [clause.strip().partition(": ")[::2] for clause in formula_of(node.name()).split(";")]
    sent = node(autograd_lab.tensor(known["g"]))
    assert all(gradient is None for gradient in sent[len(formulas) :])
    for (_, formula), gradient in zip(formulas, sent, strict=False):
        if gradient is not None:
            np.testing.assert_allclose(gradient.detach().numpy(), computed(formula, known), rtol=1e-9, atol=1e-12)


def test_each_formula_is_held_to_the_node_that_it_is_of() -> None:
    names = {used(expression, 0)[0].name() for expression in EXPRESSIONS}
    assert {name for name, formula in OTHERWISE.items() if formula} <= names
    assert set(FORMULAS) - NOT_OURS <= {base_of(name) for name in names}
