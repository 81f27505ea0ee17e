"""What differs between two paired traces: sentences, each with the beat from which on it is true, and marks on parts of
the two pictures."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from autograd_lab.events import BackwardStarted, ErrorRaised, Event, GradModeChanged, HookRegistered
from autograd_lab.trace import Trace
from autograd_lab.view.compare.comparable import Aspects, parts_of, unequal
from autograd_lab.view.compare.one_of_two import Mark, Side
from autograd_lab.view.compare.pairing import Pairing, Places
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.recorded_scene import RecordedScene

SUBJECTS, EACH = 4, 10
"""So many things are named in one sentence, and so many sentences told of each kind of difference."""
TELLING: tuple[type[Event], ...] = (BackwardStarted, ErrorRaised, GradModeChanged, HookRegistered)
"""What is a difference in itself where only one side has it; all other events show in what they change."""
CAUSES_FIRST = (
    "program",
    "recorded",
    "event",
    "only",
    "shape",
    "dtype",
    "device",
    "asks",
    "value",
    "made",
    "number",
    "version",
    "life",
)
"""Differences that begin at one beat, in the order in which they are told; what is not listed comes last."""
OF_PROGRAMS = frozenset(CAUSES_FIRST[: CAUSES_FIRST.index("value")])
"""Those of what the programs do; others are of numbers, which may follow from them."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A sentence, the beat from which on it is true, where that can be seen, and whether the programs differ in it."""

    beat: int
    text: str
    marks: tuple[Mark, ...]
    is_of_programs: bool = False


class _Found(NamedTuple):
    """A difference before it is told, perhaps together with others: `subject` and `predicate` of its sentence."""

    beat: int
    kind: str
    subject: str
    predicate: str
    marks: tuple[Mark, ...] = ()

    @property
    def order(self) -> tuple[int, int]:
        kinds = CAUSES_FIRST
        return self.beat, kinds.index(self.kind) if self.kind in kinds else len(kinds)


@or_else([Difference(0, "What differs is unknown.", ())])
def differences_of(
    scenes: tuple[RecordedScene, RecordedScene],
    pairing: Pairing,
    titles: tuple[str, str],
    earlier: tuple[Sequence[Trace], Sequence[Trace]] = ((), ()),
) -> list[Difference]:
    """All differences, in the order in which they begin; `earlier` iterations tell when what is left was written."""
    one, other = (Side(k, scenes[k], f"“{titles[k]}”", pairing.beats, earlier[k]) for k in (0, 1))
    partners = partners_of(one.history, other.history, pairing)
    found = [*_unequal(one, other, partners), *_events(one, other, pairing.links)]
    for side, paired in ((one, partners.keys()), (other, partners.values())):
        alone = [*side.alone(set(paired)), *side.writes_alone({link[side.number] for link in pairing.links})]
        found += (_Found(beat, "only", name, worded("only in {}", side.title), marks) for beat, name, marks in alone)
    linked = sorted(one.beats[step] for step, _ in pairing.links)
    return _told(sorted(found, key=lambda each: each.order), lambda beat: bisect_right(linked, beat))


def partners_of(history: History, there: History, pairing: Pairing) -> dict[str, str]:
    """For the id of each part in the picture of the first trace the one that says the same of its partner."""
    found = {}
    ids = {part.id for part in parts_of(there)}
    for part in parts_of(history):
        partner = (pairing.ops if part.of in history.ops else pairing.boxes).get(part.of)
        if partner is None:
            continue
        name = partner + part.id.removeprefix(part.of)
        if part.kind == "slot":
            names = [slot.slot for slot in there.ops[partner].slots]
            slot = history.ops[part.of].slots[part.index].slot
            name = f"{partner}.s{names.index(slot)}" if slot in names else ""
        if name in ids:
            found[part.id] = name
    return found


def _unequal(one: Side, other: Side, partners: Mapping[str, str]) -> Iterator[_Found]:
    """Aspects in which partners differ, one entry for each time that they begin to."""
    parts = {part.id: part for part in other.parts}
    for part in one.parts:
        if part.id not in partners:
            continue
        partner = parts[partners[part.id]]
        subjects = dict.fromkeys(side.name(each) for each, side in ((part, one), (partner, other)))
        is_made = part.of in one.history.boxes and one.history.boxes[part.of].op is not None
        for name, told, there, start, end in _spells(one.tracks[part.id], other.tracks[partner.id]):
            if name == "grad":
                told, there = one.dated(told, part, start), other.dated(there, partner, start)
            said = worded("{} in {}, {} in {}", told, one.title, there, other.title)
            marks = one.mark(part.id, start, end) + other.mark(partner.id, start, end)
            kind = "made" if name == "value" and is_made else name
            yield _Found(start, kind, " / ".join(subjects), said, marks)


