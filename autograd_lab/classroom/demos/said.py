"""What demos that come along say, in the language that is spoken; a demo of one's own stays as it is written."""

from __future__ import annotations

from dataclasses import replace

from autograd_lab.classroom.demos.questions import Question
from autograd_lab.view.languages.pairs import pairs
from autograd_lab.view.languages.speaking import language

PART = "demos"


def said(text: str) -> str:
    """A text, paragraph by paragraph, whatever its line breaks."""
    known = pairs(language(), PART)
    return "\n\n".join(known.get(" ".join(each.split()), each) for each in text.split("\n\n"))


def said_question(asked: Question) -> Question:
    """A question with its choices, and what they reveal."""
    choices = [replace(each, text=said(each.text), reveals=said(each.reveals)) for each in asked.choices]
    return replace(asked, text=said(asked.text), choices=tuple(choices))
