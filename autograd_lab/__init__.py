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

from autograd_lab import autograd, linalg
from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.exact.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled
from autograd_lab.engine.exact.autocast import (
    clear_autocast_cache,
    get_autocast_dtype,
    is_autocast_cache_enabled,
    is_autocast_enabled,
    set_autocast_cache_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
)
from autograd_lab.engine.modes.grad_mode import enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled
from autograd_lab.engine.modes.inference import is_inference, is_inference_mode_enabled
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import device, strided
from autograd_lab.engine.numbers.dtypes import (
    Size,
    can_cast,
    double,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    half,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    long,
    promote_types,
    set_default_dtype,
    short,
    uint8,
)
from autograd_lab.engine.numbers.dtypes import bool_ as bool
from autograd_lab.engine.numbers.dtypes import float32 as float
from autograd_lab.engine.numbers.dtypes import int32 as int
from autograd_lab.engine.numbers.generator import Generator, initial_seed, manual_seed, seed
from autograd_lab.engine.numbers.printing import set_printoptions
from autograd_lab.engine.ops.activation.elus import celu, selu
from autograd_lab.engine.ops.activation.piecewise import hardshrink
from autograd_lab.engine.ops.activation.probabilities import log_softmax, softmax
from autograd_lab.engine.ops.activation.rectifiers import prelu, relu, rrelu, threshold
from autograd_lab.engine.ops.copying import clone
from autograd_lab.engine.ops.index.gathering import (
    argwhere,
    gather,
    index_select,
    masked_select,
    nonzero,
    take,
    take_along_dim,
)
from autograd_lab.engine.ops.index.indexing import index_put, narrow, select
from autograd_lab.engine.ops.index.scattering import scatter, scatter_add, scatter_reduce
from autograd_lab.engine.ops.index.slices import index_add, index_copy, index_fill, masked_scatter, put
from autograd_lab.engine.ops.inplace.pointwise import relu_ as relu_
from autograd_lab.engine.ops.layer.adaptive_pooling import adaptive_avg_pool1d, adaptive_max_pool1d
from autograd_lab.engine.ops.layer.convolution import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from autograd_lab.engine.ops.layer.dropout import alpha_dropout, dropout
from autograd_lab.engine.ops.layer.embedding import rows_of as embedding
from autograd_lab.engine.ops.layer.normalization import group_norm, instance_norm, layer_norm, rms_norm
from autograd_lab.engine.ops.layer.normalization import native_batch_norm as batch_norm
from autograd_lab.engine.ops.layer.pooling import avg_pool1d, max_pool1d, max_pool2d
from autograd_lab.engine.ops.loss.similarity import cosine_similarity, pairwise_distance
from autograd_lab.engine.ops.matrix.contraction import (
    addbmm,
    addmv,
    addr,
    baddbmm,
    cross,
    ger,
    inner,
    kron,
    tensordot,
    vdot,
)
from autograd_lab.engine.ops.matrix.einsum import einsum
from autograd_lab.engine.ops.matrix.linalg import det, logdet, matrix_power, slogdet
from autograd_lab.engine.ops.matrix.linalg import inv as inverse
from autograd_lab.engine.ops.matrix.products import addmm, dot, outer
from autograd_lab.engine.ops.pointwise.arithmetic import float_power, positive, rsub, square
from autograd_lab.engine.ops.pointwise.arithmetic import mul as multiply
from autograd_lab.engine.ops.pointwise.arithmetic import sub as subtract
from autograd_lab.engine.ops.pointwise.blending import addcdiv, addcmul, copysign, heaviside, lerp, nan_to_num
from autograd_lab.engine.ops.pointwise.bounds import fmax, fmin
from autograd_lab.engine.ops.pointwise.choice import clamp as clip
from autograd_lab.engine.ops.pointwise.choice import clamp_max, clamp_min, masked_fill, where
from autograd_lab.engine.ops.pointwise.comparison import (
    allclose,
    eq,
    equal,
    ge,
    gt,
    is_complex,
    is_floating_point,
    is_nonzero,
    is_signed,
    isclose,
    isfinite,
    isin,
    isinf,
    isnan,
    isneginf,
    isposinf,
    isreal,
    le,
    lt,
    ne,
    numel,
    result_type,
    signbit,
)
from autograd_lab.engine.ops.pointwise.comparison import ge as greater_equal
from autograd_lab.engine.ops.pointwise.comparison import gt as greater
from autograd_lab.engine.ops.pointwise.comparison import le as less_equal
from autograd_lab.engine.ops.pointwise.comparison import lt as less
from autograd_lab.engine.ops.pointwise.comparison import ne as not_equal
from autograd_lab.engine.ops.pointwise.division import div as divide
from autograd_lab.engine.ops.pointwise.division import floor_divide, fmod, remainder, true_divide
from autograd_lab.engine.ops.pointwise.elementary import abs as absolute
from autograd_lab.engine.ops.pointwise.elementary import expm1, log1p, log2, log10, reciprocal, rsqrt
from autograd_lab.engine.ops.pointwise.elementary import neg as negative
from autograd_lab.engine.ops.pointwise.logic import (
    all,
    any,
    bitwise_and,
    bitwise_left_shift,
    bitwise_not,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    count_nonzero,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
)
from autograd_lab.engine.ops.pointwise.rounding import ceil, fix, floor, frac, round, sgn, sign, trunc
from autograd_lab.engine.ops.pointwise.special import (
    digamma,
    erf,
    erfc,
    erfinv,
    exp2,
    lgamma,
    logaddexp,
    logaddexp2,
    logit,
    polygamma,
    xlogy,
)
from autograd_lab.engine.ops.pointwise.trigonometry import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cosh,
    deg2rad,
    hypot,
    rad2deg,
    sinc,
    sinh,
    tan,
)
from autograd_lab.engine.ops.pointwise.trigonometry import acos as arccos
from autograd_lab.engine.ops.pointwise.trigonometry import acosh as arccosh
from autograd_lab.engine.ops.pointwise.trigonometry import asin as arcsin
from autograd_lab.engine.ops.pointwise.trigonometry import asinh as arcsinh
from autograd_lab.engine.ops.pointwise.trigonometry import atan as arctan
from autograd_lab.engine.ops.pointwise.trigonometry import atan2 as arctan2
from autograd_lab.engine.ops.pointwise.trigonometry import atanh as arctanh
from autograd_lab.engine.ops.reduction.counting import bincount, histc
from autograd_lab.engine.ops.reduction.cumulative import cummax, cummin, cumprod, cumsum, diff, logcumsumexp
from autograd_lab.engine.ops.reduction.extremes import amax, amin, aminmax, max, min
from autograd_lab.engine.ops.reduction.norms import cdist, dist, norm
from autograd_lab.engine.ops.reduction.sorting import (
    argmax,
    argmin,
    argsort,
    bucketize,
    kthvalue,
    median,
    mode,
    msort,
    nanmedian,
    searchsorted,
    sort,
    topk,
    unique,
    unique_consecutive,
)
from autograd_lab.engine.ops.reduction.statistics import logsumexp, nanmean, nansum, prod, std, std_mean, var, var_mean
from autograd_lab.engine.ops.reduction.sums import mean, sum
from autograd_lab.engine.ops.shape.arranging import flip, fliplr, flipud, roll, rot90
from autograd_lab.engine.ops.shape.diagonals import (
    block_diag,
    diag,
    diag_embed,
    diagflat,
    diagonal,
    tril,
    tril_indices,
    triu,
    triu_indices,
)
from autograd_lab.engine.ops.shape.joining import cat as concat
from autograd_lab.engine.ops.shape.joining import cat as concatenate
from autograd_lab.engine.ops.shape.joining import chunk, split, unbind
from autograd_lab.engine.ops.shape.repeating import repeat_interleave, tile
from autograd_lab.engine.ops.shape.stacking import (
    adjoint,
    atleast_1d,
    atleast_2d,
    atleast_3d,
    broadcast_shapes,
    broadcast_tensors,
    cartesian_prod,
    column_stack,
    combinations,
    dsplit,
    dstack,
    hsplit,
    hstack,
    meshgrid,
    moveaxis,
    movedim,
    row_stack,
    tensor_split,
    unflatten,
    vsplit,
    vstack,
)
from autograd_lab.engine.ops.shape.views import (
    as_strided,
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
from autograd_lab.engine.ops.shape.views import transpose as swapaxes
from autograd_lab.engine.ops.shape.views import transpose as swapdims
from autograd_lab.engine.tensor.factories import (
    arange,
    as_tensor,
    asarray,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    logspace,
    ones,
    ones_like,
    scalar_tensor,
    tensor,
    zeros,
    zeros_like,
)
from autograd_lab.engine.tensor.outputs import (
    abs,
    add,
    bmm,
    cat,
    clamp,
    cos,
    div,
    exp,
    log,
    matmul,
    maximum,
    minimum,
    mm,
    mul,
    mv,
    neg,
    pow,
    sigmoid,
    sin,
    sqrt,
    stack,
    sub,
    tanh,
)
from autograd_lab.engine.tensor.random import bernoulli, multinomial, normal, poisson
from autograd_lab.engine.tensor.randomness import rand, rand_like, randint, randint_like, randn, randn_like, randperm
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.recording.iterations.record import record
from autograd_lab.recording.iterations.session import pacings
from autograd_lab.recording.recording import companions
from autograd_lab.torch_bridge import pacing, watching
from autograd_lab.trace import WRITERS

# isort: split
from autograd_lab.engine.ops.matrix.products import trace  # it takes the name of the module that was imported above

if TYPE_CHECKING:
    from autograd_lab import amp, backends, cuda, func, nn, optim, utils
    from autograd_lab.amp import GradScaler, autocast
    from autograd_lab.backends import accelerator
    from autograd_lab.classroom.demos.show import demo
    from autograd_lab.compiler import compile
    from autograd_lab.display.comparison import compare
    from autograd_lab.display.picture import draw
    from autograd_lab.notebook import explore, show
    from autograd_lab.serialization import load, save
    from autograd_lab.view.torchviz.dot import make_dot


__version__ = "0.1.0"
companions.append(watching)
pacings.append(pacing)
WRITERS[".html"] = lambda *told, **wanted: importlib.import_module("autograd_lab.view.page").save_page(*told, **wanted)
for suffix in (".gif", ".apng", ".webp", ".mp4", ".webm"):
    WRITERS[suffix] = lambda *told, **wanted: importlib.import_module("autograd_lab.view.movie.movie").save_movie(
        *told, **wanted
    )
LATE = {
    "GradScaler": "amp",
    "autocast": "amp",
    "compare": "display.comparison",
    "compile": "compiler",
    "make_dot": "view.torchviz.dot",
    "demo": "classroom.demos.show",
    "draw": "display.picture",
    "explore": "notebook",
    "show": "notebook",
    "load_ipython_extension": "notebook",
    "save": "serialization",
    "load": "serialization",
}
ROOMS = ("amp", "backends", "cuda", "func", "nn", "optim", "utils")


def __getattr__(name: str) -> object:
    """Modules, optimizers, files and drawing are there for the asking, and not imported before."""
    if name in ROOMS:
        return importlib.import_module(f"autograd_lab.{name}")
    if name == "accelerator":
        return importlib.import_module("autograd_lab.backends.accelerator")
    if name == "bfloat16":
        return dtypes.bfloat16()
    if name in LATE:
        return getattr(importlib.import_module(f"autograd_lab.{LATE[name]}"), name)
    if name.endswith("Tensor") and (
        found := importlib.import_module("autograd_lab.engine.tensor.typed").tensor_type(name)
    ):
        return found
    raise AttributeError(f"module 'autograd_lab' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What completion offers: no rooms of the engine, but also what is not imported before it is asked for."""
    return [*__all__, *(name for name in globals() if name.startswith("__"))]


__all__ = [
    "Generator",
    "GradScaler",
    "Size",
    "Tensor",
    "abs",
    "absolute",
    "accelerator",
    "acos",
    "acosh",
    "adaptive_avg_pool1d",
    "adaptive_max_pool1d",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addr",
    "adjoint",
    "all",
    "allclose",
    "alpha_dropout",
    "amax",
    "amin",
    "aminmax",
    "amp",
    "any",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "as_strided",
    "as_tensor",
    "asarray",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "autocast",
    "autograd",
    "avg_pool1d",
    "backends",
    "baddbmm",
    "batch_norm",
    "bernoulli",
    "bincount",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "block_diag",
    "bmm",
    "bool",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "can_cast",
    "cartesian_prod",
    "cat",
    "cdist",
    "ceil",
    "celu",
    "chunk",
    "clamp",
    "clamp_max",
    "clamp_min",
    "clear_autocast_cache",
    "clip",
    "clone",
    "column_stack",
    "combinations",
    "compare",
    "compile",
    "concat",
    "concatenate",
    "conv1d",
    "conv2d",
    "conv_transpose1d",
    "conv_transpose2d",
    "copysign",
    "cos",
    "cosh",
    "cosine_similarity",
    "count_nonzero",
    "cross",
    "cuda",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "deg2rad",
    "demo",
    "det",
    "device",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diff",
    "digamma",
    "dist",
    "div",
    "divide",
    "dot",
    "double",
    "draw",
    "dropout",
    "dsplit",
    "dstack",
    "dtype",
    "einsum",
    "embedding",
    "empty",
    "empty_like",
    "enable_grad",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "explore",
    "expm1",
    "eye",
    "finfo",
    "fix",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float",
    "float16",
    "float32",
    "float64",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "from_numpy",
    "full",
    "full_like",
    "func",
    "gather",
    "ge",
    "ger",
    "get_autocast_dtype",
    "get_default_dtype",
    "greater",
    "greater_equal",
    "group_norm",
    "gt",
    "half",
    "hardshrink",
    "heaviside",
    "histc",
    "hsplit",
    "hstack",
    "hypot",
    "iinfo",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_select",
    "inference_mode",
    "initial_seed",
    "inner",
    "instance_norm",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "inverse",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_autocast_cache_enabled",
    "is_autocast_enabled",
    "is_complex",
    "is_floating_point",
    "is_grad_enabled",
    "is_inference",
    "is_inference_mode_enabled",
    "is_nonzero",
    "is_signed",
    "is_tensor",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "kron",
    "kthvalue",
    "layer_norm",
    "le",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "linalg",
    "linspace",
    "load",
    "log",
    "log1p",
    "log2",
    "log10",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logspace",
    "logsumexp",
    "long",
    "lt",
    "make_dot",
    "manual_seed",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "matrix_power",
    "max",
    "max_pool1d",
    "max_pool2d",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "mm",
    "mode",
    "moveaxis",
    "movedim",
    "msort",
    "mul",
    "multinomial",
    "multiply",
    "mv",
    "nan_to_num",
    "nanmean",
    "nanmedian",
    "nansum",
    "narrow",
    "ne",
    "neg",
    "negative",
    "nn",
    "no_grad",
    "nonzero",
    "norm",
    "normal",
    "not_equal",
    "numel",
    "ones",
    "ones_like",
    "optim",
    "outer",
    "pairwise_distance",
    "permute",
    "poisson",
    "polygamma",
    "positive",
    "pow",
    "prelu",
    "prod",
    "promote_types",
    "put",
    "rad2deg",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "ravel",
    "reciprocal",
    "record",
    "relu",
    "relu_",
    "remainder",
    "repeat_interleave",
    "reshape",
    "result_type",
    "rms_norm",
    "roll",
    "rot90",
    "round",
    "row_stack",
    "rrelu",
    "rsqrt",
    "rsub",
    "save",
    "scalar_tensor",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "seed",
    "select",
    "selu",
    "set_anomaly_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
    "set_default_dtype",
    "set_grad_enabled",
    "set_printoptions",
    "sgn",
    "short",
    "show",
    "sigmoid",
    "sign",
    "signbit",
    "sin",
    "sinc",
    "sinh",
    "slogdet",
    "softmax",
    "sort",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "std_mean",
    "strided",
    "sub",
    "subtract",
    "sum",
    "swapaxes",
    "swapdims",
    "t",
    "take",
    "take_along_dim",
    "tan",
    "tanh",
    "tensor",
    "tensor_split",
    "tensordot",
    "threshold",
    "tile",
    "topk",
    "trace",
    "transpose",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "uint8",
    "unbind",
    "unflatten",
    "unique",
    "unique_consecutive",
    "unsqueeze",
    "utils",
    "var",
    "var_mean",
    "vdot",
    "vsplit",
    "vstack",
    "where",
    "xlogy",
    "zeros",
    "zeros_like",
]
