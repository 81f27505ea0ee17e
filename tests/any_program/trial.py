"""One random program in both worlds, and everything shown of it."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import torch

import autograd_lab
from autograd_lab.recording import recorder
from autograd_lab.trace import Trace
from autograd_lab.view.kit import unknown
from tests.any_program.author import any_program
from tests.any_program.showing import compare, recorded, show

recorder.STRICT = unknown.STRICT = True
torch.set_num_threads(1)


@dataclass
class Mistake:
    """What went wrong, doing what, in which program."""

    seed: int
    text: str
    where: str
    error: BaseException

    @property
    def kind(self) -> str:
        """The error and its place: alike for alike mistakes."""
        frames = traceback.extract_tb(self.error.__traceback__)
        own = [frame for frame in frames if "autograd_lab" in frame.filename] or frames
        place = f"{os.path.basename(own[-1].filename)}:{own[-1].lineno}"
        return f"{type(self.error).__name__} at {place}"


def tried(seed: int) -> tuple[int, list[Mistake]]:
    """How many pictures of the program with this number could be drawn, and what went wrong."""
    program, mistakes, pictures = any_program(seed), list[Mistake](), 0
    traces: list[Trace] = []

    def attempt(where: str, what: Callable[..., Any], *about: Any) -> Any:
        try:
            return what(*about)
        except Exception as error:
            mistakes.append(Mistake(seed, str(program), where, error))
            return None

    for world in (autograd_lab, torch):
        found = attempt(f"recording in {world.__name__}", recorded, program, world) or ()
        traces += found[:1]
        for trace in filter(None, found):
            pictures += attempt(f"showing what {world.__name__} did", show, trace, Random(seed)) or 0
    if len(traces) == 2:
        attempt("comparing", compare, *traces, Random(seed + 1))
    return pictures, mistakes
