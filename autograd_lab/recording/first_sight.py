"""How tensors and nodes are met: the part of a recorder that tells of what was there before, and of what nodes save."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from types import FrameType
from typing import Any

from autograd_lab import events
from autograd_lab.events import Value
from autograd_lab.listening import PACKED
from autograd_lab.recording.ids import Ids
from autograd_lab.recording.naming import Names
from autograd_lab.recording.source import NOWHERE, Site, Sites
from autograd_lab.recording.values import Snapshot

_NUMBERS = (int, float, type(None))


class FirstSight:
    """Tells of tensors and nodes at first sight; a `Recorder` has the rest of what is needed."""

    _push: Callable[[tuple[Any, ...]], None]
    _id: Callable[[Any], str]
    _node: Callable[[Any], str]
    _here: Callable[[], tuple[Site, FrameType | None]]
    _snapshot: Callable[[Any], Snapshot]
    _attributes_of: Callable[[Any], tuple[tuple[str, Any], ...]]
    _slots_of: Callable[[Any], list[tuple[str, Any, Any, int]]]
    opened: Callable[[Any], None]
    _look_again: Callable[[Any, str], None]
    _look_at_grad: Callable[[Any, str], None]
    _saved_by: dict[str, list[str]]
    _made_by: dict[str, tuple[str, ...]]
    _grads: set[str]
    _is_number: Callable[[Any], bool]
    _number_in: Callable[[Any], Any]
    _nbytes_of: Callable[[Any], int]
    is_tensor: Callable[[Any], bool]
    _ids: Ids
    _names: Names
    _sites: Sites

    def walk(self, tensor: Any) -> None:
        """Tell of a tensor's graph as it is now, with the `.grad` of its leaves."""
        self._met(tensor, *self._here())

    def _edge(self, edge: Any) -> tuple[str, int, str | None] | None:
        node, index = edge
        if node is None:
            return None
        identity = self._node(node)
        if identity in self._ids.introduced:
            return identity, index, None
        leaf = getattr(node, "variable", None)
        if leaf is None:
            self._introduce(node)
            return identity, index, None
        if self._id(leaf) not in self._ids.described:
            self._describe(leaf, NOWHERE)
            self._look_at_grad(leaf, self._id(leaf))
        self._ids.ends.add(identity)
        return identity, index, self._id(leaf)

    def _introduce(self, node: Any, output: Any = None, is_written: bool = False) -> None:
        """Tell of a node from before the recording, after all that it leads to; `output` is its tensor if at hand.

        What `is_written` has come to another node and another value since.

        Sequence numbers count up as nodes are made, so sorting by them puts each node behind those that it leads to.
        """
        found, todo = {self._node(node): node}, [node]
        tensors = {self._node(node): output}
        while todo:
            top = todo.pop()
            tensors |= {self._node(t.grad_fn): t for t in self._saved_tensors(top) if t.grad_fn is not None}
            for below, _ in top.next_functions:
                if self._ids.is_new(below) and self._node(below) not in found:
                    found[self._node(below)] = below
                    todo.append(below)
        for identity, new in sorted(found.items(), key=lambda item: item[1]._sequence_nr()):
            self._meet(new, tensors.get(identity), is_written and new is node)

    def _meet(self, node: Any, output: Any, is_written: bool = False) -> None:
        identity = self._node(node)
        self._ids.introduced.add(identity)
        if output is not None:
            self._names.search(output, self._id(output), self._sites.here(sys._getframe(1))[1])
        facts = self._ids.facts(output, None) if output is not None else self._ids.lost_facts(node)
        facts = _before(facts, True) if is_written else facts
        edges, sequence = self._edges(node), node._sequence_nr()
        self._push(
            (
                events.NodeMet.kind,
                NOWHERE.number,
                identity,
                node.name(),
                (facts,),
                edges,
                sequence,
                self._attributes_of(node),
            )
        )
        made = () if output is None else (*[None] * output.output_nr, output)
        self._saves(node, identity, made, NOWHERE)

    def _meet_written(self, tensor: Any, node: Any) -> None:
        """Tell of a tensor from before the recording that was just written to; `node` is the one it had before."""
        if node is not None:
            self._introduce(node, tensor, is_written=True)
        else:
            self._names.search(tensor, self._id(tensor), self._sites.here(sys._getframe(1))[1])
            facts = _before(self._ids.facts(tensor, None), False)
            self._push((events.TensorCreated.kind, NOWHERE.number, facts))

    def _edges(self, node: Any) -> tuple[Any, ...]:
        return () if node is None else tuple([self._edge(edge) for edge in node.next_functions])

    def _describe(self, tensor: Any, site: Site, is_written: bool = False) -> None:
        if site is NOWHERE:
            self._names.search(tensor, self._id(tensor), self._sites.here(sys._getframe(1))[1])
        facts = self._ids.facts(tensor, site.expression)
        if is_written:
            facts = _before(facts, facts[5])
        self._push((events.TensorCreated.kind, site.number, facts))

    def _met(self, tensor: Any, site: Site, frame: FrameType | None, is_written: bool = False) -> str:
        """The id of a tensor that the program uses, or has just written; it is described at first sight, and named."""
        identity = self._id(tensor)
        if identity not in self._ids.described:
            if (same := self._output_of(tensor)) is not None:
                return self._meet_again(tensor, same, site, frame)
            if identity in self._grads and not is_written:  # it is told of as a tensor only now that it is used
                self._look_again(tensor, identity)
            self._meet_tensor(tensor, identity, is_written)
        self._names.confirm(tensor, identity, site, frame)
        return identity

    def _output_of(self, tensor: Any) -> str | None:
        """The id of a tensor that is the same output of the same node, if that was told of."""
        node = None if tensor.is_leaf else tensor.grad_fn
        if node is None or self._ids.is_new(node):
            return None
        return self._made_as(node, tensor.output_nr)

    def _made_as(self, node: Any, number: int) -> str | None:
        """The id of what a node made as an output."""
        made = self._made_by.get(self._node(node), ())
        return made[number] if number < len(made) else None

    def _meet_again(self, tensor: Any, same: str, site: Site, frame: FrameType | None) -> str:
        """A node gives what it saved of its output as another object, which is no other tensor to autograd."""
        self._ids.adopt(tensor, same)
        self._names.found(tensor, same, site, frame)
        return same

    def _meet_tensor(self, tensor: Any, identity: str, is_written: bool) -> None:
        node = None if tensor.is_leaf else tensor.grad_fn
        if self._ids.is_new(node):
            self._introduce(node, tensor)
            return
        self._describe(tensor, NOWHERE, is_written)
        if tensor.is_leaf and tensor.requires_grad:
            self._look_at_grad(tensor, identity)
        else:
            self.opened(tensor)  # nobody saw where it came from

    def _operands(
        self, node: Any, operands: tuple[Any, ...], site: Site, frame: FrameType | None, written: Any
    ) -> tuple[Any, ...]:
        edges: Any = () if node is None else node.next_functions
        looks = written is None and self._ids.ledger.any_open  # what shares with `written` has changed, too
        if written is not None and node is not None and self._id(written) not in self._ids.described:
            self._meet_written(written, edges[0][0])
        taken: list[tuple[Any, ...]] = []
        for position, operand in enumerate(operands):
            edge = position if position < len(edges) and edges[position][0] is not None else None
            if not isinstance(operand, _NUMBERS) and self.is_tensor(operand):
                identity = self._met(operand, site, frame, operand is written)
                if looks:
                    self._look_again(operand, identity)
                taken.append((identity, None, edge))
            elif operand is not None:
                taken.append((None, operand, edge))
        return tuple(taken)

    def _saved_tensors(self, node: Any) -> list[Any]:
        slots = self._slots_of(node)
        return [source for _, source, _, _ in slots if not isinstance(source, int | str | None)]

    def _saves(self, node: Any, node_id: str | None, outputs: Any, site: Site) -> None:
        slots = self._slots_of(node)
        saved_by = self._saved_by[node_id or ""] = []
        numbers: dict[str, Iterator[int]] = {}
        if len(slots) > 1:
            times = Counter([slot for slot, *_ in slots])
            numbers = {slot: count() for slot, many in times.items() if many > 1}
        for slot, source, array, version in slots:
            if slot in numbers:
                slot = f"{slot}[{next(numbers[slot])}]"
            saved_by.append("")
            if source is None:
                continue
            if source is PACKED:
                self._push((events.TensorSaved.kind, site.number, node_id, slot, None, 0, 0, None, True))
                continue
            tensor = source
            if isinstance(source, int):
                tensor = outputs[source] if source < len(outputs) else None
            if tensor is None:
                continue  # the output of a node from before the recording, which nobody holds any more
            identity = self._id(tensor)
            if identity not in self._ids.described and (not self._is_number(array) or tensor.requires_grad):
                self._met(tensor, NOWHERE, None)
            known = identity if identity in self._ids.described else None
            saved_by[-1] = identity
            number = self._number_in(array) if known is None else None
            if number is None and known is None:  # what cannot be read is a tensor of which no more can be said
                known = self._met(tensor, NOWHERE, None)
            saved = known, version, self._nbytes_of(array), number, False
            self._push((events.TensorSaved.kind, site.number, node_id, slot, *saved))


def _before(facts: tuple[Any, ...], requires_grad: bool) -> tuple[Any, ...]:
    """The facts of a tensor before the write that just happened; what it held then is not known any more."""
    return (*facts[:5], requires_grad, facts[6] or not requires_grad, max(facts[7] - 1, 0), *facts[8:-1], Value())
