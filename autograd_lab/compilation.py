"""What `compile` did to a function, as pictures: what was captured, what passes made of it, and the Python that runs.

`told_of(entry)` puts a compiled entry into the words of `view.compiled`, which draws it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from autograd_lab.compiler.entry import Entry, Stage
from autograd_lab.compiler.graph import Constant, Graph, Operation, Value
from autograd_lab.compiler.kernel import CHECK, UPDATE
from autograd_lab.compiler.program import Program
from autograd_lab.view.compiled import told
from autograd_lab.view.compiled.told import (
    AGAIN,
    CHANGED,
    GONE,
    LOOP,
    SAVED,
    TAKES,
    Bar,
    Card,
    Compilation,
    Mark,
    Sheet,
)
from autograd_lab.view.numeral import bytes_text

SAYS = {
    "captured": "Every numpy call that the function makes, then those of its backward pass.",
    "dead": "What leads to nothing that is asked for is left out.",
    "constants": "What depends on no input is computed once, now.",
    "algebra": "What can be had for less, bit for bit, is.",
    "duplicates": "What is computed twice is computed once.",
}


@dataclass
class Teller:
    """Gathers the cards of all stages, each once, in an order in which they can run."""

    tangents: frozenset[Value]
    cards: dict[str, Card] = field(default_factory=dict)
    owners: dict[Value, str] = field(default_factory=dict)

    def operations_of(self, graph: Graph) -> Iterator[Operation]:
        """The operations of a graph, those in loops by themselves."""
        for each in graph.operations:
            yield from each.body or (each,)

    def meet(self, graph: Graph, backward: bool = False) -> None:
        """Make cards for what is there for the first time."""
        for value in graph.inputs:
            if value not in self.owners and not backward:
                self.owners[value] = value.name
                self.cards[value.name] = Card(value.name, value.name, value.kind, "input", value in self.tangents)
        for at, each in enumerate(self.operations_of(graph)):
            name = self.id_of(each, at)
            self.cards.setdefault(name, _card(name, each))
            self.owners |= dict.fromkeys(each.results, name)

    def id_of(self, operation: Operation, at: int) -> str:
        """The name of an operation's card."""
        return operation.results[0].name if operation.results else f"check {at}"

    def links_of(self, graph: Graph) -> set[tuple[str, str]]:
        """Which cards feed which, within forward and within backward."""
        return {pair for pair in self._pairs(graph) if self.cards[pair[0]].backward is self.cards[pair[1]].backward}

    def takes_of(self, graph: Graph) -> dict[str, tuple[Mark, ...]]:
        """What cards of backward take from forward."""
        found: dict[str, list[str]] = {}
        for source, target in self._pairs(graph):
            if self.cards[target].backward and not self.cards[source].backward and source not in found.get(target, ()):
                found.setdefault(target, []).append(source)
        return {name: (Mark(TAKES, ", ".join(sources)),) for name, sources in found.items()}

    def _pairs(self, graph: Graph) -> list[tuple[str, str]]:
        return [
            (self.owners[value], self.id_of(each, at))
            for at, each in enumerate(self.operations_of(graph))
            for value in each.operands
            if value in self.owners and self.owners[value] != self.id_of(each, at)
        ]

    def titles_of(self, graph: Graph) -> dict[str, str]:
        """What cards are called that do something else than at first."""
        titles = {self.id_of(each, at): _title(each) for at, each in enumerate(self.operations_of(graph))}
        return {name: title for name, title in titles.items() if title != self.cards[name].title}

    def present_in(self, graph: Graph) -> set[str]:
        """The cards of a graph."""
        return {self.id_of(each, at) for at, each in enumerate(self.operations_of(graph))}

    def ends_of(self, outputs: Iterable[Value | None], words: Iterable[str]) -> dict[str, str]:
        """What outputs are good for, by their cards."""
        found: dict[str, str] = {}
        for value, text in zip(outputs, words, strict=False):
            if value in self.owners:
                name = self.owners[value]
                found[name] = f"{found[name]}, {text}" if name in found else text
        return found


def _card(name: str, operation: Operation) -> Card:
    results = ", ".join(f"{one.name}: {one.kind}" for one in operation.results if one.dtype != object)
    origin, check = operation.origin, operation.kernel is CHECK
    line = f"line {origin.line}: {origin.text}" if origin.line else ""
    return Card(
        name, _title(operation), "another value, another graph" if check else results, "check" if check else "op",
        origin.backward, line,
    )  # fmt: skip


