"""What is said while backward runs: where it stands, what goes on from there, and where gradients meet."""

from __future__ import annotations

import math

from autograd_lab.events import (
    BackwardStarted,
    Event,
    GradAccumulated,
    GradientsAdded,
    GradientSent,
    HookCalled,
    NodeEvaluated,
    NodeVisited,
    SavedFreed,
    SavedRetained,
    Value,
)
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.state import GraphState, NodeState
from autograd_lab.view.graph.words.by_hooks import done, is_times
from autograd_lab.view.graph.words.called import Called
from autograd_lab.view.graph.words.meeting import Meetings, adds_up
from autograd_lab.view.graph.words.working import worked
from autograd_lab.view.kit.figure import (
    counted,
    figure,
    hue,
    is_bad,
    is_now,
    is_zero,
    listed,
    norm_of,
    number_of,
    often,
    ordinal,
    short_of,
    sum_of,
    sum_text,
    times,
)
from autograd_lab.view.kit.headline import NAME, SAVED, Headline, Run, said
from autograd_lab.view.kit.reading import label_of

FADES = 10.0
"""A gradient that gets so many times smaller, or larger, is worth a word."""
FEW, TOLD = 12, 5
"""So many parts of a sum are written down, of arrays by their norms."""
ROOM = 30
"""Characters that the names of operands may have in a headline."""


