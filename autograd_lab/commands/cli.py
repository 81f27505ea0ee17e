"""The command `autograd-lab`: from a script, or a recorded trace, to pictures."""

from __future__ import annotations

import re
import struct
import sys
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from autograd_lab.commands.compile import COMPILE_EPILOG, compile
from autograd_lab.commands.demo import DEMO_EPILOG, WORKSHEET_EPILOG, demo, worksheet
from autograd_lab.commands.exits import complain, complaints
from autograd_lab.commands.lessons import PROGRESS_EPILOG, lessons, progress
from autograd_lab.commands.memory import MEMORY_EPILOG, memory
from autograd_lab.commands.options import (
    Across,
    Depth,
    Dressed,
    EveryNth,
    Expand,
    Iteration,
    Program,
    RealTorch,
    ScriptArguments,
    Unfold,
    View,
)
from autograd_lab.commands.play import PLAY_EPILOG, play
from autograd_lab.commands.program import choice_from, each_iteration, program_of, run_of, scene_of
from autograd_lab.display.script import examples, run_alone
from autograd_lab.display.side_by_side import SUFFIXES, Comparison, titles_of
from autograd_lab.display.target import Misuse, file_target, target_of, writing
from autograd_lab.trace import Trace, write_whole
from autograd_lab.view.compare.both import both_of
from autograd_lab.view.kit.numeral import bytes_text
from autograd_lab.view.movie.movie import SUFFIXES as MOVIES
from autograd_lab.view.pages.sheet import contact_sheet, steps_of
from autograd_lab.view.png import MAX_SIDE, png_scale, svg_size, to_png
from autograd_lab.view.scene import Scene
from autograd_lab.view.svg import to_svg
from autograd_lab.view.torchviz.gv import to_gv

SCALE = 2.0
SHARP_SIDE = 3600
"""Pictures are drawn at twice their size up to this long side in pixels, larger ones less sharp: pixels cost time."""
FILM_SIDE = 3840
"""The longest side of a film's pictures in pixels, which is what the widest screens show."""


class Layout(StrEnum):
    auto = "auto"
    layered = "layered"
    dot = "dot"


