"""Functions that can write into a tensor given as `out`, as in `torch.add(x, y, out=z)`."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, TypeVar, cast

from autograd_lab import listening
from autograd_lab.engine.core.variable import Variable, wrote
from autograd_lab.engine.errors.functionals import misuse, steps
from autograd_lab.engine.errors.operands import type_name, warn_of_resized
from autograd_lab.engine.errors.signatures import refusal, signatures_of
from autograd_lab.engine.exact import levels
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.modes.pickled_functions import keep
from autograd_lab.engine.numbers.device import check_layout
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground.dims import NUMPY_NAMES, in_our_names, numpy_names
from autograd_lab.engine.ops.ground.older_order import TENSORS, in_older_order
from autograd_lab.engine.ops.ground.overlap import APART, INTO_A_COPY, check_output
from autograd_lab.engine.ops.ground.writing import check_cast
from autograd_lab.engine.ops.shape.reshaping import in_shape
from autograd_lab.engine.tensor.overriding import rescued
from autograd_lab.whose import users_level

NAMES = """
abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr all amax amin aminmax angle any arange arccos
arccosh arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort asin asinh atan atan2 atanh baddbmm bernoulli
bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bmm bucketize cat ceil cholesky
cholesky_inverse cholesky_solve clamp clamp_max clamp_min clip column_stack concat concatenate conj_physical
constant_pad_nd copysign cos cosh cross cummax cummin cumprod cumsum deg2rad diag diff digamma div divide dot dstack
empty eq erf erfc erfinv exp exp2 expm1 eye fill fix float_power floor floor_divide fmax fmin fmod frac frexp full
gather gcd ge ger greater greater_equal gt heaviside histc histogram hstack hypot i0 igamma igammac index_add index_copy
index_reduce index_select inner inverse isin isneginf isposinf kron kthvalue lcm ldexp le lerp less less_equal lgamma
linspace log log10 log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logical_and logical_not logical_or
logical_xor logit logspace logsumexp lt lu lu_solve lu_unpack masked_select matmul matrix_power max maximum mean median
min minimum mm mode msort mul multinomial multiply mv mvlgamma nan_to_num nanmean nanmedian nanquantile nansum
narrow_copy ne neg negative nextafter nonzero norm normal not_equal ones outer polygamma pow prod qr quantile rad2deg
rand randint randn randperm range reciprocal remainder renorm round row_stack rsqrt scatter scatter_add scatter_reduce
searchsorted sgn sigmoid sign signbit sin sinc sinh slice_scatter softmax sort sqrt square stack std sub subtract sum
svd take take_along_dim tan tanh tensordot topk triangular_solve tril triu true_divide trunc var vdot vstack where xlogy
zeros alias_copy as_strided_copy detach_copy diagonal_copy expand_copy permute_copy select_copy slice_copy squeeze_copy
geqrf orgqr ormqr spmm t_copy transpose_copy unfold_copy unsqueeze_copy view_copy
"""
"""The functions of PyTorch that take an `out`."""

AXES = "chunk count_nonzero narrow select squeeze tensor_split unbind unflatten unsqueeze"
"""Those that take an `axis`, as numpy says, for a `dim`, and no `out`."""

OLDER = TENSORS.keys() - {"add", "sub"}
"""Those that need help for an older order of their arguments."""

ENDINGS = ("_like", "_window")
"""Of those that make tensors, and hand what they are asked for to others."""

LINALG = (
    "cholesky cholesky_ex cond cross det eigh eigvalsh householder_product inv inv_ex ldl_factor ldl_factor_ex "
    "ldl_solve lstsq lu lu_factor lu_factor_ex lu_solve matmul matrix_norm matrix_power matrix_rank multi_dot "
    "norm pinv qr slogdet solve solve_ex solve_triangular svd svdvals tensorinv tensorsolve vecdot vector_norm"
)
"""Those of `torch.linalg`."""

IN_PYTHON = {"norm"}
"""Those that PyTorch has in Python, where no argument has a second name."""
ANYTHING = {"bernoulli"}
"""Those whose `out` may have any dtype."""
IN_ITS_DTYPE = {"sum", "prod", "cumsum", "cumprod"}
"""Those that compute in the dtype of `out`, if none is given."""
FILLED = {"arange", "empty", "eye", "full", "linspace", "logspace", "ones", "rand", "randn", "range", "zeros"}
"""Those that make a tensor anew, in the dtype of `out`, if none is given."""
NEW = FILLED | {"bernoulli", "multinomial", "narrow_copy", "normal", "randint", "randperm"}
"""Those that give `out` its size without a word; all but one."""
PROGRESSIONS = {"arange", "linspace", "logspace", "range"}
"""Those that leave an `out` of so many elements its shape."""
SIZED_FIRST = APART - {"cross", "diff", "index_select", "kthvalue", "masked_select", "take"} | INTO_A_COPY
SIZED_FIRST |= {"cumprod", "cumsum", "logcumsumexp", "renorm"}
"""Those that give `out` its size before they ask where it lies."""
ACROSS = "Attempting to copy from device cpu to device meta, but cross-device copies are not allowed!"
ELSEWHERE = "Expected out tensor to have device cpu, but got meta instead"
SAY_WHERE = {"argmax", "argmin", "gather", "inverse", "scatter", "scatter_add"}
"""Two sentences about an `out` on a device where nothing is, and who says the second."""
COUNTED = (
    "The number of elements in the out tensor of shape {} is {} which does not match the computed number of elements "
    "{}. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape "
    "({},)."
)
"""What that one, `arange`, says."""
UNASKED = """
all any argmax argmin bucketize eq ge greater greater_equal gt histc isin isneginf isposinf le less less_equal
logical_and logical_not logical_or logical_xor lt multinomial ne nonzero not_equal searchsorted signbit
"""
"""Those whose results have no gradient: nobody asks whether something requires one."""
ASKED = """
cat: column_stack dstack hstack row_stack vstack | mul: ger kron outer | linalg_cross: cross | sub: diff |
sort: msort | linalg_inv_ex: inverse | matmul: matrix_power | nansum: nanmean | linalg_vector_norm: norm | pow: square |
div: true_divide | gather: take_along_dim | aten::diag_embed: diag | aten::conj_physical: conj_physical
"""
"""Which function says that there are no gradients through `out`, in whose place."""
IN_ATEN = """
alias_copy as_strided_copy bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor
detach_copy diagonal_copy expand_copy floor_divide gcd heaviside lcm log_softmax permute_copy randint randperm
select_copy slice_copy slice_scatter softmax squeeze_copy t_copy transpose_copy unfold_copy unsqueeze_copy view_copy
"""
"""Those that say it with the name of PyTorch's library before theirs; also those that fill."""
NOT_FORWARD = "Trying to use forward AD with {}_out that does not support it because it is an out= function"
_UNASKED = set(UNASKED.split())
_ASKED = {
    name: asked.strip()
    for asked, names in (each.rsplit(": ", 1) for each in ASKED.replace("\n", " ").split("|"))
    for name in names.split()
} | {name: f"aten::{name}" for name in (*IN_ATEN.split(), *FILLED)}
F = TypeVar("F", bound=Callable[..., Any])