class Wavefront:
    """Headlines for the steps of a backward pass."""

    def __init__(self, history: History, called: Called, meetings: Meetings) -> None:
        self._history, self._called, self._meetings = history, called, meetings

    def at(self, event: Event, state: GraphState) -> Headline | None:
        """The lesson of a step of backward; None for a step that is none."""
        match event:
            case BackwardStarted():
                return self._begun(event)
            case NodeVisited(node=node):
                return self._visited(node, state)
            case NodeEvaluated():
                return self._evaluated(event, state)
            case GradientSent():
                return self._sent(event, state)
            case GradientsAdded():
                return self._added(event, state)
            case GradAccumulated():
                return self._stored(event, state)
            case HookCalled():
                return done(event, self._called)
            case SavedFreed(node=node):
                kept = self._kept(state.nodes[node])
                what = listed(kept) or "what it saved"
                text = f"{self._called.node(node)} has run, and lets go of {what}"
                short = f"What was saved of {what} is let go" if kept else ""
                sub = said("let go: ", Run(listed(kept), SAVED)) if kept else ()
                return Headline(text, short, sub, is_routine=True)
            case SavedRetained(node=node):
                kept = self._kept(state.nodes[node])
                text = f"{self._called.node(node)} has run, and keeps {listed(kept) or 'what it saved'}"
                return Headline(text, sub=said("this pass retains the graph, so another one can follow"))
        return None

    def _begun(self, event: BackwardStarted) -> Headline:
        roots = listed([name for name in map(self._called.tensor, event.tensors) if name])
        if event.create_graph:
            told = "This backward pass is recorded: it can be differentiated, too"
            return Headline(told, "This backward pass is recorded, too", said("it begins at ", Run(roots, NAME)))
        if len(event.gradients) != 1:
            return Headline(f"Backward begins at {roots or counted(len(event.gradients)) + ' tensors'}")
        kept = "; this pass keeps the graph" * event.retain_graph
        begun = f"Backward begins at {roots or self._called.node(event.roots[0].node)}"
        if told := begins_with(roots, event.gradients[0]):
            return Headline(f"{begun}, with {told}", begun, said(f"{roots} changes as fast as itself", kept))
        text = f"{begun}: its gradient {is_now(event.gradients[0])}"
        return Headline(text, begun, said("the program gives it: ", short_of(event.gradients[0]), kept))

    def _visited(self, node: str, state: GraphState) -> Headline:
        gathered, leaf = state.node(node).gathered, state.nodes[node].leaf
        gradient = gathered[0] if len(gathered) == 1 else None
        if leaf is not None:
            name = self._called.node(node)
            return Headline(
                f"All of {name}'s gradient is here: it {is_now(gradient)}", f"All of {name}'s gradient is here"
            )
        stands = f"Backward stands at {self._called.node(node)}"
        kept = self._kept(state.nodes[node])
        sub = said("it needs ", Run(listed(kept), SAVED), " as saved") if kept else ()
        if gradient is None:
            return Headline(stands, sub=sub, is_routine=True)
        return Headline(f"{stands}: its gradient {is_now(gradient)}", stands, sub, is_routine=True)

    def _evaluated(self, event: NodeEvaluated, state: GraphState) -> Headline:
        node, edges = self._called.node(event.node), state.nodes[event.node].edges
        given = [(number, v) for number, v in enumerate(event.gradients) if v is not None and edges[number] is not None]
        gathered = state.node(event.node).gathered
        gradient = gathered[0] if len(gathered) == 1 else None
        op = self._history.ops.get(self._history.op_of_node.get(event.node, ""))
        sub = said(worked(event, op, state)) if op is not None else ()
        if not given:
            return Headline(f"{node} has no gradient to give", sub=sub)
        values = [value for _, value in given]
        if gradient is not None and (told := self._changed(node, gradient, values)):
            return Headline(told, sub=sub)
        names = [self._called.operand(event.node, number) for number, _ in given]
        names = names if sum(map(len, names)) < ROOM else [""]
        to = listed(names) if all(names) else f"its {counted(len(given))} operands"
        text = f"{node} sends its gradient on" + f" to {to}" * (all(names) or len(given) > 1)
        before, after = number_of(gradient), [number_of(value) for value in values]
        if before is None or any(number is None for number in after) or not all(names) or len(names) > 2:
            return Headline(text, sub=sub, is_routine=True)
        if set(after) == {before}:
            return Headline(f"{node} passes its {figure(before)} on to {to}", text, sub, is_routine=True)
        made = [f"{figure(number)} for {name}" for name, number in zip(names, after, strict=True)]
        return Headline(f"{node} turns {figure(before)} into {' and '.join(made)}", text, sub, is_routine=True)

    @staticmethod
    def _changed(node: str, gradient: Value, values: list[Value]) -> str:
        """What is remarkable about what a node makes of a gradient."""
        if not is_bad(gradient) and any(map(is_bad, values)):
            return f"The gradient was finite until {node}: now it is not"
        if not is_zero(gradient) and not is_bad(gradient) and all(map(is_zero, values)):
            return f"{node} lets nothing past: the gradient behind it is exactly 0"
        before, after = norm_of(gradient), norm_of(values[0])
        if len(values) != 1 or not before or not after or number_of(gradient) is not None:
            return ""
        if before / after >= FADES:
            return f"The gradient gets {times(before / after)} times smaller at {node}"
        return f"The gradient gets {times(after / before)} times larger at {node}" if after / before >= FADES else ""

    def meeting(self, state: GraphState, name: str) -> Headline | None:
        """The lesson of a step at which gradients meet, or are about to, at what is called by this name."""
        match state.event:
            case GradientSent(expected=expected) as event if expected > 1:
                return self._sent(event, state, name)
            case GradientsAdded() as event:
                return self._added(event, state, name)
        return None

    def _sent(self, event: GradientSent, state: GraphState, name: str = "") -> Headline:
        edge = state.nodes[event.node].edges[event.edge]
        source = self._called.node(event.node)
        if edge is None:
            return Headline(f"The gradient of {source} goes nowhere")
        name = name or self._called.made_by(edge.node, edge.index)
        target = name or self._called.node(edge.node)
        if event.value is None:
            return Headline(f"{source} has no gradient for {target}")
        value = (Run(short_of(event.value), hue(event.value)), f" comes from {source}")
        if event.expected > 1:
            told = self._meeting(event, state, edge.node, edge.index, target)
            return Headline(*told, said(*value), is_routine=not name)
        if (place := self._called.place(event.node, edge.node)) and not name:
            text = f"In {place[0]}, the gradient travels from {place[1]} to {place[2]}"
            return Headline(text, "", said(*value), is_routine=True)
        if (number := number_of(event.value)) is not None:
            text = f"Gradient {figure(number)} travels from {source} to {target}"
            return Headline(text, f"{target} receives {figure(number)}", is_routine=True)
        text = f"The gradient travels from {source} to {target}"
        return Headline(text, f"{target} receives its gradient", said(*value), is_routine=True)

    def _meeting(self, event: GradientSent, state: GraphState, node: str, index: int, target: str) -> tuple[str, str]:
        """A gradient arrives where several are awaited; how often a thing is used is only said if all come here."""
        here = self._meetings.count(state, node, index)
        op = self._history.ops.get(self._history.op_of_node.get(node, ""))
        which, all_of = ordinal(event.arrived), counted(event.expected)
        coming = f"The {which} of {all_of} gradients is on its way to {target}"
        if op is not None and len(op.outputs) > 1:
            return coming, ""
        is_all = self._called.uses(node, index) == event.expected
        used = f"{target} is used {often(event.expected)}"
        if event.arrived < event.expected:
            if not is_all:
                return coming, ""
            if (event.arrived, event.expected) == (1, 2):
                return f"{used}: one gradient is on its way, one will follow", coming
            return f"{used}: the {which} gradient is on its way", coming
        if here < 2:
            return f"The last gradient that {target} waits for is on its way", ""
        meet = f"{counted(here).capitalize()} gradients meet at {target}, and add"
        whole = f"{used}: {counted(here)} gradients meet there, and add"
        return (whole, meet) if is_all and here == event.expected else (meet, "")

    def _added(self, event: GradientsAdded, state: GraphState, name: str = "") -> Headline:
        name = name or self._called.made_by(event.node, event.index) or self._called.node(event.node)
        node = state.node(event.node)
        if node.adding is None or not adds_up(node.adding[1:], event.total):
            return Headline(f"The gradients at {name} are added: the sum {is_now(event.total)}")
        count, sub = self._meetings.count(state, event.node, event.index), self._sum(event, state)
        if node.arrived < node.expected:
            return Headline(f"{name} has {counted(count)} gradients so far, and they add", sub=sub)
        meet = f"{counted(count).capitalize()} gradients meet at {name}, and add"
        if self._called.uses(event.node, event.index) != count:
            return Headline(meet, sub=sub)
        used = f"{name} is used {often(count)}: {counted(count)} gradients meet there, and add"
        return Headline(used, meet, sub)

    def _sum(self, event: GradientsAdded, state: GraphState) -> tuple[Run, ...]:
        """The gradients that meet and their sum, in numbers, if they are few; else the sum."""
        total, at = number_of(event.total), (state, event.node, event.index)
        if total is not None and self._meetings.count(*at) <= FEW:
            numbers = [number_of(arrival.value) for arrival in self._meetings.at(*at)]
            if terms := [number for number in numbers if number is not None] * (None not in numbers):
                return said(Run(sum_text(terms, total), hue(event.total)))
        return said(f"the sum {is_now(event.total)}")

    def _stored(self, event: GradAccumulated, state: GraphState) -> Headline:
        box = self._called.grad(event.tensor, state.step)
        total, added = number_of(event.total), number_of(event.added)
        if not event.is_first:
            return self._heaped(box, event)
        parts = [] if state.active is None else [part.value for part in self._meetings.at(state, state.active)]
        leaf = state.nodes[state.active].leaf if state.active is not None else None
        if leaf == event.tensor and adds_up(parts, event.total):
            return paths(box, parts, event.total)
        if total is not None and added is not None:
            return Headline(f"{box} = {figure(total)}")
        return Headline(f"{box} is there: it {is_now(event.total)}", f"{box} is there")

    @staticmethod
    def _heaped(box: str, event: GradAccumulated) -> Headline:
        total, added = number_of(event.total), number_of(event.added)
        sub: tuple[Run, ...] = ()
        if total is not None and added is not None:
            sub = said(sum_text([total - added, added], total))
        if is_double(event):
            return Headline(f"{box} doubles: backward adds to what was there", f"{box} doubles", sub)
        if total is not None and added is not None:
            return Headline(f"{box} = {figure(total)}: {figure(added)} is added to what was there", sub=sub)
        return Headline(f"{box} grows on: backward adds to what was there", f"Backward adds to {box}", sub)

    def _kept(self, node: NodeState) -> list[str]:
        """The names of what a node has saved; nothing where not all have one."""
        names = [self._called.tensor(slot.tensor) for slot in node.slots if slot.tensor is not None]
        return list(dict.fromkeys(names)) if all(names) else []


