"""A page to fill in with a pencil: program, questions, and the graph with blanks for what backward leaves behind.

It is drawn in greys that a copier keeps apart. The key is the same page with what stands in the blanks.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from autograd_lab.classroom.demos.demo import Demo
from autograd_lab.classroom.demos.questions import LETTERS, Question
from autograd_lab.view.graph.frame import wrap
from autograd_lab.view.kit.font import clean, fit, text_width
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.style import LIGHT, SHEET
from autograd_lab.view.pages.excerpt import Edit, Excerpt, excerpt
from autograd_lab.view.scene import Scene

PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
"""Width and height, mm."""

PX = 96 / 25.4
"""Pixels of CSS in a millimetre."""

MARGIN = 15 * PX
BLANK, SHORT = "________", "____"
MOST_LINES, PITCH = 40, 15.0
"""Lines of the program that are printed, and the height of each, px."""

TYPE, SMALL_TYPE = 11.0, 8.0
"""Sizes of the program's letters: as a rule, and at least, for the sake of a long line, px."""

CODE = 0.58
"""How much of the width the program takes where there are questions beside it."""

DARK = ("ink", "quiet", "leaf_line", "saved_line", "kept_line", "gradient", "alarm", "module")
GREYS = dict.fromkeys(LIGHT, "#ffffff") | dict.fromkeys(DARK, "#000000") | {"hair": "#6b6b6b", "leaf": "#e6e6e6"}
TASK = "Fill in the values, the gradient that comes back along each line, .grad, and the versions (v) of what is saved."


@dataclass(frozen=True)
class Sheet:
    """One printed page, as SVG, and its size in mm."""

    svg: str
    width: float
    height: float


def worksheet(demo: Demo, paper: str = "a4", *, key: bool = False) -> Sheet:
    """The page of a demo, upright or lying down as its graph wants it. Raises NothingToDraw, KeyError for a paper."""
    short, long = PAPERS[paper]
    edit = _with_versions(demo.scene) if key else _blanked
    graph = excerpt(demo.scene, demo.scene.steps, edit=edit)
    upright = _room(demo, short, long), (short, long)
    lying = _room(demo, long, short), (long, short)
    (_, (width, height)) = max(upright, lying, key=lambda way: _scale(graph, *way[0]))
    return Sheet(_page(demo, graph, width * PX, height * PX, key), width, height)


def _room(demo: Demo, width: float, height: float) -> tuple[float, float]:
    """What is left for the graph on a page of this size, px."""
    return width * PX - 2 * MARGIN, height * PX - 2 * MARGIN - _above(demo, width * PX - 2 * MARGIN)


def _scale(graph: Excerpt, width: float, height: float) -> float:
    return min(width / graph.width, height / graph.height, 1.15)


def _above(demo: Demo, width: float) -> float:
    return 66 + max(PITCH * min(MOST_LINES, len(_program(demo))), _asked_height(demo, width * (1 - CODE) - 20)) + 34


def _program(demo: Demo) -> list[str]:
    return next(iter(demo.trace.files.values()), "").rstrip().splitlines()


def _page(demo: Demo, graph: Excerpt, width: float, height: float, key: bool) -> str:
    inner = width - 2 * MARGIN
    above = _above(demo, inner)
    size = _scale(graph, inner, height - 2 * MARGIN - above)
    name = "Key" if key else "Name ______________________"
    body = [
        _text(fit(demo.title, inner - 240, 22, bold=True), MARGIN, MARGIN + 22, 22, "bold"),
        f'<text x="{width - MARGIN:.0f}" y="{MARGIN + 20:.0f}" font-size="13" text-anchor="end">{name}</text>',
        *_code(demo, MARGIN, MARGIN + 66, inner * CODE if demo.questions else inner),
        *_questions(demo, MARGIN + inner * CODE + 20, MARGIN + 66, inner * (1 - CODE) - 20, key),
        _text("" if key else TASK, MARGIN, MARGIN + above - 10, 13, "bold"),
        graph.placed(MARGIN, MARGIN + above, inner, graph.height * size, upper=True),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.1f}" height="{height:.1f}" role="img">'
        f"<title>{escape(clean(demo.title))}</title><style>{SHEET.substitute(GREYS).strip()}</style>"
        f'<rect width="100%" height="100%" fill="#ffffff"/>{"".join(body)}</svg>'
    )


def _code(demo: Demo, x: float, y: float, width: float) -> list[str]:
    lines = _program(demo)
    shown = (
        lines if len(lines) <= MOST_LINES else [*lines[: MOST_LINES - 1], f"… and {len(lines) - MOST_LINES + 1} more"]
    )
    rows = [f"{n:3}  {line.expandtabs(4)}" for n, line in enumerate(shown, 1)]
    widest = max((text_width(row, TYPE, mono=True) for row in rows), default=0)
    size = max(SMALL_TYPE, min(1.0, width / max(widest, 1)) * TYPE)
    return [
        _text(fit(row, width, size, mono=True), x, y + PITCH * n - 4, size, "mono") for n, row in enumerate(rows, 1)
    ]


def _asked(question: Question, width: float, key: bool) -> list[tuple[str, str]]:
    """Lines of text and their class."""
    found = [(line, "bold") for line in wrap(question.text, width * 0.87, 13, 4)]
    for letter, choice in zip(LETTERS, question.choices, strict=False):
        box = "☒" if key and choice.right else "☐"
        found += [(line, "") for line in wrap(f"{box} {letter}) {choice.text}", width, 13, 3)]
    return [*found, ("", "")]


def _asked_height(demo: Demo, width: float) -> float:
    return 19.0 * sum(len(_asked(question, width, key=False)) for question in demo.questions)


def _questions(demo: Demo, x: float, y: float, width: float, key: bool) -> list[str]:
    lines = [line for question in demo.questions for line in _asked(question, width, key)]
    return [_text(text, x, y + 13 + 19 * row, 13, kind) for row, (text, kind) in enumerate(lines)]


def _text(text: str, x: float, y: float, size: float, kind: str) -> str:
    shown = f' class="{kind}"' if kind else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}"{shown} xml:space="preserve">{escape(clean(text))}</text>'
    )


def _blanked(part: Part, look: Look) -> Look:
    """The look without anything that has to be found out."""
    kept = [(name, text) for name, text in look.texts if not name.startswith(("value", "heat", "flow", "state"))]
    match part.kind:
        case "box" | "grad":
            kept = [(name, text) for name, text in kept if name != "version"]
            return Look(tuple(name for name in look.classes if name == "leaf"), (*kept, ("value0", BLANK)))
        case "slot":
            return Look(("saved",), (*kept, ("state", f"v{SHORT}")))
        case "link" if "grad" in look.classes:
            return Look(("grad",), (("label", SHORT),))
        case "pill":
            return Look(tuple(name for name in look.classes if name in ("recorded", "unrecorded", "sign")), tuple(kept))
        case "dock":
            return Look(("accumulate",), (("title", "AccumulateGrad"),))
        case _:
            return Look(look.classes, tuple(kept))


def _with_versions(scene: Scene) -> Edit:
    """What stands there at the end, with the version of each slot, which a freed one does not show any more."""
    ops, state = scene.looks.history.ops, scene.state(scene.steps)

    def edit(part: Part, look: Look) -> Look:
        node = state.nodes.get(ops[part.of].node or "") if part.kind == "slot" and part.of in ops else None
        if node is None:
            return look
        texts = [(name, text) for name, text in look.texts if name != "state"]
        return Look(look.classes, (*texts, ("state", f"v{node.slots[part.index].version}")))

    return edit
