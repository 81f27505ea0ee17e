"""How tensors and nodes are met: the part of a recorder that tells of what was there before, and of what nodes save."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import count
from types import FrameType
from typing import Any

from autograd_lab import events
from autograd_lab.events import Value
from autograd_lab.listening import PACKED
from autograd_lab.recording.notices import Notices
from autograd_lab.recording.program.source import NOWHERE, Site
from autograd_lab.recording.program.variables import Frame, Scope
from autograd_lab.recording.reader import Slot
from autograd_lab.recording.tape import Tape

SAVED = events.TensorSaved.kind


class FirstSight:
    """Tells of tensors and nodes at first sight; `made_by` has the raw facts of what nodes made."""

    def __init__(self, tape: Tape, notices: Notices) -> None:
        self._tape, self._notices = tape, notices
        self._ids, self._id, self._node, self._nodes = tape.ids, tape.id, tape.node, tape.ids.nodes
        self.made_by: dict[str, tuple[tuple[Any, ...], ...]] = {}

    def edge(self, edge: Any) -> tuple[str, int, str | None] | None:
        """An edge as it is told, once what it leads to was told of."""
        node, index = edge
        if node is None:
            return None
        identity = self._nodes.get(id(node)) or self._node(node)
        if identity in self._ids.introduced:
            return identity, index, None
        if (known := self._ids.ends.get(identity)) is not None:
            return known
        if not self._ids.is_end(node):
            self.introduce(node)
            return identity, index, None
        leaf = node.variable
        if self._id(leaf) not in self._ids.described:
            self.describe(leaf, NOWHERE)
            self._notices.look_at_grad(leaf, self._id(leaf))
        found = self._ids.ends[identity] = identity, index, self._id(leaf)
        return found

    def introduce(self, node: Any, output: Any = None, is_written: bool = False) -> None:
        """Tell of a node from before the recording, after all that it leads to; `output` is its tensor if at hand.

        What `is_written` has come to another node and another value since.

        Sequence numbers count up as nodes are made, so sorting by them puts each node behind those that it leads to.
        """
        unknown, todo = {self._node(node): node}, [node]
        tensors = {self._node(node): output}
        while todo:
            top = todo.pop()
            tensors |= {self._node(t.grad_fn): t for t in self._saved_tensors(top) if t.grad_fn is not None}
            for below, _ in top.next_functions:
                if self._ids.is_new(below) and self._node(below) not in unknown:
                    unknown[self._node(below)] = below
                    todo.append(below)
        for identity, new in sorted(unknown.items(), key=lambda item: item[1]._sequence_nr()):
            self._meet_node(new, tensors.get(identity), is_written and new is node)

    def _meet_node(self, node: Any, output: Any, is_written: bool = False) -> None:
        identity = self._node(node)
        self._ids.introduced.add(identity)
        if output is not None:
            self._search_name(output)
        facts = self._ids.facts(output, None) if output is not None else self._ids.lost_facts(node)
        facts = _before(facts, True) if is_written else facts
        edges, sequence = tuple([self.edge(edge) for edge in node.next_functions]), node._sequence_nr()
        described = identity, node.name(), (facts,), edges, sequence, self._tape.reader.attributes_of(node)
        self._tape.push((events.NodeMet.kind, NOWHERE.number, *described))
        made = () if output is None else (*[None] * output.output_nr, output)
        self.save(node, identity, made, NOWHERE)

    def _search_name(self, tensor: Any, frame: Frame | None = None) -> None:
        identity = self._id(tensor)
        if identity not in self._tape.names.given:
            frame = frame or self._tape.sites.here(sys._getframe(1))[1]
            self._tape.names.search(tensor, identity, frame)

    def _meet_written(self, tensor: Any, node: Any) -> None:
        """Tell of a tensor from before the recording that was just written to; `node` is the one it had before."""
        if node is not None:
            self.introduce(node, tensor, is_written=True)
        else:
            self._search_name(tensor)
            facts = _before(self._ids.facts(tensor, None), False)
            self._tape.push((events.TensorCreated.kind, NOWHERE.number, facts))

    def describe(self, tensor: Any, site: Site, is_written: bool = False, frame: Frame | None = None) -> None:
        """Tell of a tensor that was made at a site, or that was there before; `frame` is the program's, if at hand."""
        if site is NOWHERE:
            self._search_name(tensor, frame)
        facts = self._ids.facts(tensor, site.expression)
        if is_written:
            facts = _before(facts, facts[5])
        self._tape.push((events.TensorCreated.kind, site.number, facts))

    def met(self, tensor: Any, site: Site, frame: Frame | None, is_written: bool = False) -> str:
        """The id of a tensor that the program uses, or has just written; it is described at first sight, and named."""
        identity = self._id(tensor)
        if identity not in self._ids.described:
            if (same := self._output_of(tensor)) is not None:
                return self._meet_again(tensor, same, site, frame)
            if identity in self._notices.grads and not is_written:  # told of as a tensor only now that it is used
                self._notices.look_again(tensor, identity)
            self._meet_tensor(tensor, identity, is_written, frame)
        self._tape.names.confirm(tensor, identity, site, frame)
        return identity

    def _output_of(self, tensor: Any) -> str | None:
        """The id of a tensor that is the same output of the same node, if that was told of."""
        node = None if tensor.is_leaf else tensor.grad_fn
        if node is None or self._ids.is_new(node):
            return None
        return self._made_as(node, tensor.output_nr)

    def _made_as(self, node: Any, number: int) -> str | None:
        """The id of what a node made as an output."""
        made = self.made_by.get(self._node(node), ())
        return made[number][0] if number < len(made) else None

    def _meet_again(self, tensor: Any, same: str, site: Site, frame: Frame | None) -> str:
        """A node gives what it saved of its output as another object, which is no other tensor to autograd."""
        self._ids.adopt(tensor, same)
        self._tape.names.found(tensor, same, site, frame)
        return same

    def _meet_tensor(self, tensor: Any, identity: str, is_written: bool, frame: Frame | None) -> None:
        node = None if tensor.is_leaf else tensor.grad_fn
        if self._ids.is_new(node):
            self.introduce(node, tensor)
            return
        self.describe(tensor, NOWHERE, is_written, frame)
        if tensor.is_leaf and tensor.requires_grad:
            self._notices.look_at_grad(tensor, identity)
        elif identity not in self._notices.grads:
            self._notices.opened(tensor)  # nobody saw where it came from

    def operands(
        self, node: Any, operands: tuple[Any, ...], site: Site, frame: FrameType | None, written: Any
    ) -> tuple[Any, ...]:
        """The operands of an op as they are told; `written` is the one that it has written to."""
        edges: Any = () if node is None else node.next_functions
        looks = written is None and self._ids.ledger.any_open  # what shares with `written` has changed, too
        if written is not None and node is not None and self._id(written) not in self._ids.described:
            self._meet_written(written, edges[0][0])
        described, known, names, scope = self._ids.described, self._ids.known, self._tape.names, None
        taken: list[tuple[Any, ...]] = []
        nameless: list[tuple[Any, str]] = []
        for position, operand in enumerate(operands):
            edge = position if position < len(edges) and edges[position][0] is not None else None
            identity = known.get(getattr(operand, "_uid", None)) or self._new(operand)
            if identity is None:
                if operand is not None:
                    taken.append((None, operand, edge))
                continue
            if identity not in described or identity in names.promised:
                scope = Scope(frame) if scope is None and frame is not None else scope
                identity = self.met(operand, site, scope, operand is written)
            elif identity not in names.given:
                nameless.append((operand, identity))
            if looks:
                self._notices.look_again(operand, identity)
            taken.append((identity, None, edge))
        if nameless and frame is not None and not names.are_taken(site.operands, taken):
            for operand, identity in nameless:
                names.found(operand, identity, site, scope or frame)
        return tuple(taken)

    def _new(self, operand: Any) -> str | None:
        """The id of an operand that is met for the first time; None if it is no tensor."""
        return self._id(operand) if self._tape.reader.is_tensor(operand) else None

    # --- what nodes save ---------------------------------------------------------------------------------------------

    def _saved_tensors(self, node: Any) -> list[Any]:
        slots = self._tape.reader.slots_of(node)
        return [source for _, source, _, _ in slots if not isinstance(source, int | str | None)]

    def save(self, node: Any, node_id: str, outputs: Any, site: Site) -> None:
        """Tell what a node saves; `outputs` are by their numbers what it made."""
        reader, push = self._tape.reader, self._tape.push
        slots = reader.slots_of(node)
        made, saved, place = reader.outputs_by_number(outputs), [], site.number
        if len(slots) > 1 and len({slot[0] for slot in slots}) < len(slots):
            slots = list(_numbered(slots))
        for slot, source, array, version in slots:
            if source is PACKED:
                push((SAVED, place, node_id, slot, None, 0, 0, None, True))
                saved.append("")
                continue
            tensor = source
            if isinstance(source, int):
                tensor = made[source] if source < len(made) else None
            if tensor is None:  # the output of a node from before the recording, which nobody holds any more
                saved.append("")
                continue
            identity, known, number = self._saved(tensor, array)
            push((SAVED, place, node_id, slot, known, version, reader.nbytes_of(array), number, False))
            saved.append(identity)
        self._notices.saved_by[node_id] = tuple(saved)

    def _saved(self, tensor: Any, array: Any) -> tuple[str, str | None, Any]:
        """The id of a saved tensor; the same if it was told of, or else the number in it, which is all there is."""
        identity, reader = self._id(tensor), self._tape.reader
        if identity in self._ids.described:
            return identity, identity, None
        if not reader.is_number(array) or tensor.requires_grad:
            identity = self.met(tensor, NOWHERE, None)  # maybe that of another object for the same output
            if identity in self._ids.described:
                return identity, identity, None
        number = reader.number_in(array)
        if number is None:  # what cannot be read is a tensor of which no more can be said
            return identity, self.met(tensor, NOWHERE, None), None
        return identity, None, number


def _numbered(slots: list[Slot]) -> Iterator[Slot]:
    """Slots of which those that share a name have numbers behind it."""
    times = Counter([slot for slot, *_ in slots])
    numbers = {slot: count() for slot, many in times.items() if many > 1}
    for slot, *saved in slots:
        yield (f"{slot}[{next(numbers[slot])}]" if slot in numbers else slot, *saved)


def _before(facts: tuple[Any, ...], requires_grad: bool) -> tuple[Any, ...]:
    """The facts of a tensor before the write that just happened; what it held then is not known any more."""
    return (*facts[:5], requires_grad, facts[6] or not requires_grad, max(facts[7] - 1, 0), *facts[8:-1], Value())
