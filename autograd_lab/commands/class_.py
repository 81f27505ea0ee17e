"""`autograd-lab class`: what a class has done in the lessons."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from autograd_lab.classroom.report.beliefs import beliefs, gain, heat, stuck
from autograd_lab.classroom.report.learner import Learner, learners_of
from autograd_lab.classroom.report.report_page import percent, report_page
from autograd_lab.commands.exits import complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.terminal import say
from autograd_lab.display.target import file_target, writing
from autograd_lab.trace import write_whole

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
) -> None:
    """Say what a class knows by concept, which beliefs stand behind its wrong answers, and who is stuck where."""
    learners = learners_of(files)
    if output is None:
        _print(learners, names)
        return
    target = file_target(output, (".html",))
    with writing(target):
        write_whole(target, report_page(learners, names=names).encode("utf-8", "replace"))
    say(f"{target}  {len(learners)} learners")


def _print(learners: list[Learner], names: bool) -> None:
    called = {each.number: each.name if names else str(each.number) for each in learners}
    say(f"{len(learners)} learners. {gain(learners)}\n")
    console = Console(width=120)
    console.print(_table(("concept", "right", "learners"), _concepts(learners)))
    console.print(_table(("learners", "certain", "question", "the idea behind their answer"), _beliefs(learners)))
    for each in stuck(learners):
        hints = f"{each.hints} hint{'s' * (each.hints != 1)}"
        say(f"{called[each.learner]} is stuck at {each.id}: {each.tries} tries, {hints}")


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    table = Table(*heads, box=None)
    for row in rows:
        table.add_row(*row)
    return table


def _concepts(learners: list[Learner]) -> list[tuple[str, ...]]:
    return [(row.concept, percent(row.mean), str(sum(it is not None for it in row.shares))) for row in heat(learners)]


def _beliefs(learners: list[Learner]) -> list[tuple[str, ...]]:
    return [
        (str(len(each.holders)), str(len(each.certain)), each.id, each.belief) for each in beliefs(learners)[:SHOWN]
    ]
