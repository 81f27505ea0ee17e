"""What compiling has gained, in sentences with numbers."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.view.compiled.caption import memory, timed
from autograd_lab.view.compiled.state import Compilation
from autograd_lab.view.numeral import bytes_text


def facts_of(state: Compilation) -> Iterator[str]:
    """How many operations there were and are, what is kept for backward, how much memory a call takes, and how long."""
    yield _operations(state)
    yield from _loops(state)
    yield from _kept(state)
    if state.buffers:
        yield memory(state)
    if state.times is not None:
        yield timed(state.times, state)


def _operations(state: Compilation) -> str:
    said = f"{state.captured[0]} numpy calls were captured; {state.count} are left"
    if again := sum(one.is_repeated for one in state.operations.values()):
        said += f", {again} of which run in forward and again in backward, so that their results need not be kept"
    runs = "A call and its backward run" if state.has_backward else "A call runs"
    return f"{said}. {runs} these and nothing else; inside there are no tensors and no nodes."


def _loops(state: Compilation) -> Iterator[str]:
    inside = sum(len(one.loops) for one in state.operations.values())
    if inside:
        where = "one loop" if state.loops == 1 else f"{state.loops} loops"
        yield f"{inside} calls are in {where} over tiles, so small that what is in between stays in the cache."


def _kept(state: Compilation) -> Iterator[str]:
    kept = [array.facts.nbytes for array in state.arrays.values() if array.is_kept]
    if kept:
        arrays = "one array" if len(kept) == 1 else f"{len(kept)} arrays"
        yield f"Kept for backward: {arrays}, {bytes_text(sum(kept))}, and inputs."
    elif state.has_backward:
        yield "Kept for backward: inputs only."
