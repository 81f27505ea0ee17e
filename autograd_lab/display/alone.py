"""Run a script in a process of its own, which hears Ctrl-C only while the script runs, and ends with its parent."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from autograd_lab.display.script import Run, run_script
from autograd_lab.display.seeds import seeded
from autograd_lab.recording.iterations.record import say_nothing
from autograd_lab.recording.iterations.wanted import Choice
from autograd_lab.trace import Trace


def run_alone(
    path: Path,
    arguments: Sequence[str] = (),
    torch: bool = False,
    choice: Choice | None = None,
    say: Callable[[str], None] = say_nothing,
    seed: int | None = None,
) -> Run:
    """`run_script` in a process of its own, which modules, modes and random numbers of no other script have been in.

    With a `seed`, its random numbers begin there, whatever seeds it sets. Raises OSError also where the script ended
    that process without a word.
    """
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        try:
            with _interruptions(wait=True):  # in the process that starts here, too: it would be asked while it imports
                running = pool.submit(_run_to_send, path, arguments, torch, choice, say, seed)
            return running.result()
        except BrokenProcessPool:
            raise OSError(f"{path} ended its process at once, so nothing of its recording is left") from None


@contextmanager
def _interruptions(wait: bool) -> Iterator[None]:
    """Ctrl-C has to wait, or need not wait any more, where that can be."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which would have Ctrl-C heard again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK if wait else signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _run_to_send(
    path: Path,
    arguments: Sequence[str],
    torch: bool,
    choice: Choice | None,
    say: Callable[[str], None],
    seed: int | None,
) -> Run:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with _interruptions(wait=False), nullcontext() if seed is None else seeded(seed):
        run = run_script(path, arguments, torch, choice, say)
    sys.stdout.flush()
    trace = Trace()
    trace.become(run.trace)
    return Run(trace, run.code, run.complaint, run.help)


def _end_with_parent() -> None:
    """Whoever killed the parent wants no script that goes on."""
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)
