"""Gradients on their way: what was taken of them when they were computed, for when they are sent and arrive."""

from __future__ import annotations

from typing import Any

from autograd_lab.recording.program.source import NOWHERE, Site
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.values.snapshot import Snapshot


class OnTheWay:
    """The backward pass that runs, `site` being where it was begun, and the gradients on their way in it.

    `taken` has these with their values, by their addresses, which are theirs as long as they are held here. Passes run
    one inside the other if a hook begins one.
    """

    def __init__(self, tape: Tape) -> None:
        self._snapshot = tape.snapshot
        self.site = NOWHERE
        self._outer: list[Site] = []
        self.taken: dict[int, tuple[Any, Snapshot]] = {}
        self._arrived: tuple[Any, Snapshot | None] = None, None

    def begin(self, site: Site) -> None:
        """A pass begins at a site."""
        self._outer.append(self.site)
        self.site = site

    def leave(self) -> None:
        """The pass is over; the one that it was begun in goes on."""
        self.site = self._outer.pop() if self._outer else NOWHERE
        self.forget()

    def forget(self) -> None:
        """No value taken of a gradient on its way holds any more: something was written to, and it may have been it."""
        self.taken.clear()
        self._arrived = None, None

    def take(self, gradient: Any) -> Snapshot:
        """The value of a gradient that sets out."""
        value = self._snapshot(gradient)
        self.taken[id(gradient)] = gradient, value
        return value

    def arrive(self, gradient: Any) -> Snapshot | None:
        """The value of a gradient that has arrived: mostly the one that was taken when it set out."""
        taken = self.taken.pop(id(gradient), None)
        if taken is not None:
            return taken[1]
        return None if gradient is None else self._snapshot(gradient)

    def reach(self, gradient: Any, value: Snapshot) -> None:
        """A gradient of this value is at its leaf, where it is about to stay."""
        self._arrived = gradient, value

    def stay(self, gradient: Any) -> Snapshot:
        """The value of a gradient that a leaf has taken: mostly of the one that was there last."""
        arrived, value = self._arrived
        self._arrived = None, None
        return value if arrived is gradient else self._snapshot(gradient)
