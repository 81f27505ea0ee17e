"""What compiling has gained, in sentences with numbers."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.compiler.entry import Entry
from autograd_lab.view.numeral import bytes_text


def facts_of(entry: Entry) -> Iterator[str]:
    """How many operations there were and are, how much memory they take, and what is kept for backward."""
    yield _operations(entry)
    yield from _loops(entry)
    plans = [one.plan for one in (entry.forward, entry.backward) if one is not None]
    room, without = sum(one.nbytes for one in plans), sum(one.without for one in plans)
    buffers, values = sum(len(one.buffers) for one in plans), sum(len(one.homes) for one in plans)
    if buffers < values:
        places = f"{buffers} buffers" if buffers > 1 else "one buffer"
        yield f"{values} values in between share {places}: {bytes_text(room)} instead of {bytes_text(without)}."
    if entry.backward is not None:
        yield _saved(entry)


def _operations(entry: Entry) -> str:
    before, after = len(entry.stages[0].graph.operations), entry.operations
    parts = [part for each in after for part in (each.body or (each,))]
    made = [one for part in parts for one in part.results]
    again = len(made) - len(set(made))
    said = f"{before} numpy calls were captured; {len(parts) - again} are left"
    if again:
        said += f", {again} of which run in forward and again in backward, so that their results need not be kept"
    runs = "A call runs" if entry.backward is None else "A call and its backward run"
    return f"{said}. {runs} these and nothing else; inside there are no tensors and no nodes."


def _loops(entry: Entry) -> Iterator[str]:
    loops = [each for each in entry.operations if each.body]
    if loops:
        inside, where = sum(len(each.body) for each in loops), "one loop" if len(loops) == 1 else f"{len(loops)} loops"
        yield f"{inside} calls are in {where} over tiles, so small that what is in between stays in the cache."


def _saved(entry: Entry) -> str:
    inputs = set(entry.stages[0].graph.inputs)
    kept = [one for one in entry.backward.graph.inputs if one not in inputs] if entry.backward else []
    if not kept:
        return "Saved for backward: inputs only."
    values = "one value" if len(kept) == 1 else f"{len(kept)} values"
    return f"Saved for backward: {values}, {bytes_text(sum(one.nbytes for one in kept))}, and inputs."
