"""How long calls take, compiled and as they are written, each with its backward pass."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from autograd_lab.compiler.compiled import Compiled
from autograd_lab.compiler.entry import Entry
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.exact.gradients import grad
from autograd_lab.engine.tensor.factories import ones_like
from autograd_lab.events import CallsTimed

SECONDS = 0.4
"""For so long calls are timed, in turns."""
FEWEST, MOST = 3, 101

Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class Watched(Compiled):
    """A compiled function that remembers with what each of its entries was used last."""

    def __init__(self, own: Compiled) -> None:
        self.__dict__.update(own.__dict__)
        self.used: dict[int, Arguments] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        result = super().__call__(*args, **kwargs)
        if self.entries:
            self.used[id(self.entries[0])] = args, kwargs
        return result


def times_of(function: Watched, entry: Entry) -> CallsTimed | None:
    """Call it as it was called last, compiled and as it is written in turns; None where that cannot be done any more.

    What the calls change stays changed, so this comes when the program has ended.
    """
    if id(entry) not in function.used:
        return None
    args, kwargs = function.used[id(entry)]
    found: tuple[list[float], list[float]] = ([], [])
    end = time.perf_counter() + SECONDS
    try:
        while len(found[0]) < FEWEST or (time.perf_counter() < end and len(found[0]) < MOST):
            tensors = entry.guard.check(args, kwargs)
            if tensors is None:
                return None
            needing = [] if entry.backward is None else [tensors[at] for at in entry.needing]
            found[0].append(_time(function, args, kwargs, needing))
            found[1].append(_time(function.function, args, kwargs, needing))
            if function.entries[0] is not entry:
                return None
    except Exception:  # a program of somebody else's, in a state that it has not foreseen
        return None
    compiled, written = map(statistics.median, found)
    return CallsTimed(compiled=compiled, written=written, calls=len(found[0]), with_backward=entry.backward is not None)


def _time(call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], needing: list[Any]) -> float:
    """CPU seconds of a call and, if gradients come back through what it returns, of that."""
    start = time.process_time()
    result = call(*args, **kwargs)
    forward = time.process_time() - start
    roots = [one for one in _tensors(result) if one.grad_fn is not None] if needing else []
    seeds = [ones_like(one) for one in roots]
    if not roots:
        return forward
    start = time.process_time()
    grad(roots, needing, seeds, allow_unused=True)
    return forward + time.process_time() - start


def _tensors(thing: Any) -> Iterator[Any]:
    """The tensors in what a function returns, each once."""
    if isinstance(thing, Variable):
        yield thing
    elif isinstance(thing, list | tuple | dict):
        for one in thing.values() if isinstance(thing, dict) else thing:
            yield from _tensors(one)
