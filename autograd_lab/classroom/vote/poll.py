"""A poll: the questions of a demo, asked one after the other, each in as many rounds as the teacher wants.

A voter is a random text that a browser made up. Each has one vote a round, and may change it until the round closes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import msgspec

from autograd_lab.classroom.demos.questions import LETTERS, Question
from autograd_lab.classroom.vote.ballots import Kept, Unkept
from autograd_lab.classroom.vote.roll import Refused, Roll
from autograd_lab.view.languages.texts import worded

Phase = Literal["waiting", "open", "closed", "revealed"]
Rounds = Annotated[int, msgspec.Meta(ge=0, le=100_000)]
ADDRESSES_SHOWN = 8


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
    """The whole of a vote. `version` moves with everything that anybody could see.

    What `kept` has from before goes on where it was. Raises Refused without a question to vote on, and Unkept when
    what is kept is of other questions.
    """

    def __init__(self, questions: Sequence[Question], kept: Kept | None = None) -> None:
        self.asked = [Asked(question) for question in questions if question.choices]
        if not self.asked:
            raise Refused("there is nothing to vote on: no question of this demo has choices")
        self.at = 0
        self.version = 0
        self.roll = Roll()
        self.kept = kept or Kept()
        self._go_on()

    def _go_on(self) -> None:
        """Take up what is kept."""
        words = [[asked.question.text, *(choice.text for choice in asked.question.choices)] for asked in self.asked]
        before = self.kept.get("questions", list[list[str]] | None)
        if before is None:
            self.kept.set(questions=words)
            self._keep()
            return
        if before != words:
            raise Unkept(
                f"{self.kept.path} has the votes on other questions; delete it, or start with --votes other.votes"
            )
        try:
            self._take_up()
        except (TypeError, ValueError, IndexError):
            raise self.kept.damaged() from None

    def _take_up(self) -> None:
        self.at = range(len(self.asked))[self.kept.get("at", int)]
        for asked, (phase, rounds) in zip(self.asked, self.kept.get("asked", list[tuple[Phase, Rounds]]), strict=True):
            asked.phase = phase
            asked.rounds = [{} for _ in range(rounds)]
        if (size := self.kept.get("size", int | None)) is not None:
            self.roll.resize(size)
        self.roll.shut.update(self.kept.get("shut", list[str]))
        for voter, address in self.kept.roll():
            self.roll.settle(voter, address)
        for question, round_, voter, choice in self.kept.votes():
            asked = self.asked[question]
            asked.rounds[round_ - 1][voter] = range(len(asked.question.choices))[choice]

    def _keep(self) -> None:
        asked = [[asked.phase, len(asked.rounds)] for asked in self.asked]
        self.kept.set(at=self.at, asked=asked, size=self.roll.given, shut=sorted(self.roll.shut))

    @property
    def now(self) -> Asked:
        """The question that everybody sees."""
        return self.asked[self.at]

    def meet(self, voter: str, address: str = "") -> None:
        """Let a voter in. Raises Refused when the class is full."""
        is_new = voter not in self.roll
        self._forget(self.roll.admit(voter, address))
        if is_new:
            self.kept.met(voter, address)
            self.version += 1

    def vote(self, voter: str, question: int, round_: int, choice: int, address: str = "") -> None:
        """Count a vote, in the place of an earlier one of this round.

        The same vote twice is one, so a phone that heard no answer sends it again. Raises Refused.
        """
        self.meet(voter, address)
        asked = self.now
        if question != self.at or round_ != len(asked.rounds):
            raise Refused(worded("the class has gone on to another vote"))
        if not 0 <= choice < len(asked.question.choices):
            raise Refused(worded("there is no such choice"))
        if asked.rounds and asked.rounds[-1].get(voter) == choice:
            return
        if asked.phase != "open":
            raise Refused(worded("voting is closed"))
        self.kept.voted(question, round_, voter, choice)
        asked.rounds[-1][voter] = choice
        self.version += 1

    def resize(self, size: int) -> None:
        """The class is as large as that. Raises Refused."""
        self.roll.resize(size)
        self._changed()

    def shut_out(self, address: str) -> None:
        """Neither voters nor votes of that address count, and nobody new comes in from there."""
        self._forget(self.roll.shut_out(address))
        self._changed()

    def let_in(self, address: str) -> None:
        """An address is no longer shut out."""
        self.roll.shut.discard(address)
        self._changed()

    def begin_anew(self) -> None:
        """All voters go, and their votes of this question with them; what was held before stays."""
        self._forget(self.roll.clear(), [self.at])
        self._changed()

    def _forget(self, voters: list[str], questions: Sequence[int] | None = None) -> None:
        if not voters:
            return
        questions = range(len(self.asked)) if questions is None else questions
        self.kept.left(voters, questions)
        for votes in (votes for question in questions for votes in self.asked[question].rounds):
            for voter in voters:
                votes.pop(voter, None)

    def _changed(self) -> None:
        self._keep()
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
        self._changed()

    def _go(self, way: int) -> None:
        if not 0 <= self.at + way < len(self.asked):
            raise Refused(worded("there is no further question that way"))
        if self.now.phase == "open":
            self.now.phase = "closed"
        self.at += way

    def for_voter(self, voter: str) -> dict[str, Any]:
        """What a voter may see: nobody's votes before the teacher reveals them, and the right answer only then."""
        asked = self.now
        seen = self._seen()
        seen["program"] = asked.question.program
        seen["mine"] = asked.rounds[-1].get(voter) if asked.rounds else None
        if asked.phase == "revealed":
            mine = None if seen["mine"] is None else asked.question.choices[seen["mine"]].told
            seen |= {"counts": asked.counts(), "answer": asked.question.answer, "reveals": mine}
        return seen

    def for_teacher(self) -> dict[str, Any]:
        """What stands on the teacher's screen: counts of this round and of the one before, and how many are there.

        These are those who have voted, and those whose page is open; `places` counts all who have come so far.
        """
        asked = self.now
        seen = self._seen() | {"counts": asked.counts(), "questions": len(self.asked)}
        votes = asked.rounds[-1] if asked.rounds else {}
        seen |= {"voters": len(self.roll.there() | votes.keys()), "places": len(self.roll)}
        seen |= {"size": self.roll.size, "given": self.roll.given is not None}
        seen["shut"] = sorted(self.roll.shut)
        seen["addresses"] = self.roll.by_address().most_common(ADDRESSES_SHOWN)
        if len(asked.rounds) > 1:
            seen["before"] = asked.counts(-2)
        if asked.phase == "revealed":
            seen |= {"answer": asked.question.answer, "reveals": [choice.reveals for choice in asked.question.choices]}
        return seen

    def summary(self) -> Iterator[str]:
        """What came of it, in a line for each round that was held."""
        for asked in self.asked:
            for number, _ in enumerate(asked.rounds):
                rows = zip(LETTERS, asked.question.choices, asked.counts(number), strict=False)
                told = "  ".join(f"{letter}) {choice.text}: {count}" for letter, choice, count in rows)
                yield f"{asked.question.text}  {told}"

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
