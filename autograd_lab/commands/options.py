"""Arguments that several commands take."""

from __future__ import annotations

from enum import StrEnum
from glob import escape, iglob
from typing import Annotated

import typer

from autograd_lab.commands.exits import complaints
from autograd_lab.display.script import examples
from autograd_lab.display.target import Misuse
from autograd_lab.view.languages.speaking import VARIABLE, spoken_in


class View(StrEnum):
    engine = "engine"
    maths = "maths"


MOMENTS = ("forward", "backward", "end", "error")
"""Of a recording; a compilation has others."""


class Theme(StrEnum):
    light = "light"
    dark = "dark"
    grey = "grey"


def _bundled(incomplete: str) -> list[str]:
    """What a shell completes a script to; nothing where a file begins so, for then it completes that."""
    return [] if is_file(incomplete) else [name for name in examples() if name.startswith(incomplete)]


def is_file(incomplete: str) -> bool:
    """Whether a file begins so."""
    return any(iglob(f"{escape(incomplete)}*"))


def _moments(incomplete: str) -> list[str]:
    """What a shell completes a moment to."""
    return [name for name in MOMENTS if name.startswith(incomplete)]


Program = Annotated[
    str,
    typer.Argument(metavar="SCRIPT", help="A script, a .jsonl trace or a bundled example.", autocompletion=_bundled),
]
At = Annotated[
    str | None,
    typer.Option(
        "--at",
        metavar="MOMENT",
        help=f"Draw it at this moment: {', '.join(MOMENTS)}.  [default: end]",
        autocompletion=_moments,
    ),
]
RealTorch = Annotated[
    bool,
    typer.Option("--torch", help="Run real PyTorch where the script imports autograd_lab; it has to be installed."),
]
ScriptArguments = Annotated[
    list[str] | None, typer.Argument(metavar="ARGUMENTS", help="The script's own; options among them go after --.")
]
Iteration = Annotated[
    str | None,
    typer.Option(
        metavar="K", help="Of a training loop, show this iteration: a number, first, last or all.  [default: last]"
    ),
]
EveryNth = Annotated[
    int | None, typer.Option("--every", metavar="N", min=1, help="Of a training loop, show each Nth iteration.")
]
Across = Annotated[bool, typer.Option("--lr/--tb", help="From left to right, or from top to bottom.")]
Dressed = Annotated[View, typer.Option("--view", help="PyTorch's nodes and slots, or signs and values.")]
Themed = Annotated[Theme, typer.Option("--theme", help="Colours of a recording; grey is for print.")]
Poster = Annotated[
    bool, typer.Option("--poster", help="For print: A3, or larger, with every op there is room for and all the code.")
]
Scaled = Annotated[
    float | None,
    typer.Option(min=0.1, max=8, metavar="N", help="Pixels of a PNG to a px.  [default: 2: a slide is 2560 × 1440]"),
]
Depth = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", help="Levels of modules that are open.  [default: as many as can be read]"),
]
Expand = Annotated[
    list[str] | None,
    typer.Option(metavar="PATH", help="Open this module, such as model.layers.0; * and ? stand for any; repeatable."),
]
Unfold = Annotated[bool, typer.Option("--unfold", help="Draw every op, however many.")]


def _speak(context: typer.Context, code: str | None) -> str | None:
    """Have all speak a language until the command is over."""
    with complaints():
        try:
            if code is not None:
                context.with_resource(spoken_in(code))
        except ValueError as error:
            raise Misuse(str(error)) from None
    return code


Language = Annotated[
    str | None,
    typer.Option(
        "--language", metavar="CODE", envvar=VARIABLE, callback=_speak, help="What pages and pictures say it in, as es."
    ),
]
