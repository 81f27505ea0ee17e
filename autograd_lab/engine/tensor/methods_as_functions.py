"""Methods and layers that are functions of `torch`, too, many of them in place as `torch.sin_(x)`; and a few more."""

from __future__ import annotations

from functools import partial
from typing import Any

from autograd_lab.engine.ops.activation import elus, rectifiers
from autograd_lab.engine.ops.ground import symbols
from autograd_lab.engine.ops.index.copies import COPIES
from autograd_lab.engine.ops.inplace import filling
from autograd_lab.engine.ops.layer import dropout, native
from autograd_lab.engine.ops.layer.bilinear import bilinear
from autograd_lab.engine.ops.layer.padding import constant_pad
from autograd_lab.engine.ops.layer.shuffling import channel_shuffle, pixel_shuffle, pixel_unshuffle
from autograd_lab.engine.ops.loss import by_number
from autograd_lab.engine.ops.matrix.chains import chain_matmul, triangular_solve, vander
from autograd_lab.engine.ops.matrix.lu import lu, lu_unpack
from autograd_lab.engine.ops.matrix.reflectors import geqrf as geqrf
from autograd_lab.engine.ops.matrix.reflectors import orgqr as orgqr
from autograd_lab.engine.ops.matrix.reflectors import ormqr as ormqr
from autograd_lab.engine.tensor import mapped, strided, window_functions
from autograd_lab.engine.tensor.tensor import Tensor

NAMES = """
as_strided_scatter cholesky_inverse cholesky_solve corrcoef cov detach diagonal_scatter frexp
get_device histogram i0 igamma igammac index_reduce is_distributed is_same_size ldexp lu_solve mvlgamma
nanquantile narrow_copy nextafter quantile renorm select_scatter slice_scatter split_with_sizes
unsafe_chunk unsafe_split unsafe_split_with_sizes abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_
arctanh_ as_strided_ asin_ asinh_ atan_ atanh_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ conj_physical_ cos_ cosh_
deg2rad_ detach_ erf_ erfc_ exp2_ exp_ expm1_ fill_ fix_ floor_ frac_ gcd_ i0_ index_put_ lcm_ ldexp_ log10_ log1p_
log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_ relu_ resize_as_ round_ rsqrt_ sigmoid_ sin_ sinc_
sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_ zero_
"""

STRIDED: Any = (strided.empty_permuted, strided.empty_strided, mapped.from_file)
PLAIN = (filling.fill, dropout.feature_alpha_dropout, dropout.feature_dropout, dropout.feature_dropout_)
LAYERS = (bilinear, channel_shuffle, pixel_shuffle, pixel_unshuffle)
WINDOWS = (
    window_functions.bartlett_window,
    window_functions.blackman_window,
    window_functions.hamming_window,
    window_functions.hann_window,
    window_functions.kaiser_window,
)
unravel_index = window_functions.unravel_index
INPLACE: dict[str, Any] = {
    "celu_": elus.celu,
    "rrelu_": rectifiers.rrelu,
    "selu_": elus.selu,
    "threshold_": rectifiers.threshold,
}
NOT_COMPLEX = ("conj", "conj_physical", "is_conj", "is_neg", "real", "resolve_conj", "resolve_neg")
DROPOUTS = ("dropout_", "alpha_dropout_", "feature_alpha_dropout_")
OTHERS = (chain_matmul, lu, lu_unpack, triangular_solve, unravel_index, vander, *WINDOWS, *PLAIN, *STRIDED)
MORE = (
    *by_number.__all__,
    *INPLACE,
    *DROPOUTS,
    "constant_pad_nd",
    "geqrf",
    "imag",
    "orgqr",
    "ormqr",
    *NOT_COMPLEX,
    *native.__all__,
    *COPIES,
    *symbols.__all__,
)
__all__ = [*NAMES.split(), *(each.__name__ for each in (*LAYERS, *OTHERS)), *MORE]
globals().update({each.__name__: each for each in (*WINDOWS, *PLAIN, *STRIDED)})
globals().update({name: getattr(by_number, name) for name in by_number.__all__})
globals().update(COPIES)
globals().update({name: getattr(symbols, name) for name in symbols.__all__})
globals().update({name: getattr(native, name) for name in native.__all__})
globals().update({name: partial(function, inplace=True) for name, function in INPLACE.items()})
globals().update({name: partial(getattr(dropout, name[:-1]), inplace=True) for name in DROPOUTS})
for _written in (*INPLACE, *DROPOUTS):
    vars(globals()[_written])["__name__"] = _written  # what wrappers of whatever is there ask for
globals().update({name: getattr(Tensor, name) for name in NAMES.split()})


def constant_pad_nd(input: Tensor, pad: Any, value: float = 0) -> Tensor:
    """A margin of `value` around the last dimensions."""
    return constant_pad(input, tuple(pad), value)


def imag(input: Tensor) -> Tensor:
    """Always an error: no tensor here is complex."""
    return input.imag


def real(input: Tensor) -> Tensor:
    """The tensor itself: no tensor here is complex."""
    return input


conj = conj_physical = resolve_conj = resolve_neg = real


def is_conj(input: Tensor) -> bool:
    """False: no tensor here is complex."""
    return False


is_neg = is_conj
