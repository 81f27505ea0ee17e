"""A scene at a step as Graphviz source: the same parts and states in words, for whoever wants to style it further."""

from __future__ import annotations

from collections import defaultdict

import graphviz

from autograd_lab.view.kit.font import FAMILY
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.layout.boxes import Link
from autograd_lab.view.scene import Scene

SHAPES = {
    "box": {"shape": "box", "style": "filled", "fillcolor": "#f4f6f8"},
    "pill": {"shape": "box", "style": "rounded,bold"},
    "fold": {"shape": "folder"},
    "number": {"shape": "plaintext"},
    "fold-chip": {"shape": "box", "style": "rounded,dashed"},
    "docked": {"shape": "box", "style": "rounded,dashed"},
    "input": {"shape": "box", "style": "rounded,filled", "fillcolor": "#e1effa"},
    "call": {"shape": "box"},
}


def to_gv(scene: Scene, step: int | None = None) -> str:
    """Graphviz source of the picture after `step` events by default after all. Raises IndexError for an unknown one."""
    state = scene.state(scene.steps if step is None else step)
    looks = [(part, scene.look(part, state)) for part in scene.parts]
    looks = [(part, look) for part, look in looks if "hidden" not in look.classes]
    graph = graphviz.Digraph("autograd", graph_attr={"rankdir": scene.direction}, node_attr={"fontname": FAMILY})
    graph.attr(label=_text([scene.frame.captions.at(state)]), labelloc="t", fontname=FAMILY)
    lines = _lines(looks)
    links = {link.id: link for link in scene.plan.links}
    for part, look in looks:
        if part.kind in SHAPES:
            graph.node(part.id, _text(lines[part.id]), **SHAPES[part.kind] | _style(look))
        if part.kind in ("number", "docked"):
            graph.edge(part.id, part.of, style="dashed" if part.kind == "number" else "solid")
        if part.kind == "fold-chip":
            graph.edge(part.id, part.id.split(".")[0])
        if part.kind == "box" and (made_by := scene.looks.history.boxes[part.of].op) is not None:
            graph.edge(made_by, part.id, arrowhead="none", style="dotted")
        if part.kind in ("link", "fold-link"):
            _edge(graph, links[part.id], look)
        if part.kind == "wire":
            graph.edge(part.text, part.of, style="dashed" if "gone" in look.classes else "solid")
    source: str = graph.source
    return source


def _style(look: Look) -> dict[str, str]:
    if "leaf" in look.classes:
        return {"style": "rounded,filled", "fillcolor": "#e1effa"}
    return {"style": "dashed"} if {"no-grad", "unrecorded", "plain", "gone", "absent"} & set(look.classes) else {}


def _lines(looks: list[tuple[Part, Look]]) -> dict[str, list[str]]:
    """What each node says: its own texts, and those of what is docked to it."""
    lines: dict[str, list[str]] = defaultdict(list)
    for part, look in looks:
        texts = [text for name, text in look.texts if text and name != "heat"]
        if not texts:
            continue
        together = part.kind in ("slot", "grad", "flow", "dock")
        lines[part.of if together else part.id] += [", ".join(texts)] if together else texts
    return lines


def _edge(graph: graphviz.Digraph, link: Link, look: Look) -> None:
    sent = "sent" in look.classes
    colour = {"color": "#8f2470", "dir": "back", "penwidth": "2.5"} if sent else {}
    style = {"style": "dashed"} if "cut" in look.classes else {}
    graph.edge(link.source, link.target, _text([look.text("label")]), **colour, **style)


def _text(lines: list[str]) -> str:
    """Lines as Graphviz text: backslashes are escaped, and nothing is read as HTML."""
    return str(graphviz.nohtml(r"\n".join(graphviz.escape(line) for line in lines)))
