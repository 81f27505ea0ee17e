"""Where everything stands that is ever drawn of a compilation: forward, below it backward, below that the programs.

Every card has one place in all steps, so nothing jumps, and what is gone leaves a trace.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from autograd_lab.events import ProgramWritten
from autograd_lab.view.compiled.inventory import Card, Cards
from autograd_lab.view.compiled.look import CHANGED, GONE, SAYS
from autograd_lab.view.compiled.rows import in_rows
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.part import Part
from autograd_lab.view.layout.boxes import Box, Layout, Link, Route, lay_out

TITLE, DETAIL = 16.0, 12.5
PAD, HEAD, LINE = 10.0, 44.0, 18.0
"""Inner margin of a card, height of its title and its detail, and of a mark, px."""
WIDEST, SIGN = 250.0, 18.0
BETWEEN, APART = 34.0, 44.0
"""Distance between forward and backward, and between other things, px."""
SCREEN = 1.5
"""How much wider than high a screen is."""
LONGEST = 1450.0
"""A row of cards is at most about so long, px."""
CODE, PITCH, NUMBERS = 14.0, 20.0, 44.0
HEADING, TOP = 58.0, 44.0
"""Height of what stands above a program, and of what stands above its buffers, px."""
COLUMN, BAR, NARROWEST = 100.0, 86.0, 40.0
WIDEST_LINE = 620.0
MOST_LINES, MOST_BUFFERS = 120, 24
"""What can still be read of a program; the rest is counted."""


@dataclass
class Placed:
    """Parts at their places, routes of the lines among them, and the size of all."""

    parts: list[Part] = field(default_factory=list)
    routes: dict[str, Route] = field(default_factory=dict)
    width: float = 0.0
    height: float = 0.0

    def moved(self, dx: float, dy: float) -> Placed:
        """The same elsewhere."""
        routes = {name: tuple((x + dx, y + dy) for x, y in route) for name, route in self.routes.items()}
        return Placed([part.moved(dx, dy) for part in self.parts], routes, self.width, self.height)

    def add(self, other: Placed, x: float, y: float) -> None:
        """Put something else beside what is there."""
        other = other.moved(x, y)
        self.parts += other.parts
        self.routes |= other.routes
        self.width, self.height = max(self.width, x + other.width), max(self.height, y + other.height)


def placed(cards: Cards, longest: float = LONGEST) -> Placed:
    """All of it; a row of cards is about `longest` px at most. The programs stand where a screen has room for them."""
    graph = graph_placed(cards, longest)
    programs = programs_placed(cards)
    if not programs:
        return graph
    ways = [_below(graph, _in_line(programs)), _below(graph, _stacked(programs)), _beside(graph, _stacked(programs))]
    return min(ways, key=lambda way: max(way.width / SCREEN, way.height))


def _below(graph: Placed, programs: Placed) -> Placed:
    whole = Placed()
    whole.add(graph, 0.0, 0.0)
    whole.add(programs, 0.0, graph.height + APART)
    return whole


def _beside(graph: Placed, programs: Placed) -> Placed:
    whole = Placed()
    whole.add(graph, 0.0, 0.0)
    whole.add(programs, graph.width + 2 * APART, 0.0)
    return whole


def _in_line(programs: list[Placed]) -> Placed:
    whole = Placed()
    for one in programs:
        whole.add(one, whole.width + APART if whole.parts else 0.0, 0.0)
    return whole


def _stacked(programs: list[Placed]) -> Placed:
    whole = Placed()
    for one in programs:
        whole.add(one, 0.0, whole.height + APART if whole.parts else 0.0)
    return whole


def graph_placed(cards: Cards, longest: float = LONGEST) -> Placed:
    """The cards and the lines between them: forward, and backward below it, each laid out for itself."""
    whole = Placed()
    for backward in (False, True):
        half = [card for card in cards.cards.values() if card.backward is backward]
        if half:
            whole.add(_half(half, cards, longest), 0.0, whole.height + (BETWEEN if whole.height else 0.0))
    lines = [part for part in whole.parts if part.kind == "wire"]
    whole.parts = [*lines, *(part for part in whole.parts if part.kind != "wire")]
    return whole


def _half(half: list[Card], cards: Cards, longest: float) -> Placed:
    boxes = [Box(card.id, *size_of(card)) for card in half]
    heights = {box.id: box.height for box in boxes}
    links = [
        Link(f"{source}-{target}", source, target, heights[source] / 2, heights[target] / 2, 8)
        for source, target in cards.links
        if source in heights and target in heights
    ]
    laid = in_rows(lay_out(boxes, links, rank_gap=34, box_gap=14), boxes, links, longest)
    return Placed([*_wires(links, laid), *_parts(half, boxes, laid)], dict(laid.routes), laid.width, laid.height)


def _wires(links: list[Link], laid: Layout) -> list[Part]:
    return [Part(link.id, "wire", link.target, 0, 0, 0, 0, 0, link.source) for link in links if link.id in laid.routes]


def _parts(half: list[Card], boxes: list[Box], laid: Layout) -> list[Part]:
    return [
        Part(card.id, card.kind, card.id, *laid.places[card.id], box.width, box.height)
        for card, box in zip(half, boxes, strict=True)
    ]


def size_of(card: Card) -> tuple[float, float]:
    """Wide and high enough for all that it ever says, as far as that is not too wide."""
    titles = [text_width(text, TITLE, bold=True) for texts in card.texts for name, text in texts if name == "title"]
    details = [text_width(text, DETAIL) for texts in card.texts for name, text in texts if name == "detail"]
    lists = [[(name, text) for name, text in texts if name not in ("title", "detail")] for texts in card.texts]
    marks = [SIGN + text_width(text, DETAIL, bold=True) for each in lists for _, text in each]
    fate = any(name in (GONE, CHANGED) for each in lists for name, _ in each)  # which stands among all others, too
    most = max(sum(name not in (GONE, CHANGED) for name, _ in each) for each in lists) + fate
    return min(max([*titles, *details, *marks]), WIDEST) + 2 * PAD, HEAD + LINE * most + 2


# --- programs -----------------------------------------------------------------------------------------------------


def programs_placed(cards: Cards) -> list[Placed]:
    """Each program by itself, its heading first."""
    return [_program(program, cards) for program in cards.programs]


def _program(program: ProgramWritten, cards: Cards) -> Placed:
    """The lines of a program, and beside them a column for each buffer: time runs down."""
    half, texts = program.half, program.text.splitlines()
    shown = texts[:MOST_LINES]
    if len(texts) > len(shown):
        shown.append(f"    # … and {len(texts) - len(shown):,} more lines")
    width = NUMBERS + 12 + min(max([320.0, *(text_width(text, CODE, mono=True) for text in shown)]), WIDEST_LINE)
    top = HEADING + TOP
    parts = [Part(half, "program", half, 0, 0, width, HEADING, 0, f"{cards.program_name(half)} as Python")]
    parts += [
        Part(f"{half}.{number}", "program-line", half, 0, top + PITCH * (number - 1), width, PITCH, number, text)
        for number, text in enumerate(shown, 1)
    ]
    buffers = [name for name, facts in cards.buffers.items() if facts.half == half][:MOST_BUFFERS]
    for column, name in enumerate(buffers):
        x = width + 8 + COLUMN * column
        parts.append(Part(name, "rail", name, x, HEADING, BAR, TOP + PITCH * len(shown)))
        parts += _bars(cards, name, x, top, len(shown))
    right = max(width + 8 + COLUMN * len(buffers), text_width(SAYS, 15))
    parts[0] = replace(parts[0], width=right)
    return Placed(parts, {}, right, top + PITCH * (len(shown) + 1))


def _bars(cards: Cards, name: str, x: float, top: float, lines: int) -> list[Part]:
    """A bar for each array, as wide as its share of the buffer; one that is written over the last shares its line."""
    tenants, sizes = cards.tenants.get(name, []), cards.sizes
    room = cards.buffers[name].nbytes
    if cards.buffers[name].is_tile:  # in which there is a part of each array only
        room = max((sizes[each.array] for each in tenants), default=0)
    found = []
    for at, tenant in enumerate(tenants):
        given = at + 1 < len(tenants) and tenants[at + 1].is_written_over
        start = top + PITCH * (tenant.first - 1) + (PITCH / 2 if tenant.is_written_over else 2)
        end = top + PITCH * tenant.last - (PITCH / 2 if given else 2)
        width = max(NARROWEST, BAR * sizes[tenant.array] / max(room, 1))
        if tenant.last <= lines:
            found.append(Part(f"{name}.{at}", "tenant", name, x, start, width, max(end - start, 9.0), at))
    return found
