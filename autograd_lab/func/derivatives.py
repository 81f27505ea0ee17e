"""Derivatives of functions, forward (`jvp`, `jacfwd`) and in reverse (`vjp`, `jacrev`).

Arguments and results are tensors or tuples, lists and dicts of them; whatever else a function has to know it may find
around itself. These nest: `jacfwd(jacrev(f))` is a Hessian.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import Variable, alias, is_tensor, wrap
from autograd_lab.engine.exact import gradients, mapping
from autograd_lab.engine.exact import levels as forward
from autograd_lab.engine.exact.saving import disable_saved_tensors_hooks
from autograd_lab.engine.kernels import halves
from autograd_lab.engine.modes.grad_mode import enable_grad, is_grad_enabled
from autograd_lab.engine.modes.transforming import SAVED_TENSORS_HOOKS, by_vmap, transformed
from autograd_lab.engine.ops.shape.joining import stack
from autograd_lab.engine.ops.shape.views import view
from autograd_lab.func.checks import (
    check_randomness,
    differentiable,
    dual_parts,
    numbers_of,
    outputs_in,
    tensors_in,
    with_aux,
)
from autograd_lab.func.trees import form_of, leaves_of, like, stars_of, structure_of

__all__ = ["grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp"]

Function = Callable[..., Any]
Argnums = int | tuple[int, ...]

# --- forward ---------------------------------------------------------------------------------------------------------


def jvp(func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """`func(*primals)`, and its Jacobian times the tangents: one pass, forward, beside the values.

    With `has_aux` the function returns something else besides, which is returned third. Raises NotImplementedError
    for an op that has no rule.
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    if form_of(primals) != form_of(tangents):
        first, second = structure_of(primals), structure_of(tangents)
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals and tangents to have the same python structure. For example, "
            f"if primals is a tuple of 3 tensors, tangents also must be. Got primals with structure {first} and "
            f"tangents with structure {second}"
        )
    refusal = "jvp(f, primals, tangents): Expected {} to only contain Tensors, got"
    given = tensors_in(primals, refusal.format("primals"))
    moves = tensors_in(tangents, refusal.format("tangents"))
    if not given:
        raise RuntimeError("jvp(f, primals, tangents): Expected primals to contain at least one Tensor.")
    at = forward.enter()
    try:
        duals = [_dual(one, at, tangent) for one, tangent in dual_parts(given, moves)]
        with transformed(), forward.switched(True):
            result = func(*like(primals, iter(duals)))
        output, aux = with_aux(result, has_aux, "jvp(f, primals, tangents)")
        made = outputs_in(output, "jvp(f, primals, tangents)")
        found = [_tangent(one, at, strict) for one in made]
        plain = [forward.without_tangent(one, at) for one in made]
        aux = like(aux, (forward.without_tangent(one, at) if is_tensor(one) else one for one in leaves_of(aux)))
    finally:
        forward.leave()
    answer = like(output, iter(plain)), like(output, iter(found))
    return (*answer, aux) if has_aux else answer


def _dual(tensor: Any, at: int, tangent: Any) -> Any:
    dual = tensor.view_as(tensor)
    forward.set_tangent(dual, at, tangent)
    return dual


def _tangent(tensor: Any, at: int, strict: bool) -> Any:
    with forward.below(at):
        found = forward.tangent_of(tensor, at)
        if found is None and strict:
            raise RuntimeError(
                "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                "allowed with strict=True."
            )
        return mapping.hand_on(wrap(np.zeros_like(tensor._array)), tensor) if found is None else found


