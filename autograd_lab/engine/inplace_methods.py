"""`InPlaceMethods`: the ops that write to a tensor, as methods. What each does is in ops/."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograd_lab.engine.methods import Methods
from autograd_lab.engine.ops import random
from autograd_lab.engine.ops.index import indexing
from autograd_lab.engine.ops.inplace import more, reshaping, writing

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor


class InPlaceMethods(Methods):
    """A tensor with all ops, also those that write to it."""

    __slots__ = ()

    add_ = writing.add_
    sub_ = subtract_ = writing.sub_
    mul_ = multiply_ = writing.mul_
    div_ = divide_ = writing.div_
    true_divide_ = more.true_divide_
    pow_ = writing.pow_
    square_ = writing.square_
    remainder_ = more.remainder_
    fmod_ = more.fmod_
    floor_divide_ = more.floor_divide_
    lerp_ = more.lerp_
    addcmul_ = more.addcmul_
    addcdiv_ = more.addcdiv_
    addmm_ = more.addmm_
    addmv_ = more.addmv_
    addr_ = more.addr_
    baddbmm_ = more.baddbmm_
    addbmm_ = more.addbmm_
    copysign_ = more.copysign_
    nan_to_num_ = more.nan_to_num_
    xlogy_ = more.xlogy_

    zero_ = writing.zero_
    fill_ = indexing.fill_
    copy_ = writing.copy_
    detach_ = writing.detach_
    clamp_ = clip_ = writing.clamp_
    clamp_min_ = more.clamp_min_
    clamp_max_ = more.clamp_max_
    masked_fill_ = writing.masked_fill_
    masked_scatter_ = more.masked_scatter_
    fill_diagonal_ = more.fill_diagonal_
    tril_ = more.tril_
    triu_ = more.triu_
    cumsum_ = more.cumsum_
    cumprod_ = more.cumprod_
    scatter_ = more.scatter_
    scatter_add_ = more.scatter_add_
    scatter_reduce_ = more.scatter_reduce_
    index_add_ = more.index_add_
    index_copy_ = more.index_copy_
    index_fill_ = more.index_fill_
    index_put_ = indexing.index_put_
    put_ = more.put_

    abs_ = absolute_ = writing.abs_
    acos_ = arccos_ = more.acos_
    acosh_ = arccosh_ = more.acosh_
    asin_ = arcsin_ = more.asin_
    asinh_ = arcsinh_ = more.asinh_
    atan_ = arctan_ = more.atan_
    atan2_ = arctan2_ = more.atan2_
    atanh_ = arctanh_ = more.atanh_
    ceil_ = writing.ceil_
    cos_ = writing.cos_
    cosh_ = more.cosh_
    deg2rad_ = more.deg2rad_
    digamma_ = more.digamma_
    erf_ = more.erf_
    erfc_ = more.erfc_
    erfinv_ = more.erfinv_
    exp_ = writing.exp_
    exp2_ = more.exp2_
    expm1_ = more.expm1_
    floor_ = writing.floor_
    frac_ = more.frac_
    hypot_ = more.hypot_
    lgamma_ = more.lgamma_
    log_ = writing.log_
    log10_ = more.log10_
    log1p_ = more.log1p_
    log2_ = more.log2_
    logit_ = more.logit_
    neg_ = negative_ = writing.neg_
    rad2deg_ = more.rad2deg_
    reciprocal_ = writing.reciprocal_
    relu_ = writing.relu_
    round_ = writing.round_
    rsqrt_ = writing.rsqrt_
    sgn_ = more.sgn_
    sigmoid_ = writing.sigmoid_
    sign_ = more.sign_
    sin_ = writing.sin_
    sinc_ = more.sinc_
    sinh_ = more.sinh_
    sqrt_ = writing.sqrt_
    tan_ = more.tan_
    tanh_ = writing.tanh_
    trunc_ = fix_ = more.trunc_

    eq_ = more.eq_
    ne_ = not_equal_ = more.ne_
    lt_ = less_ = more.lt_
    le_ = less_equal_ = more.le_
    gt_ = greater_ = more.gt_
    ge_ = greater_equal_ = more.ge_
    logical_and_ = more.logical_and_
    logical_or_ = more.logical_or_
    logical_xor_ = more.logical_xor_
    logical_not_ = more.logical_not_
    bitwise_and_ = more.bitwise_and_
    bitwise_or_ = more.bitwise_or_
    bitwise_xor_ = more.bitwise_xor_
    bitwise_left_shift_ = more.bitwise_left_shift_
    bitwise_right_shift_ = more.bitwise_right_shift_
    bitwise_not_ = more.bitwise_not_

    t_ = reshaping.t_
    transpose_ = swapaxes_ = swapdims_ = reshaping.transpose_
    unsqueeze_ = reshaping.unsqueeze_
    squeeze_ = reshaping.squeeze_
    as_strided_ = reshaping.as_strided_
    resize_ = reshaping.resize_

    uniform_ = random.uniform_
    normal_ = random.normal_
    random_ = random.random_
    bernoulli_ = random.bernoulli_
    exponential_ = random.exponential_

    def __iadd__(self, other: Any) -> Tensor:
        return writing.add_(self, other)  # type: ignore[arg-type]

    def __isub__(self, other: Any) -> Tensor:
        return writing.sub_(self, other)  # type: ignore[arg-type]

    def __imul__(self, other: Any) -> Tensor:
        return writing.mul_(self, other)  # type: ignore[arg-type]

    def __itruediv__(self, other: Any) -> Tensor:
        return writing.div_(self, other)  # type: ignore[arg-type]

    __ipow__ = writing.pow_
    __imod__ = more.remainder_
    __ifloordiv__ = more.floor_divide_
    __iand__ = more.bitwise_and_
    __ior__ = more.bitwise_or_
    __ixor__ = more.bitwise_xor_
    __ilshift__ = more.bitwise_left_shift_
    __irshift__ = more.bitwise_right_shift_
