"""Memory that is shared with other libraries by DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograd_lab
from tests.worlds import said

torch = pytest.importorskip("torch")


def _both(one: Any, other: Any) -> list[Any]:
    """A write to the first is seen in the second."""
    one[0] = 9
    return [float(each) for each in other]


def _taken_twice(m: Any) -> Any:
    capsule = m.to_dlpack(m.ones(2))
    m.from_dlpack(capsule)
    return m.from_dlpack(capsule)


@pytest.mark.parametrize(
    "story",
    [
        lambda m: _both(given := np.ones(3, np.float32), m.from_dlpack(given)),
        lambda m: _both(x := m.ones(3), np.from_dlpack(x)),
        lambda m: _both(x := m.ones(3), m.utils.dlpack.from_dlpack(m.to_dlpack(x))),
        lambda m: _both(given := np.ones(3), m.from_dlpack(given, copy=True)),
        lambda m: m.from_dlpack(m.arange(6).view(2, 3).t()).stride(),
        lambda m: m.from_dlpack(m.tensor([True, False])),
        lambda m: m.from_dlpack(np.arange(3, dtype=np.int16), device="cpu").dtype,
        _taken_twice,
        lambda m: m.from_dlpack(3),
        lambda m: m.from_dlpack(m.to_dlpack(m.ones(1)), copy=True),
        lambda m: m.to_dlpack(3),
        lambda m: m.from_dlpack(m.to_dlpack(m.ones(2, requires_grad=True))),
        lambda m: m.ones(2, requires_grad=True).__dlpack__(),
        lambda m: m.ones(2).__dlpack__(stream=3),
        lambda m: m.ones(2).__dlpack__(stream="a"),
        lambda m: [int(one) for one in m.ones(2).__dlpack_device__()],
        lambda m: m.empty(2, device="meta").__dlpack__(),
        lambda m: m.empty(2, device="meta").__dlpack_device__(),
        lambda m: [(one.name, one.value) for one in m.utils.dlpack.DLDeviceType],
    ],
)
def test_memory_is_shared_and_refused_as_in_pytorch(story: Any) -> None:
    assert said(autograd_lab, story) == said(torch, story)
