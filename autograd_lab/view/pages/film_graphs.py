"""The graphs of a film: all pictures of a recording, or the one of a compilation."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any, Protocol

from autograd_lab.events import Event
from autograd_lab.trace import Trace
from autograd_lab.view.compiled.compiled_scene import FRAME_KINDS, CompiledScene
from autograd_lab.view.compiled.frame_drawing import swatch
from autograd_lab.view.compiled.legend import possible_entries, signs_in
from autograd_lab.view.graph.around import folded_in, not_drawn
from autograd_lab.view.graph.faces.forms import Pane
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.keys import possible_keys, signs_of
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.graph.words.on_cards import CardHeadlines
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.languages.speaking import translated
from autograd_lab.view.motion.grain import GRAINS, Stops, stretches_of
from autograd_lab.view.motion.score import Known, Score
from autograd_lab.view.pages.all_parts import AllParts
from autograd_lab.view.pages.at_origin import RIM, drawn_at_origin, height_of, place_of
from autograd_lab.view.pages.layouts import PANES, Layout, layouts_of
from autograd_lab.view.pages.local_products import Reasons, reason_parts
from autograd_lab.view.pages.members import Members, name_of
from autograd_lab.view.pages.player_parts import Drawings, Once, Shown
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import Scene
from autograd_lab.view.track import Track, Tracking

READABLE = 0.96
"""Below this scale the smallest texts, of 12.5 px, have less than 12 and cannot be read."""
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


class Along(Protocol):
    """Whoever goes through the states, too, and finds the reasons for what lines bring."""

    def see(self, event: Event, before: Any, state: Any) -> None: ...

    def reasons(self) -> Reasons: ...


def graphs_of(scene: Scene, panes: Sequence[Pane] = PANES, along: Along | None = None) -> Graphs:
    """All pictures of a scene that is seen in these panes. It goes through the states once, and takes others along."""
    graphs = Graphs()
    watched = Watched(scene, panes) if isinstance(scene, RecordedScene) else None
    before = scene.subject.before()
    for event in scene.trace:
        state = scene.subject.after(before, [event])
        if along is not None:
            along.see(event, before, state)
        if watched is not None:
            watched.see(event, state)
        before = state
    if isinstance(scene, CompiledScene):
        _add_compiled(graphs, scene)
    elif watched is not None:
        watched.tell(graphs, along.reasons() if along is not None else {})
        _add_keys(graphs, watched.layouts[0].picture)
    return graphs


def _add_keys(graphs: Graphs, picture: Picture) -> None:
    """The legend for the signs that are ever drawn."""
    signs = {sign for _, signs in graphs.drawings.classes.items for sign in signs.split()}
    for key in possible_keys(picture):
        if key.sign not in signs:
            continue
        look = graphs.drawings.sample("", f'<g transform="translate(4 12)">{key.drawn}</g>')
        unless = [f"text {key.unless}"] if key.unless and key.sign not in STAYING else []
        graphs.legend.append(["text", key.sign, key.words, look, key.width, *unless])


class Watched:
    """All pictures of a recording: how parts look, and what steps teach, while somebody goes through the states."""

    def __init__(self, scene: RecordedScene, panes: Sequence[Pane]) -> None:
        self.layouts = layouts_of(scene, panes)
        self._subject, self._trace, self._parts = scene.subject, scene.trace, AllParts(self.layouts)
        self._stretches = stretches_of(scene.trace.events)
        self._tracking = Tracking(self._parts, scene.subject)
        self._told: dict[Hashable, tuple[CardHeadlines, dict[int, str]]] = {}
        for layout in self.layouts:
            cards = layout.picture.choice.cards
            if layout.opened is None and any(len(card.ops) > 1 for card in cards.cards.values()):
                headlines = CardHeadlines(scene.subject.headlines, cards, layout.picture.onlooker)
                self._told.setdefault(cards.pieces, (headlines, {}))

    def see(self, event: Event, state: GraphState) -> None:
        """Take down what is seen after an event."""
        self._tracking.see(event, state)
        if not self._told:
            return
        plain = self._subject.headlines.at(state)
        for on_cards, found in self._told.values():
            told = on_cards.told(state, plain)
            if told.text != plain.text:
                found[state.step] = translated(told.text)

    def tell(self, graphs: Graphs, reasons: Reasons) -> None:
        """Note all pictures, and what steps teach who sees one in which they are inside of a card, as far as that is
        another headline."""
        known: Known = {}
        tracks = self._parts.sorted(self._tracking.tracks)
        for layout, members, found in zip(self.layouts, self._parts.members, tracks, strict=True):
            score = Score.of(layout.picture, self._trace.events, known)
            shown = [*_shown(layout.picture, members, found, score), *_reasons(layout.picture, members, reasons)]
            graphs.told.append(self._picture(graphs, layout, members, shown))
        for layout, told in zip(self.layouts, graphs.told, strict=True):
            others = self._told.get(layout.picture.choice.cards.pieces)
            if layout.opened is None and others is not None:
                told["headlines"] = graphs.words.number(others[1])

    def _picture(self, graphs: Graphs, layout: Layout, members: Members, shown: Sequence[Shown]) -> dict[str, Any]:
        """One of them, with what is shown in it."""
        picture = layout.picture
        draw, signs = partial(drawn_at_origin, picture), partial(signs_of, picture)
        parts = [graphs.part(each, draw, signs) for each in shown]
        seen = [(graphs.drawings.seen(part), each.manners) for part, each in zip(parts, shown, strict=True)]
        graphs.stops.append(Stops.of(seen, self._stretches))
        told: dict[str, Any] = {
            "view": layout.view,
            "bounds": _bounds([(0.0, 0.0, picture.choice.placed.width, height_of(picture))]),
            "least": READABLE,
            "parts": parts,
            "opens": {members.card(name): number for name, number in layout.opens.items()},
            "notices": list(_notices(picture, self._trace)),
        }
        if layout.opened is not None:
            card, before = layout.opened
            told["opened"] = [name_of(card), before]
        return told


def _shown(picture: Picture, members: Members, tracks: Mapping[str, Track], score: Score) -> Iterator[Shown]:
    """The parts of a picture."""
    for part in picture.parts:
        place, track = place_of(part, picture.drawing.routes), tracks[part.id]
        yield Shown(members.name(part), part, members.of(part), place, track, score.manners(part, track))


def _reasons(picture: Picture, members: Members, reasons: Reasons) -> Iterator[Shown]:
    """What stands on its lines before a number rides along them."""
    for part, track, manners in reason_parts(picture, reasons):
        line = picture.wire[part.of]
        place = part.x, part.y, part.width, part.height
        yield Shown(f"{members.line(line)}?", part, members.on(line), place, track, manners)


def _notices(picture: Picture, trace: Trace) -> Iterator[str]:
    """What is not drawn op by op, and what the trace notes."""
    if folded := folded_in(picture.choice.cards):
        yield translated(f"{folded} are folded")
    if aside := not_drawn(picture.choice.cards):
        yield aside
    yield from map(translated, trace.notes)


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
    calls = [place for part, place in zip(parts, places, strict=True) if part.kind in ("input", "call", "wire")]
    graphs.told.append(
        {
            "view": "engine",
            "bounds": _bounds(places),
            "least": READABLE,
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
    """Corner and size of what encloses all of these."""
    corners = [(x, y, x + width, y + height) for x, y, width, height in places]
    x, y = min(each[0] for each in corners), min(each[1] for each in corners)
    return [round(side) for side in (x, y, max(each[2] for each in corners) - x, max(each[3] for each in corners) - y)]


def _bounds(places: Iterable[tuple[float, float, float, float]]) -> dict[str, int]:
    """The same by name, with a rim."""
    x, y, width, height = _around(places)
    return {"x": x - RIM, "y": y - RIM, "width": width + 2 * RIM, "height": height + 2 * RIM}
