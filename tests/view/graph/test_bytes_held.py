"""The bytes that a graph holds for backward, as the player, its captions and its inspector tell them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import autograd_lab
from autograd_lab.view.graph.facts.timeline import states
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.scene import make_scene
from tests.story import recorded

torch = pytest.importorskip("torch")


def a_square(m: Any) -> Any:
    x = m.tensor(3.0, requires_grad=True)
    return x * x


def two_nodes_and_one_weight(m: Any) -> Any:
    w = m.ones(8, requires_grad=True)
    return (w * w).sum() + (w * w).sum()


def a_view_and_the_whole(m: Any) -> Any:
    h = m.ones(8, requires_grad=True).exp()
    return h.sum() + (h[:2] * h[:2]).sum()


def two_tensors(m: Any) -> Any:
    a, b = m.ones(8, requires_grad=True), m.ones(8, requires_grad=True)
    return (a * b).sum()


PROGRAMS: list[Callable[[Any], Any]] = [a_square, two_nodes_and_one_weight, a_view_and_the_whole, two_tensors]


def memory_of(result: Any) -> int:
    """The bytes of the storages that the nodes of a graph of real PyTorch hold."""
    storages, nodes = {}, [result.grad_fn]
    while nodes:
        node = nodes.pop()
        for name in (name for name in dir(node) if name.startswith("_saved_")):
            saved = getattr(node, name)
            if isinstance(saved, torch.Tensor):
                storages[saved.untyped_storage().data_ptr()] = saved.untyped_storage().nbytes()
        nodes += [node for node, _ in node.next_functions if node is not None]
    return sum(storages.values())


@pytest.mark.parametrize("world", [autograd_lab, torch], ids=["own", "torch"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_bytes_held_are_those_of_the_memory_that_a_graph_of_pytorch_holds(program: Any, world: Any) -> None:
    state = list(states(recorded(program, world)))[-1]
    assert state.held == memory_of(program(torch))


@pytest.mark.parametrize("world", [autograd_lab, torch], ids=["own", "torch"])
def test_a_tensor_saved_in_two_slots_is_told_once_by_captions_and_inspector(world: Any) -> None:
    def program(m: Any) -> None:
        a_square(m).backward()

    film = film_of(make_scene(recorded(program, world)))
    assert max(held for _, held in film["held"]) == 4
    assert any("lets go of what it saved (4 B)" in caption for caption in film["captions"])
    assert "2 values, 4 B" in str(film)
