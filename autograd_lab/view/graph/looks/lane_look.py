"""How a lane looks: a weight that every turn of a loop uses, which fills part by part."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lab.events import Value
from autograd_lab.view.graph.cards.card import Cards
from autograd_lab.view.graph.looks.flows import Flows
from autograd_lab.view.graph.looks.now import COMING, Now
from autograd_lab.view.kit.part import Look
from autograd_lab.view.kit.reading import label_of, norm_of, reading, scalar_of, short


@dataclass(frozen=True, slots=True)
class LaneLooks:
    """Looks at the lanes of a picture."""

    cards: Cards
    _known: dict[str, tuple[Flows, float]] = field(default_factory=dict, repr=False)

    def at(self, bar: str, now: Now) -> Look:
        """How a lane looks now: `parts` has for each use the height of its part in hundredths, or a dash."""
        box = self.cards.history.boxes[bar]
        if box.born > now.state.step:
            return Look((COMING,), (("name", box.label),))
        flows, top = self._range(bar)
        norms = flows.arrived(now)
        parts = ["-" if norm is None else _height(norm, top) for norm in norms]
        got = len(norms) - norms.count(None)
        grad = now.stored(box)
        said = f".grad {_short(grad)}" if grad is not None else f"{got} of {len(norms)} parts"
        state = "done" if grad is not None else "filling" if got else "empty"
        texts = (("name", box.label), ("grad", said), ("parts", " ".join(parts)), ("norm", short(norm_of(grad))))
        return Look(("lane", state, *["now"] * now.is_arriving(box)), texts)

    def _range(self, bar: str) -> tuple[Flows, float]:
        """What comes from each use of a lane's weight, and the largest norm that ever comes along any."""
        if bar not in self._known:
            uses = [edges for (_, name), edges in self.cards.uses.items() if name == bar]
            most = [max((norm_of(v) or 0.0 for e in edges for v in self.cards.history.sent.get(e, ())), default=0.0)
                    for edges in uses]  # fmt: skip
            self._known[bar] = Flows(uses), max(most, default=0.0)
        return self._known[bar]


def _short(grad: Value) -> str:
    """The number, or the norm of several: a lane has no room for more."""
    return reading(grad, 3) if scalar_of(grad) is not None else label_of(grad)


def _height(norm: float, top: float) -> str:
    """Height of a part in hundredths of the lane: parts that add are as high as they are large; the least is seen."""
    return str(max(4, round(100 * norm / top))) if norm and top else "0"
