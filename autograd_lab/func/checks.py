"""What `torch.func` asks of functions and of their arguments, in PyTorch's words."""

from __future__ import annotations

from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.func.trees import leaves_of


def numbers_of(argnums: Any, count: int) -> tuple[int, ...]:
    """Which arguments to differentiate by. Raises RuntimeError for what a function of `count` arguments has not."""
    if not isinstance(argnums, int | tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    for number in numbers:
        if not isinstance(number, int):
            raise RuntimeError(f"argnum must be int, got: {type(number)}")
        if not -count <= number < count:
            raise RuntimeError(f"Got argnum={number}, but only {count} positional inputs")
    found = tuple(number % count for number in numbers)
    if not found:
        raise RuntimeError("argnums must be non-empty")
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {found}")
    return found


def tensors_in(tree: Any, refusal: str) -> list[Any]:
    """The leaves, all tensors. Raises RuntimeError, which ends with the kind of what is none."""
    found = leaves_of(tree)
    for one in found:
        if not is_tensor(one):
            raise RuntimeError(f"{refusal} {type(one)}")
    return found


def differentiable(tensors: list[Any]) -> list[Any]:
    """The tensors to differentiate by. Raises RuntimeError for integers, ValueError for what is no tensor."""
    for one in tensors:
        if not is_tensor(one):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(one)}")
        if not one.is_floating_point():
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
    return tensors


def dual_parts(primals: list[Any], tangents: list[Any]) -> list[tuple[Any, Any]]:
    """Each tensor with its tangent. Raises ValueError for integers, which have none."""
    for pair in zip(primals, tangents, strict=True):
        for name, one in zip(("primal", "tangent"), pair, strict=True):
            if not one.is_floating_point():
                raise ValueError(f"Expected {name} to be floating point or complex, but got: {one.dtype}")
    return list(zip(primals, tangents, strict=True))


def check_randomness(randomness: Any) -> None:
    """Raise RuntimeError unless it says what examples that draw random numbers are to do."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")


def outputs_in(output: Any, api: str) -> list[Any]:
    """The tensors that a function returned. Raises RuntimeError if there are none, or others."""
    found = leaves_of(output)
    if not found or found == [None]:
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {found})")
    return tensors_in(output, f"{api}: expected f(*primals) to return only tensors, got unsupported type")


def with_aux(result: Any, has_aux: bool, api: str) -> tuple[Any, Any]:
    """The output of a function, and what it returned besides, if it does: tensors."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    tensors_in(result[1], "Expected tensors, got unsupported type")
    return result