def give_outputs(namespace: dict[str, Any], names: str = NAMES, before: str = "") -> None:
    """Let the functions of a module take an `out`; `before` is what PyTorch calls them with in errors."""
    for name, function in namespace.items():
        if isinstance(function, FunctionType) and (
            "layout" in (function.__kwdefaults__ or ()) or name.endswith(ENDINGS)
        ):
            namespace[name] = strided_only(function)
    for name in names.split():
        function = in_older_order(namespace[name]) if name in OLDER else namespace[name]
        namespace[name] = counting(accepting_out(function, before + name), before + name)
    if names is NAMES:
        for name in AXES.split():
            namespace[name] = numpy_names(namespace[name])
        give_errors(namespace, [name for name in namespace if name not in names.split()])
        for name in (each.removeprefix("torch.") for each in steps() if each.startswith("torch.")):
            namespace[name] = _told_function(namespace[name], f"torch.{name}")
        keep(namespace, "torch")


def give_errors(namespace: dict[str, Any], names: Iterable[str], before: str = "") -> None:
    """Have functions of a module that take no `out` tell of wrong arguments as PyTorch does."""
    for name in names:
        function = namespace[name]
        if isinstance(function, FunctionType) and signatures_of(before + name):
            namespace[name] = counting(checked(function, before + name), before + name)