def _title(operation: Operation) -> str:
    """The call in a few words: with those of its arguments that are plain numbers."""
    kernel, args = operation.kernel, operation.args
    if kernel is CHECK:
        return f"Python sees {args[2]!r}"
    if kernel is UPDATE:
        return "write"
    if kernel.opaque:
        return kernel.name.replace("_", " ")
    if kernel.form == "item":
        return operation.call[len(str(args[0])) :]
    numbers = [_number(one) for one in args]
    return " ".join([kernel.name, *(one for one in numbers if one)])


def _number(argument: Any) -> str:
    if isinstance(argument, Constant):
        one = argument.array.size > 0 and bool((argument.array == argument.array.flat[0]).all())
        return f"{argument.array.flat[0]:g}" if one else "constant"
    return f"{argument:g}" if isinstance(argument, int | float) and not isinstance(argument, bool) else ""


def told_of(entry: Entry, title: str, facts: Iterable[str] = ()) -> Compilation:
    """A captured call in the words of the view: its stages, its listings, and what is gained."""
    teller = Teller(frozenset(entry.stages[0].graph.inputs[len(entry.inputs) :]))
    for stage in entry.stages:
        teller.meet(stage.graph)
    programs = [("forward", entry.forward), *([("backward", entry.backward)] if entry.backward else [])]
    for name, program in programs:
        teller.meet(program.graph, name == "backward")
    stages = [_stage(stage, entry, teller) for stage in entry.stages]
    last = _last(entry, teller)
    first = _first(entry, teller, stages[0], last)
    sheets = tuple(_sheet(name, program) for name, program in programs)
    own = (*_facts(entry), *facts)
    return Compilation(title, own, _in_order(teller, [*stages, last]), (first, *stages[1:], last), sheets)


def _stage(stage: Stage, entry: Entry, teller: Teller) -> told.Stage:
    graph = stage.graph
    present = teller.present_in(graph) | {one.name for one in graph.inputs}
    marks = dict(teller.takes_of(graph))
    for value, words in stage.notes.items():
        name = teller.owners[value]
        marks[name] = (Mark(CHANGED if name in present else GONE, words), *marks.get(name, ()))
    ends = teller.ends_of(graph.outputs, (*entry.results, *entry.writes, *entry.grads, *entry.gradients))
    name = f"{stage.name}: {len(graph.operations)} operations"
    return told.Stage(
        name[0].upper() + name[1:],
        SAYS.get(stage.name, ""),
        frozenset(present),
        frozenset(teller.links_of(graph)),
        marks,
        ends,
        teller.titles_of(graph),
    )


def _first(entry: Entry, teller: Teller, captured: told.Stage, last: told.Stage) -> told.Stage:
    """What was captured, with what becomes of each operation in the end."""
    fates: dict[str, Mark] = {}
    for stage in entry.stages[1:]:
        for value, words in stage.notes.items():
            name = teller.owners[value]
            if name not in last.present:
                fates[name] = Mark(GONE, words)
            else:
                fates.setdefault(name, Mark(CHANGED, words))
    takes = teller.takes_of(entry.stages[0].graph)
    marks = {name: (*([fates[name]] if name in fates else []), *takes.get(name, ())) for name in {*fates, *takes}}
    count = len(entry.stages[0].graph.operations)
    return told.Stage(
        f"Captured: {count} operations", SAYS["captured"], captured.present, captured.links, marks, captured.ends
    )


def _last(entry: Entry, teller: Teller) -> told.Stage:
    """What runs: forward and backward, with loops, what is saved and what is computed again."""
    forward, backward = entry.forward.graph, entry.backward.graph if entry.backward else None
    marks: dict[str, list[Mark]] = {}
    graphs = [forward, *([backward] if backward else [])]
    loops = [each for graph in graphs for each in graph.operations if each.body]
    for number, each in enumerate(loops):
        for part in each.body:
            marks.setdefault(part.results[0].name, []).append(Mark(LOOP, f"loop {number}"))
    links = set().union(*map(teller.links_of, graphs))
    present = set().union(*map(teller.present_in, graphs)) | {one.name for one in entry.stages[0].graph.inputs}
    new, rest = len(entry.results), len(forward.outputs) - len(entry.writes)
    ends = teller.ends_of(forward.outputs[:new], entry.results) | teller.ends_of(forward.outputs[rest:], entry.writes)
    if backward is not None:
        ends |= teller.ends_of(backward.outputs, entry.gradients)
        for one in backward.inputs:
            if one in teller.owners and teller.cards[teller.owners[one]].kind != "input":
                marks.setdefault(teller.owners[one], []).append(Mark(SAVED, "saved"))
        for name in teller.present_in(forward) & teller.present_in(backward):
            marks.setdefault(name, []).append(Mark(AGAIN, "again in backward"))
    says = "What runs instead, forward and then, when gradients come, backward." if backward else "What runs instead."
    for name, takes in [pair for graph in graphs for pair in teller.takes_of(graph).items()]:
        marks.setdefault(name, []).extend(takes)
    texts = {name: tuple(found) for name, found in marks.items()}
    count = sum(len(each.body) or 1 for graph in graphs for each in graph.operations)
    name = f"Compiled: {count} operations" + f", in {len(loops)} loops" * bool(loops)
    titles = {name: title for graph in graphs for name, title in teller.titles_of(graph).items()}
    return told.Stage(name, says, frozenset(present), frozenset(links), texts, ends, titles)


