"""What compiling has gained, in sentences with numbers."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.view.compiled.sentences import between, memory, timed
from autograd_lab.view.compiled.state import Compilation


def facts_of(state: Compilation) -> Iterator[str]:
    """How many operations there were and are, what is kept for backward, how much memory a call takes, and how long."""
    yield _operations(state)
    yield from _loops(state)
    if state.has_backward:
        said = between(state)
        yield f"{said[0].upper()}{said[1:]}."
    yield f"{memory(state)}."
    if state.times is not None:
        yield timed(state.times)


def _operations(state: Compilation) -> str:
    left = [one for one in state.operations.values() if not one.gone]
    again, once = sum(one.is_repeated for one in left), sum(one.made_once for one in left)
    said = f"{state.captured[0]} {state.of}s were captured; {state.count} are left"
    if again:
        needs = "its result needs" if again == 1 else "their results need"
        said += f", {_of(again)} in forward and again in backward, so that {needs} not be kept"
    if once:
        said += f"; {'one is a view' if once == 1 else f'{once} are views'}, made once for all calls"
    runs = "A call and its backward run" if state.has_backward else "A call runs"
    return f"{said}. {runs} these and nothing else; inside there are no tensors and no nodes."


def _of(count: int) -> str:
    return "one of which runs" if count == 1 else f"{count} of which run"


def _loops(state: Compilation) -> Iterator[str]:
    inside = [one for one in state.operations.values() if one.loops]
    if inside:
        both = sum(len(one.loops) > 1 for one in inside)
        where = "one loop" if state.loops == 1 else f"{state.loops} loops"
        twice = f", {both} of them in both forward's and backward's" * bool(both)
        yield f"{len(inside)} calls are in {where} over small tiles{twice}: what is in between never exists as a whole."
