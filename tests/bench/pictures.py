"""How long pictures of PyTorch models take: ours beside torchviz, torchview and torchlens.

Everybody begins with a module and its input and ends with a file. What is told apart is to *follow* the module's call
(torchviz and `make_dot` only call it) and to *draw*. Each painter works in a process of its own, since torchlens leaves
torch changed for all who come after, and nothing else could stop one that takes too long; one works at a time, in turn.
Times are those of the processor, with that of `dot`, so that they can be compared on a busy machine.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
from statistics import median
from typing import Any

from tests.bench.atelier import Work
from tests.bench.painters import PAINTERS
from tests.bench.subjects import SUBJECTS

NEEDS = {"torchviz": "torchviz", "torchview": "torchview", "torchlens": "torchlens"}
START = 120.0
"""Seconds that a painter may take to begin with: it imports all it needs."""


class Atelier:
    """A painter in a process of its own, which is begun anew after it had to be stopped."""

    def __init__(self, painter: str) -> None:
        self.painter = painter
        self.process: subprocess.Popen[str] | None = None

    def order(self, subject: str, suffix: str, patience: float) -> Work | str:
        if self.process is None:
            self._begin()
        answer = self._answer([subject, suffix], patience)
        if answer is None:
            self.close()
            return f"> {patience:g} s"
        return answer if isinstance(answer, str) else Work(*answer)

    def _begin(self) -> None:
        command = [sys.executable, "-W", "ignore", "-m", "tests.bench.atelier", self.painter]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True,
        )  # fmt: skip
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_pass_on, args=(self.process.stdout, self.lines), daemon=True).start()
        for subject in ("(a+b)*(b+1)", "MLP"):  # so that everything is imported, and made once
            self._answer([subject, "svg"], START)

    def _answer(self, order: list[str], patience: float) -> Any:
        """What the painter says to an order; None if it says nothing in time."""
        assert self.process is not None and self.process.stdin is not None
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        try:
            return json.loads(self.lines.get(timeout=patience))
        except queue.Empty:
            return None

    def close(self) -> None:
        if self.process is not None:  # with the `dot` that it may have started
            os.killpg(self.process.pid, signal.SIGKILL) if hasattr(os, "killpg") else self.process.kill()
            self.process.wait()
        self.process = None


def _pass_on(lines: Any, to: queue.Queue[str]) -> None:
    for line in lines:
        to.put(line)


def measure(ateliers: list[Atelier], subject: str, suffix: str, options: argparse.Namespace) -> dict[str, Any]:
    """For each painter its works, or why it has none: who fails once is not asked again."""
    found: dict[str, Any] = {atelier.painter: [] for atelier in ateliers}
    for _ in range(options.rounds):
        for atelier in ateliers:
            works = found[atelier.painter]
            if not isinstance(works, str):
                answer = atelier.order(subject, suffix, options.patience)
                found[atelier.painter] = answer if isinstance(answer, str) else [*works, answer]
    return found


def nodes_of(subject: str) -> int:
    """How many nodes PyTorch's graph of a subject has."""
    import torch

    model, x = SUBJECTS[subject](torch)
    seen, stack = set(), [model(x).grad_fn]
    while stack:
        if (node := stack.pop()) is not None and node not in seen:
            seen.add(node)
            stack += [target for target, _ in node.next_functions]
    return len(seen)


def tell(found: dict[str, Any], nodes: int, lost: set[str]) -> None:
    """A line for each painter; its time as a multiple of ours, the picture's. Those who have `lost` the graph are told.

    Only an SVG shows who has, and comes first.
    """
    totals = {
        name: median(w.follow + w.draw for w in works) for name, works in found.items() if not isinstance(works, str)
    }
    for name, works in found.items():
        if isinstance(works, str):
            print(f"  {name:10} {works}", flush=True)
            continue
        follow, draw = (median(times) * 1000 for times in zip(*[work[:2] for work in works], strict=True))
        ratio = totals[name] / totals["picture"] if "picture" in totals else float("nan")
        size, boxes = works[0].size / 1000, works[0].boxes
        if name in NEEDS and 0 < boxes < nodes / 20:
            lost.add(name)
        remark = "   has lost the graph" if name in lost else ""
        print(f"  {name:10}{ratio:8.2f}{follow:12.1f}{draw:12.1f}{size:10.1f}{boxes or '':>8}{remark}", flush=True)


def painters() -> list[Atelier]:
    """All whose packages are here; peers need a `dot` besides."""
    found = []
    for name in PAINTERS:
        missing = [need for need in ("torch", NEEDS.get(name, "torch")) if importlib.util.find_spec(need) is None]
        if name in NEEDS and shutil.which("dot") is None:
            missing.append("dot")
        if missing:
            print(f"{name} is left out: no {missing[0]}")
        else:
            found.append(Atelier(name))
    return found


def run(options: argparse.Namespace) -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # so that painters are stopped as well
    ateliers = painters()
    try:
        print(f"  {'':10}{'/ ours':>8}{'follow ms':>12}{'draw ms':>12}{'kB':>10}{'boxes':>8}")
        for subject in SUBJECTS:
            lost: set[str] = set()
            for suffix in ("svg", "png"):
                if options.only in (title := f"{subject} → {suffix}"):
                    nodes = nodes_of(subject)
                    print(f"{title}, {nodes} nodes in PyTorch's graph", flush=True)
                    tell(measure(ateliers, subject, suffix, options), nodes, lost)
    finally:
        for atelier in ateliers:
            atelier.close()
