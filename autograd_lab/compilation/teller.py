"""Captured operations as cards: each once, in whatever stages it is, under one name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from autograd_lab.compiler.entry import Entry
from autograd_lab.compiler.graph import Constant, Graph, Operation, Value
from autograd_lab.compiler.kernel import CHECK, UPDATE
from autograd_lab.view.compiled.told import TAKES, Card, Mark


@dataclass
class Teller:
    """Gathers the cards of all stages, each once, in an order in which they can run."""

    tangents: frozenset[Value]
    cards: dict[str, Card] = field(default_factory=dict)
    owners: dict[Value, str] = field(default_factory=dict)

    @classmethod
    def of(cls, entry: Entry) -> Teller:
        """The cards of a captured call."""
        teller = cls(frozenset(entry.stages[0].graph.inputs[len(entry.inputs) :]))
        for stage in entry.stages:
            teller.meet(stage.graph)
        teller.meet(entry.forward.graph)
        if entry.backward is not None:
            teller.meet(entry.backward.graph, backward=True)
        return teller

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
    """The call in a few words: those of its arguments that are numbers, and a dot for each of the others."""
    kernel, args = operation.kernel, operation.args
    if kernel is CHECK:
        return f"Python sees {args[2]!r}"
    if kernel is UPDATE:
        return "write"
    if kernel.opaque:
        return kernel.name.replace("_", " ")
    if kernel.form in ("item", "attribute"):
        return f"·{operation.call[len(str(args[0])) :]}"
    numbers = [_number(one) for one in args]
    return f"{kernel.name}({', '.join(one or '·' for one in numbers)})" if any(numbers) else kernel.name


def _number(argument: Any) -> str:
    """A number as it is; "1 1 …" for an array of ones, and so on."""
    if isinstance(argument, Constant):
        array = argument.array
        if not array.size or not bool((array == array.flat[0]).all()):
            return "constant"
        return f"{array.flat[0]:g} {array.flat[0]:g} …" if array.size > 1 else f"{array.flat[0]:g}"
    return f"{argument:g}" if isinstance(argument, int | float) and not isinstance(argument, bool) else ""
