"""Tensor parallelism: a layer split over processes, *lanes*, that add up what they have by shared memory."""

from __future__ import annotations

from autograd_lab.parallel.lanes import LaneError, all_reduce, in_turns, lane, lanes, run
from autograd_lab.parallel.split_linear import ColumnParallelLinear, Copied, RowParallelLinear, Summed

__all__ = [
    "ColumnParallelLinear",
    "Copied",
    "LaneError",
    "RowParallelLinear",
    "Summed",
    "all_reduce",
    "in_turns",
    "lane",
    "lanes",
    "run",
]
