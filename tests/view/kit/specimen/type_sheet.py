"""Type, timeline, code and panels."""

from __future__ import annotations

from autograd_lab.view.kit.pen import say
from autograd_lab.view.kit.shapes import axis, wire
from autograd_lab.view.kit.shapes.key_line import legend
from autograd_lab.view.kit.shapes.panel import CodeLine, code, headline, runs
from autograd_lab.view.kit.shapes.stroke import group, rect
from tests.view.kit.specimen.card_sheet import straight
from tests.view.kit.specimen.paper import Drawn, section, sheet

LINES = [
    CodeLine(1, "import torch"),
    CodeLine(2, "# two uses of b"),
    CodeLine(3, "b = torch.tensor(3.0, requires_grad=True)"),
    CodeLine(4, "p = h * w", "saved", "saved h at v0"),
    CodeLine(5, "h.add_(1)", "bad", "overwrites h"),
    CodeLine(6, "for t in range(5):"),
    CodeLine(7, "    loss.backward()", "now"),
    CodeLine(8, 'print("b.grad", b.grad)'),
]


def types() -> Drawn:
    rows = [
        ("headline", "x.grad = 13.97: four gradients arrive, and add"),
        ("sub", "The 5 from d already waits at b."),
        ("name", "b  name"),
        ("value", "3.0  value"),
        ("partial", "∂ 9.0"),
        ("formula", "a + b   .grad none   done"),
        ("fine", "AddBackward0 #0 · leaf · [4, 2] · 12 B"),
        ("value", "0123456789  1l I  −1.0  ×  ·  ∂y/∂x  ‖∂W‖  √Σ  αβγδεθλμσφ  ≈≠≤≥∞ → ←  ∇ ∈ ⊙ Wᵀ"),
    ]
    return [say(text, 140, 150 + 40 * place, kind) for place, (kind, text) in enumerate(rows)]


def times() -> Drawn:
    y = 546
    bands = [
        axis.band(48, y, 446, "forward", "forward"),
        axis.band(497, y, 492, "backward", "backward"),
        axis.band(992, y, 240, "opt.step()"),
    ]
    marks = [(x, "forward") for x in (130, 213, 296, 379, 438)] + [(x, "") for x in (557, 616, 681, 746, 817, 888, 960)]
    named = [(557, "loss"), (616, "net.4"), (640, "crowded"), (681, "tanh"), (746, "net.2")]
    drawn = [*bands, axis.rail(48, y + 38, 1184), axis.past(48, y + 38, 698)]
    drawn += [axis.tick(x, y + 38, kind) for x, kind in marks]
    steps = [(0.0, 8.0), (0.07, 30), (0.14, 50), (0.21, 70), (0.32, 96), (0.43, 70), (0.5, 50), (0.59, 24), (0.8, 2)]
    return [
        *drawn,
        axis.playhead(746, y + 38),
        axis.names(named, y + 64, 4),
        axis.held(48, y + 118, 1184, 32, steps),
    ]


def keys() -> str:
    line = straight(34, 0, 0)
    leaf = group("card leaf", rect("shape", 0, -8, 22, 16, 4))
    entries = [
        (22.0, leaf, "leaf"),
        (34.0, wire.ribbon(line, 8, 1.0), "positive"),
        (34.0, wire.ribbon(line, 8, -1.0), "negative"),
        (34.0, wire.plain(line, "waiting"), "on its way"),
        (34.0, wire.plain(line, "nothing"), "no gradient wanted"),
    ]
    return legend(48, 1030, entries)


def type_sheet(theme: str) -> str:
    below = [
        ("p = h · w", "strong"),
        (" saved ", ""),
        ("h at version 0", "saved"),
        (" to find ", ""),
        ("w.grad", "plus"),
    ]
    drawn = [
        headline(
            48,
            62,
            "Type, bands, panels",
            [*below, (". Now: ", ""), ("version 1", "alarm")],
            (1232, "backward · step 20 of 26"),
        )
    ]
    drawn += [*types(), *section(500, "Timeline"), *times(), *section(700, "Code")]
    drawn += [code(48, 740, 560, LINES), say("b.grad", 656, 770, "name plus")]
    drawn += [say("9.0", 914, 770, "total end"), runs(656, 800, [("4", "minus"), (" + 5", "")], "fine")]
    return sheet(1280, 1060, theme, [*drawn, *section(980, "Legend"), keys()])
