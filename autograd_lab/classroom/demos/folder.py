"""The files of a demo in one folder: a page, one for the wall, a trace, a slide, and the teacher's key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from autograd_lab.classroom.demos.demo import Demo
from autograd_lab.classroom.demos.film_strip import strip
from autograd_lab.classroom.demos.key import key
from autograd_lab.trace import write_whole
from autograd_lab.view.page import page_to_present, to_page
from autograd_lab.view.pages.film_question import Asked
from autograd_lab.view.png import to_png

SLIDE = 1.5
"""Pixels a px: a slide is 1920 pixels wide then."""

FILES = {
    "index.html": "the page that plays it",
    "presenter.html": "the same for a projector, for a class that votes by hands",
    "strip.png": "a slide",
    "key.md": "the teacher's key",
    "trace.jsonl": "the recording",
}
"""What each is for."""


def with_choices(asked: list[Asked]) -> list[Asked]:
    """Those that somebody alone can answer."""
    return [each for each in asked if each.choices]


def presenter_page(demo: Demo) -> bytes:
    """The page for the wall of a class room, with what the teacher is told. Raises NothingToDraw."""
    return page_to_present(demo.scene, demo.title, demo.asked, demo.note).encode("utf-8", "replace")


def write_demo(demo: Demo, folder: Path) -> Iterator[Path]:
    """Write the files one by one, and tell of each; those that are there are replaced.

    Raises NothingToDraw and PngUnavailable before anything is written, and OSError.
    """
    contents = {
        "index.html": to_page(demo.scene, demo.title, with_choices(demo.asked)).encode("utf-8", "replace"),
        "presenter.html": presenter_page(demo),
        "strip.png": to_png(strip(demo), scale=SLIDE),
        "key.md": key(demo).encode("utf-8", "replace"),
    }
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        write_whole(folder / name, content)
        yield folder / name
    demo.trace.save(folder / "trace.jsonl")
    yield folder / "trace.jsonl"
