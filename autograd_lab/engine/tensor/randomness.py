"""Tensors of random numbers: of the same seed those that PyTorch draws."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.draws import generator
from autograd_lab.engine.draws.generator import Generator, numbers_of
from autograd_lab.engine.draws.twister import as_it_lies
from autograd_lab.engine.exact.elementless import filled
from autograd_lab.engine.exact.mapping import hand_on
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import preserve_format
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype, dtype, of_kind, order_of
from autograd_lab.engine.ops.ground.copying import stepping
from autograd_lab.engine.ops.ground.integers import bounds_in
from autograd_lab.engine.tensor.factories import made, numpy_dtype, shape_of

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["rand", "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm"]

generator.as_tensor = wrap


def _floats(wanted: dtype | None, kernel: str) -> NumpyDtype:
    """The dtype to draw in. Raises NotImplementedError, which names PyTorch's kernel, if it is not a floating one."""
    return of_kind("fV", np.empty(0, numpy_dtype(wanted)), kernel).dtype


def _normals(wanted: dtype | None, shape: tuple[int, ...]) -> NumpyDtype:
    """The same for normal numbers, of which none are drawn of other dtypes, either, where there are none."""
    return _floats(wanted, "normal_kernel_cpu") if 0 not in shape else numpy_dtype(wanted)


def _uniform(shape: Any, kind: NumpyDtype, device: Any, generator: Generator | None, _: bool = True) -> Array:
    return filled(partial(numbers_of(generator).uniform, 0, 1), shape, kind, device)


def _normal(shape: Any, kind: NumpyDtype, device: Any, generator: Generator | None, in_rows: bool = True) -> Array:
    return filled(partial(numbers_of(generator).normal, 0, 1, in_rows=in_rows), shape, kind, device)


def rand(
    *sized: Any, size: Any = None, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
    generator: Generator | None = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Random numbers, equally likely everywhere between 0 and 1."""
    kind = _floats(dtype, "check_uniform_bounds")
    return made(_uniform(shape_of(sized, "rand", size), kind, device, generator), requires_grad)


def randn(
    *sized: Any, size: Any = None, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
    generator: Generator | None = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Random numbers, normally distributed with mean 0 and variance 1."""
    shape = shape_of(sized, "randn", size)
    return made(_normal(shape, _normals(dtype, shape), device, generator), requires_grad)


def randint(
    *bounds: Any, low: Any = 0, high: Any = None, size: Any = None, dtype: dtype | None = None, device: Any = None,
    requires_grad: bool = False, generator: Generator | None = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """`randint(low, high, size)`: random integers from `low`, 0 if it is left out, up to but not including `high`."""
    if size is None:
        *bounds, size = bounds  # type: ignore[assignment]  # a list will do
    if bounds:
        low, high = (low, *bounds)[-2:] if high is None else (bounds[0], high)
    if high is None:
        raise TypeError("randint() received an invalid combination of arguments: there is no 'high'")
    low, high, kind = operator.index(low), operator.index(high), numpy_dtype(dtype, dtypes.I64)
    low, high = bounds_in(kind, low, high)
    drawn = numbers_of(generator).integers(low, high, shape_of((size,), "randint"))
    return made(np.asarray(drawn).astype(kind), requires_grad, device)


def randperm(
    n: int, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False,
    generator: Generator | None = None, layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """The integers below `n` in random order."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    drawn = numbers_of(generator).permutation(n)
    return made(drawn.astype(numpy_dtype(dtype, dtypes.I64)), requires_grad, device)


def _check(name: str, input: Any) -> Any:
    if not isinstance(input, Variable):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    return input


def _like(input: Tensor, options: dict[str, Any]) -> dict[str, Any]:
    """What is asked for, in the tensor's dtype unless another is."""
    return {
        "dtype": input.dtype,
        "device": input.device,
        **{name: one for name, one in options.items() if name != "memory_format"},
    }


def _alike(
    name: str, input: Tensor, kernel: str, draw: Callable[..., Array], *, dtype: dtype | None = None,
    device: Any = None, requires_grad: bool = False, generator: Generator | None = None, memory_format: Any = None,
    layout: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor drawn in the shape of another one, and in its dtype and order in memory, unless others are asked for."""
    x = _check(name, input)._array
    kind, place = _floats(dtype or input.dtype, kernel), input.device if device is None else device
    if memory_format not in (None, preserve_format) or type(x) is not np.ndarray:
        return hand_on(made(draw(x.shape, kind, place, generator), requires_grad), input)
    like = np.empty_like(x, order=order_of(x))
    in_rows = like.flags.c_contiguous
    drawn = as_it_lies(like, lambda shape: draw(shape, kind, place, generator, in_rows))
    return hand_on(made(stepping(drawn, x), requires_grad), input)


def rand_like(input: Tensor, **options: Any) -> Tensor:
    """As `rand`, in the shape and dtype of another tensor."""
    return _alike("rand_like", input, "check_uniform_bounds", _uniform, **options)


def randn_like(input: Tensor, **options: Any) -> Tensor:
    """As `randn`, in the shape and dtype of another tensor."""
    return _alike("randn_like", input, "normal_kernel_cpu", _normal, **options)


def randint_like(input: Tensor, *bounds: Any, low: Any = 0, high: Any = None, **options: Any) -> Tensor:
    """As `randint`, in the shape and dtype of another tensor, and its order in memory unless another is asked for."""
    x = like = _check("randint_like", input)._array
    keeps = options.get("memory_format") in (None, preserve_format)
    if type(x) is np.ndarray:
        x = np.empty_like(x, order=order_of(x) if keeps else "C")
    asked = _like(input, options)
    needs = asked.pop("requires_grad", False)
    drawn = as_it_lies(x, lambda shape: randint(*bounds, low=low, high=high, size=shape, **asked)._array)
    return hand_on(made(stepping(drawn, like) if keeps else drawn, needs), input)
