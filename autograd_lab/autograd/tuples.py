"""What `torch.autograd.functional` does with tuples of tensors, under PyTorch's names, which libraries import."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from autograd_lab.engine.core.variable import Variable

Tensors = tuple[Any, ...]


def _as_tuple(given: Any, what: str | None = None, name: str | None = None) -> Any:
    """Whether a tuple was given, and the tuple, with TypeError at what is no tensor; for nobody, the tuple alone."""
    if what is name is None:
        return tuple(given) if isinstance(given, tuple | list) else (given,)
    is_tuple = isinstance(given, tuple)
    tensors = given if is_tuple else (given,)
    for i, one in enumerate(tensors):
        if not isinstance(one, Variable):
            which = f"value at index {i}" if is_tuple else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {which} has type "
                f"{type(one)}."
            )
    return is_tuple, tensors


def _tuple_postprocess(result: Any, in_tuple: bool | tuple[bool, bool]) -> Any:
    """A tuple, or tuple of tuples, as it was given: taken out of those that `_as_tuple` made."""
    outer, inner = in_tuple if isinstance(in_tuple, tuple) else (in_tuple, True)
    rows = result if inner else tuple(one[0] for one in result)
    return rows if outer else rows[0]


def _grad_postprocess(tensors: Tensors, create_graph: bool) -> Tensors:
    """Gradients without a history, unless that was wanted."""
    if not isinstance(tensors[0], Variable):
        return tuple(_grad_postprocess(one, create_graph) for one in tensors)
    whole: Any = tensors
    return tensors if create_graph else tuple(one.detach() for one in whole)


def _construct_standard_basis_for(tensors: Any, sizes: tuple[int, ...]) -> Tensors:
    """For each tensor the columns of an identity matrix that are its own: a row for each element of all of them."""
    starts = accumulate(sizes, initial=0)
    basis = tuple(one.new_zeros(sum(sizes), size) for one, size in zip(tensors, sizes, strict=True))
    for columns, start in zip(basis, starts, strict=False):
        columns.diagonal(-start).fill_(1)
    return basis
