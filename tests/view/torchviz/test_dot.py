"""What `make_dot` draws: torchviz's graph to the character, for PyTorch's tensors and for ours."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import graphviz
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograd_lab as lab
from autograd_lab.view.torchviz.dot import make_dot
from tests.view.torchviz.programs import EVERYWHERE, IN_TORCH

torch = pytest.importorskip("torch")

MODES = [{}, {"show_saved": True}, {"show_attrs": True}, {"show_attrs": True, "show_saved": True, "max_attr_chars": 5}]
"""What may be asked for besides the graph."""


def renamed(dot: graphviz.Digraph) -> str:
    """The source with nodes called by the order in which they appear, not by their place in memory."""
    names: dict[str, str] = {}
    return re.sub(r"\b\d{9,}\b", lambda it: names.setdefault(it[0], f"k{len(names)}"), dot.source)


def with_torchviz(var: Any, params: dict[str, Any], **mode: Any) -> str:
    torchviz = pytest.importorskip("torchviz", exc_type=ImportError)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return renamed(torchviz.make_dot(var, params, **mode))


@pytest.mark.parametrize("program", [*EVERYWHERE, *IN_TORCH], ids=lambda program: program.__name__)
def test_the_source_is_torchvizs_to_the_character(program: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what PyTorch says of layouts in beta and the like
        output, params = program(torch)
    for mode in MODES:
        assert renamed(make_dot(output, params, **mode)) == with_torchviz(output, params, **mode)


@pytest.mark.parametrize("program", EVERYWHERE, ids=lambda program: program.__name__)
def test_our_engine_and_pytorch_give_the_same_graph(program: Callable[..., Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = program(lab), program(torch)
    for mode in MODES:
        assert renamed(make_dot(*ours, **mode)) == renamed(make_dot(*theirs, **mode))


STEPS: list[Callable[..., Any]] = [
    lambda m, x, y: x + y,
    lambda m, x, y: x * y,
    lambda m, x, y: x - 2 * y,
    lambda m, x, y: x / (y.abs() + 1),
    lambda m, x, y: x.exp() - y.tanh(),
    lambda m, x, y: m.sigmoid(x) ** 2,
    lambda m, x, y: x.relu(),
    lambda m, x, y: m.maximum(x, y).sum(0, keepdim=True).expand(2, 2),
    lambda m, x, y: x @ y,
    lambda m, x, y: x.t(),
    lambda m, x, y: x[:, 1].view(2, 1).sum() + y,
    lambda m, x, y: m.cat([x, y])[1:3],
    lambda m, x, y: m.stack([x[0], y[:, 1]]),
    lambda m, x, y: m.where(x > 0, x, y),
    lambda m, x, y: x.softmax(1),
    lambda m, x, y: x.detach(),
    lambda m, x, y: x.clone().mul_(y).add_(1),
    lambda m, x, y: x.add_(1),
    lambda m, x, y: x[0].mul_(2),
    lambda m, x, y: m.autograd.grad((x * y).sum(), x, create_graph=True)[0],
]
"""Ops on matrices of two rows and two columns, one or several nodes each; some are refused for some operands."""
GRADIENT = len(STEPS) - 1


def run(m: Any, steps: list[tuple[int, int, int]], outputs: list[int]) -> tuple[Any, dict[str, Any]]:
    """A random program: each step adds a matrix, made of two before; those of `outputs`, counted back, are drawn."""
    a = m.tensor([[0.5, -1.0], [2.0, 0.1]], requires_grad=True)
    b = m.tensor([[1.0, 0.3], [-0.2, 1.5]], requires_grad=True)
    pool = [a, b, m.ones(2, 2)]
    for op, first, second in steps:
        try:
            made = STEPS[op](m, pool[first % len(pool)], pool[second % len(pool)])
        except RuntimeError:
            continue
        pool += [made] if made.shape == (2, 2) else []
    return tuple(pool[-1 - at % len(pool)] for at in outputs), {"a": a, "b": b}


def without_strides(source: str) -> str:
    """PyTorch gives a sum of different layouts the first one's, we give it numpy's."""
    return re.sub(r"(?<=strides)( *:).*", "", source)


@given(
    st.lists(st.tuples(st.integers(0, len(STEPS) - 1), st.integers(0, 20), st.integers(0, 20)), max_size=14),
    st.lists(st.integers(0, 3), min_size=1, max_size=3),
    st.sampled_from(MODES),
)
def test_random_expressions_have_one_graph_in_torchviz_and_in_both_worlds(
    steps: list[tuple[int, int, int]], outputs: list[int], mode: dict[str, Any]
) -> None:
    theirs, ours = run(torch, steps, outputs), run(lab, steps, outputs)
    if GRADIENT in [op for op, _, _ in steps]:
        mode = {}  # what the nodes of a gradient's own graph save is not all told
    drawn = renamed(make_dot(*theirs, **mode))
    assert without_strides(renamed(make_dot(*ours, **mode))) == without_strides(drawn)
    try:
        expected = with_torchviz(*theirs, **mode)
    except RuntimeError:  # it stops at what was overwritten
        assert "stale" in drawn
    else:
        assert drawn == expected


def labels(dot: graphviz.Digraph) -> list[str]:
    return [attrs["label"] for attrs in dot.cells.values()]


def test_tensors_in_lists_dicts_and_what_is_nested_are_outputs_called_by_their_keys() -> None:
    x = torch.ones(2, requires_grad=True)
    loss, h, c = x.sum(), x * 2, x * 3
    dot = make_dot({"loss": loss, "state": {"cells": [h, c]}, 7: x}, {"input": x})
    green = [cell["label"] for cell in dot.cells.values() if cell.get("fillcolor") == "darkolivegreen1"]
    assert green == ["loss\n ()", "state.cells\n (2)", "state.cells\n (2)"]
    assert renamed(make_dot([h, [c]])) == renamed(make_dot((h, c)))


@pytest.mark.parametrize("wrong", [3.0, None, "y", (1, 2), {"y": None}, torch.nn.Linear(1, 1)])
def test_something_that_is_no_tensor_is_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match="make_dot draws a tensor, or tuples, lists and dicts of tensors, not"):
        make_dot(wrong)


def test_params_that_name_nothing_are_refused_with_the_right_call() -> None:
    net = torch.nn.Linear(1, 1)
    with pytest.raises(TypeError, match=r"params maps names to tensors, as dict\(model.named_parameters\(\)\)"):
        make_dot(net(torch.ones(1)), net.named_parameters())


@pytest.mark.parametrize("form", ["dot = make_dot(x * x)", "dot = make_dot([x * x], show_attrs=True, show_saved=True)"])
def test_drawing_our_own_tensors_imports_no_torch(form: str) -> None:
    program = (
        "import sys, autograd_lab as lab; from autograd_lab.view.torchviz.dot import make_dot; "
        f"x = lab.tensor(1., requires_grad=True); {form}; dot.source; sys.exit('torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
