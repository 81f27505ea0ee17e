"""Tensor parallelism: each layer split over processes, which add up what they have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from autograd_lab import nn
from autograd_lab.engine.draws.generator import manual_seed
from autograd_lab.engine.tensor.randomness import randn
from autograd_lab.memory.meter import Reading, measured
from autograd_lab.memory.technique import Result, Row, bytes_row, gradient_of, seconds_row
from autograd_lab.parallel import ColumnParallelLinear, RowParallelLinear, lanes
from autograd_lab.parallel import run as run_in_lanes
from autograd_lab.parallel.lanes import ROOM
from autograd_lab.view.charts.lane_chart import draw_lanes
from autograd_lab.view.kit.numeral import bytes_text

BLOCKS, WIDTH, INNER, BATCH = 4, 128, 512, 512
LAST = f"the last block: where processes meet, each gets the sum of all ({bytes_text(BATCH * WIDTH * 4)})"


@dataclass(frozen=True)
class Share:
    """What one lane has to tell: its step, the bytes of its weights, and its results."""

    reading: Reading
    weights: int
    output: Any
    gradient: Any
    parts: list[Any]


def run(rounds: int, count: int = 4) -> Result:
    """The same blocks whole, in one process, and split over several."""
    (whole,) = run_in_lanes(work, 1, rounds)
    shares = run_in_lanes(work, count, rounds)
    widest = max(shares, key=lambda share: share.reading.most)
    one, each = whole.reading, widest.reading
    rows = [
        bytes_row("weights in a process", whole.weights, widest.weights),
        bytes_row("held after forward in a process", one.after_forward, each.after_forward),
        bytes_row("held at most in a process", one.most, each.most),
        Row("memory that all share, for the sums", "", bytes_text(ROOM * count)),
        seconds_row(one.seconds, max(share.reading.seconds for share in shares)),
        Row("greatest relative difference", "", f"{difference(whole, shares):.1e}"),
    ]
    return Result(
        "parallel",
        f"Tensor parallelism: each layer split over {count} processes",
        f"{BLOCKS} blocks of two linear layers, {WIDTH} → {INNER} → {WIDTH}, with tanh, a batch of {BATCH}, float32, "
        "one step",
        "The first layer of a block is split by its outputs, the second by its inputs, so that nothing is exchanged "
        "between them: one all-reduce forward, one backward. What goes from block to block is in each process. How "
        "long it takes depends on how many cores are free.",
        rows,
        one,
        each,
        partial(draw_lanes, [share.reading for share in shares], LAST),
        " in a process",
    )


class Block(nn.Module):
    """Two layers; split, if there are lanes.

    Between them is no ReLU: where rounding differs, its kink would have some gradients jump.
    """

    def __init__(self) -> None:
        super().__init__()
        up, down = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        alone = lanes() == 1
        self.up = up if alone else ColumnParallelLinear(up)
        self.down = down if alone else RowParallelLinear(down)

    def forward(self, x: Any) -> Any:
        return self.down(self.up(x).tanh())


def work(rounds: int) -> Share:
    """A lane's part of a step."""
    manual_seed(0)
    net = nn.Sequential(*[Block() for _ in range(BLOCKS)])
    x, target = randn(BATCH, WIDTH).requires_grad_(), randn(BATCH, WIDTH)
    outputs: list[Any] = []

    def loss() -> Any:
        net.zero_grad()
        x.grad = None
        outputs[:] = [net(x)]
        return nn.functional.mse_loss(outputs[0], target)

    reading = measured(loss, rounds)
    parts = [gradient_of(parameter) for parameter in net.parameters()]
    weights = sum(parameter._array.nbytes for parameter in net.parameters())
    return Share(reading, weights, outputs[0]._array, gradient_of(x), parts)


def difference(whole: Share, shares: list[Share]) -> float:
    """How far apart the whole and the split network are, gradients and all, as a share of the greatest number there."""
    found = [_apart(whole.output, share.output) for share in shares]
    found += [_apart(whole.gradient, share.gradient) for share in shares]
    for number, gradient in enumerate(whole.parts):
        pieces = [share.parts[number] for share in shares]
        axis = next((at for at, size in enumerate(gradient.shape) if pieces[0].shape[at] != size), None)
        found.append(_apart(gradient, pieces[0] if axis is None else np.concatenate(pieces, axis)))
    return max(found)


def _apart(one: Any, other: Any) -> float:
    return float(np.abs(one - other).max() / np.abs(one).max())
