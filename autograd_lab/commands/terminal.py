"""What commands print goes through here: a name from a program, a trace or a file moves no cursor and hides nothing."""

from __future__ import annotations

import typer


def say(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text, whose control characters stand there as Python spells them."""
    from autograd_lab.view.kit.font import seen  # here, so that --help need not wait for it

    typer.echo(seen(str(text)), err=err, nl=nl)
