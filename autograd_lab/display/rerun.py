"""A script that runs again with other numbers in it: hushed, and with the random numbers that it had the first time."""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy

from autograd_lab.display.literal import Literal, literal_of, text_of, with_numbers
from autograd_lab.display.script import Run, read_as, run_source
from autograd_lab.display.target import Misuse
from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.recording.iterations.record import say_nothing
from autograd_lab.recording.iterations.wanted import LAST, Choice


class Rerun:
    """A script that can be run with other numbers. Each run begins with the random numbers of the first."""

    def __init__(
        self, path: Path, arguments: Sequence[str] = (), torch: bool = False, choice: Choice | None = LAST
    ) -> None:
        self.name = path.name
        self._path, self._arguments, self._torch, self._choice = path, arguments, torch, choice
        try:
            self._source = text_of(path)
            compile(self._source, str(path), "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise Misuse(f"{path} is no Python, so nothing in it can be varied: {error}") from None
        self._random: dict[str, Any] = {}

    def literal(self, name: str) -> Literal:
        """The number that the script sets a name to. Raises Misuse if there is none, or more than one."""
        return literal_of(name, self._source, self.name)

    def run(self, numbers: Mapping[Literal, str], say: Callable[[str], None] = say_nothing, loud: bool = False) -> Run:
        """Run it with other numbers in the place of some; what it prints is dropped unless that is to be `loud`."""
        file, text = os.path.abspath(self._path), with_numbers(self._source, numbers)
        argv = [str(self._path), *self._arguments]
        hushed = contextlib.ExitStack()
        if not loud:
            hushed.enter_context(contextlib.redirect_stdout(io.StringIO()))
            hushed.enter_context(contextlib.redirect_stderr(io.StringIO()))
        with hushed, read_as(file, text), self._same_random_numbers():
            found = run_source(text, file, argv, self._torch, choice=self._choice, say=say)
        if found.trace.course is None:
            self._choice = None  # to look for a training loop takes longer than a short script
        return found

    @contextlib.contextmanager
    def _same_random_numbers(self) -> Iterator[None]:
        """Those of the first run, each time anew, of whatever can make some by then."""
        for name, (get, put) in _generators().items():
            if name in self._random:
                put(self._random[name])
            else:
                self._random[name] = get()
        yield


def _generators() -> dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]]:
    """What makes random numbers: how its state is read, and put back."""
    ours = numbers_of()
    found: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
        "random": (random.getstate, random.setstate),
        "numpy": (numpy.random.get_state, numpy.random.set_state),
        "autograd_lab": (lambda: ours.state, lambda state: setattr(ours, "state", state)),
    }
    if (torch := sys.modules.get("torch")) is not None:
        found["torch"] = torch.get_rng_state, torch.set_rng_state
    return found
