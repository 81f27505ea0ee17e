"""`Recording`: a recorder that listens from one moment to another, whatever others do meanwhile.

A mistake of a recorder ends its recording, and never reaches the program.
"""

from __future__ import annotations

import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from autograd_lab import listening
from autograd_lab.recording import recorder
from autograd_lab.recording.ids import Numbers
from autograd_lab.recording.recorder import Recorder
from autograd_lab.trace import Trace
from autograd_lab.whose import EXAMPLES, PACKAGE, users_frame

INDENT = "  "
"""How the lines of a note begin that this package adds to an error."""
_listening: list[Any] = []
"""The recorders that listen; `active` says everything to them."""


class Recording:
    """A recorder that listens between `start` and `stop`; others may start and stop meanwhile, in any order.

    Recordings that share `numbers` have no id in common, so that their events can stand in one trace.
    """

    def __init__(self, names: dict[str, Any] | None = None, numbers: Numbers | None = None) -> None:
        self.recorder = Recorder(numbers=numbers)
        self.trace = self.recorder.trace
        self._guarded = _Guarded(self.recorder)
        self._companions = ExitStack()
        self.recorder.names = names or {}
        for name, thing in self.recorder.names.items():
            self.recorder.name(thing, name)

    def start(self) -> None:
        """Listen from now on, unless this is interrupted."""
        try:
            with _uninterrupted():
                _listening.append(self._guarded)
                _all_hear()
                for companion in listening.companions:
                    self._companions.enter_context(companion(self.recorder))
        except BaseException:
            self.stop()
            raise

    def stop(self, error: BaseException | None = None) -> None:
        """Listen no more; an error that ends the program is told, unless it was before."""
        with _uninterrupted():
            self._end(error)

    def _end(self, error: BaseException | None) -> None:
        try:
            self._companions.close()
        finally:
            with suppress(ValueError):  # never begun
                _listening.remove(self._guarded)
            _all_hear()
            if error is not None:
                self._guarded.exception_left(error)
            self._guarded.close()
            self.recorder.close()
            if isinstance(error, Exception):
                _explain(error, self.trace)

    def __enter__(self) -> Recording:
        self.start()
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.stop(error)


class _Guarded:
    """Says everything to a recorder, whose mistakes end the recording and never reach the program."""

    def __init__(self, listener: Recorder) -> None:
        self._recorder, self._is_over = listener, False

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._recorder, name)

        def call(*args: Any) -> None:
            try:
                method(*args)
            except Exception as error:
                if recorder.STRICT:
                    raise
                self._failed(error)

        said = self.__dict__[name] = _nothing if self._is_over else call  # the next time it is found at once
        return said

    def close(self) -> None:
        """Hear nothing from now on, not even by what was found at once so far, which holds this, too."""
        self._is_over = True
        self.__dict__.update({name: _nothing for name in self.__dict__ if not name.startswith("_")})

    def _failed(self, error: Exception) -> None:
        """The recording ends here."""
        if not self._is_over:
            self.close()
            with suppress(Exception):  # such as RecursionError, near the end of the stack
                self._recorder.failed(error, "what the program did from here on")


def _nothing(*_: Any) -> None:
    """In the place of what a recorder hears, once that is over."""


class _All:
    """Says everything to several recorders."""

    def __init__(self, recorders: tuple[Any, ...]) -> None:
        self._recorders = recorders

    def __getattr__(self, name: str) -> Any:
        methods = [getattr(recorder, name) for recorder in self._recorders]
        return lambda *args, **kwargs: [method(*args, **kwargs) for method in methods]


def _explain(error: Exception, trace: Trace) -> None:
    """Add to an error that leaves the program what was found out about it, as a note, in the place of what its engine
    said, which knows less: no more than the tensors and nodes at hand."""
    from autograd_lab.findings.diagnosis import help_for  # which no program needs that goes well

    try:
        help = help_for(str(error), trace)
    except Exception:  # a mistake in this package is not to hide the program's
        if recorder.STRICT:
            raise
        return
    if help:
        told = getattr(error, "__notes__", [])
        told[:] = [note for note in told if not note.startswith(INDENT)]
        error.add_note(help)


def _all_hear() -> None:
    """Have all who listen hear what the engine does, also if somebody comes or goes meanwhile, in another thread."""
    told: tuple[Any, ...] | None = None
    while told != (now := tuple(_listening)):
        told = now
        listening.active = _All(now) if len(now) > 1 else now[0] if now else None
        rewrite_warnings(bool(now))


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Have Ctrl-C wait until this is over: a recording that had half begun would never end."""
    before, waiting = signal.getsignal(signal.SIGINT), []
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, lambda *how: waiting.append(how))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if waiting:
            before(*waiting[0])


_rewritten: _Rewritten | None = None
"""What stands in the place of `warnings.showwarning`."""


def rewrite_warnings(wanted: bool) -> None:
    """Show warnings at the user's lines from now on, or as before, unless somebody else has taken the place meanwhile.

    There is one for all recordings: of two, each with its own, the first to end would have left its own behind.
    """
    global _rewritten
    if wanted and _rewritten is None:
        _rewritten = _Rewritten()
        warnings.showwarning = _rewritten
    elif not wanted and _rewritten is not None:
        if warnings.showwarning is _rewritten:
            warnings.showwarning = _rewritten.before
        _rewritten = None


class _Rewritten:
    """Called as `warnings.showwarning` is; what was called before is called with the user's line."""

    def __init__(self) -> None:
        self.before = warnings.showwarning

    def __call__(
        self, message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: str | None = None
    ) -> None:
        frame = users_frame(sys._getframe(1)) if filename.startswith(PACKAGE) else None
        if frame is not None and not filename.startswith(EXAMPLES):
            filename, lineno, line = frame.f_code.co_filename, frame.f_lineno or lineno, None
        self.before(message, category, filename, lineno, file, line)
