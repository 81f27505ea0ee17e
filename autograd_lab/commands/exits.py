"""What can go wrong outside a script, as one sentence on stderr and an exit code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from autograd_lab.commands.terminal import say
from autograd_lab.display.target import Misuse
from autograd_lab.trace import TraceError
from autograd_lab.view.layout.graphviz_engine import GraphvizMissing
from autograd_lab.view.movie.suffixes import MovieUnavailable
from autograd_lab.view.pdf import PdfUnavailable
from autograd_lab.view.png import PngUnavailable
from autograd_lab.view.subject import NothingToDraw

FAILED, MISUSED = 1, 2


@contextmanager
def complaints() -> Iterator[None]:
    """Turn what can go wrong outside the script into one sentence and an exit code."""
    try:
        yield
    except Misuse as error:
        complain(str(error), exit_with=MISUSED)
    except OSError as error:
        complain(f"{error.filename}: {error.strerror}" if error.filename else str(error), exit_with=FAILED)
    except (TraceError, NothingToDraw, GraphvizMissing, MovieUnavailable, PngUnavailable, PdfUnavailable) as error:
        complain(str(error), exit_with=FAILED)


def complain(text: str, *, exit_with: int = 0) -> None:
    say(f"autograd-lab: {text}", err=True)
    if exit_with:
        raise typer.Exit(exit_with)
