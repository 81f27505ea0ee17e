"""What is true of cards and wires in one state: how far backward has come, what has arrived, what is on its way."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import is_

from autograd_lab.events import ErrorRaised, Value
from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.facts.history import Box, History
from autograd_lab.view.graph.facts.state import FREED, GraphState, NodeState, Slot
from autograd_lab.view.graph.looks.tally import Counts, Tally
from autograd_lab.view.languages.speaking import translated

COMING, RECORDED, WAITING, READY, RUNNING, PARTLY, DONE, RELEASED, FAILED = (
    "coming", "recorded", "waiting", "ready", "running", "partly", "done", "released", "failed",
)  # fmt: skip
"""How far a card has come, from not being made yet to having been let go of."""

Edges = Iterable[tuple[str, int]]


@dataclass
class Now:
    """A state of a history, asked about cards.

    A gradient that has just been sent is `flying`: it has left, and has not arrived. While a pass runs, what earlier
    passes left on nodes does not count; once it has ended, each node tells of the pass that it was in last.
    """

    history: History
    state: GraphState
    tallies: dict[int, Tally] = field(default_factory=dict, repr=False)
    """What the nodes of each card add up to, by its place in memory, kept from state to state."""
    _statuses: dict[int, str] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def flying(self) -> tuple[str, int] | None:
        """The edge along which a gradient is on its way."""
        edge = self.state.active_edge
        return edge if edge is not None and self.sent(edge) is not None else None

    def node(self, name: str | None) -> NodeState | None:
        """A node, as it is before what is on its way to it has arrived."""
        if name is None or name not in self.state.nodes:
            return None
        node = self.state.node(name) if self.state.in_backward else self.state.nodes[name]
        return self._before_arrival(node) if name == self._target else node

    @cached_property
    def _target(self) -> str | None:
        """The node that a gradient is on its way to."""
        if self.state.active_edge is None or self.flying is None:
            return None
        node, number = self.state.active_edge
        edge = self.state.nodes[node].edges[number]
        return None if edge is None else edge.node

    def _before_arrival(self, node: NodeState) -> NodeState:
        if node.adding is not None:
            return replace(node, arrived=node.arrived - 1)
        assert self.state.active_edge is not None
        sender, number = self.state.active_edge
        edge = self.state.nodes[sender].edges[number]
        index = 0 if edge is None else edge.index
        gathered = tuple(None if place == index else value for place, value in enumerate(node.gathered))
        rest = max(0, node.arrived - 1)
        return replace(node, arrived=rest, gathered=gathered, status=node.status if rest else None)

    def sent(self, edge: tuple[str, int]) -> Value | None:
        """The gradient that went along an edge, in flight or delivered."""
        node, number = edge
        state = self.state.nodes.get(node)
        if state is None or (self.state.in_backward and state.passed != self.state.current):
            return None
        return state.sent[number] if number < len(state.sent) else None

    def flows(self, edges: Edges) -> list[Value]:
        """The gradients that went along some edges."""
        return [value for edge in edges if (value := self.sent(edge)) is not None]

    def delivered(self, edges: Edges) -> list[Value]:
        """The gradients that have arrived along some edges."""
        return self.flows(edge for edge in edges if edge != self.flying)

    def value(self, box: Box | None) -> Value | None:
        """What a tensor holds in its life as this box; None before that."""
        if box is None or box.born > self.state.step:
            return None
        tensor = self.state.tensors.get(box.facts.id)
        if tensor is None:
            return None
        return tensor.value if tensor.rewrites == box.rewrite else box.values[-1]

    def is_over(self, box: Box) -> bool:
        """Whether a tensor has been written since, and so begun another life."""
        tensor = self.state.tensors.get(box.facts.id)
        return tensor is not None and tensor.rewrites > box.rewrite

    def changed(self, box: Box) -> str:
        """What is said of a value that was written through another tensor, or unseen; nothing of one that is known."""
        tensor = self.state.tensors.get(box.facts.id)
        if tensor is None or tensor.rewrites > box.rewrite or self.state.value_is_known(box.facts.id):
            return ""
        return self._changed_by(tensor.facts.storage)

    def grad_changed(self, box: Box) -> str:
        """What is said of a `.grad` that was written through another tensor, or unseen; else nothing."""
        tensor = self.state.tensors.get(box.facts.id)
        if tensor is None or tensor.grad_tensor is None or self.state.grad_is_known(box.facts.id):
            return ""
        return self._changed_by(self.state.tensors[tensor.grad_tensor].facts.storage)

    def _changed_by(self, storage: str) -> str:
        writer = self.history.writer_at(storage, self.state.step)
        return translated("changed unseen" if writer is None else f"changed via {writer}")

    def version(self, box: Box) -> int:
        """The version of a tensor in its life as this box."""
        tensor = self.state.tensors.get(box.facts.id)
        if tensor is None or tensor.rewrites < box.rewrite:
            return 0
        return self.state.version(box.facts.id).number if tensor.rewrites == box.rewrite else box.facts.version

    def stored(self, box: Box) -> Value | None:
        """The `.grad` of a tensor; one that was written through another tensor is no value that is known."""
        tensor = self.state.tensors.get(box.facts.id)
        if tensor is None or tensor.grad is None:
            return None
        return Value() if self.grad_changed(box) else tensor.grad

    def returned(self, box: Box) -> tuple[Value, bool] | None:
        """The gradient of a leaf that the pass which it was in last gives back to the program, and whether it has."""
        found = self.history.returning.found.get(box.leaf_node or "")
        node = self.state.nodes.get(box.leaf_node or "") if found else None
        if not found or node is None:
            return None
        if self.state.in_backward and self.state.current in found:
            return found[self.state.current], False
        return (found[node.passed], True) if node.passed in found else None

    def may_come(self, edges: Edges) -> bool:
        """Whether gradients may come along some edges: none does that was not asked for, if the pass ends well."""
        return self.state.current not in self.history.returning.over or self.comes(edges)

    def is_earlier(self, passes: Collection[int], recorded: int | None) -> bool:
        """Whether what these passes brought is of the one that was `recorded`, and a later one has begun, or of those
        before the pass that an error has stopped."""
        if isinstance(self.state.error, ErrorRaised) and self.state.error.node is not None and passes:
            return max(passes) < self.state.current
        return recorded is not None and recorded in passes and self.state.current > recorded

    def comes(self, edges: Edges) -> bool:
        """Whether a gradient goes along one of some edges in the current pass, sooner or later."""
        return any((self.state.current, *edge) in self.history.returning.sent for edge in edges)

    def gathered(self, card: Card) -> Value | None:
        """The gradient with respect to the one thing that a card makes, as far as it has arrived."""
        if card.box is None or card.box.op is None or card.parts:
            return None
        op = self.history.ops[card.box.op]
        node, place = self.node(op.node), op.outputs.index(card.box.id)
        return node.gathered[place] if node is not None and place < len(node.gathered) else None

    def gathered_at(self, leaf: Card) -> Value | None:
        """The gradient that has arrived at a leaf in the pass that came there last."""
        node = self.node(leaf.box.leaf_node) if leaf.box is not None else None
        return node.gathered[0] if node is not None and node.gathered else None

    def _tally(self, card: Card) -> Tally:
        tally = self.tallies.get(id(card))
        if tally is None:
            tally = self.tallies[id(card)] = Tally(card, self.history)
        return tally

    def kept(self, card: Card, others: tuple[object, ...], find: Callable[[], str]) -> str:
        """What is found out of a card's weights and some other things; as before, if all are the same objects as then.

        That is seen at once where nothing has changed in the blocks in which the state has the weights.
        """
        tally, tensors = self._tally(card), self.state.tensors
        hints = *tensors.blocks_with(tally.blocks), *others
        if tally.answer is None or not _are_same(tally.answer[0], hints):
            depends = *(tensors.get(box.facts.id) for box in card.params), *others
            is_same = tally.answer is not None and _are_same(tally.answer[1], depends)
            tally.answer = hints, depends, tally.answer[2] if is_same and tally.answer is not None else find()
        return tally.answer[2]

    def counts(self, card: Card) -> Counts:
        """What the nodes of a card add up to."""
        return self._tally(card).at(self.state, self.node, self._target)[0]

    def is_of(self, card: Card, node: str | None) -> bool:
        """Whether a node is that of an op in a card."""
        return node in self._tally(card).nodes

    def is_born(self, card: Card) -> bool:
        """Whether the step made one of the ops in a card."""
        return self.state.step in self._tally(card).births

    def count(self, card: Card) -> tuple[int, int]:
        """How many of how many gradients have arrived at what a card makes."""
        return self._tally(card).at(self.state, self.node, self._target)[1]

    def is_stale(self, card: Card) -> bool:
        """Whether anything that a card saved has been overwritten."""
        return bool(self.stale(card))

    def stale(self, card: Card) -> list[Slot]:
        """What a card saved that has been overwritten."""
        nodes = (self.state.nodes[node] for node in self._tally(card).suspects if node in self.state.nodes)
        return [slot for node in nodes for slot in node.slots if self.state.is_stale(slot)]

    def status(self, card: Card) -> str:
        """How far a card of operations has come; the lines at it ask for that, too."""
        found = self._statuses.get(id(card))
        if found is None:
            found = self._statuses[id(card)] = self._status(card)
        return found

    def _status(self, card: Card) -> str:
        if card.ops[0].born > self.state.step:
            return COMING
        error, nodes = self.state.error, self._tally(card).nodes
        if error is not None and error.node in nodes:
            return FAILED
        if self.state.in_backward and self.state.active in nodes:
            return RUNNING
        counts, (arrived, expected) = self._tally(card).at(self.state, self.node, self._target)
        if counts.ran:
            due = self._tally(card).due(self.state.current) if self.state.in_backward else 0
            return DONE if counts.ran >= due else PARTLY
        if counts.nodes and counts.released == counts.nodes:
            return RELEASED
        if counts.met and not arrived:
            return READY  # a root: its gradient was there from the first
        return RECORDED if not arrived else READY if arrived >= expected else WAITING

    def is_arriving(self, box: Box) -> bool:
        """Whether a leaf's AccumulateGrad runs."""
        return self.state.in_backward and box.leaf_node is not None and self.state.active == box.leaf_node

    def freed(self, name: str) -> bool:
        """Whether a node has given up what it saved."""
        node = self.state.nodes.get(name)
        return node is not None and (node.released or any(slot.status == FREED for slot in node.slots))


@dataclass
class Onlooker:
    """Asks about one state after another of a history. Pictures of the same cards share one, and all that it counts."""

    history: History
    _tallies: dict[int, Tally] = field(default_factory=dict, repr=False)
    _last: Now | None = field(default=None, repr=False)

    def at(self, state: GraphState) -> Now:
        """What is true in a state."""
        if self._last is None or self._last.state is not state:
            self._last = Now(self.history, state, self._tallies)
        return self._last


def _are_same(some: tuple[object, ...], others: tuple[object, ...]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))
