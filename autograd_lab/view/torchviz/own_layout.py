"""Nodes and edges of a DOT graph as a plain SVG, laid out by ourselves: boxes with lines of text, top down."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape, unescape

from autograd_lab.view.kit.font import MONO_FAMILY, clean, text_width
from autograd_lab.view.layout.boxes import Box, Layout, Link, Route, lay_out

ENTITY = re.compile(r"&#?\w+;")
Edge = tuple[str, str, dict[str, str]]

COLORS = {
    "lightgrey": "#d3d3d3",
    "lightblue": "#add8e6",
    "orange": "#ffa500",
    "navajowhite": "#ffdead",
    "darkolivegreen1": "#caff70",
    "darkolivegreen3": "#a2cd5a",
}
"""Graphviz's names as SVG spells them; others are handed on."""

FONT, LINE, PAD, MARGIN, HEAD = 12.0, 15.0, 7.0, 8.0, 9.0
"""Font size, height of a line, inner and outer margin, length of an arrowhead, px."""


def ranks_crossed(nodes: Iterable[str], edges: Sequence[Edge]) -> int:
    """How many ranks the lines of a layered picture cross, all together; each node stands as close as can be to its
    successors."""
    named = dict.fromkeys([*nodes, *(end for tail, head, _ in edges for end in (tail, head))])
    order = _order(list(named), edges)
    heads: dict[str, set[str]] = {name: set() for name in order}
    for tail, head, _ in edges:
        first, last = sorted((tail, head), key=order.__getitem__)
        heads[first] |= {last} - {first}
    rank: dict[str, int] = {}
    for name in reversed(order):
        rank[name] = max((rank[head] + 1 for head in heads[name]), default=0)
    return sum(abs(rank[tail] - rank[head]) for tail, head, _ in edges)


def plain_svg(nodes: Mapping[str, Mapping[str, str]], edges: Sequence[Edge]) -> str:
    """A drawing of nodes, by name with label, style and colours, and edges (tail, head, look)."""
    named = dict.fromkeys([*nodes, *(end for tail, head, _ in edges for end in (tail, head))])
    looks = {name: dict(nodes.get(name, {"label": name})) for name in named}
    order = _order(list(named), edges)
    boxes = [_box(name, _lines(looks[name])) for name in order]
    drawn = lay_out(boxes, _links(order, boxes, edges), direction="TB", rank_gap=26, box_gap=18)
    width, height = drawn.width + 2 * MARGIN, drawn.height + 2 * MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.1f}" height="{height:.1f}"'
            f' viewBox="{-MARGIN} {-MARGIN} {width:.1f} {height:.1f}" font-family="{MONO_FAMILY}, monospace"'
            f' font-size="{FONT}" text-anchor="middle">',
            f'<rect x="{-MARGIN}" y="{-MARGIN}" width="100%" height="100%" fill="white"/>',
            *(
                _line(drawn.routes[str(i)], look, order[tail] > order[head])
                for i, (tail, head, look) in enumerate(edges)
                if tail != head
            ),
            *(_cell(box, looks[box.id], drawn) for box in boxes),
            "</svg>\n",
        ]
    )


def _order(names: list[str], edges: Sequence[Edge]) -> dict[str, int]:
    """Nodes numbered so that edges run forwards; where edges go round in a circle, the last one found runs back.

    Lines without an arrowhead count only at what has no arrows: a saved leaf stays above the nodes that it leads to.
    """
    tails: dict[str, list[str]] = {name: [] for name in names}
    joined = {end for *ends, look in edges if look.get("dir") != "none" for end in ends}
    for tail, head, look in edges:
        if look.get("dir") != "none" or not joined.issuperset((tail, head)):
            tails[head].append(tail)
    order: dict[str, int] = {}
    entered: set[str] = set()
    for name in names:
        stack = [(name, False)]
        while stack:
            node, left = stack.pop()
            if left:
                order[node] = len(order)
            elif node not in entered:
                entered.add(node)
                stack.append((node, True))
                stack += [(tail, False) for tail in reversed(tails[node]) if tail not in entered]
    return order


def _lines(look: Mapping[str, str]) -> list[str]:
    """A label as DOT means it: a backslash escapes, `\\n`, `\\l` and `\\r` end a line, `&lt;` is a character.

    Characters that cannot be drawn have a stand-in.
    """
    text, escaped = "", False
    for char in look.get("label", ""):
        if escaped:
            text, escaped = text + ("\n" if char in "nlr" else char), False
        elif char == "\\":
            escaped = True
        else:
            text += char
    return [clean(ENTITY.sub(lambda it: unescape(it[0]), line)) for line in text.split("\n")]


def _box(name: str, lines: list[str]) -> Box:
    width = max(text_width(line, FONT, mono=True) for line in lines) + 2 * PAD
    return Box(name, max(width, 54.0), LINE * len(lines) + PAD)


def _links(order: Mapping[str, int], boxes: Sequence[Box], edges: Sequence[Edge]) -> list[Link]:
    """Every edge between two nodes, forwards; where several arrive at one node, or leave it, they meet."""
    middle = {box.id: box.width / 2 for box in boxes}
    links = []
    for i, (tail, head, look) in enumerate(edges):
        if tail != head:
            first, last = sorted((tail, head), key=lambda name: order[name])
            room = HEAD if look.get("dir") != "none" else 0.0
            links.append(Link(str(i), first, last, middle[first], middle[last], room))
    return links


def _line(route: Route, look: Mapping[str, str], backwards: bool) -> str:
    start, *rest = route
    path = f"M{start[0]},{start[1]}" + "".join(
        f" C{a[0]},{a[1]} {b[0]},{b[1]} {c[0]},{c[1]}"
        for a, b, c in zip(rest[::3], rest[1::3], rest[2::3], strict=True)
    )
    dash = ' stroke-dasharray="1 4"' if look.get("style") == "dotted" else ""
    line = f'<path d="{path}" fill="none" stroke="black"{dash}/>'
    if look.get("dir") == "none":
        return line
    (x, y), back = (route[0], HEAD) if backwards else (route[-1], -HEAD)
    return line + f'<path d="M{x},{y} l{-HEAD / 3:.2f},{back} h{HEAD / 1.5:.2f} z"/>'


def _cell(box: Box, look: Mapping[str, str], drawn: Layout) -> str:
    x, y = drawn.places[box.id]
    style = look.get("style", "filled")
    fill = look.get("fillcolor", "lightgrey") if style == "filled" else "white"
    colors = f'fill="{escape(COLORS.get(fill, fill))}" stroke="{escape(look.get("color", "black"))}"'
    dash = ' stroke-dasharray="5 3"' if style == "dashed" else ""
    shape = (
        f'<rect x="{x}" y="{y}" width="{box.width:.2f}" height="{box.height:.2f}" {colors}'
        f' stroke-width="{escape(look.get("penwidth", "1"))}"{dash}/>'
    )
    middle = x + box.width / 2
    texts = [
        f'<text xml:space="preserve" x="{middle:.2f}" y="{y + PAD / 2 + LINE * (i + 0.76):.2f}">{escape(line)}</text>'
        for i, line in enumerate(_lines(look))
    ]
    return "".join([shape, *texts])
