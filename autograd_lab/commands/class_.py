"""`autograd-lab class`: what a class has done in the lessons."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograd_lab.classroom.report.beliefs import beliefs, counted, gain, stuck
from autograd_lab.classroom.report.heat import Column, Known, heat
from autograd_lab.classroom.report.learner import Learner, learners_of
from autograd_lab.classroom.report.report_page import percent, report_page
from autograd_lab.commands.exits import complain, complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.options import Language
from autograd_lab.commands.terminal import say
from autograd_lab.display.target import file_target, writing
from autograd_lab.lessons.worded import without_marks
from autograd_lab.lessons.worded import worded as in_lessons
from autograd_lab.trace import write_whole
from autograd_lab.view.languages.texts import worded

EPILOG = """\b
Examples:
  autograd-lab class report *.json                      in the terminal
  autograd-lab class report *.json -o class.html        a page: concepts, beliefs, who is stuck where
  autograd-lab class report *.json --names              with the names of the files in place of numbers
Each learner hands in what this writes: autograd-lab progress --export mine.json"""
SHOWN = 10
"""So many beliefs fit a terminal."""
BESIDE = 10
"""So many concepts fit side by side."""
STYLES = ("bold red", "yellow", "green", "green")
"""Of a share, from little that is right to nearly all, where a terminal has colours."""
app = command_file(help="What a class has done in the lessons.", no_args_is_help=True)


@app.callback()
def about() -> None:
    """What a class has done in the lessons."""


@app.command(epilog=EPILOG)
@complaints()
def report(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="The files of the learners.", exists=True)],
    output: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write a page, .html.")] = None,
    names: Annotated[bool, typer.Option("--names", help="Name learners by their files, not by numbers.")] = False,
    language: Language = None,
) -> None:
    """Say what a class knows by concept, which beliefs stand behind its wrong answers, and who is stuck where."""
    learners = learners_of(files, complain)
    if output is None:
        _print(learners, names)
        return
    target = file_target(output, (".html",))
    with writing(target):
        write_whole(target, report_page(learners, names=names).encode("utf-8", "replace"))
    say(f"{target}  {counted(len(learners))}")


def _print(learners: list[Learner], names: bool) -> None:
    called = {each.number: each.name if names else str(each.number) for each in learners}
    say(f"{counted(len(learners))}. {gain(learners)}\n")
    console = Console(width=120)
    columns = heat(learners)
    concepts = (worded("lesson"), worded("concept"), worded("share right"), worded("answers right"), worded("learners"))
    console.print(_table(concepts, [*map(_concept, columns)]))
    for start in range(0, len(columns), BESIDE):
        beside = columns[start : start + BESIDE]
        heads = (worded("learner"), *(f"L{each.lesson}" for each in beside))
        console.print(_table(heads, _cells(beside, called)))
    believed = (worded("learners"), worded("certain"), "", worded("question"), worded("the idea behind it"))
    found = _beliefs(learners)
    console.print(_table(believed, found[:SHOWN]))
    if len(found) > SHOWN:
        say(worded("These are {} of {} ideas; the page of -o FILE.html has all.", SHOWN, len(found)))
    for each in stuck(learners):
        hints = worded("1 hint") if each.hints == 1 else worded("{} hints", each.hints)
        say(worded("{} is stuck at {}: {} tries, {}", called[each.learner], each.id, each.tries, hints))


def _table(heads: Sequence[str], rows: list[tuple[str | Text, ...]]) -> Table:
    table = Table(*heads, box=None)
    for row in rows:
        table.add_row(*row)
    return table


def _concept(column: Column) -> tuple[str | Text, ...]:
    share = Text(percent(column.all.share), _style(column.all))
    return (f"L{column.lesson}", in_lessons(column.concept), share, _said(column.all), str(column.learners))


def _cells(columns: Sequence[Column], called: dict[int, str]) -> list[tuple[str | Text, ...]]:
    """A row for each learner; little evidence is dim."""
    by_learner = zip(called.values(), zip(*(each.cells for each in columns), strict=True), strict=True)
    return [(name, *(Text(_said(each), _style(each)) for each in cells)) for name, cells in by_learner]


def _said(known: Known) -> str:
    return worded("{} of {}", known.right, known.answered) if known.answered else ""


def _style(known: Known) -> str:
    return f"{STYLES[known.band]}{' dim' * (known.evidence < 0.5)}"


def _beliefs(learners: list[Learner]) -> list[tuple[str | Text, ...]]:
    return [
        (str(len(each.holders)), str(len(each.certain)), each.id, _plain(each.text), _plain(each.belief))
        for each in beliefs(learners)
    ]


def _plain(text: str) -> str:
    """A text of a lesson in the language that is spoken, without signs of markup."""
    return without_marks(in_lessons(text))
