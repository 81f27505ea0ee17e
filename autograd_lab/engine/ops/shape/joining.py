"""Ops that put tensors together and take them apart: cat, stack, split, chunk, unbind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core import seams
from autograd_lab.engine.core.apply import apply_many, applyn, link, view_of
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.modes.inference import is_inference, is_inference_mode_enabled
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype, result_dtype
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.dims import checked_dim, indices_of, numpy_names
from autograd_lab.engine.ops.ground.kinds import Linear

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["cat", "chunk", "concat", "concatenate", "split", "stack", "unbind"]


class CatBackward0(Linear):
    """Tensors one after another along a dimension: each gets its stretch of the gradient."""

    inputs = ()
    __slots__ = ("_sizes", "dim")

    def forward(self, *arrays_and_dim: Any) -> Array:
        *arrays, self.dim = arrays_and_dim
        kind, full = _kind(arrays), [array for array in arrays if array.shape != (0,)] or arrays
        self._sizes = [array.shape[self.dim] if array.shape != (0,) else None for array in arrays]
        axis = 0 if full[0].shape == (0,) else self.dim
        return np.ascontiguousarray(np.concatenate(full, axis=axis, dtype=kind, casting="unsafe"))

    def backward(self, g: Any) -> Any:
        if _leads_nowhere(self):
            return (None,) * len(self.next_functions)
        found: list[Any] = []
        start = 0
        for size in self._sizes:
            found.append(formulas.blank((0,), g) if size is None else _stretch(g, self.dim, start, size))
            start += size or 0
        return tuple(found)


def _leads_nowhere(node: Node) -> bool:
    """Whether nobody asks for any of the gradients; for one of them, all are computed."""
    return all(target is None for target, _ in node.next_functions)


def _stretch(g: Any, dim: int, start: int, size: int) -> Any:
    if isinstance(g, Variable):
        return g.narrow(dim % g.ndim, start, size)
    return g[(*(slice(None),) * (dim % g.ndim), slice(start, start + size))]


def _kind(arrays: Sequence[Array]) -> NumpyDtype:
    """The dtype of what arrays are put together to, to which even those of nothing contribute."""
    first: NumpyDtype = arrays[0].dtype
    return first if all(array.dtype is first for array in arrays) else result_dtype(arrays)


class StackBackward0(Linear):
    """Tensors side by side along a new dimension: each gets its slice of the gradient."""

    inputs = ()
    __slots__ = ("dim",)

    def forward(self, *arrays_and_dim: Any) -> Array:
        *arrays, self.dim = arrays_and_dim
        kind = _kind(arrays)  # not `np.stack(dtype=kind)`: numpy's own Python would warn of what does not fit
        return np.ascontiguousarray(np.stack([array.astype(kind, copy=False) for array in arrays], axis=self.dim))

    def backward(self, g: Any) -> Any:
        if _leads_nowhere(self):
            return (None,) * len(self.next_functions)
        if isinstance(g, Variable):
            return tuple(g.select(self.dim, position) for position in range(len(self.next_functions)))
        return tuple(np.moveaxis(g, self.dim, 0)[position, ...] for position in range(len(self.next_functions)))


@numpy_names
def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors one after another along `dim`; all other sizes must be the same."""
    if autocast.used:
        tensors = autocast.promoted(tensors)
    if isinstance(tensors, Variable):
        raise TypeError("cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for position, tensor in enumerate(tensors):
        if not tensor._array.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {position}) cannot be concatenated")
    first = next((tensor for tensor in tensors if tensor._array.shape != (0,)), tensors[0])
    shape = first._array.shape
    if shape != (0,):
        dim = checked_dim(first, dim)
    for position, tensor in enumerate(tensors):
        if tensor._array.shape == (0,):
            continue  # tensors of nothing go with all others
        _check_fits(shape, tensor._array.shape, dim % len(shape), position)
    return applyn(CatBackward0, tensors, dim)


def _check_fits(shape: tuple[int, ...], other: tuple[int, ...], dim: int, position: int) -> None:
    if len(other) != len(shape):
        raise RuntimeError(f"Tensors must have same number of dimensions: got {len(shape)} and {len(other)}")
    for at, (want, have) in enumerate(zip(shape, other, strict=True)):
        if at != dim and want != have:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {want} but got size {have} for "
                f"tensor number {position} in the list."
            )


