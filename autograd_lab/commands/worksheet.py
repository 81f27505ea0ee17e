"""`autograd-lab worksheet`: a page to fill in with a pencil, and its key."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from autograd_lab.classroom.demos.lesson import lesson_demo
from autograd_lab.classroom.demos.paper import SUFFIXES, key_path, on_paper
from autograd_lab.classroom.demos.worksheet import worksheet as sheet_of
from autograd_lab.commands.demo import demo_of
from autograd_lab.commands.exits import complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.options import Language, RealTorch, ScriptArguments
from autograd_lab.commands.terminal import say
from autograd_lab.display.target import file_target, stem_of, writing
from autograd_lab.trace import write_whole
from autograd_lab.view.kit.numeral import bytes_text

EPILOG = """\b
Examples:
  autograd-lab worksheet arriving-at-b -o b.pdf         and b-key.pdf, with what stands in the blanks
  autograd-lab worksheet L3 -o l3.pdf                   the first graph of lesson 3 that backward goes through
  autograd-lab worksheet expression -o sheet.svg        a bundled example; by suffix also .png
  autograd-lab worksheet my_script.py --paper letter"""
app = command_file()


class Paper(StrEnum):
    a4 = "a4"
    letter = "letter"


@app.command(epilog=EPILOG)
def worksheet(
    program: Annotated[
        str, typer.Argument(metavar="NAME|SCRIPT", help="A demo, a lesson (L3), an example or a script.")
    ],
    arguments: ScriptArguments = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A .pdf, .png or .svg file.  [default: NAME.pdf]")
    ] = None,
    paper: Annotated[Paper, typer.Option(help="What it is printed on.")] = Paper.a4,
    torch: RealTorch = False,
    language: Language = None,
) -> None:
    """Make a page to fill in with a pencil: program, questions, the graph with blanks; and, apart, its key."""
    with complaints():
        target = file_target(output or Path(f"{stem_of(program)}.pdf"), SUFFIXES)
        made = lesson_demo(program) or demo_of(program, arguments or [], torch, examples=True)
        say(made.complaint, err=True, nl=False)
        for path, key in ((target, False), (key_path(target), True)):
            content = on_paper(sheet_of(made, paper.value, key=key), target.suffix.lower())
            with writing(path):
                write_whole(path, content)
            say(f"{path}  {bytes_text(len(content))}")
