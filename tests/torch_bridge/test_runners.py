"""What runs the user's modules, a trainer or DistributedDataParallel, is no part of the story; what it runs is."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from autograd_lab import record  # noqa: E402
from autograd_lab.events import (  # noqa: E402
    BackwardStarted,
    GradAccumulated,
    GradModeChanged,
    ModuleEntered,
    OpApplied,
    OptimizerEntered,
    TensorCreated,
    TensorModified,
)
from autograd_lab.trace import Trace  # noqa: E402
from autograd_lab.whose import STANDARD_LIBRARY, is_users  # noqa: E402
from tests.story import story  # noqa: E402
from tests.torch_bridge.watching import assert_unchanged, strictly  # noqa: E402

torch.set_num_threads(1)
Made = Callable[[], Any]


@contextmanager
def one_process(folder: Path) -> Iterator[None]:
    """A group of processes with one member."""
    store = f"file://{folder / 'store'}"
    torch.distributed.init_process_group("gloo", init_method=store, rank=0, world_size=1)
    try:
        yield
    finally:
        torch.distributed.destroy_process_group()
        (folder / "store").unlink(missing_ok=True)


class Net(nn.Module):  # type: ignore[misc]  # torch is not typed everywhere
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        return self.last(torch.relu(self.norm(self.first(x)))) * 2


def layers() -> Any:
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


def trained(made: Made, wrap: Callable[[Any], Any], steps: int = 2) -> Any:
    """A few steps of training; what is left of the gradients, and the parameters."""
    torch.manual_seed(0)
    m = wrap(made())
    optimizer = torch.optim.SGD(m.parameters(), lr=0.1)
    x = torch.linspace(-1, 1, 15).reshape(5, 3)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (m(x) ** 2).mean()
        loss.backward()
        nn.utils.clip_grad_norm_(m.parameters(), 0.5)
        optimizer.step()
    return [one.grad for one in m.parameters()], [one.detach() for one in m.parameters()]


def recorded(made: Made, wrap: Callable[[Any], Any]) -> Trace:
    with strictly(), record() as trace:
        trained(made, wrap)
    return trace


def told(trace: Trace) -> list[Any]:
    """A story without what a wrapper is: the call of it, its part in names, and how often it wrote what was there."""
    events = []
    for event in story(trace):
        if event.get("type") == "DistributedDataParallel":
            continue
        text = re.sub(r"(?<=[.'])module(\.|(?='))", "", repr(event))
        text = re.sub(r"'(version|parameters|root|where)': ({.*?}|'.*?'|\d+),? ?", "", text)
        events.append(re.sub(r"'module': '', ", "", text))
    return events


def ddp(**options: Any) -> Callable[[Any], Any]:
    return lambda module: nn.parallel.DistributedDataParallel(module, **options)


# --- DistributedDataParallel and fully_shard --------------------------------------------------------------------------


@pytest.mark.parametrize("made", [Net, layers])
def test_a_model_tells_the_same_inside_of_ddp(made: Made, tmp_path: Path) -> None:
    alone = recorded(made, lambda module: module)
    with one_process(tmp_path):
        wrapped = recorded(made, ddp())
    assert told(wrapped) == told(alone)
    assert next(one.type for one in wrapped if isinstance(one, ModuleEntered)) == "DistributedDataParallel"


@pytest.mark.parametrize("options", [{}, {"gradient_as_bucket_view": True}, {"static_graph": True}], ids=str)
def test_ddp_computes_the_same_when_it_is_recorded(options: dict[str, Any], tmp_path: Path) -> None:
    with one_process(tmp_path):
        assert_unchanged(lambda: trained(Net, ddp(**options)))


def test_gradients_that_processes_share_are_told_as_they_come_to_be(tmp_path: Path) -> None:
    def doubled(_, bucket):  # type: ignore[no-untyped-def]  # DDP reads annotations
        done = torch.futures.Future()
        done.set_result(bucket.buffer() * 2)
        return done

    def wrap(module: Any) -> Any:
        wrapped = ddp()(module)
        wrapped.register_comm_hook(None, doubled)
        return wrapped

    with one_process(tmp_path):
        trace = recorded(layers, wrap)
    own = {one.grad: one.total for one in trace if isinstance(one, GradAccumulated)}
    shared = {one.tensor: one.value for one in trace if isinstance(one, TensorModified) and one.op == "all_reduce"}
    assert shared.keys() == own.keys()
    for grad, value in shared.items():
        assert torch.equal(torch.tensor(value.numbers), 2 * torch.tensor(own[grad].numbers))
    assert not [one.name for one in trace if isinstance(one, OpApplied) and one.where is None]


def test_a_collective_is_no_op_and_tells_nothing_if_it_changes_nothing(tmp_path: Path) -> None:
    x = torch.ones(2)
    with one_process(tmp_path), strictly(), record() as trace:
        y = x + 1
        torch.distributed.all_reduce(x)
        z = y * x
    assert [one.name for one in trace if isinstance(one, OpApplied)] == ["add", "mul"] and z is not None
    assert not any(isinstance(one, TensorModified) for one in trace)


def test_a_sharded_model_tells_the_ops_of_its_layers_and_the_values_that_are_gathered(tmp_path: Path) -> None:
    shard = pytest.importorskip("torch.distributed.fsdp")
    mesh = pytest.importorskip("torch.distributed.device_mesh")
    if not hasattr(shard, "fully_shard"):
        pytest.skip("this PyTorch has no fully_shard")

    def wrap(module: Any) -> Any:
        group = mesh.init_device_mesh("cpu", (1,))
        shard.fully_shard(module[0], mesh=group)
        shard.fully_shard(module, mesh=group)
        return module

    alone = recorded(layers, lambda module: module)
    with one_process(tmp_path):
        sharded = recorded(layers, wrap)
    ops = [[one for one in trace if isinstance(one, OpApplied)] for trace in (alone, sharded)]
    assert [one.name for one in ops[1]] == [one.name for one in ops[0]]
    assert [one.outputs[0].value for one in ops[1]] == [one.outputs[0].value for one in ops[0]]
    known = {one.tensor.name for one in sharded if isinstance(one, TensorCreated)}
    assert {"m.0.weight", "m.0.bias", "m.2.weight", "m.2.bias"} <= known
    written = [one for one in alone if isinstance(one, TensorModified) and one.op == "add_"][:4]  # by the first step
    gathered = [one for one in sharded if isinstance(one, TensorModified) and one.op == "all_gather"]
    assert sorted(map(repr, (one.value for one in gathered))) == sorted(map(repr, (one.value for one in written)))


# --- trainers ---------------------------------------------------------------------------------------------------------

TRAINER = """
import torch

