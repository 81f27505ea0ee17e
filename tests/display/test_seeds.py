"""A script with another seed: all of its random numbers are other ones, and nothing else is."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_lab
from autograd_lab.display.seeds import seeded

torch = pytest.importorskip("torch")

SOURCES: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "random": (lambda: random.seed(0), random.random),
    "numpy": (lambda: np.random.seed(0), lambda: np.random.rand()),
    "a generator of numpy": (lambda: None, lambda: np.random.default_rng(0).random()),
    "autograd_lab": (lambda: autograd_lab.manual_seed(0), lambda: autograd_lab.rand(1).item()),
    "torch": (lambda: torch.manual_seed(0), lambda: torch.rand(1).item()),
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_seed_stands_for_those_that_a_program_sets_until_the_program_ends(name: str) -> None:
    sets, draws = SOURCES[name]

    def drawn(seed: int) -> tuple[Any, Any]:
        with seeded(seed):
            first = draws()
            sets()
            return first, draws()

    assert drawn(1) == drawn(1) and drawn(1)[0] == drawn(1)[1]
    assert drawn(1) != drawn(2)
    sets()
    own = draws()
    assert own not in drawn(1)
