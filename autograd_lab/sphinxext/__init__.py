"""Sphinx: a directive that draws or plays a program while the docs are built, and a scraper for sphinx-gallery.

In `conf.py`: `extensions = ["autograd_lab.sphinxext"]`, and in `sphinx_gallery_conf` the scraper
"autograd_lab.sphinxext.gallery_scraper.scraper". MyST has the directive as a block, too.
"""

from __future__ import annotations

from typing import Any


def setup(app: Any) -> dict[str, Any]:
    """Have Sphinx know the directive."""
    from autograd_lab.elsewhere.torch_version import OWN
    from autograd_lab.sphinxext.directive import Player, ProgramDirective, depart, visit, visit_html

    app.add_node(
        Player, html=(visit_html, depart), **dict.fromkeys(("latex", "text", "man", "texinfo"), (visit, depart))
    )
    app.add_directive("autograd-lab", ProgramDirective)
    return {"version": OWN, "parallel_read_safe": True, "parallel_write_safe": True}
