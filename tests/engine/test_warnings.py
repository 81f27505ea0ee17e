"""Where warnings point: at the program, wherever the engine gives them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import autograd_lab


def test_a_warning_points_at_the_line_of_the_program_that_it_is_about() -> None:
    x = autograd_lab.ones(1, requires_grad=True)
    lines: list[Callable[[], Any]] = [
        lambda: autograd_lab.ones(1).std(),
        lambda: (x * x).backward(create_graph=True),
        lambda: autograd_lab.nn.functional.mse_loss(autograd_lab.ones(2), autograd_lab.ones(2, 1)),
        lambda: (x * 1).grad,
    ]
    for line in lines:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            line()
        assert [one.filename for one in caught] == [__file__]
