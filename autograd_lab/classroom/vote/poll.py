"""A poll: the questions of a demo, asked one after the other, each in as many rounds as the teacher wants.

A voter is a random text that a browser made up. Each has one vote a round, and may change it until the round closes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from autograd_lab.classroom.demos.questions import LETTERS, Question

Phase = Literal["waiting", "open", "closed", "revealed"]
MOST_VOTERS = 2000
"""So many may take part; beyond it somebody is making them up."""


class Refused(ValueError):
    """A vote, or a wish of the teacher's, that does not fit the moment; the message says why."""


@dataclass
class Asked:
    """One question, and for each of its rounds who chose what."""

    question: Question
    rounds: list[dict[str, int]] = field(default_factory=list)
    phase: Phase = "waiting"

    def counts(self, number: int = -1) -> list[int]:
        """Votes for each choice in a round, by default the last one."""
        votes = Counter(self.rounds[number].values()) if self.rounds else Counter[int]()
        return [votes[choice] for choice in range(len(self.question.choices))]


class Poll:
    """The whole of a vote. `version` moves with everything that anybody could see."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self.asked = [Asked(question) for question in questions if question.choices]
        if not self.asked:
            raise Refused("there is nothing to vote on: no question of this demo has choices")
        self.at = 0
        self.version = 0
        self.voters: set[str] = set()

    @property
    def now(self) -> Asked:
        """The question that everybody sees."""
        return self.asked[self.at]

    def meet(self, voter: str) -> None:
        """Let a voter in. Raises Refused when there are too many."""
        if voter not in self.voters:
            if len(self.voters) >= MOST_VOTERS:
                raise Refused(f"{MOST_VOTERS} browsers take part already")
            self.voters.add(voter)
            self.version += 1

    def vote(self, voter: str, question: int, round_: int, choice: int) -> None:
        """Count a vote, in the place of an earlier one of this round.

        The same vote twice is one, so a phone that heard no answer sends it again. Raises Refused.
        """
        self.meet(voter)
        asked = self.now
        if question != self.at or round_ != len(asked.rounds):
            raise Refused("the class has gone on to another vote")
        if not 0 <= choice < len(asked.question.choices):
            raise Refused("there is no such choice")
        if asked.rounds and asked.rounds[-1].get(voter) == choice:
            return
        if asked.phase != "open":
            raise Refused("voting is closed")
        asked.rounds[-1][voter] = choice
        self.version += 1

    def do(self, wish: str) -> None:
        """What the teacher asks for: open, close, again, reveal, next or back. Raises Refused."""
        asked = self.now
        if wish in ("next", "back"):
            self._go(1 if wish == "next" else -1)
        elif wish == "again" or (wish == "open" and asked.phase == "waiting"):
            asked.rounds.append({})
            asked.phase = "open"
        elif wish == "open" and asked.phase == "closed":
            asked.phase = "open"
        elif wish == "close" and asked.phase == "open":
            asked.phase = "closed"
        elif wish == "reveal" and asked.phase in ("open", "closed"):
            asked.phase = "revealed"
        else:
            raise Refused(f"{wish!r} cannot be done while the vote is {asked.phase}")
        self.version += 1

    def _go(self, way: int) -> None:
        if not 0 <= self.at + way < len(self.asked):
            raise Refused("there is no further question that way")
        if self.now.phase == "open":
            self.now.phase = "closed"
        self.at += way

    def for_voter(self, voter: str) -> dict[str, Any]:
        """What a voter may see: nobody's votes before the teacher reveals them, and the right answer only then."""
        asked = self.now
        seen = self._seen()
        seen["mine"] = asked.rounds[-1].get(voter) if asked.rounds else None
        if asked.phase == "revealed":
            seen |= {"counts": asked.counts(), "answer": asked.question.answer}
        return seen

    def for_teacher(self) -> dict[str, Any]:
        """What stands on the teacher's screen: counts of this round and of the one before, and how many are there."""
        asked = self.now
        seen = self._seen() | {"counts": asked.counts(), "voters": len(self.voters), "questions": len(self.asked)}
        if len(asked.rounds) > 1:
            seen["before"] = asked.counts(-2)
        if asked.phase == "revealed":
            seen |= {"answer": asked.question.answer, "reveals": [choice.reveals for choice in asked.question.choices]}
        return seen

    def summary(self) -> Iterator[str]:
        """What came of it, in a line for each round that was held."""
        for asked in self.asked:
            for number, _ in enumerate(asked.rounds):
                pairs = zip(LETTERS, asked.counts(number), strict=False)
                yield f"{asked.question.text}  {'  '.join(f'{letter}) {count}' for letter, count in pairs)}"

    def _seen(self) -> dict[str, Any]:
        asked = self.now
        return {
            "version": self.version,
            "number": self.at,
            "question": asked.question.text,
            "choices": [choice.text for choice in asked.question.choices],
            "phase": asked.phase,
            "round": len(asked.rounds),
        }
