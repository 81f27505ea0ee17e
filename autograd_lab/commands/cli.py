"""The command `autograd-lab`: the list of its commands. The file of each is imported when it is called."""

from __future__ import annotations

import gc
import sys
from typing import Annotated

import typer

from autograd_lab.commands.listed import Listed, command_file, file_of
from autograd_lab.commands.terminal import Spoken, say

COMMANDS = {
    "draw": "Draw the autograd graph of a script that uses autograd_lab or PyTorch, or of a trace.",
    "record": "Record what the tensors of a script do, as a trace to be drawn later.",
    "play": "Make a page that plays a script, or a trace, step by step, offline, from a disk; or a movie of it.",
    "diagnose": (
        "Say what is wrong with a script of autograd_lab or PyTorch, which line did it, and what to write instead."
    ),
    "flow": "Draw how large gradients and updates were in each layer, over all iterations of a training loop.",
    "compare": "Play two runs side by side, in step with each other, and say what differs.",
    "compile": (
        "Draw what compiling makes of a function: the captured graph, what passes do to it, the Python that runs."
    ),
    "demo": "Make a demo for a class: a page that plays it, a slide, a trace, the teacher's key.",
    "worksheet": (
        "Make a page to fill in with a pencil: program, questions, the graph with blanks; and, apart, its key."
    ),
    "progress": "Show what you have done in the lessons.",
    "review": "Ask again what is due today of the lessons' questions: at most ten, five minutes.",
    "class": "What a class has done in the lessons.",
    "memory": "Measure a technique that saves graph memory: bytes and time without and with it.",
    "lessons": "The lesson notebooks.",
    "doctor": "Say what is installed, what is missing, and for what you would need it.",
    "schema": "Print a JSON schema of the lines of a trace, for programs that write traces.",
}
"""The first sentence of the help of each; a test holds them to that."""

app = command_file(
    cls=Spoken,
    help="See automatic differentiation happen: draw the autograd graph of a script at any moment of its life.",
    epilog="Examples: autograd-lab draw expression | autograd-lab draw my_script.py -o graph.png --at backward",
    no_args_is_help=True,
    add_completion=True,
)


def main() -> None:
    """Run the command line; exits with 0, 1 for a failure of the script or of the drawing, 2 for misuse."""
    import_for_good(next(iter(sys.argv[1:]), ""))
    app(prog_name="autograd-lab")


def import_for_good(command: str) -> None:
    """Import what a command needs, none of which the collector of cycles is to look through, now or at the end.

    That would take a third of the time in which a small graph is drawn.
    """
    gc.disable()
    if command in COMMANDS:
        file_of(command)
    gc.freeze()
    gc.enable()


def show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version  # it takes as long as all the rest of it

        try:
            say(f"autograd-lab {version('autograd-lab')}")
        except PackageNotFoundError:  # run from a source tree that was never installed
            say("autograd-lab (not installed)")
        raise typer.Exit


@app.callback()
def options(
    wanted: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


def listed() -> None:
    """What is called in place of this is the command itself."""


for name, line in COMMANDS.items():
    app.command(name, cls=Listed, help=line)(listed)
