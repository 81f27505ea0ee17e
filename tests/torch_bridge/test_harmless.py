"""Whatever fails in a recorder of PyTorch, the program goes on as if nobody looked."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from autograd_lab import listening, record  # noqa: E402
from autograd_lab.events import RecordingStopped  # noqa: E402
from autograd_lab.recording import recorder  # noqa: E402
from autograd_lab.recording.recorder import Recorder, RecordingWarning  # noqa: E402
from autograd_lab.torch_bridge.torch_recorder import TorchRecorder  # noqa: E402


def methods() -> list[tuple[type, str]]:
    """The class and the name of each method that parts of a recorder have for each other and for the bridge."""
    parts = TorchRecorder(Recorder()).parts
    found = {type(part) for part in vars(parts).values()}
    return sorted(((each, name) for each in found for name in dir(each) if is_method(each, name)), key=str)


def is_method(each: type, name: str) -> bool:
    return not name.startswith("_") and callable(getattr(each, name))


def everything() -> list[Any]:
    """A program in which a recorder has much to do, and what comes out of it."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.BatchNorm1d(2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x = torch.tensor([[1.0, 2.0], [3.0, -1.0]], requires_grad=True)
    seen: list[Any] = []
    for _ in range(2):
        optimizer.zero_grad()
        hidden = model(x)
        hidden.retain_grad()
        hidden.register_hook(lambda grad: grad * 2)
        loss = (hidden * hidden).mean() + (hidden[0, 1:] * hidden.detach()[1, 0]).sum()
        loss.grad_fn.register_hook(lambda *_: None)
        loss.backward(retain_graph=True)
        loss.backward()
        optimizer.step()
        seen.append([loss.item(), hidden.grad.tolist(), *(each.grad.tolist() for each in model.parameters())])
    y = torch.zeros(3).requires_grad_()
    z = y.exp()
    z.mul_(2)
    y.grad = torch.ones(3)
    for refused in (lambda: z.backward(), lambda: y.add_(1), lambda: loss.backward()):
        with suppress(RuntimeError):
            refused()
    (first,) = torch.autograd.grad((y.exp() ** 2).sum(), y, create_graph=True)
    first.sum().backward()
    return [*seen, y.grad.tolist(), z.tolist()]


PLAIN = everything()


@pytest.fixture
def lenient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(recorder, "STRICT", False)
    with warnings.catch_warnings():
        warnings.simplefilter("always", RecordingWarning)
        yield


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize(("part", "name"), methods(), ids=lambda each: each if isinstance(each, str) else each.__name__)
def test_a_method_that_fails_changes_nothing_of_the_program(
    monkeypatch: pytest.MonkeyPatch, part: type, name: str
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise KeyError("a mistake")

    monkeypatch.setattr(part, name, fail)
    with warnings.catch_warnings(record=True) as told, record() as trace:
        assert everything() == PLAIN
    stops = [number for number, event in enumerate(trace) if isinstance(event, RecordingStopped)]
    assert stops in ([], [len(trace) - 1])
    assert sum(each.category is RecordingWarning for each in told) <= 1
    assert listening.active is None
    assert everything() == PLAIN
