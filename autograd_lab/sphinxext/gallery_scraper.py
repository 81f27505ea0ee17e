"""A scraper for sphinx-gallery: the pictures and traces that a block of an example has made."""

from __future__ import annotations

import os
from textwrap import indent
from typing import Any
from weakref import WeakSet

from autograd_lab.display.embedded import html_of
from autograd_lab.display.picture import Picture
from autograd_lab.trace import Trace
from autograd_lab.view.alternative_text import alternative_to

LAST_LINE = "___"
"""The name that sphinx-gallery gives what the last line of a block is."""
_seen: WeakSet[Any] = WeakSet()


def scraper(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any], **_: Any) -> str:
    """Text for the page: an image of each new Picture, the player of each new Trace that is a variable.

    The last line of a block needs no scraper: sphinx-gallery shows a trace there of its own accord.
    """
    said: list[str] = []
    found = block_vars["example_globals"]
    shown = found.get(LAST_LINE) if "_repr_html_" in gallery_conf.get("capture_repr", ()) else None
    for thing in list(found.values()):
        if isinstance(thing, Picture | Trace) and thing not in _seen:
            _seen.add(thing)
            if thing is shown and hasattr(thing, "_repr_html_"):
                continue
            if isinstance(thing, Picture):
                said.append(_image(thing, next(block_vars["image_path_iterator"]), gallery_conf["src_dir"]))
            elif len(thing) and (html := html_of(thing)) is not None:
                said.append(f".. raw:: html\n\n{indent(html, '    ')}\n")
    return "\n\n".join(said)


def _image(picture: Picture, path: str, sources: str) -> str:
    """The picture is written where sphinx-gallery wants it, which makes its thumbnail of it."""
    picture.save(path)
    words = alternative_to(picture.svg)
    address = os.path.relpath(path, sources).replace(os.sep, "/")
    return f".. image-sg:: /{address}\n   :alt: {words}\n   :srcset: /{address}\n   :class: sphx-glr-single-img\n"
