"""`vmap`: a function of one example becomes one of many. Here it runs once for each, and the results are stacked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.exact.gradients import to_come
from autograd_lab.engine.numbers.generator import numbers_of
from autograd_lab.engine.ops.shape.joining import stack
from autograd_lab.func.trees import leaves_of, like

Function = Callable[..., Any]

RANDOM = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)


def vmap(
    func: Function, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: int | None = None
) -> Function:
    """The function that computes `func` for each example along a dimension of its arguments.

    `in_dims` says for each argument along which dimension its examples lie, None that all examples share it, as they do
    all that is passed by name;
    `out_dims` where those of the results are to lie. `randomness` is "same", "different" or "error"; `chunk_size` says
    of how many examples the graphs are freed together: they come one after another here. Raises ValueError and
    RuntimeError as PyTorch does.

    >>> import autograd_lab as torch
    >>> torch.vmap(torch.dot)(torch.ones(2, 3), torch.ones(2, 3))
    tensor([3., 3.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @wraps(func)
    def for_each(*args: Any, **kwargs: Any) -> Any:
        dims = _dims_of(in_dims, args, _named(func, in_dims))
        given = leaves_of(args)
        count = _count(given, dims)
        source = numbers_of().bit_generator
        begun, results = source.state, []
        for example in range(count):
            if randomness == "same":
                source.state = begun
            one = iter(_examples(given, dims, example))
            with _followed((example + 1) % (chunk_size or count) and example + 1 < count):
                results.append(func(*like(args, one), **kwargs))
            if randomness == "error" and source.state != begun:
                raise RuntimeError(RANDOM)
        return _stacked(results, out_dims, _named(func, in_dims))

    return for_each


@contextmanager
def _followed(others: Any) -> Iterator[None]:
    """An example, and whether others come whose gradients are in PyTorch of the same pass."""
    token = to_come.set(to_come.get() or bool(others))
    try:
        yield
    finally:
        to_come.reset(token)


def _named(func: Function, in_dims: Any) -> str:
    """The call as error messages have it."""
    return f"vmap({getattr(func, '__name__', repr(func))}, in_dims={in_dims}, ...)(<inputs>)"


def _dims_of(in_dims: Any, args: tuple[Any, ...], call: str) -> list[int | None]:
    """For each tensor in the arguments the dimension of its examples, or None."""
    if not isinstance(in_dims, int | tuple | list):
        raise ValueError(
            f"{call}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    if not leaves_of(args):
        raise ValueError(
            f"{call.partition(',')[0]})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
            "vmap over a function with no inputs. The latter is unsupported."
        )
    told = [in_dims] * len(args) if isinstance(in_dims, int) else list(in_dims)
    if len(told) != len(args):
        raise ValueError(
            f"{call}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{len(told)} but inputs has structure {len(args)}."
        )
    pairs = [pair for dim, argument in zip(told, args, strict=True) for pair in _spread(dim, argument)]
    return [_checked_dim(dim, leaf, call) for dim, leaf in pairs]


def _spread(dim: Any, argument: Any) -> Iterator[tuple[Any, Any]]:
    """Each leaf of an argument, with what was said of its dimension, there or for the whole."""
    if isinstance(argument, dict):
        for key in argument:
            yield from _spread(dim[key] if isinstance(dim, dict) else dim, argument[key])
    elif isinstance(argument, tuple | list):
        for at, part in enumerate(argument):
            yield from _spread(dim[at] if isinstance(dim, tuple | list) else dim, part)
    else:
        yield dim, argument


def _checked_dim(dim: Any, leaf: Any, call: str) -> int | None:
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            f"{call}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
        )
    if not is_tensor(leaf):
        raise ValueError(
            f"{call}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    if not -leaf.dim() <= dim < leaf.dim():
        raise ValueError(
            f"{call}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {leaf.dim()} so "
            f"expected in_dim to satisfy -{leaf.dim()} <= in_dim < {leaf.dim()}."
        )
    return dim % leaf.dim()


def _count(given: list[Any], dims: list[int | None]) -> int:
    """How many examples there are. Raises ValueError unless all arguments have the same number."""
    sizes = [one.shape[dim] for one, dim in zip(given, dims, strict=True) if dim is not None]
    if not sizes:
        raise ValueError("vmap: at least one tensor must have an in_dim that is not None, so that there are examples.")
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return int(sizes[0])


def _examples(given: list[Any], dims: list[int | None], example: int) -> list[Any]:
    return [one if dim is None else one.select(dim, example) for one, dim in zip(given, dims, strict=True)]


def _stacked(results: list[Any], out_dims: Any, call: str) -> Any:
    """The results of all examples as one: each tensor with a dimension more."""
    if not results:
        raise ValueError(f"{call}: there is no example, so nothing is known of what it returns.")
    columns = list(zip(*(leaves_of(result) for result in results), strict=True))
    for column in columns:
        if not is_tensor(column[0]):
            name = call.partition("(")[2].partition(",")[0]
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(column[0])}. "
                "Did you mean to set out_dims= to None for output?"
            )
    dims = [out_dims] * len(columns) if isinstance(out_dims, int) else leaves_of(out_dims)
    stacks = [column[0] if dim is None else stack(list(column), dim) for column, dim in zip(columns, dims, strict=True)]
    return like(results[0], iter(stacks))
