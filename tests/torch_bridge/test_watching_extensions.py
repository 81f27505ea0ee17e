"""What extends torch, a subclass of its tensors or a mode of the program's, sees the same calls with a recording."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import ExitStack, nullcontext, redirect_stdout
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.overrides import TorchFunctionMode  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils.checkpoint import checkpoint  # noqa: E402

from autograd_lab import record  # noqa: E402
from tests.torch_bridge.watching import strictly  # noqa: E402

Program = Callable[[], Any]
seen: list[str] = []


def note(by: str, func: Any) -> None:
    seen.append(f"{by}: {getattr(func, '__qualname__', func)} {getattr(func, '__self__', '')}")


class Seeing(torch.Tensor):  # type: ignore[misc]  # torch is not typed everywhere
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        note("subclass", func)
        return super().__torch_function__(func, types, args, kwargs or {})


class Functions(TorchFunctionMode):  # type: ignore[misc]  # likewise
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        note("function mode", func)
        return func(*args, **(kwargs or {}))


class Ops(TorchDispatchMode):  # type: ignore[misc]  # likewise
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        note("dispatch mode", func)
        return func(*args, **(kwargs or {}))


class Cube(torch.autograd.Function):  # type: ignore[misc]  # likewise
    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        ctx.save_for_backward(a)
        return a**3

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 3 * ctx.saved_tensors[0] ** 2


def tensor(requires_grad: bool = True) -> Any:
    return torch.tensor([1.0, 2.0, 3.0]).as_subclass(Seeing).requires_grad_(requires_grad)


def forward_and_backward() -> None:
    x, w = tensor(False), tensor()
    y = (w * x).exp()
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    y.register_hook(lambda g: None)
    w.register_post_accumulate_grad_hook(lambda p: None)
    y.sum().backward()
    w.grad = None
    torch.autograd.grad(Cube.apply(w).sum(), w, create_graph=True)[0].sum().backward()
    checkpoint(lambda a: (a * a).sin(), w, use_reentrant=False).sum().backward(inputs=[w])


def writes_and_flags() -> None:
    w = tensor()
    v, data = w.detach(), w.data
    v[0] = 5.0
    data.mul_(2)
    w.requires_grad_(False)
    w.requires_grad = True
    w.data = tensor(False)
    with torch.no_grad():
        w.add_(1)
    h = w * 1
    h[0:2].mul_(2)
    assert h.grad_fn is not None
    h.sum().backward()
    w.grad.zero_()


def reading() -> None:
    w = tensor()
    (w * w).sum().backward()
    print(w, w.grad, repr(w * 2), f"{w.sum()}", w.tolist(), w[0].item(), w.detach().numpy())
    w.detach().numpy()[0] = 7
    print(w + 1, torch.equal(w, w), torch.allclose(w, w))


def steps(make: Callable[[Any], Any]) -> None:
    w = nn.Parameter(tensor(False))
    optimizer = make([w])
    for _ in range(2):
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        optimizer.step()
        print(loss)


def momentum() -> None:
    steps(lambda parts: torch.optim.SGD(parts, lr=0.1, momentum=0.9))


def all_at_once() -> None:
    steps(lambda parts: torch.optim.Adam(parts, foreach=True))


def modules() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(0.5), nn.ReLU())
    model.load_state_dict(model.state_dict())
    model(torch.stack([tensor(), tensor()])).sum().backward()
    model.zero_grad()


PROGRAMS = [forward_and_backward, writes_and_flags, reading, momentum, all_at_once, modules]
MODES: list[tuple[Any, ...]] = [(), (Functions,), (Ops,), (Functions, Ops)]


def calls(program: Program, modes: tuple[Any, ...], outside: bool, watched: bool) -> list[str]:
    """What is seen of a program under modes that are entered around the recording, or inside of it."""
    seen.clear()
    torch.manual_seed(0)
    with redirect_stdout(io.StringIO()), ExitStack() as stack:
        recording = record() if watched else nullcontext()
        for one in [*modes, None] if outside else [None, *modes]:
            stack.enter_context(recording if one is None else one())
        program()
    return seen.copy()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("outside", [False, True], ids=["inside", "outside"])
@pytest.mark.parametrize("modes", MODES, ids=lambda modes: " ".join(mode.__name__ for mode in modes) or "none")
def test_a_recording_makes_no_calls_that_others_see(program: Program, modes: Any, outside: bool) -> None:
    with strictly():
        calls(program, modes, outside, False)  # what torch does the first time only, is no part of it
        without, within = (calls(program, modes, outside, watched) for watched in (False, True))
    assert without
    assert within == without
