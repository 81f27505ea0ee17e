"""`InPlaceMethods`: the ops that write to a tensor, as methods. What each does is in ops/."""

from __future__ import annotations

from autograd_lab.engine.ops.activation import sigmoids
from autograd_lab.engine.ops.ground.older_order import in_older_order
from autograd_lab.engine.ops.ground.writing import binary, unary
from autograd_lab.engine.ops.index import indexing, reducing
from autograd_lab.engine.ops.inplace import comparing as answers
from autograd_lab.engine.ops.inplace import elements, filling, pointwise
from autograd_lab.engine.ops.inplace import matrices as products
from autograd_lab.engine.ops.pointwise import (
    bessel,
    blending,
    division,
    elementary,
    exponents,
    gamma_functions,
    rounding,
    special,
    trigonometry,
)
from autograd_lab.engine.ops.reduction import norms
from autograd_lab.engine.ops.shape import reshaping
from autograd_lab.engine.tensor import random
from autograd_lab.engine.tensor.former import FormerMethods
from autograd_lab.engine.tensor.memory_methods import MemoryMethods
from autograd_lab.engine.tensor.methods import Methods


class InPlaceMethods(MemoryMethods, FormerMethods, Methods):
    """A tensor with all ops, also those that write to it."""

    __slots__ = ()

    add_ = pointwise.add_
    polygamma_ = pointwise.polygamma_
    mvlgamma_ = pointwise.mvlgamma_
    float_power_ = pointwise.float_power_
    sub_ = subtract_ = pointwise.sub_
    mul_ = multiply_ = pointwise.mul_
    div_ = divide_ = pointwise.div_
    true_divide_ = pointwise.true_divide_
    pow_ = pointwise.pow_
    square_ = pointwise.square_
    remainder_ = binary(division.RemainderBackward1, division.RemainderBackward0)
    fmod_ = binary(division.FmodBackward1, division.FmodBackward0)
    floor_divide_ = binary(division.FloorDivided, division.FloorDividedByNumber)
    heaviside_ = blending.heaviside_
    lerp_ = pointwise.lerp_
    addcmul_ = in_older_order(pointwise.addcmul_)
    addcdiv_ = in_older_order(pointwise.addcdiv_)
    addmm_ = in_older_order(products.addmm_)
    addmv_ = in_older_order(products.addmv_)
    addr_ = in_older_order(products.addr_)
    baddbmm_ = in_older_order(products.baddbmm_)
    addbmm_ = in_older_order(products.addbmm_)
    copysign_ = binary(blending.CopysignBackward0, blending.CopysignBackward1)
    nan_to_num_ = pointwise.nan_to_num_
    ldexp_ = binary(exponents.LdexpBackward0, numbers=False)
    igamma_ = binary(gamma_functions.IgammaBackward0, numbers=False)
    igammac_ = binary(gamma_functions.IgammacBackward0, numbers=False)
    xlogy_ = binary(special.XlogyBackward0, special.XlogyBackward2)

    zero_ = unary(filling.ZeroBackward0)
    fill_ = filling.fill_
    copy_ = filling.copy_
    detach_ = filling.detach_
    clamp_ = clip_ = pointwise.clamp_
    clamp_min_ = pointwise.clamp_min_
    clamp_max_ = pointwise.clamp_max_
    masked_fill_ = pointwise.masked_fill_
    masked_scatter_ = elements.masked_scatter_
    fill_diagonal_ = filling.fill_diagonal_
    tril_ = elements.tril_
    triu_ = elements.triu_
    cumsum_ = elements.cumsum_
    cumprod_ = elements.cumprod_
    scatter_ = elements.scatter_
    scatter_add_ = elements.scatter_add_
    scatter_reduce_ = elements.scatter_reduce_
    index_add_ = elements.index_add_
    index_reduce_ = reducing.index_reduce_
    renorm_ = norms.renorm_
    i0_ = unary(bessel.I0Backward0)
    nextafter_ = binary(rounding.NextafterBackward0, numbers=False)
    index_copy_ = elements.index_copy_
    index_fill_ = elements.index_fill_
    index_put_ = indexing.index_put_
    put_ = elements.put_

    abs_ = absolute_ = unary(elementary.AbsBackward0)
    acos_ = arccos_ = unary(trigonometry.AcosBackward0)
    acosh_ = arccosh_ = unary(trigonometry.AcoshBackward0)
    asin_ = arcsin_ = unary(trigonometry.AsinBackward0)
    asinh_ = arcsinh_ = unary(trigonometry.AsinhBackward0)
    atan_ = arctan_ = unary(trigonometry.AtanBackward0)
    atan2_ = arctan2_ = binary(trigonometry.Atan2Backward0, numbers=False)
    atanh_ = arctanh_ = unary(trigonometry.AtanhBackward0)
    ceil_ = unary(rounding.CeilBackward0)
    conj_physical_ = unary(rounding.ConjPhysicalBackward1)
    cos_ = unary(trigonometry.CosBackward0)
    cosh_ = unary(trigonometry.CoshBackward0)
    deg2rad_ = unary(trigonometry.Deg2RadBackward0)
    digamma_ = unary(special.DigammaBackward0)
    erf_ = unary(special.ErfBackward0)
    erfc_ = unary(special.ErfcBackward0)
    erfinv_ = unary(special.ErfinvBackward0)
    exp_ = unary(elementary.ExpBackward0)
    exp2_ = unary(special.Exp2Backward0)
    expm1_ = unary(elementary.Expm1Backward0)
    floor_ = unary(rounding.FloorBackward0)
    frac_ = unary(rounding.FracBackward0)
    hypot_ = binary(trigonometry.HypotBackward0, numbers=False)
    lgamma_ = unary(special.LgammaBackward0)
    log_ = unary(elementary.LogBackward0)
    log10_ = unary(elementary.Log10Backward0)
    log1p_ = unary(elementary.Log1PBackward0)
    log2_ = unary(elementary.Log2Backward0)
    logit_ = pointwise.logit_
    neg_ = negative_ = unary(elementary.NegBackward0)
    rad2deg_ = unary(trigonometry.Rad2DegBackward0)
    reciprocal_ = unary(elementary.ReciprocalBackward0)
    relu_ = pointwise.relu_
    round_ = pointwise.round_
    rsqrt_ = unary(elementary.RsqrtBackward0)
    sgn_ = unary(rounding.SgnBackward0)
    sigmoid_ = unary(sigmoids.SigmoidBackward0)
    sign_ = unary(rounding.SignBackward0)
    sin_ = unary(trigonometry.SinBackward0)
    sinc_ = unary(trigonometry.SincBackward0)
    sinh_ = unary(trigonometry.SinhBackward0)
    sqrt_ = unary(elementary.SqrtBackward0)
    tan_ = unary(trigonometry.TanBackward0)
    tanh_ = unary(sigmoids.TanhBackward0)
    trunc_ = fix_ = unary(rounding.TruncBackward0)

    eq_ = answers.eq_
    ne_ = not_equal_ = answers.ne_
    lt_ = less_ = answers.lt_
    le_ = less_equal_ = answers.le_
    gt_ = greater_ = answers.gt_
    ge_ = greater_equal_ = answers.ge_
    logical_and_ = answers.logical_and_
    logical_or_ = answers.logical_or_
    logical_xor_ = answers.logical_xor_
    logical_not_ = answers.logical_not_
    bitwise_and_ = answers.bitwise_and_
    bitwise_or_ = answers.bitwise_or_
    bitwise_xor_ = answers.bitwise_xor_
    bitwise_left_shift_ = answers.bitwise_left_shift_
    bitwise_right_shift_ = answers.bitwise_right_shift_
    bitwise_not_ = answers.bitwise_not_
    gcd_ = answers.gcd_
    lcm_ = answers.lcm_

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
    geometric_ = random.geometric_
    cauchy_ = random.cauchy_
    log_normal_ = random.log_normal_

    __iadd__ = add_
    __isub__ = sub_
    __imul__ = mul_
    __itruediv__ = div_
    __ipow__ = pow_
    __imod__ = remainder_
    __ifloordiv__ = floor_divide_
    __iand__ = bitwise_and_
    __ior__ = bitwise_or_
    __ixor__ = bitwise_xor_
    __ilshift__ = bitwise_left_shift_
    __irshift__ = bitwise_right_shift_
