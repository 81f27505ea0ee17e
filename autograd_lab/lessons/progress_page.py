"""A page that shows what a learner knows, to be kept or shown: no script, no address, no name."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from autograd_lab.lessons.concepts import Standing
from autograd_lab.lessons.worded import worded
from autograd_lab.view.languages.speaking import language

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733;
  background: #fff }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid #d5dce4; vertical-align: middle }
meter { width: 100%; min-width: 8rem; height: 1.1rem }
@media (prefers-color-scheme: dark) { body { color: #e8edf2; background: #14191f } th, td { border-color: #3a4652 } }
"""


def progress_page(standings: Sequence[Standing]) -> str:
    """The page as HTML: a row for each concept, with a bar and in words."""
    rows = "\n".join(_row(each) for each in standings)
    right, tasks = sum(each.right for each in standings), sum(each.tasks for each in standings)
    title = worded("What I know of autograd")
    counted = worded("{right} of {all} questions and exercises right the last time.", right=right, all=tasks)
    headings = "".join(f"<th>{each}" for each in (worded("concept"), worded("right"), worded("in words")))
    return (
        f'<!doctype html>\n<html lang="{language()}">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n<p>{counted}</p>\n"
        f"<table>\n<tr>{headings}\n{rows}\n</table>\n</html>\n"
    )


def _row(standing: Standing) -> str:
    words = escape(standing.words)
    meter = f'<meter min="0" max="{standing.tasks}" value="{standing.right}" aria-label="{words}"></meter>'
    return f"<tr><td>{escape(worded(standing.concept))}<td>{meter}<td>{words}"
