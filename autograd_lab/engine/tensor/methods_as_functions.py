"""Methods and layers that are functions of `torch`, too, many of them in place as `torch.sin_(x)`; and a few more."""

from __future__ import annotations

from autograd_lab.engine.ops.layer.bilinear import bilinear
from autograd_lab.engine.ops.layer.shuffling import channel_shuffle, pixel_shuffle, pixel_unshuffle
from autograd_lab.engine.ops.loss import by_number
from autograd_lab.engine.ops.matrix.chains import chain_matmul, triangular_solve, vander
from autograd_lab.engine.ops.matrix.lu import lu, lu_unpack
from autograd_lab.engine.tensor import window_functions
from autograd_lab.engine.tensor.tensor import Tensor

NAMES = """
cholesky_inverse as_strided_scatter cholesky_solve corrcoef cov detach diagonal_scatter frexp get_device histogram i0
igamma igammac index_reduce is_same_size ldexp lu_solve mvlgamma nanquantile nextafter quantile renorm select_scatter
slice_scatter split_with_sizes abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ as_strided_
asin_ asinh_ atan_ atanh_ ceil_ clamp_ clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ detach_ erf_ erfc_ exp2_ exp_
expm1_ fill_ fix_ floor_ frac_ gcd_ i0_ ldexp_ index_put_ log10_ lcm_ log1p_ log2_ log_ logit_ nan_to_num_ neg_
negative_ rad2deg_ reciprocal_ relu_ resize_as_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_
xlogy_ zero_
"""

LAYERS = (bilinear, channel_shuffle, pixel_shuffle, pixel_unshuffle)
WINDOWS = (
    window_functions.bartlett_window,
    window_functions.blackman_window,
    window_functions.hamming_window,
    window_functions.hann_window,
    window_functions.kaiser_window,
)
unravel_index = window_functions.unravel_index
OTHERS = (chain_matmul, lu, lu_unpack, triangular_solve, unravel_index, vander, *WINDOWS)
__all__ = [*NAMES.split(), *(each.__name__ for each in (*LAYERS, *OTHERS)), *by_number.__all__]
globals().update({each.__name__: each for each in WINDOWS})
globals().update({name: getattr(by_number, name) for name in by_number.__all__})
globals().update({name: getattr(Tensor, name) for name in NAMES.split()})
