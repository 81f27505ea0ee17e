"""A listing with the lifetimes of its values beside it: time runs down, one column a buffer."""

from __future__ import annotations

from autograd_lab.view.compiled.graph import say
from autograd_lab.view.compiled.told import Bar, Sheet
from autograd_lab.view.font import fit, text_width

PITCH, CODE = 20.0, 14.0
COLUMN, GAP = 100.0, 8.0
TOP = 44.0
BUFFERS = "Buffers, and which value is in each"
MOST_LINES, MOST_BUFFERS = 120, 24
"""What can still be read; the rest is counted."""


def sheet_picture(sheet: Sheet) -> tuple[str, float, float]:
    """The drawing of a sheet, its width and its height."""
    lines = sheet.lines[:MOST_LINES]
    code = max([320.0, *(text_width(line, CODE, mono=True) for line in lines)]) + 56
    drawn = [_row(number, line, code) for number, line in enumerate(lines)]
    if len(sheet.lines) > len(lines):
        more = f"… and {len(sheet.lines) - len(lines):,} more lines"
        drawn.append(say(more, 44, TOP + PITCH * (len(lines) + 0.7), "code"))
    columns = min(len(sheet.buffers), MOST_BUFFERS)
    if columns:
        drawn.append(say(BUFFERS, code + GAP, 14, "says"))
    drawn += [_heading(at, text, code, len(lines)) for at, text in enumerate(sheet.buffers[:columns])]
    drawn += [_bar(bar, code) for bar in sheet.bars if bar.buffer < columns and bar.first < len(lines)]
    if len(sheet.buffers) > columns:
        drawn.append(say(f"and {len(sheet.buffers) - columns} more", code + COLUMN * columns + GAP, 36, "detail"))
    right = max(COLUMN * columns, text_width(BUFFERS, 15)) if columns else 0.0
    return "".join(drawn), code + GAP + right, TOP + PITCH * (len(lines) + 1)


def _row(number: int, line: str, width: float) -> str:
    y = TOP + PITCH * number
    note = line.lstrip().startswith("#")
    band = f'<rect class="band" x="0" y="{y:.7g}" width="{width:.7g}" height="{PITCH:g}"/>' if note else ""
    said = say(line, 44, y + 14.5, "code note" if note else "code")
    return band + say(str(number + 1), 34, y + 14.5, "number") + said


def _heading(at: int, text: str, code: float, lines: int) -> str:
    x = code + GAP + COLUMN * at
    line = f'<path class="rail" d="M{x + COLUMN / 2 - 4:.7g} {TOP:.7g}v{PITCH * lines:.7g}"/>'
    return line + say(fit(text, COLUMN - 6, 12.5), x, 36, "detail")


def _bar(bar: Bar, code: float) -> str:
    """A value's lifetime; what was written over the one before begins with a notch, in the same line."""
    x, width = code + GAP + COLUMN * bar.buffer, COLUMN - 14
    y, end = TOP + PITCH * bar.first + (PITCH / 2 if bar.taken else 2), TOP + PITCH * (bar.last + 1) - 2
    end = max(end - (PITCH / 2 if bar.given else 0), y + 9)
    notch = f"l{width / 2 - 6:.7g} 0l6 6l6 -6H{x + width:.7g}" if bar.taken else f"H{x + width:.7g}"
    shape = f'<path class="bar{" taken" if bar.taken else ""}" d="M{x:.7g} {y:.7g}{notch}V{end:.7g}H{x:.7g}z"/>'
    return shape + say(fit(bar.text, width - 8, 13), x + 6, y + 13, "bartext")
