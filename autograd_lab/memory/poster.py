"""A result as one picture: the table, bytes over time without and with the technique, and what the graph keeps."""

from __future__ import annotations

from collections.abc import Sequence

from autograd_lab.memory.technique import Result, Row
from autograd_lab.view.charts.chart import shelf, step_chart
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.ink import line, sheet, words

WIDTH, LEFT, RIGHT = 1600.0, 120.0, 40.0
PANEL, LOW_PANEL, BETWEEN = 190.0, 130.0, 46.0
"""Heights of a chart, alone and with something else below it, and between two."""
FOOT = "Bytes that Python and numpy hold, weights and input not counted; the time is the best of several runs."
COLUMNS = (0.0, 520.0, 720.0, 860.0)
"""Where the columns of the table begin or, but for the first, end, px from the left."""


def poster(result: Result) -> str:
    """The SVG of a result, 1600 px wide."""
    width = WIDTH - LEFT - RIGHT
    body = words(result.title, 40, 62, 36, "bold") + words(result.sentence, 40, 100, 19, "quiet")
    table, y = _table(result.rows, 40, 146)
    note, below = _paragraph(result.note, 980, 150, WIDTH - 980 - RIGHT)
    body += table + note
    y = max(y, below) + 40
    charts, y = _charts(result, y, width)
    body += charts
    pairs = (("without", result.without), ("with", result.with_it))
    scale = width / max(sum(one.nbytes for one in reading.kept if not one.elsewhere) for _, reading in pairs)
    for label, reading in pairs:
        body += shelf(f"kept{result.where} at the end of forward, {label}", reading.kept, LEFT, y, width, scale)
        y += 82 if any(one.elsewhere for one in reading.kept) and not all(one.elsewhere for one in reading.kept) else 64
    if result.extra is not None:
        drawn, tall = result.extra(LEFT, width)
        body += f'<g transform="translate(0 {y + 14:.1f})">{drawn}</g>'
        y += 14 + tall
    body += words(FOOT, 40, y + 30, 16, "quiet")
    said = "; ".join(f"{row.what}: {row.without or 'none'} without, {row.with_it} with" for row in result.rows)
    return sheet(WIDTH, y + 52, result.title, said, body)


def _table(rows: Sequence[Row], x: float, y: float) -> tuple[str, float]:
    heads = zip(("without", "with", "ratio"), COLUMNS[1:], strict=True)
    drawn = "".join(words(head, x + at, y, 17, "quiet", "end") for head, at in heads)
    drawn += line(x, y + 10, x + COLUMNS[-1], y + 10, "way")
    for row in rows:
        y += 34
        drawn += words(row.what, x, y, 20)
        cells = zip((row.without, row.with_it, row.ratio), COLUMNS[1:], strict=True)
        drawn += "".join(words(text, x + at, y, 20, "bold" if at == COLUMNS[-1] else "", "end") for text, at in cells)
    return drawn, y


def _paragraph(text: str, x: float, y: float, width: float) -> tuple[str, float]:
    """Words in lines no wider than this; and where the last line stands."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, 18) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "".join(words(one, x, y + 27 * number, 18) for number, one in enumerate(lines)), y + 27 * len(lines)


def _charts(result: Result, y: float, width: float) -> tuple[str, float]:
    readings = {"without": result.without, "with": result.with_it}
    steps = max(len(reading.held) for reading in readings.values())
    top = int(1.35 * max(reading.most for reading in readings.values()))
    drawn = words(f"bytes held{result.where}, op after op", LEFT, y, 18)
    y += 34
    tall = PANEL if result.extra is None else LOW_PANEL
    for label, reading in readings.items():
        drawn += step_chart(label, reading.held, reading.phases, (LEFT, y, width, tall), steps, top)
        y += tall + BETWEEN
    drawn += words("ops →", LEFT + width, y - BETWEEN + 22, 16, "quiet", "end")
    return drawn, y - 10
