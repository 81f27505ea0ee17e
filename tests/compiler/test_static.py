"""Define-then-run: what can be checked before there are values, and what cannot be said."""

from __future__ import annotations

import numpy as np
import pytest

import autograd_lab as torch
from autograd_lab.compiler.static import GraphError, StaticGraph


def test_a_graph_is_declared_once_and_run_with_feeds() -> None:
    graph = StaticGraph()
    with graph:
        x = graph.placeholder("x", (3,), requires_grad=True)
        y = (x * x).sum()
        [slope] = torch.autograd.grad(y, x)
    for fed in ([1.0, 2.0, 3.0], [0.0, -1.0, 0.5]):
        value, gradient = graph.run([y, slope], {x: fed})
        assert value == np.square(fed).sum() and gradient.tolist() == (2 * np.array(fed)).tolist()


def test_shapes_are_checked_before_anything_runs() -> None:
    graph = StaticGraph()
    with graph, pytest.raises(RuntimeError, match="cannot be multiplied"):
        graph.placeholder("x", (2, 3)) @ graph.placeholder("w", (2, 3))


def test_a_feed_must_fit_and_be_there() -> None:
    graph = StaticGraph()
    with graph:
        x = graph.placeholder("x", (2,))
        y = x * 2
    with pytest.raises(GraphError, match=r"`x` is declared float32\[2\], but fed \[3\]"):
        graph.run(y, {x: [1, 2, 3]})
    with pytest.raises(GraphError, match="`x` is not fed"):
        graph.run(y, {})


def test_placeholders_that_nothing_depends_on_are_known_and_need_no_feed() -> None:
    graph = StaticGraph()
    with graph:
        x, z = graph.placeholder("x", (2,)), graph.placeholder("z", (2,))
        y = x + 1
        (z * 2).sum()
    assert graph.unused(y) == ["z"] and graph.run(y, {x: [1, 2]}).tolist() == [2, 3]


def test_a_branch_on_a_value_cannot_be_said_and_the_error_says_where() -> None:
    graph = StaticGraph()
    with pytest.raises(GraphError, match=r"`if x.sum\(\) > 0:`, asks for a value while the graph is declared"), graph:
        x = graph.placeholder("x", (2,))
        if x.sum() > 0:
            x = x * 2


def test_outside_of_a_declaration_the_engine_is_as_ever() -> None:
    with StaticGraph() as graph:
        graph.placeholder("x", (2,))
    x = torch.ones(2, requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2, 2]