def _in_order(teller: Teller, stages: list[told.Stage]) -> tuple[Card, ...]:
    """All cards, each after those that feed it in any stage."""
    feeds: dict[str, list[str]] = {}
    for source, target in sorted(set().union(*(stage.links for stage in stages))):
        feeds.setdefault(target, []).append(source)
    done: dict[str, Card] = {}
    for name in teller.cards:
        waiting = [name]
        while waiting:
            missing = [one for one in feeds.get(waiting[-1], ()) if one not in done]
            if missing:
                waiting.append(missing[0])
            else:
                last = waiting.pop()
                done[last] = teller.cards[last]
    return tuple(done.values())


def _facts(entry: Entry) -> Iterator[str]:
    before, after = len(entry.stages[0].graph.operations), entry.operations
    loops = [each for each in after if each.body]
    inside = sum(len(each.body) for each in loops)
    total = len(after) - len(loops) + inside
    where = f", {inside} of them in {len(loops)} {'loops' if len(loops) > 1 else 'loop'} over tiles" if loops else ""
    yield f"{before} numpy calls were captured, {total} run{where}, and nothing else: no tensors, no nodes."
    plans = [one.plan for one in (entry.forward, entry.backward) if one is not None]
    room, without = sum(one.nbytes for one in plans), sum(one.without for one in plans)
    buffers, values = sum(len(one.buffers) for one in plans), sum(len(one.homes) for one in plans)
    if values:
        gain = f"{bytes_text(room)} instead of {bytes_text(without)}"
        yield f"{values} values in between share {buffers} buffers: {gain}."
    if entry.backward is not None:
        inputs = set(entry.stages[0].graph.inputs)
        kept = [one for one in entry.backward.graph.inputs if one not in inputs]
        words = (
            f"{len(kept)} values, {bytes_text(sum(one.nbytes for one in kept))}, and inputs" if kept else "inputs only"
        )
        yield f"Saved for backward: {words}."


def _sheet(name: str, program: Program) -> Sheet:
    """A listing with its buffers: those of the program, then those of its loops, which hold a tile."""
    listing = program.listing
    plans = [("", program.graph.operations, program.plan)]
    plans += [("tile ", loop.tile.operations, loop.plan) for loop in listing.loops]
    headings: list[str] = []
    bars: list[Bar] = []
    for kind, operations, plan in plans:
        rows = _rows(operations, listing.owners)
        for buffer in plan.buffers:
            for one, after in zip_longest(buffer.tenants, buffer.tenants[1:]):
                given = after is not None and after.in_place
                first, last = rows[one.start][0], rows[one.stop][1]
                bars.append(Bar(len(headings), first, last, one.value.name, one.in_place, given))
            headings.append(f"{kind}{bytes_text(buffer.nbytes)}")
    says = "Beside each line, the values that are in memory then; one with a notch is written over the one before."
    return Sheet(f"{name.capitalize()} as Python", says, tuple(str(listing).splitlines()), tuple(headings), tuple(bars))


def _rows(operations: tuple[Operation, ...], owners: tuple[Operation | None, ...]) -> list[tuple[int, int]]:
    """The first and last line of each operation, then those of what comes after all; the next one's if it has none."""
    found: dict[int, tuple[int, int]] = {}
    for at, owner in enumerate(owners):
        if owner is not None:
            found[id(owner)] = found.get(id(owner), (at, at))[0], at
    following = len(owners) - 1
    rows = [(following, following)]
    for each in reversed(operations):
        first, last = found.get(id(each), (following, following))
        rows.append((first, following - 1 if each.body else last))
        following = first
    return rows[::-1]
