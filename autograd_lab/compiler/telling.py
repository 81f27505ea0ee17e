"""How a function was compiled, told in events: what was captured, what each pass did, the programs and their memory.

Passes make graphs of graphs and tell nobody. What one has done is read off here, by comparing the graph before with
the one after: an operation is the same one as long as it makes the same array.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from autograd_lab.compiler.entry import Entry, Stage
from autograd_lab.compiler.graph import Constant, Graph, Operation, Value
from autograd_lab.compiler.spoken import Spoken
from autograd_lab.compiler.tenancy import tenancies
from autograd_lab.events import (
    ArrayKept,
    ArrayPlaced,
    BufferPlanned,
    CallsTimed,
    Event,
    FunctionCaptured,
    InputDeclared,
    OperationAdded,
    OperationCaptured,
    OperationDropped,
    OperationFacts,
    OperationRepeated,
    OperationRewritten,
    OperationsFused,
    OperationsOrdered,
    OutputNamed,
    PassFinished,
    PassStarted,
    ProgramWritten,
    Where,
)
from autograd_lab.trace import Trace

OWN_MEMORY = "what leaves the function has memory of its own"
UNASKED, NO_LONGER_ASKED, SETTLED = "nobody asks for it", "no longer asked for", "the same in each run"
Outputs = dict[str, Value]
"""What leaves the graph, by what it is good for."""


def trace_of(entry: Entry, function: str, times: CallsTimed | None = None) -> Trace:
    """The trace of a compilation; `times` are told at its end."""
    telling = Telling(entry, function)
    return Trace([*telling.events(), *([times] if times else [])], files=dict(entry.files))


class Telling:
    """Tells of one entry; `_there` are the operations of the graph that was told of last."""

    def __init__(self, entry: Entry, function: str) -> None:
        self._entry, self._function = entry, function
        self._programs = {"forward": entry.forward} | ({"backward": entry.backward} if entry.backward else {})
        self._spoken = Spoken()
        self._there: dict[str, OperationFacts] = {}
        self._outputs: Outputs = {}
        self._asked: set[str] = set()

    def events(self) -> Iterator[Event]:
        """All events, in order."""
        yield from self._captured(self._entry.stages[0].graph)
        for stage in self._entry.stages[1:]:
            yield PassStarted(name=stage.name)
            yield from self._changed(stage.graph.operations, self._joint_outputs(stage.graph), stage)
            yield self._finished(stage.name)
        parted = list(self._parted())
        if parted or self._entry.backward is not None:
            yield from (PassStarted(name="halves"), *parted, self._finished("halves"))
        for at in range(1, len(self._entry.halves["forward"])):
            yield from self._late(at)
        yield from self._written()

    def _finished(self, name: str) -> PassFinished:
        return PassFinished(name=name, operations=len(self._there))

    # --- capture ----------------------------------------------------------------------------------------------------

    def _captured(self, graph: Graph) -> Iterator[Event]:
        """The capture, op by op; whatever is taken that nobody has made is a gradient that comes in."""
        yield FunctionCaptured(function=self._function)
        inputs = graph.inputs[: len(self._entry.inputs)]
        tangents = graph.inputs[len(self._entry.inputs) :]
        outputs, known = self._joint_outputs(graph), set(inputs)
        yield from (InputDeclared(array=self._spoken.array(one)) for one in inputs)
        yield from self._named(outputs, known)
        for each, (facts, where) in zip(graph.operations, self._facts(graph.operations), strict=True):
            yield from self._incoming(each.operands, known)
            self._there[facts.id] = facts
            yield OperationCaptured(operation=facts, where=where)
            known.update(each.results)
            yield from self._named(outputs, {*each.results})
        yield from self._incoming(tangents, known)
        yield from self._named(outputs)
        self._asked = {array for each in self._there.values() for array in each.operands}
        self._asked |= {self._spoken.array(one).id for one in outputs.values() if not isinstance(one, Constant)}

    def _incoming(self, values: Iterable[Value], known: set[Value]) -> Iterator[Event]:
        for one in values:
            if one not in known and not isinstance(one, Constant):
                known.add(one)
                yield InputDeclared(array=self._spoken.array(one), is_gradient=True)

    def _facts(self, operations: Iterable[Operation]) -> Iterator[tuple[OperationFacts, Where | None]]:
        """What is to be said of operations, each once, those of loops by themselves."""
        yield from self._spoken.operations(part for each in operations for part in (each.body or (each,)))

    def _joint_outputs(self, graph: Graph) -> Outputs:
        entry = self._entry
        return _by_purpose((*entry.results, *entry.writes, *entry.grads, *entry.gradients), graph.outputs)

    def _named(self, outputs: Outputs, among: set[Value] | None = None) -> Iterator[Event]:
        """Name outputs that are others than before; only those `among` some values, if any are given."""
        for purpose, value in outputs.items():
            old = self._outputs.get(purpose)
            if old is not value and (among is None or value in among):
                self._outputs[purpose] = value
                yield OutputNamed(array=self._id(value), purpose=purpose, instead_of=self._id(old))

    def _id(self, value: Value | None) -> str | None:
        """The id of an array in the graph; of a constant there is none."""
        return None if value is None or isinstance(value, Constant) else self._spoken.array(value).id

    # --- passes -----------------------------------------------------------------------------------------------------

    def _changed(self, operations: Iterable[Operation], outputs: Outputs, stage: Stage | None) -> Iterator[Event]:
        """What makes of the graph that was told of the one of these operations."""
        new = {facts.id: (facts, where) for facts, where in self._facts(operations)}
        notes = {} if stage is None else {self._spoken.maker(value): text for value, text in stage.notes.items()}
        is_dead, settles = (stage is not None and stage.name == name for name in ("dead", "constants"))
        old, told = self._there, set(notes)
        for name in [name for name in new if name not in old]:
            yield OperationAdded(operation=new[name][0], reason=OWN_MEMORY, where=new[name][1])
        yield from self._named(outputs)
        for name in reversed(old) if is_dead else list(old):  # what is of no use goes before what it was made of
            if name not in new:
                users = [new[user][0] for user in self._users(name) if user in new and user not in told]
                rewired = tuple(user for user in users if user != old[user.id])
                told |= {user.id for user in rewired}
                reason = self._unasked(name) if is_dead else notes.get(name, SETTLED if settles else UNASKED)
                yield OperationDropped(operation=name, reason=reason, rewired=rewired)
            elif new[name][0] != old[name] and (name not in told or name in notes):
                yield OperationRewritten(operation=new[name][0], reason=notes.get(name, ""), where=new[name][1])
        self._there = {name: facts for name, (facts, _) in new.items()}

    def _users(self, name: str) -> list[str]:
        made = {one.id for one in self._there[name].results}
        return [user for user, facts in self._there.items() if not made.isdisjoint(facts.operands)]

    def _unasked(self, name: str) -> str:
        made = {one.id for one in self._there[name].results}
        return UNASKED if made.isdisjoint(self._asked) else NO_LONGER_ASKED

    def _parted(self) -> Iterator[Event]:
        """The graph in two: what is copied, kept and computed twice for that."""
        halves = {name: stages[0].graph for name, stages in self._entry.halves.items()}
        parts = [each for graph in halves.values() for each in graph.operations]
        yield from self._changed(parts, self._half_outputs(), None)
        if "backward" not in halves:
            return
        given = set(self._entry.stages[0].graph.inputs)
        for value in halves["backward"].inputs:
            if value not in given:
                yield ArrayKept(
                    array=self._spoken.array(value).id, nbytes=value.nbytes, where=self._spoken.line(value.name)
                )
        own = {facts.id for facts, _ in self._facts(halves["forward"].operations)}
        for facts, where in self._facts(halves["backward"].operations):
            if facts.id in own:
                yield OperationRepeated(operation=facts.id, where=where)

    def _half_outputs(self) -> Outputs:
        entry = self._entry
        forward = self._entry.halves["forward"][0].graph.outputs
        rest = len(forward) - len(entry.writes)
        found = _by_purpose((*entry.results, *entry.grads), forward) | _by_purpose(entry.writes, forward[rest:])
        if "backward" not in entry.halves:
            return found
        return found | _by_purpose(entry.gradients, entry.halves["backward"][0].graph.outputs)

    def _late(self, at: int) -> Iterator[Event]:
        """A pass over each half: fusion, or the schedule."""
        name = self._entry.halves["forward"][at].name
        yield PassStarted(name=name)
        for half, stages in self._entry.halves.items():
            before, after = stages[at - 1].graph, stages[at].graph
            yield from self._fused(half, before, after)
            order = [facts.id for facts, _ in self._facts(after.operations)]
            if name == "schedule" and order != [facts.id for facts, _ in self._facts(before.operations)]:
                yield OperationsOrdered(half=half, operations=tuple(order))
        yield self._finished(name)

    def _fused(self, half: str, before: Graph, after: Graph) -> Iterator[Event]:
        there = [each for each in before.operations if each.body]
        for each in after.operations:
            if each.body and each not in there:
                yield OperationsFused(
                    half=half,
                    operations=tuple(facts.id for facts, _ in self._facts([each])),
                    results=tuple(self._spoken.array(one).id for one in each.results),
                    tiles=self._tiles(half)[each],
                )

    def _tiles(self, half: str) -> dict[Operation, int]:
        """How many tiles the loop of each fused operation has."""
        program = self._programs[half]
        fused = [each for each in program.graph.operations if each.body]
        return {each: loop.count for each, loop in zip(fused, program.listing.loops, strict=True)}

    # --- programs ---------------------------------------------------------------------------------------------------

    def _written(self) -> Iterator[Event]:
        yield PassStarted(name="program")
        for half, program in self._programs.items():
            yield ProgramWritten(half=half, text=str(program.listing))
        yield self._finished("program")
        yield PassStarted(name="buffers")
        count = 0
        for half, program in self._programs.items():
            for buffer in tenancies(program):
                name, count = f"m{count}", count + 1
                yield BufferPlanned(half=half, buffer=name, nbytes=buffer.nbytes, is_tile=buffer.is_tile)
                for value, first, last, over in buffer.tenants:
                    facts, where = self._spoken.named(value), self._spoken.line(value)
                    yield ArrayPlaced(
                        array=facts.id, buffer=name, first=first, last=last, is_written_over=over, where=where
                    )
        yield self._finished("buffers")


def _by_purpose(purposes: Iterable[str], values: Iterable[Value | None]) -> Outputs:
    return {purpose: value for purpose, value in zip(purposes, values, strict=False) if value is not None}
