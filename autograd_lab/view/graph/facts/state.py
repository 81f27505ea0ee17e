"""What is true of the graph at one moment: the states of its nodes, tensors and version counters.

A state never changes; the next one shares with it all that stayed as it was. A `Draft` is the exception: it is changed
in place, by whoever made it and wants none of the states on the way. What states consist of is not frozen by Python,
which would take half of the time that is spent on making it, but nobody else changes it either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from autograd_lab import events as e
from autograd_lab.view.kit.changing import DRAFTS, replace, setters_of, slots_of
from autograd_lab.view.kit.table import OpenTable, Table

WAITING, VISITED, EVALUATED = "waiting", "visited", "evaluated"
SAVED, RETAINED, FREED = "saved", "retained", "freed"


@dataclass(slots=True, unsafe_hash=True)
class Slot:
    """A saved value of a node: `_saved_<name>`. `tensor` is None for a plain number, which cannot go stale.

    `where` is the line that saved it, `freed` the one that let go of it. What is `packed` is kept elsewhere. `storage`
    is the memory that it holds, `device` where that is.
    """

    name: str
    tensor: str | None
    version: int
    nbytes: int
    number: Any
    where: e.Where | None
    status: str = SAVED
    freed: e.Where | None = None
    packed: bool = False
    storage: str | None = None
    device: str = "cpu"


def is_kept(slot: Slot | e.TensorSaved) -> bool:
    """Whether a slot keeps a tensor, or what a hook has packed of one; else it is a plain number."""
    return slot.tensor is not None or slot.packed


@dataclass(slots=True, unsafe_hash=True)
class NodeState:
    """A node of the graph.

    `status`, `arrived` of `expected`, `gathered` (the gradient so far, one an output), `adding` (output, what was
    there, what came to it) and `sent` (one an edge) are about pass number `passed`; ask `GraphState.node` for them,
    which knows whether that pass is still the current one.
    """

    name: str
    sequence: int | None = None
    edges: tuple[e.Edge | None, ...] = ()
    leaf: str | None = None
    where: e.Where | None = None
    slots: tuple[Slot, ...] = ()
    passed: int = 0
    status: str | None = None
    arrived: int = 0
    expected: int = 0
    gathered: tuple[e.Value | None, ...] = ()
    adding: tuple[int, e.Value, e.Value] | None = None
    sent: tuple[e.Value | None, ...] = ()
    hooks: int = 0
    released: bool = False


@dataclass(slots=True, unsafe_hash=True)
class TensorState:
    """A tensor. `writes` counts writes to its storage when `value` was taken, `rewrites` the ops that made it anew.

    `had_grad` tells a `.grad` that was cleared from one that never was.
    """

    facts: e.TensorFacts
    value: e.Value
    requires_grad: bool
    writes: int = 0
    rewrites: int = 0
    grad: e.Value | None = None
    grad_tensor: str | None = None
    had_grad: bool = False
    retains_grad: bool = False
    hooks: int = 0
    where: e.Where | None = None


@dataclass(slots=True, unsafe_hash=True)
class Version:
    """A version counter, and the write that moved it last; `earlier` are those before it, the last few."""

    number: int
    op: str | None = None
    where: e.Where | None = None
    earlier: tuple[Version, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphState:
    """All that is known after `step` events.

    Of the `passes` begun, number `current` is the one that runs, or ran last; `outer` has those that wait for it, in
    which a hook began another, as numbers and active nodes. `stopped` is where the recording broke off. Of the bytes
    that are `held`, `held_on` has those on each device; `holds` tells how many slots hold so many bytes of a storage.
    `touched` are the ids of entries that the last event changed.
    """

    step: int = 0
    event: e.Event | None = None
    nodes: Table[NodeState] = field(default_factory=lambda: Table("n"))
    tensors: Table[TensorState] = field(default_factory=lambda: Table("t"))
    versions: Table[Version] = field(default_factory=lambda: Table("c"))
    writes: Table[int] = field(default_factory=lambda: Table("s"))
    grad_of: Table[str] = field(default_factory=lambda: Table("t"))
    grad_enabled: bool = True
    passes: int = 0
    current: int = 0
    outer: tuple[tuple[int, str | None], ...] = ()
    in_backward: bool = False
    active: str | None = None
    active_edge: tuple[str, int] | None = None
    error: e.ErrorRaised | None = None
    held: int = 0
    held_on: Mapping[str, int] = field(default_factory=dict)
    holds: Table[Mapping[int, int]] = field(default_factory=lambda: Table("s"))
    stopped: e.RecordingStopped | None = None
    touched: tuple[str, ...] = field(default=(), compare=False)

    def node(self, node: str) -> NodeState:
        """A node as the current pass finds it: what an earlier pass left on it does not count."""
        found = self.nodes[node]
        return found if found.passed == self.current else replace(found, **_UNTOUCHED, passed=self.current)

    def passing(self, node: str, name: str) -> Any:
        """What a node has by the name of a field that is about the current pass: `gathered`, `sent`."""
        found = self.nodes[node]
        return getattr(found, name) if found.passed == self.current else _UNTOUCHED[name]

    def version(self, tensor: str) -> Version:
        """The version counter of a tensor, which its views and `detach()` share."""
        return self.versions[self.tensors[tensor].facts.counter]

    def is_stale(self, slot: Slot) -> bool:
        """Whether what a slot saved has been overwritten: saved at one version, and now at another."""
        return slot.status != FREED and slot.tensor is not None and self.version(slot.tensor).number != slot.version

    def spoiled_by(self, slot: Slot) -> Version:
        """The write that made a slot stale: the first after it was saved, as far as that is known."""
        version = self.version(slot.tensor or "")
        return next((each for each in version.earlier if each.number > slot.version), version)

    def owner_of(self, grad: str) -> str | None:
        """The tensor whose `.grad` a tensor is now."""
        owner = self.grad_of.get(grad)
        return owner if owner in self.tensors and self.tensors[owner].grad_tensor == grad else None

    def value_is_known(self, tensor: str) -> bool:
        """False once the tensor's storage has been written through another tensor."""
        state = self.tensors[tensor]
        return self.writes[state.facts.storage] == state.writes

    def grad_is_known(self, tensor: str) -> bool:
        """False once the storage of a tensor's `.grad` has been written through another tensor."""
        grad = self.tensors[tensor].grad_tensor
        return grad is None or grad not in self.tensors or self.value_is_known(grad)


