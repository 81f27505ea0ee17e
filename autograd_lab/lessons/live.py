"""Questions and exercises where widgets live: answers come here from the browser, and what is said goes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import anywidget
import traitlets
from IPython.display import publish_display_data

from autograd_lab.display.cells import CELLS
from autograd_lab.display.widget import Player
from autograd_lab.lessons.answers import Moment, committed, given_in, judged, on_offer, result
from autograd_lab.lessons.figures import calm_style
from autograd_lab.lessons.picking import Picking, shown_names
from autograd_lab.lessons.progress import last_answers
from autograd_lab.lessons.question import CONFIDENCE, LETTERS, SKIPPED, Question
from autograd_lab.lessons.worded import worded
from autograd_lab.trace import Trace
from autograd_lab.view.page import CARDS, packed
from autograd_lab.view.pages.film_question import Asked, Clicks, asking
from autograd_lab.view.pages.player_style import player_style
from autograd_lab.view.scene import make_scene

HEIGHT = 620
"""Of a player with a card above it, in px: both are seen in a notebook on a laptop."""
Reply = dict[str, Any]
_answered: dict[str, tuple[dict[str, Any], Reply]] = {}
"""What was answered or skipped on cards in this kernel, and what was said to it, by the ids of questions."""


class Cards(anywidget.AnyWidget):
    """Questions by themselves, one after the other. `given` comes from the browser, `replies` go there, by id."""

    _esm = CARDS.read_text(encoding="utf-8")
    film = traitlets.Bytes().tag(sync=True)
    sheet = traitlets.Unicode().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    given = traitlets.Dict().tag(sync=True)
    replies = traitlets.Dict().tag(sync=True)

    def __init__(self, asked: Sequence[Asked], words: str) -> None:
        self.words = words
        super().__init__(film=packed(asking(*asked)), sheet=player_style())

    def _ipython_display_(self, **options: Any) -> None:
        """The widget, and its words for where no widget lives."""
        CELLS.show(self)
        data, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        publish_display_data(data | {"text/plain": self.words}, metadata)


def live_question(asked: Question, run: Any = None) -> None:
    """Ask a question on a card, above the player of a trace if there is one. An answer outlives the kernel."""
    step = None if run is None else 0 if asked.at is None else asked.at(run)
    told = _asked(asked, step)
    if run is None:
        widget: Any = Cards([told], asked.printed())
    else:
        seen = Trace(run.events[: asked.shows(run)], run.files, run.engine)
        widget = Player(make_scene(seen, fold=False), asked=[told], height=HEIGHT, sheet=calm_style(goals=True))
    if (before := _answered.get(asked.id) or _answered_once(asked)) is not None:
        given, reply = before
        widget.given, widget.replies = {asked.id: given}, {asked.id: reply}
    answering(widget, lambda id, given: _reply(asked, given))
    if run is not None:
        widget.observe(lambda change: _go_to_the_truth(widget, len(seen)), "replies")
    widget._ipython_display_()


def _go_to_the_truth(player: Player, step: int) -> None:
    """Have the picture show what was asked for, once it is answered; who skips goes there by himself."""
    if any(reply["right"] is not None for reply in player.replies.values()):
        player.step = step


def live_quiz(asked: Sequence[Question], moment: Moment) -> None:
    """Ask the questions of a quiz, one card after the other."""
    by_id = {each.id: each for each in asked}
    told = [_asked(each) for each in asked]

    def reply(id: str, given: dict[str, Any]) -> Reply:
        given_in(by_id[id], _letter(given), moment, given.get("confidence"))
        found = _in_quiz(by_id[id], given, moment)
        last = "\n" + worded("Done: {result}.", result=result()) if set(widget.given) >= by_id.keys() else ""
        return found | {"said": found["said"] + last}

    widget = Cards(told, "\n\n".join(each.printed() for each in asked))
    before = {each.id: given for each in asked if (given := _kept(each, moment)) is not None}
    widget.given = before
    widget.replies = {id: _in_quiz(by_id[id], given, moment) for id, given in before.items()}
    answering(widget, reply)
    widget._ipython_display_()


def _in_quiz(asked: Question, given: dict[str, Any], moment: Moment) -> Reply:
    """What is said to an answer of a quiz: before the lessons nothing."""
    told = moment == "after" and given["choice"] is not None
    said = asked.reasons(given["choice"]) if told else worded("Noted.")
    return {"right": asked.right() if told else None, "said": said}


def live_review(asked: Sequence[Question]) -> None:
    """Ask questions of the lessons once more, one card after the other."""
    by_id = {each.id: each for each in asked}
    told = [_asked(each) for each in asked]
    widget = Cards(told, "\n\n".join(each.printed() for each in asked))
    answering(widget, lambda id, given: _reply(by_id[id], given))
    widget._ipython_display_()


def live_picking(asked: Picking) -> None:
    """Have parts clicked in the player of the exercise's own run."""
    run = asked.run()
    player = Player(
        asked.scene(run), asked.step(run), asked=[Clicks(asked.id, worded(asked.text), shown_names(run))], height=HEIGHT
    )
    if last_answers().get(asked.id, {}).get("right"):
        player.given = {asked.id: {"picked": []}}
        player.replies = {
            asked.id: {"right": None, "said": worded("✓ Right the last time. What was picked is not kept.")}
        }
    answering(player, lambda id, given: _judged(asked, given["picked"]))
    player._ipython_display_()


