"""What can be seen in a world after a line of a program, as facts under a subject and an aspect of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.differential.world import Outcome, World

Facts = dict[tuple[str, str], Any]
"""(subject, aspect) → what is there. Causes come before their consequences."""

PRINTED = "dtype", "shape", "requires_grad", "is_leaf", "grad_fn"
"""What is printed of a tensor beside its numbers."""


@dataclass(frozen=True)
class Numbers:
    """An array, which is compared within the tolerance of its dtype."""

    array: np.ndarray[Any, Any]

    def __repr__(self) -> str:
        return np.array2string(self.array, separator=", ", threshold=30).replace("\n", "")


@dataclass(frozen=True)
class Text:
    """Printed numbers, which are compared where the numbers are the same to the last bit."""

    text: str

    def __repr__(self) -> str:
        return self.text


def mistake(error: BaseException) -> str:
    """An exception's type and first line."""
    return (f"{type(error).__name__}: {error}".splitlines() or [""])[0]


def outcome_facts(outcome: Outcome) -> Facts:
    """What running the line said."""
    return {
        ("line", "raises"): None if outcome.error is None else type(outcome.error).__name__,
        ("line", "message"): None if outcome.error is None else mistake(outcome.error),
        ("line", "warns"): outcome.warnings,
        ("line", "logs"): [plain(entry) for entry in outcome.log],
    }


def numbers_of(tensor: Any) -> Numbers:
    """A copy of a tensor's elements."""
    return Numbers(tensor.detach().clone().numpy())  # cloned first: PyTorch has zeros that have no memory


def layout(tensor: Any) -> Any:
    """How far apart in memory elements lie that are neighbours; nothing to say where there are none."""
    if not tensor.numel():
        return None
    return [stride if size > 1 else None for size, stride in zip(tensor.shape, tensor.stride(), strict=True)]


def plain(value: Any) -> Any:
    """Something that was noted or saved, in terms that both worlds share."""
    if isinstance(value, np.ndarray):
        return Numbers(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value if isinstance(value, (bool, int, str, float)) or value is None else repr(value)


class Observer:
    """Looks around in one world; remembers which names nodes and tensors go by while it does."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.tensors = world.tensors()
        self.names = {id(tensor): name for name, tensor in reversed(self.tensors.items())}
        self.numbers: dict[Any, int] = {}
        self.nodes: list[Any] = []
        self.facts: Facts = {}

    def look(self) -> Facts:
        """Everything that there is to see."""
        for name, tensor in self.tensors.items():
            self.look_at(name, tensor)
        for name, value in self.world.variables().items():
            if name not in self.tensors:
                self.note(name, "value", lambda value=value: self.saved(value))
        for node in self.nodes:  # which grows meanwhile
            self.follow(node)
        self.rank()
        return self.facts

    def note(self, subject: str, aspect: str, get: Any) -> Any:
        try:
            value = get()
        except Exception as error:
            value = mistake(error)
        self.facts[subject, aspect] = value
        return value

    def look_at(self, name: str, tensor: Any) -> None:
        """The state of a tensor."""
        facts = self.facts
        facts[name, "name of"] = self.names[id(tensor)]
        facts[name, "dtype"] = str(tensor.dtype)
        facts[name, "shape"] = tuple(tensor.shape)
        facts[name, "requires_grad"] = tensor.requires_grad
        self.note(name, "is_leaf", lambda: tensor.is_leaf)
        self.note(name, "version", lambda: tensor._version)
        self.note(name, "base", lambda: self.names.get(id(tensor._base)))
        self.note(name, "grad_fn", lambda: self.maker(tensor))
        self.note(name, "output_nr", lambda: tensor.output_nr)
        self.note(name, "value", lambda: numbers_of(tensor))
        facts[name, "layout"] = layout(tensor)
        self.look_at_gradient(name, tensor)
        self.note(name, "repr", lambda: self.printed(name, tensor))

    def printed(self, name: str, tensor: Any) -> Text:
        """A tensor as it is printed: PyTorch is slow at it, and asked anew only if what is printed has changed."""
        numbers = self.facts[name, "value"]
        held = numbers.array.tobytes() if isinstance(numbers, Numbers) else numbers
        state = id(tensor), held, *[self.facts[name, aspect] for aspect in PRINTED]
        before = self.world.printed.get(name)
        if before is None or before[0] != state:
            before = self.world.printed[name] = state, Text(repr(tensor))
        return before[1]

    def look_at_gradient(self, name: str, tensor: Any) -> None:
        self.note(name, "retains_grad", lambda: tensor.retains_grad)
        with warnings.catch_warnings(record=True):
            grad = tensor.grad
        self.facts[name, "has grad"] = grad is not None
        if grad is None:
            return
        self.facts[name, "grad.is"] = self.names.get(id(grad))
        self.facts[name, "grad.dtype"] = str(grad.dtype)
        self.facts[name, "grad.shape"] = tuple(grad.shape)
        self.note(name, "grad.value", lambda: numbers_of(grad))
        self.facts[name, "grad.requires_grad"] = grad.requires_grad
        self.note(name, "grad.version", lambda: grad._version)
        self.facts[name, "grad.layout"] = layout(grad)
        self.note(name, "grad.grad_fn", lambda: self.maker(grad))

    def maker(self, tensor: Any) -> str | None:
        """The node that made a tensor, which is looked at later."""
        node = tensor.grad_fn
        return None if node is None else f"node {self.number(node)} {node.name()}"

    def number(self, node: Any) -> int:
        """The number of a node, by the order in which they are met."""
        if node not in self.numbers:
            self.numbers[node] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[node]

    def follow(self, node: Any) -> None:
        """A node: its edges, and what it saved."""
        subject = f"node {self.numbers[node]} {node.name()}"
        edges = [None if to is None else (self.number(to), index) for to, index in node.next_functions]
        self.facts[subject, "edges"] = [
            edge and f"node {edge[0]} {self.nodes[edge[0]].name()}, {edge[1]}" for edge in edges
        ]
        if hasattr(node, "variable"):
            self.facts[subject, "variable"] = self.names.get(id(node.variable))
        for name in saved_names(node):
            self.note(subject, name, lambda name=name: self.saved(getattr(node, name)))

    def saved(self, value: Any) -> Any:
        if isinstance(value, self.world.module.Tensor):
            known = self.names.get(id(value))
            return [known, str(value.dtype), numbers_of(value)]
        if isinstance(value, (list, tuple)):
            return [self.saved(item) for item in value]
        return plain(value)

    def rank(self) -> None:
        """In which order the nodes were made."""
        nodes = [node for node in self.nodes if not node.name().endswith(("NotImplemented", "AccumulateGrad"))]
        order = {number: rank for rank, number in enumerate(sorted({node._sequence_nr() for node in nodes}))}
        for node in nodes:
            self.facts[f"node {self.numbers[node]} {node.name()}", "rank"] = order[node._sequence_nr()]


_names: dict[type, list[str]] = {}


def saved_names(node: Any) -> list[str]:
    """The `_saved_*` attributes of a kind of node."""
    kind = type(node)
    if kind not in _names:
        _names[kind] = sorted(name for name in dir(node) if name.startswith("_saved_"))
    return _names[kind]
