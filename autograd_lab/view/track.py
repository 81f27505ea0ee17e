"""Tracks: for each part the steps at which its look changes, found without looking at every part at every step.

An event can only change the looks of what it touches, as its subject says, and of what the event before it had lit.
Those parts are looked at, and no others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from autograd_lab.events import Event
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.subject import Subject

Track = list[tuple[int, Look]]


L = TypeVar("L", covariant=True)


class Pictured(Protocol[L]):
    """What tracks are made of: a scene with looks, or whatever else says something of parts in a state."""

    @property
    def parts(self) -> list[Part]: ...

    def look(self, part: Part, state: Any) -> L: ...

    def keys(self, part: Part) -> Iterable[str]:
        """The ids whose change can change a part."""

    def turned(self, keys: Iterable[str] | None, state: Any) -> Iterable[str]:
        """More such ids: of what is found out of things with these ids (None: of anything), and is otherwise now."""


def look_at(track: Track, step: int) -> Look:
    """The look that a track gives for a step."""
    return next(look for start, look in reversed(track) if start <= step)


def tracks_of(scene: Pictured[L], subject: Subject, trace: Iterable[Event]) -> dict[str, list[tuple[int, L]]]:
    """The track of each part; every track begins at step 0."""
    shown: dict[str, list[Part]] = defaultdict(list)
    for part in scene.parts:
        for key in dict.fromkeys(scene.keys(part)):
            shown[key].append(part)
    everything = {part.id: part for part in scene.parts}
    state = subject.before()
    tracks = {part.id: [(0, scene.look(part, state))] for part in scene.parts}
    lit: dict[str, Part] = {}
    for event in trace:
        state = subject.after(state, [event])
        keys = subject.touched(event, state)
        more = list(scene.turned(keys, state))
        touched = everything if keys is None else {p.id: p for key in (*keys, *more) for p in shown.get(key, ())}
        for part in (lit | touched).values():
            look = scene.look(part, state)
            if tracks[part.id][-1][1] != look:
                tracks[part.id].append((state.step, look))
        lit = touched
    return tracks