def answering(widget: Any, reply: Callable[[str, dict[str, Any]], Reply]) -> None:
    """Reply to each answer that comes from the browser, once."""

    def heard(change: dict[str, Any]) -> None:
        old, new = change["old"] or {}, change["new"]
        fresh = {id: given for id, given in new.items() if old.get(id) != given}
        told = {id: reply(id, given) | {"time": given.get("time")} for id, given in fresh.items()}
        widget.replies = widget.replies | told  # the time tells a reply from an earlier one of the same words

    widget.observe(heard, "given")


def _reply(asked: Question, given: dict[str, Any]) -> Reply:
    found = committed(asked, _letter(given), given.get("confidence"))
    reply = _beside(asked, given["choice"]) if found.attempted else {"right": None, "said": _capital(found.text)}
    _answered[asked.id] = given, reply
    return reply


def _beside(asked: Question, choice: int) -> Reply:
    """The truth beside a choice, and what is said to it."""
    return {"right": asked.right(), "said": _capital(asked.reasons(choice))}


def _answered_once(asked: Question) -> tuple[dict[str, Any], Reply] | None:
    """What was answered in an earlier kernel, if it was not skipped; the file of progress has it."""
    given = _kept(asked, "predict")
    return None if given is None else (given, _beside(asked, given["choice"]))


def _kept(asked: Question, what: str) -> dict[str, Any] | None:
    """The last answer that was taken down, as a browser gives it; None if there is none, or if it is no choice now."""
    entry = last_answers(what).get(asked.id, {})
    texts = [choice.text for choice in asked.choices]
    if entry.get("answer") not in texts:
        return None
    confidence = entry.get("confidence")
    return {"choice": texts.index(entry["answer"]), "confidence": confidence if confidence in CONFIDENCE else None}


def _judged(asked: Picking, picked: list[str]) -> Reply:
    if not picked:
        return {"right": None, "said": worded("Nothing is picked yet: first click in the graph.")}
    found = judged(asked, picked)
    if found.right:
        return {"right": None, "said": f"✓ {_capital(found.text)}"}
    return {"right": None, "said": f"{_capital(worded('not yet. {wrong}', wrong=found.text))}{on_offer(asked)}"}


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _asked(asked: Question, step: int | None = None) -> Asked:
    """A question as the browser gets it, in the language that is spoken."""
    return Asked(asked.id, worded(asked.text), tuple(worded(choice.text) for choice in asked.choices), step)


def _letter(given: dict[str, Any]) -> str:
    choice = given.get("choice")
    return SKIPPED if choice is None else LETTERS[choice]
