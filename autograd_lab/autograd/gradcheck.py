"""Gradients checked against differences: (f(x + ε) - f(x - ε)) / 2ε for each element, in double precision."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import compress
from typing import Any

import numpy as np

from autograd_lab.autograd.function import Function
from autograd_lab.autograd.gradcheck_forward import Duals
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.engine.exact.gradients import grad
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.whose import users_level

__all__ = [
    "GradcheckError",
    "get_analytical_jacobian",
    "get_numerical_jacobian",
    "get_numerical_jacobian_wrt_specific_input",
    "gradcheck",
    "gradgradcheck",
]

Tensors = tuple[Any, ...]

NOT_REENTRANT = (
    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives different "
    "values, although analytical gradient matches numerical gradient.The tolerance for nondeterminism was {}."
)
DEPRECATED = (
    "`{}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be removed "
    "in a future version of PyTorch. If you have a specific use for this or feature request for this to be a stable "
    "API, please file us an issue at https://github.com/pytorch/pytorch/issues/new"
)
SINGLE = (
    "Input #{} requires gradient and is not a double precision floating point or complex. This check will likely fail "
    "if all the inputs are not of double precision floating point or complex. "
)
STRIDE_0 = (
    "The {}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able "
    "to compute the numerical gradients correctly. You should call .contiguous on the input before passing it to "
    "gradcheck."
)
UNDEFINED = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
UNDEFINED_IS_NEW = (
    "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break "
    'existing callers of this function. If this is true for you, you can call this function with "'
    'check_undefined_grad=False" to disable the feature'
)


class GradcheckError(RuntimeError):
    """A gradient is not what it should be."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """True if the gradients of `func` are right at `inputs`; else raises GradcheckError, or returns False.

    `fast_mode` is accepted, and all elements are checked nevertheless. Batches of gradients are loops here, of which
    there is nothing more to check.
    """
    if not (check_forward_ad or check_backward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    check = _Check(func, _tuple(inputs), eps)
    try:
        if check_backward_ad:
            check.compare(atol, rtol, nondet_tol, check_grad_dtypes)
        if check_forward_ad:
            check.compare_forward(atol, rtol)
            if check_undefined_grad and (unlike := Duals(func, check.inputs).unlike_zeros()):
                raise GradcheckError(*unlike)
        if not check_backward_ad:
            return True
        check.vanish_with_the_gradient(bool(masked))
        if check_undefined_grad:
            check.do_without_gradients()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    **others: Any,
) -> bool:
    """`gradcheck` of the gradients of `func`, as functions of its inputs and of the gradients of its outputs."""
    given = _tuple(inputs)
    if grad_outputs is None:
        outputs = _differentiable(func(*given))
        seeds = tuple(wrap(numbers_of().uniform(-1, 1, out.shape).astype(out._array.dtype), True) for out in outputs)
    else:
        seeds = _tuple(grad_outputs)
    kinds = [isinstance(one, Variable) and one.requires_grad for one in (*given, *seeds)]

    def gradients(*args: Any) -> Tensors:
        ready = [one.requires_grad_() if wanted else one for one, wanted in zip(args, kinds, strict=True)]
        points, vectors = ready[: len(given)], ready[len(given) :]
        wanted = [one for one, kind in zip(points, kinds, strict=False) if kind]
        found = grad(_differentiable(func(*points)), wanted, vectors, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradcheck(
        gradients,
        (*given, *seeds),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
    )


class _Check:
    """A function at a point, and the inputs and outputs among which there are gradients."""

    def __init__(self, func: Callable[..., Any], inputs: Tensors, eps: float) -> None:
        _check_inputs(inputs)
        self.func, self.inputs, self.eps = func, inputs, eps
        self.points: list[Any] = [one for one in inputs if isinstance(one, Variable) and one.requires_grad]
        self.all_outputs = _tuple(func(*inputs))
        self.outputs = _differentiable(self.all_outputs)

    def compare(self, atol: float, rtol: float, nondet_tol: float, dtypes: bool) -> None:
        """Compare the Jacobians by backward with those by differences."""
        columns = [_numerical(self.func, self.inputs, point, self.all_outputs, self.eps) for point in self.points]
        if not self.outputs:
            floating = [out.is_floating_point() for out in self.all_outputs]
            if any(jacobian.any() for found in columns for jacobian in compress(found, floating)):
                raise GradcheckError("Numerical gradient for function expected to be zero")
            return
        places = [place for place, out in enumerate(self.all_outputs) if out.requires_grad]
        for number, out in enumerate(self.outputs):
            analytical = self._analytical(out, nondet_tol, dtypes)
            for which, (found, column) in enumerate(zip(analytical, columns, strict=True)):
                numerical = column[places[number]]
                if not np.allclose(found, numerical, rtol, atol):
                    raise GradcheckError(
                        f"Jacobian mismatch for output {number} with respect to input {which},\n"
                        f"numerical:{wrap(numerical)}\nanalytical:{wrap(found)}\n"
                    )

    def compare_forward(self, atol: float, rtol: float) -> None:
        """Compare the Jacobians by forward mode with those by differences."""
        pushed = Duals(self.func, self.inputs).jacobians() if self.outputs else []
        for which, (point, rows) in enumerate(zip(self.points, pushed, strict=bool(pushed))):
            columns = _numerical(self.func, self.inputs, point, self.all_outputs, self.eps)
            for number, (found, numerical) in enumerate(zip(rows, columns, strict=False)):
                if self.all_outputs[number].is_floating_point() and not np.allclose(found, numerical, rtol, atol):
                    raise GradcheckError(
                        f"Jacobian computed with forward mode mismatch for output {number} with respect to input "
                        f"{which},\nnumerical:{wrap(numerical)}\nanalytical:{wrap(found)}\n"
                    )

    def _analytical(self, out: Any, nondet_tol: float, dtypes: bool) -> list[Array]:
        first, sizes_right, types_right = _analytical(self.points, out)
        again, _, _ = _analytical(self.points, out)
        if dtypes and not types_right:
            raise GradcheckError("Gradient has dtype mismatch")
        if not sizes_right:
            raise GradcheckError("Analytical gradient has incorrect size")
        if not _same(first, again, nondet_tol):
            raise GradcheckError(NOT_REENTRANT.format(nondet_tol))
        return first

    def vanish_with_the_gradient(self, nearly: bool) -> None:
        """Gradients for zero gradients must be zero, and look like the inputs."""
        if not self.outputs:
            return
        zeros = [wrap(np.zeros_like(out._array)) for out in self.outputs]
        for g, point in zip(grad(self.outputs, self.points, zeros, allow_unused=True), self.points, strict=True):
            if g is None:
                continue
            if not (np.allclose(g._array, 0) if nearly else (g._array == 0).all()):
                raise GradcheckError("backward not multiplied by grad_output")
            if g.dtype != point.dtype:
                raise GradcheckError("grad is incorrect type")
            if g.size() != point.size():
                raise GradcheckError("grad is incorrect size")

    def do_without_gradients(self) -> None:
        """Where no gradient comes, none or zeros must be the result: for all outputs, and for one after the other."""
        count = len(self.outputs)
        cases = [set(range(count)), *({one} for one in range(count) if count > 1)]
        for lost in cases if count else ():
            outputs = _differentiable(self.func(*self.inputs))
            outputs = [_Lost.apply(out) if number in lost else out for number, out in enumerate(outputs)]
            zeros = [wrap(np.zeros_like(out._array)) for out in outputs]
            try:
                found = grad(outputs, self.points, zeros, allow_unused=True)
            except RuntimeError as error:
                warnings.warn(UNDEFINED_IS_NEW, stacklevel=users_level())
                raise GradcheckError(
                    f"Expected backward function to handle undefined output grads. {UNDEFINED}"
                ) from error
            if any(g is not None and g._array.any() for g in found):
                warnings.warn(UNDEFINED_IS_NEW, stacklevel=users_level())
                raise GradcheckError(
                    "Expected all input grads to be undefined or zero when all output grads are undefined or zero. "
                    f"{UNDEFINED}"
                )


class _Lost(Function):
    """The same values, whose gradient gets lost on the way back."""

    @staticmethod
    def forward(ctx: Any, tensor: Any) -> Any:
        return tensor.clone()

    @staticmethod
    def backward(ctx: Any, g: Any) -> None:
        return None


def _tuple(given: Any) -> Tensors:
    return tuple(given) if isinstance(given, tuple | list) else (given,)


def _differentiable(outputs: Any) -> list[Any]:
    return [out for out in _tuple(outputs) if out.requires_grad]


def _check_inputs(inputs: Tensors) -> None:
    required = [(at, one) for at, one in enumerate(inputs) if isinstance(one, Variable) and one.requires_grad]
    for at, one in required:
        if one._array.dtype != np.float64:
            warnings.warn(SINGLE.format(at), stacklevel=users_level())
        if any(step <= 0 and size > 1 for step, size in zip(one._array.strides, one._array.shape, strict=True)):
            raise RuntimeError(STRIDE_0.format(at))
    if not required:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def _numerical(func: Callable[..., Any], inputs: Tensors, point: Any, outputs: Tensors, eps: float) -> list[Array]:
    """For each output a row for each element of the point, which is moved in place, unnoticed."""
    array = point._array
    rows: list[list[Array]] = [[] for _ in outputs]
    for index in np.ndindex(array.shape):
        there, moved = array[index], []
        for step in (-eps, eps):
            array[index] = there + step
            moved.append([out._array.copy() for out in _tuple(func(*inputs))])
        array[index] = there
        for row, below, above in zip(rows, *moved, strict=True):
            _check_same(below, above, index, eps)
            row.append(((above - below) / above.dtype.type(2 * eps)).reshape(-1))
    empty = [np.zeros((0, out.numel())) for out in outputs]
    return [np.stack(row) if row else none for row, none in zip(rows, empty, strict=True)]


def _check_same(below: Array, above: Array, index: tuple[int, ...], eps: float) -> None:
    if below.shape != above.shape:
        raise AssertionError(
            f"Expected `func` to return outputs with the same shape when inputs are perturbed on index {index} by "
            f"{eps}, but got: shapes {wrap(below).shape} and {wrap(above).shape}."
        )
    if below.dtype != above.dtype:
        raise AssertionError(
            f"Expected `func` to return outputs with the same dtype when inputs are perturbed on index {index} by "
            f"{eps}, but got: dtypes {wrap(below).dtype} and {wrap(above).dtype}."
        )


def _analytical(points: Sequence[Any], out: Any) -> tuple[list[Array], bool, bool]:
    """For each point its Jacobian, by a backward pass for each element of the output; if sizes and types are right."""
    jacobians = [np.zeros((point.numel(), out.numel()), point._array.dtype) for point in points]
    sizes_right = types_right = True
    for number in range(out.numel()):
        seed = np.zeros(out.numel(), out._array.dtype)
        seed[number] = 1
        found = grad(out, points, wrap(seed.reshape(out.shape)), retain_graph=True, allow_unused=True)
        for jacobian, g, point in zip(jacobians, found, points, strict=True):
            if g is not None:
                sizes_right = sizes_right and g.size() == point.size()
                types_right = types_right and g.dtype == point.dtype
                jacobian[:, number] = g._array.reshape(-1)
    return jacobians, sizes_right, types_right


def _same(first: Sequence[Array], again: Sequence[Array], tolerance: float) -> bool:
    return all(not one.size or abs(one - other).max() <= tolerance for one, other in zip(first, again, strict=True))


def get_numerical_jacobian(
    fn: Callable[..., Any], inputs: Any, target: Any = None, eps: float = 1e-3, grad_out: float = 1.0
) -> Tensors:
    """The Jacobians of the first output of `fn(inputs)` by differences; deprecated in PyTorch."""
    _deprecated("get_numerical_jacobian", grad_out)
    given = _tuple(inputs)
    points = [one for one in _tuple(inputs if target is None else target) if one.requires_grad]
    return tuple(wrap(_numerical(lambda *args: fn(args), given, point, _tuple(fn(given)), eps)[0]) for point in points)


def get_numerical_jacobian_wrt_specific_input(
    fn: Callable[..., Any], input_idx: int, inputs: Any, outputs: Any, eps: float, input: Any = None
) -> Tensors:
    """The Jacobians of all outputs with respect to one input, by differences."""
    point = inputs[input_idx] if input is None else input
    return tuple(wrap(found) for found in _numerical(fn, tuple(inputs), point, _tuple(outputs), eps))


def get_analytical_jacobian(inputs: Any, output: Any, nondet_tol: float = 0.0, grad_out: float = 1.0) -> Tensors:
    """The Jacobians of an output by backward; whether they are the same twice, and of right sizes and types."""
    _deprecated("get_analytical_jacobian", grad_out)
    points = [one for one in _tuple(inputs) if one.requires_grad]
    first, sizes_right, types_right = _analytical(points, output)
    same = _same(first, _analytical(points, output)[0], nondet_tol)
    return tuple(map(wrap, first)), same, sizes_right, types_right


def _deprecated(name: str, grad_out: float) -> None:
    warnings.warn(DEPRECATED.format(name), FutureWarning, stacklevel=users_level())
    if grad_out != 1.0:
        raise ValueError(f"Expected grad_out to be 1.0. {name} no longer supports values of grad_out != 1.0.")
