"""The scraper in the real sphinx-gallery."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

pytest.importorskip("sphinx_gallery", reason="sphinx-gallery is not installed: pip install sphinx-gallery")

from sphinx.application import Sphinx

EXAMPLE = '''"""
Squares
=======
"""
import autograd_lab as torch

x = torch.tensor(2.0, requires_grad=True)
with torch.record() as trace:
    (x * x).backward()

# %%
# A picture of it.

picture = torch.draw(trace, at="backward")

# %%
# A trace on the last line.

with torch.record() as other:
    (x * 3).backward()
other
'''


def test_pictures_and_traces_of_an_example_are_on_its_page(tmp_path: Path) -> None:
    source, examples = tmp_path / "source", tmp_path / "examples"
    for folder in (source, examples):
        folder.mkdir()
    (examples / "plot_squares.py").write_text(EXAMPLE)
    (examples / "README.txt").write_text("Examples\n========\n")
    (source / "index.rst").write_text("Title\n=====\n\n.. toctree::\n\n   auto_examples/index\n")
    gallery = {"examples_dirs": str(examples), "image_scrapers": ("autograd_lab.sphinxext.gallery_scraper.scraper",)}
    settings = {"extensions": ["sphinx_gallery.gen_gallery"], "sphinx_gallery_conf": gallery, "master_doc": "index"}
    said, out = io.StringIO(), tmp_path / "html"
    Sphinx(source, None, out, tmp_path / "doctrees", "html", settings, status=None, warning=said).build()
    text = (out / "auto_examples" / "plot_squares.html").read_text("utf-8")
    assert text.count("<iframe ") == 2, said.getvalue()
    assert len(list((out / "_images").glob("sphx_glr_plot_squares_001.png"))) == 1
    assert "ERROR" not in said.getvalue()
