"""The gallery of mistakes: a page of the guide for each kind of finding, made from the programs that are its tests.

Its pages, `mistakes/KIND.html`, are addresses that stay.
"""

from __future__ import annotations

import json
import shutil
from html import escape
from pathlib import Path

from autograd_lab.display.picture import draw
from autograd_lab.findings.finding import ERROR
from autograd_lab.findings.kinds import KINDS, SEEN
from autograd_lab.view.alternative_text import alternative_to
from autograd_lab.view.kit.no_gc import undisturbed
from autograd_lab.view.page import to_page
from autograd_lab.view.picture_file import picture_file
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from docs.mistake import Mistake, Seen, look

HERE = Path(__file__).parent
PAGES = HERE / "mistakes"
PICTURES = PAGES / "pictures"
THEMES = ("light", "dark")
INDEX = """# Mistakes, and how to mend them

Each page has an error message or a symptom, the smallest program that has it, a picture of the moment at which it goes
wrong, the reason, and the mended program. `autograd-lab diagnose your_script.py` looks for all of them in a program of
yours, and prints the name of the page in brackets.

The programs run as they are. With `import torch` in their first line they are programs for PyTorch and go wrong in the
same way: the tests of autograd_lab run each of them in both.
"""


@undisturbed
def gallery(players: Path, found: dict[str, list[Mistake]]) -> None:
    """Write the pages for Sphinx, their pictures, and into a folder of the site the pages that play the programs."""
    shutil.rmtree(PAGES, ignore_errors=True)
    PICTURES.mkdir(parents=True)
    players.mkdir(parents=True, exist_ok=True)
    (PAGES / "index.md").write_text(_index(found), "utf-8")
    for kind, variants in found.items():
        parts = [_part(mistake, players) for mistake in variants]
        (PAGES / f"{kind}.md").write_text("\n".join([f"# {KINDS[kind]}\n", *parts, _foot(kind)]), "utf-8")


def _index(found: dict[str, list[Mistake]]) -> str:
    """All mistakes, under what one sees of them."""
    parts = [INDEX]
    for seen, kinds in SEEN.items():
        parts.append(f"## {seen}\n")
        for kind, title in kinds.items():
            parts.append(f"* [{_escaped(title)}]({kind}.md)")
            parts += [f'  * <a href="{kind}.html#{each.anchor}">{escape(each.title)}</a>' for each in found[kind]]
        parts.append("")
    return "\n".join([*parts, "```{toctree}\n:hidden:\n", *KINDS, "```\n"])


def _foot(kind: str) -> str:
    seen = next(seen for seen, kinds in SEEN.items() if kind in kinds)
    return (
        f"---\n\n[All mistakes](index.md) · {seen} · `{kind}` is how `autograd-lab diagnose` names this one.\n"
        "The programs run as they are; with `import torch` in their first line they go wrong in PyTorch as well.\n"
    )


def _part(mistake: Mistake, players: Path) -> str:
    """What a page says of one program."""
    seen = look(mistake)
    where = seen.finding.where
    blamed = [where.line] if where is not None else []
    new, gone = mistake.changes()
    return "\n".join(
        [
            f"({mistake.anchor})=\n## {_escaped(mistake.title)}\n",
            *([_code("text", seen.error, css="says")] if seen.error else []),
            _code("python", mistake.text, blamed),
            f"{_escaped(mistake.why)}\n",
            _moment(mistake, seen, players),
            f"### What to write instead\n\n{_escaped(mistake.advice)}\n",
            _code("python", mistake.mended, new, css="mended"),
            *([f"Gone: {', '.join(f'`{line}`' for line in gone)}.\n"] if gone else []),
            f"### What `autograd-lab diagnose {mistake.file}` prints\n",
            _code("text", seen.printed, css="printed"),
        ]
    )


def _code(language: str, text: str, lit: list[int] | None = None, css: str = "") -> str:
    """A block of code with some of its lines highlighted."""
    options = [f":emphasize-lines: {','.join(map(str, lit))}"] if lit else []
    options += [f":class: {css}"] if css else []
    return "\n".join([f"````{{code-block}} {language}", *options, "", text.rstrip("\n"), "````\n"])


def _moment(mistake: Mistake, seen: Seen, players: Path) -> str:
    """The picture at the moment, in the reader's light, which leads to the page that plays the program from there."""
    try:
        scene = make_scene(seen.trace)
    except NothingToDraw:
        return ""  # nothing was recorded, and that is the mistake
    page = to_page(scene, mistake.title)
    (players / f"{mistake.anchor}.html").write_text(page, "utf-8", errors="replace")
    target = f"play/{mistake.anchor}.html#step={seen.step}"
    shown = [":::{container} moment"]
    picture = draw(seen.trace, step=seen.step)
    for theme in THEMES:
        picture.theme = theme  # it is laid out once
        svg = picture.svg
        (PICTURES / f"{mistake.anchor}-{theme}.svg").write_bytes(picture_file(svg, ".svg"))
        said = json.dumps(alternative_to(svg), ensure_ascii=False)
        shown += [
            f"```{{image}} pictures/{mistake.anchor}-{theme}.svg",
            f":alt: {said}\n:class: only-{theme}\n:target: {target}\n```",
        ]
    when = "where it stops" if seen.finding.severity == ERROR else "at this moment"
    link = f'<p><a href="{target}">Play the program, step by step</a>: the page opens {when}.</p>\n'
    return "\n".join([*shown, ":::\n", link])


def _escaped(text: str) -> str:
    """Prose whose code is marked by hand, or not at all: `*`, `_` and `<` mean themselves.

    >>> _escaped("w += a_b * `a_b`")
    'w += a\\\\_b \\\\* `a_b`'
    """
    parts = text.split("`")
    for number in range(0, len(parts), 2):
        for sign in "\\*_<[]$":
            parts[number] = parts[number].replace(sign, "\\" + sign)
    return "`".join(parts)
