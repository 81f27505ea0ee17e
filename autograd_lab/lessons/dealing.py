"""In which order a learner gets the choices of a question: shuffled, the same for that learner each time."""

from __future__ import annotations

import os
from dataclasses import replace
from random import Random

from autograd_lab.lessons.progress import seed
from autograd_lab.lessons.question import Question

VARIABLE = "AUTOGRAD_LAB_ORDER"
"""`written` leaves choices as they are written, so that a class that works together can speak of B."""
LAST = ("both", "neither", "none of them", "all three")
"""What speaks of the other choices stays behind them."""


def dealt(asked: Question) -> Question:
    """The question with its choices as this learner gets them."""
    if os.environ.get(VARIABLE) == "written":
        return asked
    return shuffled(asked, seed())


def shuffled(asked: Question, seed: int) -> Question:
    """The question with its choices in an order that the seed and its id decide."""
    choices = [choice for choice in asked.choices if choice.text not in LAST]
    Random(f"{seed} {asked.id}").shuffle(choices)
    return replace(asked, choices=(*choices, *(choice for choice in asked.choices if choice.text in LAST)))
