"""What the demonstrations of graph memory claim, asked of real PyTorch: the same step of the same network."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograd_lab
from autograd_lab import record
from autograd_lab.events import BackwardStarted, OpApplied, SavedFreed, TensorSaved
from autograd_lab.memory.meter import SMALL, kept_by

torch = pytest.importorskip("torch")
pytest.importorskip("ml_dtypes")

LAYERS, WIDTH, BATCH = 8, 16, 64
Step = Callable[[Any], Any]


def filled(m: Any, *shape: int, seed: int) -> Any:
    """A tensor of the same normal numbers in either world."""
    return m.tensor(np.random.default_rng(seed).normal(size=shape).astype(np.float32).tolist())


def network(m: Any, width: int = WIDTH, batch: int = BATCH, layers: int = LAYERS) -> tuple[Any, Any, Any]:
    net = m.nn.Sequential(*[layer for _ in range(layers) for layer in (m.nn.Linear(width, width), m.nn.ReLU())])
    with m.no_grad():
        for number, parameter in enumerate(net.parameters()):
            parameter.copy_(filled(m, *parameter.shape, seed=number) / width**0.5)
    return net, filled(m, batch, width, seed=100), filled(m, batch, width, seed=101)


def plain(m: Any) -> Any:
    net, x, target = network(m)
    return lambda: m.nn.functional.mse_loss(net(x), target)


def in_float16(m: Any) -> Any:
    return m.autocast("cpu", dtype=m.float16)(plain(m))


def in_bfloat16(m: Any) -> Any:
    return m.autocast("cpu", dtype=m.bfloat16)(plain(m))


def with_checkpoints(m: Any) -> Any:
    net, x, target = network(m)

    def forward() -> Any:
        h = x
        for at in range(0, 2 * LAYERS, 4):
            h = m.utils.checkpoint.checkpoint(net[at : at + 4], h, use_reentrant=False)
        return m.nn.functional.mse_loss(h, target)

    return forward


def offloaded(m: Any) -> Any:
    forward = plain(m)

    def inside() -> Any:
        with m.autograd.graph.save_on_cpu():
            return forward()

    return inside


@pytest.mark.parametrize(
    "step", [plain, in_float16, in_bfloat16, with_checkpoints, offloaded], ids=lambda s: s.__name__
)
def test_pytorch_saves_the_same_slots_frees_them_in_the_same_order_and_runs_the_same_ops_again(step: Step) -> None:
    ours, theirs = told(autograd_lab, step), told(torch, step)
    assert ours == theirs
    assert len(ours) > 4 * LAYERS


def told(m: Any, step: Step) -> list[tuple[Any, ...]]:
    """What a step saves, in which dtypes by the bytes, what it runs in forward and, again, in backward."""
    forward = step(m)
    with record() as trace:
        forward().backward()
    events: list[tuple[Any, ...]] = []
    for event in trace:
        match event:
            case OpApplied():
                events.append(("op", event.name))
            case TensorSaved():
                events.append(("saved", event.slot, event.nbytes, event.packed))
            case SavedFreed() | BackwardStarted():
                events.append((event.kind,))
    return events


@pytest.mark.parametrize("step", [plain, in_float16, in_bfloat16], ids=lambda step: step.__name__)
def test_a_graph_of_pytorchs_keeps_the_bytes_that_are_drawn(step: Step) -> None:
    drawn = sorted(one.nbytes for one in kept_by(step(autograd_lab)))
    assert drawn == sorted(storages(step(torch)))
    assert len(drawn) >= LAYERS


def storages(forward: Any) -> list[int]:
    """The bytes of each memory that PyTorch's graph keeps alive, but for small ones, and those that were there.

    A compiler's tensors, which have no memory, may be left in this process by another test.
    """
    plain = (torch.Tensor, torch.nn.Parameter)
    there = [
        each for each in gc.get_objects() if type(each) in plain and each.device.type == "cpu" and not each.is_sparse
    ]
    found = {each.untyped_storage().data_ptr(): each.untyped_storage().nbytes() for each in saved(forward().grad_fn)}
    known = {each.untyped_storage().data_ptr() for each in there}
    return [nbytes for place, nbytes in found.items() if nbytes >= SMALL and place not in known]


def saved(last: Any) -> list[Any]:
    values = [getattr(node, name) for node in nodes(last) for name in dir(node) if name.startswith("_saved_")]
    return [value for value in values if isinstance(value, torch.Tensor)]


def nodes(last: Any) -> Iterator[Any]:
    found, waiting = {last}, [last]
    while waiting:
        yield waiting[-1]
        for node, _ in waiting.pop().next_functions:
            if node is not None and node not in found:
                found.add(node)
                waiting.append(node)


def test_pytorch_hands_as_many_bytes_to_a_hook_as_are_said_to_lie_in_the_file() -> None:
    handed: list[int] = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: handed.append(t.nbytes) or t, lambda t: t):
        plain(torch)()
    drawn = [one.nbytes for one in kept_by(offloaded(autograd_lab)) if one.elsewhere]
    assert sorted(handed) == sorted(drawn)


def test_in_pytorch_the_same_share_of_gradients_vanishes_and_scaling_saves_them() -> None:
    shares = {m.__name__: vanished(m) for m in (autograd_lab, torch)}
    ours, theirs = shares.values()
    assert ours == pytest.approx(theirs, abs=0.01)
    without, scaled, in_bfloat16 = theirs
    assert without > 0.02 and scaled < 0.01 and in_bfloat16 < 0.01


def vanished(m: Any) -> list[float]:
    """The share of gradients that become 0 in float16, there with the loss scaled, and in bfloat16."""
    net, x, target = network(m, 64, 512, 16)

    def gradients(dtype: Any, scale: float = 1.0) -> Any:
        net.zero_grad()
        optimizer = m.optim.SGD(net.parameters(), lr=0.1)
        scaler = m.amp.GradScaler("cpu", init_scale=scale)
        with m.autocast("cpu", dtype=dtype or m.float32, enabled=dtype is not None):
            loss = m.nn.functional.mse_loss(net(x), target)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        return np.concatenate([one.grad.numpy().ravel() for one in net.parameters()])

    exact = gradients(None)
    found = [gradients(m.float16), gradients(m.float16, 2.0**16), gradients(m.bfloat16)]
    return [float(((one == 0) & (exact != 0)).sum() / (exact != 0).sum()) for one in found]
