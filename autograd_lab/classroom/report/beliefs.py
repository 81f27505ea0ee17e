"""What a class believes, and where it is stuck."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from autograd_lab.classroom.report.learner import SIX, Learner
from autograd_lab.lessons.question import Question
from autograd_lab.lessons.registry import find
from autograd_lab.view.languages.texts import worded

CERTAIN = 3
TRIES = 3
"""Who has checked an answer so often, and it was never right, is stuck."""


@dataclass(frozen=True)
class Belief:
    """What stands behind a wrong answer to the question `text`, and who has given it last, by their numbers; `certain`
    are those who were."""

    id: str
    text: str
    answer: str
    belief: str
    holders: tuple[int, ...]
    certain: tuple[int, ...]


@dataclass(frozen=True)
class Stuck:
    """Somebody who does not get on with an exercise: so many tries, so many hints."""

    learner: int
    id: str
    tries: int
    hints: int


def beliefs(learners: Sequence[Learner]) -> list[Belief]:
    """The beliefs that somebody holds, those of many first, and of these such as they are certain of."""
    holders: dict[tuple[str, str], list[tuple[int, bool]]] = defaultdict(list)
    for learner in learners:
        for id, entry in learner.last.items():
            if entry["what"] == "predict" and not entry.get("right") and isinstance(entry.get("answer"), str):
                holders[id, entry["answer"]].append((learner.number, entry.get("confidence") == CERTAIN))
    found = [_belief(id, answer, who) for (id, answer), who in holders.items()]
    return sorted(
        (each for each in found if each is not None), key=lambda it: (-len(it.holders), -len(it.certain), it.id)
    )


def _belief(id: str, answer: str, who: list[tuple[int, bool]]) -> Belief | None:
    """None for what was skipped, and for an answer that this version does not have."""
    asked = _task(id)
    choice = next((it for it in asked.choices if it.text == answer), None) if isinstance(asked, Question) else None
    if choice is None:
        return None
    numbers, certain = [number for number, _ in who], [number for number, sure in who if sure]
    return Belief(id, asked.text, answer, choice.belief, tuple(numbers), tuple(certain))


def _task(id: str) -> Any:
    """The question or exercise of that id; None for what a file calls so, and this version does not have."""
    try:
        return find(id)
    except LookupError:
        return None


def stuck(learners: Sequence[Learner]) -> list[Stuck]:
    """Who is stuck where, exercise by exercise."""
    return sorted((each for learner in learners for each in _stuck(learner)), key=lambda it: (it.id, it.learner))


def _stuck(learner: Learner) -> Iterator[Stuck]:
    checks: dict[str, list[bool]] = defaultdict(list)
    hints: dict[str, int] = defaultdict(int)
    for entry in learner.entries:
        if entry["what"] == "check":
            checks[entry["id"]].append(bool(entry.get("right")))
        hints[entry["id"]] += entry["what"] == "hint"
    for id, tried in checks.items():
        if len(tried) >= TRIES and not any(tried) and _task(id):
            yield Stuck(learner.number, id, len(tried), hints[id])


def gain(learners: Sequence[Learner]) -> str:
    """How many of the six questions were right on average, before the lessons and after them, if anybody was asked."""
    said = []
    for moment in SIX:
        given = [right for learner in learners if (right := learner.right_in(moment)) is not None]
        if given:
            said.append(_right_in(moment, f"{sum(given) / len(given):.1f}", counted(len(given))))
    return "; ".join(said)


def _right_in(moment: str, mean: str, learners: str) -> str:
    if moment == "before":
        return worded("before the lessons {} of 6 right ({})", mean, learners)
    return worded("after the lessons {} of 6 right ({})", mean, learners)


def counted(learners: int) -> str:
    """So many learners, in words."""
    return worded("1 learner") if learners == 1 else worded("{} learners", learners)
