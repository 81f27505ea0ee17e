"""Which step of another run of a program is the same moment: the same thing happening to the same node or tensor.

Nodes and tensors of two runs are the same if the same line made them, as the first, second … of their kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from autograd_lab import events as e
from autograd_lab.trace import Trace, introduces


def counterpart(step: int, before: Trace, after: Trace) -> int:
    """The step of `after` at which one finds what `step` of `before` shows, or the last thing ahead of it that there
    is in both; the end for the end."""
    if step >= len(before):
        return len(after)
    places = {mark: number for number, mark in enumerate(marks_of(after), 1)}
    ahead = list(marks_of(before))[:step]
    return next((places[mark] for mark in reversed(ahead) if mark in places), 0)


def marks_of(trace: Iterable[e.Event]) -> Iterable[Hashable]:
    """For each event what it is, told apart from others of its kind by a count; the same in all runs of a program."""
    known: dict[str, Hashable] = {}
    seen: Counter[Hashable] = Counter()

    def counted(thing: Hashable) -> Hashable:
        seen[thing] += 1
        return thing, seen[thing]

    for event in trace:
        line = None if event.where is None else (event.where.file, event.where.line)
        for identity, kind in _met(event):
            if identity not in known:
                known[identity] = counted((known.get(kind, kind), line))
        things = (known.get(_id(getattr(event, name, None))) for name in ("node", "tensor"))
        place = (getattr(event, name, None) for name in ("slot", "edge", "index"))
        yield counted((event.kind, line, *things, *place))


def _id(thing: str | e.TensorFacts | None) -> str:
    """The id of what an event is about; a tensor that it brings into the world was not known before."""
    return thing if isinstance(thing, str) else ""


def _met(event: e.Event) -> Iterable[tuple[str, str]]:
    """What an event brings into the world, and what one would call it; the id of its leaf for an accumulator."""
    match event:
        case e.TensorCreated(tensor=facts):
            called = facts.name or facts.expression or ""
        case e.TensorDetached(how=called) | e.OpApplied(name=called) | e.NodeMet(name=called):
            pass
        case _:
            return ()
    leaves = {edge.node: edge.leaf for edge in getattr(event, "edges", ()) if edge is not None}
    return [(identity, leaves.get(identity) or called) for identity in introduces(event)]