def paths(box: str, parts: list[Value], total: Value) -> Headline:
    """Gradients that came by several paths and are known to add up to what is in `.grad`."""
    count, numbers, whole = counted(len(parts)), [number_of(part) for part in parts], number_of(total)
    if whole is None:
        norms = [label_of(part) for part in parts] if len(parts) <= TOLD else []
        sums = f"gradients of {listed(norms, TOLD)} add up to one of {label_of(total)}" if norms else ""
        return Headline(f"{box}: {count} gradients arrive, and add", sub=said(sums or f"the sum {is_now(total)}"))
    if len(parts) > FEW:
        return Headline(f"{box} = {figure(whole)}: {count} gradients arrive, and add", f"{box}: {count} gradients add")
    texts, end = sum_of([math.nan if number is None else number for number in numbers], whole)
    terms = [Run("?" if text == "NaN" else text, hue(part)) for text, part in zip(texts, parts, strict=True)]
    runs: list[Run | str] = [terms[0]]
    for run in terms[1:]:
        minus = run.text.startswith("−")
        runs += [" − " if minus else " + ", Run(run.text.lstrip("−"), run.role)]
    sub = said(*runs, " ≈ " if end.startswith("≈") else " = ", Run(end.removeprefix("≈ "), hue(total)))
    told = f"{count} gradients"
    return Headline(f"{box} = {figure(whole)}: {told} arrive, and add", f"{box}: {told} add", sub)


def begins_with(root: str, gradient: Value) -> str:
    """`d loss/d loss = 1`, where backward begins at one number without being told with which gradient."""
    return f"d {root}/d {root} = 1" if root.isidentifier() and number_of(gradient) == 1.0 else ""


def is_double(event: GradAccumulated) -> bool:
    """Whether as much was added to a `.grad` as was there."""
    return not is_zero(event.added) and is_times(event.added, event.total, 2.0)