def jacfwd(func: Function, argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:
    """The function that gives the Jacobian of `func`: a forward pass for each element of the arguments `argnums`."""
    return by_columns(func, argnums, has_aux, randomness, view)


def by_columns(func: Function, argnums: Argnums, has_aux: bool, randomness: str, shaped: Function) -> Function:
    """`jacfwd`, where what brings columns that lie side by side into shape is `shaped`."""

    @wraps(func)
    def jacobian(*args: Any) -> Any:
        check_randomness(randomness)
        of_these, chosen = _chosen(func, argnums, args)
        given = tensors_in(chosen, "jvp(f, primals, tangents): Expected primals to only contain Tensors, got")
        columns: list[list[Any]] = [[] for _ in given]
        told: Any = None
        for place, one in enumerate(given):
            of_one = _of_one(of_these, chosen, place)
            with halves.among(one.numel() > 1, "tangents"):
                for basis in _basis(one):
                    with by_vmap():
                        told = jvp(of_one, (one,), (basis,), has_aux=has_aux)
                    columns[place].append(leaves_of(told[1]))
        output = of_these(*chosen) if told is None else told[0]
        blocks = [
            [_block(column, which, one, argument, shaped) for column, argument in zip(columns, given, strict=True)]
            for which, one in enumerate(leaves_of(output))
        ]
        answer = like(output, iter([_per_argument(like(chosen, iter(row)), argnums) for row in blocks]))
        return (answer, told[2]) if has_aux else answer

    return jacobian


def _chosen(func: Function, argnums: Argnums, args: tuple[Any, ...], **named: Any) -> tuple[Function, tuple[Any, ...]]:
    """The function of some of its arguments only, and these."""
    numbers = numbers_of(argnums, len(args))

    def of_these(*chosen: Any) -> Any:
        filled = list(args)
        for number, one in zip(numbers, chosen, strict=True):
            filled[number] = one
        return func(*filled, **named)

    return of_these, tuple(args[number] for number in numbers)


def _of_one(func: Function, chosen: tuple[Any, ...], place: int) -> Function:
    """The function of one of the tensors in its arguments."""
    leaves = leaves_of(chosen)
    return lambda one: func(*like(chosen, iter([*leaves[:place], one, *leaves[place + 1 :]])))


def _basis(tensor: Any) -> Iterator[Any]:
    """A tangent along each element: 1 there, 0 elsewhere."""
    for element in range(tensor.numel()):
        ones = np.zeros(tensor._array.size, tensor._array.dtype)
        ones[element] = 1
        yield wrap(ones.reshape(tensor._array.shape))


def _block(columns: list[Any], which: int, output: Any, argument: Any, shaped: Function) -> Any:
    """The derivatives of one output by one argument, of which there is a column for each element of the argument."""
    shape = (*output.shape, *argument.shape)
    if not columns:
        return wrap(np.zeros(shape, output._array.dtype))
    return shaped(stack([column[which] for column in columns]).movedim(0, -1), shape)  # as PyTorch lays them


def _per_argument(blocks: Any, argnums: Argnums) -> Any:
    return blocks[0] if isinstance(argnums, int) else tuple(blocks)


# --- in reverse ------------------------------------------------------------------------------------------------------


@contextmanager
def in_reverse() -> Iterator[None]:
    """Inside, the function to differentiate in reverse is called: recorded, and without saved-tensor hooks."""
    with disable_saved_tensors_hooks(SAVED_TENSORS_HOOKS), transformed(), enable_grad():
        yield


def _apart(tensor: Any) -> Any:
    """The tensor to differentiate by, told apart from the same one used otherwise; what led to it goes on beyond it."""
    if tensor._needs:
        return tensor.view_as(tensor)
    own: Any = mapping.hand_on(alias(tensor, share_version=True), tensor)
    own._needs = True
    forward.copy_tangents(tensor, own)
    return own


def _done(tensor: Any, inputs: list[Any], recorded: bool) -> Any:
    """A result without history, unless that is recorded and leads beyond the inputs; and so its tangents."""
    return tensor if recorded and any(map(_leads_on, inputs)) else forward.without_history(tensor)


def _leads_on(tensor: Any) -> bool:
    tangents = (forward.tangent_of(tensor, at) for at in range(1, forward.level + 1))
    return tensor._needs or any(one is not None and _leads_on(one) for one in tangents)


def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """`func(*primals)`, and a function that takes cotangents back through its graph, as often as it is called."""
    given, recorded = (
        tensors_in(primals, "vjp(f, *primals): Expected primals to only contain Tensors, got"),
        is_grad_enabled(),
    )
    with in_reverse():
        inner = [_apart(one) for one in differentiable(given)]
        result = func(*like(primals, iter(inner)))
    output, aux = with_aux(result, has_aux, "vjp(f, *primals)")
    made = outputs_in(output, "vjp(f, *primals)")

    def back(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        if form_of(cotangents) != form_of(output):
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {stars_of(cotangents)}, primal output: {stars_of(output)}"
            )
        seeds, wanted = leaves_of(cotangents), is_grad_enabled()
        return like(primals, iter([_done(one, [*given, *seeds], wanted) for one in _pulled(made, inner, seeds)]))

    answer = like(output, iter([_done(one, given, recorded) for one in made]))
    aux = like(aux, iter([_done(one, given, recorded) if is_tensor(one) else one for one in leaves_of(aux)]))
    return (answer, back, aux) if has_aux else (answer, back)


def _pulled(outputs: list[Any], inputs: list[Any], cotangents: list[Any]) -> list[Any]:
    """The vjp, zeros where an input was not used."""
    pairs = [(out, g) for out, g in zip(outputs, cotangents, strict=True) if out._needs]
    found: Any = [None] * len(inputs)
    if pairs:
        with enable_grad():
            found = gradients.grad(
                [out for out, _ in pairs], inputs, [g for _, g in pairs], create_graph=True, allow_unused=True
            )
    made = [wrap(np.zeros_like(one._array)) if g is None else g for g, one in zip(found, inputs, strict=True)]
    return [mapping.hand_on(g, one, *outputs, *cotangents) for g, one in zip(made, inputs, strict=True)]


def jacrev(
    func: Function, argnums: Argnums = 0, *, has_aux: bool = False, chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Function:  # fmt: skip
    """The function that gives the Jacobian of `func`: a backward pass for each element of its results.

    Rows come one by one, whatever `chunk_size` is.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @wraps(func)
    def jacobian(*args: Any) -> Any:
        of_these, chosen = _chosen(func, argnums, args)
        told = vjp(of_these, *chosen, has_aux=has_aux)
        output, back = told[0], told[1]
        made, given = leaves_of(output), leaves_of(chosen)
        blocks = []
        for which, one in enumerate(made):
            others = [wrap(np.zeros_like(other._array)) for other in made]
            with halves.among(one.numel() > 1):
                rows = [
                    leaves_of(back(like(output, iter([*others[:which], g, *others[which + 1 :]])))) for g in _basis(one)
                ]
            shapes = [(*one.shape, *argument.shape) for argument in given]
            parts = [stack([row[n] for row in rows], 0).reshape(shape) for n, shape in enumerate(shapes)]
            blocks.append(_per_argument(like(chosen, iter(parts)), argnums))
        answer = like(output, iter(blocks))
        return (answer, told[2]) if has_aux else answer

    return jacobian


def hessian(func: Function, argnums: Argnums = 0) -> Function:
    """The function that gives the second derivatives of `func`: forward over reverse."""
    return jacfwd(jacrev(func, argnums), argnums)


def grad(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """The function that gives the gradient of `func`, which returns one number."""
    told = grad_and_value(func, argnums, has_aux)

    @wraps(func)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        found, value = told(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return gradient


def grad_and_value(func: Function, argnums: Argnums = 0, has_aux: bool = False) -> Function:
    """The function that gives the gradient of `func`, and what it returned."""

    @wraps(func)
    def told(*args: Any, **kwargs: Any) -> Any:
        of_these, chosen = _chosen(func, argnums, args, **kwargs)
        given, recorded = leaves_of(chosen), is_grad_enabled()
        with in_reverse():
            inner = [_apart(one) for one in differentiable(given)]
            result = of_these(*like(chosen, iter(inner)))
        value, aux = with_aux(result, has_aux, "grad_and_value(f)(*args)")
        if not isinstance(value, Variable):
            raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(value)}")
        if value._array.ndim:
            raise RuntimeError(
                "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                f"{value._array.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        found = _pulled([value], inner, [wrap(np.ones((), value._array.dtype))])
        plain = like(chosen, iter([_done(one, given, recorded) for one in found]))
        value = _done(value, given, recorded)
        aux = like(aux, iter([_done(one, given, recorded) if is_tensor(one) else one for one in leaves_of(aux)]))
        return _per_argument(plain, argnums), (value, aux) if has_aux else value

    return told
