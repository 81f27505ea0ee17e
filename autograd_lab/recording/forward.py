"""What a program computes: the part of a recorder that takes down new tensors and ops."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any

from autograd_lab import events
from autograd_lab.recording.first_sight import FirstSight
from autograd_lab.recording.modules import Modules
from autograd_lab.recording.notices import Notices
from autograd_lab.recording.on_the_way import OnTheWay
from autograd_lab.recording.program.source import MODULES, Site, code_of, composes, entered_file, makes_for_itself
from autograd_lab.recording.results import Results
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.whereabouts import Whereabouts
from autograd_lab.recording.writes import Writes
from autograd_lab.whose import way_to


class Forward:
    """Tells of ops, each with its operands, results, node, and what that saves."""

    def __init__(
        self, tape: Tape, whereabouts: Whereabouts, way: OnTheWay, notices: Notices, first_sight: FirstSight,
        results: Results, modules: Modules, writes: Writes,
    ) -> None:  # fmt: skip
        self._tape, self._ids, self._reader = tape, tape.ids, tape.reader
        self._whereabouts, self._here, self._way = whereabouts, whereabouts.now, way
        self._notices, self._first_sight, self._writes = notices, first_sight, writes
        self._results, self._modules = results, modules

    def tensor_created(self, tensor: Any, maker: str) -> None:
        """A tensor was made by a function of this name."""
        site, frame = self._here()
        if makes_for_itself(entered_file(sys._getframe(1), frame)):
            site = site.step(maker)
        self._first_sight.describe(tensor, site)
        self._tape.names.promise((self._tape.id(tensor),), site, code_of(frame))

    def detached(self, out: Any, source: Any, how: str) -> None:
        """A tensor was made that has another's numbers, and nothing to do with its graph."""
        site, frame = self._here()
        if makes_for_itself(entered_file(sys._getframe(1), frame)):
            site = site.step(how)
        self._notices.look_again(source, self._first_sight.met(source, site, frame))
        facts = self._ids.facts(out, site.expression, storage=self._ids.storage(source))
        self._tape.names.promise(facts[:1], site, code_of(frame))
        self._tape.push((events.TensorDetached.kind, site.number, facts, self._tape.id(source), how))

    def op_applied(
        self, node: Any, name: str, operands: tuple[Any, ...], outputs: tuple[Any, ...], in_place: bool = False
    ) -> None:
        """An op ran; it has a node if it was recorded."""
        users, way = way_to(sys._getframe(1))
        site, frame = self._whereabouts.of(users)
        taken = self._first_sight.operands(node, operands, site, frame, outputs[0] if in_place else None)
        goes_on = self._modules.goes_on(site, self._tape.steps.goes_on(site, frame, way))
        if self.is_by_the_way(site):
            site = site.step(self._reader.op_of(node, name))
        self.applied(node, name, taken, outputs, in_place, site, code_of(frame), goes_on)

    def is_by_the_way(self, site: Site) -> bool:
        """Whether what an op gives here is in no case what the expression means."""
        file = self._tape.steps.entered
        return site.is_aside or composes(file) or (file in MODULES and not self._modules.is_called_at(site))

    def applied(
        self, node: Any, name: str, taken: tuple[Any, ...], outputs: tuple[Any, ...], in_place: bool, site: Site,
        code: CodeType | None, goes_on: bool,
    ) -> None:  # fmt: skip
        """An op whose operands are `taken` down, at a site in some code; does it go on with the call before?"""
        node_id, edges, sequence, attributes = (None, (), None, ()) if node is None else self._history(node)
        self._results.note_step(site, taken, goes_on)
        op = self._reader.op_of(node, name)
        inside = site is self._way.site  # what `y.backward()` computes on its way is not what it means
        expression = f"{op}(…)" if inside else site.expression
        facts = tuple([self._ids.facts(output, expression) for output in outputs])
        if node_id is not None:
            self._first_sight.made_by[node_id] = facts
        if site.targets:
            self._tape.names.promise(tuple([fact[0] for fact in facts]), site, code)
        note = events.OpApplied.kind, site.number, node_id, name, taken, facts, edges, sequence, attributes, in_place
        self._results.note_result((len(self._tape.raw), note, op), site, code)
        self._tape.push(note)
        if node_id is not None and self._reader.has_slots(node):
            self._first_sight.save(node, node_id, outputs, site)
        if in_place:
            self._writes.modified(outputs[0], name, site)

    def _history(self, node: Any) -> tuple[str, tuple[Any, ...], int, tuple[Any, ...]]:
        """The id of a new node, its edges, its sequence number and its attributes."""
        edge = self._first_sight.edge
        edges = tuple([edge(below) for below in node.next_functions])
        node_id, attributes, sequence = self._tape.node(node), self._reader.attributes_of(node), node._sequence_nr()
        self._ids.introduced.add(node_id)
        return node_id, edges, sequence, attributes
