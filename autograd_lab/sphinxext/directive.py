"""The directive `autograd-lab`: runs a program when the docs are built, and shows its picture or its player.

```
.. autograd-lab:: examples/mlp.py
   :at: backward

.. autograd-lab::
   :show: picture

   import autograd_lab as torch
   x = torch.tensor(2.0, requires_grad=True)
   (x * x).backward()
```

The program is a file beside the page, a bundled example, or what stands in the directive; then its code is shown, too.
It runs as `autograd-lab draw` runs it. In HTML a player lies on its picture; all other formats have the picture.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import set_source_info

from autograd_lab.display.embedded import HEIGHT, embedded, frame_of
from autograd_lab.display.picture import Picture, draw
from autograd_lab.display.script import Run, find_script, read_as, run_source
from autograd_lab.findings.diagnosis import aside
from autograd_lab.recording.iterations.wanted import LAST
from autograd_lab.trace import write_whole
from autograd_lab.view.alternative_text import alternative_to
from autograd_lab.view.page import page_in_frame

FOLDER = "autograd_lab"
"""Where, among Sphinx's doctrees, pictures are kept."""
Shown = tuple[str, str]
"""What is shown of a program: HTML, and the words for who cannot see it."""


class Player(nodes.General, nodes.Element):  # type: ignore[misc]
    """A player in HTML, with the picture inside for all other formats."""


def visit_html(writer: Any, node: Player) -> None:
    """Write the player, or leave the picture to Sphinx."""
    if node["html"]:
        writer.body.append(node["html"])
        raise nodes.SkipNode


def visit(writer: Any, node: Player) -> None:
    """What is inside is written as it is."""


def depart(writer: Any, node: Player) -> None:
    """There is nothing to close."""


class ProgramDirective(SphinxDirective):  # type: ignore[misc]  # Sphinx need not be there
    """Runs a program and shows what it did. What cannot be run or drawn is an error of the page, with its line."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "show": lambda word: directives.choice(word, ("player", "picture")),
        "at": lambda word: directives.choice(word, ("forward", "backward", "end", "error")),
        "step": directives.nonnegative_int,
        "theme": lambda word: directives.choice(word, ("light", "dark", "grey")),
        "view": lambda word: directives.choice(word, ("engine", "maths")),
        "alt": directives.unchanged,
        "height": directives.positive_int,
        "code": lambda word: directives.choice(word, ("show", "hide")),
    }

    def run(self) -> list[nodes.Node]:
        """The code, if it is wanted, and the player or the picture."""
        try:
            text, file = self._program()
            html, image = self._shown(text, file)
        except (OSError, ValueError, IndexError, RuntimeError) as error:
            raise self.error(f"autograd-lab: {error}") from None
        found: list[nodes.Node] = []
        if self.options.get("code", "hide" if self.arguments else "show") == "show":
            found.append(nodes.literal_block(text, text, language="python"))
        player = Player("", image, html=html if self.options.get("show") != "picture" else "")
        for node in (*found, player, image):
            set_source_info(self, node)
        return [*found, player]

    def _program(self) -> tuple[str, str]:
        """The text of the program, and the file that it is in, or is to be taken for."""
        if self.content:
            if self.arguments:
                raise ValueError("there is a program in the directive, and the name of another one")
            return "\n".join(self.content) + "\n", str(Path(self.env.doc2path(self.env.docname)).parent / "program.py")
        if not self.arguments:
            raise ValueError("there is no program: write one into the directive, or name a file")
        beside, path = self.env.relfn2path(self.arguments[0])
        if os.path.isfile(path):
            self.env.note_dependency(beside)
        else:
            path = str(find_script(self.arguments[0]))
        return Path(path).read_text("utf-8"), path

    def _shown(self, text: str, file: str) -> tuple[str, nodes.image]:
        """HTML of the player, and the picture, whose file is written now."""
        picture = self._picture(run(text, file))
        words = self.options.get("alt") or alternative_to(picture.svg) or repr(picture)
        height = frame_of(picture.trace, self.options.get("height", HEIGHT))
        html = embedded(self._page(picture), picture.svg, words, height)
        png = picture.png()
        folder = Path(self.env.doctreedir) / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{hashlib.sha256(png).hexdigest()[:16]}.png"
        write_whole(path, png)
        here = Path(self.env.doc2path(self.env.docname)).parent
        return html, nodes.image(uri=Path(os.path.relpath(path, here)).as_posix(), alt=words)

    def _picture(self, done: Run) -> Picture:
        kind = {"view": self.options["view"]} if "view" in self.options else {}
        at = self.options.get("at") if "step" not in self.options else None
        return draw(done.trace, step=self.options.get("step"), at=at, theme=self.options.get("theme", "light"), **kind)

    def _page(self, picture: Picture) -> str:
        theme = {"grey": "light"}.get(self.options.get("theme", ""), self.options.get("theme"))
        return page_in_frame(picture.scene, step=self._step(picture), findings=aside(picture.trace), theme=theme)

    def _step(self, picture: Picture) -> int | None:
        """Where the player opens: by itself, unless a moment is named."""
        return picture.step if self.options.keys() & {"at", "step"} else None


def run(text: str, file: str) -> Run:
    """Run a program in silence, as its file would be run: of a loop the last iteration is shown.

    Its errors are what it is there to show.
    """
    with _quiet(), _in_folder(os.path.dirname(file)), read_as(file, text):
        return run_source(text, file, [file], choice=LAST)


@contextmanager
def _quiet() -> Iterator[None]:
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        yield


@contextmanager
def _in_folder(folder: str) -> Iterator[None]:
    """Whatever the program opens lies beside it, wherever Sphinx was called."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
