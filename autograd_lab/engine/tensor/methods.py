"""`Methods`: the ops that make new tensors, as methods. What each does is in ops/."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autograd_lab.engine.ops.activation import piecewise, probabilities, rectifiers, sigmoids
from autograd_lab.engine.ops.ground import copying
from autograd_lab.engine.ops.ground.older_order import in_older_order
from autograd_lab.engine.ops.index import gathering, indexing, interleaving, reducing, scattering, slices
from autograd_lab.engine.ops.matrix import (
    chains,
    contraction,
    covariance,
    decompositions,
    determinants,
    functions,
    linalg,
    matrix_sizes,
    products,
    reflectors,
    systems,
)
from autograd_lab.engine.ops.matrix import (
    lu as triangles,
)
from autograd_lab.engine.ops.pointwise import (
    arithmetic,
    bessel,
    blending,
    bounds,
    comparison,
    division,
    elementary,
    exponentiation,
    exponents,
    gamma_functions,
    logic,
    rounding,
    selection,
    special,
    trigonometry,
)
from autograd_lab.engine.ops.reduction import (
    counting,
    cumulative,
    extremes,
    norms,
    quantiles,
    sorting,
    statistics,
    sums,
)
from autograd_lab.engine.ops.shape import arranging, diagonals, joining, repeating, replacing, slicing, stacking, views
from autograd_lab.engine.tensor import random
from autograd_lab.engine.tensor.state import TensorState

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor


class Methods(TensorState):
    """A tensor with all ops that leave it as it is."""

    __slots__ = ()

    # --- arithmetic ------------------------------------------------------------------------------------------------

    add = arithmetic.add
    sub = subtract = arithmetic.sub
    mul = multiply = arithmetic.mul
    div = divide = division.div
    true_divide = division.true_divide
    pow = exponentiation.pow
    square = exponentiation.square
    float_power = exponentiation.float_power
    remainder = division.remainder
    fmod = division.fmod
    gcd = division.gcd
    lcm = division.lcm
    floor_divide = division.floor_divide
    lerp = blending.lerp
    addcmul = in_older_order(blending.addcmul)
    addcdiv = in_older_order(blending.addcdiv)
    ldexp = exponents.ldexp
    frexp = exponents.frexp
    copysign = blending.copysign
    nextafter = rounding.nextafter
    nan_to_num = blending.nan_to_num
    heaviside = blending.heaviside

    # --- element by element ----------------------------------------------------------------------------------------

    neg = negative = elementary.neg
    positive = arithmetic.positive
    angle = rounding.angle
    abs = absolute = elementary.abs
    sgn = rounding.sgn
    sign = rounding.sign
    floor = rounding.floor
    ceil = rounding.ceil
    round = rounding.round
    trunc = fix = rounding.trunc
    frac = rounding.frac
    exp = elementary.exp
    exp2 = special.exp2
    expm1 = elementary.expm1
    log = elementary.log
    log2 = elementary.log2
    log10 = elementary.log10
    log1p = elementary.log1p
    logaddexp = special.logaddexp
    logaddexp2 = special.logaddexp2
    xlogy = special.xlogy
    sqrt = elementary.sqrt
    rsqrt = elementary.rsqrt
    reciprocal = elementary.reciprocal
    sin = trigonometry.sin
    cos = trigonometry.cos
    tan = trigonometry.tan
    asin = arcsin = trigonometry.asin
    acos = arccos = trigonometry.acos
    atan = arctan = trigonometry.atan
    atan2 = arctan2 = trigonometry.atan2
    sinh = trigonometry.sinh
    cosh = trigonometry.cosh
    asinh = arcsinh = trigonometry.asinh
    acosh = arccosh = trigonometry.acosh
    atanh = arctanh = trigonometry.atanh
    hypot = trigonometry.hypot
    deg2rad = trigonometry.deg2rad
    rad2deg = trigonometry.rad2deg
    sinc = trigonometry.sinc
    erf = special.erf
    erfc = special.erfc
    erfinv = special.erfinv
    lgamma = special.lgamma
    digamma = special.digamma
    i0 = bessel.i0
    mvlgamma = gamma_functions.mvlgamma
    igamma = gamma_functions.igamma
    igammac = gamma_functions.igammac

    def polygamma(self, n: int) -> Tensor:
        """The derivative number `n` of digamma."""
        return special.polygamma(n, self)  # type: ignore[arg-type]  # whoever has this method is a Tensor

    logit = special.logit
    tanh = sigmoids.tanh
    sigmoid = sigmoids.sigmoid
    relu = rectifiers.relu
    hardshrink = piecewise.hardshrink
    prelu = rectifiers.prelu
    softmax = probabilities.softmax
    log_softmax = probabilities.log_softmax

    # --- comparisons, truth values and bits ------------------------------------------------------------------------

    eq = comparison.eq
    ne = not_equal = comparison.ne
    lt = less = comparison.lt
    le = less_equal = comparison.le
    gt = greater = comparison.gt
    ge = greater_equal = comparison.ge
    equal = comparison.equal
    isclose = comparison.isclose
    allclose = comparison.allclose
    isnan = comparison.isnan
    isinf = comparison.isinf
    isfinite = comparison.isfinite
    isposinf = comparison.isposinf
    isneginf = comparison.isneginf
    isreal = comparison.isreal
    is_complex = comparison.is_complex
    is_signed = comparison.is_signed
    is_nonzero = comparison.is_nonzero
    signbit = comparison.signbit
    logical_and = logic.logical_and
    logical_or = logic.logical_or
    logical_xor = logic.logical_xor
    logical_not = logic.logical_not
    bitwise_and = logic.bitwise_and
    bitwise_or = logic.bitwise_or
    bitwise_xor = logic.bitwise_xor
    bitwise_not = logic.bitwise_not
    bitwise_left_shift = logic.bitwise_left_shift
    bitwise_right_shift = logic.bitwise_right_shift
    all = logic.all
    any = logic.any
    count_nonzero = logic.count_nonzero

    # --- choices and order -----------------------------------------------------------------------------------------

    maximum = selection.maximum
    minimum = selection.minimum
    fmax = bounds.fmax
    fmin = bounds.fmin
    clamp = clip = selection.clamp
    clamp_min = selection.clamp_min
    clamp_max = selection.clamp_max
    masked_fill = selection.masked_fill
    max = extremes.max
    min = extremes.min
    amax = extremes.amax
    amin = extremes.amin
    aminmax = extremes.aminmax
    argmax = sorting.argmax
    argmin = sorting.argmin
    sort = sorting.sort
    argsort = sorting.argsort
    msort = sorting.msort
    topk = sorting.topk
    kthvalue = sorting.kthvalue
    median = sorting.median
    nanmedian = sorting.nanmedian
    mode = sorting.mode
    quantile = quantiles.quantile
    nanquantile = quantiles.nanquantile
    unique = sorting.unique
    unique_consecutive = sorting.unique_consecutive

    # --- reductions and products -----------------------------------------------------------------------------------

    sum = sums.sum
    mean = sums.mean
    nansum = statistics.nansum
    nanmean = statistics.nanmean
    prod = statistics.prod
    var = statistics.var
    std = statistics.std
    logsumexp = statistics.logsumexp
    norm = matrix_sizes.norm
    dist = norms.dist
    renorm = norms.renorm
    cumsum = cumulative.cumsum
    cumprod = cumulative.cumprod
    cummax = cumulative.cummax
    cummin = cumulative.cummin
    logcumsumexp = cumulative.logcumsumexp
    diff = cumulative.diff
    bincount = counting.bincount
    histc = counting.histc
    histogram = counting.histogram
    cov = covariance.cov
    corrcoef = covariance.corrcoef
    trace = determinants.trace
    matmul = products.matmul
    mm = products.mm
    mv = products.mv
    dot = products.dot
    bmm = products.bmm
    addmm = in_older_order(products.addmm)
    outer = ger = products.outer
    baddbmm = in_older_order(contraction.baddbmm)
    addbmm = in_older_order(contraction.addbmm)
    addmv = in_older_order(contraction.addmv)
    addr = in_older_order(contraction.addr)
    vdot = contraction.vdot
    inner = contraction.inner
    kron = contraction.kron
    cross = contraction.cross
    cholesky_solve = systems.cholesky_solve
    cholesky_inverse = triangles.cholesky_inverse
    lu = triangles.lu_of
    lu_solve = triangles.lu_solve
    geqrf = reflectors.geqrf
    orgqr = reflectors.orgqr
    ormqr = reflectors.ormqr
    triangular_solve = chains.triangular_solve
    det = determinants.det
    slogdet = determinants.slogdet
    logdet = determinants.logdet
    inverse = linalg.inv
    matrix_power = linalg.matrix_power
    svd = decompositions.svd
    qr = decompositions.qr
    pinverse = functions.pinverse
    matrix_exp = functions.matrix_exp
    cholesky = functions.cholesky

    # --- shapes and parts ------------------------------------------------------------------------------------------

    view = views.view
    view_as = views.view_as
    reshape = views.reshape
    reshape_as = views.reshape_as
    flatten = views.flatten
    unflatten = stacking.unflatten
    ravel = views.ravel
    t = views.t
    transpose = swapdims = views.transpose
    swapaxes = views.swapaxes
    adjoint = stacking.adjoint
    permute = views.permute
    movedim = moveaxis = stacking.movedim
    expand = broadcast_to = views.expand
    expand_as = views.expand_as
    unsqueeze = views.unsqueeze
    squeeze = views.squeeze
    sum_to_size = stacking.sum_to_size
    contiguous = views.contiguous
    as_strided = views.as_strided
    clone = copying.clone
    select = slicing.select
    narrow = slicing.narrow
    unbind = joining.unbind
    narrow_copy = slicing.narrow_copy
    unsafe_chunk = joining.unsafe_chunk
    unsafe_split = joining.unsafe_split
    unsafe_split_with_sizes = joining.unsafe_split_with_sizes
    split = split_with_sizes = joining.split
    chunk = joining.chunk
    tensor_split = stacking.tensor_split
    hsplit = stacking.hsplit
    vsplit = stacking.vsplit
    dsplit = stacking.dsplit

    # --- elements elsewhere ----------------------------------------------------------------------------------------

    gather = gathering.gather
    take = gathering.take
    take_along_dim = gathering.take_along_dim
    index_select = gathering.index_select
    masked_select = gathering.masked_select
    nonzero = gathering.nonzero
    nonzero_static = gathering.nonzero_static
    argwhere = gathering.argwhere
    scatter = scattering.scatter
    scatter_add = scattering.scatter_add
    scatter_reduce = scattering.scatter_reduce
    index_add = slices.index_add
    index_reduce = reducing.index_reduce
    index_copy = slices.index_copy
    index_fill = slices.index_fill
    index_put = indexing.index_put
    put = slices.put
    masked_scatter = slices.masked_scatter
    flip = arranging.flip
    fliplr = arranging.fliplr
    flipud = arranging.flipud
    roll = arranging.roll
    rot90 = arranging.rot90
    tril = diagonals.tril
    triu = diagonals.triu
    diagonal = diagonals.diagonal
    as_strided_scatter = replacing.as_strided_scatter
    diagonal_scatter = replacing.diagonal_scatter
    select_scatter = replacing.select_scatter
    slice_scatter = replacing.slice_scatter
    diag = diagonals.diag
    diag_embed = diagonals.diag_embed
    diagflat = diagonals.diagflat
    unfold = arranging.unfold
    repeat = repeating.repeat
    repeat_interleave = interleaving.repeat_interleave
    tile = repeating.tile
    bernoulli = random.bernoulli
    multinomial = random.multinomial


BY_AXIS = (
    "all aminmax any argsort chunk count_nonzero cumprod_ cumsum_ gather index_add index_add_ index_copy index_copy_ "
    "index_fill index_fill_ index_select kthvalue log_softmax median mode nanmedian narrow renorm renorm_ scatter "
    "scatter_ scatter_add scatter_add_ select softmax sort squeeze squeeze_ tensor_split topk unbind unsqueeze "
    "unsqueeze_"
)
"""Methods that take an `axis`, as numpy says, for a `dim`, beside those whose functions do so."""
