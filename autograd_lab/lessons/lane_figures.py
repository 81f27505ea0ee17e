"""Two layers that processes share, in either world: what each has, what it runs, and where they meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograd_lab.display.picture import Drawing
from autograd_lab.events import NodeEvaluated, OpApplied
from autograd_lab.lessons.world import world
from autograd_lab.parallel import all_reduce, lane, lanes, run
from autograd_lab.recording.iterations.record import record
from autograd_lab.trace import Trace
from autograd_lab.view.charts.lane_chart import draw_lanes
from autograd_lab.view.charts.strip import bytes_kept
from autograd_lab.view.kit.ink import sheet

WIDTH, INNER, BATCH = 64, 256, 32


@dataclass(frozen=True)
class Share:
    """What one process has: bytes of weights and in slots, the result, the gradient of the input, and what it ran."""

    weights: int
    slots: int
    output: Any
    gradient: Any
    phases: tuple[str, ...]
    names: tuple[str, ...]

    def agrees(self, other: Share) -> bool:
        """Whether another one has the same result and gradient, up to rounding."""
        return np.allclose(self.output, other.output, atol=1e-5) and np.allclose(
            self.gradient, other.gradient, atol=1e-5
        )


def shared(torch: Any, count: int) -> list[Share]:
    """The shares of so many processes; of one alone, this one, the whole."""
    return run(layers, count, torch.__name__) if count > 1 else [layers(torch.__name__)]


def layers(name: str) -> Share:
    """One lane's part of `tanh(x @ up) @ down`: some columns of `up`, and the same rows of `down`."""
    torch = world(name)
    copied, summed = meetings(torch)
    part = slice(lane() * INNER // lanes(), (lane() + 1) * INNER // lanes())
    x, up, down = (leaf(torch, array) for array in numbers(part))
    with record() as trace:
        y = summed.apply(torch.tanh(copied.apply(x) @ up) @ down)
        y.backward(torch.ones(y.shape))
    steps = tuple(_steps(trace))
    weights = sum(each.numel() * each.element_size() for each in (up, down))
    output, gradient = y.detach().numpy(), x.grad.numpy()
    return Share(weights, max(bytes_kept(trace)), output, gradient, *zip(*steps, strict=True))


def numbers(part: slice) -> list[Any]:
    """An input, and a lane's part of two weights."""
    rng = np.random.default_rng(0)
    x, up, down = (rng.normal(size=shape) / 8 for shape in ((BATCH, WIDTH), (WIDTH, INNER), (INNER, WIDTH)))
    return [x, up[:, part], down[part]]


def leaf(torch: Any, array: Any) -> Any:
    """A leaf with these numbers, as float32."""
    return torch.from_numpy(array.astype(np.float32)).requires_grad_()


def meetings(torch: Any) -> tuple[Any, Any]:
    """Where lanes meet in backward, and where they do in forward: the functions `Copied` and `Summed` of a world."""

    class Copied(torch.autograd.Function):  # type: ignore[misc]  # of torch, mypy knows nothing  # the world is chosen at run time
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.view_as(x)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return torch.from_numpy(all_reduce(gradient.numpy()))

    class Summed(torch.autograd.Function):  # type: ignore[misc]  # of torch, mypy knows nothing
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return torch.from_numpy(all_reduce(x.detach().numpy()))

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient

    return Copied, Summed


def _steps(trace: Trace) -> list[tuple[str, str]]:
    """What ran, forward and backward."""
    names: dict[str, str] = {}
    found: list[tuple[str, str]] = []
    for event in trace:
        match event:
            case OpApplied(node=str(node), name=name):
                names[node] = name
                found.append(("forward", name))
            case NodeEvaluated(node=node) if node in names:
                found.append(("backward", names[node]))
    return found


def drawing(shares: Sequence[Share]) -> Drawing:
    """The processes side by side, op by op, and where they meet."""
    title = "what each process runs; where they meet, each gets the sum of all"
    drawn, height = draw_lanes(shares, title, 20, 1060)
    return Drawing("lanes", sheet(1100, height + 10, "lanes", f"{len(shares)} processes: {title}", drawn))
