"""One sentence a step, with its numbers: what happened, to what, and where the number comes from."""

from __future__ import annotations

import math
from collections import Counter
from functools import cached_property

from autograd_lab import events as e
from autograd_lab.trace.course import Course
from autograd_lab.view.graph.facts.history import History, Op
from autograd_lab.view.graph.facts.in_place import DATA, done_by, done_to, done_to_saved, writes_elements
from autograd_lab.view.graph.facts.state import FREED, RETAINED, GraphState
from autograd_lab.view.graph.words.called import Called, shown_memory
from autograd_lab.view.graph.words.cure import cure_of_freed
from autograd_lab.view.graph.words.headlines import Headlines
from autograd_lab.view.graph.words.meeting import Meetings
from autograd_lab.view.graph.words.phrase import by_call, in_words, line_in, list_of, module, the_gradient, writer
from autograd_lab.view.graph.words.wavefront import begins_with
from autograd_lab.view.kit.figure import counted, ordinal
from autograd_lab.view.kit.numeral import bytes_on, bytes_text, numeral, shouts
from autograd_lab.view.kit.signs import base_of
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.languages.speaking import spoken

UNSEEN_WRITE = "unseen, through memory that it shares (with numpy or a thread, say)"


class Captions:
    """Says in a sentence what an event did; tensors go by the labels of the picture.

    Nodes go by PyTorch's names where the `engine` is shown, else by what they compute.
    """

    def __init__(
        self,
        history: History,
        course: Course | None = None,
        headlines: Headlines | None = None,
        *,
        engine: bool = True,
    ) -> None:
        self._history, self._course, self._headlines = history, course, headlines
        self._called = None if engine else Called(history)

    @spoken
    @or_else("What this step did is unknown.")
    def at(self, state: GraphState) -> str:
        """What the step that led to `state` did."""
        event = state.event
        if self._history.walked and isinstance(event, e.GradAssigned | e.NodeMet):
            return "What can be known of a graph that nobody watched: nodes, what they save, versions and gradients."
        told = "Nothing has happened yet." if event is None else self._sentence(event, state)
        if isinstance(event, e.GradModeChanged) and self._headlines is not None and self._headlines.is_end(state):
            told = f"{self._headlines.at(state).text}. {told}"
        return told[0].upper() + told[1:] if told.startswith("an ") else told

    @spoken
    def iteration(self, step: int) -> str:
        """Which iteration of how many, if that is known, a step belongs to; empty where the whole run is shown."""
        if self._course is None:
            return ""
        at = f"iteration {self._course.iteration_at(step):,}"
        return at if self._course.goes_on else f"{at} of {max(self._course.seen, self._course.shown[-1]):,}"

    @spoken
    @or_else("unknown")
    def moment(self, state: GraphState) -> str:
        """Where in the program's life this is: before it, in forward, in which backward pass, after it."""
        if state.event is None:
            return "before the first line" if self._course is None else "before it begins"
        if state.stopped is not None:
            return "the recording breaks off here"
        if isinstance(state.event, e.ErrorRaised):
            return "stopped by an error"
        if self._history.walked and isinstance(state.event, e.GradAssigned | e.NodeMet):
            return "the graph as it is now"
        if not (which := self._pass(state)):
            return "forward"
        stepped = self._headlines.stepped(state) if self._headlines is not None and not state.in_backward else ""
        return f"{'' if state.in_backward else 'after '}{stepped or which}"

    def _pass(self, state: GraphState) -> str:
        """The backward pass that began last in this iteration: by its loss, or its number, if there are several."""
        if self._headlines is None:
            return "backward" * (state.passes > 0)
        span = (1, math.inf) if self._course is None else self._course.span_at(state.step)
        begun, losses = self._headlines.passes_in(span, state.step)
        if len(losses) > 1 and all(losses) and len(set(losses)) == len(losses) and begun:
            return f"backward of {losses[begun - 1]}"
        return ("backward" + f" pass {begun} of {len(losses)}" * (len(losses) > 1)) * (begun > 0)

    def _sentence(self, event: e.Event, state: GraphState) -> str:
        match event:
            case e.TensorCreated(tensor=facts):
                kind = "asks for a gradient" if facts.requires_grad else "asks for no gradient"
                return f"{self._tensor(facts.id)} is {in_words(facts.value)}; it {kind}."
            case e.OpApplied():
                return self._applied(event)
            case e.NodeMet(name=name):
                return f"{name} was made before the first step."
            case e.TensorDetached(tensor=facts, source=source, how=how):
                if facts.id == source:
                    return f"{self._tensor(source)} forgets its history ({how})."
                named = self._tensor(facts.id), self._tensor(source)
                return f"{named[0]} shares the storage of {named[1]} without its history ({how})."
            case e.TensorSaved():
                return self._saved(event)
            case e.TensorModified():
                return self._modified(event, state)
            case e.RecordingStopped(reason=reason, lost=lost):
                return f"{reason} Not shown: {lost}."
            case _:
                return self._small(event) or self._backward(event, state)

    def _small(self, event: e.Event) -> str:
        match event:
            case e.RequiresGradChanged(tensor=tensor, requires_grad=flag):
                return f"{self._tensor(tensor)} {'now asks' if flag else 'no longer asks'} for a gradient."
            case e.GradRetained(tensor=tensor):
                return f"{self._tensor(tensor)} will keep its gradient, though it is not a leaf."
            case e.GradModeChanged(enabled=enabled):
                return f"Grad mode is {'on again' if enabled else 'off: what runs now leaves no node'}."
            case e.HookRegistered(hook=hook, tensor=tensor, node=node):
                target = self._tensor(tensor) if tensor else self._node(node or "")
                return f"A {hook.replace('_', ' ')} hook hangs on {target}."
            case e.HookCalled(hook=hook, before=before, after=after):
                if before is None:
                    return f"The {hook.replace('_', ' ')} hook has run."
                change = "leaves it as it is" if after is None else f"makes it {in_words(after)}"
                return f"The hook is called with {the_gradient(before)} and {change}."
            case e.GradAssigned(tensor=tensor, value=value, is_found=is_found):
                how, why = ("found to be", "; what set it was not seen here") if is_found else ("set to", "")
                return f"{self._tensor(tensor)}.grad is {how} {'None' if value is None else in_words(value)}{why}."
            case e.ModuleEntered() | e.ModuleLeft():
                return f"{'Inside' if isinstance(event, e.ModuleEntered) else 'Out of'} {module(event)}."
            case e.OptimizerEntered(type=kind):
                return f"{kind} takes a step: it changes the parameters that have a gradient."
            case e.OptimizerLeft(type=kind):
                return f"{kind} has made its step."
            case e.GraphReleased(nodes=nodes):
                if len(nodes) == 1:
                    return "A node is released, and lets go of all that it saved: nothing refers to it any more."
                told = f"{len(nodes):,} nodes are released, and let go of all that they saved"
                return f"{told}: nothing refers to them any more."
        return ""

    def _backward(self, event: e.Event, state: GraphState) -> str:
        match event:
            case e.BackwardStarted(tensors=tensors, gradients=gradients, retain_graph=retain, create_graph=create):
                names = ", ".join(map(self._tensor, tensors))
                given = "the gradient " + ", ".join(in_words(gradient) for gradient in gradients)
                given = (begins_with(names, gradients[0]) if len(gradients) == 1 else "") or given
                kept = "; the graph is to be retained" if retain else ""
                kept += "; what backward computes is recorded, too" if create else ""
                return f"Backward begins at {names}, with {given}{kept}."
            case e.NodeVisited(node=node, gradients=gradients):
                return f"{self._node(node)} is ready, with {list_of(gradients)}: all that it waited for has arrived."
            case e.NodeEvaluated():
                return self._evaluated(event, state)
            case e.GradientSent():
                return self._sent(event, state)
            case e.GradientsAdded():
                return self._added(event, state)
            case e.GradAccumulated(tensor=tensor, added=added, total=total, is_first=is_first):
                box = f"{self._tensor(tensor)}.grad"
                if is_first:
                    return f"{in_words(total)} is stored in {box}."
                return f"{in_words(added)} is added to what was in {box}, which makes {in_words(total)}."
            case e.SavedFreed(node=node):
                size = sum(slot.nbytes for slot in state.nodes[node].slots)
                gone = f"lets go of what it saved ({bytes_text(size)}), which is freed unless something else holds it"
                return f"{self._node(node)} has run, so it {gone}; the node stays."
            case e.SavedRetained(node=node):
                return f"{self._node(node)} has run and keeps what it saved, since this pass retains the graph."
            case e.BackwardFinished():
                return f"Backward is done; {self._left(state)}."
            case e.ErrorRaised():
                return self._error(event, state)
        return event.kind.replace("_", " ")

    def _applied(self, event: e.OpApplied) -> str:
        values = ", ".join(in_words(facts.value) for facts in event.outputs)
        made = f"{self._made(event)} ="
        if event.wrote_in_place:
            done = done_by(event.name)
            made = f"{self._tensor(event.outputs[0].id)} is {done} in place{by_call(event.outputs[0].expression)}:"
        if event.node is not None and self._history.ops[self._history.op_of_node[event.node]].unpacks:
            return f"{made} {values}; this runs in backward, to have what was not kept."
        name = event.name if self._called is None else f"this {base_of(event.name)}"
        if event.node is None:
            return f"{made} {values}, by {name}, which leaves no node."
        return f"{made} {values}; {name} is recorded, to take the gradient back."

    def _made(self, event: e.OpApplied) -> str:
        """`y = a * b`, or `p, q = b.chunk(2)`; what goes by its expression is called that once."""
        labels = [self._tensor(facts.id) for facts in event.outputs]
        expressions = {facts.expression for facts in event.outputs}
        expression = expressions.pop() if len(expressions) == 1 else None
        if (
            not expression
            or "=" in expression
            or labels[0] in (expression, f"{expression}[0]")
            or "(…)" in expression + "".join(labels)
        ):
            return ", ".join(labels)
        return f"{', '.join(labels)} = {expression}"

    def _saved(self, event: e.TensorSaved) -> str:
        if event.packed:
            handed = event.slot if self._called is None else "what it would save"
            return f"{self._node(event.node)} hands {handed} to a pack hook instead of keeping it (0 B here)."
        what = numeral(event.number)
        if event.tensor is not None:
            what = self._tensor(event.tensor) + f" at version {event.version}" * (self._called is None)
        return f"{self._node(event.node)} saves {what} for its backward ({bytes_text(event.nbytes)})."

    def _modified(self, event: e.TensorModified, state: GraphState) -> str:
        if (grad_of := state.owner_of(event.tensor)) is not None:
            name, now = f"{self._tensor(grad_of)}.grad", in_words(event.value)
            if event.op == e.UNSEEN:
                return f"{name} was changed {UNSEEN_WRITE}: now {now}."
            return done_to(name, event.op, now, self._memory(event) if event.storage else "other memory")
        told = self._done(event)
        if event.op == e.UNSEEN:
            name, now = self._tensor(event.tensor), in_words(event.value)
            told = f"{name} was changed {UNSEEN_WRITE}: now {now}, version {event.version}."
        suspects = [state.nodes[node] for node in self._history.watch.stale if node in state.nodes]
        stale = [node.name for node in suspects if any(map(state.is_stale, node.slots))]
        if stale:
            told += f" What {', '.join(stale[:3])} saved is now stale: it can no longer run backward."
        return told

    def _done(self, event: e.TensorModified) -> str:
        """What an in-place op did to a tensor."""
        name, now = self._tensor(event.tensor), f"now {in_words(event.value)}"
        if event.shape is not None:
            now += f", of shape {list(event.shape)}"
        if event.op == DATA:
            given = f"is given {self._memory(event)} (.data =)" if event.storage else "is assigned its .data"
            return f"{name} {given}: {now}, and still version {event.version}."
        now, done = f"{now}, version {event.version}", done_by(event.op)
        if event.storage is not None:
            return f"{name} is given {self._memory(event)}{writer(event.op)}: {now}."
        if writes_elements(event.op):
            return f"{name} is written in place{writer(event.op)}: {now}."
        return f"{name} is {done} in place{writer(event.op)}, and no element of it is written: {now}."

    def _memory(self, event: e.TensorModified) -> str:
        """Whose memory a tensor has been given."""
        box = self._history.box_of(event.tensor)
        owner = self._history.boxes[box].owners.get(event.storage or "") if box else None
        return f"the memory of {owner}" if owner else "other memory"

    def _evaluated(self, event: e.NodeEvaluated, state: GraphState) -> str:
        node = state.node(event.node)
        took = list_of(node.gathered)
        gave = [
            f"{in_words(value)} for {self._edge(event.node, number)}"
            for number, value in enumerate(event.gradients)
            if value is not None and node.edges[number] is not None
        ]
        first = ", which has back what it gave to a pack hook," if any(slot.packed for slot in node.slots) else ""
        made = ", ".join(gave) if gave else "no gradient"
        return f"{self._node(event.node)}{first} turns {took} into {made}."

    def _sent(self, event: e.GradientSent, state: GraphState) -> str:
        edge = state.nodes[event.node].edges[event.edge]
        target = self._target(edge.node, edge.index, state) if edge else "nowhere"
        several = f": the {ordinal(event.arrived)} of {counted(event.expected)} that it waits for"
        count = several if event.expected > 1 else ""
        if event.value is None:
            return f"{self._node(event.node)} has no gradient to send to {target}{count}."
        return f"{in_words(event.value)} travels from {self._node(event.node)} to {target}{count}."

    def _added(self, event: e.GradientsAdded, state: GraphState) -> str:
        adding, target = state.node(event.node).adding, self._target(event.node, event.index, state)
        terms = "" if adding is None else f"{in_words(adding[1])} + {in_words(adding[2])} = "
        terms = "" if "norm" in terms else terms
        if (count := self._meetings.count(state, event.node, event.index)) > 2:
            return (
                f"The {ordinal(count)} gradient at {target} is added to the sum so far: {terms}{in_words(event.total)}."
            )
        return f"The gradients that met at {target} are added: {terms}{in_words(event.total)}."

    def _error(self, event: e.ErrorRaised, state: GraphState) -> str:
        told = event.message.split("\n")[0].split(". ")[0].rstrip(".")
        told += "." * (told[-1:] not in ("!", "?"))
        if event.node is None:
            return f"{event.error}: {told}"
        slots = [slot for slot in state.nodes[event.node].slots if event.slot in (None, slot.name)]
        for slot in slots:
            if slot.tensor is not None and state.is_stale(slot):
                version, now = state.spoiled_by(slot), state.version(slot.tensor).number
                line = line_in(version.where, event.where) if version.where else "a later write"
                saved = shown_memory(self._history, slot.tensor) or self._tensor(slot.tensor)
                needs = f"{saved} as it was at version {slot.version}"
                return (
                    f"{self._node(event.node)} needs {needs}, but {line} has {done_to_saved(version.op or '')} it: "
                    f"now it is at version {now}."
                )
        if slots and all(slot.status == "freed" for slot in slots):
            line = f" by {line_in(slots[0].freed, event.where)}" if slots[0].freed is not None else ""
            cure = cure_of_freed(self._history, event, slots[0].freed, state)
            return (
                f"{self._node(event.node)} needs what it saved, but that was freed{line}, after it had run backward "
                f"there; {cure}."
            )
        return f"{self._node(event.node)} stopped. {event.error}: {told}"

    def _left(self, state: GraphState) -> str:
        """What a pass leaves behind: what is still kept, and where a NaN or an infinity has got to."""
        slots = [slot for node in state.nodes.values() for slot in node.slots if slot.status != FREED]
        retained = Counter[str]()
        for slot in slots:
            retained[slot.device] += slot.nbytes * (slot.status == RETAINED)
        left = Counter(state.held_on) - retained
        told = [f"{bytes_on(retained)} are kept (retain_graph)"] * (retained.total() > 0)
        told += [f"{bytes_on(left)} are left where it did not go"] * (left.total() > 0)
        kept = f"saved values of {', and of '.join(told)}" if told else "nothing that was saved is left"
        bad = [name for name, tensor in state.tensors.items() if tensor.grad is not None and shouts(tensor.grad)]
        return kept + "".join(f"; {self._tensor(name)}.grad is not finite" for name in bad[:2])

    def _tensor(self, tensor: str) -> str:
        box = self._history.box_of(tensor)
        label = self._history.boxes[box].label if box else ""
        return label or "an unnamed tensor"

    def _node(self, node: str) -> str:
        """Its name, with its number where others are called so, too."""
        op = self._history.op_of_node.get(node)
        if self._called is not None:
            return self._called.node(node)
        if op is not None:
            return self._numbered(self._history.ops[op])
        leaf = self._leaves.get(node)
        return f"AccumulateGrad of {leaf}" if leaf else "AccumulateGrad"

    def _numbered(self, op: Op) -> str:
        if self._called is not None:
            return self._called.op(op)
        return f"{op.name} #{op.number}" if op.name in self._shared and op.number is not None else op.name

    @cached_property
    def _meetings(self) -> Meetings:
        return Meetings(self._history)

    @cached_property
    def _shared(self) -> frozenset[str]:
        """The names that several nodes have."""
        counts = Counter(op.name for op in self._history.ops.values() if op.node is not None)
        return frozenset(name for name, count in counts.items() if count > 1)

    @cached_property
    def _leaves(self) -> dict[str, str]:
        """What leaves are called, by their AccumulateGrad."""
        return {box.leaf_node: box.label for box in self._history.boxes.values() if box.leaf_node is not None}

    def _target(self, node: str, index: int, state: GraphState) -> str:
        leaf = state.nodes[node].leaf
        if leaf is not None:
            return self._tensor(leaf)
        op = self._history.op_of_node.get(node)
        if op is None:
            return node
        if self._called is not None:
            return self._called.node(node)
        labels = dict(enumerate(self._history.boxes[output].label for output in self._history.ops[op].outputs))
        return self._numbered(self._history.ops[op]) + (f" ({labels[index]})" if labels.get(index) else "")

    def _edge(self, node: str, number: int) -> str:
        op = self._history.op_of_node.get(node)
        uses = self._history.ops[op].uses if op else []
        for use in uses:
            if use.operand.edge == number and use.box is not None:
                return self._history.boxes[use.box].label or "an unnamed tensor"
        return f"input {number}"
