"""The room that spots need for whatever is drawn there, in one style; and forms of that room."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from autograd_lab.view.graph.faces.face import Face, Style
from autograd_lab.view.graph.faces.forms import Forms, Pane
from autograd_lab.view.graph.faces.traffic import Traffic
from autograd_lab.view.graph.together.spots import Common, Seats
from autograd_lab.view.kit.shapes.width import Widths


@dataclass
class Sizes:
    """What was measured of all recordings so far: the largest of each card, number and line."""

    faces: dict[str, Face] = field(default_factory=dict)
    labels: dict[str, float] = field(default_factory=dict)
    thick: dict[str, float] = field(default_factory=dict)
    is_written: dict[str, bool] = field(default_factory=dict)
    widths: Widths = field(default_factory=lambda: Widths(0.0, 0.0))
    spelt_out: set[str] = field(default_factory=set)
    """Spots that are more than a sign in some recording."""

    def measure(self, forms: Forms, faces: Mapping[str, Face], seats: Seats) -> None:
        """Make room for what a recording draws, whose cards have these faces."""
        for name, spot in seats.cards.items():
            self.faces[spot] = _larger(self.faces.get(spot, faces[name]), faces[name])
        for name, spot in seats.wires.items():
            self.thick[spot] = max(self.thick.get(spot, 0.0), forms.thick[name])
            if name in forms.labels:
                self.labels[spot] = max(self.labels.get(spot, 0.0), forms.labels[name])
            self.is_written[spot] = self.is_written.get(spot, False) or forms.is_written[name]
        self.widths = _joined(self.widths, forms.widths)


def _larger(one: Face, other: Face) -> Face:
    """Room for either of two faces."""
    return Face(
        max(one.width, other.width),
        max(one.height, other.height),
        hang=max(one.hang, other.hang),
        pocket_room=max(one.hang_width, other.hang_width),
    )


def _joined(one: Widths, other: Widths) -> Widths:
    """One rule for the lines of both."""
    least = [each.smallest for each in (one, other) if each.smallest]
    return Widths(max(one.largest, other.largest), min(least, default=0.0), other.most)


class CommonForms(Forms):
    """Spots as large as they need to be, to be laid out in any form.

    They are not `measured` before they are to be laid out. Where a `host` has a card in each of them, they need no less
    room than its cards do: where those are too wide, they are.
    """

    def __init__(self, cards: Common, style: Style, measured: Callable[[], Sizes], host: Forms | None) -> None:
        super().__init__(cards, style, Traffic(cards.history))
        self._measured, self._host, self._ways = measured, host, cards.ways

    @cached_property
    def _sizes(self) -> Sizes:
        return self._measured()

    @cached_property
    def faces(self) -> dict[str, Face]:  # type: ignore[override]
        return {spot: self._sizes.faces[spot] for spot in self.cards.cards}

    @cached_property
    def widths(self) -> Widths:  # type: ignore[override]
        return self._sizes.widths

    def fits(self, form: str, pane: Pane, least: float) -> bool:
        is_hopeless = self._host is not None and not self._host.fits(form, pane, least)
        return not is_hopeless and super().fits(form, pane, least)

    def fits_along(self, form: str, pane: Pane, least: float) -> bool:
        return (self._host is None or self._host.fits_along(form, pane, least)) and super().fits_along(
            form, pane, least
        )

    @cached_property
    def labels(self) -> dict[str, float]:
        known = self._sizes.labels
        return {wire.id: known[wire.id] for wire in self.cards.wires if wire.id in known}

    @cached_property
    def is_written(self) -> dict[str, bool]:
        return {wire.id: self._sizes.is_written[wire.id] for wire in self.cards.wires}

    @cached_property
    def thick(self) -> dict[str, float]:
        thick = {wire.id: self._sizes.thick[wire.id] for wire in self.cards.wires}
        through = {link: self._sizes.thick[line] for line, way in self._ways.items() for link in way}
        return {name: max(px, through.get(name, 0.0)) for name, px in thick.items()}
