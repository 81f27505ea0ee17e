"""What is said of a program that runs in one world or the other: captions, reasons and rows of the inspector."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograd_lab as lab
from autograd_lab import record
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.graph.words.why import reasons
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.scene import make_scene

Program = Callable[[Any], Any]


def traced(program: Program, torch: Any = lab) -> Trace:
    with record() as trace:
        kept = program(torch)
    del kept
    return trace


def sentences(program: Program, torch: Any = lab) -> list[str]:
    scene = make_scene(traced(program, torch))
    return [scene.caption(step) for step in range(scene.steps + 1)]


def whys(program: Program, torch: Any = lab) -> dict[str, str]:
    """Why boxes have no `.grad`, by their labels; of the lives of one tensor the last."""
    trace = traced(program, torch)
    history = history_of(trace)
    return {history.boxes[box].label: reason for box, (reason, _) in reasons(history, trace).items()}


def rows(program: Program, word: str, torch: Any = lab) -> list[str]:
    film = film_of(make_scene(traced(program, torch)))
    said = [film["rows"][number] for numbers in film["about"].values() for number in numbers]
    return [row[1] for row in said if row[0] == word]


def leaf(torch: Any, value: Any = 2.0) -> Any:
    return torch.tensor(value, requires_grad=True)
