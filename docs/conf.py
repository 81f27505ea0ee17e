"""How Sphinx makes the guide. Nothing in it comes from another host, so that it can be read offline."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import autograd_lab

project = "autograd_lab"
author = "autograd_lab contributors"
copyright = author
release = version = autograd_lab.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "autograd_lab.sphinxext"]
exclude_patterns = ["lite", "_work"]
html_theme = "furo"
html_title = "autograd_lab"
html_static_path, html_css_files = ["static"], ["guide.css"]
if "lab" not in tags:  # noqa: F821  # Sphinx puts it here
    html_css_files.append("without_lab.css")  # no link leads to notebooks that are not there
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
