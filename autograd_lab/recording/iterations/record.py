"""`record()`: watch a program, all of it or some of its iterations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from autograd_lab.recording.iterations.loops import Loops
from autograd_lab.recording.iterations.opening import Opening
from autograd_lab.recording.iterations.session import Session
from autograd_lab.recording.iterations.wanted import Choice, choice_of
from autograd_lab.recording.recording import Recording
from autograd_lab.trace import Trace


@contextmanager
def record(iterations: str | int | Choice = "all", *, every: int | None = None, **names: Any) -> Iterator[Trace]:
    """Record what happens inside the `with` block; keyword arguments give names to tensors: `record(weights=w)`.

    Of a training loop, `iterations="last"` keeps the last iteration that came to its end, `iterations=7` the seventh,
    `every=100` each hundredth, whatever they are of: one optimizer or two, or none. A block without a loop is recorded
    as a whole. The trace is there when the block has ended, and its `course` tells how the loss and the norms of the
    gradients went over all iterations. Iterations that are not recorded run at their own speed. Where it cannot be
    foreseen that an iteration will be the last, a long run shows one that came shortly before.

    An exception goes on its way, and the trace tells of it. Recordings nest: the outer one hears all of the inner one.

    Raises ValueError if `iterations` is none of these, or both are given.
    """
    if every is not None and iterations != "all":
        raise ValueError(f"iterations={iterations!r} and every={every} both say which: give one of them")
    choice = choice_of(iterations if every is None else f"every {every}")
    if choice is None:
        with Recording(names) as recording:
            yield recording.trace
    else:
        with _iterations(choice, names, Loops(), say_nothing) as trace:
            yield trace


SEEN = 2_000
"""So many events of the beginning are kept beside the iterations that are shown: what is wrong with a loop shows in its
first turns, and often in no single one."""


@contextmanager
def _iterations(
    choice: Choice, names: dict[str, Any], loops: Loops, say: Callable[[str], None], is_script: bool = False
) -> Iterator[Trace]:
    """The iterations of a choice; of a run that has some, the trace has its `beginning`, too."""
    with Opening(SEEN, names, paced=False) as beginning:
        session = Session(choice, names, loops, say, is_script)
        try:
            with session:
                yield session.trace
        finally:
            session.trace.beginning = None if session.trace.course is None else beginning


@contextmanager
def record_script(choice: Choice | None, loops: Loops, say: Callable[[str], None]) -> Iterator[Trace]:
    """The same for a script whose loops are marked; `say` hears how far it has come."""
    if choice is None:
        with record() as trace:
            yield trace
    elif choice.most is not None:
        with Opening(choice.most) as trace:
            yield trace
    else:
        with _iterations(choice, {}, loops, say, is_script=True) as trace:
            yield trace


def say_nothing(_: str) -> None:
    """In the place of what tells how far a program has come."""
