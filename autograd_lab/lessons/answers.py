"""Taking down what was answered, and saying something to it: the same wherever the answer was given."""

from __future__ import annotations

from typing import Any, Literal

from autograd_lab.lessons.dealing import dealt
from autograd_lab.lessons.exercise import Exercise, Verdict, verdict
from autograd_lab.lessons.progress import entries, hints_seen, note
from autograd_lab.lessons.question import CONFIDENCE, SKIPPED, Question
from autograd_lab.lessons.registry import find
from autograd_lab.lessons.reveal import answered_now
from autograd_lab.lessons.survey import BEFORE, FORMS, TRANSFER, TWINS
from autograd_lab.lessons.worded import worded

Moment = Literal["before", "after"]


def committed(asked: Question, answer: Any, confidence: int | None) -> Verdict:
    """Take down a prediction, and set it beside the truth. Raises ValueError."""
    if confidence is not None and confidence not in CONFIDENCE:
        words = ", ".join(worded(each) for each in CONFIDENCE.values())
        raise ValueError(worded("confidence is 1, 2 or 3 ({words}), not {given}", words=words, given=repr(confidence)))
    if answer == SKIPPED:
        note(asked.id, "predict", answer=SKIPPED)
        answered_now(asked.id)
        return Verdict(asked.id, False, False, worded("skipped. Go on, and see what happens."))
    chosen = asked.number(answer)
    right = chosen == asked.right()
    note(asked.id, "predict", answer=asked.choices[chosen].text, confidence=confidence, right=right)
    answered_now(asked.id)
    return Verdict(asked.id, right, True, asked.feedback(chosen))


def judged(asked: Exercise, answer: Any) -> Verdict:
    """Judge an answer, and take down what came of it."""
    found = verdict(asked, answer)
    if found.attempted:
        note(asked.id, "check", right=found.right)
    return found


def on_offer(asked: Exercise) -> str:
    """A line that says how to get a hint, and how many of them have been seen."""
    seen, all_ = hints_seen(asked.id), len(asked.hints)
    if not all_:
        return ""
    says = 'hint("{id}"), in a cell of its own, gives a hint; {seen} of {all} seen'
    return f"\n  {worded(says, id=asked.id, seen=min(seen, all_), all=all_)}"


def questions(moment: Moment) -> list[Question]:
    """The questions of a moment, as this learner gets them."""
    return [dealt(find(id)) for id in FORMS[moment]]


def given_in(asked: Question, answer: Any, moment: Moment, confidence: int | None = None) -> str:
    """Take down one answer of a quiz; what is said of it, which before the lessons is nothing. Raises ValueError."""
    if answer == SKIPPED:
        note(asked.id, moment, answer=SKIPPED, right=False)
        return "" if moment == "before" else worded("skipped.")
    chosen = asked.number(answer)
    right = chosen == asked.right()
    note(asked.id, moment, answer=asked.choices[chosen].text, confidence=confidence, right=right)
    return asked.feedback(chosen) if moment == "after" else ""


def result() -> str:
    """How many questions were right, each time; of several answers to a question the last one counts."""
    last = {(entry["what"], entry["id"]): entry for entry in entries()}
    said = []
    for moment in FORMS:
        given = [entry for (what, id), entry in last.items() if what == moment and id in FORMS[moment]]
        skipped = sum(entry.get("answer") == SKIPPED for entry in given)
        if given:
            beside = worded(", {number} skipped", number=skipped) if skipped else ""
            when = worded("before the lessons" if moment == "before" else "after the lessons")
            answered = worded("{number} answered", number=len(given) - skipped)
            said.append(f"{when}: {_counts(moment, given)}, {answered}{beside}")
    return "; ".join(said) or worded("no answers yet")


def _counts(moment: str, given: list[dict[str, Any]]) -> str:
    """How many are right: after the lessons apart for the twins of the first questions, and for new programs."""
    right = {entry["id"] for entry in given if entry.get("right")}
    if moment == "before":
        return worded("{right} of {all} right", right=len(right), all=len(BEFORE))
    return worded(
        "{right} of {all} right, and {more} of {programs} new programs",
        right=len(right & {*TWINS}),
        all=len(TWINS),
        more=len(right & {*TRANSFER}),
        programs=len(TRANSFER),
    )
