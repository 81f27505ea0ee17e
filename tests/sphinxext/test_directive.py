"""The directive in the real Sphinx: a player on a picture in HTML, the picture elsewhere, errors with their lines."""

from __future__ import annotations

import html
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sphinx", reason="Sphinx is not installed: pip install 'autograd-lab[docs]'")

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from autograd_lab.view.page import BELOW
from autograd_lab.view.pages.page_text import unpacked_text

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
TRAINING = """import autograd_lab as torch
w = torch.tensor(3.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    (w * w).backward()
    optimizer.step()
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


def test_a_picture_of_a_training_loop_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAINING)
    out, _ = built(tmp_path, "html", index="Title\n=====\n\n.. autograd-lab:: train.py\n   :show: picture\n")
    (words,) = re.findall(r'<img alt="([^"]*)" src="_images', (out / "index.html").read_text("utf-8"))
    assert "3 iterations" in words and "\\n" not in words and "\n" not in words


INLINE = """
Title
=====

.. autograd-lab::

   import autograd_lab as torch
   weight = torch.tensor(2.0, requires_grad=True)
   (weight * weight).backward()

.. autograd-lab::

   import autograd_lab as torch
   other = torch.tensor(2.0, requires_grad=True)
   other.exp().backward()
"""


def players(page: Path) -> list[tuple[str, dict[str, Any]]]:
    """The pages in the frames of this one, each with its film."""
    found = [html.unescape(each) for each in re.findall(r'srcdoc="(.*?)"', page.read_text("utf-8"), re.DOTALL)]
    films = (re.search(r'id="autograd-lab-film">(.*?)</script>', each, re.DOTALL) for each in found)
    return [(each, json.loads(unpacked_text(film[1]))) for each, film in zip(found, films, strict=True) if film]


def test_each_program_in_a_page_has_its_own_names_and_lines_and_its_readers_theme(tmp_path: Path) -> None:
    out, warnings = built(tmp_path, "html", index=INLINE)
    (page, one), (_, two) = players(out / "index.html")
    assert "@media (prefers-color-scheme: dark)" in page  # no theme was asked for
    assert "weight = torch.tensor(2.0, requires_grad=True)" in json.dumps(one)
    assert "other.exp().backward()" in json.dumps(two)
    alts = re.findall(r'<iframe title="([^"]*)"', (out / "index.html").read_text("utf-8"))
    assert ["weight" in alts[0], "other" in alts[1]] == [True, True] and warnings == ""


def test_a_theme_is_one_for_everybody_and_below_a_training_run_there_is_room_for_its_course(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAINING)
    asked = (
        ".. autograd-lab:: seen.py\n   :theme: dark\n\n.. autograd-lab:: train.py\n   :theme: grey\n   :height: 500\n"
    )
    out, _ = built(tmp_path, "html", index=f"Title\n=====\n\n{asked}")
    (dark, _), (training, _) = players(out / "index.html")
    assert "@media all" in dark and "prefers-color-scheme" not in dark and "--height: 100dvh" in dark
    assert "@media not all" in training and f"--height: calc(100dvh - {BELOW}px)" in training
    assert f"min-height: {500 + BELOW}px" in (out / "index.html").read_text("utf-8")


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
