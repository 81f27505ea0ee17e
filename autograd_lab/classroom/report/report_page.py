"""The report of a class as a page: no script, no address, and no name unless it is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from autograd_lab.classroom.report.beliefs import Belief, Row, beliefs, gain, heat, stuck
from autograd_lab.classroom.report.learner import Learner
from autograd_lab.view.kit.font import clean

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733;
  background: #fff }
table { border-collapse: collapse; margin-bottom: 2rem } .wide { overflow-x: auto }
th, td { text-align: left; padding: .3rem .5rem; border: 1px solid #d5dce4; vertical-align: top }
.share { text-align: right; font-variant-numeric: tabular-nums; min-width: 2.2rem; color: #1c2733 }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
BANDS = ((0.5, "#f6c9b0"), (0.75, "#f7e7b5"), (0.9, "#d9ecc8"), (2.0, "#b5dcb5"))
"""Below which share a cell has which colour. The number stands in it as well."""


def report_page(learners: Sequence[Learner], *, names: bool = False) -> str:
    """The page as HTML."""
    called = {each.number: each.name if names else str(each.number) for each in learners}
    parts = (_heat(heat(learners), called), _beliefs(beliefs(learners), called), _stuck(learners, called))
    said = f" The six questions: {six}." if (six := gain(learners)) else ""
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>What the class knows</title>\n<style>{STYLE}</style>\n"
        f"<h1>What the class knows</h1>\n<p>{len(learners)} learners"
        f"{'' if names else ', by number, in the order of their files'}.{said}</p>\n" + "\n".join(parts) + "\n</html>\n"
    )


def percent(share: float | None) -> str:
    """A share in words; nothing for none."""
    return "" if share is None else f"{share:.0%}"


def _heat(rows: Sequence[Row], called: dict[int, str]) -> str:
    lines = [_cell(row.concept, "th") + "".join(map(_share, (row.mean, *row.shares))) for row in rows]
    about = "<h2>By concept</h2>\n<p>Of what each has answered, so much was right the last time.</p>"
    return f'{about}\n<div class="wide">{_table(("concept", "all", *called.values()), lines)}</div>'


def _share(share: float | None) -> str:
    if share is None:
        return "<td>"
    colour = next(colour for below, colour in BANDS if share < below)
    return f'<td class="share" style="background: {colour}">{percent(share)}'


def _beliefs(found: Sequence[Belief], called: dict[int, str]) -> str:
    lines = [
        _cells(len(each.holders), len(each.certain), each.id, each.answer, each.belief, _who(each.holders, called))
        for each in found
    ]
    heads = ("learners", "certain", "question", "they answer", "the idea behind it", "who")
    return f"<h2>What is believed</h2>\n{_table(heads, lines)}"


def _stuck(learners: Sequence[Learner], called: dict[int, str]) -> str:
    lines = [_cells(called[each.learner], each.id, each.tries, each.hints) for each in stuck(learners)]
    told = _table(("who", "exercise", "tries", "hints"), lines) if lines else "<p>Nobody.</p>"
    return f"<h2>Who is stuck</h2>\n{told}"


def _who(numbers: Sequence[int], called: dict[int, str]) -> str:
    return ", ".join(called[number] for number in numbers)


def _table(heads: Sequence[str], lines: Sequence[str]) -> str:
    rows = (_cells(*heads, kind="th"), *lines)
    return "<table>\n" + "\n".join(f"<tr>{row}" for row in rows) + "\n</table>"


def _cells(*said: object, kind: str = "td") -> str:
    return "".join(_cell(each, kind) for each in said)


def _cell(said: object, kind: str) -> str:
    """Of all that learners hand in nothing comes into the page but through here."""
    return f"<{kind}>{escape(clean(str(said)))}"
