"""How questions and exercises are shown: as cards, alone or in a player, where widgets live; else as lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_lab.lessons.answers import Moment
from autograd_lab.lessons.exercise import Exercise
from autograd_lab.lessons.picking import Picking, names_of
from autograd_lab.lessons.question import Question
from autograd_lab.lessons.worded import worded
from autograd_lab.lessons.words import in_notebook, tell


def ask(asked: Question, run: Any = None) -> None:
    """Ask a question, in the player of a trace if there is one; without widgets print it with how to answer."""
    if _widgets():
        from autograd_lab.lessons.live import live_question

        live_question(asked, run)
        return
    tell(f"{asked.printed()}\n{_how_to_answer(asked)}")


def ask_all(asked: Sequence[Question], moment: Moment) -> None:
    """Ask all questions of a quiz, one after the other."""
    if _widgets():
        from autograd_lab.lessons.live import live_quiz

        live_quiz(asked, moment)
        return
    for each in asked:
        tell(each.printed() + "\n")
    tell(worded('Answer with quiz("{moment}", answers="ABC…"), a letter for each, or - to skip one.', moment=moment))


def ask_again(asked: Sequence[Question]) -> None:
    """Ask questions of the lessons once more, one after the other."""
    if _widgets():
        from autograd_lab.lessons.live import live_review

        live_review(asked)
        return
    for each in asked:
        tell(f"{each.printed()}\n{_how_to_answer(each)}\n")


def show(asked: Exercise) -> None:
    """Show what an exercise asks for, and what there is to work on."""
    if isinstance(asked, Picking) and _widgets():
        from autograd_lab.lessons.live import live_picking

        live_picking(asked)
        return
    tell(f"{asked.id}  {worded(asked.text)}", lines=asked.shown)
    if isinstance(asked, Picking):
        parts = ", ".join(dict.fromkeys(names_of(asked.run()).values()))
        how = worded('Answer with check("{id}", ["…", …]).', id=asked.id)
        tell(f"{worded('Parts: {names}.', names=parts)}\n{how}")


def _how_to_answer(asked: Question) -> str:
    return worded('Answer with predict("{id}", answer="A", confidence=2), or answer="skip".', id=asked.id)


def _widgets() -> bool:
    if not in_notebook():
        return False
    try:
        import anywidget  # noqa: F401 - whether it is there
    except ImportError:
        return False
    return True
