"""`autograd-lab play`: a script or a trace as a page that plays it, or as a movie."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from autograd_lab.commands.browser import Opened, hand_over, page_alone
from autograd_lab.commands.exits import complain, complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.options import (
    Across,
    Depth,
    Dressed,
    EveryNth,
    Expand,
    Iteration,
    Language,
    Program,
    RealTorch,
    ScriptArguments,
    Unfold,
    View,
)
from autograd_lab.commands.program import choice_from, each_iteration, run_of, scene_of, script_of, told_of
from autograd_lab.commands.terminal import say
from autograd_lab.display.rerun import Rerun
from autograd_lab.display.script import Run, TorchMissing
from autograd_lab.display.target import Misuse, file_target, stem_of, writing
from autograd_lab.display.variation import WITHIN
from autograd_lab.display.vary import vary_script, wishes_of
from autograd_lab.findings.diagnosis import aside
from autograd_lab.recording.iterations.wanted import Choice
from autograd_lab.trace import write_whole
from autograd_lab.view.kit.numeral import bytes_text
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.movie.movie import FPS, LARGE, PAUSE, SHARP, SMALL, SPEED, clock, movie_of, writer_of
from autograd_lab.view.movie.suffixes import SUFFIXES as MOVIES
from autograd_lab.view.page import to_page
from autograd_lab.view.scene import Scene

MANY = 200
"""A movie of more steps takes so long that one wants to know beforehand."""
EPILOG = """\b
Examples:
  autograd-lab play expression                          a bundled example becomes expression.html, a page
  autograd-lab play my_script.py --open                 the page opens in your browser
  autograd-lab play trace.jsonl                         a trace that was recorded before
  autograd-lab play train.py --iteration first          of a training loop the first iteration, not the last
  autograd-lab play expression --vary a=-3:3 --vary b   numbers one can drag, and all that follows from them
  autograd-lab play expression -o expression.gif        a movie, for a README or a slide
  autograd-lab play mlp -o pass.mp4 --from forward --to backward --speed 2
  autograd-lab play mlp -o small.webp --side 800 --loops 1 --view maths"""
app = command_file()

From = Annotated[
    str | None,
    typer.Option("--from", metavar="STEP", help="First step of a movie: its number, or a moment.  [default: 1]"),
]
To = Annotated[str | None, typer.Option("--to", metavar="STEP", help="Its last one, likewise.  [default: end]")]
Speed = Annotated[float | None, typer.Option(help=f"Steps a second.  [default: {SPEED:g}]")]
Pause = Annotated[
    float | None,
    typer.Option(help=f"By how many seconds moments and the last step are shown longer.  [default: {PAUSE:g}]"),
]
Side = Annotated[
    int | None,
    typer.Option(
        help=f"Longer side in pixels.  [default: {SHARP:g} times the drawing, {SMALL:g} in a GIF, at most {LARGE}]"
    ),
]
Loops = Annotated[
    int | None, typer.Option(help="How often .gif, .apng or .webp are played; 0: over and over.  [default: 0]")
]
Fps = Annotated[
    float | None,
    typer.Option(help=f"Frames a second while something moves; 0: stills alone.  [default: {FPS:g}]"),
]
Pace = Annotated[
    str | None,
    typer.Option(
        "--grain",
        help="How far a movie goes in one breath: event, node, line, module or pass.  [default: the finest at which it "
        "takes no longer than a minute]",
    ),
]

Vary = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME[=LEAST:MOST[:STEP]]",
        help="Make this number a handle: the script runs once for each value (so what it writes, it writes often), and "
        "one can drag the number in the page. It has to stand in the script, as in a = torch.tensor(2.0, …). "
        "Repeatable: two numbers have each value with each; of more, all but the dragged one are as in the script.",
    ),
]
Within = Annotated[
    float | None,
    typer.Option(
        min=1, metavar="SECONDS", help=f"With --vary, fewer values if they would take longer.  [default: {WITHIN:g}]"
    ),
]


@app.command(epilog=EPILOG)
def play(
    program: Program,
    arguments: ScriptArguments = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help=f"Where to: .html or a movie, {', '.join(MOVIES)}.  [default: SCRIPT.html]"
        ),
    ] = None,
    start: From = None,
    stop: To = None,
    speed: Speed = None,
    pause: Pause = None,
    side: Side = None,
    loops: Loops = None,
    fps: Fps = None,
    grain: Pace = None,
    view: Dressed = View.engine,
    across: Across = True,
    depth: Depth = None,
    expand: Expand = None,
    unfold: Unfold = False,
    iteration: Iteration = None,
    every: EveryNth = None,
    torch: RealTorch = False,
    vary: Vary = None,
    within: Within = None,
    opened: Opened = False,
    language: Language = None,
) -> None:
    """Make a page that plays a script, or a trace, step by step, offline, from a disk; or a movie of it."""
    with complaints():
        target = file_target(output or Path(f"{stem_of(program)}.html"), (".html", *MOVIES))
        page_alone(target, opened)
        wishes = movie_wishes(
            target, start=start, stop=stop, speed=speed, pause=pause, side=side, loops=loops, fps=fps, grain=grain
        )  # fmt: skip
        choice, direction = choice_from(iteration, every), "LR" if across else "TB"
        if within is not None and not vary:
            raise Misuse("--within is for --vary")
        if vary:
            options = {"view": view.value, "direction": direction, "fold": not unfold, "depth": depth}
            script = Rerun(script_of(program), arguments or [], torch, choice)
            code = write_varied(script, vary, target, choice, within or WITHIN, options | {"expand": expand or ()})
            hand_over(target, opened)
            raise typer.Exit(code)
        run = run_of(program, arguments or [], torch, choice)
        written = []
        for part, place in each_iteration(run, target):
            scene = scene_of(part, view.value, direction, "auto", None, not unfold, depth, expand or ())
            for notice in scene.notices:
                complain(notice)
            if scene.is_folded and place.suffix.lower() not in MOVIES:
                complain(worded("in the page, a double click on a folded card opens it"))
            if place.suffix.lower() in MOVIES:
                shoot(scene, place, wishes)
            else:
                write_page(scene, place, Path(program).name)
            written.append(place)
        hand_over(written[0], opened)
        raise typer.Exit(run.code)


def movie_wishes(target: Path, **asked: Any) -> dict[str, Any]:
    """What is asked of a movie. Raises Misuse if it is none, and MovieUnavailable if what writes it is missing: before
    the script runs."""
    wishes = {name: wish for name, wish in asked.items() if wish is not None}
    if target.suffix.lower() in MOVIES:
        writer_of(target.suffix.lower())
    elif wishes:
        raise Misuse(
            "--from, --to, --speed, --pause, --side, --loops, --fps and --grain are for movies, such as "
            f"{target.stem}.gif"
        )
    return wishes


def write_varied(
    script: Rerun, wishes: list[str], target: Path, choice: Choice | None, within: float, options: dict[str, Any]
) -> int:
    """Write the page of a script in which numbers can be dragged, say what has become of it, and give its exit code."""
    if target.suffix.lower() in MOVIES or (choice is not None and choice.every is not None):
        raise Misuse(f"--vary makes one page, {target.stem}.html: no movie, and nothing for --every")
    codes = []

    def hear(run: Run) -> None:
        codes.append(told_of(run, choice).code)

    try:
        found = vary_script(script, list(map(wishes_of, wishes)), hear, complain, within, **options)
    except TorchMissing as error:
        raise Misuse(str(error)) from None
    found.save(target)
    say(f"{target}  {bytes_text(target.stat().st_size)}, {found.said}")
    return codes[0]


def write_page(scene: Scene, target: Path, title: str) -> None:
    """Write a page, and say what has become of it."""
    page = to_page(scene, title, findings=aside(scene.trace)).encode("utf-8", "replace")
    with writing(target):
        write_whole(target, page)
    say(f"{target}  {bytes_text(len(page))}, {scene.steps:,} step{'s' * (scene.steps != 1)}")


def shoot(scene: Scene, target: Path, wishes: dict[str, Any]) -> None:
    """Write a movie, and say what has become of it; of a long one also what it will be."""
    try:
        movie = movie_of(scene, **wishes)
        extent = f"{len(movie.shots):,} steps, {clock(movie.seconds)}"
        if len(movie.shots) > MANY:
            complain(f"{target} will have {extent}")
        with writing(target):
            width, height = movie.save(target)
    except ValueError as error:
        raise Misuse(str(error)) from None
    say(f"{target}  {width} × {height}, {extent}, {bytes_text(target.stat().st_size)}")
