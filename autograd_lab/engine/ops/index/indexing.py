"""`x[...]`: numbers and slices look at the same memory, lists and masks copy."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core.apply import apply_view, applyn
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.exact.saving import SavedTensor
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import checked_dim
from autograd_lab.engine.ops.ground.kinds import Linear
from autograd_lab.engine.ops.ground.writing import change, check_write, may_write
from autograd_lab.engine.ops.index.laid_out import as_indexed
from autograd_lab.engine.ops.index.subscripts import (
    as_listed,
    as_number,
    as_positions,
    as_tuple,
    check_kinds,
    check_lists,
    check_positions,
    check_put,
    check_read,
    check_slice,
    indexed_shape,
    is_mask,
    need_values,
    refuse_bytes,
)
from autograd_lab.engine.ops.shape.slicing import LAST, SelectBackward0, SliceBackward0
from autograd_lab.engine.ops.shape.views import AliasBackward0, unsqueeze

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["index_put"]


Index = tuple[Any, ...]


class Listed(Linear):
    """An op that takes the entries which lists of positions or masks name; the lists are saved as one slot."""

    differentiable = 1
    mixes = False

    def slot_name(self, position: int) -> str:
        """All of them are in the slot `indices`."""
        return "indices"

    @property
    def _saved_indices(self) -> tuple[Any, ...]:
        if self._saved is None:
            raise self._second_time()
        return tuple(self._tensor(position) for position in range(len(self._saved) // 3))

    @property
    def _raw_saved_indices(self) -> tuple[SavedTensor, ...]:
        if self._saved is None:
            raise self._second_time()
        return tuple(SavedTensor(self, position) for position in range(len(self._saved) // 3))

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "_raw_saved_indices", "_saved_indices"]

    def save_rest(self, operands: Sequence[Any]) -> None:
        """Save the lists, one for each dimension, None for a dimension taken whole."""
        indices = operands[self.differentiable :]
        triples = [(None, None, 0) if one is None else (one, one._cell, one._cell[0]) for one in indices]
        self._saved = tuple(each for triple in triples for each in triple)


def _whole(indices: Index, x: Any) -> Index:
    """An index as numpy takes it; of nothing, any positions will do."""
    if not isinstance(x, Variable) and not x.size:
        indices = tuple(one if one is None or one.dtype.kind == "b" else np.zeros_like(one) for one in indices)
    return tuple(slice(None) if index is None else index for index in indices)


class IndexBackward0(Listed):
    """The entries that lists of positions or masks name, copied; an entry named twice gets both gradients."""

    __slots__ = ("self_sym_sizes",)

    def forward(self, x: Array, *indices: Any) -> Array:
        self.self_sym_sizes = x.shape
        where = _whole(indices, x)
        return as_indexed(x[where], x, where)

    def backward(self, g: Any, *indices: Any) -> Any:
        if isinstance(g, Variable):
            return applyn(IndexPutImplBackward0, (formulas.blank(self.self_sym_sizes, g), g, *indices), True)
        whole = np.zeros(self.self_sym_sizes, g.dtype)
        np.add.at(whole, _whole(indices, whole), g)
        return whole


class IndexPutBackward0(Listed):
    """The entries that lists of positions or masks name become those of `values`, or are increased by them."""

    __slots__ = ("accumulate",)
    inputs = ("self", "values")
    differentiable = 2

    def forward(self, x: Array, values: Array, *indices_and_accumulate: Any) -> Array:
        *indices, self.accumulate = indices_and_accumulate
        result = x.copy()
        where = _whole(tuple(indices), x)
        if self.accumulate:
            np.add.at(result, where, values.astype(x.dtype))
        else:
            result[where] = values.astype(x.dtype)
        return result

    def backward(self, g: Any, *indices: Any) -> Any:
        needs = self.next_functions
        where = _whole(indices, g)
        kept = None
        if needs[0][0] is not None and self.accumulate:
            kept = g
        elif needs[0][0] is not None and isinstance(g, Variable):
            kept = applyn(IndexPutBackward0, (g, formulas.blank((), g), *indices), False)
        elif needs[0][0] is not None:
            kept = np.array(g)
            kept[where] = 0
        return kept, None if needs[1][0] is None else g[where]


class IndexPutImplBackward0(IndexPutBackward0):
    """Zeros, increased by values at the entries that lists name: what `index` has in the graph of its gradient."""


def get(input: Tensor, index: Any) -> Tensor:
    """`input[index]`."""
    if type(index) is int and input._array.ndim:
        return _selected(input, 0, index, 0)
    if isinstance(index, slice) and input._array.ndim:
        check_slice(index)
        return _sliced(input, 0, index, always=True)
    part, lists = basic(input, as_tuple(index), whole=not isinstance(index, tuple))
    if lists:
        check_lists(part._array.shape, lists)
        check_positions(part._array.shape, lists)
        try:
            return applyn(IndexBackward0, (part, *lists))
        except IndexError:
            indexed_shape(part._array.shape, lists)  # which raises PyTorch's error
            raise
    return apply_view(AliasBackward0, input) if part is input else part


def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """The tensor with `values` at the places that lists of positions or masks name, or added there."""
    need_values("index_put", values)
    lists = _lists(input, indices)
    check_put(input, values, lists)
    refuse_bytes(indices, lists, values)
    return applyn(IndexPutBackward0, (input, values, *lists), accumulate)


def index_put_(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """The elements at the places that lists of positions or masks name become `values`, or these are added."""
    need_values("index_put_", values)
    may_write(input, values)
    lists = _lists(input, indices, values)
    check_put(input, values, lists)
    refuse_bytes(indices, lists, values)
    return change("index_put_", IndexPutBackward0, input, (values, *lists), accumulate)


def _lists(input: Tensor, indices: Any, values: Any = None) -> Index:
    try:
        return basic(input, tuple(slice(None) if one is None else one for one in indices), values, listed=True)[1]
    except IndexError as error:
        if str(error).startswith("too many"):
            raise IndexError(f"{error} (got {len(indices)})") from None
        raise


def basic(
    input: Tensor, index: Index, source: Any = None, whole: bool = False, listed: bool = False
) -> tuple[Tensor, Index]:
    """Follow numbers, slices, None and `...` one after another; what is left are lists and masks, by dimension.

    With a `source`, they are to be written to: whether they may is asked before whether the lists fit. The `whole`
    index was one thing, which has texts of its own where there is no dimension. What is `listed` is not followed.
    """
    given = index[0] if whole else None
    index = tuple(map(as_listed if listed else as_positions, index))
    part, dim, lists = input, 0, {}
    taken = sum(one._array.ndim if is_mask(one) else one is not None and one is not ... for one in index)
    if taken > input._array.ndim:
        if isinstance(given, slice):
            check_slice(given)
        if not input._array.ndim and isinstance(given, slice):
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        if not input._array.ndim and isinstance(given, int) and given:
            raise IndexError(f"index {given} is out of bounds for dimension 0 with size 0")
        if not input._array.ndim and isinstance(given, int):
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                "convert a 0-dim tensor to a number"
            )
        raise IndexError(f"too many indices for tensor of dimension {input._array.ndim}")
    for position, one in enumerate(index):
        if part is not input and listening.active is not None and one is not ... and one != slice(None):
            listening.active.step_applied()
        if one is None:
            part, dim = unsqueeze(part, dim), dim + 1
        elif one is ...:
            dim += input._array.ndim - taken
        elif isinstance(one, slice):
            part, dim = _sliced(part, dim, one), dim + 1
        elif isinstance(one, Variable):
            if not one._array.ndim and one._array.dtype.kind == "b":  # a truth value: the whole, or nothing
                part, one = unsqueeze(part, dim), wrap(np.flatnonzero(one._array))
            lists[dim] = one
            dim += one._array.ndim if is_mask(one) else 1
        else:
            part = _selected(part, dim, as_number(one), position)
    if lists and max(lists) >= part._array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {part._array.ndim} (got {max(lists) + 1})")
    if lists and source is not None:
        if (part._needs or source._needs) and is_grad_enabled():
            check_write(part)
        check_read(part, source, lists.values())
    found = _by_dimension(part, lists)
    check_kinds(part._array.shape, found)
    return part, found


def _selected(part: Tensor, dim: int, index: int, position: int) -> Tensor:
    size = part._array.shape[dim] if dim < part._array.ndim else 0  # as it may be after a second `...`
    if not -size <= index < size:
        if not -LAST - 1 <= index <= LAST:
            raise ValueError("Overflow when unpacking long long")
        raise IndexError(f"index {index} is out of bounds for dimension {position} with size {size}")
    return apply_view(SelectBackward0, part, dim, index)


def _sliced(part: Tensor, dim: int, one: slice, always: bool = False) -> Tensor:
    start = 0 if one.start is None else operator.index(one.start)
    end = LAST if one.stop is None else operator.index(one.stop)
    step = 1 if one.step is None else operator.index(one.step)
    if step <= 0:
        raise ValueError("step must be greater than zero" if step else "slice step cannot be zero")
    size = part._array.shape[dim] if dim < part._array.ndim else LAST
    if not always and start == 0 and end >= size and step == 1:
        return part
    return apply_view(SliceBackward0, part, checked_dim(part, dim), start, end, step)


def _by_dimension(part: Tensor, lists: dict[int, Any]) -> Index:
    if not lists:
        return ()
    found: list[Any] = []
    for dim in sorted(lists):
        found += [None] * (
            dim - sum(one._array.ndim if is_mask(one) else 1 for one in found if one is not None) - found.count(None)
        )
        found.append(lists[dim])
    return tuple(found)
