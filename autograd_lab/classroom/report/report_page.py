"""The report of a class as a page: no script, no address, and no name unless it is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from autograd_lab.classroom.report.beliefs import Belief, Row, beliefs, gain, heat, stuck
from autograd_lab.classroom.report.learner import Learner

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733;
  background: #fff }
table { border-collapse: collapse; margin-bottom: 2rem } .wide { overflow-x: auto }
th, td { text-align: left; padding: .3rem .5rem; border: 1px solid #d5dce4; vertical-align: top }
.share { text-align: right; font-variant-numeric: tabular-nums; min-width: 2.2rem; color: #1c2733 }
"""
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
        f"<title>What the class knows</title>\n<style>{STYLE}</style>\n"
        f"<h1>What the class knows</h1>\n<p>{len(learners)} learners"
        f"{'' if names else ', by number, in the order of their files'}.{said}</p>\n" + "\n".join(parts) + "\n</html>\n"
    )


def percent(share: float | None) -> str:
    """A share in words; nothing for none."""
    return "" if share is None else f"{share:.0%}"


def _heat(rows: Sequence[Row], called: dict[int, str]) -> str:
    heads = "".join(f"<th>{escape(name)}" for name in called.values())
    lines = "\n".join(
        f"<tr><th>{escape(row.concept)}{_share(row.mean)}{''.join(map(_share, row.shares))}" for row in rows
    )
    about = "<h2>By concept</h2>\n<p>Of what each has answered, so much was right the last time.</p>"
    return f'{about}\n<div class="wide"><table>\n<tr><th>concept<th>all{heads}\n{lines}\n</table></div>'


def _share(share: float | None) -> str:
    if share is None:
        return "<td>"
    colour = next(colour for below, colour in BANDS if share < below)
    return f'<td class="share" style="background: {colour}">{percent(share)}'


def _beliefs(found: Sequence[Belief], called: dict[int, str]) -> str:
    lines = "\n".join(
        f"<tr><td>{len(each.holders)}<td>{len(each.certain)}<td>{each.id}<td>{escape(each.answer)}"
        f"<td>{escape(each.belief)}<td>{_who(each.holders, called)}"
        for each in found
    )
    heads = "<tr><th>learners<th>certain<th>question<th>they answer<th>the idea behind it<th>who"
    return f"<h2>What is believed</h2>\n<table>\n{heads}\n{lines}\n</table>"


def _stuck(learners: Sequence[Learner], called: dict[int, str]) -> str:
    lines = "\n".join(
        f"<tr><td>{escape(called[each.learner])}<td>{each.id}<td>{each.tries}<td>{each.hints}"
        for each in stuck(learners)
    )
    if not lines:
        return "<h2>Who is stuck</h2>\n<p>Nobody.</p>"
    return f"<h2>Who is stuck</h2>\n<table>\n<tr><th>who<th>exercise<th>tries<th>hints\n{lines}\n</table>"


def _who(numbers: Sequence[int], called: dict[int, str]) -> str:
    return escape(", ".join(called[number] for number in numbers))
