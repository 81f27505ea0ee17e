"""What a function that is being transformed must not do, and what it is told: PyTorch's words."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import said

torch = pytest.importorskip("torch")

TRANSFORMS = """
F.vmap(f)(x)
F.grad(f)(x)
F.grad_and_value(f)(x)
F.vjp(f, x)[0]
F.jvp(f, (x,), (x,))
F.jacrev(f)(x)
F.jacfwd(f)(x)
F.hessian(f)(x)
F.vmap(F.grad(f))(x)
F.functionalize(f)(x)
F.functional_call(Calls(f), {}, (x,))
"""
FUNCTIONS: dict[str, str] = {
    "a flag is switched": "x.requires_grad_() * 2",
    "a flag of a new tensor is switched": "m.ones(3).requires_grad_().sum() * x",
    "a gradient is to be kept": "kept(x.sin()) * 2",
    "a backward pass": "x * 2 if m.ones(1, requires_grad=True).sum().backward() is None else x",
    "a Jacobian": "m.autograd.functional.jacobian(m.sin, x)",
    "a product with a Jacobian": "m.autograd.functional.vjp(lambda x: x.sin().sum(), x)[1]",
    "an op of the user's own without setup_context": "Sine.apply(x)",
}


def _names(m: Any) -> dict[str, Any]:
    class Calls(m.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, function: Any) -> None:
            super().__init__()
            self.function = function

        def forward(self, x: Any) -> Any:
            return self.function(x)

    class Sine(m.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.sin()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    def kept(x: Any) -> Any:
        if x.requires_grad:
            x.retain_grad()
        return x

    return {"m": m, "F": m.func, "Calls": Calls, "Sine": Sine, "kept": kept}


@pytest.mark.parametrize("inside", FUNCTIONS)
@pytest.mark.parametrize("transform", TRANSFORMS.strip().splitlines())
def test_changing_a_graph_by_hand_is_refused_inside(transform: str, inside: str) -> None:
    def story(m: Any) -> Any:
        names = _names(m) | {"x": m.tensor([0.5, 1.0, 2.0])}
        names["f"] = lambda x: eval(FUNCTIONS[inside], names | {"x": x}).sum()
        return eval(transform, names)

    assert said(autograd_lab, story)[0] == said(torch, story)[0]  # PyTorch warns of its own making


@pytest.mark.parametrize("transform", TRANSFORMS.strip().splitlines())
@pytest.mark.parametrize("around", [True, False])
def test_saved_tensor_hooks_are_refused_where_a_graph_is_gone_back_through(transform: str, around: bool) -> None:
    def story(m: Any) -> Any:
        def kept(x: Any) -> Any:
            with m.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
                return x.sin().sum()

        names = _names(m) | {"x": m.tensor([0.5, 1.0, 2.0]), "f": (lambda x: x.sin().sum()) if around else kept}
        if not around:
            return eval(transform, names)
        with m.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
            return eval(transform, names)

    assert said(autograd_lab, story)[0] == said(torch, story)[0]  # PyTorch warns of its own making


def test_outside_all_of_it_works_again() -> None:
    m = autograd_lab
    with pytest.raises(RuntimeError, match="requires_grad_"):
        m.func.grad(lambda x: x.requires_grad_())(m.ones(()))
    x = m.ones(2).requires_grad_()
    with m.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        x.sin().sum().backward()
    assert x.grad is not None


@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_functional_jacobians_may_switch_flags_in_any_strategy(strategy: str) -> None:
    def story(m: Any) -> Any:
        def f(x: Any) -> Any:
            return x.pow(3).sum() + m.ones(2).requires_grad_().sum()

        x = m.tensor([0.5, 1.0])
        return m.autograd.functional.hessian(f, x, vectorize=True, outer_jacobian_strategy=strategy).detach()

    assert said(autograd_lab, story)[0] == said(torch, story)[0]  # PyTorch warns of its own making
