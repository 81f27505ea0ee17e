"""The same programs say the same in the engine and in real PyTorch."""

from __future__ import annotations

import re
from typing import Any

import pytest

import autograd_lab
from tests.programs import PROGRAMS

torch = pytest.importorskip("torch")
torch.set_num_threads(1)


def told(value: Any) -> Any:
    """What a program returned, in words that both worlds share."""
    if isinstance(value, list | tuple):
        return [told(item) for item in value]
    if isinstance(value, dict):
        return {key: told(item) for key, item in value.items()}
    if isinstance(value, torch.Tensor | autograd_lab.Tensor):
        return repr(value)
    return re.sub("0x[0-9a-f]+", "0x", value) if isinstance(value, str) else value if value is None else repr(value)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_both_worlds_tell_the_same_story(program: Any) -> None:
    assert told(program(autograd_lab)) == told(program(torch))