app = typer.Typer(
    help="See automatic differentiation happen: draw the autograd graph of a script at any moment of its life.",
    epilog="Examples: autograd-lab draw expression | autograd-lab draw my_script.py -o graph.png --at backward",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

DRAW_EPILOG = f"""\b
Examples:
  autograd-lab draw expression                          a bundled example becomes expression.png
  autograd-lab draw my_script.py --at backward          in the middle of the backward pass
  autograd-lab draw my_script.py -o graph.svg --step 14
  autograd-lab draw my_script.py -o film/ --each-step   one PNG a step
  autograd-lab draw my_script.py -o sheet.png --sheet   all steps on one page
  autograd-lab draw train.py -- --epochs 3              what follows -- goes to the script
  autograd-lab draw mlp --torch                         real PyTorch in the place of autograd_lab
  autograd-lab draw trace.jsonl --view maths            a trace that was recorded before
  autograd-lab draw train.py --iteration 7              of a training loop the seventh iteration, not the last
  autograd-lab draw train.py --every 100                each hundredth, as train-iteration-100.png and so on
  autograd-lab draw train.py --depth 2                  a model with two levels of its modules open
  autograd-lab draw train.py --expand "model.layers.0*" with this one open, and all that is in it
Bundled examples: {", ".join(examples())}.
A script that raises is drawn all the same, up to the error; the exit code is then 1."""

RECORD_EPILOG = """\b
Examples:
  autograd-lab record my_script.py -o trace.jsonl
  autograd-lab record train.py -- --epochs 3            what follows -- goes to the script"""

COMPARE_EPILOG = """\b
Examples:
  autograd-lab compare positive negative                two bundled examples become positive-negative.html
  autograd-lab compare before.py after.py -o page.html
  autograd-lab compare "experts 3" "experts -3"         with arguments: another input, another graph
  autograd-lab compare before.py after.py -o both.png   both graphs at their ends, and what differs
  autograd-lab compare monday.jsonl train.py            a trace that was recorded before, and a script
What differs is listed here, too. Each script runs in a process of its own."""


def main() -> None:
    """Run the command line; exits with 0, 1 for a failure of the script or of the drawing, 2 for misuse."""
    app(prog_name="autograd-lab")


def show_version(wanted: bool) -> None:
    if wanted:
        try:
            typer.echo(f"autograd-lab {version('autograd-lab')}")
        except PackageNotFoundError:  # run from a source tree that was never installed
            typer.echo("autograd-lab (not installed)")
        raise typer.Exit


@app.callback()
def options(
    wanted: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


@app.command(epilog=DRAW_EPILOG)
def draw(
    program: Program,
    arguments: ScriptArguments = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Where to: .png, .svg, .gv, .jsonl by suffix.  [default: SCRIPT.png]"),
    ] = None,
    step: Annotated[int | None, typer.Option(help="Draw the graph after this many steps.")] = None,
    at: Annotated[
        str | None,
        typer.Option(metavar="MOMENT", help="Draw it at this moment: forward, backward, end, error.  [default: end]"),
    ] = None,
    each_step: Annotated[bool, typer.Option("--each-step", help="One PNG a step, into a folder.")] = False,
    sheet: Annotated[bool, typer.Option("--sheet", help="All steps, or a fair choice of them, on one page.")] = False,
    view: Dressed = View.engine,
    root: Annotated[str | None, typer.Option(metavar="NAME", help="Only what this tensor was made of.")] = None,
    across: Across = True,
    layout: Annotated[Layout, typer.Option(help="Who places the boxes.")] = Layout.auto,
    depth: Depth = None,
    expand: Expand = None,
    unfold: Unfold = False,
    iteration: Iteration = None,
    every: EveryNth = None,
    torch: RealTorch = False,
) -> None:
    """Draw the autograd graph of a script that uses autograd_lab or PyTorch, or of a trace."""
    with complaints():
        if sum((step is not None, at is not None, each_step, sheet)) > 1:
            raise Misuse("--step, --at, --each-step and --sheet exclude each other")
        if output is not None and output.suffix.lower() in MOVIES:
            raise Misuse(f"{output} would be a movie: autograd-lab play {program} -o {output}")
        target = target_of(program, output, each_step, sheet)
        run = run_of(program, arguments or [], torch, choice_from(iteration, every))
        if target.suffix.lower() == ".jsonl":
            save(run.trace, target)
            raise typer.Exit(run.code)
        if unfold and (depth is not None or expand):
            raise Misuse("--unfold opens everything, so it goes with neither --depth nor --expand")
        folding = (not unfold, depth, expand or ())
        for part, place in each_iteration(run, target):
            scene = scene_of(part, view.value, "LR" if across else "TB", layout.value, root, *folding)
            for notice in scene.notices:
                complain(notice)
            if each_step:
                draw_each_step(scene, place)
            elif sheet:
                draw_sheet(scene, place)
            else:
                draw_step(scene, step_of(scene, step, at), place)
        raise typer.Exit(run.code)


@app.command(epilog=RECORD_EPILOG)
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
        target = file_target(output or Path(f"{Path(program).stem}.jsonl"), (".jsonl",))
        run = run_of(program, arguments or [], torch, choice_from(iteration, every))
        save(run.trace, target)
        raise typer.Exit(run.code)


app.command(epilog=PLAY_EPILOG)(play)


@app.command(epilog=COMPARE_EPILOG)
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
) -> None:
    """Play two runs side by side, in step with each other, and say what differs."""
    with complaints():
        programs, titles = [program_of(each) for each in (one, other)], titles_of(one, other)
        stem = re.sub(r"[^\w.-]+", "-", "-".join(" ".join([Path(name).stem, *words]) for name, words in programs))
        target = file_target(output or Path(f"{stem[:100]}.html"), SUFFIXES)
        choice = choice_from(iteration, None)
        runs = [run_of(*program, torch, choice, run_alone) for program in programs]
        first, second = (scene_of(run, "engine", "LR", "auto", None, not unfold, depth).trace for run in runs)
        both = both_of(first, second, titles, fold=not unfold, depth=depth)
        Comparison(both).save(target)
        differs = "what differs:" if both.told else "nothing differs"
        typer.echo("\n  ".join([f"{target}  {bytes_text(target.stat().st_size)}; {differs}", *both.told]))
        raise typer.Exit(max(run.code for run in runs))


