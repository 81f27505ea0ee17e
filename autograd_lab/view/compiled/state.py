"""What is true of a compilation after each of its facts: which operations there are, and what has become of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from autograd_lab.events import (
    ArrayFacts,
    ArrayKept,
    ArrayPlaced,
    BufferPlanned,
    CallsTimed,
    CompilingEvent,
    FunctionCaptured,
    InputDeclared,
    OperationAdded,
    OperationCaptured,
    OperationDropped,
    OperationFacts,
    OperationRepeated,
    OperationRewritten,
    OperationsFused,
    OutputNamed,
    PassFinished,
    PassStarted,
    ProgramWritten,
    Where,
)
from autograd_lab.view.state import replace
from autograd_lab.view.table import Table


@dataclass(frozen=True, slots=True)
class Operation:
    """A captured operation. `gone` and `changed` say why it is left out or done in another way, once it is.

    `touched` is the number of the pass that did so, `loops` are the numbers of those it is part of.
    """

    facts: OperationFacts
    where: Where | None
    gone: str = ""
    changed: str = ""
    touched: int = 0
    loops: tuple[int, ...] = ()
    is_repeated: bool = False


@dataclass(frozen=True, slots=True)
class Array:
    """An array, and whose it is: the id of the operation that makes it, or its own if it is an input."""

    facts: ArrayFacts
    owner: str
    is_gradient: bool = False
    is_kept: bool = False


@dataclass(frozen=True, slots=True)
class Buffer:
    """A piece of memory, and what lies in it, in order."""

    facts: BufferPlanned
    tenants: tuple[ArrayPlaced, ...] = ()


@dataclass(frozen=True, slots=True)
class Compilation:
    """All that is known of a compilation at one moment.

    `stage` is the pass that runs or ran last, `passes` how many have begun, `is_running` whether it has not finished;
    `ends` are the arrays that leave the graph, by what they are good for. `nbytes` is what all arrays take that exist
    as a whole, and all buffers, for `count` operations. `before` has these two numbers, operations first, as they were
    when the pass began, and `captured` when the first one did.
    """

    function: str = ""
    stage: str = ""
    passes: int = 0
    is_running: bool = False
    operations: Table[Operation] = field(default_factory=lambda: Table("k"))
    arrays: Table[Array] = field(default_factory=lambda: Table("a"))
    ends: tuple[tuple[str, str], ...] = ()
    loops: int = 0
    programs: tuple[ProgramWritten, ...] = ()
    buffers: Table[Buffer] = field(default_factory=lambda: Table("m"))
    count: int = 0
    nbytes: int = 0
    captured: tuple[int, int] = (0, 0)
    before: tuple[int, int] = (0, 0)
    times: CallsTimed | None = None

    @property
    def has_backward(self) -> bool:
        """Whether gradients can come back through what the function returns."""
        return any(program.half == "backward" for program in self.programs)

    def owner(self, array: str) -> str:
        """Who makes an array."""
        return self.arrays[array].owner

    def purposes(self, owner: str) -> list[str]:
        """What the arrays of an operation, or an input, are good for."""
        return [purpose for purpose, array in self.ends if self.owner(array) == owner]

    def is_fresh(self, operation: Operation) -> bool:
        """Whether it was the pass that runs, or ran last, which left it out or changed it."""
        return operation.touched == self.passes and bool(self.passes)


def after(state: Compilation, event: CompilingEvent) -> Compilation:
    """The compilation after a fact. Pure: `state` stays as it is."""
    match event:
        case FunctionCaptured(function=function):
            return Compilation(function=function)
        case InputDeclared(array=array, is_gradient=is_gradient):
            return replace(state, arrays=state.arrays.set(array.id, Array(array, array.id, is_gradient)))
        case OperationCaptured(operation=facts, where=where):
            return _added(state, facts, where)
        case OperationAdded(operation=facts, reason=reason, where=where):
            state = _added(state, facts, where)
            return _changed(state, facts.id, changed=reason, touched=state.passes)
        case OutputNamed(array=array, purpose=purpose):
            others = tuple(pair for pair in state.ends if pair[0] != purpose)
            return replace(state, ends=others if array is None else (*others, (purpose, array)))
        case PassStarted(name=name):
            before = (state.count, state.nbytes)
            captured = state.captured if state.passes else before
            state = replace(state, before=before, captured=captured)
            return replace(state, stage=name, passes=state.passes + 1, is_running=True)
        case PassFinished():
            return replace(state, is_running=False)
        case OperationDropped():
            return _dropped(state, event)
        case OperationRewritten(operation=facts, reason=reason):
            return _changed(state, facts.id, facts=facts, changed=reason, touched=state.passes)
        case CallsTimed():
            return replace(state, times=event)
        case _:
            return _arranged(state, event)


def _arranged(state: Compilation, event: CompilingEvent) -> Compilation:
    """After a fact of how the halves run: what is kept, computed twice, done in a loop, and where everything lies."""
    match event:
        case ArrayKept(array=array):
            return replace(state, arrays=state.arrays.set(array, replace(state.arrays[array], is_kept=True)))
        case OperationRepeated(operation=name):
            state = _changed(state, name, is_repeated=True)
            return replace(state, nbytes=state.nbytes + _size(state, [name]))
        case OperationsFused(operations=names, results=results):
            number, nbytes = state.loops + 1, state.nbytes - _size(state, names)
            for name in names:
                state = _changed(state, name, loops=(*state.operations[name].loops, number))
            whole = sum(state.arrays[array].facts.nbytes for array in results)
            return replace(state, loops=number, nbytes=nbytes + whole)
        case ProgramWritten():
            return replace(state, programs=(*state.programs, event))
        case BufferPlanned(buffer=buffer, nbytes=nbytes):
            return replace(state, buffers=state.buffers.set(buffer, Buffer(event)), nbytes=state.nbytes + nbytes)
        case ArrayPlaced(buffer=name, array=array):
            old = state.buffers[name]
            alone = 0 if old.facts.is_tile else state.arrays[array].facts.nbytes
            buffers = state.buffers.set(name, replace(old, tenants=(*old.tenants, event)))
            return replace(state, buffers=buffers, nbytes=state.nbytes - alone)
    return state


def _added(state: Compilation, facts: OperationFacts, where: Where | None) -> Compilation:
    arrays = state.arrays
    for array in facts.results:
        arrays = arrays.set(array.id, Array(array, facts.id))
    operations = state.operations.set(facts.id, Operation(facts, where))
    state = replace(state, arrays=arrays, operations=operations, count=state.count + 1)
    return replace(state, nbytes=state.nbytes + _size(state, [facts.id]))


def _dropped(state: Compilation, event: OperationDropped) -> Compilation:
    nbytes = state.nbytes - _size(state, [event.operation])
    state = _changed(state, event.operation, gone=event.reason, touched=state.passes)
    for facts in event.rewired:
        state = _changed(state, facts.id, facts=facts)
    return replace(state, count=state.count - 1, nbytes=nbytes)


def _changed(state: Compilation, name: str, **changes: object) -> Compilation:
    return replace(state, operations=state.operations.set(name, replace(state.operations[name], **changes)))


def _size(state: Compilation, names: Iterable[str]) -> int:
    """The bytes of all that some operations make."""
    return sum(array.nbytes for name in names for array in state.operations[name].facts.results)
