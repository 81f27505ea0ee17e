"""`MemoryMethods`: a tensor and its memory: shared, exchanged, asked about."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core.edges import edge_of, is_computed
from autograd_lab.engine.core.variable import Variable, extra_of, wrap, wrote
from autograd_lab.engine.exact import elementless
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.numbers.device import NO_CUDA
from autograd_lab.engine.numbers.storages import TypedStorage, UntypedStorage
from autograd_lab.engine.ops.ground.writing import check_write
from autograd_lab.engine.ops.shape import reshaping
from autograd_lab.engine.tensor.constructors import constructed
from autograd_lab.whose import users_level


class MemoryMethods(Variable):
    """What old programs do with a tensor's memory."""

    __slots__ = ()

    def set_(self, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Any:
        """The tensor itself, which from now on looks at the memory of another; at nothing, without one."""
        array = np.zeros(0, self._array.dtype) if source is None else getattr(source, "_array", source)
        if isinstance(array, UntypedStorage):
            array = array.as_array(self._array.dtype)
        if size is not None:
            flat = wrap(array)
            array = flat.as_strided(size, stride or _in_order(size), storage_offset)._array
        if array.dtype != self._array.dtype:
            raise RuntimeError(
                "Could not set tensor of type "
                f"{getattr(source, 'dtype', array.dtype)} to a tensor of type {wrap(self._array).dtype}"
            )
        if self._needs and is_grad_enabled():
            check_write(self)
        self._array = array
        if self._extra is not None:
            self._extra.accumulator = None  # gradients of what it was before are not for what it is now
        wrote(self)
        if listening.active is not None:
            listening.active.tensor_modified(self, "set_")
        return self

    @property
    def _backward_hooks(self) -> Any:
        if not is_computed(self):
            return self._extra and self._extra.hooks
        node, nr = edge_of(self)
        return node._more and node._more.tensor_hooks.get(nr)

    @_backward_hooks.setter
    def _backward_hooks(self, hooks: Any) -> None:
        if not is_computed(self):
            extra_of(self).hooks = hooks

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        raise RuntimeError("Deletion of _backwards_hooks not allowed!")

    @property
    def _grad_fn(self) -> Any:
        return self.grad_fn

    @_grad_fn.setter
    def _grad_fn(self, new: Any) -> None:
        if new is not None:
            raise RuntimeError("_grad_fn can be only set to None")
        self.detach_()

    @_grad_fn.deleter
    def _grad_fn(self) -> None:
        raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")

    def new(self, *data: Any, size: Any = None, device: Any = None) -> Any:
        """`x.new(2, 3)` has that shape, all zeros; `x.new([2, 3])` those elements, in the dtype of x."""
        data = data if size is None else tuple(size)
        return constructed(data, self._array.dtype)

    def resize_as_(self, the_template: Any, *, memory_format: Any = None) -> Any:
        """The tensor itself in the shape of another."""
        tensor: Any = self
        return tensor.resize_(the_template._array.shape)

    def module_load(self, other: Any, assign: bool = False) -> Any:
        """What a module has in the place of this tensor once it loaded `other`, if all of a tensor is exchanged."""
        tensor: Any = self
        return other.detach() if assign else tensor.copy_(other).detach()

    def __reversed__(self) -> Any:
        """The tensor from its end."""
        tensor: Any = self
        return tensor.flip(0) if tensor.ndim else tensor

    def resize(self, *sizes: Any) -> Any:
        """The same elements in another shape, as early PyTorch had it."""
        return self._in_shape("resize", sizes)

    def resize_as(self, tensor: Variable) -> Any:
        """The same elements in the shape of another, as early PyTorch had it."""
        return self._in_shape("resize_as", tensor._array.shape)

    def _in_shape(self, name: str, sizes: Any) -> Any:
        warnings.warn(f"non-inplace {name} is deprecated", stacklevel=users_level())
        tensor: Any = self
        return reshaping.resized(tensor, sizes)

    def const_data_ptr(self) -> int:
        """The address of the first element, for who only reads."""
        tensor: Any = self
        return int(tensor.data_ptr())

    def share_memory_(self) -> Any:
        """The tensor itself: there is one process."""
        return self

    def __delitem__(self, index: Any) -> None:
        """Always an error: a tensor keeps its elements."""
        raise TypeError("Tensor does not support deleting items")

    def is_shared(self) -> bool:
        """False: there is one process."""
        return False

    def is_set_to(self, tensor: Variable) -> bool:
        """Whether both look at the same memory in the same way."""
        x, y = self._array, tensor._array
        return (x.shape, x.strides) == (y.shape, y.strides) and bool(x.ctypes.data == y.ctypes.data)

    def is_same_size(self, other: Variable) -> bool:
        """Whether both have one shape."""
        return bool(self._array.shape == other._array.shape)

    def apply_(self, callable: Any) -> Any:
        """Each element becomes what a function makes of it, one by one. Raises TypeError if gradients are wanted."""
        if self._needs:
            raise TypeError("apply_() is not supported for tensors that require gradients.")
        flat = [callable(number) for number in self._array.reshape(-1).tolist()]
        for one in flat:
            if not isinstance(one, int | float):
                kind = "real number" if self._array.dtype.kind in "fV" else "an integer"
                raise TypeError(f"must be {kind}, not {type(one).__name__}")
        self._array[...] = np.array(flat, self._array.dtype).reshape(self._array.shape)
        wrote(self)
        return self

    def resolve_conj(self) -> Any:
        """The tensor itself: no tensor here is complex."""
        return self

    conj = conj_physical = resolve_neg = coalesce = resolve_conj

    def is_conj(self) -> bool:
        """False: no tensor here is complex."""
        return False

    is_neg = is_distributed = is_conj

    def storage(self) -> Any:
        """The elements of all its memory."""
        return TypedStorage.of(self._array)

    def cpu(self, memory_format: Any = None) -> Any:
        """The tensor itself, if it has elements: then it is on the CPU."""
        elementless.refuse_reading(self._array)
        return self

    def cuda(self, device: Any = None, non_blocking: Any = False, memory_format: Any = None) -> Any:
        """Always an error: there is no GPU here."""
        raise AssertionError(NO_CUDA)

    def pin_memory(self, device: Any = None) -> Any:
        """Always an error: memory is pinned for a GPU, and there is none."""
        raise RuntimeError("Cannot access accelerator device when none is available.")

    def is_pinned(self, device: Any = None) -> bool:
        """False: memory is pinned for a GPU, and there is none."""
        return False


def _in_order(size: Any) -> tuple[int, ...]:
    """The strides of a new tensor of a shape."""
    strides: list[int] = []
    step = 1
    for one in reversed(tuple(size)):
        strides.insert(0, step)
        step *= max(one, 1)
    return tuple(strides)
