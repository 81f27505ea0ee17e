"""Lanes: processes that run the same function at once, each on its part, and add up arrays in memory that they share.

Where there are no processes, as in a browser, lanes take turns.

Whatever ends a run, an error in a lane, Ctrl-C, or a lane that is killed, no process and no shared memory is left: the
parent ends and unlinks them, and a lane whose parent is gone ends itself.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array

try:
    from multiprocessing.connection import Connection, wait
    from multiprocessing.process import BaseProcess
    from multiprocessing.shared_memory import SharedMemory

    HAS_PROCESSES = True
except ImportError:  # Python in a browser
    HAS_PROCESSES = False

PATIENCE = 60.0
"""Seconds that a lane waits for the others, once it is where they are to meet."""
ROOM = 2**18
"""Bytes of shared memory for each lane; larger arrays are added up in pieces."""
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


class LaneError(RuntimeError):
    """A lane failed; the text has its traceback."""


@dataclass
class _Place:
    """Where this process is: which lane of how many, what they share, and where they wait for each other.

    Of lanes that take turns, `sums` are those that are known already.
    """

    lane: int
    lanes: int
    shared: Any = None
    barrier: Any = None
    sums: Iterator[Array] | None = None


_here = _Place(0, 1)


def lane() -> int:
    """The number of this lane, from 0; 0 outside of a run."""
    return _here.lane


def lanes() -> int:
    """How many lanes there are; 1 outside of a run."""
    return _here.lanes


def all_reduce(array: Array) -> Array:
    """The sum of the arrays of all lanes, the same in each. All lanes have to call it, with one shape and dtype.

    Raises threading.BrokenBarrierError if the others do not come.
    """
    if _here.lanes == 1:
        return array.copy()
    if _here.sums is not None:
        found = next(_here.sums, None)
        if found is None:
            raise _Waiting(array)
        return found.copy()
    flat, total = np.ascontiguousarray(array).reshape(-1), np.empty(array.size, array.dtype)
    piece = ROOM // array.itemsize
    for start in range(0, max(flat.size, 1), piece):
        part = flat[start : start + piece]
        seats = np.ndarray((_here.lanes, ROOM // array.itemsize), array.dtype, _here.shared.buf)
        seats[_here.lane, : part.size] = part
        _here.barrier.wait()
        seats[:, : part.size].sum(axis=0, out=total[start : start + piece])
        _here.barrier.wait()  # nobody writes again before all have read
    return total.reshape(array.shape)


def run(work: Callable[..., Any], count: int, *args: Any) -> list[Any]:
    """Call `work(*args)` in `count` lanes at once; what each returned, in their order.

    `work` is a function at the top of a module, since each lane imports it; a script that calls this does so under
    `if __name__ == "__main__":`. Raises LaneError, and ValueError for less than one lane.
    """
    if count < 1:
        raise ValueError(f"there must be at least one lane, not {count}")
    if not HAS_PROCESSES:
        return in_turns(work, count, *args)
    context = multiprocessing.get_context("spawn")
    shared = SharedMemory(f"lanes-{os.getpid()}-{token_hex(4)}", create=True, size=count * ROOM)
    processes: list[Any] = []
    ends: list[Connection] = []
    try:
        barrier = context.Barrier(count, timeout=PATIENCE)
        with _one_thread_each(), _not_interrupted():
            for number in range(count):
                end, other = context.Pipe(duplex=False)
                place = number, count, shared.name, barrier
                process = context.Process(target=_lane, args=(place, other, work, args), daemon=True)
                processes.append(process)
                ends.append(end)
                process.start()
                other.close()
        return _results(processes, ends)
    finally:
        for process in processes:
            _end(process)
        for end in ends:
            end.close()
        shared.close()
        shared.unlink()


class _Waiting(BaseException):
    """A lane that takes turns has come to where it would wait for the others. No `except Exception` may catch it."""

    def __init__(self, array: Array) -> None:
        self.array = array.copy()


def in_turns(work: Callable[..., Any], count: int, *args: Any) -> list[Any]:
    """What `run` returns, without processes: each lane runs up to its next all-reduce, then all begin anew, as often.

    So `work` has to do the same each time. Raises what it raises, and LaneError where lanes do not meet equally often.
    """
    sums: list[Array] = []
    while True:
        turns = [_turn(work, _Place(number, count, sums=iter(sums)), args) for number in range(count)]
        brought = [turn.array for turn in turns if isinstance(turn, _Waiting)]
        if not brought:
            return turns
        if len(brought) < count:
            raise LaneError("all lanes have to call all_reduce equally often")
        sums.append(np.sum(brought, axis=0, dtype=brought[0].dtype))


def _turn(work: Callable[..., Any], place: _Place, args: tuple[Any, ...]) -> Any:
    global _here
    before, _here = _here, place
    try:
        return work(*args)
    except _Waiting as waiting:
        return waiting
    finally:
        _here = before


def _results(processes: Sequence[BaseProcess], ends: Sequence[Connection]) -> list[Any]:
    """What the lanes send, as soon as all have, or one has failed."""
    found: dict[int, Any] = {}
    while len(found) < len(ends):
        left = [number for number in range(len(ends)) if number not in found]
        wait([ends[number] for number in left])
        for number in left:
            if not ends[number].poll():
                continue
            name = f"lane {number} of {len(ends)}"
            try:
                fine, told = ends[number].recv()
            except EOFError:  # its end of the pipe was closed with it
                processes[number].join()
                raise LaneError(f"{name} ended with exit code {processes[number].exitcode} and no answer") from None
            if not fine:
                raise LaneError(f"{name} failed:\n\n{told}")
            found[number] = told
    return [found[number] for number in range(len(ends))]


def _end(process: BaseProcess) -> None:
    if process.pid is None:  # it was never started
        return
    if process.is_alive():
        process.terminate()
    process.join(5)
    if process.is_alive():
        process.kill()
        process.join()
    process.close()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    """Lanes that start inside multiply with one thread each: so many lanes are so many threads."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _not_interrupted() -> Iterator[None]:
    """Ctrl-C has to wait, where that can be: a lane that starts inside does not hear it at all."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --- in a lane -------------------------------------------------------------------------------------------------------


def _lane(place: tuple[Any, ...], end: Connection, work: Callable[..., Any], args: tuple[Any, ...]) -> None:
    global _here
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair, which ends the lanes
    threading.Thread(target=_end_with_parent, daemon=True).start()
    number, count, name, barrier = place
    shared = SharedMemory(name)
    _here = _Place(number, count, shared, barrier)
    try:
        end.send((True, work(*args)))
    except threading.BrokenBarrierError:
        barrier.abort()
        end.send((False, "It waited in vain for the other lanes: all of them have to call all_reduce equally often."))
    except Exception:
        end.send((False, traceback.format_exc()))
    finally:
        shared.close()
        end.close()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
