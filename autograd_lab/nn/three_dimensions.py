"""Layers of three dimensions: their names, which programs import and ask for with `isinstance`.

To make one, or to call its function, raises an error that says why it is not here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.elsewhere.absent import FLAT
from autograd_lab.nn.module import Module

LAYERS = """
AdaptiveAvgPool3d AdaptiveMaxPool3d AvgPool3d BatchNorm3d CircularPad3d Conv3d ConvTranspose3d Dropout3d
FractionalMaxPool3d InstanceNorm3d LPPool3d LazyBatchNorm3d LazyConv3d LazyConvTranspose3d LazyInstanceNorm3d MaxPool3d
MaxUnpool3d ReflectionPad3d ReplicationPad3d
"""
FUNCTIONS = """
adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d conv3d conv_transpose3d dropout3d fractional_max_pool3d lp_pool3d
max_pool3d max_unpool3d
"""

REFUSED = {*LAYERS.split(), *FUNCTIONS.split()}
"""What can be imported, and nothing else."""


class _Deep(Module):
    """A layer of three dimensions, of which there are none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__}: {FLAT}")


def layers() -> dict[str, type[Module]]:
    """A class for each name; no module is of any of them."""
    return {name: type(name, (_Deep,), {"__module__": __name__, "__doc__": _Deep.__doc__}) for name in LAYERS.split()}


def functions() -> dict[str, Callable[..., Any]]:
    """A function for each name, which refuses."""
    return {name: _refusal(name) for name in FUNCTIONS.split()}


def _refusal(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{name}: {FLAT}")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse
