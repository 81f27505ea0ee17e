"""All cards."""

from __future__ import annotations

from autograd_lab.view.kit.pen import say
from autograd_lab.view.kit.shapes import bar, capsule, pocket, wire
from autograd_lab.view.kit.shapes import outline as cards
from autograd_lab.view.kit.shapes.outline import card
from autograd_lab.view.kit.tile import Tile, draw_tile
from tests.view.kit.specimen.faces import constant, leaf, op
from tests.view.kit.specimen.paper import Drawn, section, sheet, title

VALUES = Tile(((-0.9, 0.2, -0.5, 0.4), (0.0, -1.0, -1.2, 0.8), (-0.8, -0.7, 1.3, -0.2)), "weight", 1.3)
GRADS = Tile(
    ((0.012, -0.002, 0.004, -0.013), (0.02, 0.006, 0.0, 0.01), (0.003, -0.015, 0.008, 0.005)), "gradient", 0.02
)


def straight(x0: float, x1: float, y: float) -> tuple[tuple[float, float], ...]:
    return ((x0, y), (x0 + (x1 - x0) / 3, y), (x0 + (x1 - x0) * 2 / 3, y), (x1, y))


def leaves() -> Drawn:
    at = 378
    return [
        leaf(48, at, 196, "b", "3.0"),
        leaf(292, at, 196, "b", "3.0", word="1 of 2", parts=(5.0,), total=9.0, summed="5 + …"),
        leaf(536, at, 196, "b", "3.0", word="← 9.0", parts=(5.0, 4.0), summed="5 + 4 = 9"),
        leaf(780, at, 196, "b", "3.0", stored="9.0", parts=(5.0, 4.0), summed="5 + 4 = 9"),
        leaf(
            1024, at, 196, "x", "2.0", stored="13.97", parts=(3.0, 4.0, 7.389, -0.416), fine="leaf · AccumulateGrad #4",
            summed="3 + 4 + 7.389 − 0.416",
        ),
    ]  # fmt: skip


def ops() -> Drawn:
    states = [
        ("c", "5.0", "a + b", {"state": "recorded"}),
        ("h", "0.91", "tanh(z)", {"state": "waiting", "word": "1 of 2"}),
        ("c", "5.0", "a + b", {"state": "ready", "grad": "∂ 4.0"}),
        ("c", "5.0", "a + b", {"state": "running", "grad": "∂ 4.0"}),
        ("c", "5.0", "a + b", {"state": "done", "grad": "∂ −4.0"}),
        ("c", "5.0", "a + b", {"state": "released", "word": "gone"}),
    ]
    drawn = []
    for row, (y, fine) in enumerate(((626, ""), (742, "AddBackward0 #0"))):
        for place, (name, value, formula, more) in enumerate(states):
            x = 48 + 200 * place
            drawn.append(op(x, y, 184, name, value, formula, fine=fine, **more))  # type: ignore[arg-type]
            drawn.append(say(str(more["state"]), x, y + 91, "note") if not row else "")
    return drawn


def slots() -> Drawn:
    y = 922
    kinds = [
        ("h v0", "saved", ""),
        ("h v0", "kept", ""),
        ("h", "freed", "freed"),
        ("h v0, is v1", "stale", ""),
        ("h", "packed", ""),
    ]
    drawn = []
    for place, slot in enumerate(kinds):
        x = 48 + 240 * place
        state = {"freed": "done", "stale": "failed"}.get(slot[1], "recorded")
        more = {"freed": {"grad": "∂ 1.7"}, "stale": {"word": "stopped"}}.get(slot[1], {})
        drawn += [op(x, y, 200, "p", "1  2  3", "h · w", state=state, slots=(slot,), **more)]
        drawn += [say(slot[1], x, y + 116, "note")]
    drawn.append(op(48, 1056, 200, "y", "20.0", "c · d", slots=(("c v0", "saved", ""), ("d v0", "saved", ""))))
    return drawn


