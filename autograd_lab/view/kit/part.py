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

    def at_origin(self) -> Part:
        """The same in the corner; written out, since a film asks for it at each look."""
        return Part(self.id, self.kind, self.of, 0.0, 0.0, self.width, self.height, self.index, self.text)

    def moved(self, dx: float, dy: float) -> Part:
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(slots=True, unsafe_hash=True)
class Look:
    """Class names and texts of one part; parts of a text are told apart by name (`title`, `value0`, …). Nobody changes
    it; that Python does not see to that makes it in half the time.
    """

    classes: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()

    def text(self, name: str) -> str:
        """One of the texts, empty if there is none of that name."""
        return dict(self.texts).get(name, "")


UNKNOWN = Look(("unknown",), (("title", "?"), ("name", "?"), ("value0", "unknown")))
"""How a part looks of which that cannot be found out."""