def fit(model, data, optimizer, steps=1):
    scale = torch.ones(()) * 2
    with torch.no_grad():
        model.validate(data)
    for _ in range(steps):
        def closure():
            loss = model(data).sum() / (scale / 2)
            optimizer.zero_grad()
            loss.backward()
            return loss.detach().clone()
        optimizer.step(closure)
    return scale

def run(module, x):
    seen = x.clone() * 1
    return module(x)

def change(tensor, by):
    with torch.no_grad():
        tensor.add_(by)
    tensor.detach().mul_(1)

def reduced(x):
    return x.sum() / x.numel()
"""


@pytest.fixture(params=["lightning", "pytorch_lightning", "accelerate", "torchmetrics"])
def trainer(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A small trainer, installed under the name of one."""
    package = tmp_path / "site-packages" / request.param
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(TRAINER)
    monkeypatch.syspath_prepend(package.parent)
    monkeypatch.delitem(sys.modules, request.param, raising=False)
    yield importlib.import_module(request.param)
    sys.modules.pop(request.param, None)


class Validated(nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor([1.0, 2.0]))

    def forward(self, x: Any) -> Any:
        return (self.w * x).exp()

    def validate(self, x: Any) -> Any:
        return self.w - x


def test_a_trainer_is_quiet_and_what_it_runs_is_told(trainer: Any) -> None:
    model = Validated()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    with strictly(), record() as trace:
        trainer.fit(model, torch.tensor([0.5, 0.25]), optimizer)
    ops = [(one.name, one.where.text) for one in trace if isinstance(one, OpApplied) and one.where]
    own = [one for one in ops if one[1] != "trainer.fit(model, torch.tensor([0.5, 0.25]), optimizer)"]
    assert own == [
        ("sub", "return self.w - x"),
        ("MulBackward0", "return (self.w * x).exp()"), ("ExpBackward0", "return (self.w * x).exp()"),
    ]  # fmt: skip
    assert {name for name, _ in ops[len(own) :]} <= {"DivBackward0"}  # what the pass goes through
    kinds = [type(one) for one in trace]
    assert kinds.index(OptimizerEntered) < kinds.index(BackwardStarted) < kinds.index(GradAccumulated)
    (step,) = (one for one in trace if isinstance(one, TensorModified))
    assert torch.equal(torch.tensor(step.value.numbers), model.w.detach())


