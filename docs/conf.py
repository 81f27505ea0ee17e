"""How Sphinx makes the guide. Nothing in it comes from another host, so that it can be read offline."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

import autograd_lab

project = "autograd_lab"
author = "autograd_lab contributors"
copyright = author
release = version = str(autograd_lab.version.autograd_lab)
extensions = ["myst_parser", "sphinx.ext.autodoc", "autograd_lab.sphinxext"]
exclude_patterns = ["lite", "_work"]
html_theme = "furo"
html_title = "autograd_lab"
html_static_path, html_css_files = ["static"], ["guide.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "friendly"
default_role = "code"  # docstrings are written with single backticks
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": False, "show-inheritance": False}
suppress_warnings = ["docutils", "autodoc", "ref.python"]
"""Docstrings are plain English, not reStructuredText; what that makes of an asterisk is no mistake."""

LITE = "lite/lab/index.html?path="
BINDER = "https://mybinder.org/v2/gh/autograd-lab/autograd_lab/main?urlpath=lab/tree/notebooks/"


def without_lab(text: str) -> str:
    """A page for a site where no notebook runs in the browser: no link leads there, and Binder has all of them."""
    return re.sub(rf'<a href="{re.escape(LITE)}[^"]*">notebook</a> ', "", text).replace(LITE, BINDER)


def setup(app: Any) -> None:
    """Called by Sphinx, which reads all pages again when there is a lab for the first time."""
    has_lab = "lab" in app.tags
    app.add_config_value("has_lab", has_lab, "env")
    if not has_lab:
        app.connect("source-read", lambda _, page, source: source.append(without_lab(source.pop())))
