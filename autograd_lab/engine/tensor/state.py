"""`TensorState`: what a tensor says of itself: shape, dtype, history, version, gradient."""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from autograd_lab import listening
from autograd_lab.engine.core.edges import be_leaf, edge_of, is_computed
from autograd_lab.engine.core.node import Node, more_of
from autograd_lab.engine.core.variable import Variable, alias, extra_of
from autograd_lab.engine.errors import reasons
from autograd_lab.engine.exact import gradients, mapping
from autograd_lab.engine.exact import levels as forward
from autograd_lab.engine.exact.aliasing import address, has_node, is_view, tell_views
from autograd_lab.engine.exact.elementless import Elementless
from autograd_lab.engine.modes import transforming
from autograd_lab.engine.modes.handles import RemovableHandle, added
from autograd_lab.engine.modes.inference import (
    NOT_COUNTED,
    DetachedCell,
    InferenceCell,
    check_grad_wanted,
)
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import CPU, META, Dense, channels_last, device, owner_of
from autograd_lab.engine.numbers.dtypes import BY_NUMPY, Size, dtype, steps
from autograd_lab.engine.numbers.printing import format_tensor
from autograd_lab.engine.numbers.storages import UntypedStorage
from autograd_lab.engine.ops.ground.dims import entry, lies_by_pixels
from autograd_lab.engine.tensor.conversion import Convertible
from autograd_lab.engine.tensor.factories import GRAD_NEEDS_FLOAT
from autograd_lab.whose import users_level

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

NOT_A_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
    "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
    "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
ONLY_LEAVES = "you can only change requires_grad flags of leaf variables."
DETACH_INSTEAD = (
    "If you want to use a computed variable in a subgraph that doesn't require differentiation use var_no_grad = "
    "var.detach()."
)


_sized = tuple.__new__


