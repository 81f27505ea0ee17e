"""`InPlaceMethods`: the ops that write to a tensor, as methods. What each does is in ops/."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autograd_lab.engine.methods import Methods
from autograd_lab.engine.ops import chance, indexing, inplace, reshaping, writing

if TYPE_CHECKING:
    from autograd_lab.engine.tensor import Tensor


class InPlaceMethods(Methods):
    """A tensor with all ops, also those that write to it."""

    __slots__ = ()

    add_ = inplace.add_
    sub_ = subtract_ = inplace.sub_
    mul_ = multiply_ = inplace.mul_
    div_ = divide_ = inplace.div_
    true_divide_ = writing.true_divide_
    pow_ = inplace.pow_
    square_ = inplace.square_
    remainder_ = writing.remainder_
    fmod_ = writing.fmod_
    floor_divide_ = writing.floor_divide_
    lerp_ = writing.lerp_
    addcmul_ = writing.addcmul_
    addcdiv_ = writing.addcdiv_
    addmm_ = writing.addmm_
    addmv_ = writing.addmv_
    addr_ = writing.addr_
    baddbmm_ = writing.baddbmm_
    addbmm_ = writing.addbmm_
    copysign_ = writing.copysign_
    nan_to_num_ = writing.nan_to_num_
    xlogy_ = writing.xlogy_

    zero_ = inplace.zero_
    fill_ = indexing.fill_
    copy_ = inplace.copy_
    detach_ = inplace.detach_
    clamp_ = clip_ = inplace.clamp_
    clamp_min_ = writing.clamp_min_
    clamp_max_ = writing.clamp_max_
    masked_fill_ = inplace.masked_fill_
    masked_scatter_ = writing.masked_scatter_
    fill_diagonal_ = writing.fill_diagonal_
    tril_ = writing.tril_
    triu_ = writing.triu_
    cumsum_ = writing.cumsum_
    cumprod_ = writing.cumprod_
    scatter_ = writing.scatter_
    scatter_add_ = writing.scatter_add_
    scatter_reduce_ = writing.scatter_reduce_
    index_add_ = writing.index_add_
    index_copy_ = writing.index_copy_
    index_fill_ = writing.index_fill_
    index_put_ = indexing.index_put_
    put_ = writing.put_

    abs_ = absolute_ = inplace.abs_
    acos_ = arccos_ = writing.acos_
    acosh_ = arccosh_ = writing.acosh_
    asin_ = arcsin_ = writing.asin_
    asinh_ = arcsinh_ = writing.asinh_
    atan_ = arctan_ = writing.atan_
    atan2_ = arctan2_ = writing.atan2_
    atanh_ = arctanh_ = writing.atanh_
    ceil_ = inplace.ceil_
    cos_ = inplace.cos_
    cosh_ = writing.cosh_
    deg2rad_ = writing.deg2rad_
    digamma_ = writing.digamma_
    erf_ = writing.erf_
    erfc_ = writing.erfc_
    erfinv_ = writing.erfinv_
    exp_ = inplace.exp_
    exp2_ = writing.exp2_
    expm1_ = writing.expm1_
    floor_ = inplace.floor_
    frac_ = writing.frac_
    hypot_ = writing.hypot_
    lgamma_ = writing.lgamma_
    log_ = inplace.log_
    log10_ = writing.log10_
    log1p_ = writing.log1p_
    log2_ = writing.log2_
    logit_ = writing.logit_
    neg_ = negative_ = inplace.neg_
    rad2deg_ = writing.rad2deg_
    reciprocal_ = inplace.reciprocal_
    relu_ = inplace.relu_
    round_ = inplace.round_
    rsqrt_ = inplace.rsqrt_
    sgn_ = writing.sgn_
    sigmoid_ = inplace.sigmoid_
    sign_ = writing.sign_
    sin_ = inplace.sin_
    sinc_ = writing.sinc_
    sinh_ = writing.sinh_
    sqrt_ = inplace.sqrt_
    tan_ = writing.tan_
    tanh_ = inplace.tanh_
    trunc_ = fix_ = writing.trunc_

    eq_ = writing.eq_
    ne_ = not_equal_ = writing.ne_
    lt_ = less_ = writing.lt_
    le_ = less_equal_ = writing.le_
    gt_ = greater_ = writing.gt_
    ge_ = greater_equal_ = writing.ge_
    logical_and_ = writing.logical_and_
    logical_or_ = writing.logical_or_
    logical_xor_ = writing.logical_xor_
    logical_not_ = writing.logical_not_
    bitwise_and_ = writing.bitwise_and_
    bitwise_or_ = writing.bitwise_or_
    bitwise_xor_ = writing.bitwise_xor_
    bitwise_left_shift_ = writing.bitwise_left_shift_
    bitwise_right_shift_ = writing.bitwise_right_shift_
    bitwise_not_ = writing.bitwise_not_

    t_ = reshaping.t_
    transpose_ = swapaxes_ = swapdims_ = reshaping.transpose_
    unsqueeze_ = reshaping.unsqueeze_
    squeeze_ = reshaping.squeeze_
    as_strided_ = reshaping.as_strided_
    resize_ = reshaping.resize_

    uniform_ = chance.uniform_
    normal_ = chance.normal_
    random_ = chance.random_
    bernoulli_ = chance.bernoulli_
    exponential_ = chance.exponential_

    def __iadd__(self, other: Any) -> Tensor:
        return inplace.add_(self, other)  # type: ignore[arg-type]

    def __isub__(self, other: Any) -> Tensor:
        return inplace.sub_(self, other)  # type: ignore[arg-type]

    def __imul__(self, other: Any) -> Tensor:
        return inplace.mul_(self, other)  # type: ignore[arg-type]

    def __itruediv__(self, other: Any) -> Tensor:
        return inplace.div_(self, other)  # type: ignore[arg-type]

    __ipow__ = inplace.pow_
    __imod__ = writing.remainder_
    __ifloordiv__ = writing.floor_divide_
    __iand__ = writing.bitwise_and_
    __ior__ = writing.bitwise_or_
    __ixor__ = writing.bitwise_xor_
    __ilshift__ = writing.bitwise_left_shift_
    __irshift__ = writing.bitwise_right_shift_
