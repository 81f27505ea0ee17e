"""The score: for each change of a part's look the manner in which it comes about, by kind of event and kind of part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from autograd_lab import events as e
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.reading import label_of
from autograd_lab.view.kit.shapes.capsule import number_tag
from autograd_lab.view.motion import patterns as p
from autograd_lab.view.motion.gradient_token import gradient_token
from autograd_lab.view.motion.manner import Frames, Manner, Token
from autograd_lab.view.track import Track

ALIKE = ("card", "slot")
"""Kinds of parts that move alike in all pictures."""
Known = dict[tuple[int, str], tuple[Track, list[Manner]]]
LIGHTS = ("now", "flying")
"""Classes that only say that something is going on right now."""


@dataclass(slots=True)
class Change:
    """From one look of a part to the next, at a step."""

    part: Part
    step: int
    before: Look
    after: Look

    @property
    def appears(self) -> bool:
        """Whether it was not there before."""
        return bool({"coming", "hidden"} & {*self.before.classes[:2]}) and "hidden" not in self.after.classes

    @property
    def is_quiet(self) -> bool:
        """Whether only a light goes out."""
        was, now = (tuple(name for name in look.classes if name not in LIGHTS) for look in (self.before, self.after))
        return was == now and self.before.texts == self.after.texts and "now" not in self.after.classes

    def becomes(self, *names: str) -> bool:
        """Whether it takes on one of these classes."""
        return any(name in self.after.classes and name not in self.before.classes for name in names)

    @property
    def lands(self) -> bool:
        """Whether a gradient that was on its way goes on to its receiver."""
        return "flying" in self.before.classes and "flying" not in self.after.classes


@dataclass(frozen=True, slots=True)
class Score:
    """How one picture of a trace moves."""

    events: Sequence[e.Event]
    numbered: frozenset[str]
    """The lines with a place for numbers."""
    brings: Callable[[Part], str]
    """The value that a line brings, in words."""
    known: Known = field(default_factory=dict, repr=False)
    """How things move that move alike in all pictures, by their tracks, as places in memory."""

    @classmethod
    def of(cls, picture: Picture, events: Sequence[e.Event], known: Known | None = None) -> Score:
        """How this picture of some events moves; what is known of others is added to."""

        def brings(part: Part) -> str:
            box = picture.history.boxes.get(part.of if part.kind == "drop" else picture.wire[part.of].box or "")
            return "" if box is None else label_of(box.facts.value)

        numbered = frozenset(part.of for part in picture.parts if part.kind == "number")
        return cls(events, numbered, brings, {} if known is None else known)

    def manners(self, part: Part, track: Track) -> list[Manner]:
        """How each look of a part after the first comes about."""
        key = (id(track), part.kind)
        if key in self.known:
            return self.known[key][1]
        found = [self.manner(Change(part, step, before, after)) for (_, before), (step, after) in pairwise(track)]
        if part.kind in ALIKE:
            self.known[key] = track, found
        return found

    def manner(self, change: Change) -> Manner:
        """How a change comes about; what is changed by an arrival waits for it."""
        line = change.part.kind in ("link", "drop")
        if change.lands and (line or change.part.kind == "number"):
            return self._landing(change, line=line)
        found = (self._line(change) if line else self._part(change)) or (p.QUIET if change.is_quiet else p.CROSS)
        return found.within(p.ARRIVAL, 1, p.RIDE) if self.awaits_arrival(change.step) else found

    def awaits_arrival(self, step: int) -> bool:
        """Whether a gradient arrives in a step, before all else that happens in it."""
        before = self.events[step - 2] if step > 1 else None
        return isinstance(before, e.GradientSent) and before.value is not None

    def _landing(self, change: Change, *, line: bool) -> Manner:
        if change.after.text("hook") and not change.after.text("after"):
            return p.BLEND
        return self._with_token(p.THROUGH, change, p.COMES) if line else p.ARRIVED

    def _line(self, change: Change) -> Manner | None:
        if change.becomes("flying"):
            return self._with_token(p.FILLED, change, p.GOES)
        if change.appears:
            return replace(p.TAKEN, token=Token(self._value(change), p.RIDES_IN))
        if change.after.text("after") != change.before.text("after"):
            after, sign = change.after.text("after"), change.after.text("sign")
            return replace(p.HOOKED, token=Token(gradient_token(after, sign), p.RIDES_ON))
        return p.BLEND

    def _with_token(self, manner: Manner, change: Change, frames: tuple[Frames, ...]) -> Manner:
        """With a number that rides, unless the line has one that does."""
        if change.part.id in self.numbered:
            return manner
        look = change.after if change.after.text("label") else change.before
        signs = [name for name in ("minus", "zero", "odd") if name in look.classes]
        return replace(manner, token=Token(gradient_token(look.text("label"), *signs), frames))

    def _value(self, change: Change) -> str:
        return number_tag(0, 0, self.brings(change.part))

    def _part(self, change: Change) -> Manner | None:
        match change.part.kind:
            case "number":
                return self._number(change)
            case "slot":
                return self._slot(change)
            case "card":
                return self._card(change)
            case "lane":
                return _in_place(self._card(change))
            case "sheet" | "cycle" | "versions" if change.appears:
                return p.GROWN
        return None

    def _number(self, change: Change) -> Manner | None:
        if change.becomes("flying"):
            return p.SENT
        if change.after.text("after") != change.before.text("after"):
            return p.PASSED
        return None if change.is_quiet else p.BLEND

    def _slot(self, change: Change) -> Manner | None:
        if change.appears:
            return p.SAVED
        if change.becomes("freed", "released"):
            return p.FREED
        return p.CRACKED if change.becomes("stale") else None

    def _card(self, change: Change) -> Manner | None:
        event = self.events[change.step - 1]
        if change.becomes("failed"):
            return p.SHAKEN
        if change.appears:
            return p.MADE if isinstance(event, e.OpApplied) and change.part.kind == "card" else p.APPEAR
        if change.is_quiet:
            return None
        match event:
            case e.GradAccumulated() if change.before.text("grad") != change.after.text("grad"):
                return p.POURED
            case e.GradAssigned(value=None):
                return p.FREED
            case e.TensorModified():
                return p.CRACKED if change.becomes("stale") and "now" not in change.after.classes else p.STRUCK
        meets = isinstance(event, e.BackwardStarted | e.GradientsAdded) and change.after.texts != change.before.texts
        return p.LIT if meets or change.becomes("now") else None


def _in_place(manner: Manner | None) -> Manner | None:
    """The same without growing, for what is as wide as the picture: it would reach over the edge."""
    return manner and replace(manner, frames=tuple(frames for frames in manner.frames if frames[0] != "s"))
