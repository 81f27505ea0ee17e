"""`autograd-lab progress` and `autograd-lab lessons`: what a learner has done; notebooks from their sources."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track
from rich.table import Table

from autograd_lab.commands.exits import complaints
from autograd_lab.display.target import Misuse, file_target, writing
from autograd_lab.lessons.answers import result
from autograd_lab.lessons.overview import standing
from autograd_lab.lessons.progress import done, entries, progress_file
from autograd_lab.lessons.syllabus import LESSONS
from autograd_lab.trace import write_whole

BUILD_EPILOG = """\b
Examples, in a clone of the repository:
  autograd-lab lessons build                            the notebooks that learners open, into notebooks/
  autograd-lab lessons build --solution -o solved       with all answers in them
  autograd-lab lessons build --slides -o slides         for jupyterlab-rise or: jupyter nbconvert --to slides
  autograd-lab lessons build --nbgrader -o course       the folder of a course, for nbgrader generate_assignment"""

PROGRESS_EPILOG = """\b
Examples:
  autograd-lab progress                                 how much of each lesson is done
  autograd-lab progress --export mine.csv               all of it, also as .json
  autograd-lab progress --forget                        begin anew; it asks first"""


lessons = typer.Typer(help="The lesson notebooks.", no_args_is_help=True, rich_markup_mode=None)


@lessons.callback()
def about() -> None:
    """The lesson notebooks."""


@complaints()
def progress(
    export: Annotated[
        Path | None, typer.Option("--export", metavar="FILE", help="Write all of it to a .csv or .json file.")
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Delete it, after asking.")] = False,
) -> None:
    """Show what you have done in the lessons. It is kept in a file of yours, and nothing is sent anywhere."""
    if export is not None:
        target = file_target(export, (".csv", ".json"))
        with writing(target):
            write_whole(target, _exported(target.suffix.lower()).encode())
        typer.echo(f"{target}  {len(list(entries())):,} entries")
    elif forget:
        if progress_file().exists() and typer.confirm(f"Delete {progress_file()}?"):
            progress_file().unlink()
    else:
        Console().print(_table())
        typer.echo(f"The twelve questions: {result()}.\nKept in {progress_file()}.")


@lessons.command(epilog=BUILD_EPILOG)
@complaints()
def build(
    solution: Annotated[bool, typer.Option("--solution", help="Leave the answers in.")] = False,
    slides: Annotated[bool, typer.Option("--slides", help="Make slides of them.")] = False,
    nbgrader: Annotated[bool, typer.Option("--nbgrader", help="Make the folder of an nbgrader course.")] = False,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where to.  ")] = Path("notebooks"),
    source: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the sources are.")] = Path("notebooks/source"),
) -> None:
    """Build notebooks from their sources, which are Python files in jupytext's percent format."""
    try:
        from autograd_lab.lessons.notebooks import Build, build_one
    except ImportError as error:
        raise Misuse(f"building lessons needs {error.name}: pip install 'autograd-lab[lessons]'") from None
    if solution + slides + nbgrader > 1:
        raise Misuse("--solution, --slides and --nbgrader exclude each other")
    files = sorted(source.glob("*.py"))
    if not files:
        raise Misuse(f"there are no lessons in {source}; run it in a clone of the repository, or give --source")
    kind = Build.SOLUTION if solution else Build.SLIDES if slides else Build.NBGRADER if nbgrader else Build.STUDENT
    for file in track(files, "Building", console=Console(stderr=True), transient=True):
        build_one(file, kind, output)
    typer.echo(f"{output}  {len(files)} notebooks")


def _exported(suffix: str) -> str:
    found = list(entries())
    if suffix == ".json":
        return json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    text = io.StringIO()
    names = dict.fromkeys(name for entry in found for name in entry)
    table = csv.DictWriter(text, list(names))
    table.writeheader()
    table.writerows(found)
    return text.getvalue()


def _table() -> Table:
    table = Table(box=None)
    for heading, side in (("", "right"), ("lesson", "left"), ("minutes", "right"), ("done", "right")):
        table.add_column(heading, justify=side)  # type: ignore[arg-type]  # one of those that rich knows
    passed = done()
    for lesson in LESSONS:
        have, all_ = standing(lesson, passed)
        count = f"{have} of {all_}" if all_ else "not written yet"
        table.add_row(str(lesson.number), lesson.title, str(lesson.minutes), count)
    return table
