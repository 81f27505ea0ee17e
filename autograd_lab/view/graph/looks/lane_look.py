"""How a lane looks: a weight that every turn of a loop uses, which fills part by part."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Cards, Edges
from autograd_lab.view.graph.looks.now import COMING, Now
from autograd_lab.view.kit.part import Look
from autograd_lab.view.kit.reading import label_of, norm_of, reading, scalar_of, short

DECADES = 3.0
"""Beyond a thousandfold difference, the parts' heights are logarithmic."""


@dataclass(frozen=True, slots=True)
class LaneLooks:
    """Looks at the lanes of a picture."""

    cards: Cards
    _known: dict[str, tuple[list[Edges], float, float]] = field(default_factory=dict, repr=False)

    def at(self, bar: str, now: Now) -> Look:
        """How a lane looks now: `parts` has for each use the height of its part in hundredths, or a dash."""
        box = self.cards.history.boxes[bar]
        if box.born > now.state.step:
            return Look((COMING,), (("name", box.label),))
        uses, top, least = self._ranges(bar)
        parts, got = [], 0
        for edges in uses:
            found = now.delivered(edges)
            got += bool(found)
            parts.append(_height(max((norm_of(v) or 0.0 for v in found), default=0.0), top, least) if found else "-")
        grad = now.stored(box)
        said = f".grad {_short(grad)}" if grad is not None else f"{got} of {len(uses)} parts"
        state = "done" if grad is not None else "filling" if got else "empty"
        texts = (("name", box.label), ("grad", said), ("parts", " ".join(parts)), ("norm", short(norm_of(grad))))
        return Look(("lane", state, *["now"] * now.is_arriving(box)), texts)

    def _ranges(self, bar: str) -> tuple[list[Edges], float, float]:
        """The edges of each use of a lane's weight; the largest norm that ever comes along any, and the least."""
        if bar not in self._known:
            uses = [edges for (_, name), edges in self.cards.uses.items() if name == bar]
            most = [max((norm_of(v) or 0.0 for e in edges for v in self.cards.history.sent.get(e, ())), default=0.0)
                    for edges in uses]  # fmt: skip
            least = min((norm for norm in most if norm), default=0.0)
            self._known[bar] = uses, max(most, default=0.0), least
        return self._known[bar]


def _short(grad: Value) -> str:
    """The number, or the norm of several: a lane has no room for more."""
    return reading(grad, 3) if scalar_of(grad) is not None else label_of(grad)


def _height(norm: float, top: float, least: float) -> str:
    """Height of a part in hundredths of the lane."""
    if not norm or not top:
        return "0"
    if least and top / least > 10**DECADES:
        decades = min(8, math.ceil(math.log10(top / least)))
        share = 1 - math.log10(top / norm) / decades
        return str(max(4, round(100 * max(0.0, share))))
    return str(max(4, round(100 * norm / top)))
