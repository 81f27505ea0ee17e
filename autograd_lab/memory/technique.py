"""What all demonstrations have in common: a deep network, a step with a technique and one without, and the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autograd_lab import nn
from autograd_lab.engine.draws.generator import manual_seed
from autograd_lab.engine.tensor.randomness import randn
from autograd_lab.memory.meter import Reading, measured
from autograd_lab.view.kit.numeral import bytes_text

LAYERS, WIDTH, BATCH = 24, 128, 1024


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, without the technique and with it, and the one divided by the other."""

    what: str
    without: str
    with_it: str
    ratio: str = ""


@dataclass(frozen=True)
class Result:
    """What a demonstration has to show. `extra` draws what only this one has: a piece of SVG, and its height.

    `where` says of which part of the machine the bytes are, if not of all of it.
    """

    name: str
    title: str
    sentence: str
    note: str
    rows: Sequence[Row]
    without: Reading
    with_it: Reading
    extra: Callable[[float, float], tuple[str, float]] | None = None
    where: str = ""


class Step:
    """A training step of a deep network on random numbers, the same each time."""

    def __init__(self, layers: int = LAYERS, width: int = WIDTH, batch: int = BATCH) -> None:
        manual_seed(0)
        self.layers = [layer for _ in range(layers) for layer in (nn.Linear(width, width), nn.ReLU())]
        self.net = nn.Sequential(*self.layers)
        for layer in self.layers[::2]:
            nn.init.xavier_normal_(layer.weight)
        self.x, self.target = randn(batch, width), randn(batch, width)

    def loss(self, output: Any) -> Any:
        """How far the output is from the target."""
        return nn.functional.mse_loss(output, self.target)

    def plain(self) -> Any:
        """The loss, as anybody would compute it."""
        self.net.zero_grad()
        return self.loss(self.net(self.x))


def compared(plain: Callable[[], Any], other: Callable[[], Any], rounds: int) -> tuple[Reading, Reading]:
    """Both steps, measured in turns: whatever else the machine does meets both."""
    pairs = [(measured(plain, 1), measured(other, 1)) for _ in range(max(rounds, 1))]
    first, second = ([pair[at] for pair in pairs] for at in (0, 1))
    return _best(first), _best(second)


def _best(readings: list[Reading]) -> Reading:
    return replace(readings[0], seconds=min(one.seconds for one in readings))


def gradient_of(leaf: Any) -> Any:
    """The array of a leaf's gradient."""
    return leaf.grad._array


def bytes_row(what: str, without: int, with_it: int) -> Row:
    """A line with numbers of bytes."""
    return Row(what, bytes_text(without), bytes_text(with_it), f"{with_it / without:.2f}" if without else "")


def seconds_row(without: float, with_it: float) -> Row:
    """The line with the times."""
    return Row("time of a step", _milliseconds(without), _milliseconds(with_it), f"{with_it / without:.2f}")


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1e3:.1f} ms"


def usual_rows(without: Reading, with_it: Reading) -> list[Row]:
    """What is asked of every technique."""
    return [
        bytes_row("held after forward", without.after_forward, with_it.after_forward),
        bytes_row("held at most", without.most, with_it.most),
        seconds_row(without.seconds, with_it.seconds),
    ]


SETTING = (
    f"{LAYERS} linear layers of {WIDTH} units with ReLU, a batch of {BATCH:,}, float32, one step: forward, backward"
)
"""What is measured, in words."""
