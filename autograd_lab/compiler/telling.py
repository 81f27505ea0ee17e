"""How a function was compiled, told in events: what was captured, what each pass did, the programs and their memory.

Passes make graphs of graphs and tell nobody. What one has done is read off here, by comparing the graph before with
the one after: an operation is the same one as long as it makes the same array.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from autograd_lab import events as e
from autograd_lab.compiler.entry import Entry, Stage
from autograd_lab.compiler.graph import Constant, Graph, Operation, Value
from autograd_lab.compiler.program.lifetimes import kept, live, memory_of, tenancies
from autograd_lab.compiler.spoken import Spoken
from autograd_lab.trace import Trace

OWN_MEMORY = "what leaves the function has memory of its own"
UNASKED, NO_LONGER_ASKED, SETTLED = "nobody asks for it", "no longer asked for", "the same in each run"
Outputs = dict[str, Value]
"""What leaves the graph, by what it is good for."""


def trace_of(entry: Entry, function: str, times: e.CallsTimed | None = None) -> Trace:
    """The trace of a compilation; `times` are told at its end."""
    telling = Telling(entry, function)
    return Trace([*telling.events(), *([times] if times else [])], files=dict(entry.files))


class Telling:
    """Tells of one entry; `_there` are the operations of the graph that was told of last."""

    def __init__(self, entry: Entry, function: str) -> None:
        self._entry, self._function = entry, function
        self._programs = {"forward": entry.forward} | ({"backward": entry.backward} if entry.backward else {})
        self._spoken = Spoken()
        self._there: dict[str, e.OperationFacts] = {}
        self._wheres: dict[str, e.Where | None] = {}
        self._outputs: Outputs = {}
        self._asked: set[str] = set()

    def events(self) -> Iterator[e.Event]:
        """All events, in order."""
        entry = self._entry
        yield from self._captured(entry.stages[0].graph)
        for stage in entry.stages[1:]:
            done = list(self._changed(stage.graph.operations, self._joint_outputs(stage.graph), stage))
            yield from self._passed(stage.name, done, max(live(stage.graph), default=0))
        parted = list(self._parted())
        if parted or entry.backward is not None:
            yield from self._passed("halves", parted, self._most(0))
        for at in range(1, len(entry.halves["forward"])):
            yield from self._passed(entry.halves["forward"][at].name, list(self._late(at)), self._most(at))
        yield from self._passed("program", list(self._written()), self._most(-1))
        yield from self._passed("buffers", list(self._placed()), self._in_all())

    def _passed(self, name: str, done: list[e.Event], nbytes: int) -> Iterator[e.Event]:
        """A pass with what it has done; one that has done nothing did not start."""
        yield from (e.PassStarted(name=name), *done) if done else ()
        yield e.PassFinished(name=name, operations=len(self._there), nbytes=nbytes)

    def _most(self, at: int) -> int:
        """The most bytes in use at a time, after pass number `at` over each half; backward has what is kept, too."""
        graphs = [stages[at].graph for stages in self._entry.halves.values()]
        forward, *backward = (max(live(graph), default=0) for graph in graphs)
        return max([forward, *(one + sum(self._kept.values()) for one in backward)])

    def _in_all(self) -> int:
        """The same, now that buffers are there all the time."""
        standing, needed = zip(*map(memory_of, self._programs.values()), strict=True)
        forward, *backward = needed
        return sum(standing) + max([forward, *(one + sum(self._kept.values()) for one in backward)])

    @cached_property
    def _kept(self) -> dict[Value, int]:
        halves = self._entry.halves
        return kept(halves["forward"][0].graph, halves["backward"][0].graph) if "backward" in halves else {}

    # --- capture ----------------------------------------------------------------------------------------------------

    def _captured(self, graph: Graph) -> Iterator[e.Event]:
        """The capture, op by op; whatever is taken that nobody has made is a gradient that comes in."""
        yield e.FunctionCaptured(function=self._function)
        inputs = graph.inputs[: len(self._entry.inputs)]
        tangents = graph.inputs[len(self._entry.inputs) :]
        outputs, known = self._joint_outputs(graph), set(inputs)
        yield from (e.InputDeclared(array=self._spoken.array(one)) for one in inputs)
        yield from self._named(outputs, known)
        sizes = list(live(graph))
        for each, (facts, where), size in zip(graph.operations, self._facts(graph.operations), sizes, strict=True):
            yield from self._incoming(each.operands, known)
            self._there[facts.id], self._wheres[facts.id] = facts, where
            yield e.OperationCaptured(operation=facts, live=size, where=where)
            known.update(each.results)
            yield from self._named(outputs, {*each.results})
        yield from self._incoming(tangents, known)
        yield from self._named(outputs)
        self._asked = {array for each in self._there.values() for array in each.operands}
        self._asked |= {self._spoken.array(one).id for one in outputs.values() if not isinstance(one, Constant)}
        yield e.PassFinished(name="captured", operations=len(self._there), nbytes=max(sizes, default=0))

    def _incoming(self, values: Iterable[Value], known: set[Value]) -> Iterator[e.Event]:
        for one in values:
            if one not in known and not isinstance(one, Constant):
                known.add(one)
                yield e.InputDeclared(array=self._spoken.array(one), is_gradient=True)

    def _facts(self, operations: Iterable[Operation]) -> Iterator[tuple[e.OperationFacts, e.Where | None]]:
        """What is to be said of operations, each once, those of loops by themselves."""
        yield from self._spoken.operations(part for each in operations for part in (each.body or (each,)))

    def _joint_outputs(self, graph: Graph) -> Outputs:
        entry = self._entry
        rest = graph.outputs[entry.count_of_new :]
        return self._returned(graph) | _by_purpose((*entry.writes, *entry.grads, *entry.gradients), rest)

    def _returned(self, graph: Graph) -> Outputs:
        """What the function returns; an input that it returns is told as that."""
        given = self._entry.inputs
        places = {name: one.place for name, one in self._entry.results}
        numbers = {name: one.number for name, one in self._entry.results}
        return _by_purpose(
            places, [graph.outputs[numbers[name]] if at is None else given[at] for name, at in places.items()]
        )

    def _named(self, outputs: Outputs, among: set[Value] | None = None) -> Iterator[e.Event]:
        """Name outputs that are others than before; only those `among` some values, if any are given."""
        for purpose, value in outputs.items():
            old = self._outputs.get(purpose)
            if old is not value and (among is None or value in among):
                self._outputs[purpose] = value
                yield e.OutputNamed(array=self._id(value), purpose=purpose, instead_of=self._id(old))

    def _id(self, value: Value | None) -> str | None:
        """The id of an array in the graph; of a constant there is none."""
        return None if value is None or isinstance(value, Constant) else self._spoken.array(value).id

    # --- passes -----------------------------------------------------------------------------------------------------

    def _changed(self, operations: Iterable[Operation], outputs: Outputs, stage: Stage | None) -> Iterator[e.Event]:
        """What makes of the graph that was told of the one of these operations."""
        new = {facts.id: (facts, where) for facts, where in self._facts(operations)}
        notes = {} if stage is None else {self._spoken.maker(value): text for value, text in stage.notes.items()}
        is_dead, settles = (stage is not None and stage.name == name for name in ("dead", "constants"))
        old, told = self._there, set(notes)
        for name in [name for name in new if name not in old]:
            yield e.OperationAdded(operation=new[name][0], reason=OWN_MEMORY, where=new[name][1])
        yield from self._named(outputs)
        for name in reversed(old) if is_dead else list(old):  # what is of no use goes before what it was made of
            if name not in new:
                users = [new[user][0] for user in self._users(name) if user in new and user not in told]
                rewired = tuple(user for user in users if user != old[user.id])
                told |= {user.id for user in rewired}
                reason = self._unasked(name) if is_dead else notes.get(name, SETTLED if settles else UNASKED)
                yield e.OperationDropped(operation=name, reason=reason, rewired=rewired, where=self._wheres[name])
            elif new[name][0] != old[name] and (name not in told or name in notes):
                yield e.OperationRewritten(operation=new[name][0], reason=notes.get(name, ""), where=new[name][1])
        self._there = {name: facts for name, (facts, _) in new.items()}
        self._wheres |= {name: where for name, (_, where) in new.items()}

    def _users(self, name: str) -> list[str]:
        made = {one.id for one in self._there[name].results}
        return [user for user, facts in self._there.items() if not made.isdisjoint(facts.operands)]

    def _unasked(self, name: str) -> str:
        made = {one.id for one in self._there[name].results}
        return UNASKED if made.isdisjoint(self._asked) else NO_LONGER_ASKED

    def _parted(self) -> Iterator[e.Event]:
        """The graph in two: what is copied, kept, computed twice, or in the other half only."""
        halves = [stages[0].graph for stages in self._entry.halves.values()]
        parts = [each for graph in halves for each in graph.operations]
        yield from self._changed(parts, self._half_outputs(), None)
        for value, nbytes in self._kept.items():
            yield e.ArrayKept(array=self._spoken.array(value).id, nbytes=nbytes, where=self._spoken.line(value.name))
        own = {facts.id for facts, _ in self._facts(halves[0].operations)}
        for facts, where in self._facts(each for graph in halves[1:] for each in graph.operations):
            if facts.id in own:
                yield e.OperationRepeated(operation=facts.id, where=where)
            elif not facts.backward:
                yield e.OperationMoved(operation=facts.id, where=where)

    def _half_outputs(self) -> Outputs:
        entry = self._entry
        graph = entry.halves["forward"][0].graph
        rest = graph.outputs[len(graph.outputs) - len(entry.writes) :]
        found = self._returned(graph) | _by_purpose(entry.grads, graph.outputs[entry.count_of_new :])
        found |= _by_purpose(entry.writes, rest)
        if "backward" not in entry.halves:
            return found
        return found | _by_purpose(entry.gradients, entry.halves["backward"][0].graph.outputs)

    def _late(self, at: int) -> Iterator[e.Event]:
        """A pass over each half: fusion, or the schedule."""
        for half, stages in self._entry.halves.items():
            before, after = stages[at - 1].graph, stages[at].graph
            yield from self._fused(half, before, after)
            order = [facts.id for facts, _ in self._facts(after.operations)]
            if stages[at].name == "schedule" and order != [facts.id for facts, _ in self._facts(before.operations)]:
                yield e.OperationsOrdered(half=half, operations=tuple(order))

    def _fused(self, half: str, before: Graph, after: Graph) -> Iterator[e.Event]:
        there = [each for each in before.operations if each.body]
        for each in after.operations:
            if each.body and each not in there:
                yield e.OperationsFused(
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

    def _written(self) -> Iterator[e.Event]:
        for half, program in self._programs.items():
            yield e.ProgramWritten(half=half, text=str(program.listing))
            if standing := tuple(facts.id for facts, _ in self._facts(program.listing.standing)):
                yield e.ViewsMade(half=half, operations=standing)

    def _placed(self) -> Iterator[e.Event]:
        """Where the arrays of the programs lie."""
        count = 0
        for half, program in self._programs.items():
            for buffer in tenancies(program):
                name, count = f"m{count}", count + 1
                yield e.BufferPlanned(half=half, buffer=name, nbytes=buffer.nbytes, is_tile=buffer.is_tile)
                for value, first, last, over in buffer.tenants:
                    facts, where = self._spoken.named(value), self._spoken.line(value)
                    yield e.ArrayPlaced(
                        array=facts.id, buffer=name, first=first, last=last, is_written_over=over, where=where
                    )
            for one, target in program.plan.onto.items():
                array, into = self._spoken.array(one).id, self._spoken.array(target).id
                yield e.ArrayPutInto(array=array, target=into, where=self._spoken.line(one.name))


def _by_purpose(purposes: Iterable[str], values: Iterable[Value | None]) -> Outputs:
    return {purpose: value for purpose, value in zip(purposes, values, strict=False) if value is not None}
