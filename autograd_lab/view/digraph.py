"""A `graphviz.Digraph` that renders wherever it is: with `dot`, with the pygraphviz wheel, or with our own layout."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

import graphviz

from autograd_lab.view.graphviz_engine import GraphvizMissing, run_dot
from autograd_lab.view.plain import Edge, plain_svg

CSS_PX_PER_PT = 96 / 72


class Dot(graphviz.Digraph):  # type: ignore[misc]
    """Used as any Digraph is. Without Graphviz, `svg` and `png` are drawn in a plain style, other formats raise."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.cells: dict[str, dict[str, str]] = {}
        self.lines: list[Edge] = []

    def node(self, name: str, label: str | None = None, _attributes: Any = None, **attrs: Any) -> None:
        """Add a node, as `graphviz.Digraph.node` does."""
        super().node(name, label=label, _attributes=_attributes, **attrs)
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
        self.lines.append((tail_name, head_name, {**(_attributes or {}), **attrs}))

    def copy(self) -> Dot:
        """A copy that can be changed on its own."""
        other: Dot = super().copy()
        other.cells, other.lines = dict(self.cells), list(self.lines)
        return other

    def pipe(self, format: str | None = None, *, encoding: str | None = None, **kwargs: Any) -> bytes | str:
        """The picture as bytes, or as text in an `encoding`; all of graphviz's arguments are understood.

        Raises GraphvizMissing for a format other than svg or png where there is no Graphviz.
        """
        if shutil.which("dot"):
            drawn: bytes | str = super().pipe(format=format, encoding=encoding, **kwargs)
            return drawn
        picture = self._drawn(format or self.format, kwargs.get("engine") or self.engine)
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
        if shutil.which("dot"):
            places = {"filename": filename, "directory": directory, "outfile": outfile}
            return str(super().render(**places, view=view, cleanup=cleanup, format=format, **kwargs))
        form = format or (Path(outfile).suffix.removeprefix(".") if outfile else "") or self.format
        picture = self._drawn(form, kwargs.get("engine") or self.engine)
        if outfile and filename is None:
            filename = Path(outfile).with_suffix(".gv")
        source = self.save(filename=filename, directory=directory)
        target = str(outfile or f"{source}.{form}")
        Path(target).write_bytes(picture)
        if cleanup:
            os.remove(source)
        if view or kwargs.get("quiet_view"):
            graphviz.view(target)
        return target

    def _repr_svg_(self) -> str:
        return str(self.pipe("svg", encoding="utf-8"))

    def _drawn(self, form: str, engine: str) -> bytes:
        """The picture without a `dot` executable. Pixels are our own in any case: the wheel brings no fonts."""
        try:
            if form != "png":
                return run_dot(self.source, form, engine)
            svg = _in_px(run_dot(self.source, "svg", engine).decode())
        except GraphvizMissing:
            if form not in ("svg", "png"):
                raise
            svg = plain_svg(self.cells, self.lines)
        if form == "svg":
            return svg.encode()
        from autograd_lab.view.png import to_png  # only pictures in pixels need it

        return to_png(svg)


def _in_px(svg: str) -> str:
    """Graphviz's SVG, which states its size in pt, with a size in px."""

    def px(side: re.Match[str]) -> str:
        return f'{side[1]}="{float(side[2]) * CSS_PX_PER_PT:.1f}"'

    return re.sub(r'(width|height)="([\d.]+)pt"', px, svg, count=2)