def rest() -> Drawn:
    y = 1200
    module = [
        cards.module_outline(520, y, 212, 134, 40),
        say("enc.fc", 534, y + 27, "name"),
        say("Linear 4→3", 718, y + 27, "formula end"),
        say("W", 534, y + 62, "note"),
        draw_tile(VALUES, 534, y + 70, 17),
        say(".grad", 632, y + 62, "note plus"),
        draw_tile(GRADS, 632, y + 70, 17),
    ]
    stack = [
        cards.sheets(760, y + 14, 176, 80),
        cards.outline("stack", 760, y + 14, 176, 80),
        say("blocks", 774, y + 41, "name"),
        say("×11", 922, y + 41, "name end quiet"),
        say("Block · 3.2 M weights", 774, y + 63, "formula"),
        bar.progress(774, y + 76, 148, 5 / 11),
    ]
    lane = bar.lane(48, 1400, 440, "W", "3 of 5 parts", [(196, None), (258, None), (320, 0.3), (382, 0.31), (444, 1.0)])
    written = [
        cards.outline("op", 1010, 1380, 204, 92),
        say("h", 1024, 1407, "name"),
        cards.badge(1202, 1391, "v1"),
        cards.struck("2.0  4.0", 1202 - cards.badge_width("v1") - 8, 1407, 17, "many"),
        say("3.0  5.0", 1200, 1433, "name end"),
        say("h.add_(1)", 1024, 1458, "formula"),
        say("line 9", 1200, 1458, "word end quiet"),
    ]
    return [
        constant(48, y, 120, "x", "3.0", "no grad · [3]"),
        capsule.number_tag(200, y + 30, "2", (232, y + 60)),
        capsule.quiet_chip(262, y + 16, "masks, targets", "7 ops, no grad"),
        card("module", "done", *module),
        card("stack", "recorded", *stack),
        op(1000, y + 8, 200, "s", "0.73", "Swish.apply", state="done", grad="∂ 1.0", fine="SwishBackward #2", own=True),
        *[lane],
        wire.ribbon(straight(750, 520, 1430), 6, 3.5),
        wire.ribbon(straight(752, 640, 1430), 12, 6.9, tip=False),
        capsule.capsule(566, 1430, "3.5", 3.5),
        capsule.hook(636, 1430, "× 0.5"),
        capsule.capsule(716, 1430, "6.9", 6.9),
        wire.plain(straight(800, 888, 1430), ""),
        wire.plain(straight(888, 984, 1430), "nothing"),
        wire.cut(888, 1430),
        card("op", "recorded", *written),
        cards.layer(48, 1500, 500, 112, "backward of y, recorded (create_graph=True)"),
        op(68, 1534, 150, "x.grad", "12.0", "3x²"),
        op(368, 1534, 150, "∂y", "1.0", "seed"),
        wire.plain(straight(218, 368, 1567), ""),
        wire.plain(straight(570, 650, 1545), "blocked"),
        wire.cross(612, 1545),
        op(650, 1512, 184, "p", "1  2  3", "h · w", state="failed", word="stopped"),
        op(880, 1512, 130, "s", "2.0", "x.view(1)"),
        wire.twin(straight(1010, 1096, 1545)),
        constant(1096, 1512, 130, "x", "2.0", "alias"),
        op(880, 1600, 184, "p", "1.0", "h · w", state="stale", word="stale"),
    ]


def card_sheet(theme: str) -> str:
    kinds = [
        leaf(812, 170, 110, "w", "0.5"),
        op(946, 170, 112, "h", "1.5", "x · w"),
        constant(1080, 170, 112, "x", "3.0", "no grad"),
    ]
    big = pocket.pockets(0, 86, 200, [("a v0", "saved", ""), ("b v0", "saved", "")])
    ready = op(0, 0, 200, "p", "6.0", "a · b", state="ready", grad="∂ 1.0", fine="MulBackward0 #0")
    first = f'<g transform="translate(96 148) scale(1.5)">{big}{ready}</g>'
    drawn = title(
        "Cards", "One card for each thing the program made: name and value first, gradient second, fine print last."
    )
    drawn += [first, *kinds, *section(330, "Leaf", "none is never 0"), *leaves()]
    drawn += [*section(578, "Operation", "the state is in outline, fill and words"), *ops()]
    drawn += [*section(874, "Saved slots", "a pocket on the lower edge"), *slots()]
    return sheet(1280, 1720, theme, [*drawn, *section(1154, "All the rest"), *rest()])
