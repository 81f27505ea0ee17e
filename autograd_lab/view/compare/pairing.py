"""Which ops, tensors and steps of two traces belong together.

Ops are paired in running order: those of the same line and the same name first, then whatever has the same name.
Tensors follow from the ops that made and took them, leaves from their names. Two steps are linked when the same
happened to things that belong together; of two links, the later one is later in both traces.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from autograd_lab.events import Event, SavedFreed, SavedRetained, TensorFacts, Where
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import History, Op

Keys = tuple[Hashable, ...]
"""What something is found by in another trace, the most telling key first."""
Places = list[tuple[int, int]]
"""Pairs of places in two sequences, rising in both."""


@dataclass(frozen=True)
class Pairing:
    """What belongs together: `ops` and `boxes` by their ids in the first trace, `links` as pairs of steps.

    `beats` go through both traces at once, from (0, 0) to their ends: at each beat both take a step, or one does while
    the other waits. Linked steps are taken together.
    """

    ops: Mapping[str, str]
    boxes: Mapping[str, str]
    links: Places
    beats: Places

    @property
    def turned(self) -> Pairing:
        """The same, with the second trace for the first."""
        ops, boxes = ({b: a for a, b in pairs.items()} for pairs in (self.ops, self.boxes))
        links, beats = ([(b, a) for a, b in places] for places in (self.links, self.beats))
        return Pairing(ops, boxes, links, beats)


def pairing_of(one: Trace, other: Trace, first: History, second: History) -> Pairing:
    """Pair two traces with these histories; it makes no difference which of them is the first."""
    return _pairing(other, one, second, first).turned if _is_later(one, other) else _pairing(one, other, first, second)


def _is_later(one: Trace, other: Trace) -> bool:
    """Some order of traces: where two choices are as good, the choice must not depend on which trace is the first."""
    told = ((repr(a), repr(b)) for a, b in zip(one, other, strict=False) if a != b)
    return next((a > b for a, b in told if a != b), len(one) > len(other))


def _pairing(one: Trace, other: Trace, first: History, second: History) -> Pairing:
    shared = {name for name, text in one.files.items() if other.files.get(name) == text}
    ops, more = list(first.ops.values()), list(second.ops.values())
    places = aligned([_op_keys(op, first, shared) for op in ops], [_op_keys(op, second, shared) for op in more])
    pairs = [(ops[a], more[b]) for a, b in places if _may_pair(ops[a], more[b])]
    boxes = _paired_boxes(pairs, first, second)
    names = {a.id: b.id for a, b in pairs} | boxes
    told = list(_event_keys(one, first, names, 0))
    told_there = list(_event_keys(other, second, {b: b for b in names.values()}, 1))
    links = [(a + 1, b + 1) for a, b in aligned(told, told_there)]
    return Pairing({a.id: b.id for a, b in pairs}, boxes, links, _beats(links, len(one), len(other)))


def aligned(one: Sequence[Keys], other: Sequence[Keys]) -> Places:
    """Places with equal keys: first by the first key of each, then, in the gaps that this leaves, by the next ones.

    Of equal keys in a gap the first goes with the first, the second with the second: turns of loops stay in step.
    """
    return list(_aligned(one, other, 0, 0, 0))


def _aligned(
    one: Sequence[Keys], other: Sequence[Keys], start: int, start_there: int, level: int
) -> Iterator[tuple[int, int]]:
    if not one or not other or level == len(one[0]):
        return
    here, there = (_numbered(keys[level] for keys in side) for side in (one, other))
    a = b = 0
    for at, to, size in SequenceMatcher(None, here, there, autojunk=False).get_matching_blocks():
        yield from _aligned(one[a:at], other[b:to], start + a, start_there + b, level + 1)
        yield from ((start + at + k, start_there + to + k) for k in range(size))
        a, b = at + size, to + size


def _numbered(keys: Iterable[Hashable]) -> list[tuple[Hashable, int]]:
    """Each key with how many like it came before."""
    seen: Counter[Hashable] = Counter()
    found = []
    for key in keys:
        found.append((key, seen[key]))
        seen[key] += 1
    return found


def _op_keys(op: Op, history: History, shared: set[str]) -> Keys:
    place = _place(op.event.where, shared)
    made = [history.boxes[output].facts for output in op.outputs]
    names, shapes = tuple(facts.name for facts in made), tuple(facts.shape for facts in made)
    told = tuple(facts.expression for facts in made)
    return (
        (op.name, place, names, told, shapes),
        (op.name, place, names, shapes),
        (op.name, place),
        (_bare(op.name), place),
        (op.name, names),
        op.name,
    )


def _place(where: Where | None, shared: set[str]) -> Hashable:
    """The line itself if both traces ran this very file, else what the line says."""
    if where is None:
        return None
    return (where.file, where.line) if where.file in shared else where.text.strip()


def _bare(name: str) -> str:
    """What an op is called where no node is recorded, as far as the node's name tells."""
    return re.sub(r"Backward\d*$", "", name).replace("_", "").lower()


