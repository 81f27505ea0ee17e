"""`autograd-lab memory`: what the command line says and does about techniques that save memory."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from autograd_lab.commands.exits import complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.terminal import say
from autograd_lab.display.target import Misuse, file_target, writing
from autograd_lab.trace import write_whole
from autograd_lab.view.kit.font import svg_file
from autograd_lab.view.png import to_png

if TYPE_CHECKING:
    from autograd_lab.memory.technique import Result


class Name(StrEnum):
    precision = "precision"
    checkpoint = "checkpoint"
    offload = "offload"
    parallel = "parallel"


TITLES = {
    Name.precision: "numbers of two bytes: autocast, and GradScaler against what vanishes",
    Name.checkpoint: "computing again in backward what forward did not keep",
    Name.offload: "saved values in a file until backward wants them",
    Name.parallel: "layers split over processes, with an all-reduce between them",
}
EPILOG = """\b
Examples:
  autograd-lab memory                                   lists the techniques
  autograd-lab memory checkpoint                        a table here, a picture in checkpoint-memory.png
  autograd-lab memory parallel --lanes 2 -o split.svg   two processes
  autograd-lab play checkpoint                          the same idea on a small graph, step by step;
                                                        also: play autocast, play offload"""
app = command_file()


def listing() -> str:
    """The techniques, one a line."""
    return "\n".join(f"{name:10}  {title}" for name, title in TITLES.items())


@app.command(epilog=EPILOG)
def memory(
    name: Annotated[Name | None, typer.Argument(metavar="TECHNIQUE", help="Which one to measure.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where to: .png or .svg.  [default: TECHNIQUE-memory.png]")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Runs, of which the fastest counts.")] = 5,
    lanes: Annotated[
        int | None, typer.Option(min=2, max=16, help="How many processes: 2, 4, 8 or 16.  [default: 4]")
    ] = None,
) -> None:
    """Measure a technique that saves graph memory: bytes and time without and with it. Without a name, list them."""
    if name is None:
        say(listing())
        return
    with complaints():
        if lanes is not None and name is not Name.parallel:
            raise Misuse(f"--lanes goes with parallel; {name} runs in one process")
        if lanes is not None and lanes & (lanes - 1):
            raise Misuse(f"--lanes is 2, 4, 8 or 16, so that each process gets the same share of a layer, not {lanes}")
        target = file_target(output or Path(f"{name}-memory.png"), (".png", ".svg"))
        waiting = Console(stderr=True).status(f"Measuring: {TITLES[name]}", spinner="line")
        with waiting if sys.stderr.isatty() else nullcontext():
            result = result_of(name, rounds, lanes or 4)
        show(result)
        svg = picture(result)
        with writing(target):
            write_whole(target, svg_file(svg) if target.suffix.lower() == ".svg" else to_png(svg, scale=1.5))
        say(f"{target}")


def result_of(name: Name, rounds: int = 5, lanes: int = 4) -> Result:
    """What a technique comes to, measured in a process of its own, with one thread and a fresh heap."""
    from autograd_lab.memory import checkpointing, offloading, precision, splitting
    from autograd_lab.parallel import run

    if name is Name.parallel:
        return splitting.run(rounds, lanes)
    technique = {Name.precision: precision, Name.checkpoint: checkpointing, Name.offload: offloading}[name]
    (result,) = run(technique.run, 1, rounds)
    return result


def picture(result: Result) -> str:
    """The SVG of a result."""
    from autograd_lab.memory.poster import poster

    return poster(result)


def show(result: Result) -> None:
    """Print a result as a small table."""
    table = Table(title=result.title, caption=result.note, title_justify="left", caption_justify="left")
    table.add_column("")
    for head in ("without", "with", "ratio"):
        table.add_column(head, justify="right")
    for row in result.rows:
        table.add_row(row.what, row.without, row.with_it, row.ratio)
    Console().print(table)
