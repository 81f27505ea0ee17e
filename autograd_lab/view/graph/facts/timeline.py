"""The reducer: what is true of the graph after each event. `states[step]` is the graph after `step` events.

Everything here is derived from facts and from nothing else, so a trace can be stepped in any direction, and a recorded
one looks the same as a live one. Judgements that need two facts (a slot is *stale* when its tensor's version moved on)
are functions of a state, never stored in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from autograd_lab import events as e
from autograd_lab.view.graph.facts.held_memory import held_with, held_without
from autograd_lab.view.graph.facts.in_place import facts_after, writes_elements
from autograd_lab.view.graph.facts.state import (
    EVALUATED,
    FREED,
    RETAINED,
    VISITED,
    WAITING,
    GraphState,
    NodeState,
    Slot,
    TensorState,
    Version,
    draft_of,
    settled,
    with_new_node,
    with_node,
)
from autograd_lab.view.kit.changing import replace

MOST_WRITES = 16
"""So many earlier writes to one version counter are remembered."""
MANY = 16
"""From so many events on, a draft of the state pays off."""


def states(trace: Iterable[e.Event]) -> Iterator[GraphState]:
    """The state before the first event, then after each one: `len(trace) + 1` in all."""
    return accumulate(trace, apply_event, initial=GraphState())


def state_after(state: GraphState, events: Sequence[e.Event]) -> GraphState:
    """The state after `events`, which followed `state`; faster than through all states between, if they are many."""
    if len(events) < MANY:
        for event in events:
            state = apply_event(state, event)
        return state
    draft = draft_of(state)
    for event in events:
        apply_event(draft, event)
    return settled(draft)


def apply_event(state: GraphState, event: e.Event) -> GraphState:
    """The state after `event`. Pure: `state` is unchanged and shares what did not change."""
    state = replace(state, step=state.step + 1, event=event, active_edge=None, touched=())
    match event:
        case e.TensorCreated(tensor=facts, where=where) | e.TensorDetached(tensor=facts, where=where):
            return _add_tensor(state, facts, where)
        case e.OpApplied() | e.NodeMet():
            return _op(state, event)
        case e.TensorSaved():
            return _save(state, event)
        case e.TensorModified():
            return _modify(state, event)
        case e.RequiresGradChanged(tensor=tensor, requires_grad=flag):
            return _tensor(state, tensor, requires_grad=flag)
        case e.GradRetained(tensor=tensor):
            return _tensor(state, tensor, retains_grad=True)
        case e.GradModeChanged(enabled=enabled):
            return replace(state, grad_enabled=enabled)
        case e.HookRegistered():
            return _hang(state, event)
        case e.BackwardStarted():
            return _seed(state, event)
        case e.NodeVisited(node=node, gradients=gradients):
            state = _node(state, node, status=VISITED, gathered=gradients, adding=None)
            return _turn_to(state, node)
        case e.NodeEvaluated(node=node):
            return _turn_to(_node(state, node, status=EVALUATED), node)
        case e.SavedFreed(node=node):
            return _slots(state, node, FREED)
        case e.SavedRetained(node=node):
            return _slots(state, node, RETAINED)
        case e.GradientSent():
            return _send(state, event)
        case e.GradientsAdded(node=node, index=index, total=total):
            return _node(state, node, gathered=_put(state.passing(node, "gathered"), index, total))
        case e.GradAccumulated():
            return _accumulate(state, event)
        case e.GradAssigned(tensor=tensor, grad=grad, value=value):
            return _set_grad(state, tensor, grad, value)
        case e.BackwardFinished() if state.outer:
            number, active = state.outer[-1]
            return replace(state, current=number, active=active, outer=state.outer[:-1])
        case e.BackwardFinished():
            return replace(state, in_backward=False, active=None)
        case e.GraphReleased(nodes=nodes):
            return _release(state, nodes)
        case e.ErrorRaised():
            return replace(state, error=event, in_backward=False, outer=(), active=event.node or state.active)
        case e.RecordingStopped():
            return replace(state, stopped=event)
        case e.HookCalled() | _:
            return state


def _turn_to(state: GraphState, node: str) -> GraphState:
    """A node is active; the one that was before is so no more."""
    former = () if state.active in (None, node) else (state.active,)
    return replace(state, active=node, touched=(*state.touched, *former))


def _node(state: GraphState, node: str, **changes: Any) -> GraphState:
    return with_node(state, node, changes)


def _tensor(state: GraphState, tensor: str, **changes: Any) -> GraphState:
    if tensor not in state.tensors:
        return state
    tensors = state.tensors.set(tensor, replace(state.tensors[tensor], **changes))
    return replace(state, tensors=tensors, touched=(*state.touched, tensor))


def _put(items: tuple[Any, ...], index: int, item: Any) -> tuple[Any, ...]:
    items += (None,) * (index + 1 - len(items))
    return (*items[:index], item, *items[index + 1 :])


def _add_tensor(state: GraphState, facts: e.TensorFacts, where: e.Where | None) -> GraphState:
    """A tensor enters, with its counter and its storage if they are new."""
    versions, writes = state.versions, state.writes
    if facts.counter not in versions:
        versions = versions.set(facts.counter, Version(facts.version))
    if facts.storage not in writes:
        writes = writes.set(facts.storage, 0)
    old = state.tensors.get(facts.id)
    new = TensorState(facts, facts.value, facts.requires_grad, writes[facts.storage], where=where)
    if old is not None:  # an in-place op gave it a new history
        again = {"facts": facts, "value": facts.value, "requires_grad": facts.requires_grad}
        new = replace(old, **again, writes=writes[facts.storage], rewrites=old.rewrites + 1)
        state = replace(state, touched=(*state.touched, facts.id, facts.counter, facts.storage))
    return replace(state, tensors=state.tensors.set(facts.id, new), versions=versions, writes=writes)


def _op(state: GraphState, event: e.OpApplied | e.NodeMet) -> GraphState:
    for facts in event.outputs:
        state = _add_tensor(state, facts, event.where)
    state = _leaves(state, event.edges)
    if event.node is None:
        return state
    return with_new_node(state, event.node, NodeState(event.name, event.sequence, event.edges, where=event.where))


def _leaves(state: GraphState, edges: Iterable[e.Edge | None]) -> GraphState:
    """The AccumulateGrad nodes that edges lead to, as they are met."""
    for edge in edges:
        if edge is not None and edge.leaf is not None and edge.node not in state.nodes:
            state = with_new_node(state, edge.node, NodeState("AccumulateGrad", leaf=edge.leaf))
    return state


def _save(state: GraphState, event: e.TensorSaved) -> GraphState:
    known = state.tensors.get(event.tensor) if event.tensor is not None else None
    memory = {} if known is None else {"storage": known.facts.storage, "device": known.facts.device}
    slot = Slot(
        event.slot, event.tensor, event.version, event.nbytes, event.number, event.where,
        packed=event.packed, **memory,
    )  # fmt: skip
    state = _node(state, event.node, slots=(*state.nodes[event.node].slots, slot))
    return held_with(state, slot)


def _modify(state: GraphState, event: e.TensorModified) -> GraphState:
    """A write moves the counter, and makes the values of all other tensors on that storage unknown; an op that writes
    no element leaves them as they are."""
    if (owner := state.owner_of(event.tensor)) is not None:
        state = _tensor(state, owner, grad=event.value)
    if event.tensor not in state.tensors:
        return state
    facts, written = facts_after(state.tensors[event.tensor].facts, event), writes_elements(event.op)
    count = state.writes.get(facts.storage, 0) + written
    state = _tensor(state, event.tensor, facts=facts, value=event.value, writes=count)
    versions, writes = state.versions, state.writes.set(facts.storage, count)
    if written or event.version != versions[facts.counter].number:
        before = versions[facts.counter]
        earlier = (*before.earlier, replace(before, earlier=()))[-MOST_WRITES:]
        versions = versions.set(facts.counter, Version(event.version, event.op, event.where, earlier))
    return replace(state, versions=versions, writes=writes, touched=(*state.touched, facts.counter, facts.storage))


def _hang(state: GraphState, event: e.HookRegistered) -> GraphState:
    if event.tensor is not None:
        return _tensor(state, event.tensor, hooks=state.tensors[event.tensor].hooks + 1)
    if event.node is not None and event.node in state.nodes:
        return _node(state, event.node, hooks=state.nodes[event.node].hooks + 1)
    return state


def _seed(state: GraphState, event: e.BackwardStarted) -> GraphState:
    """A new pass begins, and the roots get their gradients."""
    state = _leaves(state, event.roots)
    number, outer = state.passes + 1, (*state.outer, (state.current, state.active)) if state.in_backward else ()
    state = replace(state, passes=number, current=number, outer=outer, in_backward=True, active=None, error=None)
    for root, gradient in zip(event.roots, event.gradients, strict=True):
        gathered = _put(state.passing(root.node, "gathered"), root.index, gradient)
        state = _node(state, root.node, status=WAITING, gathered=gathered)
    return state


def _slots(state: GraphState, node: str, status: str) -> GraphState:
    old = state.nodes[node].slots
    where = state.event.where if status == FREED and state.event is not None else None
    state = _node(state, node, slots=tuple(replace(slot, status=status, freed=slot.freed or where) for slot in old))
    for slot in old:
        if status == FREED and slot.status != FREED:
            state = held_without(state, slot)
    return state


def _send(state: GraphState, event: e.GradientSent) -> GraphState:
    """A gradient leaves along an edge; the first to arrive is all that has gathered until a sum is told."""
    edge = state.nodes[event.node].edges[event.edge]
    assert edge is not None, "a gradient was sent along an edge that leads nowhere"
    state = _node(state, event.node, sent=_put(state.passing(event.node, "sent"), event.edge, event.value))
    before = state.passing(edge.node, "gathered")
    found = before[edge.index] if edge.index < len(before) else None
    gathered = before if found is not None else _put(before, edge.index, event.value)
    adding = None if found is None or event.value is None else (edge.index, found, event.value)
    counts = {"arrived": event.arrived, "expected": event.expected}
    state = _node(state, edge.node, status=WAITING, gathered=gathered, adding=adding, **counts)
    return replace(state, active_edge=(event.node, event.edge))


def _accumulate(state: GraphState, event: e.GradAccumulated) -> GraphState:
    state = _set_grad(state, event.tensor, event.grad, event.total)
    active = state.nodes.get(state.active) if state.active is not None else None
    if active is not None and active.leaf == event.tensor and state.active is not None:
        state = _node(state, state.active, status=EVALUATED)
    return state


def _set_grad(state: GraphState, tensor: str, grad: str | None, value: e.Value | None) -> GraphState:
    if tensor in state.tensors:
        had = state.tensors[tensor].had_grad or value is not None
        state = _tensor(state, tensor, grad=value, grad_tensor=grad, had_grad=had)
    return state if grad is None else replace(state, grad_of=state.grad_of.set(grad, tensor))


def _release(state: GraphState, nodes: Collection[str]) -> GraphState:
    for node in nodes:
        if node in state.nodes:
            state = _node(_slots(state, node, FREED), node, released=True)
    return replace(state, active=None) if state.active in nodes else state
