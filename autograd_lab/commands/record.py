"""`autograd-lab record`: what a script does, as a trace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autograd_lab.commands.exits import complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.options import EveryNth, Iteration, RealTorch, ScriptArguments
from autograd_lab.commands.program import choice_from, run_of, save
from autograd_lab.display.target import file_target, stem_of
from autograd_lab.trace.trace_file import SUFFIXES as TRACES
from autograd_lab.view.viewers import SUFFIXES as VIEWERS

EPILOG = """\b
Examples:
  autograd-lab record my_script.py -o trace.jsonl
  autograd-lab record train.py -o run.perfetto.json     passes, modules and bytes, for ui.perfetto.dev
  autograd-lab record train.py -o net.model-explorer.json   the graph, for Model Explorer
  autograd-lab record train.py -o net.node-data.json    the norms of gradients, for the nodes of that graph
  autograd-lab record train.py -- --epochs 3            what follows -- goes to the script"""
app = command_file()


@app.command(epilog=EPILOG)
def record(
    program: Annotated[str, typer.Argument(metavar="SCRIPT", help="A script or a bundled example.")],
    arguments: ScriptArguments = None,
    iteration: Iteration = None,
    every: EveryNth = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where to, a .jsonl file.  [default: SCRIPT.jsonl]")
    ] = None,
    torch: RealTorch = False,
) -> None:
    """Record what the tensors of a script do, as a trace to be drawn later."""
    with complaints():
        target = file_target(output or Path(f"{stem_of(program)}.jsonl"), (*TRACES, *VIEWERS))
        run = run_of(program, arguments or [], torch, choice_from(iteration, every))
        save(run.trace, target)
        raise typer.Exit(run.code)
