"""Where an iteration begins: what it needs of what was before, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from autograd_lab.events import (
    Event,
    GradAccumulated,
    GradAssigned,
    GraphReleased,
    NodeMet,
    RequiresGradChanged,
    TensorCreated,
    TensorDetached,
    TensorModified,
    TensorSaved,
)
from autograd_lab.trace import introduces, mentions


def with_what_it_needs(iteration: list[Event], before: list[Event]) -> list[Event]:
    """The events of an iteration, after those `before` it that it builds on."""
    return _without_releases(_without_old_graphs([*_needed(before, iteration), *iteration]))


def _needed(events: list[Event], rest: list[Event]) -> list[Event]:
    """Of what happened at the end of the turn before, all that the rest builds on: its tensors, and changes of them."""
    wanted = _unexplained(rest)
    found: list[Event] = []
    for event in reversed(events):
        clears = isinstance(event, GradAssigned) and event.value is None  # which is how a tensor begins
        changes = isinstance(event, TensorModified | GradAssigned | RequiresGradChanged) and event.tensor in wanted
        if (changes and not clears) or wanted.intersection(introduces(event)):
            wanted.update(_unexplained([event]))
            found.insert(0, event)
    return found


def _unexplained(events: list[Event]) -> set[str]:
    """What events refer to that came before them; to let go of a graph is not to build on it."""
    known: set[str] = set()
    wanted: set[str] = set()
    for event in events:
        if not isinstance(event, GradAccumulated | GradAssigned):  # which give a tensor's id, and not the tensor
            known.update(introduces(event))
        if not isinstance(event, GraphReleased):
            wanted.update(name for name in mentions(event) if name not in known)
    return wanted


def _without_old_graphs(events: list[Event]) -> list[Event]:
    """The events without the graphs of earlier iterations from which a tensor, such as a state, was only detached."""
    met = {event.node: event for event in events if isinstance(event, NodeMet)}
    dropped = {node for node in met if node not in _built_on(events, met)}
    gone = {output.id for node in dropped for output in met[node].outputs}
    found: list[Event] = []
    for event in events:
        if isinstance(event, TensorDetached) and event.source in gone:
            found.append(TensorCreated(where=event.where, tensor=event.tensor))
        elif not (isinstance(event, NodeMet | TensorSaved) and event.node in dropped):
            found.append(event)
    return found


def _built_on(events: list[Event], met: dict[str, NodeMet]) -> set[str]:
    """Those of the nodes that were met which something leads to."""
    used: set[str] = set()
    for event in events:
        found_at_sight = isinstance(event, NodeMet | TensorSaved) and event.node in met
        if not found_at_sight and not isinstance(event, GraphReleased | TensorDetached):
            used.update(mentions(event))
    waiting = [name for name, each in met.items() if name in used or any(one.id in used for one in each.outputs)]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [edge.node for edge in met[name].edges if edge is not None and edge.node in met]
    return found


def _without_releases(events: list[Event]) -> list[Event]:
    """The events, with nothing let go of that is not among them."""
    known = {name for event in events for name in introduces(event)}
    found: list[Event] = []
    for event in events:
        if not isinstance(event, GraphReleased):
            found.append(event)
        elif nodes := tuple([node for node in event.nodes if node in known]):
            found.append(replace(event, nodes=nodes))
    return found
