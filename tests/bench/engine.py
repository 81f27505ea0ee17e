"""This engine beside PyTorch and its Python peers: all in one process, interleaved, by process CPU time."""

from __future__ import annotations

import argparse
import gc
import statistics
import time
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

import autograd_lab
from autograd_lab import record
from tests.bench.peers import steps_of
from tests.bench.workloads import WORKLOADS, Step, Workload


def once(step: Step, repeats: int) -> float:
    """CPU seconds for one step, on average over some."""
    start = time.process_time()
    for _ in range(repeats):
        step()
    return (time.process_time() - start) / repeats


def recorded(step: Step, repeats: int) -> float:
    with record():
        return once(step, repeats)


def times_of(steps: dict[str, Step], repeats: int, rounds: int) -> dict[str, list[float]]:
    """The times of each in all rounds; every other round goes backwards, so that none always comes first."""
    times: dict[str, list[float]] = {name: [] for name in [*steps, "recorded"]}
    for step in steps.values():
        once(step, 1)
    for number in range(rounds):
        gc.collect()
        for name in list(steps)[:: 1 if number % 2 else -1]:
            times[name].append(once(steps[name], repeats))
        times["recorded"].append(recorded(steps["ours"], max(1, repeats // 4)))
    return times


def row_of(workload: Workload, rounds: int, torch: Any, with_peers: bool) -> list[str]:
    steps = {"ours": workload.make(autograd_lab)}
    if torch is not None:
        steps["torch"] = workload.make(torch)
    steps |= steps_of(workload.name) if with_peers else {}
    times = times_of(steps, workload.repeats, rounds)
    best = {name: min(found) for name, found in times.items()}
    ours, median = best["ours"], statistics.median(times["ours"])
    row = [
        workload.name,
        workload.says,
        spelled(ours),
        "",
        "",
        f"{workload.goal:.2f}",
        f"{best['recorded'] / ours:.2f}",
    ]
    if torch is not None:
        row[3] = f"{ours / best['torch']:.2f}"
        row[4] = f"{median / statistics.median(times['torch']):.2f}"
    others = [f"{peer} {ours / best[peer]:.2f}" for peer in steps if peer not in ("ours", "torch")]
    return [*row, ", ".join(others)]


def spelled(seconds: float) -> str:
    return f"{seconds * 1e6:,.1f} µs" if seconds < 1e-3 else f"{seconds * 1e3:,.2f} ms"


def run(options: argparse.Namespace) -> None:
    try:
        import torch

        torch.set_num_threads(1)
    except ImportError:
        torch = None  # type: ignore[assignment]  # the name stands for "nothing to compare with" then
    chosen = [each for each in WORKLOADS if not options.only or each.name in options.only]
    table = Table(title="time of this engine; shares of others' time, below 1 is faster; one thread, CPU time")
    for heading in ("", "workload", "ours", "/ torch (best)", "(median)", "goal", "recorded / not", "/ peers (best)"):
        table.add_column(heading, justify="left" if heading in ("", "workload", "/ peers (best)") else "right")
    for workload in track(chosen, description="timing", transient=True):
        table.add_row(*row_of(workload, options.rounds, torch, not options.no_peers))
    Console(width=150).print(table)
