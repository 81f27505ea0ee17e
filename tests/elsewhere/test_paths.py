"""Paths of `torch` that are other modules here; and what stands for what is not here."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

import autograd_lab
from autograd_lab.elsewhere import ALSO, RARE
from autograd_lab.elsewhere.absent import NOT_HERE, UNMADE

NAMESPACES = {"ops", "_ops"}
"""These make a namespace of any name, as in PyTorch: somebody may define an operation in it later."""


@pytest.mark.parametrize("path", sorted(ALSO))
def test_a_path_can_be_imported_and_says_what_it_has_not(path: str) -> None:
    module = importlib.import_module(f"autograd_lab.{path}")
    assert module.__name__ == f"autograd_lab.{path}"
    if path not in NAMESPACES:
        with pytest.raises(AttributeError, match="no_such_thing"):
            module.no_such_thing  # noqa: B018


@pytest.mark.parametrize("name", sorted(name for names in RARE.values() for name in names.split()))
def test_a_rare_name_is_found_when_it_is_asked_for(name: str) -> None:
    (module,) = [module for module, names in RARE.items() if name in names.split()]
    assert hasattr(importlib.import_module(f"autograd_lab.{module}"), name)


@pytest.mark.parametrize("name", sorted(NOT_HERE))
def test_a_name_that_stays_away_says_why(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}': "):
        getattr(autograd_lab, name)


@pytest.mark.parametrize("name", sorted(UNMADE))
def test_a_function_that_would_make_what_is_not_here_can_be_had_and_says_why_once_it_is_called(name: str) -> None:
    function: Callable[..., Any] = getattr(autograd_lab, name)
    with pytest.raises(NotImplementedError, match=f"{name}: "):
        function([1.0])


def test_sparse_leads_back_to_torch_as_in_older_programs() -> None:
    assert autograd_lab.sparse.torch is autograd_lab
