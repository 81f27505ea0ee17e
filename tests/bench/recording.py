"""What it costs to record a training step of a PyTorch model: time beside the same step unrecorded, and memory.

Time is CPU time of one thread, medians of interleaved rounds; of findings, the share of recording and decoding.
Memory is the peak of a process of its own, above what it had after a step: of a step alone, of one that is recorded,
of one whose trace is decoded, too.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from tests.models import encoder, gpt2, lstm, lstm_cells, resnet18

MODELS: dict[str, Callable[[Any], Any]] = {
    "encoder, width 16": encoder,
    "encoder, width 256": lambda torch: encoder(torch, width=256, length=64),
    "ResNet-18, width 4": resnet18,
    "ResNet-18, width 32": lambda torch: resnet18(torch, width=32),
    "GPT-2, width 16": gpt2,
    "LSTM cells, 200 steps": lstm_cells,
    "LSTM layer, 200 steps": lstm,
}


def timed(step: Callable[[], object]) -> float:
    start = time.process_time()
    step()
    return time.process_time() - start


def recorded(step: Callable[[], object]) -> Any:
    from autograd_lab import record

    with record() as trace:
        step()
    return trace


def times_of(name: str, rounds: int) -> tuple[float, float, float, float, int]:
    """Seconds of a step, of a recorded step, of decoding its trace, of looking for what is wrong with it; how many
    events that has."""
    import torch

    from autograd_lab import diagnose

    torch.set_num_threads(1)
    step = MODELS[name](torch)
    off, on, decoding, finding, count = [], [], [], [], 0
    for at in range(rounds + 1):
        plain = timed(step)
        traces: list[Any] = []
        watched = timed(lambda traces=traces: traces.append(recorded(step)))
        decoded = timed(lambda traces=traces: traces[0].events)
        found = timed(lambda traces=traces: diagnose(traces[0]))
        count = len(traces[0].events)
        if at:  # the first round warms up
            off.append(plain)
            on.append(watched)
            decoding.append(decoded)
            finding.append(found)
    return median(off), median(on), median(decoding), median(finding), count


PEAK = """
import re, torch
from pathlib import Path
from tests.bench.recording import MODELS, recorded
torch.set_num_threads(1)

def resident(line):
    return int(re.search(line + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

step = MODELS[{name!r}](torch)
step(), step(), recorded(lambda: torch.ones(2, requires_grad=True).sum().backward()).events
before = resident("VmRSS")
Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
result = {do}
print(before, resident("VmHWM"))
"""
DO = {"off": "step()", "on": "recorded(step)", "decoded": "(lambda trace: (trace, trace.events))(recorded(step))"}


def peak(name: str, what: str) -> float:
    """How far a step raises resident memory at its peak, MB; Linux tells."""
    program = PEAK.format(name=name, do=DO[what])
    said = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True)
    before, after = map(int, said.stdout.split())
    return (after - before) / 1024


def run(options: argparse.Namespace) -> None:
    heads = [("events", 8), ("off ms", 10), ("on / off", 10), ("µs an event", 13), ("decoding", 10), ("findings", 10)]
    heads += [("peak MB", 10), ("on", 7), ("decoded", 9)]
    print(f"{'a step of':24}" + "".join(f"{head:>{width}}" for head, width in heads))
    for name in MODELS:
        if options.only not in name:
            continue
        off, on, decoding, finding, count = times_of(name, options.rounds)
        each = (on - off) / count * 1e6
        print(f"{name:24}{count:8}{off * 1e3:10.1f}{on / off:10.2f}{each:13.1f}{decoding / count * 1e6:10.1f}", end="")
        print(f"{finding / (on + decoding):10.1%}", end="")
        peaks = [peak(name, what) for what in DO] if sys.platform == "linux" else []
        print("".join(f"{each:{width}.1f}" for each, width in zip(peaks, (10, 7, 9), strict=False)), flush=True)
