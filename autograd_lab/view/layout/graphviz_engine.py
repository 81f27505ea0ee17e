"""Graphviz, wherever it is: the `dot` executable on PATH, or the copy inside the pygraphviz wheel."""

from __future__ import annotations

import shutil
import warnings


class GraphvizMissing(RuntimeError):
    """Neither `dot` nor pygraphviz is here."""


def run_dot(source: str, form: str, program: str = "dot") -> bytes:
    """What `dot`, or another program of Graphviz, makes of a DOT source; `form` is "svg", "json0", "pdf" or the like.

    Raises GraphvizMissing where there is no Graphviz, ValueError for a source or a format that it refuses.
    """
    try:
        return (_by_executable if shutil.which("dot") else _by_wheel)(source, form, program)
    except ImportError:
        raise GraphvizMissing(
            "Graphviz is not here: pip install pygraphviz, or install Graphviz so that `dot` is on PATH"
        ) from None


def _by_executable(source: str, form: str, program: str) -> bytes:
    import graphviz

    try:
        return bytes(graphviz.pipe(program, form, source.encode(), quiet=True))
    except graphviz.CalledProcessError as error:
        said = (error.stderr or b"").decode(errors="replace").strip()
        raise ValueError(f"Graphviz cannot draw this as {form}: {said or error}") from error


def _by_wheel(source: str, form: str, program: str) -> bytes:
    import pygraphviz

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of what Graphviz prints, fonts it did not find and the like
            return bytes(pygraphviz.AGraph(string=source).draw(format=form, prog=program))
    except (ValueError, OSError, pygraphviz.DotError) as error:
        raise ValueError(f"Graphviz cannot draw this as {form}: {error}") from error
