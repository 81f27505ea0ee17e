"""Random numbers in a captured program: drawn anew in each run, from the same generator and in the same order."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from autograd_lab.compiler.capture.symbol import Symbol
from autograd_lab.compiler.capture.tape import Tape
from autograd_lab.compiler.kernel import Kernel
from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.engine.draws.twister import Twister


class Draws:
    """Stands in for what draws random numbers: draws from a copy of it, and takes that down."""

    def __init__(self, tape: Tape, numbers: Twister) -> None:
        self._tape, self._copy = tape, copy.deepcopy(numbers)

    def __getattr__(self, name: str) -> Any:
        def draw(*args: Any, **options: Any) -> Any:
            tape, kernel = self._tape, Kernel(f"draw_{name}", _drawing(name), pure=False)
            args, named = tape.taken(args), tape.taken(tuple(options.items()))
            made = getattr(self._copy, name)(*tape.real(args), **dict(tape.real(named)))
            [value] = tape.add(kernel, args, named, [np.asarray(made)])
            return Symbol(tape, value)

        return draw


def _drawing(name: str) -> Any:
    def draw(*args: Any, **options: Any) -> Any:
        return np.asarray(getattr(numbers_of(), name)(*args, **options))

    return draw
