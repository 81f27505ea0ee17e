"""`autograd-lab compile`: run a script, and draw what became of a function in it that it compiles."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from autograd_lab.commands.broken import capture
from autograd_lab.commands.browser import PAGE, Opened, hand_over, page_alone
from autograd_lab.commands.exits import complain, complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.options import Language, ScriptArguments
from autograd_lab.commands.program import hint_at_imports
from autograd_lab.commands.terminal import say
from autograd_lab.compiler import compiled as compiler
from autograd_lab.compiler.compiled import Compiled, breaks_of, listing_of
from autograd_lab.compiler.entry import Entry
from autograd_lab.compiler.telling import trace_of
from autograd_lab.compiler.timing import Watched, times_of
from autograd_lab.display.script import Run, examples, find_script, run_source
from autograd_lab.display.target import Misuse, file_target, stem_of, writing
from autograd_lab.trace import Trace, is_trace, write_whole
from autograd_lab.trace.trace_file import SUFFIXES as TRACES
from autograd_lab.view.compare.before_after import before_and_after
from autograd_lab.view.compiled.facts import facts_of
from autograd_lab.view.compiled.state import compilation_of
from autograd_lab.view.kit.font import svg_file
from autograd_lab.view.movie.suffixes import SUFFIXES as MOVIES
from autograd_lab.view.page import to_page
from autograd_lab.view.png import MAX_SIDE, svg_size, to_png
from autograd_lab.view.scene import make_scene

SUFFIXES = (".png", ".svg", ".html", *TRACES, ".py")
MOST_OPERATIONS = {".png": 400, ".svg": 400, ".html": 2000}
"""A graph of more cannot be read as a picture, or takes long to go through."""
UNTIMED = "It cannot be called once more as it was called last, so its time is not known."
NONE = (
    "the script ran to its end and compiled no function with this engine: after `import autograd_lab as torch`, write "
    "@torch.compile above one, and call it; of a script of PyTorch, --torch shows what torch.compile captures"
)
BUNDLED = ", ".join(name for name in examples() if "torch.compile" in find_script(name).read_text())
EPILOG = f"""\b
Examples:
  autograd-lab compile compiled -o compiled.png         captured, compiled, and the Python with its buffers
  autograd-lab compile my_script.py -o passes.html      a page that plays capture and passes, step by step
  autograd-lab compile my_script.py --open              such a page, opened in your browser
  autograd-lab compile my_script.py -o passes.jsonl     the same as a trace: for play, draw and gif
  autograd-lab compile my_script.py -o listing.py       the Python alone, forward and backward
  autograd-lab compile train.py --function step         one of several functions
  autograd-lab compile branches.py --graph 2            one of several graphs of a function
  autograd-lab compile train.py --torch -o pieces.html  graphs and graph breaks of the real torch.compile; --graph N
