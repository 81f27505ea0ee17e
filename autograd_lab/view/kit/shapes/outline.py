"""Outlines of cards: the corner tells the kind, the outline and the fill tell the state."""

from __future__ import annotations

from autograd_lab.view.kit.shapes.stroke import at, circle, group, lower_corners, path, rect, say, short, wide

CORNERS = {"op": 18, "leaf": 8, "constant": 8, "module": 14, "stack": 14}
"""Radius by kind, px."""
STATES = ("recorded", "waiting", "ready", "running", "done", "released", "failed", "stale")
GLOW = 4
"""How far outside of a card the ring of the running one stands."""
SHEET, SHEETS = 6, 2
"""How far each sheet behind a stack is moved, and how many there are."""
BADGE_SIZE, BADGE_HEIGHT = 12.5, 18
LAYER = 18
MARK = 9.0
"""Radius of the mark of what is shared, px."""
SKIP, SKIP_HIGH = 26.0, 14.5
"""Width and height of the sign of a skip, px."""
STRIKE = 0.32
"""How high a line through a text stands, in sizes of the text."""


def card(kind: str, state: str, *inner: str, id: str = "") -> str:
    """A card of this kind in this state: a page changes the state by its word alone."""
    return group(f"card {kind} {state}".rstrip(), *inner, id=id)


def outline(kind: str, x: float, y: float, width: float, height: float, *, own: bool = False) -> str:
    """The outline, in a ring that is seen while the card runs; a second outline if the user wrote the Function."""
    radius = CORNERS[kind]
    drawn = rect("glow", x - GLOW, y - GLOW, width + 2 * GLOW, height + 2 * GLOW, radius + GLOW)
    if own:
        drawn += rect("second", x - 4, y - 4, width + 8, height + 8, radius + 4)
    return drawn + rect("shape", x, y, width, height, radius)


def joint_outline(x: float, y: float, width: float, height: float) -> str:
    """A sign on a line, as round as can be, in a ring of its own."""
    radius = min(width, height) / 2
    glow = rect("glow", x - GLOW, y - GLOW, width + 2 * GLOW, height + 2 * GLOW, radius + GLOW)
    return glow + rect("shape", x, y, width, height, radius)


def leaf_outline(x: float, y: float, width: float, head: float, drawer: float) -> str:
    """A leaf: its head, and below it the drawer of its `.grad`, behind a line that is dashed until one is stored."""
    height, radius = head + drawer, CORNERS["leaf"]
    glow = rect("glow", x - GLOW, y - GLOW, width + 2 * GLOW, height + 2 * GLOW, radius + GLOW)
    shape = rect("shape", x, y, width, height, radius)
    inside = path("drawer", lower_corners(x, y + head, width, drawer, radius))
    edge = path("edge", f"M{at(x, y + head)}h{short(width)}")
    return glow + shape + inside + edge + rect("rim", x, y, width, height, radius)


def low_leaf_outline(x: float, y: float, width: float, height: float, side: float) -> str:
    """A leaf in one line: the drawer begins `side` px from the left."""
    radius, wide_ = CORNERS["leaf"], width - side
    r = short(radius)
    course = (
        f"M{at(x + side, y)}h{short(wide_ - radius)}q{r} 0 {r} {r}v{short(height - 2 * radius)}"
        f"q0 {r} -{r} {r}h{short(radius - wide_)}z"
    )
    glow = rect("glow", x - GLOW, y - GLOW, width + 2 * GLOW, height + 2 * GLOW, radius + GLOW)
    inside = path("drawer", course) + path("edge", f"M{at(x + side, y)}v{short(height)}")
    return glow + rect("shape", x, y, width, height, radius) + inside + rect("rim", x, y, width, height, radius)


def module_outline(x: float, y: float, width: float, height: float, head: float) -> str:
    """A module: its head, tinted once it is done, over its tiles."""
    r = CORNERS["module"]
    below = max(head, r) - r
    course = (
        f"M{at(x, y + r + below)}v-{short(below)}q0 -{r} {r} -{r}h{short(width - 2 * r)}q{r} 0 {r} {r}v{short(below)}z"
    )
    is_all = head > height - r  # below it there is nothing, and the lower corners are round
    tinted = rect("head", x, y, width, height, r) if is_all else path("head", course)
    return outline("module", x, y, width, height) + tinted + rect("rim", x, y, width, height, r)


def sheets(x: float, y: float, width: float, height: float, count: int = SHEETS) -> str:
    """The sheets behind a stack, the hindmost first; they stand above and to the right of its card."""
    moves = [SHEET * place for place in range(count, 0, -1)]
    return "".join(rect("sheet", x + move, y - move, width, height, CORNERS["stack"]) for move in moves)


def layer(x: float, y: float, width: float, height: float, title: str) -> str:
    """The sheet on which the cards stand that a recorded backward pass made."""
    return group("layer", rect("shape", x, y, width, height, LAYER), say(title, x + 14, y + 20, "note plus"))


def opened(x: float, y: float, width: float, height: float, title: str) -> str:
    """What lies below the cards of what was opened, with what that was called."""
    return group("opened", rect("shape", x, y, width, height, LAYER), say(title, x + 14, y + 19, "note quiet"))


def badge_width(text: str) -> float:
    """How wide a version badge is."""
    return wide(text, BADGE_SIZE, bold=True) + 12


def badge(x: float, y: float, text: str) -> str:
    """A version, in a dark capsule that ends at x, its upper edge at y."""
    width = badge_width(text)
    shape = rect("shape", x - width, y, width, BADGE_HEIGHT, BADGE_HEIGHT / 2)
    return group("badge", shape, say(text, x - width / 2, y + 13.5))


def shared_mark(x: float, y: float, text: str) -> str:
    """What all cards of one module have in common: a letter in a disc on the upper edge, from x on."""
    shape = circle("shape", x + MARK, y, MARK)
    return group("shared-mark", shape, say(text, x + MARK, y + 4.3))


def skip_mark(x: float, y: float, *, is_on_edge: bool = False) -> str:
    """A skip: a line through a box, and one around it, which meet; from its upper left corner on."""
    course = f"M{at(x, y + 11)}h10m7 0h9M{at(x + 4, y + 11)}v-7q0 -3 3 -3h12q3 0 3 3v7"
    meeting = circle("dot", x + 22, y + 11, 2.5)
    box = rect("shape", x + 10, y + 7.5, 7, 7, 1.5)
    below = rect("paper", x - 3, y - 2, SKIP + 6, SKIP_HIGH + 4, 5) if is_on_edge else ""
    return group("skip" if is_on_edge else "skip inside", below, path("line", course), box, meeting)


def struck(text: str, x: float, y: float, size: float, classes: str) -> str:
    """A text that ends at x and is no longer so, with a line through it."""
    width = wide(text, size)
    line = path("strike", f"M{at(x - width - 2, y - size * STRIKE)}h{short(width + 4)}")
    return say(text, x, y, f"{classes} quiet end") + line
