"""`demo("arriving-at-b")` in a notebook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from autograd_lab.classroom.demos.demo import BUNDLED, load, make

if TYPE_CHECKING:
    from autograd_lab.display.widget import Player

ADVICE = "a player in a notebook needs anywidget: pip install anywidget (`autograd-lab demo NAME` makes a page without)"


def demo(name: str) -> Player:
    """A player for a demo that comes along, or for a program of one's own, by its path.

    A demo that comes along is played as it was recorded: nothing runs, and numpy is not wanted.
    Raises KeyError for a name that there is not, ImportError without anywidget.
    """
    try:
        from autograd_lab.display.widget import Player
    except ImportError:
        raise ImportError(ADVICE) from None
    path = Path(name)
    shown = make(path) if name not in BUNDLED and path.is_file() else load(name)
    return Player(shown.scene, title=shown.title, asked=[each for each in shown.asked if each.choices])
