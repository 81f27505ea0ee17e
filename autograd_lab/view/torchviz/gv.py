"""A picture at a step as Graphviz source, for whoever wants to style it further: of a recording its cards and wires in
words, of a compilation its calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import graphviz

from autograd_lab.view.graph.cards.card import Card
from autograd_lab.view.graph.faces.forms import THICKEST
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.looks.now import Now
from autograd_lab.view.graph.looks.pocket_look import Pocket, pocket_look
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.kit.font import FAMILY, seen
from autograd_lab.view.kit.palette import LIGHT
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import Scene

Attributes = dict[str, str]
Shown = Sequence[tuple[Part, Look]]

ROLES = ("formula", "was", "fine", "badge", "shape", "first", "value", "words", "beside", "count", "label", "glabel")
"""The texts of a card below its name, in this order; what its gradient is comes last."""
KINDS = {
    "op": {"shape": "box", "style": "rounded"},
    "turn": {"shape": "box", "style": "rounded"},
    "leaf": {"shape": "box", "style": "filled", "fillcolor": LIGHT["leaf"], "color": LIGHT["leaf_line"]},
    "data": {"shape": "box", "style": "dashed"},
    "module": {"shape": "component"},
    "stack": {"shape": "box3d"},
}
STATES = {
    "waiting": {"color": LIGHT["plus"], "style": "rounded,dashed"},
    "ready": {"color": LIGHT["plus"], "penwidth": "2"},
    "running": {"color": LIGHT["plus"], "penwidth": "3", "style": "rounded,filled", "fillcolor": LIGHT["plus_soft"]},
    "done": {"color": LIGHT["plus_mid"], "style": "rounded,filled", "fillcolor": LIGHT["plus_soft"]},
    "released": {"style": "rounded,dotted"},
    "stale": {"color": LIGHT["alarm"], "penwidth": "2", "style": "rounded,dashed"},
    "failed": {"color": LIGHT["alarm"], "penwidth": "3"},
}
"""What a state adds to a card, by the names of its look."""
LINES = {
    "nothing": {"style": "dashed", "arrowhead": "none"},
    "waiting": {"style": "dashed", "color": LIGHT["plus"], "arrowhead": "none"},
    "blocked": {"style": "dashed", "color": LIGHT["alarm"], "arrowhead": "none"},
    "sent": {"color": LIGHT["plus"], "fontcolor": LIGHT["plus"], "dir": "back"},
    "minus": {"color": LIGHT["minus"], "fontcolor": LIGHT["minus"]},
    "odd": {"color": LIGHT["alarm"], "fontcolor": LIGHT["alarm"]},
}
WIDEST = 5.0
"""The widest line: wider ones would lie over their numbers."""
COMPILED = {
    "input": {"shape": "box", "style": "rounded,filled", "fillcolor": "#e1effa"},
    "call": {"shape": "box"},
}


def to_gv(scene: Scene, step: int | None = None) -> str:
    """Graphviz source of the picture after `step` events by default after all. Raises IndexError for an unknown one."""
    step = scene.steps if step is None else step
    state = scene.state(step)
    looks = [(part, scene.look(part, state)) for part in scene.parts]
    edges = {"fontname": FAMILY, "arrowsize": "0.8"}
    graph = graphviz.Digraph("autograd", node_attr={"fontname": FAMILY}, edge_attr=edges)
    graph.attr(label=_text([scene.headline(step).text]), labelloc="t", fontname=FAMILY)
    if isinstance(scene, RecordedScene):
        picture = scene.stills.picture
        graph.attr(rankdir="TB" if picture.choice.placed.form == "TB" else "LR")
        _add_cards(graph, picture, state, [(part, look) for part, look in looks if not _is_absent(look)])
    else:
        graph.attr(rankdir="LR")
        _add_calls(graph, [(part, look) for part, look in looks if "hidden" not in look.classes])
    source: str = graph.source
    return source


def _is_absent(look: Look) -> bool:
    """Whether there is nothing of a part yet, or any more."""
    return bool({"hidden", "coming"} & set(look.classes))


def _add_cards(graph: graphviz.Digraph, picture: Picture, state: GraphState, shown: Shown) -> None:
    """Cards and lanes as nodes, wires and drops as edges; what a backward pass recorded stands in a box of its own."""
    cards, pockets = picture.choice.cards.cards, _pockets(picture, shown, state)
    there = {part.of for part, _ in shown if part.kind in ("card", "lane")}
    second = [_name(part.of) for part, _ in shown if part.kind == "card" and cards[part.of].second]
    for part, look in sorted(shown, key=lambda each: each[0].kind in ("link", "drop")):
        match part.kind:
            case "card":
                lines = [*_said(cards[part.of], look), *pockets[part.of]]
                graph.node(_name(part.of), _text(lines), **_styled(cards[part.of], look))
            case "lane":
                graph.node(_name(part.of), _text([look.text("name"), look.text("grad")]), **KINDS["leaf"])
            case "cycle":
                graph.node("cycle", _text([look.text("line"), look.text("rule")]), shape="cds")
            case "link" if {picture.wire[part.of].source, picture.wire[part.of].target} <= there:
                _add_line(graph, picture.wire[part.of].source, picture.wire[part.of].target, look)
            case "drop" if set(picture.drawing.drops[part.id]) <= there:
                card, bar = picture.drawing.drops[part.id]
                _add_line(graph, bar, card, look)
            case "sheet" if part.text:
                with graph.subgraph(name="cluster_second") as sheet:
                    sheet.attr(label=_text([part.text]), style="dashed", color=LIGHT["plus"], fontcolor=LIGHT["plus"])
                    for name in second:
                        sheet.node(name)


def _said(card: Card, look: Look) -> Iterator[str]:
    """What stands on a card, line by line: a tile is no text."""
    texts = dict(look.texts)
    title = (texts.get("name") or texts.get("sign", ""), texts.get("times", "").strip(), texts.get("version", ""))
    yield " ".join(filter(None, title))
    yield from (texts[role] for role in ROLES if texts.get(role))
    if texts.get("grad"):
        yield f".grad {texts['grad']}" if card.kind == "leaf" else texts["grad"]
    yield from (texts[role] for role in ("sum", "word") if texts.get(role))


def _pockets(picture: Picture, shown: Shown, state: GraphState) -> dict[str, list[str]]:
    """What each card saved, and what became of it; of a card that hides ops how much."""
    found: dict[str, list[str]] = defaultdict(list)
    for part, look in shown:
        if part.kind != "slot":
            continue
        card = picture.drawing.pockets[part.id].card
        if len(card.ops) > 1:
            look = pocket_look(Pocket(card), Now(picture.history, state), engine=picture.engine)
            found[card.id] = [look.text("title")]
        else:
            found[card.id].append(f"{look.text('state') or 'saved'}: {look.text('title')}")
    return found


def _styled(card: Card, look: Look) -> Attributes:
    style = dict(KINDS[card.kind])
    for name, more in STATES.items():
        if name in look.classes and card.kind != "leaf":
            style |= more
    return style | ({"peripheries": "2"} if "own" in look.classes else {})


def _add_line(graph: graphviz.Digraph, source: str, target: str, look: Look) -> None:
    """A wire, with what came back along it, before and after a hook."""
    style: Attributes = {}
    for name, more in LINES.items():
        style |= more if name in look.classes else {}
    if look.text("width"):
        style["penwidth"] = f"{min(float(look.text('width')), THICKEST) / THICKEST * WIDEST:.2g}"
    said = " → ".join(filter(None, (look.text(name) for name in ("label", "hook", "after"))))
    graph.edge(_name(source), _name(target), _text([said]) if said else None, **style)


def _add_calls(graph: graphviz.Digraph, shown: Shown) -> None:
    """The calls of a compilation."""
    for part, look in shown:
        gone = {"gone", "absent"} & set(look.classes)
        if part.kind in COMPILED:
            style = COMPILED[part.kind] | ({"style": "dashed"} if gone else {})
            graph.node(part.id, _text(text for _, text in look.texts if text), **style)
        if part.kind == "wire":
            graph.edge(part.text, part.of, style="dashed" if "gone" in look.classes else "solid")


def _name(card: str) -> str:
    """The name of a card's node: a colon would begin a port."""
    return card.replace(":", "_")


def _text(lines: Iterable[str]) -> str:
    """Lines as Graphviz text: backslashes are escaped, and nothing is read as HTML, or as the end of the file."""
    return str(graphviz.nohtml(r"\n".join(graphviz.escape(seen(line)) for line in lines)))
