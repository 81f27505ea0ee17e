"""The report of a class as a page: no script, no address, and no name unless it is wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from autograd_lab.classroom.report.beliefs import Belief, Row, beliefs, counted, gain, heat, stuck
from autograd_lab.classroom.report.learner import Learner
from autograd_lab.lessons.worded import STRESS
from autograd_lab.lessons.worded import worded as in_lessons
from autograd_lab.view.kit.font import clean
from autograd_lab.view.languages.speaking import language
from autograd_lab.view.languages.texts import worded

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733;
  background: #fff }
table { border-collapse: collapse; margin-bottom: 2rem } .wide { overflow-x: auto }
th, td { text-align: left; padding: .3rem .5rem; border: 1px solid #d5dce4; vertical-align: top }
.share { text-align: right; font-variant-numeric: tabular-nums; min-width: 2.2rem; color: #1c2733 }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
CODE = re.compile(r"`([^`]+)`")
BANDS = ((0.5, "#f6c9b0"), (0.75, "#f7e7b5"), (0.9, "#d9ecc8"), (2.0, "#b5dcb5"))
"""Below which share a cell has which colour. The number stands in it as well."""


def report_page(learners: Sequence[Learner], *, names: bool = False) -> str:
    """The page as HTML."""
    called = {each.number: each.name if names else str(each.number) for each in learners}
    parts = (_heat(heat(learners), called), _beliefs(beliefs(learners), called), _stuck(learners, called))
    many, six = counted(len(learners)), gain(learners)
    counts = f"{many}." if names else worded("{}, by number, in the order of their files.", many)
    said = f" {worded('The six questions: {}.', six)}" if six else ""
    title = worded("What the class knows")
    return (
        f'<!doctype html>\n<html lang="{language()}">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n"
        f"<h1>{title}</h1>\n<p>{counts}{said}</p>\n" + "\n".join(parts) + "\n</html>\n"
    )


def percent(share: float | None) -> str:
    """A share in words; nothing for none."""
    return "" if share is None else f"{share:.0%}"


def _heat(rows: Sequence[Row], called: dict[int, str]) -> str:
    lines = [_cell(in_lessons(row.concept), "th") + "".join(map(_share, (row.mean, *row.shares))) for row in rows]
    share = worded("Share of each learner's latest answers that were right.")
    about = f"<h2>{worded('By concept')}</h2>\n<p>{share}</p>"
    heads = (worded("concept"), worded("all"), *called.values())
    return f"{about}\n{_table(heads, lines)}"


def _share(share: float | None) -> str:
    if share is None:
        return "<td>"
    colour = next(colour for below, colour in BANDS if share < below)
    return f'<td class="share" style="background: {colour}">{percent(share)}'


def _beliefs(found: Sequence[Belief], called: dict[int, str]) -> str:
    lines = [
        _cells(len(each.holders), len(each.certain), each.id, *_texts(each), _who(each.holders, called))
        for each in found
    ]
    heads = (
        *(worded("learners"), worded("certain"), "", worded("question")),
        *(worded("they answer"), worded("the idea behind it"), worded("who")),
    )
    return f"<h2>{worded('What is believed')}</h2>\n{_table(heads, lines)}"


def _texts(each: Belief) -> Iterator[str]:
    return map(in_lessons, (each.text, each.answer, each.belief))


def _stuck(learners: Sequence[Learner], called: dict[int, str]) -> str:
    lines = [_cells(called[each.learner], each.id, each.tries, each.hints) for each in stuck(learners)]
    heads = (worded("who"), worded("exercise"), worded("tries"), worded("hints"))
    told = _table(heads, lines) if lines else f"<p>{worded('Nobody.')}</p>"
    return f"<h2>{worded('Who is stuck')}</h2>\n{told}"


def _who(numbers: Sequence[int], called: dict[int, str]) -> str:
    return ", ".join(called[number] for number in numbers)


def _table(heads: Sequence[str], lines: Sequence[str]) -> str:
    rows = (_cells(*heads, kind="th"), *lines)
    return '<div class="wide"><table>\n' + "\n".join(f"<tr>{row}" for row in rows) + "\n</table></div>"


def _cells(*said: object, kind: str = "td") -> str:
    return "".join(_cell(each, kind) for each in said)


def _cell(said: object, kind: str) -> str:
    """Of all that learners hand in nothing comes into the page but through here. `Code` and *stress* are markup."""
    parts = CODE.split(escape(clean(str(said))))
    parts[::2] = [STRESS.sub(r"<em>\1</em>", part) for part in parts[::2]]
    parts[1::2] = [f"<code>{part}</code>" for part in parts[1::2]]
    return f"<{kind}>{''.join(parts)}"
