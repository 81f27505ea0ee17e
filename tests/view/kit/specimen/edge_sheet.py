"""All lines and tiles."""

from __future__ import annotations

import math
import random

from autograd_lab.view.kit.pen import say
from autograd_lab.view.kit.shapes import wire
from autograd_lab.view.kit.shapes.capsule import capsule
from autograd_lab.view.kit.shapes.route import middle
from autograd_lab.view.kit.shapes.stroke import rect
from autograd_lab.view.kit.shapes.width import widths
from autograd_lab.view.kit.tile import Tile, draw_tile, tile_size
from tests.view.kit.specimen.card_sheet import straight
from tests.view.kit.specimen.faces import leaf, op
from tests.view.kit.specimen.paper import Drawn, section, sheet, title


def lines() -> Drawn:
    drawn = []
    spots = [(48 + 304 * (i % 4), 150 + 92 * (i // 4)) for i in range(8)]
    back = [straight(x + 170, x, y) for x, y in spots]
    x, y = spots[0]
    drawn += [wire.recorded(straight(x, x + 170, y)), wire.plain(back[1], "waiting")]
    drawn += [wire.on_its_way(back[2], 0.5, 9, 4.0), capsule(*middle(back[2]), "4.0", 4.0, flying=True)]
    drawn += [wire.ribbon(back[3], 9, 4.0), capsule(spots[3][0] + 95, y, "4.0", 4.0)]
    drawn += [wire.ribbon(back[4], 9, -4.0), capsule(spots[4][0] + 95, spots[4][1], "−4.0", -4.0)]
    drawn += [wire.ribbon(back[5], 1.5, 0.0), capsule(spots[5][0] + 95, spots[5][1], "0", 0.0)]
    drawn += [wire.plain(back[6], "nothing"), wire.plain(back[7], "blocked"), wire.cross(spots[7][0] + 85, spots[7][1])]
    words = [
        "recorded forward",
        "waiting",
        "on its way",
        "delivered",
        "delivered, negative",
        "exactly 0",
        "no gradient",
        "blocked",
    ]
    return drawn + [say(word, x, y + 32, "note") for word, (x, y) in zip(words, spots, strict=True)]


def rules() -> Drawn:
    """Both rules of width, as dots of that height."""
    drawn = []
    for x, rule, numbers in (
        (60, widths([1.0, 0.01]), [step / 40 for step in range(41)]),
        (500, widths([1.0, 1e-6]), [10 ** (-6 + step / 6.5) for step in range(40)]),
    ):
        bars = [(x + 8 * place, 10 * rule(number)) for place, number in enumerate(numbers)]
        drawn += [rect("rail past", at, 540 - high, 5, high) for at, high in bars]
        drawn.append(say(rule.said, x, 566, "fine"))
    return drawn


def legend() -> Drawn:
    drawn = []
    for x, numbers in ((920, (1, 0.5, 0.1)), (1080, (1, 0.01, 0.0001))):
        rule = widths([*numbers, numbers[-1]])
        for place, number in enumerate(numbers):
            y = 400 + 26 * place
            drawn += [
                wire.ribbon(straight(x + 60, x, y), rule(number), number),
                say(f"{number:g}", x + 72, y + 5, "quiet"),
            ]
        drawn.append(say(rule.said, x, 490, "quiet"))
    return drawn


def sums() -> Drawn:
    numbers, y = (3.0, 4.0, 7.389, -0.416), 670
    rule = widths(numbers)
    drawn = [leaf(60, y, 230, "x", "2.0", stored="13.97", parts=numbers, summed="3 + 4 + 7.389 − 0.416")]
    down = y + 52.0
    for place, (name, number) in enumerate(zip("abcd", numbers, strict=True)):
        wide, top = rule(number), y - 45 + 68 * place
        drawn.append(op(560, top, 130, name, state="done", formula=""))
        arrive = down + wide / 2
        route = ((560, top + 33), (470, top + 33), (380, arrive), (292, arrive))
        drawn += [
            wire.ribbon(route, wide, number),
            capsule(*middle(route, 0.45), f"{number:g}".replace("-", "−"), number),
        ]
        down += wide + 5
    flying = ((1200, 700), (1100, 640), (950, 820), (800, 760))
    drawn += [wire.on_its_way(flying, 0.6, 11, -4.0), capsule(*middle(flying, 0.6), "−4.0", -4.0, flying=True)]
    turn = [(1150, 860), (1150, 850), (1150, 840), (1150, 830), (1150, 824), (1144, 810), (1130, 810)]
    up = (*turn, (1000, 810), (900, 810), (820, 810))
    return [*drawn, wire.ribbon(up, 5, 0.02)]


def scales() -> Drawn:
    steps = [-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    row = (tuple(step / 8 for step in steps),)
    return [draw_tile(Tile(row, "value", 1), 48, 980, 20), draw_tile(Tile(row, "gradient", 1), 440, 980, 20)]


def tiles() -> Drawn:
    rng, nan = random.Random(3), math.nan

    def some(rows: int, columns: int, wide: float) -> tuple[tuple[float, ...], ...]:
        return tuple(tuple(rng.gauss(0, wide) for _ in range(columns)) for _ in range(rows))

    y = 1050
    zero = (0.0,) * 8
    embedding = (zero, some(1, 8, 0.02)[0], zero, some(1, 8, 0.02)[0])
    mask = tuple(tuple(across <= down for across in range(6)) for down in range(5))
    broken = ((0.5, nan, -0.4, 0.9), (0.9, 0.3, math.inf, -0.2), (-0.8, 1.0, 0.7, -math.inf))
    whole = Tile(some(8, 10, 0.3), "weight", 1.0, each="each is the largest of 64 × 64")
    each = [
        (Tile(some(4, 6, 0.6), "weight", 1.3), 48, 20),
        (Tile(some(4, 6, 0.01), "gradient", 0.02), 196, 20),
        (Tile(embedding, "gradient", 0.05), 348, 16),
        (Tile(mask), 584, 16),
        (Tile(broken, "value", 1.0), 712, 26),
        (whole, 868, 10),
        (Tile(some(12, 16, 0.4), "value", 1.0), 1010, 6),
    ]
    drawn = [draw_tile(tile, x, y, cell) for tile, x, cell in each]
    wide, _ = tile_size(8, 10, 10, aggregated=True)
    return [
        *drawn,
        say("each is the largest of 64 × 64", 868 - 40, y + 112, "fine"),
        say(f"{wide:g} px", 868, y + 130, "fine"),
    ]


def edge_sheet(theme: str) -> str:
    drawn = title("Edges and tiles", "A line is as wide as the gradient that it carries; hollow means negative.")
    drawn += [*lines(), *section(340, "Width", "one function for a whole pass"), *rules(), *legend()]
    drawn += [*section(594, "Paths add", "widths at the leaf stand on each other"), *sums()]
    return sheet(1280, 1230, theme, [*drawn, *section(930, "Tiles", "zero is paper"), *scales(), *tiles()])
