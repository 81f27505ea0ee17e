"""Which questions come back, and when: what was wrong soon, what was right and certain after ever longer times."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import MAXYEAR, UTC, datetime, timedelta
from typing import Any

from autograd_lab.lessons import cards
from autograd_lab.lessons.dealing import dealt
from autograd_lab.lessons.progress import entries
from autograd_lab.lessons.question import SKIPPED, Question
from autograd_lab.lessons.registry import find
from autograd_lab.lessons.worded import worded
from autograd_lab.lessons.words import tell

DAYS = (0, 1, 3, 7, 14, 30, 60)
"""After so many days a question comes back, by the rung that it stands on."""
MOST = 10
"""So many questions make five minutes."""
GUESSING, CERTAIN = 1, 3


@dataclass(frozen=True)
class Memory:
    """What became of a question so far: the rung it stands on, when it was answered last, and how."""

    id: str
    rung: int
    when: datetime
    certain_and_wrong: bool

    @property
    def due(self) -> datetime:
        return self.when + timedelta(days=DAYS[self.rung])


def memories() -> list[Memory]:
    """One for each question of the lessons that has been answered or skipped."""
    found: dict[str, Memory] = {}
    for entry in entries():
        when = _time_of(entry)
        if entry["what"] == "predict" and when is not None:
            before = found.get(entry["id"])
            rung = _next_rung(entry, before.rung if before else 0)
            wrong = not entry.get("right") and entry.get("confidence") == CERTAIN
            found[entry["id"]] = Memory(entry["id"], rung, when, wrong)
    return list(found.values())


def due(now: datetime | None = None) -> list[Question]:
    """The questions for today, as this learner gets them, at most ten: first those that the learner was certain of,
    and wrong; then those that have waited longest.
    """
    now = now or datetime.now(UTC)
    waiting = sorted(
        (each for each in memories() if each.due <= now),
        key=lambda each: (not each.certain_and_wrong, each.rung, each.due),
    )
    asked = [_question(each.id) for each in waiting]
    return [dealt(each) for each in asked if each is not None][:MOST]


def review() -> None:
    """Ask what is due today, on cards where widgets live; elsewhere print it, with how to answer."""
    asked = due()
    if not asked:
        tell(worded("Nothing is due today. What you answer in the lessons comes back here when it is time."))
        return
    cards.ask_again(asked)


def _next_rung(entry: dict[str, Any], rung: int) -> int:
    if not entry.get("right") or entry.get("answer") == SKIPPED:
        return 0
    steps = {GUESSING: 0, CERTAIN: 2}.get(entry.get("confidence") or 0, 1)
    return max(1, min(rung + steps, len(DAYS) - 1))


def _time_of(entry: dict[str, Any]) -> datetime | None:
    try:
        when = datetime.fromisoformat(str(entry.get("when")))
    except ValueError:
        return None
    if when.year == MAXYEAR:  # what is due after it has no date
        return None
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _question(id: str) -> Question | None:
    """The question of that id; none if this version has it no more."""
    try:
        found = find(id)
    except LookupError:
        return None
    return found if isinstance(found, Question) else None
