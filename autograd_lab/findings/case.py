"""A case: the index of a trace that all finders share, built in one walk over its events.

Where an in-place op gives a tensor a new history, the calls before and after keep apart: a call knows by which calls
its operands came, and which calls took its results.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from autograd_lab import events as e
from autograd_lab.findings.noted import Call as Call
from autograd_lab.findings.noted import GradChange as GradChange
from autograd_lab.findings.noted import ModuleCall as ModuleCall
from autograd_lab.findings.noted import Pass as Pass
from autograd_lab.findings.noted import Tensor as Tensor
from autograd_lab.findings.noted import Update as Update
from autograd_lab.findings.noted import Write as Write
from autograd_lab.findings.noted import between as between
from autograd_lab.trace import Trace
from autograd_lab.trace.amounts import astray, finite
from autograd_lab.trace.course import BEGINNING

PARAMETER = "Parameter"
"""How a tensor is told to be detached that is a Parameter made of another one."""
ASSIGNED = re.compile(r"(?:self\.)?(\w+)\s*=(?!=)")


def _is_beginning(trace: Trace) -> bool:
    return any(note.startswith(BEGINNING) for note in trace.notes)


def is_part(trace: Trace) -> bool:
    """Whether more happened than a trace tells: some iterations of a run, or its beginning."""
    return trace.course is not None or trace.is_torn or _is_beginning(trace)


FILLS = ("masked_fill", "maskedfill")


def _is_astray(name: str, came: list[e.Value], gone: list[e.Value]) -> bool:
    """Whether a call that gave what is not finite is to blame for it."""
    is_nan = any(astray(each) == "NaN" for each in gone)
    if name.lower().startswith(FILLS) and not is_nan:
        return False
    if all(map(finite, came)):
        return True
    return is_nan and "softmax" in name.lower() and not any(not finite(each) and astray(each) == "NaN" for each in came)


class Case:
    """All of a trace, by what finders ask for."""

    def __init__(self, trace: Trace | Iterable[e.Event]) -> None:
        self.files: dict[str, str] = getattr(trace, "files", {})
        self.is_of_iterations = getattr(trace, "course", None) is not None
        """Whether each iteration that is told begins right after the update of the one before, untold."""
        self.is_part = isinstance(trace, Trace) and is_part(trace)
        """Whether more happened than is told: some iterations of a run, or its beginning."""
        self.is_beginning = isinstance(trace, Trace) and self.is_part and _is_beginning(trace)
        """Whether all is told from the first line on, and the end is not."""
        self.tensors: dict[str, Tensor] = {}
        self.calls: list[Call] = []
        self.call_of: dict[str, Call] = {}
        """By nodes."""
        self.passes: list[Pass] = []
        self.updates: list[Update] = []
        self.errors: list[tuple[int, e.ErrorRaised]] = []
        self.saved: dict[str, list[tuple[int, e.TensorSaved]]] = defaultdict(list)
        self.freed: dict[str, tuple[int, e.Where | None]] = {}
        self.visited: dict[str, list[tuple[int, e.NodeVisited]]] = defaultdict(list)
        self.evaluated: dict[str, list[tuple[int, e.NodeEvaluated]]] = defaultdict(list)
        self.released: dict[str, int] = {}
        self.grads: dict[str, list[GradChange]] = defaultdict(list)
        """What became of the `.grad` of each leaf, in order."""
        self.grad_of: dict[str, str] = {}
        """The tensor whose `.grad` a tensor is, or was."""
        self.leaf_of: dict[str, str] = {}
        """By AccumulateGrad nodes."""
        self.writes: dict[str, list[Write]] = defaultdict(list)
        """By storages, those that changed what they hold."""
        self.touches: dict[str, list[Write]] = defaultdict(list)
        """All of them: for versions a write counts even if it changed nothing."""
        self.first_in: dict[str, str] = {}
        """The tensor that was met first of those in a storage."""
        self.spoiled: dict[str, Write] = {}
        """The first write to a storage of what is not finite."""
        self.modules: list[ModuleCall] = []
        self.retained: dict[str, int] = {}
        self.wanderers: list[tuple[int, str]] = []
        """Steps at which numbers that are not finite turned up in what was made, sent or written, with the id."""
        self.steps = 0
        self._grad_mode, self._pass = True, None  # type: bool, Pass | None
        self._update: Update | None = None
        self._inside: list[ModuleCall] = []
        for event in trace:
            self.steps += 1
            self._see(event, self.steps)

    # --- what finders ask -------------------------------------------------------------------------------------------

    def name(self, tensor: str) -> str:
        """What a tensor is called: by its variable, or as the expression that gave it."""
        if tensor in self.grad_of and tensor not in self.tensors:
            return f"{self.name(self.grad_of[tensor])}.grad"
        found = self.tensors.get(tensor)
        if found is None:
            return "a tensor"
        facts = found.facts
        if tensor in self.grad_of and not facts.name:
            return f"{self.name(self.grad_of[tensor])}.grad"
        if facts.name:
            return facts.name
        if found.is_parameter and found.where is not None and (made := ASSIGNED.match(found.where.text)):
            return f"the parameters of {made[1]}"  # of a module that was never called
        if (seen := self._seen_by(found)) is not None:
            return f"a view of {seen}"
        text = facts.expression or ""
        kind = "parameter" if found.is_parameter else "tensor"
        return text if text and "…" not in text else f"a {kind} of shape {list(facts.shape)}"

    def _seen_by(self, view: Tensor) -> str | None:
        """The variable whose memory a tensor without a name shows."""
        if view.first_maker is None:
            return None
        seen = (self.tensors[name].facts for name in self.calls[view.first_maker].operands if name in self.tensors)
        return next((each.name for each in seen if each.name and each.storage == view.facts.storage), None)

    def leaves(self) -> dict[str, Tensor]:
        """The tensors that ask for a gradient and are nobody's result."""
        return {
            name: each for name, each in self.tensors.items() if each.asks and each.maker is None and each.facts.is_leaf
        }

    @cached_property
    def given(self) -> set[str]:
        """What optimizers that step were given, or wrote to."""
        return {name for update in self.updates for name in (*update.event.parameters, *update.written)}

    @cached_property
    def handed(self) -> set[str]:
        """What optimizers that step were given, as they tell; what they wrote to may be notes of their own."""
        return {name for update in self.updates for name in update.event.parameters}

    @cached_property
    def copied_parameters(self) -> set[str]:
        """The Parameters that were made of what was computed, which has a history that they do not have."""
        made = (call for call in self.calls if call.name == PARAMETER and call.sources[:1] != (None,))
        return {call.outputs[0].id for call in made if self.calls[call.sources[0] or 0].node is not None}

    @cached_property
    def turns(self) -> list[int]:
        """The steps at which a turn of a loop was over, as far as passes and updates tell: both take turns, and what
        began last of all that comes again is the end of a turn."""
        ends = [("pass", p.event.where, p.end) for p in self.passes if p.end is not None and p.outer is None]
        ends += [("update", u.where, u.end) for u in self.updates if u.end is not None]
        by_line: dict[object, list[int]] = defaultdict(list)
        for kind, where, end in sorted(ends, key=lambda each: each[2]):
            by_line[kind, where].append(end)
        return next((steps for steps in reversed(by_line.values()) if len(steps) > 1), [])

    @cached_property
    def is_stopped_early(self) -> bool:
        """Whether an error ended the program before a second turn of a loop was over."""
        last = self.errors[-1][0] if self.errors else self.steps
        begun = [c.step for c in self.calls[-1:]] + [p.step for p in self.passes] + [u.step for u in self.updates]
        return bool(self.errors) and len(self.turns) < 2 and max(begun, default=0) <= last

    @property
    def last_turn(self) -> int:
        """The step until which whole turns are told: of a whole run, the last."""
        return self.steps if not self.is_beginning else self.turns[-1] if self.turns else 0

    @cached_property
    def given_storages(self) -> set[str]:
        """The memory of what no call made: of parameters, inputs, and so of their views."""
        return {each.facts.storage for each in self.tensors.values() if each.first_maker is None}

    def ancestors(self, call: Call) -> list[Call]:
        """A call and all that it builds on, recorded or not, the latest first."""
        seen, waiting = {call.number}, [call.number]
        for number in waiting:
            for source in self.calls[number].sources:
                if source is not None and source not in seen:
                    seen.add(source)
                    waiting.append(source)
        return [self.calls[number] for number in sorted(seen, reverse=True)]

    def module_of(self, call: Call) -> str:
        """The path of the innermost module inside of another one in which a call ran, as `model.1`; or nothing."""
        inner = (m for m in reversed(self.modules) if m.event.module and m.first <= call.number < m.last)
        found = next(inner, None)
        return "" if found is None else found.path

    def pass_at(self, step: int) -> Pass | None:
        """The pass that a step is in."""
        return next((p for p in reversed(self.passes) if p.step <= step and (p.end is None or step <= p.end)), None)

    # --- the walk ---------------------------------------------------------------------------------------------------

    def _see(self, event: e.Event, step: int) -> None:
        match event:
            case e.TensorCreated(tensor=facts):
                self._meet(facts, step, event.where)
                if not finite(facts.value):
                    self.wanderers.append((step, facts.id))
            case e.OpApplied(operands=operands, outputs=outputs):
                self._called(event, event.name, event.node, [o.tensor for o in operands], outputs, step)
            case e.NodeMet(outputs=outputs):
                self._called(event, event.name, event.node, [], outputs, step)
            case e.TensorDetached(tensor=facts, source=source):
                self._called(event, event.how, None, [source], (facts,), step)
                if event.how == PARAMETER:  # a leaf from here on, of whatever it was made
                    self.tensors[facts.id].maker = self.tensors[facts.id].first_maker = None
            case e.TensorSaved(node=node):
                self.saved[node].append((step, event))
            case e.TensorModified():
                self._wrote(event, step)
            case e.RequiresGradChanged(tensor=tensor, requires_grad=asks) if tensor in self.tensors:
                self.tensors[tensor].asks = asks
                self.tensors[tensor].switched = event.where, step
            case e.GradModeChanged(enabled=enabled):
                self._grad_mode = enabled
            case e.GradRetained(tensor=tensor):
                self.retained.setdefault(tensor, step)
            case e.ErrorRaised():
                self.errors.append((step, event))
                self._pass = None
            case e.GraphReleased(nodes=nodes):
                self.released |= dict.fromkeys(nodes, step)
            case e.ModuleEntered() | e.ModuleLeft() | e.OptimizerEntered() | e.OptimizerLeft():
                self._entered(event, step)
            case _:
                self._see_backward(event, step)

    def _see_backward(self, event: e.Event, step: int) -> None:
        match event:
            case e.BackwardStarted(roots=roots):
                self._pass = Pass(len(self.passes), step, event, outer=self._pass)
                self.passes.append(self._pass)
                self._lead(roots)
                self._pass.received |= {root.leaf for root in roots if root.leaf is not None}
            case e.BackwardFinished() if self._pass is not None:
                self._pass.end = step
                self._pass = self._pass.outer
            case e.NodeVisited(node=node):
                self.visited[node].append((step, event))
            case e.NodeEvaluated(node=node):
                self.evaluated[node].append((step, event))
                if self._pass is not None:
                    self._pass.ran.add(node)
            case e.GradientSent(node=node, edge=edge, value=value) if value is not None and self._pass is not None:
                made = self.call_of.get(node)
                edges = getattr(made.event, "edges", ()) if made is not None else ()
                if edge < len(edges) and edges[edge] is not None and edges[edge].leaf is not None:
                    self._pass.received.add(edges[edge].leaf)
            case e.SavedFreed(node=node):
                self.freed.setdefault(node, (step, event.where))
            case e.GradAccumulated(tensor=tensor, grad=grad, total=total, is_first=is_first):
                self.grad_of[grad] = tensor
                if self._pass is not None:
                    self._pass.received.add(tensor)
                how = "set" if is_first or total == event.added else "added"
                self.grads[tensor].append(GradChange(step, how, event.where, total))
            case e.GradAssigned(tensor=tensor, grad=grad, value=value):
                if grad is not None:
                    self.grad_of[grad] = tensor
                how = "cleared" if grad is None else "found" if event.is_found else "set"
                self.grads[tensor].append(GradChange(step, how, event.where, value))

    def _entered(self, event: e.Event, step: int) -> None:
        match event:
            case e.ModuleEntered():
                self._inside.append(ModuleCall(event, step, len(self.calls), len(self._inside)))
                self.modules.append(self._inside[-1])
            case e.ModuleLeft() if self._inside:
                self._inside.pop().last = len(self.calls)
            case e.OptimizerEntered():
                self._update = Update(step, event, handed=frozenset(event.parameters))
                self.updates.append(self._update)
            case e.OptimizerLeft() if self._update is not None:
                self._update.end = step
                self._update = None

    def _meet(
        self, facts: e.TensorFacts, step: int, where: e.Where | None, maker: int | None = None, is_written: bool = False
    ) -> None:
        known = self.tensors.get(facts.id)
        if known is None:
            self.first_in.setdefault(facts.storage, facts.id)
            known = self.tensors[facts.id] = Tensor(facts, step, where, maker, maker, with_grad=self._grad_mode)
        known.maker, known.asks = maker, facts.requires_grad
        if not is_written:  # else the write is told next
            known.value = facts.value

    def _lead(self, edges: Iterable[e.Edge | None]) -> None:
        for edge in edges:
            if edge is not None and edge.leaf is not None:
                self.leaf_of[edge.node] = edge.leaf

    def _called(
        self, event: e.OpApplied | e.NodeMet | e.TensorDetached, name: str, node: str | None,
        operands: list[str | None], outputs: tuple[e.TensorFacts, ...], step: int,
    ) -> None:  # fmt: skip
        number, taken = len(self.calls), tuple([each for each in operands if each is not None])
        were = [self.tensors[each] for each in taken if each in self.tensors]
        call = Call(number, step, event, name, node, taken, outputs, tuple([each.maker for each in were]))
        if isinstance(event, e.NodeMet):
            call.sources = tuple(
                self.call_of[edge.node].number for edge in event.edges if edge is not None and edge.node in self.call_of
            )
        call.with_grad = self._grad_mode
        if self._inside:
            call.modules = tuple([each.event.module for each in self._inside])
        gone = [each for each in outputs if not finite(each.value)]
        if gone and not any(each.facts.storage in self.spoiled for each in were):
            call.is_astray = _is_astray(name, [each.value for each in were], [each.value for each in gone])
        self.calls.append(call)
        for each in were:
            each.uses.append(number)
        for source in dict.fromkeys(call.sources):
            if source is not None:
                self.calls[source].users.append(number)
        self._lead(getattr(event, "edges", ()))
        if node is not None:
            self.call_of[node] = call
        for facts in outputs:
            self._meet(facts, step, event.where, number, is_written=getattr(event, "wrote_in_place", False))
        self.wanderers += [(step, each.id) for each in gone]

    def _wrote(self, event: e.TensorModified, step: int) -> None:
        tensor = event.tensor
        if (leaf := self.grad_of.get(tensor)) is not None:
            self.grads[leaf].append(GradChange(step, "changed", event.where, event.value))
        known = self.tensors.get(tensor)
        if self._update is not None:
            self._update.written.setdefault(tensor, step)
        if known is None:
            return
        write = Write(step, event, known.facts.counter, self._update_of(tensor, known))
        self.touches[known.facts.storage].append(write)
        if known.value != event.value or leaf is not None:
            self.writes[known.facts.storage].append(write)
        known.value = event.value
        if event.storage is not None:
            known.facts = replace(known.facts, storage=event.storage)
        if not finite(event.value):
            self.wanderers.append((step, tensor))
            self.spoiled.setdefault(known.facts.storage, write)

    def _update_of(self, name: str, tensor: Tensor) -> Update | None:
        """The update that writes to a tensor. What was computed, a closure writes to that the optimizer has called."""
        first = self.tensors.get(self.first_in.get(tensor.facts.storage, name), tensor)
        is_ours = self._update is not None and (first.first_maker is None or name in self._update.handed)
        return self._update if is_ours else None