@numpy_names
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Tensors of one shape side by side along a new dimension."""
    if autocast.used:
        tensors = autocast.promoted(tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    shape = tensors[0]._array.shape
    for position, tensor in enumerate(tensors):
        if tensor._array.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and "
                f"{list(tensor._array.shape)} at entry {position}"
            )
    return applyn(StackBackward0, tensors, checked_dim(tensors[0], dim, 1))


class Parts(Linear):
    """An op whose outputs are views, each a part of its input: their gradients are put together again."""

    many = True

    def placed(self, parts: list[Any]) -> Any:
        """The gradient parts as one."""
        raise NotImplementedError

    def backward(self, g: Any) -> Any:
        metas = [(self.shape, self.dtype), *self.others]
        tensors = any(isinstance(part, Variable) for part in g)
        blanks = [np.zeros(shape, dtype) for shape, dtype in metas]
        filled = [
            part if part is not None else wrap(blank) if tensors else blank
            for part, blank in zip(g, blanks, strict=True)
        ]
        return self.placed(filled)


class UnbindBackward0(Parts):
    """The slices along a dimension, each without it."""

    __slots__ = ("dim",)

    def forward(self, x: Array, dim: int) -> tuple[Array, ...]:
        self.dim = dim
        first = np.moveaxis(x, dim, 0)
        return tuple(first[position, ...] for position in range(len(first)))

    def placed(self, parts: list[Any]) -> Any:
        return stack(parts, self.dim) if isinstance(parts[0], Variable) else np.stack(parts, self.dim)


class SplitBackward0(Parts):
    """Stretches of one length along a dimension; the last may be shorter."""

    __slots__ = ("dim", "self_sym_sizes", "split_size")

    def forward(self, x: Array, split_size: int, dim: int) -> tuple[Array, ...]:
        self.dim, self.self_sym_sizes, self.split_size = dim, x.shape, split_size
        starts = range(0, max(x.shape[dim], 1), max(split_size, 1))
        return tuple(_stretch(x, dim, start, split_size) for start in starts)

    def placed(self, parts: list[Any]) -> Any:
        dim = self.dim % len(self.self_sym_sizes)
        return cat(parts, dim) if isinstance(parts[0], Variable) else np.concatenate(parts, dim)


class UnsafeSplitBackward0(SplitBackward0):
    """Stretches of one length, which share memory, but of which nobody is told so."""


class SplitWithSizesBackward0(Parts):
    """Stretches of given lengths along a dimension."""

    __slots__ = ("dim", "self_sym_sizes", "split_sizes")

    def forward(self, x: Array, split_sizes: tuple[int, ...], dim: int) -> tuple[Array, ...]:
        self.dim, self.self_sym_sizes, self.split_sizes = dim, x.shape, split_sizes
        starts = [sum(split_sizes[:position]) for position in range(len(split_sizes))]
        return tuple(_stretch(x, dim, start, size) for start, size in zip(starts, split_sizes, strict=True))

    def placed(self, parts: list[Any]) -> Any:
        return cat(parts, self.dim) if isinstance(parts[0], Variable) else np.concatenate(parts, self.dim)


class UnsafeSplitWithSizesBackward0(SplitWithSizesBackward0):
    """Stretches of given lengths, which share memory, but of which nobody is told so."""


def _parts(cls: type[Node], input: Any, *args: Any) -> tuple[Any, ...]:
    node = cls()
    outputs: tuple[Any, ...] = tuple(view_of(input, array) for array in node.forward(input._array, *args))
    if not outputs:
        return ()
    recorded = link(node, (input,), outputs)
    for out in outputs:
        if recorded:
            out._extra.edge, out._edge = out._edge, None  # a view's edge is kept where it can go stale
        if is_grad_enabled() and out._extra.creation != "inference":
            out._extra.creation = "many"
    if listening.active is not None:
        listening.told(node, recorded, (input,), outputs)
    if seams.carry is not None:
        seams.carry(node, (input,), outputs, lambda operands: _parts(cls, *operands, *args))
    return outputs


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The slices along `dim`, each without it."""
    if not input._array.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return _parts(UnbindBackward0, input, checked_dim(input, dim))


def split(
    input: Tensor, split_size_or_sections: int | Sequence[int] = (), dim: int = 0, *, split_size: Any = None
) -> tuple[Tensor, ...]:
    """Stretches along `dim`: of one length, the last maybe shorter, or of the lengths given."""
    if split_size is not None:
        split_size_or_sections = split_size
    if isinstance(split_size_or_sections, Variable) and split_size_or_sections._array.size == 1:
        split_size_or_sections = int(split_size_or_sections)
    if bool in (type(split_size_or_sections), type(dim)):
        raise TypeError("True and False are no sizes")
    if not input._array.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = checked_dim(input, dim)
    if isinstance(split_size_or_sections, int | np.integer):
        if split_size_or_sections == 0 and input._array.shape[dim]:
            raise RuntimeError(
                f"split_size can only be 0 if dimension size is 0, but got dimension size of {input._array.shape[dim]}"
            )
        if split_size_or_sections < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size_or_sections}")
        return _parts(SplitBackward0, input, split_size_or_sections, dim)
    sizes = indices_of(split_size_or_sections) if isinstance(split_size_or_sections, list | tuple) else None
    if sizes is None:
        raise TypeError("neither a size nor a list of sizes")
    if any(size < 0 for size in sizes):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(sizes)}"
        )
    if sum(sizes) != input._array.shape[dim]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {input._array.shape[dim]} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={list(sizes)}"
        )
    return _parts(SplitWithSizesBackward0, input, sizes, dim)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` stretches along `dim`, of one length but for the last."""
    if not input._array.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks < 1:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = input._array.shape[checked_dim(input, dim)]
    return split(input, -(-size // chunks), dim) if size else split(input, [0] * chunks, dim)


def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`chunk`, but its results count as no views: to write to one of them would go unnoticed."""
    dim = checked_dim(input, dim)
    if is_inference_mode_enabled() or is_inference(input):  # where nothing tells them from views
        return chunk(input, chunks, dim)
    size = input._array.shape[dim]
    if not size:
        return unsafe_split_with_sizes(input, [0] * chunks, dim)
    return apply_many(UnsafeSplitBackward0, (input,), -(-size // chunks), dim)


def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`split` into one length, but its results count as no views."""
    split(input.detach(), split_size, dim)  # which says what is wrong with them
    if is_inference_mode_enabled() or is_inference(input):  # where nothing tells them from views
        return split(input, split_size, dim)
    return apply_many(UnsafeSplitBackward0, (input,), split_size, checked_dim(input, dim))


def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """`split` into given lengths, but its results count as no views."""
    split(input.detach(), list(split_sizes), dim)
    if is_inference_mode_enabled() or is_inference(input):
        return split(input, list(split_sizes), dim)
    return apply_many(UnsafeSplitWithSizesBackward0, (input,), tuple(split_sizes), checked_dim(input, dim))


concat = cat
concatenate = cat
