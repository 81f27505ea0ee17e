"""Kernels: the calls that a captured graph is made of, each with what a pass has to know of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np

from autograd_lab.engine.kernels.precise import precise, precise_of_two
from autograd_lab.engine.numbers.dtypes import Array

Options = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A function of arrays, and the `form` in which a listing writes a call of it.

    An `elementwise` one makes one array, each element of which depends only on the elements at its place; one that
    `takes_out` puts its result where `out=` says; a `view` lies in the memory of its first operand; one that is not
    `pure` must run as often as it was called, in that order; an `opaque` one is a whole formula of the engine's.
    """

    name: str
    run: Callable[..., Any]
    form: str = "call"
    elementwise: bool = False
    takes_out: bool = False
    view: bool = False
    pure: bool = True
    opaque: bool = False

    @property
    def binding(self) -> tuple[str, Any] | None:
        """The name that a listing calls and what it means there, unless the form needs none."""
        if self.form != "call":
            return None
        first, _, rest = self.name.partition(".")
        return (first, getattr(self.run, "__self__", self.run)) if rest else (first, self.run)

    def spelled(self, args: tuple[Any, ...], options: Options = (), out: str = "") -> str:
        """The call in Python; with `out`, one that puts its result there."""
        parts = [written(one) for one in args]
        more = [f"{name}={written(option)}" for name, option in options] + [f"out={out}"] * bool(out)
        match self.form:
            case "item":
                return f"{parts[0]}[{subscript(args[1])}]"
            case "attribute":
                return f"{parts[0]}.{self.name}"
            case "operator":
                return f"{parts[0]} {self.name} {parts[1]}"
            case "method":
                return f"{parts[0]}.{self.name}({', '.join(parts[1:] + more)})"
        return f"{self.name}({', '.join(parts + more)})"


def written(argument: Any) -> str:
    """An argument in Python: values and dtypes by their names."""
    if isinstance(argument, slice):
        return f"slice({', '.join(map(written, (argument.start, argument.stop, argument.step)))})"
    if isinstance(argument, list):
        return f"[{', '.join(map(written, argument))}]"
    if isinstance(argument, tuple):
        return f"({', '.join(map(written, argument))}{',' * (len(argument) == 1)})"
    if argument is Ellipsis:
        return "..."
    return str(getattr(argument, "name", None) or repr(argument))


def subscript(index: Any) -> str:
    """An index in Python, as it stands between the brackets."""
    if isinstance(index, tuple) and index:
        return ", ".join(map(subscript, index)) + "," * (len(index) == 1)
    if isinstance(index, slice):
        start, stop, step = ("" if one is None else written(one) for one in (index.start, index.stop, index.step))
        return f"{start}:{stop}" + (f":{step}" if step else "")
    return written(index)


@cache
def of_ufunc(ufunc: np.ufunc, method: str = "__call__") -> Kernel:
    """A ufunc, or one of its methods."""
    if method != "__call__":
        return Kernel(f"{ufunc.__name__}.{method}", getattr(ufunc, method), takes_out=True)
    plain = ufunc.signature is None and ufunc.nout == 1
    return Kernel(ufunc.__name__, ufunc, elementwise=plain, takes_out=ufunc.nout == 1)


@cache
def of_precise(function: Any) -> Kernel:
    """A ufunc as `precise` computes it, which a listing calls as numpy does; or another function of an array alone."""
    if isinstance(function, np.ufunc):
        widened = partial(precise if function.nin == 1 else precise_of_two, function)
        return Kernel(function.__name__, widened, elementwise=True, takes_out=True)
    return Kernel(function.__name__, function)


def _method(name: str, **facts: bool) -> Kernel:
    def call(x: Array, *args: Any, **options: Any) -> Any:
        return getattr(x, name)(*args, **options)

    return Kernel(name, call, "method", **facts)