class TensorState(Dense, Convertible):
    """A tensor without its mathematics."""

    __slots__ = ()

    # --- shape and elements ----------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """How many elements it has along each dimension."""
        return _sized(Size, self._array.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or its entry for one dimension."""
        return self.shape if dim is None else entry("size", self._array.shape, dim)

    def dim(self) -> int:
        """How many dimensions it has."""
        return len(self._array.shape)

    ndim = property(dim)
    ndimension = dim

    def numel(self) -> int:
        """How many elements it has."""
        return int(self._array.size)

    nelement = numel

    @property
    def dtype(self) -> dtype:
        """What its elements are."""
        return BY_NUMPY[self._array.dtype]

    @property
    def device(self) -> device:
        """Where it is: on the CPU, or without elements on "meta"."""
        return META if type(self._array) is Elementless else CPU

    is_meta = property(lambda self: self.device is META)
    is_cpu = property(lambda self: self.device is CPU)

    def stride(self, dim: int | None = None) -> Any:
        """How many elements further in memory the next one along each dimension is."""
        strides = steps(self._array)
        return strides if dim is None else entry("stride", strides, dim)

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """True if the elements lie in memory one after another, in their order, or by pixels."""
        if memory_format is channels_last:
            return lies_by_pixels(self._array)
        return bool(self._array.flags.c_contiguous)

    def storage_offset(self) -> int:
        """How many elements of its storage come before its first one."""
        return (address(self._array) - address(owner_of(self._array))) // self.element_size()

    def untyped_storage(self) -> UntypedStorage:
        """The memory that it lies in, which views share."""
        return UntypedStorage(self._array)

    def element_size(self) -> int:
        """The bytes of one element."""
        return int(self._array.itemsize)

    itemsize = property(element_size)

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return int(self._array.nbytes)

    def data_ptr(self) -> int:
        """The address of the first element; 0 if there are none."""
        return 0 if self.is_meta or not self._array.size else int(self._array.ctypes.data)

    def is_floating_point(self) -> bool:
        """True for float16, float32 and float64."""
        return bool(self._array.dtype.kind in "fV")

    def __len__(self) -> int:
        if not self._array.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def __repr__(self) -> str:
        title = self._title()
        told = format_tensor(
            self._array,
            dtype_name=self.dtype.name,
            default_dtype=self._array.dtype == dtypes.default,
            requires_grad=self._needs,
            grad_fn_name=self._maker(),
            tangent=forward.tangent_of(self, forward.level) if forward.level else None,
            elementless=self.is_meta,
            title=title,
        )
        is_parameter = self._is_users_parameter() or (title != "tensor" and "_is_param" in vars(self))
        return f"Parameter({told})" if is_parameter else told

    def _is_users_parameter(self) -> bool:
        """Whether its class is a user's own kind of Parameter: PyTorch says both."""
        return False

    def _title(self) -> str:
        """What is printed before its elements: the name of its class, if that is the user's own."""
        return "tensor" if type(self).__module__.partition(".")[0] == "torch" else type(self).__name__

    def _maker(self) -> str | None:
        """The name of the node that made it, as it is printed."""
        try:
            node = self.grad_fn
        except RuntimeError:  # a view whose history can no longer be told
            return "Invalid"
        return None if node is None else node.name().rpartition(":")[2]

    def __format__(self, spec: str) -> str:
        if not self._array.ndim and not self.is_meta:
            mapping.refuse(mapping.ITEM, self)
            return format(self._array.item(), spec)
        return object.__format__(self, spec)

    # --- history ---------------------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """True if ops on it are recorded, so that its gradient can be had."""
        return self._needs

    @requires_grad.setter
    def requires_grad(self, wanted: Any) -> None:
        if not isinstance(wanted, bool):
            raise RuntimeError("requires_grad must be a bool")
        if has_node(self):
            raise RuntimeError(ONLY_LEAVES if wanted else f"{ONLY_LEAVES} {DETACH_INSTEAD}")
        if wanted and not self.is_floating_point():
            raise RuntimeError(GRAD_NEEDS_FLOAT.lower().replace("only tensors", "only Tensors"))
        if wanted:
            check_grad_wanted(self)
        if is_view(self):
            extra = extra_of(self)
            if wanted:
                be_leaf(self)
            elif extra.base._needs:  # it does as long as its base does
                extra.accumulator, wanted = None, True
        if wanted != self._needs:
            self._needs = bool(wanted)
            tell_views(self)
            if listening.active is not None:
                listening.active.requires_grad_changed(self)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    def requires_grad_(self, requires_grad: Any = True) -> Tensor:
        """Switch `requires_grad`, and return the tensor."""
        if not isinstance(requires_grad, bool):
            kind = type(requires_grad).__name__
            raise TypeError(f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {kind}")
        transforming.refuse(transforming.REQUIRES_GRAD)
        if requires_grad and not self.is_floating_point():
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if requires_grad:
            check_grad_wanted(self)
        if requires_grad != self._needs or not requires_grad or (is_view(self) and not has_node(self)):
            self.requires_grad = requires_grad
        return cast("Tensor", self)

    @property
    def is_leaf(self) -> bool:
        """True unless a recorded op made it. Raises RuntimeError if that can no longer be told, as `grad_fn` does."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Node | None:
        """The node that made it; None for a leaf."""
        return edge_of(self)[0] if is_computed(self) else None

    @property
    def output_nr(self) -> int:
        """Which of its node's outputs it is, or was before its base was written to."""
        edge = self._edge or (self._extra and self._extra.edge)
        return edge[1] if edge else 0

    def is_inference(self) -> bool:
        """True if it was made in inference mode."""
        return isinstance(self._cell, InferenceCell)

    @property
    def _version(self) -> int:
        if isinstance(self._cell, DetachedCell):
            return self._cell.writes
        if self.is_inference():
            raise RuntimeError(NOT_COUNTED)
        return int(self._cell[0])

    @property
    def _base(self) -> Tensor | None:
        return None if self._extra is None else self._extra.base

    def _is_view(self) -> bool:
        return self._base is not None

    def detach(self) -> Tensor:
        """The same memory and version counter, without history."""
        out = mapping.hand_on(alias(self, share_version=True), self)
        if listening.active is not None:
            listening.active.detached(out, self, "detach")
        return out

    @property
    def data(self) -> Tensor:
        """The same memory, without history, and with a version counter of its own: writes to it go unnoticed."""
        mapping.refuse(mapping.DATA, self)
        out = alias(self, share_version=False)
        if listening.active is not None:
            listening.active.detached(out, self, "data")
        return out

    @data.setter
    def data(self, other: Tensor) -> None:
        if not isinstance(other, Variable):
            raise TypeError(f"Variable data has to be a tensor, but got {type(other).__name__}")
        if self._needs and not other.is_floating_point():
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        if self._extra is not None and other._array.dtype is not self._array.dtype:
            self._extra.accumulator = None  # that of the other dtype is no longer this tensor's
        self._array = other._array
        if other.is_inference() and not self.is_inference():
            cell, self._cell = self._cell, DetachedCell()
            self._cell.writes = cell[0]
        if listening.active is not None:
            listening.active.tensor_modified(self, "data =", other)

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    # --- gradient --------------------------------------------------------------------------------------------------

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
    ) -> None:
        """Add the gradient of this tensor to the `.grad` of the leaves it was computed from, or of `inputs`.

        A tensor of several elements wants `gradient`, of its shape. What nodes saved is freed, unless `retain_graph`.
        """
        gradients.backward(cast("Tensor", self), gradient, retain_graph, create_graph, inputs=inputs)

    @property
    def grad(self) -> Tensor | None:
        """The gradient, once a backward pass has come here; None before."""
        if self._grad is None and is_computed(self) and not self.retains_grad:
            text = "\n\n".join(filter(None, (NOT_A_LEAF, reasons.not_a_leaf(self))))  # a warning has no notes
            warnings.warn(text, UserWarning, stacklevel=users_level())
        return cast("Tensor | None", self._grad)

    @grad.setter
    def grad(self, new: Tensor | None) -> None:
        if new is not None:
            _check_gradient(self, new)
        self._grad = new
        if listening.active is not None:
            listening.active.grad_assigned(self)

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    def retain_grad(self) -> None:
        """Have a computed tensor keep its gradient, too; leaves do so anyway."""
        if self._needs:
            transforming.refuse(transforming.RETAIN_GRAD)
        if self._retain() and listening.active is not None:
            listening.active.grad_retained(self)

    def _retain(self) -> bool:
        """`retain_grad` untold, as `backward(inputs=...)` calls it; True if the gradient was not kept before."""
        if not self._needs:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if not has_node(self) or self.retains_grad:
            return False
        node, nr = edge_of(self)
        extra_of(self).retained = True
        more_of(node).retained[nr] = weakref.ref(self)
        return True

    @property
    def retains_grad(self) -> bool:
        """True for a computed tensor whose `retain_grad` was called."""
        return self._extra is not None and bool(self._extra.retained)

    def register_hook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """Have `hook(gradient)` called when the gradient of this tensor is known; what it returns takes its place."""
        if not self._needs:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.is_leaf:
            extra = extra_of(self)
            extra.hooks = OrderedDict() if extra.hooks is None else extra.hooks
            return added(extra.hooks, hook, "tensor", self, None)
        node, nr = edge_of(self)
        return added(more_of(node).tensor_hooks.setdefault(nr, OrderedDict()), hook, "tensor", self, node)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Any], Any]) -> RemovableHandle:
        """Have `hook(leaf)` called each time its `.grad` has changed by a backward pass."""
        if not self._needs:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        extra = extra_of(self)
        extra.post_hooks = {} if extra.post_hooks is None else extra.post_hooks
        return added(extra.post_hooks, hook, "post_accumulate_grad", self, None)


def _check_gradient(tensor: TensorState, new: Any) -> None:
    if not isinstance(new, Variable):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(new).__name__}")
    if new is tensor:
        raise RuntimeError("can't assign Variable as its own grad")
    wanted: Any = () if tensor._extra is None else tensor._extra.grad_dtype
    wanted = tensor._array.dtype if wanted == () else wanted
    if wanted is not None and new._array.dtype != wanted:
        have, want = BY_NUMPY[new._array.dtype].cpp, BY_NUMPY[wanted].title
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{have}' to a tensor with grad_dtype '{want}'. The "
            f"gradient must "
            "match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype "
            "attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging "
            "the dtypes of a tensor and its gradient may break downstream systems that assume they match."
        )
    if new._array.shape != tensor._array.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(new._array.shape)}' to a tensor of size "
            f"'{list(tensor._array.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )
