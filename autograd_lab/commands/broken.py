"""`autograd-lab compile --torch`: into which graphs the real `torch.compile` breaks a script, where, and why."""

from __future__ import annotations

import os
import sys
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING

from autograd_lab.commands.terminal import say
from autograd_lab.display.script import run_source
from autograd_lab.display.target import Misuse, writing
from autograd_lab.trace import write_whole
from autograd_lab.view.kit.font import svg_file
from autograd_lab.view.page import to_page
from autograd_lab.view.png import to_png
from autograd_lab.view.scene import make_scene

if TYPE_CHECKING:
    from autograd_lab.torch_bridge.dynamo import Piece

NONE = "the script ran to its end, and Dynamo captured nothing: it calls no function that torch.compile has compiled"


def capture(script: Path, arguments: list[str], target: Path, number: int) -> int:
    """Run the script, say where it breaks, and write one of its graphs; the exit code is the script's.

    Raises Misuse where there is no PyTorch that compiles, or no such graph.
    """
    try:
        from autograd_lab.torch_bridge.dynamo import captured

        with captured() as pieces:
            run = run_source(script.read_bytes(), os.path.abspath(script), [str(script), *arguments], recorded=False)
    except (ImportError, AttributeError) as error:
        raise Misuse(f"--torch needs a PyTorch with torch.compile: {error}") from None
    sys.stdout.flush()
    say(run.complaint, err=True, nl=False)
    if not pieces:
        if run.code:
            return run.code
        raise Misuse(NONE)
    if number > len(pieces):
        raise Misuse(f"there is no graph {number}, only {len(pieces)}")
    write(pieces, number, target)
    for at, piece in enumerate(pieces, start=1):
        say(told(at, piece))
    breaks = sum(bool(piece.reason) for piece in pieces)
    graphs = "1 graph" if len(pieces) == 1 else f"{len(pieces)} graphs"
    say(f"{target}  {graphs}, {breaks} break{'s' * (breaks != 1)}; this is graph {number}")
    return run.code


def told(number: int, piece: Piece) -> str:
    """What a graph is of, and why it ends, if its function goes on."""
    head = f"graph {number}, of {piece.function}: {piece.operations} operation{'s' * (piece.operations != 1)}"
    if not piece.reason:
        return head
    line = "" if piece.where is None else f"{piece.where}    {piece.where.text}"
    return f"{head}\n  breaks at  {line}\n  because    {piece.reason}"


def _listed(number: int, piece: Piece) -> str:
    """The Python of a graph, below a comment that says what it is."""
    return "".join(f"# {line}\n" for line in told(number, piece).splitlines()) + f"{piece.code}\n"


def write(pieces: list[Piece], number: int, target: Path) -> None:
    """Write the graph as the suffix says; Python has all of them."""
    piece = pieces[number - 1]
    scene = make_scene(piece.trace)
    title = f"Graph {number} of {len(pieces)}: what Dynamo captures of {piece.function}"
    with writing(target):
        match target.suffix.lower():
            case ".py":
                write_whole(target, "\n\n".join(starmap(_listed, enumerate(pieces, start=1))).encode())
            case ".jsonl" | ".gz":
                piece.trace.save(target)
            case ".html":
                page = to_page(scene, title, step=scene.steps)
                write_whole(target, page.encode("utf-8", "replace"))
            case suffix:
                svg = scene.svg(scene.steps)
                write_whole(target, svg_file(svg) if suffix == ".svg" else to_png(svg))
