"""`Recorder`: takes down what an engine says, by parts that share a tape.

The engine asks one question on its way, `if listening.active is not None`, and calls the methods that a recorder has of
its parts with its own objects. They write raw notes (an event's class, the place in the program, its fields), since a
frozen dataclass costs more than the op that it tells of; `decode.py` makes the events when somebody reads the trace. A
recorder keeps numbers and ids, and no tensor or node alive. What it reads of tensors and nodes, `reader.py` says.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from autograd_lab.recording.backward import Backward
from autograd_lab.recording.decode import Decoder
from autograd_lab.recording.errors import Errors
from autograd_lab.recording.first_sight import FirstSight
from autograd_lab.recording.forward import Forward
from autograd_lab.recording.holding import most_held
from autograd_lab.recording.hooks import Hooks
from autograd_lab.recording.ids import Ids, Numbers
from autograd_lab.recording.modules import Modules
from autograd_lab.recording.new_parts import NewParts
from autograd_lab.recording.notices import Notices
from autograd_lab.recording.on_the_way import OnTheWay
from autograd_lab.recording.reader import Reader
from autograd_lab.recording.results import Results
from autograd_lab.recording.settings import Settings
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.whereabouts import Releases, Whereabouts
from autograd_lab.recording.writes import Writes
from autograd_lab.trace import Trace
from autograd_lab.whose import place_in_package

STRICT = bool(os.environ.get("AUTOGRAD_LAB_STRICT"))
"""Whether a mistake in the recording is an error of the program's; so in tests."""


class RecordingWarning(RuntimeWarning):
    """A recording broke off, or cannot show all that a program does; the program itself is unharmed."""


def failure_text(error: BaseException) -> str:
    """A mistake in this package, as it is told to whoever can report it."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"autograd_lab failed ({what}, at {place_in_package(error)}); your program went on."


class Parts:
    """The parts of a recorder; each is given those that it asks, and none asks one that is made after it."""

    def __init__(
        self, tape: Tape, notices: type[Notices] = Notices, first_sight: type[FirstSight] = FirstSight,
        writes: type[Writes] = Writes,
    ) -> None:  # fmt: skip
        self.way = way = OnTheWay(tape)
        self.notices = notices(tape, way)
        self.first_sight = first_sight(tape, self.notices)
        self.new_parts = NewParts(tape, self.first_sight)
        self.results = Results(tape)
        self.whereabouts = here = Whereabouts(tape, self.new_parts, self.results)
        self.releases = Releases(tape, here)
        self.writes = writes(tape, way, self.notices, self.first_sight, self.new_parts)
        self.modules = Modules(tape, here, self.results)
        self.forward = Forward(tape, here, way, self.notices, self.first_sight, self.results, self.modules, self.writes)
        self.backward = Backward(tape, here, way, self.notices, self.first_sight, self.writes)
        self.hooks = Hooks(tape, here, way, self.first_sight)
        self.settings = Settings(tape, here, self.notices, self.first_sight, self.new_parts)
        self.errors = Errors(tape, here, self.first_sight)


class Recorder:
    """Takes down what an engine does, by ids of its own; what an engine calls are methods of its parts.

    A recorder `beside` another one, for another engine, writes into the same trace.
    """

    def __init__(self, numbers: Numbers | None = None) -> None:
        tape = Tape(Reader(), Ids(numbers or Numbers()))
        decoder = Decoder(tape.raw, tape.names.given, tape.names.later, tape.sites.wheres)
        self.trace = Trace(files=tape.sites.texts)
        self.trace.follow(decoder.new_events, tape.raw)
        self._have(tape, Parts(tape))

    def _have(self, tape: Tape, parts: Parts) -> None:
        """Call parts one's own, and what an engine calls of them."""
        self.tape, self.parts = tape, parts
        self.neighbours: list[Recorder] = []
        self.names: dict[str, Any] = {}
        self.is_tensor = tape.reader.is_tensor
        self.opened = parts.notices.opened
        self.part_created = parts.new_parts.part_created
        self.tensor_created, self.detached = parts.forward.tensor_created, parts.forward.detached
        self.op_applied = parts.forward.op_applied
        self.call_begins, self.call_ends = parts.results.call_begins, parts.results.call_ends
        self.step_applied = parts.results.step_applied
        self.tensor_modified = parts.writes.tensor_modified
        self.module_entered, self.module_left = parts.modules.module_entered, parts.modules.module_left
        self.optimizer_entered, self.optimizer_left = parts.modules.optimizer_entered, parts.modules.optimizer_left
        self.backward_started, self.backward_left = parts.backward.backward_started, parts.backward.backward_left
        self.backward_finished = parts.backward.backward_finished
        self.node_visited, self.node_evaluated = parts.backward.node_visited, parts.backward.node_evaluated
        self.saved_freed, self.saved_retained = parts.backward.saved_freed, parts.backward.saved_retained
        self.gradient_sent, self.gradients_added = parts.backward.gradient_sent, parts.backward.gradients_added
        self.grad_accumulated = parts.backward.grad_accumulated
        self.hook_registered, self.hook_called = parts.hooks.hook_registered, parts.hooks.hook_called
        self.grad_mode_changed = parts.settings.grad_mode_changed
        self.requires_grad_changed = parts.settings.requires_grad_changed
        self.grad_retained, self.grad_assigned = parts.settings.grad_retained, parts.settings.grad_assigned
        self.error_raised, self.exception_left = parts.errors.error_raised, parts.errors.exception_left
        tape.ids.released = self._released

    def close(self) -> None:
        """Tell what is left to tell, and stop listening for nodes to be released."""
        for last in (self.parts.new_parts.tell, self.parts.notices.look_at_shared, self.tape.ids.close):
            try:
                last()
            except Exception as error:
                if STRICT:
                    raise
                self.failed(error, "what nobody had told yet in the end")

    def _released(self, node: str) -> None:
        """A node is gone. Python calls this in the midst of anything, and prints what it raises."""
        try:
            self.parts.releases.released(node)
        except Exception as error:
            if STRICT:
                raise
            self.failed(error, "what the program did from here on")

    def name(self, thing: Any, name: str) -> None:
        """Call a tensor or a module of this engine by `name` in this trace, whatever its variable is called."""
        if self.is_tensor(thing):
            self.tape.names.given[self.tape.id(thing)] = name
        elif hasattr(thing, "named_modules"):
            self.parts.modules.named(thing, name)

    def walk(self, tensor: Any) -> None:
        """Tell of a tensor's graph as it is now, with the `.grad` of its leaves."""
        self.parts.first_sight.met(tensor, *self.parts.whereabouts.now())

    def failed(self, error: BaseException, lost: str) -> None:
        """A mistake in this package ends the recording here, and says so; the program goes on."""
        self.stopped(failure_text(error), lost)

    def stopped(self, reason: str, lost: str) -> None:
        """The recording breaks off: nothing is told after this, also not by the recorder beside."""
        if not self.tape.break_off(reason, lost, *(each.tape for each in self.neighbours)):
            return
        with suppress(RecordingWarning):  # where warnings are errors the trace alone tells of it
            warnings.warn(f"the recording breaks off here. {reason} Not shown: {lost}.", RecordingWarning, stacklevel=3)

    # --- what a session asks, that records some iterations of a run ---------------------------------------------------

    def before_each(self, notice: Callable[[FrameType | None], None] | None) -> None:
        """Have something called with the program's frame whenever anything is about to be told."""
        self.tape.sites.notice = notice

    def name_given(self, tensor: Any) -> str | None:
        """What a tensor is called so far, by this recorder or one beside it."""
        tape = next((each.tape for each in (self, *self.neighbours) if each.is_tensor(tensor)), None)
        return None if tape is None else tape.names.given.get(tape.id(tensor))

    def leaves(self) -> list[Any]:
        """The leaves that have received gradients, as far as they still live."""
        return [leaf for each in (self, *self.neighbours) for leaf in each.parts.backward.leaves()]

    def bytes_saved(self) -> int:
        """The most bytes that nodes held at a time, each storage counted once, as far as nobody has read the trace."""
        tapes = [each.tape for each in (self, *self.neighbours)]
        storages = {name: facts[8] for tape in tapes for name, facts in tape.ids.described.items()}
        return most_held(self.tape.raw, storages)
