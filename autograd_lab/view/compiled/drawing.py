"""Drawing the parts of a compilation, styled by the classes that a look names."""

from __future__ import annotations

from collections.abc import Mapping

from autograd_lab.view.compiled.look import SIGNS, TAKES
from autograd_lab.view.compiled.places import CODE, DETAIL, HEAD, LINE, NUMBERS, PAD, SIGN, TITLE, TOP
from autograd_lab.view.kit.font import fit
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.pen import Path, framed, group, path_of, rect, say


def call(part: Part, look: Look, routes: Mapping[str, Path]) -> str:
    """An operation, or an input, which has round corners."""
    x, y, room = part.x + PAD, part.y, part.width - 2 * PAD
    texts = say(fit(look.text("title"), room, TITLE, bold=True), x, y + 20, "title")
    texts += say(fit(look.text("detail"), room, DETAIL), x, y + 37, "detail")
    marks = [(sort, text) for sort, text in look.texts if sort in SIGNS]
    for at, (sort, text) in enumerate(marks):
        row, kind = y + HEAD + LINE * at + 11, f"sign {sort}"
        words = fit(text, room - SIGN, DETAIL, bold=sort != TAKES)
        texts += say(SIGNS[sort], x, row, kind) + say(words, x + SIGN, row, kind)
    return group(part, "call", look, framed(part, look, 12 if part.kind == "input" else 3) + texts)


def wire(part: Part, look: Look, routes: Mapping[str, Path]) -> str:
    """A line to an operation from what it takes."""
    route = routes[part.id]
    x, y = route[-1]
    line = path_of(route)
    under = f'<path class="under" d="{line}"/>' if "now" in look.classes else ""
    head = f'<path class="head" d="M{x:.7g} {y:.7g}l-8 -4.4v8.8z"/>'
    return group(part, "wire", look, f'{under}<path class="line" d="{line}"/>{head}')


def heading(part: Part, look: Look, routes: Mapping[str, Path]) -> str:
    """What a program is called, above it."""
    title = say(look.text("title"), part.x, part.y + 22, "heading")
    return group(part, "program", look, title + say(look.text("says"), part.x, part.y + 44, "says"))


def line(part: Part, look: Look, routes: Mapping[str, Path]) -> str:
    """A line of a program."""
    band = rect(part, 0, "row") if {"now", "comment"} & set(look.classes) else ""
    y = part.y + 14.5
    code = fit(look.text("code"), part.width - NUMBERS, CODE, mono=True)
    number = say(look.text("number"), part.x + NUMBERS - 10, y, "number")
    return group(part, "program-line", look, band + number + say(code, part.x + NUMBERS, y, "source"))


def rail(part: Part, look: Look, routes: Mapping[str, Path]) -> str:
    """A buffer: which and how large it is, and a line down which its time runs."""
    middle = part.x + part.width / 2
    down = f'<path class="line" d="M{middle:.7g} {part.y + TOP:.7g}v{part.height - TOP:.7g}"/>'
    name = say(look.text("title"), part.x, part.y + 20, "detail")
    return group(part, "rail", look, down + name + say(look.text("size"), part.x, part.y + 36, "detail"))


def tenant(part: Part, look: Look, routes: Mapping[str, Path]) -> str:
    """An array in a buffer; what was written over the one before begins with a notch, in the same line."""
    x, y, right, bottom = part.x, part.y, part.x + part.width, part.y + part.height
    middle = max(part.width / 2, min(part.width - 10, 32))  # beside the name
    notch = f"l{middle - 6:.7g} 0l6 6l6 -6H{right:.7g}" if "over" in look.classes else f"H{right:.7g}"
    shape = f'd="M{x:.7g} {y:.7g}{notch}V{bottom:.7g}H{x:.7g}z"/>'
    halo = f'<path class="halo" {shape}' if "now" in look.classes else ""
    name = say(fit(look.text("title"), part.width - 8, 13, mono=True), x + 6, y + 13, "title")
    return group(part, "tenant", look, f'{halo}<path class="shape" {shape}{name}')


DRAW = {
    "input": call, "call": call, "wire": wire, "program": heading, "program-line": line, "rail": rail, "tenant": tenant,
}  # fmt: skip
"""How each kind of part is drawn."""
