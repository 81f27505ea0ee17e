"""The marks of a picture: a dashed frame around cards that are only there, a sign on what is not the same elsewhere.

Marks name things of the program; a card that stands for several bears one mark for all of them. Their geometry is that
of `widgets/src/marks.ts`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from autograd_lab.view.compare.one_of_two import Mark
from autograd_lab.view.graph.framed import area_of, around, wider
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.outline import badge_width
from autograd_lab.view.kit.shapes.stroke import circle, group, rect, say, wide
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.layout.boxes import Point
from autograd_lab.view.layout.nearby import Area, Nearby, meet
from autograd_lab.view.pages.members import Members

OFF, ROUND = 4.0, 10.0
"""How far a frame stands off what it is around, and the radius of its corners, px."""
SIZE, FLAG = 12.0, 17.0
"""Size of the words on a frame, and height of what they stand on, px."""
SIGN, INDENT, RISE = 8.5, 13.0, 3.0
"""Radius of a sign, and how far it stands from the left and above the upper edge, px."""
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Where along an edge a mark may stand."""
RISEN = 12.0
"""So far over its line a number stands at most, px."""
WIDE = 3 * SIGN
"""Pockets that are narrower than this have no mark of their own, px."""


def marks_on(picture: Picture, shown: Iterable[tuple[Part, Look]], marks: Iterable[Mark]) -> Iterator[str]:
    """The marks on the parts of a picture, each part marked once; a frame around all cards that are alone in a row."""
    marks, members = list(marks), Members(picture)
    holders = holders_of(picture, members)
    alone = {thing for mark in marks if mark.only for thing in mark.things}
    parts = {part.id: part for part in picture.parts}
    found = dict.fromkeys(holders[thing] for mark in marks for thing in mark.things if thing in holders)
    framed = [name for name in found if name in picture.choice.cards.cards and _is_alone(picture, name, alone)]
    taken = Nearby(_taken(picture, shown))
    for row in _rows(picture, framed):
        yield frame([each for name in row for each in (parts[name], *_pockets(picture, name))], taken)
    yield from (sign(parts[name], taken) for name in found if name not in framed)


def _taken(picture: Picture, shown: Iterable[tuple[Part, Look]]) -> Iterator[tuple[Area, str]]:
    """What no mark should hide: numbers, cards, and the small signs on their upper edges."""
    for part, look in shown:
        right = part.x + part.width
        if part.kind == "number":
            side = picture.drawing.beside.get(part.id, 0)
            up, down = (RISEN + picture.drawing.label_size if side == way else 0.0 for way in (1, -1))
            yield (part.x, part.y - up, right, part.y + part.height + down), part.id
        elif part.kind in ("card", "slot"):
            yield (part.x, part.y, right, part.y + part.height), part.id
        if version := look.text("version"):
            yield (right - 10 - badge_width(version), part.y - 9, right - 10, part.y + 9), f"{part.id}.version"
        if part.kind == "card" and picture.choice.cards.cards[part.of].share is not None:
            yield (right - 28, part.y - 9, right - 10, part.y + 9), f"{part.id}.share"


def holders_of(picture: Picture, members: Members) -> dict[str, str]:
    """By thing, with its gradient: the part that is called so, else the one that stands for it and few others.

    A pocket that is too small for a mark of its own is marked with its card.
    """
    found: dict[str, tuple[int, str]] = {}
    for part in picture.parts:
        if part.kind not in ("card", "slot", "lane"):
            continue
        holder = part.id if part.kind != "slot" or part.width >= WIDE else picture.drawing.pockets[part.id].card.id
        things = members.of(part)
        for rank, thing in (*((len(things), thing) for thing in things), (0, part.id)):
            found[thing] = min(found.get(thing, (rank, holder)), (rank, holder), key=lambda each: each[0])
    holders = {thing: name for thing, (_, name) in found.items()}
    return {**{f"{thing}.grad": name for thing, name in holders.items()}, **holders}


def _is_alone(picture: Picture, name: str, alone: set[str]) -> bool:
    """Whether there is nothing in a card that the other picture has, too."""
    card = picture.choice.cards.cards[name]
    things = {op.id for op in card.ops} or {card.box.id if card.box is not None else ""}
    return things <= alone


def _rows(picture: Picture, names: Sequence[str]) -> Iterator[list[str]]:
    """Cards that one frame can be around: those that lines join, if no other card stands between them."""
    waiting = dict.fromkeys(names)
    while waiting:
        row = [next(iter(waiting))]
        for name in row:
            waiting.pop(name)
            near = {wire.source if wire.target == name else wire.target for wire in picture.choice.cards.wires
                    if name in (wire.source, wire.target)}  # fmt: skip
            row += [each for each in waiting if each in near and each not in row]
        area = around(picture.choice.placed, row)
        others = [name for name in picture.choice.cards.cards if name not in row]
        is_free = area is not None and not any(
            meet(wider(area, OFF, OFF), area_of(picture.choice.placed, each)) for each in others
        )
        yield from [row] if is_free else ([name] for name in row)


def _pockets(picture: Picture, card: str) -> Iterator[Part]:
    pockets = picture.drawing.pockets
    return (part for part in picture.parts if part.kind == "slot" and pockets[part.id].card.id == card)


def frame(parts: Sequence[Part], taken: Nearby[str]) -> str:
    """A frame around parts, with words on it if there is a place where they hide nothing."""
    left, top = min(part.x for part in parts) - OFF, min(part.y for part in parts) - OFF
    right = max(part.x + part.width for part in parts) + OFF
    bottom = max(part.y + part.height for part in parts) + OFF
    only = worded("only here")
    width, own = wide(only, SIZE, bold=True) + 10, {part.id for part in parts}
    places = [(x, y) for y in (top, bottom) for x in _along(left + 8, right - 8 - width)]
    outline = rect("frame", left, top, right - left, bottom - top, ROUND)
    free = _free(places, (0, -FLAG / 2, width, FLAG / 2), taken, own)
    if free is None:
        return group("only", outline)
    x, y = free
    flag = rect("flag", x, y - FLAG / 2, width, FLAG, 4)
    words = say(only, x + width / 2, y + 4.3, "mid")
    return group("only", outline, flag, words)


def sign(part: Part, taken: Nearby[str]) -> str:
    """A sign on the upper edge of a card, or on the end of something smaller."""
    if part.kind == "slot":
        places = [(part.x + part.width, part.y + part.height - 4)]
    else:
        across = _along(part.x + INDENT, part.x + part.width - INDENT)
        places = [(x, y) for y in (part.y - RISE, part.y + part.height + RISE) for x in across]
    x, y = _free(places, (-SIGN, -SIGN, SIGN, SIGN), taken, {part.id}) or places[0]
    return group("differs", circle("disc", x, y, SIGN), say("≠", x, y + 5, "mid"))


def _along(start: float, end: float) -> list[float]:
    """Places from one to the other, the first one first."""
    return [start + (end - start) * share for share in SHARES]


def _free(places: Sequence[Point], around: Area, taken: Nearby[str], own: Collection[str]) -> Point | None:
    """The first of some places around which nothing stands but what is marked, if there is one."""

    def is_free(place: Point) -> bool:
        x, y = place
        area = (x + around[0], y + around[1], x + around[2], y + around[3])
        return all(name in own for _, name in taken.meeting(area))

    return next(filter(is_free, places), None)
