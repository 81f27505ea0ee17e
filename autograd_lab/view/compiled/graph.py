"""A stage as a picture: every card has one place in all stages, so that nothing jumps; what is gone leaves a trace."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from autograd_lab.view.compiled.told import GONE, SIGNS, TAKES, Card, Compilation, Mark, Stage
from autograd_lab.view.font import clean, fit, text_width
from autograd_lab.view.layout import Box, Link, Point, Route, lay_out
from autograd_lab.view.rows import in_rows
from autograd_lab.view.svg import path_of

TITLE, DETAIL, MARK = 16.0, 12.5, 12.5
PAD, HEAD, LINE = 10.0, 44.0, 18.0
WIDEST = 250.0
BETWEEN = 34.0
"""Distance between forward and backward, px."""
LONGEST = 1850.0
"""A row of cards is at most about so long, px."""


class Places:
    """Where everything is, in all stages of a compilation: backward stands below forward, each laid out for itself."""

    def __init__(self, told: Compilation, longest: float = LONGEST) -> None:
        self.longest = longest
        self.cards = {card.id: card for card in told.cards}
        self.sizes = {card.id: _size(card, told.stages) for card in told.cards}
        order = {card.id: at for at, card in enumerate(told.cards)}
        pairs = {pair for stage in told.stages for pair in stage.links}
        self.links = [self._link(*pair) for pair in sorted(pairs, key=lambda pair: (order[pair[0]], order[pair[1]]))]
        self.places: dict[str, Point] = {}
        self.routes: dict[str, Route] = {}
        self.width = self.height = 0.0
        for backward in (False, True):
            self._lay([card for card in told.cards if card.backward is backward])

    def _link(self, source: str, target: str) -> Link:
        return Link(f"{source}-{target}", source, target, self.sizes[source][1] / 2, self.sizes[target][1] / 2, 8)

    def _lay(self, cards: list[Card]) -> None:
        if not cards:
            return
        boxes = [Box(card.id, *self.sizes[card.id]) for card in cards]
        own = {box.id for box in boxes}
        links = [link for link in self.links if link.source in own]
        laid = in_rows(lay_out(boxes, links, rank_gap=34, box_gap=14), boxes, links, self.longest)
        down = self.height + (BETWEEN if self.height else 0)
        self.places |= {name: (x, y + down) for name, (x, y) in laid.places.items()}
        self.routes |= {name: tuple((x, y + down) for x, y in route) for name, route in laid.routes.items()}
        self.width, self.height = max(self.width, laid.width), down + laid.height


def _all_marks(stages: Sequence[Stage], card: str) -> list[Mark]:
    """The longest list of marks that a card has in any stage, of the widest ones."""
    lists = [_lines(stage, card) for stage in stages]
    return [
        Mark(GONE, max((one[at].text for one in lists if len(one) > at), key=len)) for at in range(max(map(len, lists)))
    ]


def _lines(stage: Stage, card: str) -> list[Mark]:
    end = [Mark("end", stage.ends[card])] if card in stage.ends else []
    return [*stage.marks.get(card, ()), *end]


def _size(card: Card, stages: Sequence[Stage]) -> tuple[float, float]:
    marks = _all_marks(stages, card.id)
    titles = [card.title, *(stage.titles.get(card.id, "") for stage in stages)]
    widths = [*(text_width(title, TITLE, bold=True) for title in titles), text_width(card.detail, DETAIL)]
    widths += [text_width(mark.text, MARK, bold=True) + 18 for mark in marks]
    return min(max(widths), WIDEST) + 2 * PAD, HEAD + LINE * len(marks) + 2


def stage_picture(stage: Stage, places: Places) -> tuple[str, float, float]:
    """The drawing of a stage, its width and its height."""
    links = [_link(link, stage, places) for link in places.links if (link.source, link.target) in stage.links]
    cards = [_card(card, stage, places) for card in places.cards.values()]
    return "".join(links + cards), places.width, places.height


def _link(link: Link, stage: Stage, places: Places) -> str:
    route = places.routes[link.id]
    x, y = route[-1]
    head = f'<path class="head" d="M{x:.7g} {y:.7g}l-8 -4.4v8.8z"/>'
    kind = "backward" if places.cards[link.target].backward else "forward"
    gone = " gone" if any(mark.sort == GONE for mark in stage.marks.get(link.target, ())) else ""
    return f'<g class="wire {kind}{gone}"><path class="line" d="{path_of(route)}"/>{head}</g>'


def _card(card: Card, stage: Stage, places: Places) -> str:
    x, y = places.places[card.id]
    width, height = places.sizes[card.id]
    marks = _lines(stage, card.id)
    absent = card.id not in stage.present
    kind = "backward" if card.backward and card.kind == "op" else card.kind
    classes = ["card", kind, *(mark.sort for mark in marks if mark.sort != TAKES), *(["absent"] if absent else [])]
    radius = 12 if card.kind == "input" else 3
    shape = f'<rect class="shape" x="{x:.7g}" y="{y:.7g}" width="{width:.7g}" height="{height:.7g}" rx="{radius}"/>'
    title = stage.titles.get(card.id, card.title)
    texts = _text(fit(title, width - 2 * PAD, TITLE, bold=True), x + PAD, y + 20, "title")
    if not absent:
        texts += _text(fit(card.detail, width - 2 * PAD, DETAIL), x + PAD, y + 37, "detail")
    for at, mark in enumerate(() if absent else marks):
        sign = SIGNS.get(mark.sort, "⇒")
        room = width - 2 * PAD - 18
        words = fit(mark.text, room, MARK, bold=True)
        row = y + HEAD + LINE * at + 11
        kind = f"mark {mark.sort}"
        texts += _text(sign, x + PAD, row, kind) + _text(words, x + PAD + 18, row, kind)
    said = f"<title>{escape(clean(card.line))}</title>" if card.line else ""
    return f'<g class="{" ".join(classes)}">{said}{shape}{texts}</g>'


def _text(text: str, x: float, y: float, classes: str) -> str:
    return f'<text x="{x:.7g}" y="{y:.7g}" class="{classes}">{escape(clean(text))}</text>' if text else ""


say = _text
"""A line of text, escaped; the style sheet has the font of its classes."""
