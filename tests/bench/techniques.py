"""Techniques that save graph memory, here and in PyTorch: bytes held after forward, and the time of a step.

Each figure is divided by that of the plain step in the same engine.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import autograd_lab
from tests.bench.memory import held_here, held_in_torch
from tests.bench.workloads import numbers, parameters

LAYERS, PART, WIDTH, BATCH = 24, 4, 128, 1024
Forward = Callable[[], Any]


def steps(m: Any) -> dict[str, Forward]:
    """The loss of a deep network, plain and with each technique that runs in one process."""
    weights = parameters(m, *[(WIDTH, WIDTH), (WIDTH,)] * LAYERS)
    x = m.tensor(numbers(BATCH, WIDTH))

    def part(h: Any, first: int, last: int) -> Any:
        for at in range(2 * first, 2 * last, 2):
            h = m.nn.functional.linear(h, weights[at], weights[at + 1]).relu()
        return h

    def plain() -> Any:
        return part(x, 0, LAYERS).float().mean()

    def checkpoints() -> Any:
        h = x
        for first in range(0, LAYERS, PART):
            h = m.utils.checkpoint.checkpoint(part, h, first, first + PART, use_reentrant=False)
        return h.mean()

    halves = {name: m.autocast("cpu", dtype=getattr(m, name))(plain) for name in ("float16", "bfloat16")}
    return {"plain": plain, **halves, "checkpoints": checkpoints}


def run(options: argparse.Namespace) -> None:
    """Print both worlds' ratios, side by side."""
    import torch
    import torch.utils.checkpoint  # it is not there by itself

    torch.set_num_threads(1)
    held = [held_here, lambda job: held_in_torch(torch, job)]
    worlds = [steps(autograd_lab), steps(torch)]
    print(f"{'':12} {'held here':>12} {'in PyTorch':>12} {'time here':>12} {'in PyTorch':>12}   (with / plain)")
    base: list[float] = []
    for name in worlds[0]:
        figures = [measure(world[name])[0] for measure, world in zip(held, worlds, strict=True)]
        figures += [min(_seconds(world[name]) for _ in range(options.rounds)) for world in worlds]
        base = base or figures
        print(f"{name:12}", *(f"{one / plain:12.2f}" for one, plain in zip(figures, base, strict=True)))


def _seconds(forward: Forward) -> float:
    start = time.perf_counter()
    forward().backward()
    return time.perf_counter() - start
