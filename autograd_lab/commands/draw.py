"""`autograd-lab draw`: a script or a trace as pictures of its graph."""

from __future__ import annotations

import struct
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from autograd_lab.commands.exits import complain, complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.options import (
    Across,
    At,
    Depth,
    Dressed,
    EveryNth,
    Expand,
    Iteration,
    Language,
    Poster,
    Program,
    RealTorch,
    Scaled,
    ScriptArguments,
    Theme,
    Themed,
    Unfold,
    View,
)
from autograd_lab.commands.program import choice_from, each_iteration, run_of, save, scene_of
from autograd_lab.commands.terminal import say
from autograd_lab.display.picture import conclude
from autograd_lab.display.script import examples
from autograd_lab.display.target import Misuse, target_of, writing
from autograd_lab.trace import is_trace, write_whole
from autograd_lab.view.movie.suffixes import SUFFIXES as MOVIES
from autograd_lab.view.picture_file import picture_file, png_file
from autograd_lab.view.png import MAX_SIDE, png_scale, svg_size
from autograd_lab.view.scene import Scene
from autograd_lab.view.svg import to_svg

SCALE = 2.0
SHARP_SIDE = 3600
"""Pictures are drawn at twice their size up to this long side in pixels, larger ones less sharp: pixels cost time."""
FILM_SIDE = 3840
"""The longest side of a film's pictures in pixels, which is what the widest screens show."""


class Layout(StrEnum):
    auto = "auto"
    layered = "layered"
    dot = "dot"


EPILOG = f"""\b
Examples:
  autograd-lab draw expression                          a bundled example becomes expression.png
  autograd-lab draw my_script.py --at backward          at the most telling step of backward
  autograd-lab draw my_script.py -o graph.svg --step 14
  autograd-lab draw my_script.py -o graph.pdf           vectors, with words that can be searched
  autograd-lab draw my_script.py -o big.pdf --poster    on A3 or larger, with every op that there is room for
  autograd-lab draw my_script.py --theme dark           for a dark slide; --theme grey for print
  autograd-lab draw my_script.py -o film/ --each-step   one PNG a step
  autograd-lab draw my_script.py -o sheet.png --sheet   the steps that tell most, on one page
  autograd-lab draw train.py -- --epochs 3              what follows -- goes to the script
  autograd-lab draw mlp --torch                         real PyTorch in the place of autograd_lab
  autograd-lab draw trace.jsonl --view maths            a trace that was recorded before
  autograd-lab draw train.py --iteration 7              of a training loop the seventh iteration, not the last
  autograd-lab draw train.py --every 100                each hundredth, as train-iteration-100.png and so on
  autograd-lab draw train.py --depth 2                  a model with two levels of its modules open
  autograd-lab draw train.py --expand "model.layers.0*" with this one open, and all that is in it
Bundled examples: {", ".join(examples())}.
A script that raises is drawn all the same, up to the error; the exit code is then 1."""
app = command_file()


@app.command(epilog=EPILOG)
def draw(
    program: Program,
    arguments: ScriptArguments = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Where to: .png, .svg, .pdf, .gv or .jsonl.  [default: SCRIPT.png]"),
    ] = None,
    step: Annotated[int | None, typer.Option(help="Draw the graph after this many steps.")] = None,
    at: At = None,
    each_step: Annotated[bool, typer.Option("--each-step", help="One PNG a step, into a folder.")] = False,
    sheet: Annotated[bool, typer.Option("--sheet", help="Graphs of many steps, with headlines, on a page.")] = False,
    poster: Poster = False,
    theme: Themed = Theme.light,
    scale: Scaled = None,
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
    language: Language = None,
) -> None:
    """Draw the autograd graph of a script that uses autograd_lab or PyTorch, or of a trace."""
    with complaints():
        if sum((step is not None, at is not None, each_step, sheet)) > 1:
            raise Misuse("--step, --at, --each-step and --sheet exclude each other")
        if output is not None and output.suffix.lower() in MOVIES:
            raise Misuse(f"{output} would be a movie: autograd-lab play {program} -o {output}")
        target = target_of(program, output, each_step, sheet)
        run = run_of(program, arguments or [], torch, choice_from(iteration, every))
        if is_trace(target):
            save(run.trace, target)
            raise typer.Exit(run.code)
        if unfold and (depth is not None or expand):
            raise Misuse("--unfold opens everything, so it goes with neither --depth nor --expand")
        folding = (not unfold, depth, expand or ())
        for part, place in each_iteration(run, target):
            scene = scene_of(part, view.value, "LR" if across else "TB", layout.value, root, *folding)
            if poster and (sheet or each_step or scene.stills is None):
                raise Misuse("--poster is one picture of a recording")
            if theme != Theme.light and scene.stills is None:
                raise Misuse("--theme is for recordings; a compilation is drawn in light colours alone")
            drawn = scene.poster if poster and scene.poster is not None else scene
            for notice in drawn.notices:
                complain(notice)
            if each_step:
                draw_each_step(scene, place, theme, scale)
            elif sheet:
                draw_sheet(scene, place, theme, scale)
            else:
                conclude(scene, poster)
                draw_step(scene, step_of(scene, step, at), place, theme, scale, poster)
        raise typer.Exit(run.code)


