"""`functional_call`: a module as a function of its parameters, which it has again afterwards."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import filled, said

torch = pytest.importorskip("torch")


def same(story: Any) -> None:
    assert said(autograd_lab, story) == said(torch, story)


def test_a_module_computes_with_the_tensors_given_and_keeps_its_own() -> None:
    def story(m: Any) -> list[Any]:
        model, weight = filled(m.nn.Linear(2, 1)), m.ones(1, 2, requires_grad=True)
        before = model.weight
        found = m.func.functional_call(model, {"weight": weight}, m.ones(3, 2))
        found.sum().backward()
        return [found, weight.grad, model.weight is before, before.grad, model.bias.grad]

    same(story)


def test_buffers_are_exchanged_too() -> None:
    def story(m: Any) -> list[Any]:
        model = m.nn.BatchNorm1d(2).eval()
        given = ({"weight": m.ones(2) * 3}, {"running_mean": m.ones(2)})
        return [m.func.functional_call(model, given, (m.ones(1, 2),)), model.running_mean]

    same(story)


def test_a_tied_weight_is_exchanged_wherever_it_is() -> None:
    def story(m: Any) -> list[Any]:
        model = m.nn.Sequential(m.nn.Linear(2, 2, bias=False), m.nn.Linear(2, 2, bias=False))
        filled(model)
        model[1].weight = model[0].weight
        x, weight = m.ones(2), m.eye(2) * 3
        tied = m.func.functional_call(model, {"0.weight": weight}, x)
        return [tied, m.func.functional_call(model, {"0.weight": weight}, x, tie_weights=False)]

    same(story)


def test_attributes_are_exchanged_where_nothing_is_said_to_be_strict() -> None:
    def story(m: Any) -> list[Any]:
        class Scaled(m.nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.inner = m.nn.Identity()
                self.scale = m.ones(2)

            def forward(self, x: Any) -> Any:
                return x * self.scale + getattr(self.inner, "shift", 0)

        model, x = Scaled(), m.ones(2)
        given = {"scale": m.full((2,), 3.0), "inner.shift": m.full((2,), 0.5)}
        found = m.func.functional_call(model, given, x)
        return [
            found,
            model.scale,
            hasattr(model.inner, "shift"),
            sorted(vars(model.inner)) == sorted(vars(Scaled().inner)),
        ]

    same(story)


def test_an_error_leaves_the_module_as_it_was() -> None:
    model = autograd_lab.nn.Linear(2, 1)
    before = model.weight
    with pytest.raises(RuntimeError):
        autograd_lab.func.functional_call(model, {"weight": autograd_lab.ones(5)}, autograd_lab.ones(3, 2))
    assert model.weight is before


REFUSED = """
F.functional_call(nn.Linear(2, 1), {"w": m.ones(1, 2)}, m.ones(2), strict=True)
F.functional_call(nn.Linear(2, 1), {"w": m.ones(1, 2)}, m.ones(2)) is None
F.functional_call(nn.Linear(2, 1), {"w.x": m.ones(1, 2)}, m.ones(2))
F.functional_call(nn.Linear(2, 1), {"in_features": m.ones(1, 2)}, m.ones(2))
F.functional_call(nn.Linear(2, 1), {"in_features.x": m.ones(1, 2)}, m.ones(2))
F.functional_call(nn.Linear(2, 1), 3, m.ones(2))
F.functional_call(nn.Linear(2, 1), [3], m.ones(2))
F.functional_call(nn.Linear(2, 1), ({"weight": m.ones(1, 2)}, {"weight": m.ones(1, 2)}), m.ones(2))
F.functional_call(nn.Linear(2, 1), ({"weight": 1, "bias": 2, "a": 3}, {"bias": 4, "weight": 5}), m.ones(2))
F.functional_call(nn.BatchNorm1d(2), {"z": 1, "weight": 2, "a": 3}, m.ones(2), strict=True)
F.stack_module_state([])
F.stack_module_state([nn.Linear(1, 1), nn.ReLU()])
F.stack_module_state([nn.Linear(1, 1), nn.Linear(1, 1).eval()])
"""


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_what_cannot_be_is_refused_as_by_pytorch(text: str) -> None:
    same(lambda m: eval(text, {"m": m, "F": m.func, "nn": m.nn}))
