"""`autograd-lab review`: the questions that are due today, in the terminal."""

from __future__ import annotations

import typer

from autograd_lab.commands.exits import complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.terminal import say
from autograd_lab.lessons.answers import committed
from autograd_lab.lessons.question import CONFIDENCE, LETTERS, SKIPPED, Question
from autograd_lab.lessons.spacing import due, memories
from autograd_lab.lessons.worded import worded

EPILOG = """\b
What you were certain of, and wrong, comes back first; what you knew comes back after 1, 3, 7, 14, 30 and 60 days.
In a notebook: from autograd_lab.lessons import review; review()"""
app = command_file()


@app.command(epilog=EPILOG)
@complaints()
def review() -> None:
    """Ask again what is due today of the lessons' questions: at most ten, five minutes. Ctrl-C ends it."""
    asked = due()
    if not asked:
        nothing = (
            "Nothing is due today." if memories() else "Nothing yet: what you answer in the lessons comes back here."
        )
        say(worded(nothing))
        return
    right = sum(_asked(each) for each in asked)
    say("\n" + worded("{right} of {all} right.", right=right, all=len(asked)))


def _asked(asked: Question) -> bool:
    """Ask one question, and say what its answer was worth."""
    found = committed(asked, *_answer(asked))
    say(found.text)
    return found.right


def _answer(asked: Question) -> tuple[str, int | None]:
    say(f"\n{asked.printed()}")
    letters = LETTERS[: len(asked.choices)]
    hint = worded("{first} to {last}, or - to skip", first=letters[0], last=letters[-1])
    answer = _one_of(worded("Your answer"), [*letters, "-"], hint=hint).upper()
    if answer == "-":
        return SKIPPED, None
    sure = _one_of(worded("How sure are you"), [str(each) for each in CONFIDENCE], hint=_confidences())
    return answer, int(sure)


def _confidences() -> str:
    return ", ".join(f"{number} {worded(word)}" for number, word in CONFIDENCE.items())


def _one_of(text: str, allowed: list[str], *, hint: str) -> str:
    while True:
        given: str = typer.prompt(f"{text} ({hint})")
        if given.strip().upper() in allowed:
            return given.strip()
        say(worded("Please type {hint}.", hint=hint))