def test_a_mode_that_a_trainer_switched_is_told_where_the_user_meets_it(trainer: Any) -> None:
    model = Validated()
    with strictly(), record() as trace:
        trainer.fit(model, torch.tensor([0.5, 0.25]), torch.optim.SGD(model.parameters()), steps=2)
    modes = [(one.enabled, one.where.text) for one in trace if isinstance(one, GradModeChanged) and one.where]
    assert [enabled for enabled, _ in modes] == [False, True]
    assert modes[0][1] == "return self.w - x"


def test_layers_that_a_trainer_calls_are_the_users(trainer: Any) -> None:
    model = layers()
    with strictly(), record() as trace:
        y = trainer.run(model, torch.ones(1, 3))
    names = [one.name for one in trace if isinstance(one, OpApplied)]
    assert names == ["TBackward0", "AddmmBackward0", "TanhBackward0", "TBackward0", "AddmmBackward0"]
    assert {one.where.text for one in trace if one.where} == {"y = trainer.run(model, torch.ones(1, 3))"}
    assert y.requires_grad


def test_what_a_trainer_writes_to_is_told_if_it_changes(trainer: Any) -> None:
    w = torch.ones(2)
    with strictly(), record() as trace:
        y = w + 1
        trainer.change(w, by=0)
        trainer.change(w, by=1)
        z = y + w
    (written,) = (one for one in trace if isinstance(one, TensorModified))
    assert (written.op, written.value.numbers) == ("add_", [2.0, 2.0]) and written.where is not None
    assert written.where.text == "trainer.change(w, by=1)" and z is not None


def test_a_graph_goes_on_through_what_a_trainer_computes(trainer: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with strictly(), record() as trace:
        loss = trainer.reduced(x * x)
        loss.backward()
    (total,) = (one.total for one in trace if isinstance(one, GradAccumulated))
    assert total.numbers == [1.0, 2.0]


def test_a_trainer_computes_the_same_when_it_is_recorded(trainer: Any) -> None:
    def program() -> Any:
        model = Validated()
        trainer.fit(model, torch.tensor([0.5, 0.25]), torch.optim.SGD(model.parameters(), lr=0.5), steps=3)
        return model.w.detach(), model.w.grad

    assert_unchanged(program)


def test_other_packages_are_the_users(tmp_path: Path) -> None:
    for folder in (STANDARD_LIBRARY, f"{tmp_path}/lib/"):
        assert is_users(f"{folder}site-packages/transformers/models/bert.py")
        assert not is_users(f"{folder}site-packages/lightning/pytorch/trainer.py")
        assert not is_users(f"{folder}site-packages/accelerate/accelerator.py")
    assert is_users(f"{tmp_path}/lightning/train.py") and not is_users(f"{STANDARD_LIBRARY}json/decoder.py")


# --- torch's own helpers ----------------------------------------------------------------------------------------------


def test_scaling_tells_what_is_done_to_the_loss_alone() -> None:
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    with strictly(), record() as trace:
        loss = (w * w).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
    assert [one.name for one in trace if isinstance(one, OpApplied)] == ["MulBackward0", "SumBackward0", "MulBackward0"]


def test_memory_that_nobody_has_written_to_has_no_values() -> None:
    with strictly(), record() as trace:
        x = torch.empty(3)
        view = x.view(3, 1)
        x.fill_(2.0)
        y = torch.empty_like(x)
        p = nn.Parameter(torch.empty(2))
    created = {one.tensor.name: one.tensor for one in trace if isinstance(one, TensorCreated)}
    assert created["x"].value.numbers is None and created["y"].value.numbers is None
    assert [one.value.numbers for one in trace if isinstance(one, TensorModified)] == [[2.0, 2.0, 2.0]]
    (seen,) = (one.outputs[0] for one in trace if isinstance(one, OpApplied))
    assert seen.value.numbers is None
    assert all(one.value.numbers is None for one in created.values())
    assert view is not None and y is not None and p is not None
