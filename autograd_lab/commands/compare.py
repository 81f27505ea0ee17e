"""`autograd-lab compare`: two runs side by side, and what differs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from autograd_lab.commands.browser import Opened, hand_over, page_alone
from autograd_lab.commands.exits import complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.options import Depth, Iteration, RealTorch, Unfold
from autograd_lab.commands.program import choice_from, program_of, run_of, scene_of
from autograd_lab.display.script import run_alone
from autograd_lab.display.side_by_side import SUFFIXES, Comparison, titles_of
from autograd_lab.display.target import file_target
from autograd_lab.view.compare.both import both_of
from autograd_lab.view.kit.numeral import bytes_text

EPILOG = """\b
Examples:
  autograd-lab compare positive negative                two bundled examples become positive-negative.html
  autograd-lab compare before.py after.py --open        the page opens in your browser
  autograd-lab compare "experts 3" "experts -3"         with arguments: another input, another graph
  autograd-lab compare before.py after.py -o both.png   both graphs at their ends, and what differs
  autograd-lab compare monday.jsonl train.py            a trace that was recorded before, and a script
What differs is listed here, too. Each script runs in a process of its own."""
app = command_file()


@app.command(epilog=EPILOG)
def compare(
    one: Annotated[
        str,
        typer.Argument(
            metavar="A", help='A script, a .jsonl trace or a bundled example; in quotes with arguments: "train.py 3".'
        ),
    ],
    other: Annotated[str, typer.Argument(metavar="B", help="What to compare it with.")],
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where to: .html, .png, .svg by suffix.  [default: A-B.html]")
    ] = None,
    depth: Depth = None,
    unfold: Unfold = False,
    iteration: Iteration = None,
    torch: RealTorch = False,
    opened: Opened = False,
) -> None:
    """Play two runs side by side, in step with each other, and say what differs."""
    with complaints():
        programs, titles = [program_of(each) for each in (one, other)], titles_of(one, other)
        stem = re.sub(r"[^\w.-]+", "-", "-".join(" ".join([Path(name).stem, *words]) for name, words in programs))
        target = file_target(output or Path(f"{stem[:100]}.html"), SUFFIXES)
        page_alone(target, opened)
        choice = choice_from(iteration, None)
        runs = [run_of(*program, torch, choice, run_alone) for program in programs]
        first, second = (scene_of(run, "engine", "LR", "auto", None, not unfold, depth).trace for run in runs)
        both = both_of(first, second, titles, fold=not unfold, depth=depth)
        Comparison(both).save(target)
        differs = "what differs:" if both.told else "nothing differs"
        typer.echo("\n  ".join([f"{target}  {bytes_text(target.stat().st_size)}; {differs}", *both.told]))
        hand_over(target, opened)
        raise typer.Exit(max(run.code for run in runs))
