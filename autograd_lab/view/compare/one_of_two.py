"""One of the two traces of a comparison: its things with what can be compared of them, its beats, and marks on them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from autograd_lab.events import (
    UNSEEN,
    BackwardStarted,
    Event,
    GradAccumulated,
    GradAssigned,
    OptimizerEntered,
    OptimizerLeft,
    TensorCreated,
    TensorModified,
)
from autograd_lab.trace import Trace
from autograd_lab.view.compare.comparable import Aspects, aspects_of, parts_of
from autograd_lab.view.compare.pairing import Places
from autograd_lab.view.graph.facts.history import Box, History
from autograd_lab.view.graph.facts.state import GraphState, attribute_of
from autograd_lab.view.graph.touched import keys_of
from autograd_lab.view.kit.part import Part
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.track import tracks_of


class Mark(NamedTuple):
    """Things of side 0 or 1, by their ids, that are `only` there, or else differ, from beat `start` until `end`."""

    side: int
    things: tuple[str, ...]
    only: bool
    start: int
    end: int | None = None

    def holds(self, beat: int) -> bool:
        """Whether it is to be seen at a beat."""
        return self.start <= beat and (self.end is None or beat < self.end)


class Side:
    """One of the two traces: `title` as sentences quote it, `beats` the first beat of each step."""

    def __init__(
        self, number: int, scene: RecordedScene, title: str, beats: Places, earlier: Sequence[Trace] = ()
    ) -> None:
        self._earlier = earlier
        self.number, self.scene, self.title = number, scene, title
        self.history: History = scene.history
        self.parts = list(parts_of(self.history))
        self._steps = [beat[number] for beat in beats]
        self.beats: dict[int, int] = {}
        for place, beat in enumerate(beats):
            self.beats.setdefault(beat[number], place)

    def look(self, part: Part, state: GraphState) -> Aspects:
        """What of a part is compared."""
        return aspects_of(part, state, self.history)

    def name(self, part: Part, *, at: bool = False) -> str:
        """What a part is called in a sentence; of an op, if need be, with its line."""
        if part.of not in self.history.ops:
            label = self.history.boxes[part.of].label or worded("a tensor without a name")
            return f"{label}.grad" if part.kind == "grad" else label
        op = self.history.ops[part.of]
        if part.kind == "slot":
            return f"{op.name}.{attribute_of(op.slots[part.index])}"
        return worded("{} on line {}", op.name, op.event.where.line) if at and op.event.where is not None else op.name

    def dated(self, told: str, part: Part, beat: int) -> str:
        """What a `.grad` is at a beat and, if another pass has begun since it was written, where that was."""
        trace = self.scene.trace
        by = _written_before(trace.events[: self._steps[beat]], self.history.boxes[part.of].facts.id)
        if by is None:
            return told
        if isinstance(by, GradAssigned) and by.is_found:
            return self._found(told, self.history.boxes[part.of].facts.name or "")
        if by.where is None:
            return worded("{} (of an earlier pass)", told)
        return worded("{} (of an earlier pass, line {})", told, by.where.line)

    def _found(self, told: str, name: str) -> str:
        """What is said of a `.grad` that was there before: of which iteration it is, if that is known."""
        course = self.scene.trace.course
        wrote = next((each for each in reversed(self._earlier) if name and name in _gone_to(each)), None)
        if wrote is not None and wrote.course is not None:
            return worded("{} (of iteration {})", told, f"{wrote.course.shown[0]:,}")
        is_later = course is not None and course.shown[0] > 1
        return worded("{} (of an earlier iteration)", told) if is_later else worded("{} (from before)", told)

    @cached_property
    def tracks(self) -> dict[str, list[tuple[int, Aspects]]]:
        """For each part the beats at which its aspects change."""
        tracks = tracks_of(self, self.scene.subject, self.scene.trace)
        return {
            name: [(self.beats[step], look) for step, look in self._lasting(track)] for name, track in tracks.items()
        }

    def _lasting(self, track: Sequence[tuple[int, Aspects]]) -> Iterator[tuple[int, Aspects]]:
        """The looks but for that of a tensor which was just met, and whose `.grad` is found by the step after that."""
        events, steps = self.scene.trace.events, {step for step, _ in track}
        for step, look in track:
            after = events[step] if step + 1 in steps else None
            if not (isinstance(after, GradAssigned) and after.is_found):
                yield step, look

    def keys(self, part: Part) -> Iterator[str]:
        """The ids whose change can change a part."""
        return keys_of(part, self.history)

    def turned(self, keys: Iterable[str] | None, state: GraphState) -> Iterable[str]:
        """Nothing more than that."""
        return ()

    def mark(self, part: str, start: int, end: int | None = None) -> tuple[Mark, ...]:
        """A mark on a part."""
        return (Mark(self.number, (part,), False, start, end),)

    def frame(self, part: Part, start: int) -> tuple[Mark, ...]:
        """A mark around a part with all that hangs on it; an op's is what it made."""
        made = self.history.ops[part.of].outputs if part.kind == "op" else []
        return (Mark(self.number, (part.id, *made), True, start),)

    def writes_alone(self, linked: Container[int]) -> Iterator[tuple[int, str, tuple[Mark, ...]]]:
        """Calls that write and make no op, such as those that clip, clear or step, at steps that are not `linked`."""
        ops = (op.event.where for op in self.history.ops.values())
        told = {(where.file, where.line) for where in ops if where is not None}
        in_step = False
        for step, event in enumerate(self.scene.trace, 1):
            in_step = not isinstance(event, OptimizerLeft) and in_step
            name, where = _written_by(event), event.where
            is_alone = bool(name) and not in_step and step not in linked
            if is_alone and where is not None and (where.file, where.line) not in told:
                yield self.beats[step], worded("{} on line {}", name, where.line), ()
            in_step |= isinstance(event, OptimizerEntered)

    def alone(self, paired: Container[str]) -> Iterator[tuple[int, str, tuple[Mark, ...]]]:
        """Ops, saved values, leaves and gradients that have no partner, though their owner has one: the beat at which
        each comes to be, what it is called, and its mark."""
        for part in self.parts:
            owner = self.history.ops.get(part.of) or self.history.boxes[part.of]
            within = part.id != part.of and part.of not in paired
            if part.id in paired or within or (isinstance(owner, Box) and _is_made(owner) and part.kind == "tensor"):
                continue
            start = next((beat for beat, look in self.tracks[part.id] if look), 0)
            yield start, self.name(part, at=True), self.frame(part, start)


