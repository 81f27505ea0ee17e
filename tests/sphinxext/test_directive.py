"""The directive in the real Sphinx: a player on a picture in HTML, the picture elsewhere, errors with their lines."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="Sphinx is not installed: pip install 'autograd-lab[docs]'")

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

PAGE = """
Title
=====

.. autograd-lab:: seen.py
   :at: backward
   :alt: half of the way

.. autograd-lab::
   :show: picture

   import autograd_lab as torch
   a = torch.tensor(2.0, requires_grad=True)
   (a * a).backward()
   print("</pre><script>alert(1)</script>")
"""
MYST = """# Title

```{autograd-lab} expression
:show: player
:height: 300
```
"""
PROGRAM = """import autograd_lab as torch
w = torch.tensor(3.0, requires_grad=True)
y = (w * w).exp()
y.backward()
"""


def built(folder: Path, builder: str, **pages: str) -> tuple[Path, str]:
    """The folder of what Sphinx makes of these pages, and its warnings."""
    (folder / "seen.py").write_text(PROGRAM)
    for name, text in pages.items():
        (folder / f"{name}{'.md' if text.startswith('#') else '.rst'}").write_text(text, "utf-8")
    said = io.StringIO()
    settings = {"extensions": ["autograd_lab.sphinxext", "myst_parser"], "master_doc": next(iter(pages))}
    out = folder / builder
    with docutils_namespace():
        Sphinx(folder, None, out, folder / "doctrees", builder, settings, status=None, warning=said).build()
    return out, said.getvalue()


def test_html_has_players_pictures_and_code_and_none_of_it_is_markup(tmp_path: Path) -> None:
    out, warnings = built(tmp_path, "html", index=PAGE)
    text = (out / "index.html").read_text("utf-8")
    assert text.count("<iframe ") == 1 and 'title="half of the way"' in text
    assert "<script>alert(1)" not in text and "alert" in text
    assert len(list((out / "_images").glob("*.png"))) == 2
    assert warnings == ""


def test_pdf_has_pictures(tmp_path: Path) -> None:
    out, warnings = built(tmp_path, "latex", index=PAGE)
    (tex,) = out.glob("*.tex")
    assert tex.read_text("utf-8").count("includegraphics") == 2 == len(list(out.glob("*.png")))
    assert "iframe" not in tex.read_text("utf-8") and warnings == ""


def test_myst_has_it_as_a_block_and_examples_need_no_file(tmp_path: Path) -> None:
    pytest.importorskip("myst_parser")
    out, warnings = built(tmp_path, "html", index=MYST)
    text = (out / "index.html").read_text("utf-8")
    assert "min-height: 300px" in text and "<iframe " in text and warnings == ""


@pytest.mark.parametrize(
    ("directive", "said"),
    [
        (".. autograd-lab:: nowhere.py", "nowhere.py"),
        (".. autograd-lab::", "there is no program"),
        (".. autograd-lab:: seen.py\n   :step: 999", "no step 999"),
        (".. autograd-lab::\n\n   x = 1", "nothing"),
    ],
)
def test_what_cannot_be_shown_is_an_error_with_its_line(tmp_path: Path, directive: str, said: str) -> None:
    _, warnings = built(tmp_path, "text", index=f"Title\n=====\n\n{directive}\n")
    assert "index.rst:4: ERROR: autograd-lab: " in warnings and said in warnings
