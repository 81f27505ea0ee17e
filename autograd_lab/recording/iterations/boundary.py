"""Where an iteration begins: what it needs of what was before, and nothing else."""

from __future__ import annotations

from dataclasses import replace

from autograd_lab import events as e
from autograd_lab.trace import introduces, mentions


def with_what_it_needs(iteration: list[e.Event], before: list[e.Event]) -> list[e.Event]:
    """The events of an iteration, after those `before` it that it builds on."""
    return _without_releases(_without_old_graphs([*_needed(before, iteration), *iteration]))


def _needed(events: list[e.Event], rest: list[e.Event]) -> list[e.Event]:
    """Of what happened at the end of the turn before, all that the rest builds on: its tensors, and changes of them.

    A tensor begins without a gradient: where one was cleared, neither that is needed nor what stood there before.
    """
    wanted = _unexplained(rest)
    cleared: set[str] = set()
    found: list[e.Event] = []
    for event in reversed(events):
        if isinstance(event, e.GradAssigned) and event.value is None:
            cleared.add(event.tensor)
        is_old = isinstance(event, e.GradAssigned) and event.tensor in cleared
        changes = (
            isinstance(event, e.TensorModified | e.GradAssigned | e.RequiresGradChanged) and event.tensor in wanted
        )
        if (changes and not is_old) or wanted.intersection(introduces(event)):
            wanted.update(_unexplained([event]))
            found.insert(0, event)
    return found


def _unexplained(events: list[e.Event]) -> set[str]:
    """What events refer to that came before them; to let go of a graph is not to build on it."""
    known: set[str] = set()
    wanted: set[str] = set()
    for event in events:
        if not isinstance(event, e.GradAccumulated | e.GradAssigned):  # which give a tensor's id, and not the tensor
            known.update(introduces(event))
        if not isinstance(event, e.GraphReleased):
            wanted.update(name for name in mentions(event) if name not in known)
    return wanted


def _without_old_graphs(events: list[e.Event]) -> list[e.Event]:
    """The events without the graphs of earlier iterations from which a tensor, such as a state, was only detached."""
    met = {event.node: event for event in events if isinstance(event, e.NodeMet)}
    dropped = {node for node in met if node not in _built_on(events, met)}
    gone = {output.id for node in dropped for output in met[node].outputs}
    found: list[e.Event] = []
    for event in events:
        if isinstance(event, e.TensorDetached) and event.source in gone:
            found.append(e.TensorCreated(where=event.where, tensor=event.tensor))
        elif not (isinstance(event, e.NodeMet | e.TensorSaved) and event.node in dropped):
            found.append(event)
    return found


def _built_on(events: list[e.Event], met: dict[str, e.NodeMet]) -> set[str]:
    """Those of the nodes that were met which something leads to."""
    used: set[str] = set()
    for event in events:
        found_at_sight = isinstance(event, e.NodeMet | e.TensorSaved) and event.node in met
        if not found_at_sight and not isinstance(event, e.GraphReleased | e.TensorDetached):
            used.update(mentions(event))
    waiting = [name for name, each in met.items() if name in used or any(one.id in used for one in each.outputs)]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [edge.node for edge in met[name].edges if edge is not None and edge.node in met]
    return found


def _without_releases(events: list[e.Event]) -> list[e.Event]:
    """The events, with nothing let go of that is not among them."""
    known = {name for event in events for name in introduces(event)}
    found: list[e.Event] = []
    for event in events:
        if not isinstance(event, e.GraphReleased):
            found.append(event)
        elif nodes := tuple([node for node in event.nodes if node in known]):
            found.append(replace(event, nodes=nodes))
    return found
