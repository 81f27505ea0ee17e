"""A recording as the subject of a scene: cards and wires at their places, and how they look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import tee

from autograd_lab.events import Event
from autograd_lab.view.graph.cards.asked import Asked, called
from autograd_lab.view.graph.cards.card import Card, Cards, Wire
from autograd_lab.view.graph.cards.fineness import foldings
from autograd_lab.view.graph.cards.hooked import hook_on
from autograd_lab.view.graph.cards.loose import without_loose_ends
from autograd_lab.view.graph.cards.window import Window, window_of
from autograd_lab.view.graph.draw.card_drawing import draw_card
from autograd_lab.view.graph.draw.lane_drawing import draw_lane
from autograd_lab.view.graph.draw.pocket_drawing import draw_pocket
from autograd_lab.view.graph.draw.second_sheet import draw_sheet
from autograd_lab.view.graph.draw.unknown_part import draw_unknown
from autograd_lab.view.graph.draw.update_bar import draw_cycle
from autograd_lab.view.graph.draw.wire_drawing import draw_drop, draw_hook, draw_label, draw_wire
from autograd_lab.view.graph.faces.choice import MANY, Choice, FormsOf, choose, fitted
from autograd_lab.view.graph.faces.face import Style
from autograd_lab.view.graph.faces.forms import Forms, Pane
from autograd_lab.view.graph.faces.sayings import Faces
from autograd_lab.view.graph.faces.traffic import Traffic
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.facts.timeline import state_after
from autograd_lab.view.graph.looks.card_look import CardLooks
from autograd_lab.view.graph.looks.lane_look import LaneLooks
from autograd_lab.view.graph.looks.now import COMING, Now, Onlooker
from autograd_lab.view.graph.looks.pocket_look import pocket_look
from autograd_lab.view.graph.looks.ranges import ranges_of
from autograd_lab.view.graph.looks.tile_look import Ranges
from autograd_lab.view.graph.looks.wire_look import WireLooks
from autograd_lab.view.graph.numbers import ON
from autograd_lab.view.graph.opened_frame import draw_frame
from autograd_lab.view.graph.parts import Drawing, drawing_of
from autograd_lab.view.graph.second_layer import with_room
from autograd_lab.view.graph.strands import draw_strand, strand_look
from autograd_lab.view.graph.touched import saved_by, sent_by
from autograd_lab.view.graph.training_cycle import CYCLE, with_cycle
from autograd_lab.view.graph.turning import Turning, turn_of
from autograd_lab.view.graph.two_versions import draw_versions, look_of
from autograd_lab.view.kit.part import UNKNOWN, Look, Part
from autograd_lab.view.kit.pen import Path
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.layout.stretch import stretched
from autograd_lab.view.subject import NothingToDraw

SLIM_DROP = 3.5
"""Lines down to several lanes are at most so wide, px."""


@dataclass
class Picture:
    """What is drawn of a recording in one pane, and how it looks in every state."""

    history: History
    choice: Choice
    drawing: Drawing
    ranges: Ranges
    engine: bool
    onlooker: Onlooker = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.onlooker = Onlooker(self.history)

    @property
    def parts(self) -> list[Part]:
        """All that is drawn, from below to above."""
        return self.drawing.parts

    @cached_property
    def cards(self) -> CardLooks:
        return CardLooks(self.choice.cards, dict(self.choice.faces), self.ranges)

    @cached_property
    def wires(self) -> WireLooks:
        return WireLooks(self.choice.cards, self.choice.widths)

    @cached_property
    def lanes(self) -> LaneLooks:
        return LaneLooks(self.choice.cards, self.ranges)

    @cached_property
    def wire(self) -> dict[str, Wire]:
        """Wires by their ids."""
        return {wire.id: wire for wire in self.choice.cards.wires}

    def after(self, events: Sequence[Event]) -> GraphState:
        """The state after some events."""
        return state_after(GraphState(), events)

    @or_else(UNKNOWN)
    def look(self, part: Part, state: GraphState) -> Look:
        """How a part looks in a state; `UNKNOWN`, if that cannot be found out."""
        now = self.onlooker.at(state)
        match part.kind:
            case "card":
                return self.cards.at(part.of, now)
            case "link" | "number":
                return self.wires.at(self.wire[part.of], now)
            case "strand":
                return strand_look(part.text, self.wires.at(self.wire[part.of], now))
            case "slot":
                return self._pocket(part, now)
            case "lane":
                return self.lanes.at(part.of, now)
            case "drop":
                return self._drop(part, now)
            case "cycle":
                return self._cycle(part, now)
            case "versions":
                return look_of(self.history, state, part)
        return Look((part.kind,), (("title", part.text),)) if now.state.step >= part.index else Look((COMING,))

    def _pocket(self, part: Part, now: Now) -> Look:
        pocket = self.drawing.pockets[part.id]
        return pocket_look(pocket, now, engine=self.choice.faces[pocket.card.id].tells_slots)

    def _drop(self, part: Part, now: Now) -> Look:
        edges = self.choice.cards.uses[self.drawing.drops[part.id]]
        target = self.drawing.drops[part.id][0]
        look = self.wires.at(Wire(part.id, part.of, target, edges), now)
        width = look.text("width")
        if not width or len(self.choice.cards.bars) < 2:
            return look
        slim = f"{min(float(width), SLIM_DROP):g}"  # several stand side by side; how large they are, their lanes tell
        return Look(look.classes, tuple((name, slim if name == "width" else text) for name, text in look.texts))

    def _cycle(self, part: Part, now: Now) -> Look:
        """The update, once it begins, and which cards it has yet to change."""
        update = self.choice.cards.update
        if update is None or now.state.step < part.index:
            return Look((COMING,))
        ahead = " ".join(str(at) for at, turn in enumerate(self.drawing.turns) if turn.done > now.state.step)
        texts = (("line", update.code), ("rule", update.rule))
        return Look(("cycle",), (*texts, ("ahead", ahead)) if ahead else texts)

    def draw(self, part: Part, look: Look, route: Path | None) -> str:
        """A part in a look; what is not known of it is drawn as unknown."""
        drawn = None if look == UNKNOWN else self._drawn(part, look, route)
        return draw_unknown(part, route) if drawn is None else drawn

    @or_else(None)
    def _drawn(self, part: Part, look: Look, route: Path | None) -> str | None:
        match part.kind:
            case "card":
                return draw_card(part, look, self.choice.cards.cards[part.of], self.choice.faces[part.of])
            case "link":
                return draw_wire(part, look, route or ())
            case "drop":
                return draw_drop(part, look, route or ())
            case "number" if look.text("hook") and "flying" not in look.classes:
                return draw_hook(part, look, self.drawing.routes[part.of], self.drawing.label_size)
            case "number":
                return draw_label(part, look, self.drawing.label_size, side=self.drawing.beside.get(part.id, ON))
            case "slot":
                return draw_pocket(part, look, is_followed=part.id in self.drawing.followed)
            case "strand":
                return draw_strand(part, look)
            case "sheet":
                return draw_sheet(part, look)
            case "opened":
                return draw_frame(part, look)
            case "versions":
                return draw_versions(part, look)
            case "cycle":
                return draw_cycle(part, look, self.drawing.turns, self.choice.widths)
            case "lane":
                return draw_lane(part, look, self.drawing.uses[part.of])
        return ""

    def keys(self, part: Part) -> Iterator[str]:
        """The ids whose change can change a part."""
        cards = self.choice.cards
        match part.kind:
            case "card":
                yield from self._card_keys(cards.cards[part.of])
            case "link" | "number" | "strand":
                yield from self._wire_keys(self.wire[part.of])
            case "versions":
                yield self.history.ops[part.of].node or ""
            case "slot":
                pocket = self.drawing.pockets[part.id]
                ops = [self.history.ops[pocket.op]] if pocket.op else list(pocket.card.ops)
                yield from (saved_by(op.node) for op in ops if op.node)
            case "lane":
                box = self.history.boxes[part.of]
                yield from (box.facts.id, box.leaf_node or "", f"step{box.born}")
                yield from (sent_by(n) for (_, bar), edges in cards.uses.items() if bar == part.of for n, _ in edges)
            case "drop":
                card, bar = self.drawing.drops[part.id]
                yield from (sent_by(node) for node, _ in cards.uses[card, bar])
                yield from (turn_of(cards.cards[card]), f"step{cards.cards[card].ops[0].born}")
            case "sheet" | "cycle":
                yield f"step{part.index}"
                yield from (f"step{turn.done}" for turn in self.drawing.turns if part.kind == "cycle")

    def _card_keys(self, card: Card) -> Iterator[str]:
        for box in (card.box, *card.params):
            if box is not None:
                yield from (box.facts.id, f"step{box.born}", box.leaf_node or "")
        for op in card.ops:
            yield from (op.node or "", f"step{op.born}")
        if card.kind == "leaf":
            yield from (node for wire in self.choice.cards.wires_from(card.id) for node, _ in wire.edges)

    def _wire_keys(self, wire: Wire) -> Iterator[str]:
        """A wire shows what came along it, or to where it leads; else how far the card has come that it comes from."""
        yield from (sent_by(node) for node, _ in wire.edges)
        if wire.edges:
            source, target = (self.choice.cards.cards[name] for name in (wire.source, wire.target))
            yield from (turn_of(target), *(op.node or "" for op in source.ops[-1:]))
            yield (source.box.leaf_node or "") if source.box is not None else ""
            yield from (box.facts.id for box in self.wires.views(wire) or ())
        for name in (wire.source, wire.target):
            card = self.choice.cards.cards[name]
            yield from (f"step{op.born}" for op in card.ops[:1])
            yield from (call.event.node or "" for call in hook_on(wire, self.choice.cards)[:1])
            if card.box is not None and not card.ops:
                yield f"step{card.box.born}"

    def turned(self, keys: Iterable[str] | None, state: GraphState) -> Iterator[str]:
        """The keys of the cards that have turned with what has these keys."""
        return self._turning.turned(keys, state)

    @cached_property
    def _turning(self) -> Turning:
        return Turning(self.onlooker, self.choice.cards.cards.values())


class Foldings:
    """All foldings of a window, from the finest to the coarsest; each is made once, when it is first asked for."""

    def __init__(self, history: History, window: Window, asked: Asked | None) -> None:
        self._found = foldings(history, window, asked, MANY)

    def __iter__(self) -> Iterator[Cards]:
        self._found, found = tee(self._found)
        return found


@dataclass(frozen=True)
class Choices:
    """What may be drawn of a recording in one view."""

    history: History
    window: Window
    asked: Asked | None
    faces: Faces
    traffic: Traffic
    found: Foldings
    _forms: dict[tuple[int, Style], Forms] = field(default_factory=dict, init=False, repr=False)
    """By the place of the cards in memory, which the forms keep."""

    def in_view(self, *, engine: bool) -> Choices:
        """The same in a view, with the same foldings."""
        return replace(self, faces=Faces(engine=engine))

    def best(self, pane: Pane, form: str = "auto", only: Cards | None = None) -> Choice:
        """The best picture for a pane, of all foldings or of one."""
        return best_of(self.foldings() if only is None else [only], self.forms, pane, form)

    def foldings(self) -> Iterator[Cards]:
        """All foldings, from the finest to the coarsest."""
        return iter(self.found)

    def forms(self, cards: Cards, style: Style) -> Forms:
        """One folding in one style."""
        key = id(cards), style
        if key not in self._forms:
            self._forms[key] = Forms.of(cards, self.faces(cards, style), style, self.traffic)
        return self._forms[key]


def best_of(found: Iterable[Cards], forms_of: FormsOf, pane: Pane, form: str) -> Choice:
    """The best picture of some foldings for a pane, with room for the bar of an update."""
    choice = choose(found, forms_of, pane, form)
    if choice.cards.update is None or choice.cards.bars or (choice.fits and with_cycle(choice, pane).cycle):
        return choice
    lower = choose([choice.cards], forms_of, (pane[0], pane[1] - CYCLE), form)
    return lower if lower.fits else choice


def choices_of(history: History, events: Sequence[Event], asked: Asked | None = None, *, engine: bool) -> Choices:
    """What may be drawn of a recording.

    Raises NothingToDraw where no op was recorded, and ValueError for a tensor or a module that there is not.
    """
    window = window_of(history, events, asked)
    if (asked is None or (asked.root is None and asked.fold)) and not history.is_unrecorded:
        window = without_loose_ends(history, window)
    called(history.calls, asked.expand if asked is not None else ())
    if not window.ops and not window.leaves:
        raise NothingToDraw("no operation was recorded: gradients were switched off, or nothing asked for them")
    return Choices(history, window, asked, Faces(engine=engine), Traffic(history), Foldings(history, window, asked))


def picture_of(history: History, choice: Choice, pane: Pane, *, engine: bool, stretches: bool = True) -> Picture:
    """A chosen picture; it `stretches` to its pane, or is as small as it can be."""
    if choice.fits:
        choice = _roomy(choice, pane)
        room = (pane[0] / choice.scale, pane[1] / choice.scale)
        choice = replace(choice, placed=stretched(choice.placed, room)) if stretches else choice
    return Picture(history, choice, drawing_of(choice), ranges_of(choice), engine)


def _roomy(choice: Choice, pane: Pane) -> Choice:
    """A choice with room for a second layer and for the bar of an update; in common, only where all get the same."""
    found = with_cycle(fitted(with_room(choice), pane), pane)
    others = [_roomy(replace(each, is_common=False), pane) for each in choice.beside] if choice.is_common else []
    size = found.placed.width, found.placed.height
    return found if all((each.placed.width, each.placed.height) == size for each in others) else fitted(choice, pane)
