"""Dicts of parameters in PyTorch's order, and hooks of modules that return what PyTorch takes."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import said

torch = pytest.importorskip("torch")

DICTS = """
nn.ParameterDict({"foo": m.ones(1), "bar": m.ones(2)})
list(nn.ParameterDict({"foo": m.ones(1), "bar": m.ones(2)}).state_dict())
nn.ParameterDict(nn.ParameterDict([("foo", m.ones(1)), ("bar", 3)]))
nn.ParameterDict([("foo", m.ones(1)), ("bar", m.ones(2))]).copy()
nn.ParameterDict({"foo": m.ones(1)}) | nn.ParameterDict({"bar": m.ones(2)})
list(reversed(nn.ParameterDict({"foo": m.ones(1), "bar": m.ones(2)})))
nn.ParameterDict().fromkeys(["b", "a"], m.ones(2))
nn.ParameterDict({"b": m.ones(1), "a": m.ones(2)}).popitem()
nn.ParameterDict({"b": m.ones(1)}).setdefault("b", m.ones(3))
nn.ParameterDict({"b": m.ones(1)}).setdefault("c", m.ones(3))
nn.ParameterDict({1: m.ones(2), "a": m.ones(1)})
""".strip().splitlines()


@pytest.mark.parametrize("text", DICTS)
def test_a_dict_of_parameters_is_pytorchs(text: str) -> None:
    assert said(autograd_lab, text) == said(torch, text)


def test_a_dict_of_parameters_takes_another() -> None:
    def story(m: Any) -> Any:
        kept = m.nn.ParameterDict({"z": m.ones(1), "b": m.ones(2)})
        kept |= m.nn.ParameterDict({"y": m.zeros(1), "b": m.zeros(2)})
        kept.update({"x": m.ones(3), "a": m.ones(3)})
        return kept, list(kept.parameters())

    assert said(autograd_lab, story) == said(torch, story)


@pytest.mark.parametrize(
    "returned",
    ["[one * 2 for one in g]", "tuple(one * 2 for one in g)", "[None]", "g[0] * 2", "g[0].unsqueeze(0)", "[]", "None"],
)
@pytest.mark.parametrize("kind", ["register_full_backward_hook", "register_full_backward_pre_hook"])
def test_a_hook_of_a_module_returns_gradients_in_a_list(returned: str, kind: str) -> None:
    def story(m: Any) -> Any:
        layer, x = m.nn.Linear(3, 2), m.ones(2, 3, requires_grad=True)
        m.nn.init.ones_(layer.weight)
        getattr(layer, kind)(lambda module, g, *_: eval(returned, {"g": g}))
        layer(x).sum().backward()
        return x.grad, layer.weight.grad

    assert said(autograd_lab, story) == said(torch, story)
