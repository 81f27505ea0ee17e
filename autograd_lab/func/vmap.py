"""`vmap`: a function of one example becomes one of many. Here it runs once for each, and the results are stacked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial, wraps
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.draws import generator
from autograd_lab.engine.exact import mapping
from autograd_lab.engine.kernels import halves
from autograd_lab.engine.modes import repeated
from autograd_lab.engine.modes.transforming import transformed
from autograd_lab.engine.ops.shape.joining import stack
from autograd_lab.func.checks import check_randomness
from autograd_lab.func.trees import leaves_of, like, spread, structure_of

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
    check_randomness(randomness)
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        _check_out_dims(out_dims, func)
        given, dims = leaves_of(args), _dims_of(in_dims, args, func)
        results = []
        count = _count(given, dims)
        shared = [one for one, dim in zip(given, dims, strict=True) if dim is None and is_tensor(one)]
        versions = [one._cell[0] for one in shared]
        with generator.watched() as sources, closing(repeated.each(count, chunk_size)) as examples:
            for example in examples if count else (None,):
                if randomness == "same":
                    sources.restore()
                with mapping.mapped(count) as number, transformed("vmap"), halves.among(count > 1):
                    one = iter(_examples(given, dims, example, number))
                    made = func(*like(args, one), **kwargs)
                    own = [bool(mapping.marks(leaf) & {number}) for leaf in leaves_of(made)]
                results.append((made, own))
                if randomness == "error" and sources.have_moved():
                    sources.restore()
                    raise RuntimeError(RANDOM)
                _unwritten(shared, versions, count)
        return _stacked(results, out_dims, func, count)

    return wrapped


_vmap = vmap  # its older name, which libraries import


def _unwritten(shared: list[Any], versions: list[int], count: int) -> None:
    """Raise RuntimeError if an example wrote to what it shares with others, where there is room for one alone."""
    for one, version in zip(shared, versions, strict=True):
        if count > 1 and one._cell[0] != version:
            there, wanted = list(one.shape), [count, *one.shape]
            raise RuntimeError(f"output with shape {there} doesn't match the broadcast shape {wanted}")


def _name(func: Any) -> str:
    """A function as error messages have it."""
    if isinstance(func, partial) and not hasattr(func, "__name__"):
        return f"functools.partial({_name(func.func)}, ...)"
    return str(getattr(func, "__name__", repr(func)))


def _check_out_dims(out_dims: Any, func: Function) -> None:
    if not all(one is None or isinstance(one, int) for one in leaves_of(out_dims)):
        raise ValueError(
            f"vmap({_name(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of "
            "ints representing where in the outputs the vmapped dimension should appear."
        )


def _dims_of(in_dims: Any, args: tuple[Any, ...], func: Function) -> list[int | None]:
    """For each tensor in the arguments the dimension of its examples, or None."""
    call = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, int | tuple):
        raise ValueError(
            f"{call}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
            "over a function with no inputs. The latter is unsupported."
        )
    told = spread(in_dims, args)
    if told is None:
        raise ValueError(
            f"{call}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{structure_of(in_dims)} but inputs has structure {structure_of(args)}."
        )
    return [_checked_dim(dim, leaf, call) for dim, leaf in zip(told, leaves_of(args), strict=True)]


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
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return int(sizes[0])


def _examples(given: list[Any], dims: list[int | None], example: int | None, number: int) -> list[Any]:
    """The arguments of one example; where there is none, zeros of its shape."""
    found = []
    for one, dim in zip(given, dims, strict=True):
        if dim is not None:
            part = one.select(dim, example) if example is not None else one.sum(dim).to(one.dtype)
            one = mapping.mark(part, mapping.marks(one) | {number})
        found.append(one)
    return found


def _stacked(results: list[tuple[Any, list[bool]]], out_dims: Any, func: Function, count: int) -> Any:
    """The results of all examples as one: each tensor with a dimension more."""
    name, (first, own) = _name(func), results[0]
    columns = list(zip(*(leaves_of(result) for result, _ in results), strict=True))
    one = is_tensor(first)  # for which a tuple with one dimension will do, too
    alone = one and isinstance(out_dims, tuple) and len(out_dims) == 1
    dims = list(out_dims) if alone else spread(out_dims, first)
    if dims is None:
        wanted, made = structure_of(out_dims), structure_of(first)
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
            f"`outputs`. out_dims has structure {wanted} but outputs has structure {made}."
        )
    parts = zip(columns, dims, own, strict=True)
    return like(first, iter([_joined(list(column), dim, of_one, name, count) for column, dim, of_one in parts]))


def _joined(column: list[Any], dim: int | None, own: bool, name: str, count: int) -> Any:
    """What all examples returned in one place, side by side; or what one of them did, where no dimension is wanted.

    What no example has for its `own` is the same for all, once in memory.
    """
    if dim is None and own:
        raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
    if dim is None:
        return column[0]
    if len(set(map(is_tensor, column))) > 1:
        raise RuntimeError(mapping.DECIDES)
    first = column[0]
    if not is_tensor(first):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(first)}. Did you mean to set "
            "out_dims= to None for output?"
        )
    if not own and all(np.array_equal(other._array, first._array, equal_nan=True) for other in column):
        at = dim % (first.dim() + 1)
        return first.expand(*first.shape[:at], count, *first.shape[at:])
    made = stack(column, 0) if count else stack(column, 0)[:0]
    return made.movedim(0, dim) if dim else made


def debug_unwrap(tensor: Any, *, recurse: bool = True) -> Any:
    """The tensor itself: inside of `vmap` and `grad`, too, tensors are plain ones here."""
    return tensor
