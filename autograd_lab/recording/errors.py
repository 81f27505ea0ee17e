"""Errors, each once: the part of a recorder that takes down what an engine refuses, and what ends the program."""

from __future__ import annotations

from typing import Any

from autograd_lab import events
from autograd_lab.recording.first_sight import FirstSight
from autograd_lab.recording.program.source import NOWHERE
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.whereabouts import Whereabouts
from autograd_lab.whose import users_frame


class Errors:
    """Tells of errors."""

    def __init__(self, tape: Tape, whereabouts: Whereabouts, first_sight: FirstSight) -> None:
        self._tape, self._here, self._first_sight = tape, whereabouts.now, first_sight

    def error_raised(self, error: BaseException, node: Any, slot: str | None, tensor: Any) -> None:
        """The engine has raised an error: of a node, for what it has in a slot, or of a tensor."""
        tape = self._tape
        site, frame = self._here()
        if tensor is not None:
            self._first_sight.met(tensor, site, frame)
        tape.errors.add((id(error), str(error)))
        subjects = tape.maybe_node(node), slot, tape.maybe(tensor)
        tape.push((events.ErrorRaised.kind, site.number, *_text_of(error), *subjects))

    def exception_left(self, error: BaseException) -> None:
        """The program raised and did not catch it; told once, also when the engine has told of it before."""
        tape, key = self._tape, (id(error), str(error))
        if key in tape.errors or isinstance(error, SystemExit | KeyboardInterrupt | GeneratorExit):
            return
        tape.errors.add(key)
        site, trace = NOWHERE, error.__traceback__
        while trace is not None:
            here = tape.sites.at(trace.tb_frame.f_code, trace.tb_lasti)
            site = here if users_frame(trace.tb_frame) is trace.tb_frame else site
            trace = trace.tb_next
        tape.push((events.ErrorRaised.kind, site.number, *_text_of(error), None, None, None))


def _text_of(error: BaseException) -> tuple[str, str]:
    """The type of an error and its message."""
    return type(error).__name__, str(error)