app.command(epilog=COMPILE_EPILOG)(compile)
app.command(epilog=DEMO_EPILOG)(demo)
app.command(epilog=WORKSHEET_EPILOG)(worksheet)
app.command(epilog=PROGRESS_EPILOG)(progress)
app.command(epilog=MEMORY_EPILOG)(memory)
app.add_typer(lessons, name="lessons")


def step_of(scene: Scene, step: int | None, at: str | None) -> int:
    if step is not None and not 0 <= step <= scene.steps:
        raise Misuse(f"step {step} is not in this run; its steps are 0 to {scene.steps}")
    if at is not None and at not in scene.moments:
        raise Misuse(f"this run has no moment {at}; it has {', '.join(scene.moments)}")
    return step if step is not None else scene.moments[at or "end"]


def save(trace: Trace, target: Path) -> None:
    with writing(target):
        trace.save(target)
    typer.echo(f"{target}  {len(trace):,} event{'s' * (len(trace) != 1)}")


def draw_step(scene: Scene, step: int, target: Path) -> None:
    size = ""
    if target.suffix.lower() in (".gv", ".dot"):
        write(target, to_gv(scene, step).encode())
    else:
        size = f"  {write_picture(to_svg(scene, step), target)}"
    typer.echo(f"{target}{size}  step {step} of {scene.steps}: {scene.caption(step)}")


def draw_sheet(scene: Scene, target: Path) -> None:
    steps = steps_of(scene)
    size = write_picture(contact_sheet(scene, steps), target)
    typer.echo(f"{target}  {size}  {len(steps)} of {scene.steps} steps")


def draw_each_step(scene: Scene, folder: Path) -> None:
    with writing(folder):
        folder.mkdir(exist_ok=True)
    steps = range(1, scene.steps + 1)
    names = [f"step-{step:0{len(str(scene.steps))}}.png" for step in steps]
    console = Console(stderr=True)
    bar = track(steps, "Drawing", console=console, transient=True, disable=not sys.stderr.isatty())
    for name, step in zip(names, bar, strict=True):
        svg = to_svg(scene, step, same_size=True)
        write(folder / name, to_png(svg, scale=SCALE, max_side=FILM_SIDE))
    typer.echo(f"{folder}  {len(steps)} pictures, {names[0]} to {names[-1]}")


def write_picture(svg: str, target: Path) -> str:
    """Write an SVG, or its PNG, and return its size; what had to be drawn smaller than meant is said."""
    width, height = svg_size(svg)
    if target.suffix.lower() == ".svg":
        write(target, svg.encode())
        return f"{width:.0f} × {height:.0f}"
    scale = min(SCALE, max(1.0, SHARP_SIDE / max(width, height)))
    if png_scale(width, height, scale) < scale:
        meant = f"{width * scale:,.0f} × {height * scale:,.0f} pixels"
        complain(f"{target} would be {meant}; its long side is capped at {MAX_SIDE:,}. An .svg has no such limit")
    png = to_png(svg, scale=scale)
    write(target, png)
    return " × ".join(str(side) for side in struct.unpack(">II", png[16:24]))


def write(target: Path, content: bytes) -> None:
    with writing(target):
        write_whole(target, content)