def _gone_to(trace: Trace) -> set[str]:
    """The names of what gradients went to."""
    names = {event.tensor.id: event.tensor.name for event in trace if isinstance(event, TensorCreated)}
    return {names.get(event.tensor) or "" for event in trace if isinstance(event, GradAccumulated)}


def _written_by(event: Event) -> str:
    """What a call is called that writes, and leaves no op; nothing for other events."""
    match event:
        case OptimizerEntered(type=kind):
            return f"{kind}.step"
        case TensorModified(op=op) if op != UNSEEN:
            return op
        case GradAssigned(grad=None, is_found=False):
            return ".grad = None"
    return ""


def _written_before(events: Sequence[Event], tensor: str) -> Event | None:
    """What wrote a tensor's `.grad` last, if another pass has begun since, or it was there before the recording."""
    begun, writes = False, dict[str, tuple[Event, bool]]()
    for event in reversed(events):
        match event:
            case BackwardStarted():
                begun = True
            case TensorModified(tensor=written):
                writes.setdefault(written, (event, begun))
            case GradAccumulated() | GradAssigned() if event.tensor == tensor:
                if event.grad is None:
                    return None
                last, is_old = writes.get(event.grad, (event, begun))
                is_found = isinstance(last, GradAssigned) and last.is_found
                return last if is_old or is_found else None
    return None


def _is_made(box: Box) -> bool:
    """Whether there is something else that tells of it: the op that made it, or the tensor whose gradient it is."""
    return box.op is not None or box.label.endswith(".grad")
