"""Where a page is that a command has written, as an address to click on, and the browser that opens it."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from autograd_lab.commands.exits import complain
from autograd_lab.commands.terminal import say
from autograd_lab.display.target import Misuse

PAGE = ".html"
Opened = Annotated[bool, typer.Option("--open", help="Open the page in your browser.")]


def page_alone(target: Path, opened: bool) -> None:
    """Raises Misuse for --open with a file that is no page."""
    if opened and target.suffix.lower() != PAGE:
        raise Misuse(f"--open is for a page, such as -o {target.stem}{PAGE}")


def hand_over(written: Path, opened: bool) -> None:
    """If what was written is a page, say where it is, in a form that terminals open on a click, and open it on wish."""
    if written.suffix.lower() != PAGE:
        return
    address = written.resolve().as_uri()
    say(f"Open {address}")
    if opened and not webbrowser.open(address):
        complain("no browser was found here that could open it")


def open_once_served(address: str) -> None:
    """Open an address that is about to be served; this does not wait for a browser that waits for its answer."""
    Thread(target=webbrowser.open, args=[address], daemon=True).start()
