"""How many bytecodes of Python a step executes: exact and repeatable, where times depend on the machine and its load.

They say nothing of what numpy does inside, and differ from one version of Python to the next.
"""

from __future__ import annotations

import argparse
import gc
import sys
from types import FrameType
from typing import Any

import autograd_lab
from autograd_lab import record
from tests.bench.workloads import WORKLOADS, Step

PYTHON = (3, 11)
TODAY = {
    ("W1", "a step"): 2304,
    ("W2", "a node"): 463,
    ("W3", "a step"): 8687,
    ("W10", "a step"): 48_873,
    ("W1", "an event"): 314,
    ("W3", "an event"): 448,
}
"""What was counted last, under the version `PYTHON`. `python -m tests.bench bytecodes` prints the table anew: paste it
here when a change makes less of it, or must make more.
"""
SLACK = 1.02
NODES = {"a step": 1, "a node": 1000}


def bytecodes(step: Step) -> int:
    """How many bytecodes run until the step is done."""
    count = 0

    def each(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "opcode"
        return each

    def entered(frame: FrameType, _event: str, _argument: Any) -> Any:
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return each

    before, collects = sys.gettrace(), gc.isenabled()
    gc.disable()  # what it frees may call back
    sys.settrace(entered)
    try:
        step()
    finally:
        sys.settrace(before)
        if collects:
            gc.enable()
    return count


def counted(name: str, unit: str) -> int:
    """The bytecodes of one step of a workload, per node or, of its recording, per event."""
    step = next(each for each in WORKLOADS if each.name == name).make(autograd_lab)
    for _ in range(2):  # what is looked up once is known then
        step()
    plain = bytecodes(step)
    if unit != "an event":
        return round(plain / NODES[unit])
    with record() as trace:
        step()
    with record():
        step()  # a recorder, too, looks up once
        watched = bytecodes(step)
    return round((watched - plain) / len(trace.events))


def run(_options: argparse.Namespace) -> None:
    for name, unit in TODAY:
        print(f'    ("{name}", "{unit}"): {counted(name, unit)},')
