"""Arguments that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

RealTorch = Annotated[
    bool,
    typer.Option("--torch", help="Run real PyTorch where the script imports autograd_lab; it has to be installed."),
]
ScriptArguments = Annotated[
    list[str] | None, typer.Argument(metavar="ARGUMENTS", help="The script's own; options among them go after --.")
]
