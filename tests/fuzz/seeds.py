"""Whole traces, as lines of a file: what is damaged."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.display.script import examples, find_script, run_script
from autograd_lab.events import CallsTimed, GraphBroken, RecordingStopped, Where
from autograd_lab.trace import Trace

MOST_LINES = 400
"""Longer traces are left out: a case would take too long."""
MISTAKES = sorted((Path(__file__).parents[1] / "findings" / "programs").glob("*.py"))


@cache
def seeds(every: int = 1) -> list[list[str]]:
    """The lines of traces: of examples and programs with mistakes, or `every` so many, and of all kinds of events."""
    programs = [*map(find_script, examples()), *MISTAKES]
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        found = [run_script(path).trace for path in programs[::every]]
    return [lines for lines in map(lines_of, (*found, hooked(), *compilations())) if len(lines) <= MOST_LINES]


def hooked() -> Trace:
    """Hooks, a graph that was there before and is kept, a leaf that no longer asks, and a recording that stops: what no
    example may have."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    early = x.exp()
    with record() as trace:
        y = early * x
        y.retain_grad()
        y.register_hook(lambda grad: grad * 2)
        z = (y * y).sum()
        z.grad_fn.register_hook(lambda *_: None)
        z.backward(retain_graph=True)
        z.backward()
        x.requires_grad_(False)
    return Trace([*trace, RecordingStopped(reason="the disk is full", lost="the rest")], trace.files)


def compilations() -> list[Trace]:
    """How functions were compiled of which all is told that a compiler does."""
    square, row, large = (torch.ones(*shape, requires_grad=True) for shape in ((4, 4), (1000,), (200_000,)))
    timed = compilation(lambda x, w: ((x @ w).exp() / 2).sum(), torch.ones(4, 4), square)
    told = CallsTimed(compiled=0.25, written=0.5, calls=3, with_backward=True)
    broken = GraphBroken(reason="a call of print", where=Where(file="a.py", line=3, text="print()"))
    return [
        Trace([*timed, told], timed.files),
        Trace([*compilation(lambda x: (x.exp(), x.exp(), x.max(1)[0].sum()), square), broken]),
        compilation(lambda x: (x.sin()[:10].reshape(2, 5).T @ x.cos()[10:12]).sum(), row),
        compilation(lambda x: ((x.sin() * x).cos() + x.exp()).sum(), large),
        compilation(lambda x, y: y.copy_(x * 2), torch.ones(50_000), torch.ones(50_000)),
    ]


def compilation(function: Callable[..., Any], *args: Any) -> Trace:
    """How a function was compiled."""
    compiled = torch.compile(function)
    compiled(*args)
    trace = compiled.trace
    assert isinstance(trace, Trace)
    return trace


def lines_of(trace: Trace) -> list[str]:
    """What is in the file of a trace."""
    with TemporaryDirectory() as folder:
        trace.save(Path(folder) / "t.jsonl")
        return (Path(folder) / "t.jsonl").read_text(encoding="utf-8").removesuffix("\n").split("\n")
