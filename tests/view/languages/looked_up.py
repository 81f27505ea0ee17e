"""All texts that are looked up in a language's `player.json`, found where they stand: in the sources."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from autograd_lab.classroom.demos.worksheet import FORWARD, STOPPED, TASK, VERSIONS
from autograd_lab.classroom.vote.room import PAGES
from autograd_lab.classroom.vote.spoken_page import TEXT
from autograd_lab.view.pages.player import GOALS
from autograd_lab.view.pages.value_sheet import EACH

ROOT = Path(__file__).parents[3]
WIDGETS, PACKAGE = ROOT / "widgets" / "src", ROOT / "autograd_lab"
TABLE = re.compile(r": Words = \{(.*?)\};", re.DOTALL)
RECORDED = "ready done stale unpacked returned flying"
COMPILED = (
    "ahead back forward backward input tangent gone changed loop again absent shown written comment lies given over"
)
"""How parts of a recording and of a compilation are, by class names that are said as they are."""


def looked_up() -> set[str]:
    """All of them, as they are in English."""
    found = {*_in_scripts(), *_on_vote_pages(), *_in_python(), *_told_of_values()}
    return found | {*RECORDED.split(), *COMPILED.split()}


def _in_scripts() -> Iterator[str]:
    for path in [*WIDGETS.glob("*.ts"), *PAGES.glob("*.js")]:
        text = re.sub(r"^ *(//|/\*\*|\*).*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        yield from templates(text)
        for table in TABLE.findall(text):
            yield from re.findall(r': "([^"]+)"', table)


def templates(text: str) -> Iterator[str]:
    """What stands after each t in backticks, with `{}` in the place of holes, in which others may stand.

    >>> list(templates("a(t`one`, t`${t`two`} of ${b(`x${3}`)}`)"))
    ['one', '{} of {}', 'two']
    """
    for start in re.finditer(r"(?<!\w)t`", text):
        key, _ = _template(text, start.end())
        yield key


def _template(text: str, at: int) -> tuple[str, int]:
    """A template from behind its backtick on, and where it is over."""
    key = ""
    while text[at] != "`":
        if text.startswith("${", at):
            key, at = key + "{}", _hole(text, at + 2)
        else:
            key, at = key + text[at], at + 1
    return key, at + 1


def _hole(text: str, at: int) -> int:
    """Where a hole is over that begins here."""
    depth = 1
    while depth:
        if text[at] == "`":
            _, at = _template(text, at + 1)
            continue
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        at += 1
    return at


def _on_vote_pages() -> Iterator[str]:
    for path in PAGES.glob("*.html"):
        yield from (text for _, _, text in TEXT.findall(path.read_text(encoding="utf-8")))


def _in_python() -> Iterator[str]:
    """What `worded` is called with."""
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "languages.texts import" not in text:
            continue
        for call in ast.walk(ast.parse(text)):
            match call:
                case ast.Call(func=ast.Name("worded"), args=[ast.Constant(value=str(key)), *_]):
                    yield key


def _told_of_values() -> Iterator[str]:
    """What `worded` is given by a name."""
    yield from (name for name, _ in GOALS)
    yield from (TASK, STOPPED, FORWARD, VERSIONS)
    yield from filter(None, EACH.values())
