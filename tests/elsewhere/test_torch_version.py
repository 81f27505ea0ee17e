"""`torch.__version__`: the PyTorch that is spelled, so that what asks for it goes on; and what spells it."""

from __future__ import annotations

import importlib.metadata

import pytest

import autograd_lab
from tests.worlds import said


def test_the_version_is_that_of_pytorch_and_says_what_spells_it() -> None:
    mirrored, _, own = str(autograd_lab.__version__).partition("+")
    assert mirrored == "2.13.0"
    assert own == f"autograd_lab.{autograd_lab.version.autograd_lab}"
    assert autograd_lab.version.__version__ == autograd_lab.__version__


def test_the_package_is_installed_under_its_own_version() -> None:
    assert importlib.metadata.version("autograd-lab") == autograd_lab.version.autograd_lab


def test_versions_are_compared_by_their_numbers_as_in_pytorch() -> None:
    torch = pytest.importorskip("torch")
    for asked in ("'2.9'", "'1.13.1'", "(2, 0)", "'3'", "(2, 13, 0)", "'2.13'"):
        for sign in ("<", "<=", ">", ">="):
            question = f"m.__version__ {sign} {asked}"
            assert said(autograd_lab, question)[0] == said(torch, question)[0], question


def test_what_libraries_ask_of_the_compiler_is_answered() -> None:
    @autograd_lab.compiler.disable
    def doubled(x: float) -> float:
        return 2 * x

    @autograd_lab.compiler.disable(recursive=False)
    def tripled(x: float) -> float:
        return 3 * x

    assert (doubled(2), tripled(2)) == (4, 6)
    assert not autograd_lab.compiler.is_compiling()
    autograd_lab.compiler.reset()
