"""One seed for all random numbers of a script, in place of those that it sets itself."""

from __future__ import annotations

import importlib
import importlib.util
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

TORCHES = "autograd_lab", "torch"


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Begin all random numbers at `seed`, also where the script says `torch.manual_seed(0)` or the like.

    So two runs of a script differ by their seed alone. A generator that the script makes for itself, as by
    `torch.Generator()`, keeps its own seed.
    """
    places = [(random, "seed"), (np.random, "seed"), (np.random, "default_rng")]
    places += [(importlib.import_module(name), "manual_seed") for name in TORCHES if importlib.util.find_spec(name)]
    before: list[tuple[Any, str, Callable[..., Any]]] = []
    try:
        for module, name in places:
            before.append((module, name, getattr(module, name)))
            setattr(module, name, _always(before[-1][-1], seed))
            getattr(module, name)()
        yield
    finally:
        for module, name, function in before:
            setattr(module, name, function)


def _always(seeding: Callable[[int], Any], seed: int) -> Callable[..., Any]:
    """The function as if it were given this seed, whatever it is given."""
    return lambda *_, **__: seeding(seed)
