"""A `graphviz.Digraph` that renders wherever it is: with `dot`, with the pygraphviz wheel, or with our own layout.

Graphviz's time grows with the ranks that lines cross: of a recurrent network it draws 20 steps in a second, 50 in
minutes, and 200 not at all. So our own layout draws what is long, too.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import graphviz

from autograd_lab.trace import write_whole
from autograd_lab.view.layout.graphviz_engine import GraphvizMissing, run_dot
from autograd_lab.view.torchviz.own_layout import Edge, plain_svg, ranks_crossed

CSS_PX_PER_PT = 96 / 72
LONG = 3000
"""Ranks crossed by all lines together, beyond which Graphviz takes seconds to hours, as measured on loops and nets."""
MANY_PIXELS = 12e6
"""A picture of more is drawn at a smaller scale: it would take long, and few programs could open it."""
OWN = ("svg", "png")
"""The formats that our own layout is drawn in."""


class Dot(graphviz.Digraph):  # type: ignore[misc]  # graphviz is not typed
    """Used as any Digraph is. Without Graphviz, `svg` and `png` are drawn in a plain style, other formats raise.

    So are `svg` and `png` of a graph that is too long for Graphviz, unless it was styled further or is rendered with an
    `engine="dot"`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cells: dict[str, dict[str, str]] = {}
        self.lines: list[Edge] = []
        self.known = 0

    def node(self, name: str, label: str | None = None, _attributes: Any = None, **attrs: Any) -> None:
        """Add a node, as `graphviz.Digraph.node` does."""
        super().node(name, label=label, _attributes=_attributes, **attrs)
        self.known += 1
        self.cells[name] = {"label": name if label is None else label, **(_attributes or {}), **attrs}

    def edge(
        self,
        tail_name: str,
        head_name: str,
        label: str | None = None,
        _attributes: Any = None,
        **attrs: Any,
    ) -> None:
        """Add an edge, as `graphviz.Digraph.edge` does."""
        super().edge(tail_name, head_name, label=label, _attributes=_attributes, **attrs)
        self.known += 1
        self.lines.append((tail_name, head_name, {**(_attributes or {}), **attrs}))

    def edges(self, tail_head_iter: Iterable[tuple[str, str]]) -> None:
        """Add edges, as `graphviz.Digraph.edges` does."""
        for tail, head in tail_head_iter:
            self.edge(tail, head)

    def clear(self, keep_attrs: bool = False) -> None:
        """Empty the graph, as `graphviz.Digraph.clear` does."""
        super().clear(keep_attrs=keep_attrs)
        self.cells, self.lines, self.known = {}, [], 0

    def copy(self) -> Dot:
        """A copy that can be changed on its own."""
        other: Dot = super().copy()
        other.cells, other.lines, other.known = dict(self.cells), list(self.lines), self.known
        return other

    def pipe(self, format: str | None = None, *, encoding: str | None = None, **kwargs: Any) -> bytes | str:
        """The picture as bytes, or as text in an `encoding`; all of graphviz's arguments are understood.

        Raises GraphvizMissing for a format other than svg or png where there is no Graphviz.
        """
        form, engine = format or self.format, kwargs.get("engine")
        if shutil.which("dot") and not self._too_long(form, engine):
            drawn: bytes | str = super().pipe(format=format, encoding=encoding, **kwargs)
            return drawn
        picture = self._drawn(form, engine)
        return picture.decode(encoding) if encoding else picture

    def render(
        self,
        filename: str | os.PathLike[str] | None = None,
        directory: str | os.PathLike[str] | None = None,
        view: bool = False,
        cleanup: bool = False,
        format: str | None = None,
        *,
        outfile: str | os.PathLike[str] | None = None,
        **kwargs: Any,
    ) -> str:
        """Write the source to `filename` and the picture beside it; returns the picture's path.

        All of graphviz's arguments are understood.
        """
        form = format or (Path(outfile).suffix.removeprefix(".") if outfile else "") or self.format
        engine = kwargs.get("engine")
        if shutil.which("dot") and not self._too_long(form, engine):
            places = {"filename": filename, "directory": directory, "outfile": outfile}
            return str(super().render(**places, view=view, cleanup=cleanup, format=format, **kwargs))
        picture = self._drawn(form, engine)
        if outfile and filename is None:
            filename = Path(outfile).with_suffix(".gv")
        source = self.save(filename=filename, directory=directory)
        target = str(outfile or f"{source}.{form}")
        write_whole(Path(target), picture)
        if cleanup:
            os.remove(source)
        if view or kwargs.get("quiet_view"):
            graphviz.view(target)
        return target

    def _repr_svg_(self) -> str:
        return str(self.pipe("svg", encoding="utf-8"))

    def _too_long(self, form: str, engine: str | None) -> bool:
        """Whether Graphviz would take too long over what we can draw, and nobody asked for Graphviz."""
        free = form in OWN and engine is None and self.engine == "dot" and not self._styled()
        return free and ranks_crossed(self.cells, self.lines) > LONG

    def _styled(self) -> bool:
        """Whether there is more than nodes and edges: subgraphs, another direction and the like."""
        return len(self.body) != self.known or bool(set(self.graph_attr) - {"size"})

    def _drawn(self, form: str, engine: str | None) -> bytes:
        """The picture without a `dot` executable. Pixels are our own in any case: the wheel brings no fonts."""
        if form not in OWN:
            return run_dot(self.source, form, engine or self.engine)
        svg = plain_svg(self.cells, self.lines) if self._too_long(form, engine) else self._svg(engine or self.engine)
        if form == "svg":
            return svg.encode()
        from autograd_lab.view.png import svg_size, to_png  # only pictures in pixels need it

        svg = _in_px(svg)
        return to_png(svg, scale=min(2.0, (MANY_PIXELS / math.prod(svg_size(svg))) ** 0.5))

    def _svg(self, program: str) -> str:
        try:
            return run_dot(self.source, "svg", program).decode()
        except GraphvizMissing as error:
            if self._styled():
                warnings.warn(
                    f"the picture has nodes and edges only, nothing that was set besides. {error}", stacklevel=5
                )
            return plain_svg(self.cells, self.lines)


def _in_px(svg: str) -> str:
    """Graphviz's SVG, which states its size in pt, with a size in px."""

    def px(side: re.Match[str]) -> str:
        return f'{side[1]}="{float(side[2]) * CSS_PX_PER_PT:.1f}"'

    return re.sub(r'(width|height)="([\d.]+)pt"', px, svg, count=2)