def strided_only(function: F) -> F:
    """The function, which refuses to make a tensor in a layout that no tensor has here."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if "layout" in named:
            check_layout(function.__name__, named["layout"])
        return function(*args, **named)

    return cast("F", call)


def checked(function: F, name: str) -> F:
    """The function, which tells of wrong arguments as PyTorch does."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except Exception as error:
            return rescued(call, name, args, named, error)

    return cast("F", call)


def counting(function: F, name: str, skipped: int = 0) -> F:
    """The function, if it takes a number that counts something, such that True and False are none; `skipped` arguments
    are not in its signature. Dimensions and sizes are asked where they are used, which is done all the time."""
    kinds = {one.name: one.kind for signature in signatures_of(name) for one in signature.parameters}
    if not any(kind == "int" and not name.startswith("dim") for name, kind in kinds.items()):
        return function

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        if bool in map(type, args) and (told := refusal(name, args[skipped:], named)) is not None:
            raise told
        return function(*args, **named)

    return cast("F", call)


def give_python_errors(namespace: dict[str, Any]) -> None:
    """Have functions that PyTorch has in Python tell of wrong arguments as those do."""
    for name in steps():
        if "." not in name:
            namespace[name] = _told_function(namespace[name], name)


def _told_function(function: F, name: str) -> F:
    return telling(function, lambda args, named: misuse(function, name, args, named))


