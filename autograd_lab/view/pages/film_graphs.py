"""The graphs of a film: all pictures of a recording, or the one of a compilation."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

from autograd_lab.trace import Trace
from autograd_lab.view.compiled.compiled_scene import FRAME_KINDS, CompiledScene
from autograd_lab.view.compiled.frame_drawing import swatch
from autograd_lab.view.compiled.legend import possible_entries, signs_in
from autograd_lab.view.graph.around import folded_in, not_drawn
from autograd_lab.view.graph.faces.forms import Pane
from autograd_lab.view.graph.keys import possible_keys, signs_of
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.graph.turning import Turning
from autograd_lab.view.graph.words.on_cards import CardHeadlines
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.motion.grain import GRAINS, Stops, stretches_of
from autograd_lab.view.motion.score import Score
from autograd_lab.view.pages.at_origin import drawn_at_origin, height_of, place_of
from autograd_lab.view.pages.layouts import PANES, Layout, layouts_of
from autograd_lab.view.pages.local_products import Reasons, reason_parts
from autograd_lab.view.pages.members import Members, name_of
from autograd_lab.view.pages.player_parts import Drawings, Once, Shown
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import Scene
from autograd_lab.view.subject import Subject
from autograd_lab.view.track import Track, tracks_of

READABLE, SMALL = 0.96, 0.5
"""Below this scale texts of cards, and those of compilations, cannot be read."""
STAYING = ("leaf",)
"""What a page, which has more room than a slide, explains as long as it is to be seen."""


@dataclass
class Graphs:
    """What a film tells of pictures, and everything that they show: parts by their names."""

    drawings: Drawings = field(default_factory=Drawings)
    told: list[dict[str, Any]] = field(default_factory=list)
    shown: dict[str, Shown] = field(default_factory=dict)
    legend: list[list[Any]] = field(default_factory=list)
    words: Once = field(default_factory=Once)
    """What steps teach otherwise in a picture: headlines by steps."""
    stops: list[Stops] = field(default_factory=list)
    """Where one halts in each picture."""

    def as_json(self) -> dict[str, Any]:
        """In the words of `widgets/src/film.ts`."""
        halts = self._halts()
        return {"legend": self.legend, "graphs": self.told, "words": self.words.items, **halts, **self.drawings.lists()}

    def _halts(self) -> dict[str, Any]:
        """The grains that make a difference, and the stops of each picture: how many steps each is after the one
        before."""
        bases = [stops for told, stops in zip(self.told, self.stops, strict=True) if "opened" not in told]
        useful = set().union(*(stops.differ() for stops in bases))
        grains, lists = [grain for grain in GRAINS if grain.name in useful], Once()
        for graph, stops in zip(self.told, self.stops, strict=True):
            graph["stops"] = [lists.number(steps_between(stops.at[grain.name])) for grain in grains]
            graph["grain"] = stops.usual(grains)
        return {
            "grains": [[grain.name, grain.fast, grain.longest, grain.rest] for grain in grains],
            "stops": lists.items,
        }

    def part(self, shown: Shown, *how: Any) -> list[Any]:
        """Note a part, and tell of it."""
        self.shown.setdefault(shown.name, shown)
        return self.drawings.part(shown, *how)


class _All:
    """The parts of many pictures, each with its members; what looks the same in several of them is there once."""

    def __init__(self, layouts: Sequence[Layout]) -> None:
        self.members = [Members(layout.picture) for layout in layouts]
        self._first: dict[str, tuple[Picture, Part]] = {}
        self._keys: list[dict[str, str]] = []
        names: dict[Hashable, str] = {}
        for layout, members in zip(layouts, self.members, strict=True):
            known = {}
            for part in layout.picture.parts:
                key = _identity(layout, members, part)
                known[part.id] = names.setdefault(key, str(len(names)))
                self._first.setdefault(known[part.id], (layout.picture, part))
            self._keys.append(known)
            layout.picture.onlooker = layouts[0].picture.onlooker
        cards = (card for layout in layouts for card in layout.picture.choice.cards.cards.values())
        self._turning = Turning(layouts[0].picture.onlooker, cards)
        self.parts = [Part(str(name), "any", str(name), 0, 0, 0, 0) for name in self._first]

    def look(self, part: Part, state: Any) -> Look:
        picture, first = self._first[part.id]
        return picture.look(first, state)

    def keys(self, part: Part) -> Iterable[str]:
        picture, first = self._first[part.id]
        return picture.keys(first)

    def turned(self, keys: Iterable[str] | None, state: Any) -> Iterable[str]:
        return self._turning.turned(keys, state)

    def tracks(self, subject: Subject, trace: Trace) -> list[dict[str, Track]]:
        """For each picture the tracks of its parts, by their ids."""
        tracks = tracks_of(self, subject, trace)
        return [{part: tracks[key] for part, key in known.items()} for known in self._keys]


def _identity(layout: Layout, members: Members, part: Part) -> tuple[Hashable, ...]:
    """All that the looks of a part depend on, besides the state: most look the same in both views."""
    picture, name = layout.picture, members.name(part)
    choice = picture.choice
    match part.kind:
        case "card":
            lines = tuple(members.line(wire) for wire in members.wires_at(part.of))
            return name, repr(choice.faces[part.of]), lines
        case "link" | "number":
            wire = picture.wire[part.of]
            return "line", members.line(wire), wire.edges, choice.widths
        case "drop":
            return part.kind, name, choice.widths, len(choice.cards.bars)
        case "slot":
            return name, members.of(part), choice.faces[picture.drawing.pockets[part.id].card.id].tells_slots
        case "lane":
            return name, tuple(edges for (_, bar), edges in choice.cards.uses.items() if bar == part.of)
    return layout.view, part.kind, name


def graphs_of(scene: Scene, panes: Sequence[Pane] = PANES, reasons: Reasons | None = None) -> Graphs:
    """All pictures of a scene that is seen in these panes."""
    graphs = Graphs()
    if isinstance(scene, CompiledScene):
        _add_compiled(graphs, scene)
    elif isinstance(scene, RecordedScene):
        layouts = layouts_of(scene, panes)
        everything = _All(layouts)
        stretches = stretches_of(scene.trace.events)
        found = zip(layouts, everything.members, everything.tracks(scene.subject, scene.trace), strict=True)
        graphs.told += [_recorded(graphs, *each, scene.trace, stretches, reasons or {}) for each in found]
        _add_headlines(graphs, scene, layouts)
        signs = {sign for _, signs in graphs.drawings.classes.items for sign in signs.split()}
        for key in possible_keys(layouts[0].picture):
            if key.sign not in signs:
                continue
            look = graphs.drawings.sample("", f'<g transform="translate(4 12)">{key.drawn}</g>')
            unless = [f"text {key.unless}"] if key.unless and key.sign not in STAYING else []
            graphs.legend.append(["text", key.sign, key.words, look, key.width, *unless])
    return graphs


def _recorded(
    graphs: Graphs,
    layout: Layout,
    members: Members,
    tracks: dict[str, Track],
    trace: Trace,
    stretches: dict[str, list[int]],
    reasons: Reasons,
) -> dict[str, Any]:
    """One picture of a recording."""
    picture = layout.picture
    draw, signs = partial(drawn_at_origin, picture), partial(signs_of, picture)
    score = Score.of(picture, trace.events)
    shown = [
        Shown(members.name(part), part, members.of(part), place, track, score.manners(part, track))
        for part in picture.parts
        for place, track in ((place_of(part, picture.drawing.routes), tracks[part.id]),)
    ]
    for part, track, manners in reason_parts(picture, reasons):
        line = picture.wire[part.of]
        place = part.x, part.y, part.width, part.height
        shown.append(Shown(f"{members.line(line)}?", part, members.on(line), place, track, manners))
    parts = [graphs.part(each, draw, signs) for each in shown]
    seen = [(graphs.drawings.seen(part), each.manners) for part, each in zip(parts, shown, strict=True)]
    graphs.stops.append(Stops.of(seen, stretches))
    told: dict[str, Any] = {
        "view": layout.view,
        "size": [round(picture.choice.placed.width), round(height_of(picture))],
        "least": READABLE,
        "parts": parts,
        "opens": {members.card(name): number for name, number in layout.opens.items()},
        "notices": list(_notices(picture, trace)),
    }
    if layout.opened is not None:
        card, before = layout.opened
        told["opened"] = [name_of(card), before]
    return told


def _add_headlines(graphs: Graphs, scene: RecordedScene, layouts: Sequence[Layout]) -> None:
    """What steps teach who sees a picture in which they are inside of a card, as far as that is another headline."""
    headlines = scene.subject.headlines
    told: dict[Hashable, tuple[CardHeadlines, dict[int, str]]] = {}
    for layout in layouts:
        cards = layout.picture.choice.cards
        if layout.opened is None and any(len(card.ops) > 1 for card in cards.cards.values()):
            told.setdefault(cards.pieces, (CardHeadlines(headlines, cards, layout.picture.onlooker), {}))
    state = scene.subject.before()
    for event in scene.trace if told else ():
        state = scene.subject.after(state, [event])
        plain = headlines.at(state)
        for on_cards, found in told.values():
            text = on_cards.told(state, plain).text
            if text != plain.text:
                found[state.step] = text
    for layout, graph in zip(layouts, graphs.told, strict=True):
        if layout.opened is None and layout.picture.choice.cards.pieces in told:
            graph["headlines"] = graphs.words.number(told[layout.picture.choice.cards.pieces][1])


def _notices(picture: Picture, trace: Trace) -> Iterator[str]:
    """What is not drawn op by op, and what the trace notes."""
    if folded := folded_in(picture.choice.cards):
        yield f"{folded} are folded"
    if aside := not_drawn(picture.choice.cards):
        yield aside
    yield from trace.notes


def _add_compiled(graphs: Graphs, scene: CompiledScene) -> None:
    """The picture of a compilation, and all that its legend can have to say."""
    parts = [part for part in scene.parts if part.kind not in FRAME_KINDS]

    def draw(part: Part, look: Look) -> str:
        return scene.draw(part if part.id in scene.routes else part.at_origin(), look)

    def signs(part: Part, look: Look) -> Iterable[str]:
        return signs_in(look)

    shown = [Shown(part.id, part, (part.of,), place_of(part, scene.routes), scene.tracks[part.id]) for part in parts]
    graphs.stops.append(Stops.of([(each.track, ()) for each in shown], stretches_of(scene.trace.events)))
    places = [place_of(part, scene.routes) for part in parts]
    right, bottom = max(x + width for x, _, width, _ in places), max(y + height for _, y, _, height in places)
    calls = [place for part, place in zip(parts, places, strict=True) if part.kind in ("input", "call", "wire")]
    graphs.told.append(
        {
            "view": "engine",
            "size": [round(right), round(bottom)],
            "least": SMALL,
            "parts": [graphs.part(each, draw, signs) for each in shown],
            "opens": {},
            "notices": list(scene.notices),
            **({"home": _around(calls)} if calls else {}),
        }
    )
    for entry in possible_entries(event.kind for event in scene.trace):
        look = graphs.drawings.sample("", swatch(entry, 4, 0))
        graphs.legend.append([entry.kind, entry.needs, entry.meaning, look, 48])


def steps_between(stops: Sequence[int]) -> list[int]:
    """How many steps each stop is after the one before, the first after step 0."""
    return [after - before for before, after in pairwise((0, *stops))]


def _around(places: Iterable[tuple[float, float, float, float]]) -> list[int]:
    """Corner and size of all that is to be read first."""
    corners = [(x, y, x + width, y + height) for x, y, width, height in places]
    x, y = min(each[0] for each in corners), min(each[1] for each in corners)
    return [round(side) for side in (x, y, max(each[2] for each in corners) - x, max(each[3] for each in corners) - y)]
