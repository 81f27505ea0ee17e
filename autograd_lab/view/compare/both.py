"""Two traces side by side: both scenes, what belongs together in them, and what differs."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograd_lab.trace import Trace
from autograd_lab.view.compare.difference import Difference, differences_of, partners_of
from autograd_lab.view.compare.pairing import Pairing, pairing_of
from autograd_lab.view.graph.facts.history import Box, History, Op
from autograd_lab.view.graph.plan.cell import Cell
from autograd_lab.view.graph.plan.same_places import Key, Places, key_of
from autograd_lab.view.graph.recorded import Recorded
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.scene import FRAME_KINDS, Scene, make_scene
from autograd_lab.view.subject import NothingToDraw

LARGER = 1.25
"""So much more room two graphs may take for what belongs together to stand at the same place."""


@dataclass(frozen=True)
class Both:
    """Two scenes, what they are called, and how they compare."""

    scenes: tuple[Scene, Scene]
    titles: tuple[str, str]
    pairing: Pairing

    @property
    def title(self) -> str:
        """Both titles as one."""
        return " and ".join(self.titles)

    @cached_property
    def differences(self) -> list[Difference]:
        """What differs, in the order in which it begins to."""
        return differences_of(self.scenes, self.pairing, self.titles)

    @property
    def told(self) -> list[str]:
        """The differences in sentences."""
        return [each.text for each in self.differences]


def both_of(one: Trace, other: Trace, titles: tuple[str, str], **options: Any) -> Both:
    """Lay out two traces; what belongs together stands at the same place in both, unless that makes them much larger.

    `options` are those of `make_scene`. Raises what that raises.
    """
    first, second = (make_scene(trace, **options) for trace in (one, other))
    histories = first.looks.history, second.looks.history
    if not (isinstance(first.subject, Recorded) and isinstance(second.subject, Recorded)):
        raise NothingToDraw("what is compared are recordings, and one of these tells how a function was compiled")
    pairing = pairing_of(one, other, *histories)
    places = Places(_standing(*histories, pairing))
    for trace in (one, other):  # so that all that there is has its place, in both directions
        make_scene(trace, places=places, **options).turned()
    steady = tuple(make_scene(trace, places=places, **options) for trace in (one, other))
    is_compact = _area(*steady) <= LARGER * _area(first, second)
    return Both((steady[0], steady[1]) if is_compact else (first, second), titles, pairing)


def _area(*scenes: Scene) -> float:
    """How much room there must be for any of these graphs, px²."""
    parts = [part for scene in scenes for part in scene.parts if part.kind not in FRAME_KINDS]
    across = max(part.x + part.width for part in parts) - min(part.x for part in parts)
    return across * (max(part.y + part.height for part in parts) - min(part.y for part in parts))


def _standing(first: History, second: History, pairing: Pairing) -> Key:
    """What cells stand by: partners have one name, which is that of the first."""
    partners = {**pairing.turned.ops, **pairing.turned.boxes}
    names: dict[int, Hashable] = {_identity(thing): (0, thing.id) for thing in _things(first)}
    for thing in _things(second):
        names[_identity(thing)] = (0, partners[thing.id]) if thing.id in partners else (1, thing.id)

    def key(cell: Cell, history: History) -> Hashable:
        main = cell.parts[0]
        thing = history.ops.get(main.of) or history.boxes.get(main.of)
        return key_of(cell, history) if thing is None else (names[_identity(thing)], cell.height)

    return key


def _things(history: History) -> list[Op | Box]:
    return [*history.ops.values(), *history.boxes.values()]


def _identity(thing: Op | Box) -> int:
    """What an op or a box was made of, in memory: no other trace has that, however often this one is walked."""
    return id(thing.event if isinstance(thing, Op) else thing.facts)


def film_of_both(both: Both) -> dict[str, Any]:
    """All that the player shows of two traces, JSON-able; the words are those of `widgets/src/pair.ts`."""
    one, other = both.scenes
    pairing = both.pairing
    links, films = set(pairing.links), zip(both.scenes, both.titles, strict=True)
    return {
        "title": both.title,
        "films": [film_of(scene, title) for scene, title in films],
        "beats": pairing.beats,
        "linked": "".join(".1"[beat in links] for beat in pairing.beats),
        "partners": partners_of(one.looks.history, other.looks.history, pairing) | _folds(both),
        "differences": [[each.beat, each.text] for each in both.differences],
        "marks": [[*mark, each.text] for each in both.differences for mark in each.marks],
    }


def _folds(both: Both) -> dict[str, str]:
    """Folds belong together whose first ops do."""
    one, other = ({fold.ops[0]: fold.id for fold in scene.plan.folds} for scene in both.scenes)
    ops = both.pairing.ops
    return {fold: other[ops[op]] for op, fold in one.items() if ops.get(op) in other}