_UNTOUCHED: dict[str, Any] = {"status": None, "arrived": 0, "expected": 0, "gathered": (), "adding": None, "sent": ()}


class Draft(GraphState):
    """A state that is changed in place, with tables of its own, and with nodes of its own as named in `own`."""

    __slots__ = ("own",)
    own: set[str]


DRAFTS.add(Draft)
_TABLES = ("nodes", "tensors", "versions", "writes", "grad_of", "holds")


def draft_of(state: GraphState) -> GraphState:
    """A copy of a state that may be changed."""
    draft = object.__new__(Draft)
    for name, get, put in slots_of(GraphState):
        put(draft, OpenTable(get(state)) if name in _TABLES else get(state))
    object.__setattr__(draft, "own", set())
    return draft


def settled(draft: GraphState) -> GraphState:
    """What a draft has become, as a state like any other."""
    state = object.__new__(GraphState)
    for name, get, put in slots_of(GraphState):
        put(state, get(draft).closed() if name in _TABLES else get(draft))
    return state


def with_new_node(state: GraphState, node: str, new: NodeState) -> GraphState:
    """The state with a node that was just made."""
    if type(state) is Draft:
        state.own.add(node)
    return replace(state, nodes=state.nodes.set(node, new))


def with_node(state: GraphState, node: str, changes: dict[str, Any]) -> GraphState:
    """The state in which a node is changed, as the current pass finds it."""
    if type(state) is not Draft:
        nodes = state.nodes.set(node, replace(state.node(node), **changes))
        return replace(state, nodes=nodes, touched=(*state.touched, node))
    if node not in state.own:
        state.own.add(node)
        state.nodes.set(node, replace(state.node(node), **changes))
        return state
    found, setters = state.nodes[node], setters_of(NodeState)
    if found.passed != state.current:
        changes = {**_UNTOUCHED, "passed": state.current, **changes}
    for name in changes:
        setters[name](found, changes[name])
    return state


def attribute_of(slot: e.TensorSaved | Slot) -> str:
    """What a slot is called at its node: `_saved_self`; of a Function `saved_tensors[0]`."""
    name = slot.slot if isinstance(slot, e.TensorSaved) else slot.name
    return name if name.startswith("saved_tensors") else f"_saved_{name}"
