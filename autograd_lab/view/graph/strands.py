"""Lines side by side from card to card, as `h` and `c` of an LSTM: which is which, said once for all that follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from autograd_lab.view.graph.cards.ground import word_of
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.looks.now import COMING
from autograd_lab.view.graph.numbers import ON, OVER, RISE, UNDER, Number
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.shapes.stroke import say
from autograd_lab.view.layout.nearby import Area, meet

SIZE = 15.0
ABOVE, BELOW = 7.0, 16.0
"""From a line to the foot of a name over it, and under it, px."""
FARTHER = 20.0
"""Beyond its number, a name stands so much farther away, px."""
NEARER = 10.0
"""To a number in its capsule, which stands on its line and not beside it, a name stands so much nearer, px."""
TALL = 0.72


def strands_of(choice: Choice, numbers: Collection[Number]) -> Iterator[Part]:
    """The names of two lines between the same cards, where they first run side by side."""
    boxes, places = choice.cards.history.boxes, choice.placed.places
    at = {number.name: number for number in numbers}
    pairs: dict[tuple[str, str], list[str]] = defaultdict(list)
    words: dict[str, str] = {}
    for wire in choice.cards.wires:
        pairs[wire.source, wire.target].append(wire.id)
        words[wire.id] = word_of(boxes[wire.box]) if wire.box in boxes else ""
    told: set[frozenset[str]] = set()
    taken = [number.area for number in numbers]
    for ends in sorted(pairs, key=lambda ends: places[ends[0]]):
        said = frozenset(words[name] for name in pairs[ends])
        if len(pairs[ends]) == len(said) == 2 and all(said) and said not in told and at.keys() >= set(pairs[ends]):
            told.add(said)
            found = [part for part in _named([at[name] for name in pairs[ends]], words) if _is_free(part, at, taken)]
            taken += map(_area, found)
            yield from found


def _named(pair: Sequence[Number], words: dict[str, str]) -> Iterator[Part]:
    """The upper name over its line, the lower one under it."""
    upper, lower = sorted(pair, key=lambda it: it.y)
    for it, side in ((upper, OVER), (lower, UNDER)):
        width, high = text_width(words[it.name], SIZE, bold=True), RISE + FARTHER + TALL * SIZE
        near = NEARER if it.side == ON else 0.0
        top = it.y - high + near if side == OVER else it.y - 0.8 * near
        yield Part(f"{it.name}.name", "strand", it.name, it.x - width / 2, top, width, high, side, words[it.name])


def _is_free(part: Part, at: Mapping[str, Number], taken: Iterable[Area]) -> bool:
    """Whether nothing but the number of its own line stands where a name would."""
    own = at[part.of].area
    return not any(area != own and meet(_area(part), area) for area in taken)


def _area(part: Part) -> Area:
    return part.x, part.y, part.x + part.width, part.y + part.height


def strand_look(name: str, line: Look) -> Look:
    """How a name looks beside its line: it makes room for the number."""
    if COMING in line.classes:
        return Look((COMING,))
    return Look(("strand", *["apart"] * bool(line.text("label"))), (("name", name),))


def draw_strand(part: Part, look: Look) -> str:
    """A name over its line or under it, beyond the number there."""
    if COMING in look.classes:
        return ""
    away = FARTHER if "apart" in look.classes else 0.0
    x = part.x + part.width / 2
    y = part.y + part.height - ABOVE - away if part.index == OVER else part.y + BELOW + away
    return f'<g id="{part.id}" class="strand">{say(part.text, x, y, "strong mid halo")}</g>'
