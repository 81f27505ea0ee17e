"""Before and after on one sheet: what was captured, with what becomes of each operation; what is left; the Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from autograd_lab.view.compiled.compiled_scene import CompiledScene
from autograd_lab.view.compiled.facts import facts_of
from autograd_lab.view.compiled.frame_drawing import draw_part
from autograd_lab.view.compiled.inventory import Cards
from autograd_lab.view.compiled.look import AGAIN, CHANGED, GONE, KEPT, LEAVES, LOOP, ONCE, SIGNS, TAKES, taken_by
from autograd_lab.view.compiled.places import APART, Placed, graph_placed, programs_placed
from autograd_lab.view.compiled.state import Compilation
from autograd_lab.view.kit.font import clean, text_width, wrap
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.pen import say
from autograd_lab.view.kit.style import COMPILED, style_sheet
from autograd_lab.view.scene import Scene

MARGIN, HEADING = 28.0, 58.0
ABREAST = 1800.0
"""Panels stand side by side up to this width, px."""
FACT, SAYS = 17.0, 15.0
MEANINGS = {
    GONE: "left out", CHANGED: "done in another way", LOOP: "part of a loop over tiles", KEPT: "kept for backward",
    AGAIN: "runs in backward, too or only there", ONCE: "view that is made once",
    TAKES: "takes from the other row", LEAVES: "leaves the function",
}  # fmt: skip
CAPTURED = "The function ran once. These are the numpy calls that it made, and below them those of backward passes."
RUNS = "This runs instead at each call."
RUNS_IN_HALVES = "This runs instead: forward at each call and, when gradients come, backward."

Panel = tuple[str, str, str, float, float]
"""A heading, a sentence, a drawing, its width and height."""


def before_and_after(scene: Scene, title: str, widest: float = ABREAST) -> str:
    """An SVG of a compilation's scene, `widest` px wide or as need be. Raises ValueError for another scene."""
    if not isinstance(scene, CompiledScene):
        raise ValueError("this trace tells of no compilation")
    cards, state = scene.subject.cards, scene.state(scene.steps).compilation
    rows = [*_abreast(_graphs(scene, cards, state, widest), widest)]
    programs = [_program(scene, placed) for placed in programs_placed(cards)]
    rows += _abreast(programs, max([widest, *map(_wide, rows)]))
    lines = [line for fact in facts_of(state) for line in wrap(fact, max(widest, *map(_wide, rows)), FACT, most=9)]
    body, y = [say(title, MARGIN, MARGIN + 20, "sheet")], MARGIN + 34
    for line in lines:
        y += 24
        body.append(say(line, MARGIN, y, "fact"))
    body.append(say(_legend(state), MARGIN, y + 26, "says"))
    drawn, width, height = _rows(rows, y + 40)
    width = max([width, text_width(title, 24, bold=True), *(text_width(line, FACT) for line in lines)])
    return _whole(title, lines, "".join(body) + drawn, width + 2 * MARGIN, height)


def _graphs(scene: CompiledScene, cards: Cards, state: Compilation, widest: float) -> list[Panel]:
    """The graph as it was captured, and as it is in the end, with every card at its place."""
    placed = graph_placed(cards, widest)
    panels = []
    for step, name, says in (
        (scene.moments["captured"], f"Captured: {_calls(state.captured[0])}", CAPTURED),
        (scene.steps, f"Compiled: {_calls(state.count)}", RUNS_IN_HALVES if state.has_backward else RUNS),
    ):
        looks = [(part, scene.look(part, scene.state(step))) for part in placed.parts]
        if step < scene.steps:
            looks = [(part, _foreseen(part, look, state)) for part, look in looks]
        drawn = [draw_part(part, _calm(look), placed.routes) for part, look in looks if "hidden" not in look.classes]
        panels.append((name, says, "".join(drawn), placed.width, placed.height))
    return panels