Spell = tuple[str, str, str, int, int | None]
"""An aspect, what to say of it on each side, and from which beat until which it differs."""


def _spells(track: Iterable[tuple[int, Aspects]], there: Iterable[tuple[int, Aspects]]) -> Iterator[Spell]:
    changes: dict[int, dict[int, Aspects]] = {}
    for side, changing in enumerate((track, there)):
        for beat, aspects in changing:
            changes.setdefault(beat, {})[side] = aspects
    looks: dict[int, Aspects] = {0: {}, 1: {}}
    begun: dict[str, tuple[str, str, int]] = {}
    for beat in sorted(changes):
        looks |= changes[beat]
        now = {name: (told, told_there, beat) for name, told, told_there in unequal(looks[0], looks[1])}
        for name in [name for name in begun if name not in now]:
            yield name, *begun.pop(name), beat
        begun = now | begun
    for name, spell in begun.items():
        yield name, *spell, None


def _events(one: Side, other: Side, links: Places) -> Iterator[_Found]:
    """Facts that only one side has, and passes and errors that both have, but not alike."""
    for side, linked in ((one, {a for a, _ in links}), (other, {b for _, b in links})):
        for step, event in enumerate(side.scene.trace, 1):
            if step not in linked and isinstance(event, TELLING):
                told = worded("Only in {}: {}", side.title, side.scene.caption(step))
                node = side.history.op_of_node.get(getattr(event, "node", None) or "")
                beat = side.beats[step]
                yield _Found(beat, "event", "", told, side.mark(node, beat) if node is not None else ())
    for a, b in links:
        event, there = one.scene.trace[a - 1], other.scene.trace[b - 1]
        for told, told_there in _unlike(event, there):
            what = worded("error") if isinstance(event, ErrorRaised) else "backward"
            about = what if event.where is None else worded("{} on line {}", what, event.where.line)
            said = worded("{} in {}, {} in {}", told, one.title, told_there, other.title)
            yield _Found(one.beats[a], "event", about, said)


def _unlike(event: Event, there: Event) -> Iterator[tuple[str, str]]:
    if isinstance(event, BackwardStarted) and isinstance(there, BackwardStarted):
        for name in ("retain_graph", "create_graph"):
            if getattr(event, name) != getattr(there, name):
                yield f"{name}={getattr(event, name)}", f"{name}={getattr(there, name)}"
    if isinstance(event, ErrorRaised) and isinstance(there, ErrorRaised):
        told, told_there = (f"{each.error}: {each.message.partition(chr(10))[0]}" for each in (event, there))
        if told != told_there:
            yield told, told_there


def _told(found: Iterable[_Found], chapter: Callable[[int], int]) -> list[Difference]:
    """Sentences; one for all of a kind that can be said in the same words, if nothing else of this kind is between.

    What is on one side only stands in one sentence if it begins in one `chapter`, from one linked beat to the next.
    """
    rows: list[list[_Found]] = []
    latest: dict[Hashable, list[_Found]] = {}
    for each in found:
        place = (each.predicate, chapter(each.beat)) if each.kind == "only" else each.kind
        row = latest.get(place)
        if row is not None and row[0].predicate == each.predicate and each.subject:
            row.append(each)
        else:
            latest[place] = row = [each]
            rows.append(row)
    return [
        Difference(row[0].beat, _sentence(row), tuple(mark for each in row for mark in each.marks), kind in OF_PROGRAMS)
        for row in _few(rows)
        for kind in [row[0].kind]
    ]


def _few(rows: Iterable[list[_Found]]) -> list[list[_Found]]:
    """Of each kind the first rows, and one for the rest: where inputs differ, all that is made of them does."""
    kinds: Counter[str] = Counter()
    rest: dict[str, list[_Found]] = {}
    kept = []
    for row in rows:
        kind = row[0].kind
        kinds[kind] += 1
        if kinds[kind] > EACH:
            row = [each._replace(predicate=worded("these differ, too")) for each in row]
        if kinds[kind] > EACH + 1:
            rest[kind] += row
        else:
            kept.append(row)
            rest[kind] = row
    return kept


def _sentence(row: list[_Found]) -> str:
    subjects = list(dict.fromkeys(each.subject for each in row))
    if not subjects[0]:
        return row[0].predicate if len(row) == 1 else worded("{} more steps are only on one side.", f"{len(row):,}")
    more = [worded("and {} more", f"{len(subjects) - SUBJECTS + 1:,}")] if len(subjects) > SUBJECTS else []
    return f"{', '.join(subjects[: SUBJECTS - len(more)] + more)}: {row[0].predicate}."
