"""Tracks: for each part the steps at which its look changes, found without looking at every part at every step.

An event can only change the looks of what it touches, as its subject says, and of what the event before it had lit.
Those parts are looked at, and no others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Generic, Protocol, TypeVar

from autograd_lab.events import Event
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.subject import Subject

Track = list[tuple[int, Look]]
L = TypeVar("L")
C = TypeVar("C", covariant=True)


class Pictured(Protocol[C]):
    """What tracks are made of: a scene with looks, or whatever else says something of parts in a state."""

    @property
    def parts(self) -> list[Part]: ...

    def look(self, part: Part, state: Any) -> C: ...

    def keys(self, part: Part) -> Iterable[str]:
        """The ids whose change can change a part."""

    def turned(self, keys: Iterable[str] | None, state: Any) -> Iterable[str]:
        """More such ids: of what is found out of things with these ids (None: of anything), and is otherwise now."""


def look_at(track: Track, step: int) -> Look:
    """The look that a track gives for a step."""
    return next(look for start, look in reversed(track) if start <= step)


class Tracking(Generic[L]):
    """Finds the track of each part while somebody walks through the states; every track begins at step 0."""

    def __init__(self, scene: Pictured[L], subject: Subject) -> None:
        self._scene, self._subject = scene, subject
        self._shown: dict[str, list[Part]] = defaultdict(list)
        for part in scene.parts:
            for key in dict.fromkeys(scene.keys(part)):
                self._shown[key].append(part)
        self._everything = {part.id: part for part in scene.parts}
        self._lit: dict[str, Part] = {}
        before = subject.before()
        self.tracks: dict[str, list[tuple[int, L]]] = {p.id: [(0, scene.look(p, before))] for p in scene.parts}

    def see(self, event: Event, state: Any) -> None:
        """Look at what an event, which led to a state, can have changed."""
        touched = self._touched(event, state)
        for name, part in (self._lit | touched).items():
            look, track = self._scene.look(part, state), self.tracks[name]
            if track[-1][1] != look:
                track.append((state.step, look))
        self._lit = touched

    def _touched(self, event: Event, state: Any) -> dict[str, Part]:
        keys = self._subject.touched(event, state)
        more = list(self._scene.turned(keys, state))
        if keys is None:
            return self._everything
        return {part.id: part for key in (*keys, *more) for part in self._shown.get(key, ())}


def tracks_of(scene: Pictured[L], subject: Subject, trace: Iterable[Event]) -> dict[str, list[tuple[int, L]]]:
    """The track of each part."""
    tracking, state = Tracking(scene, subject), subject.before()
    for event in trace:
        state = subject.after(state, [event])
        tracking.see(event, state)
    return tracking.tracks
