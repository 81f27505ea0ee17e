"""`compare(before, after)`: two traces side by side; a notebook plays them, `save` writes a page or a picture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from autograd_lab.display.afterwards import tensors_in, trace_of
from autograd_lab.display.embedded import HEIGHT_OF_BOTH, embedded
from autograd_lab.display.script import with_arguments
from autograd_lab.display.target import file_target, writing
from autograd_lab.trace import Trace, write_whole
from autograd_lab.view.compare.both import Both, both_of
from autograd_lab.view.compare.diptych import diptych
from autograd_lab.view.kit.font import svg_file
from autograd_lab.view.page import page_of_both, page_of_both_in_frame
from autograd_lab.view.png import PngUnavailable, to_png

SUFFIXES = (".html", ".png", ".svg")
SIDE = 3600
"""The longest side of a picture in a notebook or a file, in pixels."""


class Comparison:
    """Two traces side by side. In a notebook it is a player or, without anywidget, a picture of both at their ends."""

    def __init__(self, both: Both) -> None:
        self.both = both

    def __repr__(self) -> str:
        return "\n".join([f"<Comparison of {self.both.title}; what differs:", *self.both.told, ">"])

    @property
    def differences(self) -> list[str]:
        """What differs, in sentences, in the order in which it comes about."""
        return self.both.told

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it, by suffix: a page that plays both as .html, a picture of both at their ends as .png or .svg.

        The file appears whole or not at all. Raises ValueError for another suffix, OSError where nothing can be
        written, PngUnavailable without resvg-py.
        """
        target = file_target(Path(path), SUFFIXES)
        with writing(target):
            match target.suffix.lower():
                case ".html":
                    write_whole(target, page_of_both(self.both).encode("utf-8", "replace"))
                case ".png":
                    write_whole(target, to_png(diptych(self.both), max_side=SIDE))
                case _:
                    write_whole(target, svg_file(diptych(self.both)))
        return target

    def _ipython_display_(self) -> None:
        from IPython.display import display

        try:
            from autograd_lab.display.widget import PlayerOfBoth
        except ImportError:  # no anywidget
            display(self._repr_mimebundle_(), raw=True)
        else:
            display(PlayerOfBoth(self.both))

    def _repr_html_(self) -> str:
        """A player of both, in a frame of its own, for what is made of notebooks."""
        return embedded(page_of_both_in_frame(self.both), diptych(self.both), repr(self), HEIGHT_OF_BOTH)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": repr(self), "text/html": self._repr_html_()}
        try:
            bundle["image/png"] = to_png(diptych(self.both), max_side=SIDE)
        except PngUnavailable:
            bundle["image/svg+xml"] = diptych(self.both)
        return bundle


def compare(one: Any, other: Any, *, titles: tuple[str, str] = ("first", "second"), **options: Any) -> Comparison:
    """Two traces, or the graphs behind two tensors, side by side: which steps belong together, and what differs.

    `titles` say in every sentence which of the two is meant. `options` are those of `draw`.

    Raises ValueError for titles that do not tell the two apart, and what `draw` raises.
    """
    if len(titles) != 2 or titles[0] == titles[1]:
        raise ValueError(f"titles should be two that differ, such as ('in place', 'not in place'), not {titles!r}")
    first, second = (thing if isinstance(thing, Trace) else trace_of(*tensors_in(thing)) for thing in (one, other))
    return Comparison(both_of(first, second, titles, **options))


def titles_of(one: str, other: str) -> tuple[str, str]:
    """What to call two programs, by their paths and arguments: as briefly as tells them apart."""
    names = _name(one), _name(other)
    if names[0] == names[1]:
        names = one, other
    return names if names[0] != names[1] else (f"{one}, first", f"{other}, second")


def _name(program: str) -> str:
    path, arguments = with_arguments(program)
    return " ".join([Path(path).stem, *arguments])
