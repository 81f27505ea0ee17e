"""`Symbol`: what stands in for an array while a program is captured, below the tensors; the engine runs as ever.

To Python code it is an array: it has a shape, computes, is written to, and `isinstance` takes it for one. To numpy's C
code it is none, so no element gets past a capture unseen: what would need one raises `Unsupported`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from autograd_lab.compiler.graph import Value, exchanged
from autograd_lab.compiler.kernel import (
    CAST,
    COPY,
    ITEM,
    METHODS,
    POWER,
    SCALAR_POWER,
    STATIC,
    TRANSPOSE,
    UPDATE,
    of_function,
    of_precise,
    of_ufunc,
)
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype

REDUCTIONS = {
    "sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum, "all": np.logical_and,
    "any": np.logical_or,
}  # fmt: skip
"""Methods that are a ufunc's `reduce`."""


ADDRESSES = {"__array_interface__", "__array_struct__"}


class Unsupported(BaseException):
    """Something cannot be captured; the message is one sentence that says why. No `except Exception` of the program's
    own may swallow it."""


class Filled(Unsupported):
    """A call has put something where there was nothing, as an optimizer does at its first step; the next one finds it,
    and may well be captured."""


class Symbol(NDArrayOperatorsMixin):
    """A stand-in for an array: a name for what it holds now.

    A write gives it another value. A view has a `base`, another symbol, and the `path` from there, which is gone again
    after the base has got another value.
    """

    __slots__ = ("_at", "_value", "base", "path", "tape", "version")

    def __init__(self, tape: Any, value: Value, base: Symbol | None = None, path: tuple[Any, ...] = ()) -> None:
        self.tape, self._value, self.base, self.path = tape, value, base, path
        self.version = 0
        self._at = 0 if base is None else base.version

    __class__: Any = property(lambda _: np.ndarray)
    """What `isinstance` goes by, where the type itself does not say yes."""

    @property
    def value(self) -> Value:
        """What it holds now."""
        if self.base is not None and self._at != self.base.version:
            self._value, self._at = self.tape.followed(self.base.value, self.path), self.base.version
        return self._value

    @property
    def concrete(self) -> Array:
        """The elements in this one run; not to be written to."""
        return self.tape.concrete[self.value]

    def become(self, source: Any) -> None:
        """Hold other elements from now on: all of them are written over."""
        self.check_write()
        target, found = self.value, self.tape.value_of(source)
        alike = (found.shape, found.dtype, found.strides) == (target.shape, target.dtype, target.strides)
        if self.base is not None:
            self.base.become(self.tape.apply(UPDATE, (self.base.value, self.path, found)))
            return
        self._value = found if alike else self.tape.apply(UPDATE, (target, (), found)).value
        self.version += 1

    def check_write(self) -> None:
        """Raise Unsupported if elements of it are one in memory: a write to one of them is a write to others."""
        if any(not step and size > 1 for step, size in zip(self.strides, self.shape, strict=True)):
            raise Unsupported("it writes to elements that are one in memory")
        if any(kernel.name == "diagonal" for kernel, _, _ in self.path):
            raise Unsupported("it writes to a diagonal")

    # --- what numpy asks --------------------------------------------------------------------------------------------

    def __array__(self, *_: Any, **__: Any) -> Array:
        raise Unsupported("numpy asks for the elements of an array whose values are not known before it runs")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method == "at" or "where" in options:
            raise Unsupported(f"np.{ufunc.__name__} writes to some elements only")
        out = (options.pop("out", None) or (None,))[0]
        options = {name: option for name, option in options.items() if option is not None or name == "axis"}
        result = self.tape.apply(of_ufunc(ufunc, method), inputs, options)
        return result if out is None else written_to(out, result)

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if function is np.copyto:
            self._copy_to(*args, **options)
            return None
        if function in STATIC:
            known = [exchanged(one, lambda symbol: symbol.concrete, Symbol) for one in (args, tuple(options.values()))]
            return function(*known[0], **dict(zip(options, known[1], strict=True)))
        out = options.pop("out", None)
        kernel = of_function(function)
        if function is np.nonzero or function is np.argwhere:
            np.count_nonzero(*args).item()
        if kernel is None or (function is np.where and len(args) == 1):
            raise Unsupported(
                f"`np.{function.__name__}` is not known here, or its result has a shape that depends on values"
            )
        result = self.tape.apply(kernel, args, options)
        return result if out is None else written_to(out, result)

    def _copy_to(self, target: Any, source: Any, casting: str = "same_kind", where: Any = True) -> None:
        if where is not True:
            source = np.where(where, source, target).astype(target.dtype, copy=False)
        written_to(target, source)

    # --- what an array is asked for ---------------------------------------------------------------------------------

    @property
    def _array(self) -> Symbol:
        """Itself: where a node has saved an array, it may also have saved a tensor."""
        return self

    @property
    def shape(self) -> tuple[int, ...]:
        return self._value.shape

    @property
    def dtype(self) -> NumpyDtype:
        return self._value.dtype

    @property
    def strides(self) -> tuple[int, ...]:
        return self._value.strides

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return self._value.size

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self._value.nbytes

    @property
    def flags(self) -> Any:
        return self.concrete.flags

    @property
    def T(self) -> Any:
        return self.tape.apply(TRANSPOSE, (self,))

    @property
    def flat(self) -> Any:
        return self.reshape(-1)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return (self[at] for at in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        if (isinstance(index, tuple) and not index) or index is Ellipsis:
            return self
        for one in index if isinstance(index, tuple) else (index,):
            if type(one) is Symbol and one.dtype.kind == "b":
                np.count_nonzero(one).item()  # how many elements it takes out is a value that Python looks at
        return self.tape.apply(ITEM, (self, exchanged(index, int, np.integer)))

    def __setitem__(self, index: Any, source: Any) -> None:
        self.check_write()
        if (isinstance(index, tuple) and not index) or index is Ellipsis:
            self.become(source)
            return
        path = (ITEM, (self.tape.taken(index),), ())
        root, before = (self, ()) if self.base is None else (self.base, self.path)
        source = source if isinstance(source, int | float) else self.tape.value_of(source)
        root.become(self.tape.apply(UPDATE, (root.value, (*before, path), source)))

    def __pow__(self, other: Any) -> Any:
        alone = not self.shape and not getattr(other, "shape", ())
        return self.tape.apply(SCALAR_POWER if alone else POWER, (self, other))

    def precise(self, function: Any, *args: Any) -> Any:
        return self.tape.apply(of_precise(function), args)

    def astype(self, dtype: Any, *_: Any, copy: bool = True, **__: Any) -> Any:
        dtype = np.dtype(dtype)
        return self if dtype is self.dtype and not copy else self.tape.apply(CAST, (self, dtype))

    def copy(self, order: str = "C") -> Any:
        return self.tape.apply(COPY, (self, order))

    def reshape(self, *shape: Any, **options: Any) -> Any:
        return self.tape.apply(METHODS["reshape"], (self, *shape), options)

    def ravel(self) -> Any:
        return self.reshape(-1)

    def flatten(self) -> Any:
        return self.reshape(-1).copy()

    def fill(self, value: Any) -> None:
        self.become(self.tape.apply(UPDATE, (self.value, (), value)))

    def clip(self, low: Any = None, high: Any = None) -> Any:
        return np.clip(self, low, high)

    def nonzero(self) -> Any:
        return np.nonzero(self)

    def item(self, *where: Any) -> Any:
        return (self[where] if where else self).read("item")

    def tolist(self) -> Any:
        return self.read("tolist")

    def __bool__(self) -> bool:
        return bool(self.read("__bool__"))

    def __float__(self) -> float:
        return float(self.read("item"))

    def __int__(self) -> int:
        return int(self.read("item"))

    def __index__(self) -> int:
        if self.dtype.kind not in "ui" or self.shape:
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(self.read("item"))

    def read(self, reader: str) -> Any:
        """Let Python see the elements, by the method `reader`; the run after this point holds for what it sees only."""
        return self.tape.read(self.value, reader)

    def __getattr__(self, name: str) -> Any:
        if name in REDUCTIONS:
            return _reduction(self, REDUCTIONS[name])
        if name in METHODS:
            return lambda *args, **options: self.tape.apply(METHODS[name], (self, *args), options)
        if name.startswith("__") and name not in ADDRESSES:
            raise AttributeError(name)
        raise Unsupported(f"the attribute `{name}` of an array cannot be captured")


def _reduction(symbol: Symbol, ufunc: np.ufunc) -> Any:
    def reduce(axis: Any = None, dtype: Any = None, out: Any = None, **options: Any) -> Any:
        options |= {"dtype": dtype} if dtype is not None else {}
        result = symbol.tape.apply(of_ufunc(ufunc, "reduce"), (symbol,), {"axis": axis, **options})
        return result if out is None else written_to(out, result)

    return reduce


def written_to(out: Any, result: Any) -> Any:
    """`out`, which holds the result now. Raises Unsupported if it is an array that has no stand-in."""
    if type(out) is not Symbol:
        raise Unsupported("it writes into an array that was made outside of what is captured")
    out.become(result)
    return out


def is_known(thing: Any) -> bool:
    """Whether something is a stand-in, whatever it says of itself."""
    return type(thing) is Symbol
