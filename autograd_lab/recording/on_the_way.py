"""Gradients on their way: what was taken of them when they were sent, for when they arrive."""

from __future__ import annotations

from typing import Any

from autograd_lab.recording.program.source import NOWHERE, Site
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.values.snapshot import Snapshot


class OnTheWay:
    """The backward pass that runs, `site` being where it was begun, and the gradients on their way in it.

    Passes run one inside the other if a hook begins one.
    """

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self.site = NOWHERE
        self._outer: list[Site] = []
        self._computed: tuple[Any, tuple[Snapshot | None, ...]] = (), ()
        self._sent: dict[int, tuple[Any, Snapshot]] = {}
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
        self._sent.clear()
        self._computed, self._arrived = ((), ()), (None, None)

    def compute(self, gradients: Any, values: tuple[Snapshot | None, ...]) -> None:
        """A node has computed gradients, of which these values were taken."""
        self._computed = gradients, values

    def send(self, gradient: Any, edge: int) -> Snapshot | None:
        """The value of the gradient that is sent along an edge: mostly the one that was taken when it was computed."""
        if gradient is None:
            return None
        gradients, values = self._computed
        same = edge < len(gradients) and gradients[edge] is gradient
        value = values[edge] if same else self._tape.snapshot(gradient)
        self._sent[id(gradient)] = gradient, value
        return value

    def add(self, total: Any) -> Snapshot:
        """The value of a sum of gradients that met, which goes on in their place."""
        value = self._tape.snapshot(total)
        self._sent[id(total)] = total, value
        return value

    def arrive(self, gradient: Any) -> Snapshot | None:
        """The value of a gradient that has arrived: mostly the one that was taken when it was sent."""
        if gradient is None:
            return None
        sent, value = self._sent.pop(id(gradient), (None, None))
        return value if sent is gradient else self._tape.snapshot(gradient)

    def reach(self, gradient: Any, value: Snapshot) -> None:
        """A gradient of this value is at its leaf, where it is about to stay."""
        self._arrived = gradient, value

    def stay(self, gradient: Any) -> Snapshot:
        """The value of a gradient that a leaf has taken: mostly of the one that was there last."""
        arrived, value = self._arrived
        self._arrived = None, None
        return value if arrived is gradient else self._tape.snapshot(gradient)
