"""Whole traces, as lines of a file: what is damaged."""

from __future__ import annotations

from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import autograd_lab as torch
from autograd_lab.display.script import examples, find_script, run_script
from autograd_lab.trace import Trace

MOST_LINES = 400
"""Longer traces are left out: a case would take too long."""
MISTAKES = sorted((Path(__file__).parents[1] / "findings" / "programs").glob("*.py"))


@cache
def seeds(every: int = 1) -> list[list[str]]:
    """The lines of traces: of examples and programs with mistakes, or `every` so many, and of a compilation."""
    programs = [*map(find_script, examples()), *MISTAKES]
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        found = [run_script(path).trace for path in programs[::every]]
    return [lines for lines in map(lines_of, (*found, compilation())) if len(lines) <= MOST_LINES]


def compilation() -> Trace:
    """How a function was compiled, with its backward."""
    function = torch.compile(lambda x, w: ((x @ w).exp() / 2).sum())
    function(torch.ones(4, 4), torch.ones(4, 4, requires_grad=True)).backward()
    trace = function.trace
    assert isinstance(trace, Trace)
    return trace


def lines_of(trace: Trace) -> list[str]:
    """What is in the file of a trace."""
    with TemporaryDirectory() as folder:
        trace.save(Path(folder) / "t.jsonl")
        return (Path(folder) / "t.jsonl").read_text(encoding="utf-8").removesuffix("\n").split("\n")
