"""Of which edition a notebook is: its functions are held against those that the exercises of this program ask for."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from autograd_lab.lessons.reveal import CLOSED
from autograd_lab.lessons.worded import worded

CALLED = CLOSED / "called.json"
"""What the function or class is called that each exercise asks for; written by `autograd-lab lessons build`."""
MADE = re.compile(r"^(?:def|class) (\w+)", re.MULTILINE)
CHECKED = re.compile(r'^check\("(L\d+\.[A-Z]\d+)", (\w+)\)', re.MULTILINE)


def called_in(source: str) -> dict[str, str]:
    """By exercise what the function or class is called that the source of a lesson has checked."""
    made = set(MADE.findall(source))
    return {id: name for id, name in CHECKED.findall(source) if name in made}


@cache
def called() -> dict[str, str]:
    """The same for all lessons."""
    found: dict[str, str] = json.loads(CALLED.read_text(encoding="utf-8"))
    return found


def of_another(id: str, answer: Any) -> str:
    """What is to be said of an answer that belongs to another exercise of the lesson, as in a notebook in which they
    had other numbers; nothing of any other answer."""
    lesson = id.partition(".")[0]
    wanted, given = called().get(id), _name_of(answer)
    others = {name for other, name in called().items() if other.startswith(f"{lesson}.")}
    if wanted is None or given == wanted or given not in others:
        return ""
    says = (
        "this notebook is older than the program: {id} asks for `{wanted}` now, and what it got is `{given}`. Take the "
        "notebook of this edition; what you have answered is kept."
    )
    return worded(says, id=id, wanted=wanted, given=given)


def other_name(id: str, answer: Any) -> str:
    """What is to be said besides of a wrong answer that has another name than the one that is asked for."""
    wanted, given = called().get(id), _name_of(answer)
    if wanted is None or given in ("", wanted):
        return ""
    says = (
        "Wanted is `{wanted}`, and this is `{given}`. If the notebook has no `{wanted}`, it is older than the program."
    )
    return worded(says, wanted=wanted, given=given)


def _name_of(answer: Any) -> str:
    """The name that somebody has given to a function or a class; nothing for what has none."""
    name = answer.__name__ if isinstance(answer, type) else getattr(getattr(answer, "__code__", None), "co_name", "")
    return name if str(name).isidentifier() else ""
