"""What commands print goes through here: a name from a program, a trace or a file moves no cursor and hides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup


def say(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text, whose control characters stand there as Python spells them."""
    typer.echo(_seen(str(text)), err=err, nl=nl)


def confirm(question: str) -> bool:
    """Ask for a yes, in the same way."""
    return typer.confirm(_seen(question))


class Spoken(TyperGroup):
    """Commands of which typer says what is wrong with their arguments, which it repeats, as all else is said."""

    def make_context(self, *args: Any, **extra: Any) -> Any:
        with _harmless():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        with _harmless():
            return super().invoke(ctx)


@contextmanager
def _harmless() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if hasattr(error, "format_message"):  # typer's own; the module of their class is another in each version
            error.message = _seen(error.message)  # type: ignore[attr-defined]
        raise


def _seen(text: str) -> str:
    from autograd_lab.view.kit.font import seen  # here, so that --help need not wait for it

    return seen(text)
