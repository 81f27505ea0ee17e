"""Bytes that a graph holds, beside PyTorch; and graphs of great depth."""

from __future__ import annotations

import argparse
import gc
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import autograd_lab
from tests.bench.workloads import numbers, parameters

MIB = 2**20
LAYERS, WIDTH, BATCH = 50, 256, 256


def deep_mlp(m: Any) -> tuple[list[Any], Any]:
    """Fifty layers of 256 units: the weights, and the loss of a batch of 256."""
    weights = parameters(m, *[(WIDTH, WIDTH), (WIDTH,)] * LAYERS)
    h = m.tensor(numbers(BATCH, WIDTH))

    def loss() -> Any:
        out = h
        for at in range(0, 2 * LAYERS, 2):
            out = (out @ weights[at] + weights[at + 1]).relu()
        return out.sum()

    return weights, loss


def held_here(job: Callable[[], object]) -> tuple[float, float]:
    """MiB that numpy holds after a job more than before it, and at its peak."""
    gc.collect()
    tracemalloc.start()
    result = job()
    held, peak = (each / MIB for each in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    del result
    return held, peak


def held_in_torch(torch: Any, job: Callable[[], object]) -> tuple[float, float]:
    """The same of PyTorch's allocator, by its own profiler: allocations less releases."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        result = job()
    changes = [event.self_cpu_memory_usage for event in profile.events()]
    del result
    return sum(changes) / MIB, float("nan")


def forward(m: Any) -> Callable[[], object]:
    _, loss = deep_mlp(m)
    return loss


def backward(m: Any, retain_graph: bool) -> Callable[[], object]:
    weights, loss = deep_mlp(m)

    def job() -> object:
        value = loss()
        value.backward(retain_graph=retain_graph)
        return value, weights

    return job


def chain_seconds(m: Any, depth: int) -> float:
    """CPU seconds to build, differentiate and free a chain of that many nodes."""
    x = m.tensor(1.0, requires_grad=True)
    gc.collect()
    start = time.process_time()
    y = x
    for _ in range(depth):
        y = y * 1.0
    y.backward()
    del y
    return time.process_time() - start


def run(options: argparse.Namespace) -> None:
    try:
        import torch

        torch.set_num_threads(1)
    except ImportError:
        torch = None  # type: ignore[assignment]  # the name stands for "nothing to compare with" then
    rows = {
        "after forward": forward,
        "after backward, freed": lambda m: backward(m, False),
        "after backward, retained": lambda m: backward(m, True),
    }
    print(f"W9: {LAYERS} layers of {WIDTH}, batch {BATCH}, MiB held (and peak, where known)")
    for says, make in rows.items():
        ours, peak = held_here(make(autograd_lab))
        line = f"  {says:26} ours {ours:6.1f} (peak {peak:5.1f})"
        if torch is not None:
            theirs, _ = held_in_torch(torch, make(torch))
            line += f"   torch {theirs:6.1f}   ratio {ours / theirs:.2f}"
        print(line, flush=True)
    ours = chain_seconds(autograd_lab, options.depth) / options.depth * 1e6
    line = f"chain of {options.depth:,} nodes: ours {ours:.1f} µs a node"
    if torch is not None:
        theirs = chain_seconds(torch, options.depth) / options.depth * 1e6
        line += f"   torch {theirs:.1f}   ratio {ours / theirs:.2f}"
    print(line)
