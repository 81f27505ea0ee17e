"""The choice: of all foldings, styles and forms the finest picture whose text is large enough in a pane.

Foldings come from fine to coarse, styles from roomy to terse. The first folding that fits at scale 1 is taken: text is
12 px or more then. In it lanes and stairs come before ranks, since they show what the program is, full cards before
terse ones, and chains in two heights last. Where lines cross, a chain goes up and down, or cards have next to no room,
a folding that is not much coarser is taken in its place, if it is free of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from autograd_lab.view.graph.cards.card import Cards
from autograd_lab.view.graph.faces.face import Face, Style
from autograd_lab.view.graph.faces.forms import DOWN, LEAST_GAP, TITLE, Forms, Pane
from autograd_lab.view.kit.shapes.width import Widths
from autograd_lab.view.layout.boxes import Link
from autograd_lab.view.layout.crossings import crossings
from autograd_lab.view.layout.placed import Placed
from autograd_lab.view.subject import NothingToDraw

STYLES = (
    Style("tall", True, 96), Style("tower", True, 96), Style("tall", True, 64), Style("tower", True, 64),
    Style("wide", True, 48), Style("tall", True, 44), Style("tower", True, 44, fill=True), Style("tower", True, 44),
    Style("tall", False, 64), Style("tower", False, 64), Style("wide", False, 34), Style("tall", False, 44),
    Style("tower", False, 44, fill=True), Style("tower", False, 44), Style("tower", False, 32, fill=True),
    Style("tower", False, 32), Style("tall", False, 28),
)  # fmt: skip
"""Styles, roomiest first."""

SLIMMEST = (Style("tower", False, 32), Style("wide", False, 34), Style("tall", False, 28))
"""If none of these fits, nothing does."""
SLIMMER = {
    ("tall", True): Style("tall", True, 44), ("tower", True): Style("tower", True, 44),
    ("tall", False): Style("tall", False, 44), ("tower", False): Style("tower", False, 44),
}  # fmt: skip
"""By form and fullness the style in which no card is wider than in those with larger tiles."""
FAR = 0.75
"""If the narrowest cards would have to be made so much smaller to fit the width, no others have to be tried."""
LOW, SHORT = 28.0, 32.0
"""No card is lower, and none is less wide, px."""
FEW = 8
"""So few cards nearly always fit."""
SLIM = 32
"""Terse styles with tiles of so many px or fewer are slim: a coarser folding with roomier cards may be better."""
SHAPED = ("stairs", "lanes")
"""Forms that show what a program is: of these, slim cards are as good as any."""
KEPT = 0.65
"""A coarser folding must keep so many of the cards."""
KEPT_OF_ZIGZAG = 0.4
"""To be read from left to right, a chain may fold so many of its cards: an activation goes with its layer."""
MOST_SCALED = 1.5
"""Small pictures are enlarged by no more."""
ROUNDED = 0.01
"""Sizes are rounded to so much, px."""
MANY = 48
"""More cards than this are never tried: no pane has room for text of 12 px then."""

FormsOf = Callable[[Cards, Style], Forms]


@dataclass(frozen=True, slots=True)
class Choice:
    """A picture that was chosen; it is drawn `scale` times as large as it was laid out."""

    cards: Cards
    faces: Mapping[str, Face]
    style: Style
    placed: Placed
    scale: float
    widths: Widths
    labels: Mapping[str, float]
    is_written: Mapping[str, bool]
    cycle: bool = False
    beside: tuple[Choice, ...] = ()
    """Pictures of other recordings that are to be compared with it: colours mean the same numbers in all."""
    is_common: bool = False
    """Whether it was laid out as one with those beside it, so that what they share stands at the same place."""

    @property
    def fits(self) -> bool:
        """Whether all text is as large as it should be at least."""
        return self.scale >= 1


def fitted(choice: Choice, pane: Pane) -> Choice:
    """The same picture as large as its pane allows, after it was laid out anew."""
    placed = choice.placed
    return replace(choice, scale=min(pane[0] / placed.width, pane[1] / placed.height, MOST_SCALED))


def choose(foldings: Iterable[Cards], forms_of: FormsOf, pane: Pane, form: str = "auto") -> Choice:
    """The picture for a pane of this width and height, in px. `form` asks for one form alone.

    Raises NothingToDraw where there is nothing to fold, and ValueError for a form that the graph does not have.
    """
    best: Choice | None = None
    last: Cards | None = None
    least, flaws = 0.0, (0, True, True)
    for cards in _tried(foldings):
        last = cards
        if best is not None and len(cards.cards) < least:
            break
        if best is not None and _hides_modules(cards, best):  # roomier cards are not worth what they hide
            continue
        found = _in(cards, forms_of, pane, form)
        if found is None or (best is not None and _flaws(found) >= flaws):
            continue
        best, flaws = found, _flaws(found)
        least = least or (KEPT_OF_ZIGZAG if flaws[1] else KEPT) * len(cards.cards)
        if not any(flaws):
            break
    if best is not None:
        return best
    if last is None:
        raise NothingToDraw("no op was recorded, so there is nothing to lay out")
    return _Trial(last, forms_of, pane).least(form)


def laid_like(cards: Cards, like: Choice, forms_of: FormsOf, pane: Pane) -> Choice | None:
    """Other cards in the style and, if they can be, in the form of a picture; None if they cannot be laid out."""
    trial = _Trial(cards, forms_of, pane)
    tried = ((form, like.style) for form in dict.fromkeys((like.placed.form, "LR")))
    return trial.first(tried, least=0.0)


def _tried(foldings: Iterable[Cards]) -> Iterator[Cards]:
    """The foldings worth a try; of too many cards only the last, which there must be."""
    last: Cards | None = None
    tried = False
    for cards in foldings:
        last = cards
        if len(cards.cards) <= MANY:
            tried = True
            yield cards
    if not tried and last is not None:
        yield last


def _hides_modules(cards: Cards, best: Choice) -> bool:
    """Whether fewer levels of modules are open than in the best picture so far, or fewer layers of a chain are seen."""
    if best.placed.form == "zigzag" and _layers(cards) < _layers(best.cards):
        return True
    return cards.level < best.cards.level


def _layers(cards: Cards) -> int:
    return sum(bool(card.params) for card in cards.cards.values())


def _is_slim(choice: Choice) -> bool:
    """Whether cards have next to no room: a coarser folding may tell more."""
    style = choice.style
    slim = style.tile <= SLIM or style.form == "wide"
    return slim and not (style.full and style.form != "wide") and choice.placed.form not in SHAPED


def _flaws(choice: Choice) -> tuple[int, bool, bool]:
    """Why a coarser folding may be better, the worst first: its lines are tangled; a chain goes up and down; its cards
    have next to no room."""
    return _tangle(choice), choice.placed.form == "zigzag", _is_slim(choice)


def _tangle(choice: Choice) -> int:
    """How many ways around there are, if lines cross in ranks, however large the cards are: the same in each pane."""
    cards = choice.cards
    links = [Link(wire.id, wire.source, wire.target) for wire in cards.wires]
    pairs = {(link.source, link.target) for link in links}
    return 0 if choice.placed.form in SHAPED or not crossings(cards.cards, links) else len(pairs) - len(cards.cards) + 1


def _in(cards: Cards, forms_of: FormsOf, pane: Pane, form: str) -> Choice | None:
    """The first picture of one folding that fits; of many cards, none if not even slim ones do."""
    if len(cards.cards) > MANY:
        return None
    trial = _Trial(cards, forms_of, pane)
    if len(cards.cards) > FEW:
        if form == "auto" and trial.is_far_too_wide():
            return None
        if trial.first(_order(cards, form, pane, SLIMMEST)) is None:
            return None
    return trial.first(_order(cards, form, pane, STYLES))


class _Trial:
    """Tries forms and styles on one folding."""

    def __init__(self, cards: Cards, forms_of: FormsOf, pane: Pane) -> None:
        self._cards, self._forms_of, self._pane = cards, forms_of, pane
        self._known: dict[Style, Forms] = {}
        self._alien: set[str] = set()

    def first(self, tried: Iterable[tuple[str, Style]], least: float = 1.0) -> Choice | None:
        """The first that fits, or whose scale is `least` at least."""
        found = (self._laid(form, style, least) for form, style in tried)
        return next((each for each in found if each is not None and each.scale >= least), None)

    def least(self, form: str) -> Choice:
        """What is drawn of a folding that does not fit: slim cards in lanes if they share anything, in ranks, which may
        go down in a high pane, or in the form that is asked for.

        Raises ValueError for a form that the graph does not have.
        """
        ranks = ("LR", "TB") if self._pane[1] > self._pane[0] else ("LR",)
        forms = ("lanes",) if self._cards.bars else ranks if form == "auto" else (form,)
        found = [laid for each in forms if (laid := self._laid(each, SLIMMEST[0], 0.0)) is not None]
        if not found:
            raise ValueError(f"this graph cannot be drawn as {form}")
        return max(found, key=lambda choice: choice.scale)

    def _laid(self, form: str, style: Style, least: float) -> Choice | None:
        """A form in a style, unless it is certain to be smaller than `least`."""
        if form in self._alien or self._is_hopeless(form, style, least):
            return None
        placed = self._placed(form, style, least)
        if placed is None or placed.is_too_wide or not placed.width or not placed.height:
            return None
        forms = self._forms(style)
        scale = min(self._pane[0] / placed.width, self._pane[1] / placed.height, MOST_SCALED)
        return Choice(self._cards, forms.faces, style, placed, scale, forms.widths, forms.labels, forms.is_written)

    def _placed(self, form: str, style: Style, least: float) -> Placed | None:
        """The cards in a form; None if they are certain to be smaller than `least`, or the graph has another shape."""
        forms = self._forms(style)
        if not forms.fits(form, self._pane, least):
            return None
        placed = forms.lay(form, self._pane, self._pane[0] / least + ROUNDED if least else inf)
        if placed is None:  # whatever its cards look like
            self._alien.add(form)
        return placed

    def _is_hopeless(self, form: str, style: Style, least: float) -> bool:
        """Whether even a style with smaller tiles would be too wide."""
        slimmer = SLIMMER.get((style.form, style.full))
        if slimmer is None or style.tile <= slimmer.tile or len(self._cards.cards) <= FEW or form == "lanes":
            return False
        return self._is_too_wide(form, slimmer, least)

    def _is_too_wide(self, form: str, style: Style, least: float) -> bool:
        """Whether a picture would be too wide for a scale, or the graph has another shape."""
        if form in self._alien:
            return True
        if form in ("LR", "lanes"):
            return not self._forms(style).fits_along(form, self._pane, least)
        placed = self._placed(form, style, least)
        return placed is None or placed.is_too_wide

    def is_far_too_wide(self) -> bool:
        """Whether the narrowest cards are so much too wide in all forms that no others have to be tried."""
        long = self._cards.longest
        if self._cards.bars:
            is_too_long = long * SHORT + (long - 1) * LEAST_GAP + TITLE > self._pane[0]
            return is_too_long or self._is_too_wide("lanes", SLIMMEST[0], FAR)
        is_too_high = long * LOW + (long - 1) * DOWN > self._pane[1]
        return is_too_high and all(self._is_too_wide(form, SLIMMEST[0], FAR) for form in ("LR", "stairs", "zigzag"))

    def _forms(self, style: Style) -> Forms:
        if style not in self._known:
            self._known[style] = self._forms_of(self._cards, style)
        return self._known[style]


def _order(cards: Cards, form: str, pane: Pane, styles: Sequence[Style]) -> Iterator[tuple[str, Style]]:
    """Forms and styles in the order in which they are tried. No other form than lanes has what turns share."""
    if cards.bars:
        yield from (("lanes", style) for style in styles if style.form != "wide")
        return
    if form != "auto":
        yield from ((form, style) for style in styles)
        return
    yield from (("stairs", style) for style in styles if style.form != "wide")
    high = pane[1] > pane[0]
    for is_slim in (False, True):
        chosen = [style for style in styles if (not style.full and style.tile <= SLIM) == is_slim]
        for style in chosen:
            if high or style.form == "wide":
                yield "TB", style
            yield "LR", style
        yield from (("zigzag", style) for style in chosen if style.form != "wide")
