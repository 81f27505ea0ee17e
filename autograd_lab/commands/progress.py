"""`autograd-lab progress`: what a learner has done in the lessons."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from autograd_lab.commands.exits import complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.terminal import confirm, say
from autograd_lab.display.target import file_target, writing
from autograd_lab.lessons.answers import result
from autograd_lab.lessons.concepts import standings
from autograd_lab.lessons.overview import standing
from autograd_lab.lessons.progress import done, entries, progress_file
from autograd_lab.lessons.progress_page import progress_page
from autograd_lab.lessons.syllabus import LESSONS
from autograd_lab.lessons.worded import worded
from autograd_lab.trace import write_whole

EPILOG = """\b
Examples:
  autograd-lab progress                                 how much of each lesson is done
  autograd-lab progress --export mine.csv               all of it, also as .json
  autograd-lab progress --export mine.html              a page to show, concept by concept
  autograd-lab progress --forget                        begin anew; it asks first"""
app = command_file()


@app.command(epilog=EPILOG)
@complaints()
def progress(
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="Write all of it to a .csv or .json file, or a page, .html."),
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Delete it, after asking.")] = False,
) -> None:
    """Show what you have done in the lessons. It is kept in a file of yours, and nothing is sent anywhere."""
    if export is not None:
        target = file_target(export, (".csv", ".json", ".html"))
        with writing(target):
            write_whole(target, _exported(target.suffix.lower()).encode())
        count = len(list(entries()))
        say(f"{target}  1 entry" if count == 1 else f"{target}  {count:,} entries")
    elif forget:
        if progress_file().exists() and confirm(f"Delete {progress_file()}?"):
            progress_file().unlink()
    else:
        Console().print(_table())
        Console().print(_concepts())
        says = "The questions around the lessons: {result}.\nKept in {file}."
        say(worded(says, result=result(), file=progress_file()))


def _exported(suffix: str) -> str:
    found = list(entries())
    if suffix == ".html":
        return progress_page(standings())
    if suffix == ".json":
        return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    text = io.StringIO()
    names = dict.fromkeys(name for entry in found for name in entry)
    table = csv.DictWriter(text, list(names))
    table.writeheader()
    table.writerows(found)
    return text.getvalue()


def _concepts() -> Table:
    table = Table(box=None)
    table.add_column(worded("what it is about"))
    table.add_column(worded("right the last time"))
    for each in standings():
        table.add_row(worded(each.concept), each.words)
    return table


def _table() -> Table:
    table = Table(box=None)
    table.add_column("", justify="right")
    table.add_column(worded("lesson"), justify="left")
    table.add_column(worded("minutes"), justify="right")
    table.add_column(worded("right"), justify="right")
    passed = done()
    for lesson in LESSONS:
        have, all_ = standing(lesson, passed)
        count = worded("{right} of {all}", right=have, all=all_) if all_ else worded("not written yet")
        table.add_row(str(lesson.number), worded(lesson.title), str(lesson.minutes), count)
    return table
