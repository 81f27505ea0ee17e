"""Hooks, custom functions, grad modes, saved tensors, graph shapes: small programs print the same in PyTorch."""

from __future__ import annotations

import pytest

import autograd_lab
from tests.snippets import printed, programs

torch = pytest.importorskip("torch")
pytest.importorskip("torch.utils.checkpoint")

PROGRAMS = programs("autograd.md")


@pytest.mark.parametrize("title", PROGRAMS)
def test_both_worlds_print_the_same(title: str) -> None:
    assert printed(autograd_lab, PROGRAMS[title]) == printed(torch, PROGRAMS[title])
