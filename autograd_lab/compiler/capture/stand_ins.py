"""What is changed about the engine and numpy while a program is captured, and nowhere else; all of it is put back.

The doors by which an array would get past its stand-in are watched: numpy's `asarray`, `array` and their kin, the class
of all new tensors, the generator of random numbers. And a listener, in a recorder's place, hears of each op, so that no
tensor takes part that a run would not look up again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from autograd_lab import listening
from autograd_lab.compiler.capture.draws import Draws
from autograd_lab.compiler.capture.symbol import Symbol, Unsupported
from autograd_lab.compiler.capture.tape import Tape
from autograd_lab.compiler.kernel import Kernel
from autograd_lab.engine.core import variable
from autograd_lab.engine.core.edges import AccumulateGrad
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.draws.generator import default_generator
from autograd_lab.engine.exact import aliasing
from autograd_lab.engine.ops.ground import writing


@contextmanager
def stand_ins(tape: Tape, listener: Listener) -> Iterator[None]:
    """Inside, arrays of new tensors are stand-ins, as those of the lifted ones are already."""
    address = aliasing.address
    draws = Draws(tape, default_generator.numbers)
    exchanges = [
        (np, "asarray", _asarray(np.asarray)),
        (np, "asanyarray", _asarray(np.asanyarray)),
        (np, "array", _array(np.array)),
        (np, "ascontiguousarray", _contiguous(np.ascontiguousarray)),
        (np.lib.stride_tricks, "as_strided", _as_strided(np.lib.stride_tricks.as_strided)),
        (variable, "Tensor", _class_of_new_tensors(tape)),
        (default_generator, "_numbers", draws),
        (writing, "byte_bounds", lambda array: byte_bounds(_concrete(array))),
        (aliasing, "address", lambda array: address(_concrete(array))),
        (aliasing, "blank", lambda size, dtype: tape.constant(np.zeros(size, dtype))),
        (listening, "active", listener),
    ]
    with ExitStack() as stack:
        for owner, name, thing in exchanges:
            stack.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, thing)
        yield


def _concrete(array: Any) -> Any:
    return array.concrete if type(array) is Symbol else array


def _asarray(original: Callable[..., Any]) -> Callable[..., Any]:
    def asarray(a: Any, dtype: Any = None, *args: Any, **options: Any) -> Any:
        if type(a) is not Symbol:
            return original(a, dtype, *args, **options)
        a = a if dtype is None else a.astype(dtype, copy=False)
        return a.copy("C") if options.get("order") == "C" and not a.value.is_dense else a

    return asarray


def _array(original: Callable[..., Any]) -> Callable[..., Any]:
    def array(object: Any, dtype: Any = None, **options: Any) -> Any:
        if type(object) is not Symbol:
            return original(object, dtype, **options)
        copied = object.copy(options.get("order") or "K")
        return copied if dtype is None else copied.astype(dtype, copy=False)

    return array


def _contiguous(original: Callable[..., Any]) -> Callable[..., Any]:
    def ascontiguousarray(a: Any, *args: Any, **options: Any) -> Any:
        if type(a) is not Symbol or args or options:
            return original(a, *args, **options)
        return a if a.value.is_dense and a.ndim else a.reshape(a.shape or (1,)).copy()

    return ascontiguousarray


def _as_strided(original: Callable[..., Any]) -> Callable[..., Any]:
    kernel = Kernel("as_strided", original)

    def as_strided(x: Any, *args: Any, **options: Any) -> Any:
        return x.tape.apply(kernel, (x, *args), options) if type(x) is Symbol else original(x, *args, **options)

    return as_strided


def _class_of_new_tensors(tape: Tape) -> type[Variable]:
    """A class like `Tensor`, whose arrays become stand-ins when they are set: those made of nothing are constants."""
    base: Any = variable.Tensor

    def get(self: Any) -> Any:
        return base._array.__get__(self)

    def put(self: Any, array: Any) -> None:
        base._array.__set__(self, array if type(array) is Symbol else tape.constant(array))

    body = {"_array": property(get, put), "__slots__": (), "__module__": base.__module__}
    new: type[Variable] = type(base)(base.__name__, (base,), body)
    return new


class Listener:
    """Hears of each op and each node, in a recorder's place, and refuses those with tensors from nowhere.

    `is_known` tells tensors that each run looks up again; `hooked` are leaves whose hooks nobody would call.
    """

    def __init__(self, is_known: Callable[[Any], bool], has_hooks: Callable[[Any], bool]) -> None:
        self.is_known, self.has_hooks = is_known, has_hooks

    def op_applied(self, node: Any, name: str, operands: tuple[Any, ...], *_: Any) -> None:
        """An op's tensors are known, or were made while capturing."""
        for one in operands:
            if isinstance(one, Variable) and type(one._array) is not Symbol:
                raise Unsupported(f"`{name}` takes a tensor that the function does not reach by a name")

    def node_visited(self, node: Any, gradients: Any) -> None:
        """A backward pass inside the function comes to a node."""
        if type(node) is AccumulateGrad:
            leaf = node._leaf
            if self.is_known(leaf) and self.has_hooks(leaf):
                raise Unsupported("it runs a backward pass to a tensor that has hooks")
            if type(leaf._array) is not Symbol:
                raise Unsupported("it runs a backward pass through a graph from outside")

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_, **__: None
