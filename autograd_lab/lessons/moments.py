"""Steps of a trace that questions ask about, and small runs that several lessons share."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import autograd_lab as torch
from autograd_lab.events import BackwardStarted, Event, NodeVisited
from autograd_lab.lessons.picking import called
from autograd_lab.recording.iterations.record import record
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import history_of


def before(kind: type[Event], number: int = 1) -> Callable[[Trace], int]:
    """The last step before something of a kind happens for the `number`-th time, or the last of all."""

    def step(trace: Trace) -> int:
        found = [step for step, event in enumerate(trace) if isinstance(event, kind)]
        return found[number - 1] if len(found) >= number else len(trace)

    return step


def after(kind: type[Event], number: int = 1) -> Callable[[Trace], int]:
    """The step at which something of a kind has just happened for the `number`-th time, or the last of all."""
    return lambda trace: min(before(kind, number)(trace) + 1, len(trace))


def after_forward(trace: Trace) -> int:
    """The step at which all values are there, and no gradient yet."""
    return before(BackwardStarted)(trace)


def program(text: str) -> Trace:
    """Run a small program, in which `torch` is this engine, as if a learner had written it, and record it."""
    file = "program.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"torch": torch}
    with record() as run:
        exec(compile(text, file, "exec"), names)
    return run  # `names` has kept the program's graph until here, after the recording


FORWARD = """\
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
d = b + 1
y = c * d
"""


def forward() -> Trace:
    """A run of `y = (a + b) * (b + 1)` at 2 and 3, for lessons that do not speak of backward yet."""
    return program(FORWARD)


def expression() -> Trace:
    """The same, forward and backward."""
    return program(f"{FORWARD}y.backward()\n")


def visited(trace: Trace) -> list[str]:
    """The tensors whose nodes backward visited, in its order; of an AccumulateGrad its leaf."""
    history = history_of(trace.events)
    return [called(event.node, history) for event in trace if isinstance(event, NodeVisited)]


def leaf(torch: Any, value: float) -> Any:
    """A leaf of a world that wants a gradient."""
    return torch.tensor(value, requires_grad=True)
