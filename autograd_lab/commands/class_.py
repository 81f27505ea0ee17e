"""`autograd-lab class`: what a class has done in the lessons."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from autograd_lab.classroom.report.beliefs import beliefs, counted, gain, heat, stuck
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
    concepts = (worded("concept"), worded("share right"), worded("learners"))
    console.print(_table(concepts, _concepts(learners)))
    believed = (worded("learners"), worded("certain"), "", worded("question"), worded("the idea behind it"))
    found = _beliefs(learners)
    console.print(_table(believed, found[:SHOWN]))
    if len(found) > SHOWN:
        say(worded("These are {} of {} ideas; the page of -o FILE.html has all.", SHOWN, len(found)))
    for each in stuck(learners):
        hints = worded("1 hint") if each.hints == 1 else worded("{} hints", each.hints)
        say(worded("{} is stuck at {}: {} tries, {}", called[each.learner], each.id, each.tries, hints))


def _table(heads: Sequence[str], rows: list[tuple[str, ...]]) -> Table:
    table = Table(*heads, box=None)
    for row in rows:
        table.add_row(*row)
    return table


def _concepts(learners: list[Learner]) -> list[tuple[str, ...]]:
    return [
        (in_lessons(row.concept), percent(row.mean), str(sum(it is not None for it in row.shares)))
        for row in heat(learners)
    ]


def _beliefs(learners: list[Learner]) -> list[tuple[str, ...]]:
    return [
        (str(len(each.holders)), str(len(each.certain)), each.id, _plain(each.text), _plain(each.belief))
        for each in beliefs(learners)
    ]


def _plain(text: str) -> str:
    """A text of a lesson in the language that is spoken, without signs of markup."""
    return without_marks(in_lessons(text))
