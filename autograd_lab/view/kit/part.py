"""A drawn element: the atoms that cells, lines and frames are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Part:
    """A drawn element: `kind` says how, `of` whose state it shows, `index` which slot, output or operand it is."""

    id: str
    kind: str
    of: str
    x: float
    y: float
    width: float
    height: float
    index: int = 0
    text: str = ""

    def moved(self, dx: float, dy: float) -> Part:
        return replace(self, x=self.x + dx, y=self.y + dy)
