"""Whether graphs stay alive that nobody will go back through."""

from __future__ import annotations

import gc
from contextlib import ContextDecorator
from typing import Any

from autograd_lab.findings.alive import Alive, holding
from autograd_lab.findings.case import Case
from autograd_lab.recording.iterations.record import record
from autograd_lab.trace import Trace
from autograd_lab.view.kit.numeral import bytes_text


class no_graph_leak(ContextDecorator):
    """At the end of the block the graphs that were made in it are gone, but for that of the last pass.

    That one is alive while a variable such as `loss` means its end; with `strict`, it may not be either. Garbage is
    collected first. An error of the block goes on its way. Raises AssertionError that says which graphs are alive, on
    which lines they were made, what they keep, and what lets go of them.

    >>> import autograd_lab as torch
    >>> w, total = torch.ones(3, requires_grad=True), 0
    >>> with no_graph_leak():
    ...     for _ in range(3):
    ...         loss = (w * w).sum()
    ...         loss.backward()
    ...         total += loss.item()  # the number alone: `total += loss` would be a leak
    """

    def __init__(self, *, strict: bool = False) -> None:
        self._strict = strict

    def __enter__(self) -> Trace:
        self._recording = record()
        self._trace = self._recording.__enter__()
        return self._trace

    def __exit__(self, *error: Any) -> None:
        __tracebackhide__ = True  # pytest shows the line of the test, and so nothing of contextlib may lie between
        if error[0] is None:
            gc.collect()
        self._recording.__exit__(*error)
        if error[0] is None and (leaks := _leaks(self._trace, self._strict)):
            raise AssertionError("\n".join(["graphs are still alive:", *map(_said, leaks)]))


def _leaks(trace: Trace, strict: bool) -> list[Alive]:
    alive = holding(trace).alive
    leaks = [each for each in alive if strict or each.graphs > 1]
    return leaks or (list(alive) if _passes_alive(trace) > 1 else [])


def _passes_alive(trace: Trace) -> int:
    """How many passes began at what is still alive, as in `total += loss`."""
    case = Case(trace)
    return len({root for each in case.passes for root in each.roots if root not in case.released})


def _said(alive: Alive) -> str:
    what = f"{alive.graphs} graphs, " if alive.graphs > 1 else ""
    saved = f", {bytes_text(alive.nbytes)}" if alive.nbytes else ""  # a pass has freed what they had saved
    kept = f"{what}{alive.operations} operations{saved}"
    line = "" if alive.where is None else f"    {alive.where}    {alive.where.text}"
    return f"  {alive.name}: {kept}{line}    {alive.remedy}"
