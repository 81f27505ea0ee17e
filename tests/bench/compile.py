"""Compiled functions beside the engine, with each pass added, and beside PyTorch eager and `torch.compile`."""

from __future__ import annotations

import argparse
import gc
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

import autograd_lab
from autograd_lab.compiler.passes import ON_ALL, ON_HALVES
from tests.bench.engine import once, spelled
from tests.bench.workloads import Step, digits_mlp, numbers, rnn, small_mlp


@dataclass(frozen=True)
class Subject:
    """`make(m)` gives a step, all of which is compiled: backward and update, too, where there are any."""

    name: str
    make: Callable[[Any], Step]
    repeats: int


def chain(m: Any) -> Step:
    """Ten elementwise operations over a million floats."""
    x = m.tensor(numbers(1_000_000))

    def step() -> Any:
        y = x * 1.5
        y = y + 0.5
        y = y * x
        y = y - 2.0
        y = y.relu()
        y = y + x
        y = y * 0.5
        y = -y
        y = y + x
        return y * y

    return step


SUBJECTS = [
    Subject("chain of 10 over 1,000,000 floats", chain, 5),
    Subject("W3 a step of an MLP 2-3-1, batch 10", small_mlp, 100),
    Subject("W4 a step of an MLP 784-512-256-10, batch 128", digits_mlp, 2),
    Subject("W5 a step of an RNN of 200 steps", rnn, 1),
]


def compiled(step: Step, count: int) -> Step:
    """The step, compiled with the first so many passes."""
    passes = list(dict.fromkeys((*ON_ALL, *ON_HALVES)))[:count]
    replay: Step = autograd_lab.compile(step, fullgraph=True, options={"passes": passes})
    for _ in range(3):
        replay()
    return replay


def steps_of(subject: Subject, torch: Any, inductor: bool) -> dict[str, Step]:
    names = [each.__name__ for each in dict.fromkeys((*ON_ALL, *ON_HALVES))]
    steps = {"ours, eager": subject.make(autograd_lab), "no pass": compiled(subject.make(autograd_lab), 0)}
    steps |= {f"+ {name}": compiled(subject.make(autograd_lab), at) for at, name in enumerate(names, 1)}
    if torch is not None:
        steps["PyTorch eager"] = subject.make(torch)
        if inductor:
            replay = torch.compile(subject.make(torch))
            for _ in range(3):
                replay()
            steps["torch.compile"] = replay
    return steps


def best_of(steps: dict[str, Step], repeats: int, rounds: int) -> dict[str, float]:
    """The best time of each; every other round goes backwards, so that none always comes first."""
    best = dict.fromkeys(steps, float("inf"))
    for number in range(rounds):
        gc.collect()
        for name in list(steps)[:: 1 if number % 2 else -1]:
            best[name] = min(best[name], once(steps[name], repeats))
    return best


def run(options: argparse.Namespace) -> None:
    try:
        import torch

        torch.set_num_threads(1)
    except ImportError:
        torch = None  # type: ignore[assignment]  # the name stands for "nothing to compare with" then
    warnings.simplefilter("ignore")
    chosen = [each for each in SUBJECTS if options.only in each.name]
    table = Table(title="time of a step; as a share of our eager's, below 1 is faster; one thread, CPU time, best")
    for heading in ("", "", "time", "/ ours, eager", "/ PyTorch eager"):
        table.add_column(heading, justify="left" if not heading else "right")
    for subject in track(chosen, description="timing", transient=True):
        best = best_of(steps_of(subject, torch, options.inductor), subject.repeats, options.rounds)
        theirs = best.get("PyTorch eager")
        for at, (name, seconds) in enumerate(best.items()):
            share = f"{seconds / theirs:.2f}" if theirs else ""
            table.add_row(
                subject.name if not at else "", name, spelled(seconds), f"{seconds / best['ours, eager']:.2f}", share
            )
        table.add_section()
    Console(width=130).print(table)
