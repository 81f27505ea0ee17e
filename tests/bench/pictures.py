"""How long pictures take beside torchviz and torchview.

Each row goes from a computed tensor (for us: a recorded trace) to a file, laid out and drawn, everything imported.
Peers that take longer than `--patience` seconds are stopped and reported so.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import autograd_lab
from autograd_lab import record
from autograd_lab.trace import Trace
from autograd_lab.view.png import to_png
from autograd_lab.view.scene import make_scene
from autograd_lab.view.svg import to_svg

Job = Callable[[], object]


def expression(torch: Any, start: Any = None) -> Any:
    """y = (a + b) * (b + 1); a tool that only follows an input is given it as `start`."""
    a = torch.tensor(2.0, requires_grad=True) if start is None else start
    b = torch.tensor(3.0, requires_grad=True)
    return (a + b) * (b + 1)


def rnn(torch: Any, steps: int, start: Any = None) -> Any:
    """An unrolled recurrent network: every step uses the same two matrices and the same bias."""
    w_in = torch.randn(8, 8, requires_grad=True)
    w_hidden = torch.randn(8, 8, requires_grad=True)
    bias = torch.zeros(8, requires_grad=True)
    h = torch.zeros(2, 8) if start is None else start
    for _ in range(steps):
        h = torch.tanh(torch.randn(2, 8) @ w_in + h @ w_hidden + bias)
    return h.sum()


def chain(torch: Any, length: int, start: Any = None) -> Any:
    """`length` operations in a row on a scalar."""
    y = torch.tensor(1.0, requires_grad=True) if start is None else start
    for _ in range(length):
        y = y * 1.001
    return y


PROGRAMS: dict[str, Callable[..., Any]] = {
    "(a+b)*(b+1)": expression,
    "RNN, 200 steps": lambda torch, start=None: rnn(torch, 200, start),
    "RNN, 1,000 steps": lambda torch, start=None: rnn(torch, 1000, start),
    "chain of 5,000": lambda torch, start=None: chain(torch, 5000, start),
}


def recorded(program: Callable[..., Any]) -> Trace:
    """The trace of a program, forward only and with its graph alive: what the peers draw too."""
    with record() as trace:
        result = program(autograd_lab)
        len(trace)
    assert result is not None
    return trace


def ours(name: str, suffix: str, folder: Path, fold: bool) -> Job:
    trace = recorded(PROGRAMS[name])
    file = folder / f"ours.{suffix}"

    def job() -> object:
        svg = to_svg(make_scene(trace, fold=fold))
        return file.write_text(svg, encoding="utf-8") if suffix == "svg" else file.write_bytes(to_png(svg))

    return job


def with_torchviz(name: str, suffix: str, folder: Path) -> Job:
    import torch
    import torchviz

    tensor = PROGRAMS[name](torch)
    return lambda: torchviz.make_dot(tensor).render(str(folder / "torchviz"), format=suffix)


def with_torchview(name: str, suffix: str, folder: Path) -> Job:
    import torch
    import torchview

    class Model(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return PROGRAMS[name](torch, x)

    start = torch.zeros((2, 8) if name.startswith("RNN") else ())
    drawn = torchview.draw_graph(Model(), input_data=start, device="cpu", depth=9).visual_graph
    nodes = drawn.source.count("<TABLE")
    if nodes < 5:
        raise ValueError(f"draws {nodes} nodes")  # it loses track of what is not made of its input alone
    return lambda: drawn.render(str(folder / "torchview"), format=suffix)


PEERS = {"torchviz": with_torchviz, "torchview": with_torchview}


def best_of(job: Job, rounds: int) -> float:
    """The shortest time in ms."""
    job()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times) * 1000


def _measure_peer(peer: str, name: str, suffix: str, rounds: int, answers: Any) -> None:
    if hasattr(os, "setsid"):
        os.setsid()  # a group of its own, so that the `dot` it starts can be stopped with it
    with tempfile.TemporaryDirectory() as folder:
        try:
            answers.put(best_of(PEERS[peer](name, suffix, Path(folder)), rounds))
        except RecursionError:
            answers.put("recursion error")
        except ValueError as error:
            answers.put(str(error))


def peer_time(peer: str, name: str, suffix: str, rounds: int, patience: float) -> float | str:
    """A peer's best time in ms, or why there is none. It runs apart, since nothing else could stop it."""
    needs = ["torch", peer]
    if missing := [module for module in needs if importlib.util.find_spec(module) is None]:
        return f"no {missing[0]}"
    if shutil.which("dot") is None:
        return "no dot"
    answers: Any = multiprocessing.get_context("spawn").Queue()
    process = multiprocessing.get_context("spawn").Process(
        target=_measure_peer, args=(peer, name, suffix, rounds, answers)
    )
    process.start()
    process.join(patience)
    if process.is_alive():
        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.terminate()
        process.join()
        return f"> {patience:g} s"
    answer: float | str = answers.get() if not answers.empty() else "failed"
    return answer


def run(options: argparse.Namespace) -> None:
    print(f"{'':34}{'ours':>10}{'torchviz':>22}{'torchview':>22}   (ms; in brackets: theirs / ours)")
    with tempfile.TemporaryDirectory() as folder:
        for name in PROGRAMS:
            for suffix, fold in (("svg", True), ("svg", False), ("png", True)):
                if name == "(a+b)*(b+1)" and not fold:
                    continue
                row = f"{name} → {suffix}{'' if fold else ', unfolded'}"
                if options.only in row:
                    _row(row, name, suffix, fold, Path(folder), options)


def _row(row: str, name: str, suffix: str, fold: bool, folder: Path, options: argparse.Namespace) -> None:
    mine = best_of(ours(name, suffix, folder, fold), options.rounds)
    texts = [f"{mine:10.2f}"]
    for peer in PEERS:
        theirs = peer_time(peer, name, suffix, options.rounds, options.patience) if fold else ""
        texts.append(f"{theirs:.1f} ({theirs / mine:.1f})" if isinstance(theirs, float) else theirs)
    print(f"{row:34}{texts[0]}{texts[1]:>22}{texts[2]:>22}", flush=True)
