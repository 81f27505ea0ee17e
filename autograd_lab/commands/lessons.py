"""`autograd-lab lessons`: notebooks from their sources."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from autograd_lab.commands.exits import complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.terminal import say
from autograd_lab.display.target import Misuse

EPILOG = """\b
Examples, in a clone of the repository:
  autograd-lab lessons build                            the notebooks that learners open, into notebooks/
  autograd-lab lessons build --solution -o solved       with all answers in them
  autograd-lab lessons build --slides -o slides         for jupyterlab-rise, which needs no network
  autograd-lab lessons build --nbgrader -o course       the folder of a course, for nbgrader generate_assignment"""
app = command_file(help="The lesson notebooks.", no_args_is_help=True)


@app.callback()
def about() -> None:
    """The lesson notebooks."""


@app.command(epilog=EPILOG)
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
        from autograd_lab.lessons.translated import translations
    except ImportError as error:
        raise Misuse(f"building lessons needs {error.name}: pip install 'autograd-lab[classroom]'") from None
    if solution + slides + nbgrader > 1:
        raise Misuse("--solution, --slides and --nbgrader exclude each other")
    files = sorted(source.glob("*.py"))
    if not files:
        raise Misuse(f"there are no lessons in {source}; run it in a clone of the repository, or give --source")
    kind = Build.SOLUTION if solution else Build.SLIDES if slides else Build.NBGRADER if nbgrader else Build.STUDENT
    translated = [(file, code) for file in files for code in translations(file.stem)]
    for file in track(files, "Building", console=Console(stderr=True), transient=True):
        build_one(file, kind, output)
    for file, code in translated:
        build_one(file, kind, output / code, code)
    beside = f", {len(translated)} of them in other languages, too" if translated else ""
    say(f"{output}  {len(files)} notebook{'s' * (len(files) != 1)}{beside}")
