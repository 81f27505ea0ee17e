"""Whatever fails in a recorder of PyTorch, the program goes on as if nobody looked."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from autograd_lab import listening, record  # noqa: E402
from autograd_lab.events import RecordingStopped  # noqa: E402
from autograd_lab.recording import recorder  # noqa: E402
from autograd_lab.recording.recorder import Recorder, RecordingWarning  # noqa: E402
from autograd_lab.torch_bridge.internals import DISPATCH_MODES, FUNCTION_MODES  # noqa: E402
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


def modes() -> list[Any]:
    return [*FUNCTION_MODES.all(), *DISPATCH_MODES.all()]


def recorded() -> Iterator[None]:
    with record():
        yield


@pytest.mark.parametrize("where", ["hook", "node's hook", "custom backward"])
def test_a_recording_that_ends_inside_of_a_pass_leaves_pass_and_torch_as_they_are(where: str) -> None:
    class Twice(torch.autograd.Function):  # type: ignore[misc]  # torch is not typed everywhere
        @staticmethod
        def forward(_: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(_: Any, grad: Any) -> Any:
            running.close()
            return grad * 2

    running = recorded()
    x = torch.ones(2, requires_grad=True)
    next(running)
    y = Twice.apply(x) if where == "custom backward" else x * 2
    if where != "custom backward":
        (y if where == "hook" else y.grad_fn).register_hook(lambda *_: running.close())
    y.sum().backward()
    assert x.grad.tolist() == [2, 2]
    assert modes() == []
    assert listening.active is None


def test_a_recording_may_be_ended_in_another_thread_and_the_next_clears_up_after_it() -> None:
    running = recorded()
    next(running)
    with ThreadPoolExecutor(1) as other:
        other.submit(running.close).result()
        assert other.submit(modes).result() == []
    assert listening.active is None
    x = torch.ones(2, requires_grad=True)
    with record() as trace:
        (x * 2).sum().backward()
    assert len(trace) > 3 and x.grad.tolist() == [2, 2]
    assert modes() == []
