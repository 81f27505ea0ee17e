"""See automatic differentiation happen. `import autograd_lab as torch` runs code that is written for PyTorch.

>>> import autograd_lab as torch
>>> x = torch.tensor([1., 2.], requires_grad=True)
>>> (x * x).sum().backward()
>>> x.grad
tensor([2., 4.])
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from autograd_lab import autograd
from autograd_lab.engine.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled
from autograd_lab.engine.device import device
from autograd_lab.engine.dtypes import (
    Size,
    double,
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    half,
    int8,
    int16,
    int32,
    int64,
    long,
    set_default_dtype,
    short,
    uint8,
)
from autograd_lab.engine.dtypes import bool_ as bool
from autograd_lab.engine.dtypes import float32 as float
from autograd_lab.engine.dtypes import int32 as int
from autograd_lab.engine.factories import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    manual_seed,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
    randn,
    randn_like,
    randperm,
    tensor,
    zeros,
    zeros_like,
)
from autograd_lab.engine.inference import is_inference, is_inference_mode_enabled
from autograd_lab.engine.modes import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from autograd_lab.engine.ops.activation import log_softmax, relu, sigmoid, softmax, tanh
from autograd_lab.engine.ops.arithmetic import add, mul, pow, square, sub
from autograd_lab.engine.ops.arranging import flip, tril, triu
from autograd_lab.engine.ops.choice import clamp, clamp_max, clamp_min, masked_fill, maximum, minimum, where
from autograd_lab.engine.ops.comparison import allclose, eq, equal, ge, gt, isclose, isfinite, isinf, isnan, le, lt, ne
from autograd_lab.engine.ops.copying import clone
from autograd_lab.engine.ops.cumulative import cumsum
from autograd_lab.engine.ops.division import div, remainder
from autograd_lab.engine.ops.extremes import amax, amin, max, min
from autograd_lab.engine.ops.gathering import gather
from autograd_lab.engine.ops.indexing import narrow, select
from autograd_lab.engine.ops.joining import cat, chunk, split, stack, unbind
from autograd_lab.engine.ops.logic import all, any, logical_not
from autograd_lab.engine.ops.norms import norm
from autograd_lab.engine.ops.pointwise import (
    abs,
    exp,
    expm1,
    log,
    log1p,
    log2,
    log10,
    neg,
    reciprocal,
    rsqrt,
    sqrt,
)
from autograd_lab.engine.ops.products import addmm, bmm, dot, matmul, mm, mv, outer, trace
from autograd_lab.engine.ops.reduction import mean, sum
from autograd_lab.engine.ops.rounding import ceil, floor, round, sgn, sign
from autograd_lab.engine.ops.shapes import (
    broadcast_to,
    flatten,
    permute,
    ravel,
    reshape,
    squeeze,
    t,
    transpose,
    unsqueeze,
)
from autograd_lab.engine.ops.sorting import argmax, argmin
from autograd_lab.engine.ops.statistics import logsumexp, prod, std, var
from autograd_lab.engine.ops.trigonometry import atan, cos, cosh, sin, sinh, tan
from autograd_lab.engine.printing import set_printoptions
from autograd_lab.engine.tensor import Tensor
from autograd_lab.engine.variable import is_tensor
from autograd_lab.recorder import record

if TYPE_CHECKING:
    from autograd_lab import nn, optim, utils
    from autograd_lab.serialization import load, save
    from autograd_lab.view.dot import make_dot


LATE = {"make_dot": "view.dot", "save": "serialization", "load": "serialization"}
ROOMS = ("nn", "optim", "utils")


def __getattr__(name: str) -> object:
    """Modules, optimizers, files and drawing are there for the asking, and not imported before."""
    if name in ROOMS:
        return importlib.import_module(f"autograd_lab.{name}")
    if name in LATE:
        return getattr(importlib.import_module(f"autograd_lab.{LATE[name]}"), name)
    raise AttributeError(f"module 'autograd_lab' has no attribute {name!r}")


__all__ = [
    "Size",
    "Tensor",
    "abs",
    "add",
    "addmm",
    "all",
    "allclose",
    "amax",
    "amin",
    "any",
    "arange",
    "argmax",
    "argmin",
    "as_tensor",
    "atan",
    "autograd",
    "bmm",
    "bool",
    "broadcast_to",
    "cat",
    "ceil",
    "chunk",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clone",
    "cos",
    "cosh",
    "cumsum",
    "device",
    "div",
    "dot",
    "double",
    "dtype",
    "empty",
    "empty_like",
    "enable_grad",
    "eq",
    "equal",
    "exp",
    "expm1",
    "eye",
    "flatten",
    "flip",
    "float",
    "float16",
    "float32",
    "float64",
    "floor",
    "from_numpy",
    "full",
    "full_like",
    "gather",
    "ge",
    "get_default_dtype",
    "gt",
    "half",
    "inference_mode",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "is_inference",
    "is_inference_mode_enabled",
    "is_tensor",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "le",
    "linspace",
    "load",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_softmax",
    "logical_not",
    "logsumexp",
    "long",
    "lt",
    "make_dot",
    "manual_seed",
    "masked_fill",
    "matmul",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "mm",
    "mul",
    "mv",
    "narrow",
    "ne",
    "neg",
    "nn",
    "no_grad",
    "norm",
    "ones",
    "ones_like",
    "optim",
    "outer",
    "permute",
    "pow",
    "prod",
    "rand",
    "rand_like",
    "randint",
    "randn",
    "randn_like",
    "randperm",
    "ravel",
    "reciprocal",
    "record",
    "relu",
    "remainder",
    "reshape",
    "round",
    "rsqrt",
    "save",
    "select",
    "set_anomaly_enabled",
    "set_default_dtype",
    "set_grad_enabled",
    "set_printoptions",
    "sgn",
    "short",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "softmax",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "sub",
    "sum",
    "t",
    "tan",
    "tanh",
    "tensor",
    "trace",
    "transpose",
    "tril",
    "triu",
    "uint8",
    "unbind",
    "unsqueeze",
    "utils",
    "var",
    "where",
    "zeros",
    "zeros_like",
]
