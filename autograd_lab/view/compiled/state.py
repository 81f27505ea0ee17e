"""What is true of a compilation after each of its facts: which operations there are, and what has become of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from autograd_lab import events as e
from autograd_lab.view.kit.changing import replace
from autograd_lab.view.kit.table import Table

CAPTURED = "captured"
"""What comes to an end before the first pass."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A captured operation. `gone` and `changed` say why it is left out or done in another way, once it is.

    Pass number `touched` did so, and `was` is its title before; `loops` are the numbers of those it is part of. One
    that was captured in forward `is_repeated` in backward, or `is_moved` there; one that is `made_once` is in no call.
    """

    facts: e.OperationFacts
    where: e.Where | None
    gone: str = ""
    changed: str = ""
    touched: int = 0
    was: str = ""
    loops: tuple[int, ...] = ()
    is_repeated: bool = False
    is_moved: bool = False
    made_once: bool = False


@dataclass(frozen=True, slots=True)
class Array:
    """An array, and whose it is: the id of the operation that makes it, or its own if it is an input.

    If it is `kept` for backward, that is how many bytes are kept by it.
    """

    facts: e.ArrayFacts
    owner: str
    is_gradient: bool = False
    kept: int | None = None


@dataclass(frozen=True, slots=True)
class Buffer:
    """A piece of memory, and what lies in it, in order."""

    facts: e.BufferPlanned
    tenants: tuple[e.ArrayPlaced, ...] = ()


@dataclass(frozen=True, slots=True)
class Compilation:
    """All that is known of a compilation at one moment.

    `stage` is the pass that runs or ran last, `passes` how many there were, `is_running` whether it goes on, and
    `has_started` whether it found anything to do; `ends` are the arrays that leave the graph, by what they are good
    for. Of `count` operations `nbytes` are in use, or the most that are at a time; `before` has both numbers as they
    were when the pass began, `captured` as they were after the capture.
    """

    function: str = ""
    of: str = "numpy call"
    stage: str = ""
    passes: int = 0
    is_running: bool = False
    has_started: bool = False
    operations: Table[Operation] = field(default_factory=lambda: Table("k"))
    arrays: Table[Array] = field(default_factory=lambda: Table("a"))
    ends: tuple[tuple[str, str], ...] = ()
    loops: int = 0
    programs: tuple[e.ProgramWritten, ...] = ()
    buffers: Table[Buffer] = field(default_factory=lambda: Table("m"))
    count: int = 0
    nbytes: int = 0
    captured: tuple[int, int] = (0, 0)
    before: tuple[int, int] = (0, 0)
    times: e.CallsTimed | None = None

    @property
    def has_backward(self) -> bool:
        """Whether gradients can come back through what the function returns."""
        return any(array.is_gradient for array in self.arrays.values())

    def owner(self, array: str) -> str:
        """Who makes an array."""
        return self.arrays[array].owner

    def purposes(self, owner: str) -> list[str]:
        """What the arrays of an operation, or an input, are good for."""
        return [purpose for purpose, array in self.ends if self.owner(array) == owner]

    def is_fresh(self, operation: Operation) -> bool:
        """Whether it was the pass that runs, or ran last, which left it out or changed it."""
        return operation.touched == self.passes and bool(self.passes)


def after(state: Compilation, event: e.CompilingEvent) -> Compilation:
    """The compilation after a fact. Pure: `state` stays as it is."""
    match event:
        case e.FunctionCaptured(function=function, of=of):
            return Compilation(function=function, of=of)
        case e.InputDeclared(array=array, is_gradient=is_gradient):
            return replace(state, arrays=state.arrays.set(array.id, Array(array, array.id, is_gradient)))
        case e.OperationCaptured(operation=facts, live=live, where=where):
            return replace(_added(state, facts, where), nbytes=live)
        case e.OperationAdded(operation=facts, reason=reason, where=where):
            return _changed(_added(state, facts, where), facts.id, changed=reason, touched=state.passes)
        case e.OutputNamed(array=array, purpose=purpose):
            others = tuple(pair for pair in state.ends if pair[0] != purpose)
            return replace(state, ends=others if array is None else (*others, (purpose, array)))
        case e.PassStarted(name=name):
            return replace(_begun(state, name), is_running=True, has_started=True)
        case e.PassFinished():
            return _finished(state, event)
        case e.OperationDropped():
            return _dropped(state, event)
        case e.OperationRewritten(operation=facts, reason=reason):
            was = state.operations[facts.id].facts.title
            return _changed(state, facts.id, facts=facts, changed=reason, touched=state.passes, was=was)
    return _arranged(state, event)


def _begun(state: Compilation, name: str) -> Compilation:
    before = (state.count, state.nbytes)
    return replace(state, stage=name, passes=state.passes + 1, has_started=False, before=before)


def _finished(state: Compilation, event: e.PassFinished) -> Compilation:
    """After capture, or after a pass, which has not been told to start if there was nothing to do."""
    if event.name == CAPTURED:
        numbers = (event.operations, event.nbytes)
        return replace(state, stage=CAPTURED, nbytes=event.nbytes, captured=numbers)
    if not state.is_running:
        state = _begun(state, event.name)
    return replace(state, is_running=False, nbytes=event.nbytes)


def _dropped(state: Compilation, event: e.OperationDropped) -> Compilation:
    state = _changed(state, event.operation, gone=event.reason, touched=state.passes)
    for facts in event.rewired:
        state = _changed(state, facts.id, facts=facts)
    return replace(state, count=state.count - 1)


def _arranged(state: Compilation, event: e.CompilingEvent) -> Compilation:
    """After a fact of how the halves run: what is kept, computed twice, done in a loop, and where everything lies."""
    match event:
        case e.ArrayKept(array=array, nbytes=nbytes):
            return replace(state, arrays=state.arrays.set(array, replace(state.arrays[array], kept=nbytes)))
        case e.OperationRepeated(operation=name):
            return _changed(state, name, is_repeated=True)
        case e.OperationMoved(operation=name):
            return _changed(state, name, is_moved=True)
        case e.OperationsFused(operations=names):
            for name in names:
                state = _changed(state, name, loops=(*state.operations[name].loops, state.loops + 1))
            return replace(state, loops=state.loops + 1)
        case e.ProgramWritten():
            return replace(state, programs=(*state.programs, event))
        case e.ViewsMade(operations=names):
            for name in names:
                state = _changed(state, name, made_once=True)
        case e.BufferPlanned(buffer=buffer):
            return replace(state, buffers=state.buffers.set(buffer, Buffer(event)))
        case e.ArrayPlaced(buffer=name):
            old = state.buffers[name]
            return replace(state, buffers=state.buffers.set(name, replace(old, tenants=(*old.tenants, event))))
        case e.CallsTimed():
            return replace(state, times=event)
    return state


def _added(state: Compilation, facts: e.OperationFacts, where: e.Where | None) -> Compilation:
    arrays = state.arrays
    for array in facts.results:
        arrays = arrays.set(array.id, Array(array, facts.id))
    operations = state.operations.set(facts.id, Operation(facts, where))
    return replace(state, arrays=arrays, operations=operations, count=state.count + 1)


def _changed(state: Compilation, name: str, **changes: object) -> Compilation:
    return replace(state, operations=state.operations.set(name, replace(state.operations[name], **changes)))


def compilation_of(events: Iterable[e.Event]) -> Compilation:
    """The compilation after all the facts of a trace."""
    state = Compilation()
    for event in events:
        if isinstance(event, e.CompilingEvent):
            state = after(state, event)
    return state
