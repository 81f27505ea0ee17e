"""`autograd-lab compile`: run a script, and draw what became of a function in it that it compiles."""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from autograd_lab.compiler import compiled as compiler
from autograd_lab.compiler.compiled import Compiled
from autograd_lab.compiler.telling import trace_of
from autograd_lab.complaints import complain, complaints
from autograd_lab.events import CallsTimed
from autograd_lab.options import ScriptArguments
from autograd_lab.script import Run, examples, find_script, run_source
from autograd_lab.target import Misuse, file_target, writing
from autograd_lab.trace import write_whole
from autograd_lab.view.compiled.facts import facts_of
from autograd_lab.view.compiled.picture import before_and_after
from autograd_lab.view.page import to_page
from autograd_lab.view.png import MAX_SIDE, svg_size, to_png
from autograd_lab.view.scene import make_scene
from autograd_lab.view.state import GraphState
from autograd_lab.view.timeline import state_after

SUFFIXES = (".png", ".svg", ".html", ".jsonl", ".py")
MOST_OPERATIONS = {".png": 400, ".svg": 400, ".html": 2000}
"""A graph of more cannot be read as a picture, or takes long to go through."""
UNTIMED = "It was called too few times for a comparison of times."
NONE = (
    "the script compiles no function with this engine: after `import autograd_lab as torch`, write "
    "@torch.compile above one, and call it"
)
COMPILE_EPILOG = f"""\b
Examples:
  autograd-lab compile compiled -o compiled.png         captured, compiled, and the Python with its buffers
  autograd-lab compile my_script.py -o passes.html      a page that plays capture and passes, step by step
  autograd-lab compile my_script.py -o passes.jsonl     the same as a trace: for play, draw and gif
  autograd-lab compile my_script.py -o listing.py       the Python alone, forward and backward
  autograd-lab compile train.py --function step         one of several functions
The script compiles functions with @torch.compile. It runs twice, to time them: compiled, then as it is written.
Bundled examples: {", ".join(examples())}."""


class Timed(Compiled):
    """A compiled function that takes the CPU time of its replays; if it is `plain`, it runs as it is written."""

    def __init__(self, own: Compiled, plain: bool) -> None:
        self.__dict__.update(own.__dict__)
        self.plain = plain
        self.seconds: list[float] = []

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.replays, start = True, time.process_time()
        result = self.function(*args, **kwargs) if self.plain else super().__call__(*args, **kwargs)
        if self.replays:
            self.seconds.append(time.process_time() - start)
        return result

    def _anew(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.replays = False  # whoever captures, or cannot, is not to be timed
        return super()._anew(args, kwargs)


@contextmanager
def timed(plain: bool) -> Iterator[list[Timed]]:
    """All functions that are compiled inside, in their order."""
    found: list[Timed] = []

    def take(own: Compiled) -> Compiled:
        found.append(Timed(own, plain))
        return found[-1]

    compiler.on_compiled = take
    try:
        yield found
    finally:
        compiler.on_compiled = None


def compile(
    program: Annotated[str, typer.Argument(metavar="SCRIPT", help="A script or a bundled example.")],
    arguments: ScriptArguments = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", help="Where to: .png, .svg, .html, .jsonl, .py by suffix.  [default: SCRIPT.png]"
        ),
    ] = None,
    function: Annotated[str | None, typer.Option(metavar="NAME", help="Which function.  [default: the first]")] = None,
) -> None:
    """Draw what compiling makes of a function: the captured graph, what passes do to it, the Python that runs."""
    with complaints():
        target = file_target(output or Path(f"{Path(program).stem}.png"), SUFFIXES)
        try:
            script = find_script(program)
        except FileNotFoundError as error:
            raise Misuse(str(error)) from None
        if target.exists() and target.samefile(script):
            raise Misuse(f"{target} is the script; name another file")
        run, found = _run(script, arguments or [], plain=False)
        sys.stdout.flush()
        typer.echo(run.complaint, err=True, nl=False)
        if run.code and not any(one.entries for one in found):
            raise typer.Exit(run.code)
        chosen = _chosen(found, function)
        _, again = _run(script, arguments or [], plain=True) if run.code == 0 else (run, found)
        write(chosen, again[found.index(chosen)] if len(again) == len(found) else chosen, target)
        raise typer.Exit(run.code)


def _run(script: Path, arguments: list[str], plain: bool) -> tuple[Run, list[Timed]]:
    """What the script did, unrecorded; the second time it prints nothing."""
    with timed(plain) as found, _quiet() if plain else nullcontext():
        return run_source(
            script.read_bytes(), os.path.abspath(script), [str(script), *arguments], recorded=False
        ), found


@contextmanager
def _quiet() -> Iterator[None]:
    before = sys.stdout
    with open(os.devnull, "w") as sys.stdout:
        try:
            yield
        finally:
            sys.stdout = before


def _chosen(found: list[Timed], name: str | None) -> Timed:
    """The function to draw. Raises Misuse where there is none, with what was said of those that were not captured."""
    if not found:
        raise Misuse(NONE)
    named = [one for one in found if name in (None, one.name)]
    if not named:
        raise Misuse(f"no compiled function is called {name}; there are {', '.join(one.name for one in found)}")
    chosen = next((one for one in named if one.entries), named[0])
    if not chosen.entries:
        why = chosen.reasons[0] if chosen.reasons else "it was never called"
        raise Misuse(f"{chosen.name} was not captured: {why}")
    return chosen


def write(chosen: Timed, plain: Timed, target: Path) -> None:
    """Write the picture, the page, the trace or the listing."""
    suffix, entry = target.suffix.lower(), chosen.entries[0]
    trace = trace_of(entry, chosen.name, _times(chosen, plain))
    count = len(entry.stages[0].graph.operations)
    if count > MOST_OPERATIONS.get(suffix, count):
        raise Misuse(f"{chosen.name} has {count:,} operations, too many for a {suffix}; its listing is -o listing.py")
    title = f"What compile makes of {chosen.name}"
    with writing(target):
        match suffix:
            case ".py":
                write_whole(target, chosen.listing.encode())
            case ".jsonl":
                trace.save(target)
            case ".html":
                write_whole(target, to_page(make_scene(trace), title).encode("utf-8", "replace"))
            case _:
                svg = before_and_after(make_scene(trace), title)
                write_whole(target, svg.encode() if suffix == ".svg" else _legible(svg, chosen.name))
    for reason in chosen.reasons:
        complain(f"{chosen.name} ran as it is written at times: {reason}")
    state = state_after(GraphState(), trace.events).compilation
    said = [] if state is None else [*facts_of(state)]
    said += [] if state is None or state.times else [UNTIMED]
    typer.echo("\n".join([str(target), *said, *dict.fromkeys(map(str, chosen.breaks))]))


def _legible(svg: str, name: str) -> bytes:
    """The PNG. Raises Misuse for one that could not be read."""
    if max(svg_size(svg)) > MAX_SIDE:
        raise Misuse(f"{name} is too large for a PNG that can be read; take -o passes.html, or .svg")
    return to_png(svg)


def _times(chosen: Timed, plain: Timed) -> CallsTimed | None:
    """How long a call takes, if there were any to compare."""
    if plain is chosen or not chosen.seconds or not plain.seconds:
        return None
    return CallsTimed(
        compiled=statistics.median(chosen.seconds),
        written=statistics.median(plain.seconds),
        compiled_calls=len(chosen.seconds),
        written_calls=len(plain.seconds),
    )
