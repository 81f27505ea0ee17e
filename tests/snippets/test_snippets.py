"""Versions, views, writes, `.grad`, hooks, functions, modes: the programs in snippets/ print the same in PyTorch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import autograd_lab
from tests.snippets import printed, programs

torch = pytest.importorskip("torch")
pytest.importorskip("torch.utils.checkpoint")

PROGRAMS = programs("semantics.md") | programs("facts.md") | programs("autograd.md")


@pytest.fixture(autouse=True)
def warnings_each_time() -> Iterator[None]:
    """PyTorch gives some warnings only once in a process, unless asked."""
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(before)


@pytest.mark.parametrize("title", PROGRAMS)
def test_both_worlds_print_the_same(title: str) -> None:
    assert printed(autograd_lab, PROGRAMS[title]) == printed(torch, PROGRAMS[title])
