"""Places that scenes have in common: what two recordings share, or runs of a function one after the other, stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from autograd_lab.view.abstract_scene import View
from autograd_lab.view.compare.pairing import Pairing
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.together.company import Company
from autograd_lab.view.graph.together.spots import Called
from autograd_lab.view.recorded_scene import RecordedScene

VIEWS: tuple[View, ...] = ("engine", "maths")


class Places:
    """What is remembered of scenes, in both views."""

    def __init__(self) -> None:
        self._companies = {view: Company() for view in VIEWS}

    def hold(self, scenes: Sequence[RecordedScene], called: Sequence[Called]) -> None:
        """Have scenes show what they share with each other, and with those before them, at the same place."""
        for view, company in self._companies.items():
            choices = company.welcome([scene.choices(view) for scene in scenes], called)
            for scene, found in zip(scenes, choices, strict=True):
                scene.choose_from(view, found)


def by_partners(pairing: Pairing) -> tuple[Called, Called]:
    """What things of two paired traces are called in both: what has a partner is called as in the first."""
    there = {b: a for pairs in (pairing.ops, pairing.boxes) for a, b in pairs.items()}
    return lambda name: ("first", name), lambda name: ("first", there[name]) if name in there else ("second", name)


def by_lines(history: History) -> Called:
    """What things are called in all runs of a program: by the line that makes them, as the first, second … there."""
    seen: Counter[Hashable] = Counter()
    known: dict[str, Hashable] = {}
    made: list[tuple[str, Hashable]] = [
        (op.id, (op.name, op.event.where and (op.event.where.file, op.event.where.line))) for op in history.ops.values()
    ]
    leaves = [(box.id, ("tensor", box.label)) for box in history.boxes.values()]
    for name, key in (*made, *leaves):
        seen[key] += 1
        known[name] = key, seen[key]
    return known.__getitem__
