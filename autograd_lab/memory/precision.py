"""Mixed precision: products in half precision, and what becomes of small gradients there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from autograd_lab import amp
from autograd_lab.engine.numbers import dtypes
from autograd_lab.memory.technique import SETTING, Result, Row, Step, compared, gradient_of, usual_rows
from autograd_lab.optim import SGD
from autograd_lab.view.charts.chart import Histogram, Limits, histograms

SCALE = 2.0**16
LIMITS = Limits("float16", -25, -14)
"""What is smaller than half of the smallest number, 2⁻²⁴, is rounded to 0; from 2⁻¹⁴ on, numbers have all digits."""


def run(rounds: int) -> Result:
    """The step in an autocast region: in float16, which needs no other package."""
    step = Step()
    half = partial(_loss, step, dtypes.float16)
    without, with_it = compared(step.plain, half, rounds)
    exact, plain, scaled = gradients(step)
    lost = [_lost(exact, found) for found in (plain, scaled)]
    rows = [
        *usual_rows(without, with_it),
        Row("gradients that become 0", "0%", percent(lost[0])),
        Row(f"… with the loss times {SCALE:,.0f}", "", percent(lost[1])),
        *_bfloat16_row(step, exact),
    ]
    bars = [
        Histogram.of("as they are", exact, f"{percent(lost[0])} become 0"),
        Histogram.of("times 65,536, by GradScaler", exact * SCALE, f"{percent(lost[1])} become 0"),
    ]
    return Result(
        "precision",
        "Mixed precision: two bytes instead of four",
        f"{SETTING}; torch.autocast in float16",
        "Products run in float16, the loss in float32; weights stay in float32, with a copy in float16. Processors "
        "with arithmetic for it are faster; numpy has none, and is slower.",
        rows,
        without,
        with_it,
        partial(histograms, "how large the gradients of all weights are, in float32", bars, LIMITS),
    )


def _bfloat16_row(step: Step, exact: Any) -> list[Row]:
    """What bfloat16, of float32's range and fewer digits, loses without scaling; no row where it is not there."""
    try:
        dtype = dtypes.bfloat16()
    except ImportError:
        return []
    _loss(step, dtype).backward()
    return [Row("… in bfloat16, of fewer digits", "", percent(_lost(exact, _weights(step))))]


def _loss(step: Step, dtype: dtypes.dtype) -> Any:
    step.net.zero_grad()
    with amp.autocast("cpu", dtype=dtype):
        return step.loss(step.net(step.x))


def gradients(step: Step) -> Sequence[np.ndarray[Any, Any]]:
    """The gradients of all weights: in float32, in float16, and in float16 by way of a scaled loss."""
    step.plain().backward()
    exact = _weights(step)
    _loss(step, dtypes.float16).backward()
    plain = _weights(step)
    optimizer, scaler = SGD(step.net.parameters(), lr=0.1), amp.GradScaler("cpu", init_scale=SCALE)
    scaler.scale(_loss(step, dtypes.float16)).backward()
    scaler.unscale_(optimizer)
    return exact, plain, _weights(step)


def _weights(step: Step) -> np.ndarray[Any, Any]:
    return np.concatenate([gradient_of(one).ravel() for one in step.net.parameters()])


def _lost(exact: Any, found: Any) -> float:
    """The share of gradients that are something, and have become nothing."""
    return float(np.mean((found == 0) & (exact != 0)) / np.mean(exact != 0))


def percent(share: float) -> str:
    """
    >>> percent(0.2366), percent(0.0003), percent(0.0)
    ('23.7%', '< 0.1%', '0%')
    """
    return "0%" if share == 0 else f"{share:.1%}" if share >= 0.001 else "< 0.1%"
