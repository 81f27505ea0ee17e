"""The report of a class as a page: no script, no address, and no name unless it is wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from autograd_lab.classroom.report.beliefs import Belief, beliefs, counted, gain, stuck
from autograd_lab.classroom.report.heat import Column, Known, heat
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
.heat { max-height: 94vh; overflow: auto; margin-bottom: 2rem; width: fit-content; max-width: 100% }
.heat table { border-collapse: separate; border-spacing: 0; margin: 0 }
.heat th, .heat td { border-width: 0 1px 1px 0 }
.heat td { padding: .3rem .25rem; font-size: .85rem; min-width: 3.2rem }
.heat .class td { font-size: .75rem } .heat th { background: #fff; position: sticky; font-weight: normal }
.heat thead th { top: 0; z-index: 1; vertical-align: bottom; max-width: 7rem } .heat th:first-child { left: 0 }
.heat thead th:first-child { z-index: 2 }
.up { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 15rem; margin: 0 auto }
.share { text-align: center; white-space: nowrap; font-variant-numeric: tabular-nums; color: #1c2733 }
.low { font-weight: bold } .heat .class > * { border-bottom: 3px double #8896a5 } .key span { padding: .1rem .5rem }
@media print { .heat { max-height: none; overflow: visible } td, span { print-color-adjust: exact } }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"
CODE = re.compile(r"`([^`]+)`")
COLOURS = ((240, 150, 105), (243, 205, 100), (178, 217, 140), (105, 187, 125))
"""Of a share, from little that is right to nearly all; with less evidence it is paler. The numbers say it as well."""
PALEST = 0.2
UPRIGHT = 8
"""With more concepts than that their names stand upright, so that all are seen at once."""


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


def _heat(columns: Sequence[Column], called: dict[int, str]) -> str:
    kind = '<div class="up">' if len(columns) > UPRIGHT else "<div>"
    names = (f"L{each.lesson} · {in_lessons(each.concept)}" for each in columns)
    concepts = (f"{_cell(name, 'th', kind)}</div>" for name in names)
    heads = f"<thead><tr>{_cell(worded('learner'), 'th')}{''.join(concepts)}</thead>"
    all_ = f'<tr class="class">{_cell(worded("all"), "th")}' + "".join(_share(each.all, whole=True) for each in columns)
    rows = zip(called.values(), zip(*(each.cells for each in columns), strict=True), strict=True)
    lines = [f"<tr>{_cell(name, 'th')}" + "".join(map(_share, cells)) for name, cells in rows] if columns else []
    table = "\n".join([heads, all_, *lines])
    says = worded(
        "How many of each learner's latest answers were right. Few answers are paler, and less than half is bold."
    )
    return (
        f'<h2>{worded("By concept")}</h2>\n<p>{says} {_key()}</p>\n<div class="heat"><table>\n{table}\n</table></div>'
    )


def _key() -> str:
    """The colours, each with what it says."""
    seen = (Known(2, 6), Known(4, 6), Known(5, 6), Known(6, 6), Known(1, 1))
    return '<span class="key">' + " ".join(f"<span {look_of(each)}>{_said(each)}</span>" for each in seen) + "</span>"


def _share(known: Known, *, whole: bool = False) -> str:
    if not known.answered:
        return "<td>"
    return f"<td {look_of(known)}>{f'{percent(known.share)}<br>' if whole else ''}{_said(known)}"


def _said(known: Known) -> str:
    return worded("{} of {}", known.right, known.answered)


def look_of(known: Known) -> str:
    """The class and style of a cell in which something was answered."""
    strength = PALEST + (1 - PALEST) * (known.evidence - 1 / 6) / (5 / 6)
    mixed = (round(255 + (each - 255) * strength) for each in COLOURS[known.band])
    return f'class="share{" low" * (known.band == 0)}" style="background: #{"".join(f"{each:02x}" for each in mixed)}"'


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


def _cell(said: object, kind: str, inner: str = "") -> str:
    """Of all that learners hand in nothing comes into the page but through here. `Code` and *stress* are markup."""
    parts = CODE.split(escape(clean(str(said))))
    parts[::2] = [STRESS.sub(r"<em>\1</em>", part) for part in parts[::2]]
    parts[1::2] = [f"<code>{part}</code>" for part in parts[1::2]]
    return f"<{kind}>{inner}{''.join(parts)}"