The script compiles functions with @torch.compile. It runs first, as a whole. Then the function is called some
more times as it was called last, compiled and as it is written, to time both.
Bundled examples: {BUNDLED}."""
app = command_file()


@contextmanager
def watched() -> Iterator[list[Watched]]:
    """All functions that are compiled inside, in their order."""
    found: list[Watched] = []

    def take(own: Compiled) -> Compiled:
        found.append(Watched(own))
        return found[-1]

    compiler.on_compiled = take
    try:
        yield found
    finally:
        compiler.on_compiled = None


@app.command(epilog=EPILOG)
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
    graph: Annotated[
        int, typer.Option(min=1, metavar="N", help="Which of its graphs; 1 is the one that was used last.")
    ] = 1,
    torch: Annotated[
        bool,
        typer.Option(
            "--torch", help="What real PyTorch's Dynamo captures of a script of PyTorch, and where it breaks."
        ),
    ] = False,
    opened: Opened = False,
    language: Language = None,
) -> None:
    """Draw what compiling makes of a function: the captured graph, what passes do to it, the Python that runs."""
    with complaints():
        target = _target(program, output, opened)
        page_alone(target, opened)
        try:
            script = find_script(program)
        except FileNotFoundError as error:
            raise Misuse(str(error)) from None
        if target.exists() and target.samefile(script):
            raise Misuse(f"{target} is the script; name another file")
        if torch:
            code = capture(script, arguments or [], target, graph)
            hand_over(target, opened)
            raise typer.Exit(code)
        run, found = _run(script, arguments or [])
        sys.stdout.flush()
        say(run.complaint, err=True, nl=False)
        hint_at_imports(run)
        if run.code and not any(one.entries for one in found):
            raise typer.Exit(run.code)
        chosen = _chosen(found, function)
        if graph > len(chosen.entries):
            raise Misuse(f"{chosen.name} has {_graphs(len(chosen.entries))}; there is no number {graph}")
        write(chosen, chosen.entries[graph - 1], target)
        hand_over(target, opened)
        raise typer.Exit(run.code)


def _target(program: str, output: Path | None, opened: bool) -> Path:
    """Where to. Raises Misuse for a place that cannot be, and for a trace in the place of a script."""
    if is_trace(program):
        raise Misuse(f"{program} is a trace already: autograd-lab play {program}, or draw")
    if output is not None and output.suffix.lower() in MOVIES:
        trace = output.with_suffix(".jsonl")
        raise Misuse(f"a movie is made of the trace: write -o {trace}, then autograd-lab play {trace} -o {output}")
    if output is not None and not output.suffix and not output.is_dir():
        raise Misuse(f"{output} has no suffix; what to write is told by {' or '.join(SUFFIXES)}")
    return file_target(output or Path(f"{stem_of(program)}{PAGE if opened else '.png'}"), SUFFIXES)


def _run(script: Path, arguments: list[str]) -> tuple[Run, list[Watched]]:
    """What the script did, unrecorded, and the functions that it compiled."""
    with watched() as found:
        run = run_source(script.read_bytes(), os.path.abspath(script), [str(script), *arguments], recorded=False)
    return run, found


def _chosen(found: list[Watched], name: str | None) -> Watched:
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


def write(chosen: Watched, entry: Entry, target: Path) -> None:
    """Write the picture, the page, the trace or the listing of one of its graphs, and say what was gained."""
    suffix, count = target.suffix.lower(), len(entry.stages[0].graph.operations)
    if count > MOST_OPERATIONS.get(suffix, count):
        raise Misuse(f"{chosen.name} has {count:,} operations, too many for a {suffix}; its listing is -o listing.py")
    breaks = [str(one) for one in breaks_of(entry)]
    trace = trace_of(entry, chosen.name, times_of(chosen, entry))
    title = f"What compile makes of {chosen.name}"
    with writing(target):
        match suffix:
            case ".py":
                write_whole(target, listing_of(entry).encode())
            case ".jsonl" | ".gz":
                trace.save(target)
            case ".html":
                write_whole(target, to_page(make_scene(trace), title).encode("utf-8", "replace"))
            case _:
                svg = before_and_after(make_scene(trace), title)
                write_whole(target, svg_file(svg) if suffix == ".svg" else _legible(svg, chosen.name))
    for reason in chosen.reasons:
        complain(f"{chosen.name} ran as it is written at times: {reason}")
    say("\n".join([str(target), *_told(trace), *dict.fromkeys(breaks), *_others(chosen, entry)]))


def _told(trace: Trace) -> Iterator[str]:
    state = compilation_of(trace.events)
    yield from facts_of(state)
    yield from () if state.times else (UNTIMED,)


def _others(chosen: Watched, entry: Entry) -> Iterator[str]:
    """That there are other graphs, if there are."""
    if len(chosen.entries) > 1:
        number = chosen.entries.index(entry) + 1
        yield f"{chosen.name} has {_graphs(len(chosen.entries))}; this is number {number}, the others are --graph N"


def _graphs(count: int) -> str:
    return "one graph" if count == 1 else f"{count} graphs, for different calls"


def _legible(svg: str, name: str) -> bytes:
    """The PNG. Raises Misuse for one that could not be read."""
    if max(svg_size(svg)) > MAX_SIDE:
        raise Misuse(f"{name} is too large for a PNG that can be read; take -o passes.html, or .svg")
    return to_png(svg)
