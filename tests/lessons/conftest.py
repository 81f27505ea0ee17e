"""Kernels for lessons, one for each world, as long as there are lessons to run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.lessons.running import Kernel

Executed = Callable[..., Any]


@pytest.fixture(scope="session")
def kernel() -> Iterator[Callable[[str], Kernel]]:
    """The kernel of a world, started when it is first wanted."""
    started: list[Kernel] = []

    @cache
    def of(world: str) -> Kernel:
        started.append(Kernel(world))
        return started[-1]

    yield of
    for each in started:
        each.shut_down()


@pytest.fixture
def executed(kernel: Callable[[str], Kernel], tmp_path: Path) -> Executed:
    """Runs a notebook in the kernel of a world, for a learner who is new."""
    return lambda notebook, world="autograd_lab": kernel(world).execute(notebook, tmp_path)