def _foreseen(part: Part, look: Look, state: Compilation) -> Look:
    """The look of a captured operation, with what will become of it."""
    end = state.operations.get(part.of)
    if part.kind == "wire":
        ends = [state.operations.get(each) for each in (part.of, part.text)]
        return Look((*look.classes, *["gone"] * any(each is not None and bool(each.gone) for each in ends)), look.texts)
    if part.kind != "call" or end is None or not (end.gone or end.changed):
        return look
    sort, words = (GONE, end.gone) if end.gone else (CHANGED, end.changed)
    return Look((*look.classes, sort), (*look.texts[:2], (sort, words), *look.texts[2:]))


def _calm(look: Look) -> Look:
    """The look without that something is going on right now."""
    return Look(tuple(name for name in look.classes if name != "now"), look.texts)


def _program(scene: CompiledScene, placed: Placed) -> Panel:
    state = scene.state(scene.steps)
    heading, *parts = placed.moved(0.0, -HEADING).parts
    drawn = [draw_part(part, scene.look(part, state), {}) for part in parts]
    says = scene.look(heading, state)
    return says.text("title"), says.text("says"), "".join(drawn), placed.width, placed.height - HEADING


def _calls(count: int) -> str:
    return f"{count} numpy call{'s' * (count != 1)}"


def _legend(state: Compilation) -> str:
    """The signs that there may be, in one line."""
    operations = state.operations.values()
    there = {
        GONE: any(one.gone for one in operations),
        CHANGED: any(one.changed for one in operations),
        LOOP: bool(state.loops),
        KEPT: any(array.kept is not None for array in state.arrays.values()),
        AGAIN: any(one.is_repeated or one.is_moved for one in operations),
        ONCE: any(one.made_once for one in operations),
        TAKES: any(taken_by(one, state) for one in operations),
        LEAVES: bool(state.ends),
    }
    said = [f"{SIGNS[sort]} {words}" for sort, words in MEANINGS.items() if there[sort]]
    said += ["yellow: Python sees a value"] * any(one.facts.is_check for one in operations)
    formulas = ["pink: of backward formulas"] * any(one.facts.backward for one in operations)
    return "     ".join(["round: input", *formulas, *said])


# --- panels on a sheet ----------------------------------------------------------------------------------------------


def _abreast(panels: list[Panel], widest: float) -> list[list[Panel]]:
    """Panels side by side if they take no more than `widest` px, else below each other."""
    return [panels] if panels and _wide(panels) <= widest else [[one] for one in panels]


def _wide(panels: Sequence[Panel]) -> float:
    return sum(map(_width, panels)) + APART * (len(panels) - 1)


def _width(panel: Panel) -> float:
    return max(panel[3], text_width(panel[0], 19, bold=True), text_width(panel[1], SAYS))


def _rows(rows: list[list[Panel]], y: float) -> tuple[str, float, float]:
    """The panels; how wide they are, and where they end."""
    body = []
    for row in rows:
        x = MARGIN
        for panel in row:
            body.append(_panel(panel, x, y))
            x += _width(panel) + APART
        y += HEADING + max(panel[4] for panel in row) + 34
    return "".join(body), max([700.0, *map(_wide, rows)]), y


def _panel(panel: Panel, x: float, y: float) -> str:
    heading, says, drawn, _, _ = panel
    texts = say(heading, x, y + 30, "heading") + say(says, x, y + 51, "says")
    return f'{texts}<g transform="translate({x:.7g} {y + HEADING + 10:.7g})">{drawn}</g>'


def _whole(title: str, facts: Iterable[str], body: str, width: float, height: float) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    said = escape(clean(" ".join(facts)))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" xml:space="preserve">'
        f"<title>{escape(clean(title))}</title><desc>{said}</desc><style>{style_sheet(COMPILED)}</style>"
        f'<rect width="100%" height="100%" fill="#ffffff"/>{body}</svg>'
    )
