"""Two traces side by side: both scenes, what belongs together in them, and what differs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from autograd_lab.view.difference import Difference, differences_of, partners_of
from autograd_lab.view.pairing import Pairing, pairing_of
from autograd_lab.view.player import film_of
from autograd_lab.view.scene import Scene


@dataclass(frozen=True)
class Both:
    """Two scenes, what they are called, and how they compare."""

    scenes: tuple[Scene, Scene]
    titles: tuple[str, str]

    @property
    def title(self) -> str:
        """Both titles as one."""
        return " and ".join(self.titles)

    @cached_property
    def pairing(self) -> Pairing:
        """What belongs together."""
        one, other = self.scenes
        return pairing_of(one.trace, other.trace, one.looks.history, other.looks.history)

    @cached_property
    def differences(self) -> list[Difference]:
        """What differs, in the order in which it begins to."""
        return differences_of(self.scenes, self.pairing, self.titles)

    @property
    def told(self) -> list[str]:
        """The differences in sentences."""
        return [each.text for each in self.differences]


def film_of_both(both: Both) -> dict[str, Any]:
    """All that the player shows of two traces, JSON-able; the words are those of `widgets/src/pair.ts`."""
    one, other = both.scenes
    pairing = both.pairing
    links, films = set(pairing.links), zip(both.scenes, both.titles, strict=True)
    return {
        "title": both.title,
        "films": [film_of(scene, title) for scene, title in films],
        "beats": pairing.beats,
        "linked": "".join(".1"[beat in links] for beat in pairing.beats),
        "partners": partners_of(one.looks.history, other.looks.history, pairing) | _folds(both),
        "differences": [[each.beat, each.text] for each in both.differences],
        "marks": [[*mark, each.text] for each in both.differences for mark in each.marks],
    }


def _folds(both: Both) -> dict[str, str]:
    """Folds belong together whose first ops do."""
    one, other = ({fold.ops[0]: fold.id for fold in scene.plan.folds} for scene in both.scenes)
    ops = both.pairing.ops
    return {fold: other[ops[op]] for op, fold in one.items() if ops.get(op) in other}
