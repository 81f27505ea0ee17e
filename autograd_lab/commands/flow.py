"""`autograd-lab flow`: how large gradients and updates were, layer by layer and iteration by iteration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograd_lab.commands.exits import complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.options import Program, RealTorch, Scaled, ScriptArguments, Theme, Themed
from autograd_lab.commands.program import run_of
from autograd_lab.commands.terminal import say
from autograd_lab.display.gradient_flow import SUFFIXES, GradientFlow
from autograd_lab.display.target import Misuse, file_target, stem_of
from autograd_lab.trace.flow_table import flow_of
from autograd_lab.view.charts.flow_words import in_words

EPILOG = """\b
Examples:
  autograd-lab flow train.py                            runs it once and writes train-flow.png
  autograd-lab flow train.py -- --epochs 3              what follows -- goes to the script
  autograd-lab flow train.py -o flow.csv                the numbers: a line for each parameter and iteration
  autograd-lab flow trace.jsonl -o flow.svg             of a run that was recorded before
\b
Up to 200 iterations are measured, at an equal distance: the norm of each gradient, the share of zeros in it, and by how
much of its own norm each update changes the weight. Those that are not measured run at their own speed."""
app = command_file()


@app.command(epilog=EPILOG)
def flow(
    program: Program,
    arguments: ScriptArguments = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Where to: .png, .svg, .pdf, .csv, .json.  [default: SCRIPT-flow.png]"),
    ] = None,
    theme: Themed = Theme.light,
    scale: Scaled = None,
    torch: RealTorch = False,
) -> None:
    """Draw how large gradients and updates were in each layer, over all iterations of a training loop."""
    with complaints():
        target = file_target(output or Path(f"{stem_of(program)}-flow.png"), SUFFIXES)
        run = run_of(program, arguments or [], torch)
        found = flow_of(run.trace)
        if not found.rows:
            raise Misuse(f"{program}: no parameter got a gradient, so there is nothing to draw")
        GradientFlow(found, theme).save(target, 2.0 if scale is None else scale)
        title, sentence = in_words(found)
        say(f"{target}  {title}. {sentence}".rstrip())
        raise typer.Exit(run.code)
