"""Questions in a film: the player stops before what they ask about until the learner has committed to an answer.

Lessons ask so, and whoever shows a film to a class. The words are those of `widgets/src/question.ts` and `picking.ts`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Asked:
    """A question with its choices; `step` is the last one that may be seen before it is answered or skipped.

    `right`, the number of the right choice, and `said`, what is said to each choice, come along only where nobody can
    be asked for them: in a page by itself. Texts may have `code` in backticks. On a wall the truth is seen at the step
    `shows`, if that is given; a question `alone` is about another program than the film, which is not seen beside it.
    It may have `pictures` of its own, as SVG: the first until its truth is told, the last from then on.
    """

    id: str
    text: str
    choices: tuple[str, ...]
    step: int | None = None
    right: int | None = None
    said: tuple[str, ...] = ()
    shows: int | None = None
    alone: bool = False
    pictures: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The question as the player takes it."""
        told = {"id": self.id, "text": self.text, "choices": list(self.choices), "step": self.step}
        told |= {} if self.shows is None else {"shows": self.shows}
        told |= {"alone": True} if self.alone else {}
        told |= {"pictures": list(self.pictures)} if self.pictures else {}
        return told if self.right is None else told | {"truth": {"right": self.right, "said": list(self.said)}}


@dataclass(frozen=True)
class Clicks:
    """An exercise that is answered by clicking parts; `names` says what each part that counts is called, by its id."""

    id: str
    text: str
    names: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """The exercise as the player takes it."""
        return {"id": self.id, "text": self.text, "names": dict(self.names)}


def asking(*asked: Asked | Clicks) -> dict[str, Any]:
    """What a film has besides, so that it asks; of several exercises with clicks only the last one is there. A page
    opens where it asks first."""
    questions = [each.as_json() for each in asked if isinstance(each, Asked)]
    clicks = [{"picking": each.as_json()} for each in asked if isinstance(each, Clicks)]
    steps = [each.step for each in asked if isinstance(each, Asked) and each.step is not None]
    start = {"start": min(steps)} if steps else {}
    return start | ({"questions": questions} if questions else {}) | (clicks[-1] if clicks else {})
