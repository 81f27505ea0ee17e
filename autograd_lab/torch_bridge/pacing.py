"""Milestones of PyTorch's: ends of backward passes and steps of optimizers, told whether or not anybody records.

Between recordings nothing else of this package is in PyTorch's way: no mode, no hook on a module or a node.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch

from autograd_lab.listening import passed
from autograd_lab.recording.iterations.meters import Number, constant, meters, share, stride_for
from autograd_lab.torch_bridge import optimizer_steps
from autograd_lab.torch_bridge.internals import no_dispatch, no_functions, told_passes

PLAIN = (torch.Tensor, torch.nn.Parameter)
"""Of other classes nobody knows what reading some of their elements costs."""


class TorchMeter:
    """Measures torch's tensors. What is not on the CPU is computed there, and fetched when somebody reads it."""

    def is_tensor(self, thing: Any) -> bool:
        return isinstance(thing, torch.Tensor)

    def number(self, tensor: Any) -> Number | None:
        if tensor.layout is not torch.strided or tensor.is_complex() or tensor.numel() != 1 or tensor.is_meta:
            return None
        with no_functions(), no_dispatch(), torch.no_grad():
            return _number_of(tensor.detach())

    def norms(self, tensors: Sequence[Any]) -> Sequence[Number]:
        with no_functions(), no_dispatch(), torch.no_grad():
            return [_number_of(_norm(each)) for each in tensors]

    def zeros(self, tensors: Sequence[Any]) -> Sequence[Number]:
        with no_functions(), no_dispatch(), torch.no_grad():
            return [_number_of(_zeros(each)) for each in tensors]

    def copies(self, tensors: Sequence[Any]) -> Sequence[Any]:
        with no_functions(), no_dispatch(), torch.no_grad():
            return [_sample(each) for each in tensors]

    def changes(self, tensors: Sequence[Any], copies: Sequence[Any]) -> Sequence[Number]:
        with no_functions(), no_dispatch(), torch.no_grad():
            pairs = [
                (_number_of((_sample(each) - old).norm()), _number_of(old.norm()))
                for each, old in zip(tensors, copies, strict=True)
            ]
        return [partial(_share_of, moved, whole) for moved, whole in pairs]


def _norm(gradient: Any) -> Any:
    if gradient.is_meta:
        return torch.tensor(float("nan"))
    values = gradient.coalesce()._values() if gradient.layout is torch.sparse_coo else gradient
    return torch.linalg.vector_norm(values if values.is_floating_point() or values.is_complex() else values.double())


def _zeros(gradient: Any) -> Any:
    """The share of zeros; of a sparse gradient those count that it does not name."""
    if gradient.is_meta:
        return torch.tensor(float("nan"))
    values = gradient.coalesce()._values() if gradient.layout is torch.sparse_coo else gradient
    return 1 - torch.count_nonzero(values).double() / max(gradient.numel(), 1)


def _sample(parameter: Any) -> Any:
    """Some elements, in numbers that are fine enough to tell small changes; None of a tensor without plain memory."""
    if parameter.layout is not torch.strided or parameter.is_meta or type(parameter) not in PLAIN:
        return None
    flat = parameter.detach().reshape(-1)[:: stride_for(parameter.numel())]
    return flat.clone() if flat.is_complex() or flat.device.type == "mps" else flat.to(torch.float64, copy=True)


def _share_of(part: Number, whole: Number) -> float:
    return share(part(), whole())


def _number_of(tensor: Any) -> Number:
    if tensor.device.type == "cpu":
        return constant(tensor.item())
    copy = tensor.clone()

    def fetch() -> float:
        with no_functions(), no_dispatch():
            return float(copy.item())

    return fetch


def _unheard(_: Any) -> None:
    """The beginning of a step is no milestone."""


def _stepped(optimizer: Any) -> None:
    passed("step", optimizer)


@contextmanager
def paced() -> Iterator[None]:
    """Have torch tell of its milestones."""
    meter = TorchMeter()
    meters.append(meter)
    try:
        with told_passes, optimizer_steps.heard_by(_unheard, _stepped):
            yield
    finally:
        meters.remove(meter)