def _may_pair(one: Op, other: Op) -> bool:
    return one.name == other.name or (one.node is None) != (other.node is None)


def _paired_boxes(pairs: Sequence[tuple[Op, Op]], first: History, second: History) -> dict[str, str]:
    """What paired ops made, in order; leaves by their names, or else by their places with paired ops."""
    leaves, leaves_there = _leaves(first), _leaves(second)
    found = {leaf: leaves_there[name] for name, leaf in leaves.items() if name in leaves_there}
    for one, other in pairs:
        found |= zip(one.outputs, other.outputs, strict=False)
    taken = set(found.values())
    for one, other in pairs:
        for box, there in _at_one_place(one, other, first, second):
            if _is_single(box, first, found) and _is_single(there, second, taken):
                found[box] = there
                taken.add(there)
    return found


def _at_one_place(one: Op, other: Op, first: History, second: History) -> Iterator[tuple[str, str]]:
    """Boxes that two ops take as the same operand, or save in the same slot."""
    for use, there in zip(one.uses, other.uses, strict=False):
        yield use.box or "", there.box or ""
    slots = {slot.slot: second.box_of(slot.tensor or "") for slot in other.slots}
    for slot in one.slots:
        yield first.box_of(slot.tensor or "") or "", slots.get(slot.slot) or ""


def _is_single(box: str, history: History, paired: Container[str]) -> bool:
    """Whether it has no partner yet, and no op made it, of which it could have one."""
    return box in history.boxes and box not in paired and history.boxes[box].op is None


def _leaves(history: History) -> dict[tuple[Hashable, int], str]:
    """The boxes that no op made, by their labels and how many before them are called so."""
    boxes = [box for box in history.boxes.values() if box.op is None and box.label]
    return dict(zip(_numbered(box.label for box in boxes), (box.id for box in boxes), strict=True))


def _event_keys(trace: Iterable[Event], history: History, names: Mapping[str, str], side: int) -> Iterator[Keys]:
    """What happened to what: what has a partner goes by a name that both have."""
    ops = {op.born: op.id for op in history.ops.values()}
    leaves = {box.leaf_node: box.id for box in history.boxes.values() if box.leaf_node is not None}
    boxes: dict[str, str] = {}
    born = iter(history.boxes.values())
    box = next(born, None)
    for step, event in enumerate(trace, 1):
        while box is not None and box.born <= step:
            boxes[box.facts.id] = box.id
            box = next(born, None)
        node, tensor = getattr(event, "node", None) or "", getattr(event, "tensor", None) or ""
        tensor = tensor.id if isinstance(tensor, TensorFacts) else tensor
        things = ops.get(step) or history.op_of_node.get(node) or leaves.get(node), boxes.get(tensor)
        yield ((_kind(event), *_details(event), *(names.get(thing, (side, thing)) for thing in things if thing)),)


def _kind(event: Event) -> str:
    """The kind; what a pass does with saved values is one kind, be they freed or kept."""
    return "saved_left" if isinstance(event, SavedFreed | SavedRetained) else event.kind


def _details(event: Event) -> Iterator[Hashable]:
    """What tells two events of a kind about the same thing apart."""
    return (getattr(event, name, None) for name in ("slot", "edge", "index", "hook", "module", "type", "enabled"))


def _beats(links: Places, steps: int, steps_there: int) -> Places:
    """Linked steps together; between them both go on side by side, until one has to wait for the other."""
    beats = [(0, 0)]
    for (a, b), (to, to_there) in pairwise([(0, 0), *links, (steps + 1, steps_there + 1)]):
        gap = range(1, max(to - a, to_there - b))
        beats += ((min(a + k, to - 1), min(b + k, to_there - 1)) for k in gap)
        beats.append((to, to_there))
    return beats[:-1]
