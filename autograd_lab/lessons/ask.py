"""What a lesson calls: `predict` a truth, look at a `task`, `check` an answer, ask for a `hint`."""

from __future__ import annotations

from typing import Any

from autograd_lab.lessons import cards
from autograd_lab.lessons.answers import committed, judged, on_offer
from autograd_lab.lessons.dealing import dealt
from autograd_lab.lessons.edition import other_name
from autograd_lab.lessons.exercise import Exercise, Verdict, attempted
from autograd_lab.lessons.progress import hints_seen, note
from autograd_lab.lessons.question import Question
from autograd_lab.lessons.registry import find
from autograd_lab.lessons.worded import worded
from autograd_lab.lessons.words import tell


def predict(id: str, run: Any = None, *, answer: Any = None, confidence: int | None = None) -> Verdict | None:
    """Ask a question before its truth is seen, in the player of `run` if that is given; or take `answer` at once.

    `answer` is a letter, the text of a choice or "skip"; `confidence` is 1 (guessing), 2 (fairly sure) or 3 (certain).
    With an answer it is set beside the truth. A card that was answered stays so, in a new kernel, too: the file of
    progress has it. One that was skipped is open again then. Raises LookupError, ValueError.
    """
    asked = find(id)
    if not isinstance(asked, Question):
        says = '{id} is an exercise; look at it with task("{id}") and answer with check("{id}", …)'
        raise LookupError(worded(says, id=id))
    if answer is None:
        cards.ask(dealt(asked), run)
        return None
    if not attempted(answer):
        said_of_it = worded("not attempted yet.")
        tell(f"{id}: {said_of_it}")
        return Verdict(id, False, False, said_of_it)
    given = committed(dealt(asked), answer, confidence)
    tell(f"{id}: {given.text}")
    return given


def task(id: str) -> None:
    """Show what an exercise asks for, and what there is to work on; nodes are clicked right there."""
    cards.show(_exercise(id))


def check(id: str, answer: Any = ...) -> Verdict:
    """Say whether an answer is right and, if not, what is wrong; never what would be right.

    What comes back is true if the answer is right. An answer that is still `...` has not been attempted. Nothing that
    the answer's own code raises comes out of here; raises LookupError for an id that there is not.
    """
    asked = _exercise(id)
    found = judged(asked, answer)
    offer = "" if found.right else on_offer(asked)
    beside = f"\n  {other}" if found.attempted and not found.right and (other := other_name(id, answer)) else ""
    tell(f"{id}: {said(found)}{beside}{offer}", "right" if found.right else "not yet" if found.attempted else "")
    return found


def said(found: Verdict) -> str:
    """A verdict as it is printed."""
    return found.text if found.right or not found.attempted else worded("not yet. {wrong}", wrong=found.text)


def hint(id: str) -> None:
    """Give the next hint; after the last one, all of them once more."""
    asked = _exercise(id)
    number = hints_seen(id) + 1
    if number > len(asked.hints):
        all_ = "".join(f"\n  {each}. {worded(text)}" for each, text in enumerate(asked.hints, 1))
        tell(f"{id}: {worded('these were all hints:')}{all_}" if all_ else worded("{id} has no hints.", id=id))
        return
    note(id, "hint", number=number)
    where = worded("hint {number} of {all}", number=number, all=len(asked.hints))
    tell(f"{id}, {where}: {worded(asked.hints[number - 1])}")


def _exercise(id: str) -> Exercise:
    asked = find(id)
    if not isinstance(asked, Exercise):
        raise LookupError(worded('{id} is a question; ask it with predict("{id}")', id=id))
    return asked