def step_of(scene: Scene, step: int | None, at: str | None) -> int:
    if step is not None and not 0 <= step <= scene.steps:
        raise Misuse(f"step {step} is not in this run; its steps are 0 to {scene.steps}")
    if at is not None and at not in scene.moments:
        raise Misuse(f"this run has no moment {at}; it has {', '.join(scene.moments)}")
    return step if step is not None else scene.moments[at or "end"]


def draw_step(scene: Scene, step: int, target: Path, theme: str, scale: float | None, poster: bool) -> None:
    size = ""
    if target.suffix.lower() in (".gv", ".dot"):
        from autograd_lab.view.torchviz.gv import to_gv

        write(target, to_gv(scene, step).encode())
    else:
        size = f"  {write_picture(to_svg(scene, step, theme=theme, poster=poster), target, scale)}"
    say(f"{target}{size}  step {step} of {scene.steps}: {scene.caption(step)}")


def draw_sheet(scene: Scene, target: Path, theme: str, scale: float | None) -> None:
    from autograd_lab.view.pages.sheet import contact_sheet, steps_of

    steps = steps_of(scene)
    size = write_picture(contact_sheet(scene, steps, theme), target, scale)
    say(f"{target}  {size}  {len(steps)} of {scene.steps} steps")


def draw_each_step(scene: Scene, folder: Path, theme: str, scale: float | None) -> None:
    from rich.console import Console
    from rich.progress import track

    with writing(folder):
        folder.mkdir(exist_ok=True)
    steps = range(1, scene.steps + 1)
    names = [f"step-{step:0{len(str(scene.steps))}}.png" for step in steps]
    console = Console(stderr=True)
    bar = track(steps, "Drawing", console=console, transient=True, disable=not sys.stderr.isatty())
    for name, step in zip(names, bar, strict=True):
        svg = to_svg(scene, step, same_size=True, theme=theme)
        write(folder / name, png_file(svg, png_scale(*svg_size(svg), scale or SCALE, FILM_SIDE)))
    say(f"{folder}  {len(steps)} picture{'s' * (len(steps) != 1)}, {names[0]} to {names[-1]}")


def write_picture(svg: str, target: Path, scale: float | None) -> str:
    """Write a picture and return its size; what had to be drawn smaller than meant is said."""
    width, height = svg_size(svg)
    if target.suffix.lower() != ".png":
        write(target, picture_file(svg, target.suffix))
        return f"{width:.0f} × {height:.0f}"
    scale = scale or min(SCALE, max(1.0, SHARP_SIDE / max(width, height)))
    if png_scale(width, height, scale) < scale:
        meant = f"{width * scale:,.0f} × {height * scale:,.0f} pixels"
        complain(f"{target} would be {meant}; its long side is capped at {MAX_SIDE:,}. An .svg has no such limit")
    png = png_file(svg, scale)
    write(target, png)
    return " × ".join(str(side) for side in struct.unpack(">II", png[16:24]))


def write(target: Path, content: bytes) -> None:
    with writing(target):
        write_whole(target, content)