PLAIN_METHODS = """
argmax argmin argsort cumprod cumsum diagonal dot mean repeat reshape round squeeze std swapaxes take trace transpose
var view
"""
METHODS = {name: _method(name, takes_out=name in ("dot", "take")) for name in PLAIN_METHODS.split()}
"""Methods of arrays that are written as such."""

ITEM = Kernel("item", lambda x, index: x[index], "item")
TRANSPOSE = Kernel("T", lambda x: x.T, "attribute")
POWER = Kernel("**", lambda x, y: x**y, "operator", elementwise=True)


def _scalar_power(x: Array, y: Any) -> Any:
    return x[()] ** (y[()] if isinstance(y, np.ndarray) else y)


SCALAR_POWER = Kernel("scalar_power", _scalar_power)
"""A power of a number: numpy computes that of a scalar, and `**` of an array without dimensions, in two ways."""
CAST = _method("astype", elementwise=True)
COPY = _method("copy", elementwise=True)


def _updated(base: Array, path: tuple[Any, ...], source: Any) -> Array:
    whole = np.array(base)
    place = whole
    index: Any = ...
    if path and path[-1][0].form == "item":  # an index may be one that gives no view, but can be written to
        path, index = path[:-1], path[-1][1][0]
    for kernel, args, options in path:
        place = kernel.run(place, *args, **dict(options))
    place[index] = source
    return whole


UPDATE = Kernel("update", _updated, "update")
"""A value with something else in one place, which a path of views leads to: what a write makes of it."""


def _checked(value: Array, reader: str, expected: Any) -> None:
    found = getattr(value, reader)()
    if found != expected and not (found != found and expected != expected):
        raise Departed(found)


class Departed(Exception):
    """A run has come to a value that is not what it was when the graph was captured: it is another path's turn."""


CHECK = Kernel("check", _checked, "check", pure=False)
"""That Python has seen a value, by `__bool__` or `item`, and gone on as it did for the expected one."""

FUSED = Kernel("fused", _checked, "fused")
"""Several elementwise operations as one, tile by tile."""

ELEMENTWISE = {np.where, np.clip, np.nan_to_num}
TAKING_OUT = {np.dot, np.clip, np.take, np.concatenate, np.stack, np.cumsum, np.cumprod, np.einsum, np.choose}
OTHERS = {
    np.all, np.amax, np.amin, np.any, np.append, np.argmax, np.argmin, np.argsort, np.argwhere, np.around,
    np.array_equal, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.average, np.broadcast_to,
    np.copy, np.count_nonzero, np.cross, np.diag, np.diagonal, np.diff, np.empty_like, np.expand_dims, np.flip,
    np.full_like, np.hstack, np.inner, np.isclose, np.kron, np.lexsort, np.linalg.cholesky, np.linalg.det,
    np.linalg.inv, np.linalg.norm, np.linalg.slogdet, np.linalg.solve, np.max, np.mean, np.median, np.min,
    np.moveaxis, np.nonzero, np.ones_like, np.outer, np.pad, np.partition, np.prod, np.ravel, np.repeat, np.reshape,
    np.roll, np.rollaxis, np.rot90, np.round, np.searchsorted,
    np.sinc, np.sort, np.squeeze, np.std, np.sum, np.swapaxes, np.take_along_axis, np.tensordot, np.tile,
    np.trace, np.transpose, np.tril, np.triu, np.var, np.vdot, np.vstack, np.zeros_like,
    np.lib.stride_tricks.sliding_window_view,
}  # fmt: skip
STATIC = {np.can_cast, np.may_share_memory, np.ndim, np.result_type, np.shape, np.shares_memory, np.size}
"""Functions whose answers depend on no element."""


@cache
def of_function(function: Any) -> Kernel | None:
    """One of numpy's functions; None for one whose result's shape may depend on elements, or that is not known."""
    if function not in ELEMENTWISE | TAKING_OUT | OTHERS:
        return None
    elementwise, takes_out = function in ELEMENTWISE, function in TAKING_OUT
    return Kernel(function.__name__, function, elementwise=elementwise, takes_out=takes_out)
