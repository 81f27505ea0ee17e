"""What learners see first: a picture, for Colab a cell that fetches the package, and comments that fit a laptop.

The picture is of a few lines that are the lesson's own and that no question of it asks about. It is a file beside the
notebook, so that a reader on the web sees a graph before anything has run.
"""

from __future__ import annotations

import textwrap
from html import escape
from pathlib import Path
from typing import Any

import nbformat

from autograd_lab.lessons.cell_texts import code_said
from autograd_lab.lessons.moments import program
from autograd_lab.lessons.worded import worded
from autograd_lab.trace import write_whole
from autograd_lab.view.kit.language import language_sheet
from autograd_lab.view.pages.excerpt import excerpt
from autograd_lab.view.scene import make_scene

PICTURES = "pictures"
"""The folder beside the notebooks."""
WIDTH, HEIGHT = 680.0, 240.0
"""How large a picture is at most, px: half a screen of a laptop is left for the text below it."""
COLUMNS = 112
"""So much of a line of code is seen on a laptop."""
LEAF = "{0} = torch.tensor({1}, requires_grad=True)\n".format
A, B, X, W = LEAF("a", "2.0"), LEAF("b", "3.0"), LEAF("x", "[1.0, 2.0, 3.0]"), LEAF("w", "3.0")

PROGRAMS = (
    f"{A}{B}c = a + b\n",
    f"{A}{B}c = torch.log(a) + a * b\n",
    f"{X}y = x**2\nz = y.sum()\n",
    f"{LEAF('w', '5.0')}y = w**2\ny.backward()\n",
    f"{W}p = w * 2\nq = w * 3\nz = p + q\n",
    f"{LEAF('w', '2.0')}loss = (w - 1) ** 2\nloss.backward()\n",
    f"{X}{LEAF('w', '[4.0, 5.0, 6.0]')}s = (x * w).sum()\n",
    f"{A}h = torch.exp(a)\ny = torch.sin(h)\n",
    f"{LEAF('w', '5.0')}with torch.no_grad():\n    k = w * 2\ny = w * k\n",
    f"{LEAF('w', '5.0')}h = w + 1\ny = h * h\n",
    f"{LEAF('a', '5.0')}y = a\nfor _ in range(3):\n    y = y * 2\n",
    f"x = torch.tensor([1.0, 2.0])\n{LEAF('w', '[0.5, -1.0]')}{LEAF('b', '1.0')}"
    "y = torch.relu(torch.dot(w, x) + b)\nloss = (y - 1) ** 2\n",
    f"{W}y = w * torch.sigmoid(w)\n",
    f"{LEAF('x', '1.0')}y = x**3\n(g,) = torch.autograd.grad(y, x, create_graph=True)\n",
    f"{LEAF('x', '[1.0, 0.0]')}y = torch.log(x)\nloss = y.sum()\n",
    f"{W}y = w * w\nz = y + 1\n",
    f"{W}u = w * w\nv = u + w\ny = u * v\n",
    f"{X}h = torch.tanh(x)\ny = torch.tanh(h)\nz = torch.tanh(y)\n",
    f"{A}{B}s = a + b\nm = torch.maximum(s, a)\n",
    f"{W}h = torch.tensor(0.5)\nfor _ in range(2):\n    h = torch.tanh(w * h)\n",
    f"{X}y = torch.relu(x * 2 + 1)\n",
)
"""A program for each lesson."""

FETCH = """\
# On Colab this fetches the package; anywhere else it does nothing
import sys

if "google.colab" in sys.modules:
    get_ipython().run_line_magic("pip", "install -q 'autograd-lab[lab]'")"""


def picture(lesson: int) -> str:
    """The graph of a lesson's program at its end, as SVG; light, also where all around it is dark."""
    trace = program(PROGRAMS[lesson])
    drawn = excerpt(make_scene(trace), WIDTH, HEIGHT).drawn(len(trace))
    size = f'width="{WIDTH:g}" height="{HEIGHT:g}" viewBox="0 0 {WIDTH:g} {HEIGHT:g}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" xml:space="preserve">'
        f"<title>{escape(told(lesson))}</title><style>{language_sheet('light')}</style>"
        f'<rect width="100%" height="100%" rx="10" class="paper"/>{drawn}</svg>\n'
    )


def told(lesson: int) -> str:
    """The picture in words."""
    lines = [line.strip() for line in PROGRAMS[lesson].splitlines() if "torch.tensor" not in line and line[-1:] != ":"]
    return worded("The graph of {lines}", lines="; ".join(lines))


def keep_picture(lesson: int | None, name: str, folder: Path) -> None:
    """Write the picture of a lesson beside its notebook."""
    if lesson is None:
        return
    (folder / PICTURES).mkdir(parents=True, exist_ok=True)
    write_whole(folder / PICTURES / f"{name}.svg", picture(lesson).encode())


def fold_comments(notebook: Any) -> None:
    """Fold long comments: a notebook cuts off what does not fit its width."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source = "\n".join(each for line in cell.source.split("\n") for each in _folded(line))


def _folded(line: str) -> list[str]:
    """
    >>> _folded("x = 1"), _folded("# short"), [len(each) for each in _folded("# " + "word " * 30)]
    (['x = 1'], ['# short'], [111, 41])
    """
    if len(line) <= COLUMNS or not line.startswith("# "):
        return [line]
    return textwrap.wrap(line[2:], COLUMNS, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)


def give_front(notebook: Any, lesson: int | None, name: str) -> None:
    """Put the picture below the title, and the cell for Colab before the first code; the index has the cell alone."""
    fold_comments(notebook)
    if lesson is not None:
        first = notebook.cells[0]
        title, _, rest = first.source.partition("\n")
        first.source = f"{title}\n\n![{told(lesson)}]({PICTURES}/{name}.svg)\n{rest}"
    place = next(number for number, cell in enumerate(notebook.cells) if cell.cell_type == "code")
    meta = {"jupyter": {"source_hidden": True}, "cellView": "form", "slideshow": {"slide_type": "skip"}}
    fetch = nbformat.v4.new_code_cell(code_said(FETCH), metadata=nbformat.from_dict(meta))
    fetch.id = "colab"
    notebook.cells.insert(place, fetch)