def telling(function: F, tell: Callable[[tuple[Any, ...], dict[str, Any]], Exception | None]) -> F:
    """The function, whose errors are those that `tell` finds in its arguments, if it finds any."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        try:
            return function(*args, **named)
        except Warning:  # which a filter has made an error: nothing is wrong with the arguments
            raise
        except Exception:
            if (told := tell(args, named)) is None:
                raise
        raise told

    return cast("F", call)


def give_method_errors(cls: type) -> None:
    """Have the methods of a class that take arguments tell of wrong ones. The others cost what they did."""
    for name in dir(cls):
        method = getattr(cls, name)
        if name[0] == "_" or not isinstance(method, FunctionType):
            continue
        kinds = [one.kind for signature in signatures_of(f"Tensor.{name}") for one in signature.parameters]
        if any("Tensor" in kind for kind in kinds):
            setattr(cls, name, counting(_checked_method(method, f"Tensor.{name}"), f"Tensor.{name}", 1))
        elif f"Tensor.{name}" in steps():
            setattr(cls, name, _told_function(method, f"Tensor.{name}"))
        elif kinds:
            setattr(cls, name, counting(_told_method(method, f"Tensor.{name}"), f"Tensor.{name}", 1))
    keep({name: getattr(cls, name) for name in dir(cls)}, "Tensor")


def _told_method(method: F, name: str) -> F:
    return telling(method, lambda args, named: refusal(name, args[1:], named))


def _checked_method(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*args: Any, **named: Any) -> Any:
        try:
            if (made := method(*args, **named)) is not NotImplemented:
                return made
        except Exception:
            if (told := refusal(name, args[1:], named)) is None:
                raise
            raise told from None
        raise refusal(name, args[1:], named) or TypeError(f"{method.__name__}(): no such arguments")

    return call


def accepting_out(function: F, called: str) -> F:
    """The function, which writes its result into `out` if that is given."""
    name = function.__name__
    others = {} if called in IN_PYTHON else NUMPY_NAMES

    @functools.wraps(function)
    def call(*args: Any, out: Any = None, **named: Any) -> Any:
        if out is None:
            try:
                renamed = in_our_names(named) if named and not others.keys().isdisjoint(named) else named
                if (made := function(*args, **renamed)) is not NotImplemented:
                    return made
            except Exception as error:
                return rescued(call, called, args, named, error)
            return rescued(call, called, args, named, TypeError())
        signed = {name: one for name, one in named.items() if name != "as_tuple"}  # of nonzero: Python's alone
        if (misfit := refusal(called, args, {**signed, "out": out})) is not None:
            raise misfit
        named = in_our_names(named)
        targets, inputs = _tensors([out]), _tensors([args, list(named.values())])
        given = [*targets, *inputs]
        if called not in _UNASKED and is_grad_enabled() and any(one._needs for one in given):
            told = "functions with out=... arguments don't support automatic differentiation"
            raise RuntimeError(f"{_ASKED.get(called, name)}(): {told}, but one of the arguments requires grad.")
        if levels.level and any(levels.tangent_of(one, levels.level) is not None for one in given):
            raise NotImplementedError(NOT_FORWARD.format(name))
        read = [one._array for one in inputs]
        if called in FILLED and not isinstance(out, Variable):
            raise _misfit(called, None, out)
        if called in FILLED and named.get("dtype") is None:
            named["dtype"] = out.dtype
        result = function(*args, **named)
        if called in IN_ITS_DTYPE and result.dtype is not out.dtype and named.get("dtype") is None:
            result = function(*args, **named, dtype=out.dtype)
        parts = result if isinstance(result, tuple | list) else (result,)
        if len(parts) != len(targets) or (parts[0] is result and out is not targets[0]):
            raise _misfit(called, len(parts) if parts is result else None, out)
        whole = called if len(parts) == 1 else f"{called} of several"
        for part, target in zip(parts, targets, strict=True):
            _make_room(name, whole, part, target, read)
        for part, target in zip(parts, targets, strict=True):
            _write(name, part._array, target)
        return type(result)(targets) if isinstance(result, tuple | list) else out

    return cast("F", call)


def _tensors(things: Iterable[Any]) -> list[Any]:
    """The tensors among arguments, and in lists of them."""
    found: list[Any] = []
    for thing in things:
        if isinstance(thing, Variable):
            found.append(thing)
        elif isinstance(thing, tuple | list):
            found += _tensors(thing)
    return found


def _misfit(called: str, count: int | None, out: Any) -> TypeError:
    """The error for an `out` that is no tensor, or not so many of them as there are results."""
    if count is None:
        return TypeError(f"{called}(): argument 'out' must be Tensor, not {type_name(out)}")
    return TypeError(f"expected tuple of {count} elements but got {len(_tensors([out]))}")


def _make_room(name: str, whole: str, made: Any, out: Any, read: list[Array]) -> None:
    """Give an output the shape of a result, once it may be written there; `read` is what was read for it."""
    array, had = made._array, out._array
    if had.dtype != array.dtype:
        from autograd_lab.engine.errors.out_dtypes import check_dtype

        check_dtype(whole, had, array)
    if name not in ANYTHING:
        check_cast(had, array)
    if out.device.type == "meta" != made.device.type:
        raise RuntimeError(ELSEWHERE if name in SAY_WHERE else ACROSS)
    asked_late = name in SIZED_FIRST
    if not asked_late:
        check_output(name, had, read)
    if had.shape != array.shape and not (name in PROGRESSIONS and had.size == array.size):
        _resize(name, out, array)
    if asked_late:
        check_output(name, had if name in APART else out._array, read)


def _resize(name: str, out: Any, array: Array) -> None:
    had = out._array
    if name == "arange" and had.size:
        told = COUNTED.format(list(had.shape), had.size, array.size, array.size)
        warnings.warn(told, UserWarning, stacklevel=users_level())
    elif name not in NEW and had.size:
        warn_of_resized(had.shape, array.shape)
    out._array = in_shape(had, array.shape)


def _write(name: str, array: Array, out: Any) -> None:
    out._array[...] = array.reshape(out._array.shape)
    wrote(out)
    if listening.active is not None:
        listening.active.tensor_modified(out, name)
