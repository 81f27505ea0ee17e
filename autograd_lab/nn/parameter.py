"""`Parameter`: a leaf that a module counts among its own; `Buffer`: a tensor that it keeps without training it."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core.variable import Variable, wrote
from autograd_lab.engine.exact.elementless import filled
from autograd_lab.engine.modes.inference import check_grad_wanted, new_cell
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.dtypes import Array, dtype_of, order_of
from autograd_lab.engine.ops.ground.memory import found_at, whereabouts
from autograd_lab.engine.tensor.factories import empty
from autograd_lab.engine.tensor.overriding import ENGINES, disabled
from autograd_lab.engine.tensor.tensor import Tensor


class ParameterMeta(type(Tensor)):  # type: ignore[misc]  # which is `type`
    """Takes a tensor of a class of the user's own for a parameter, too, if it was made one."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance):
            return True
        marked = cls is Parameter and isinstance(instance, Tensor) and type(instance) is not Tensor
        return marked and bool(instance.__dict__.get("_is_param"))


class Parameter(Tensor, metaclass=ParameterMeta):
    """The memory and version counter of `data` as a leaf, which requires a gradient unless told otherwise.

    Of a class of the user's own it is that, and takes part in modules as a parameter does.
    """

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        if isinstance(data, Tensor) and type(data).__module__.partition(".")[0] not in ENGINES:
            return _of_own_class(data, requires_grad)
        parameter: Parameter = _leaf(cls, data, requires_grad)
        return parameter

    __torch_function__ = disabled  # type: ignore[assignment]  # what is computed from one is a plain tensor

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = leaf_of(type(self), self._array.copy(order_of(self._array)), self._needs)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _unpickled, (whereabouts(self._array), self._needs), self.__dict__ or None

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def _is_users_parameter(self) -> bool:
        return self._title() != "tensor"

    def __format__(self, spec: str) -> str:
        return object.__format__(self, spec)


class _BufferKind(type(Tensor)):  # type: ignore[misc]
    def __instancecheck__(cls, thing: object) -> bool:
        lazily = cls is Buffer and isinstance(thing, UninitializedBuffer)
        return lazily or super().__instancecheck__(thing)


class Buffer(Tensor, metaclass=_BufferKind):
    """A tensor that becomes a buffer of the module it is assigned to; of its `state_dict` too if `persistent`."""

    persistent: bool
    __torch_function__ = disabled  # type: ignore[assignment]

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Buffer:
        buffer: Buffer = _leaf(cls, data, False)
        buffer.persistent = persistent
        return buffer


Parameter.__module__ = "torch.nn.parameter"  # which is what type(x) prints, as in PyTorch
Buffer.__module__ = "torch.nn.parameter"


NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` "
    "when trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the "
    "parameters before accessing their attributes."
)


NO_MEMORY = (
    "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before "
    "calling `module.share_memory()`."
)


class Uninitialized:
    """What parameters and buffers without a shape have in common."""

    cls_to_become: ClassVar[type[Tensor]]
    data: Any
    _needs: bool

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become a tensor of this shape, still to be initialized."""
        kind = dtype_of(self.data._array) if dtype is None else dtype
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        self.data = leaf_of(Tensor, filled(np.empty, sizes, kind.numpy, device, self.data._array), False)
        self.__class__ = self.cls_to_become  # type: ignore[assignment]  # the same tensor, for all who hold it

    @property
    def shape(self) -> Any:
        raise RuntimeError(NO_SHAPE)

    def share_memory_(self) -> Any:
        """Always an error: there is no memory yet."""
        raise RuntimeError(NO_MEMORY)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _unpickled_lazily, (isinstance(self, Parameter), self._needs)


class UninitializedParameter(Uninitialized, Parameter):
    """A parameter without a shape; it becomes a `Parameter`."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> UninitializedParameter:
        array = filled(np.empty, (0,), dtypes.default if dtype is None else dtype.numpy, device)
        parameter: UninitializedParameter = leaf_of(cls, array, requires_grad)
        return parameter

    def __deepcopy__(self, memo: dict[int, Any]) -> UninitializedParameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, None, dtype_of(self._array))
        copied: UninitializedParameter = memo[id(self)]
        return copied


class UninitializedBuffer(Uninitialized, Tensor):
    """A buffer without a shape; it becomes a tensor."""

    cls_to_become = Tensor
    persistent: bool
    __torch_function__ = disabled  # type: ignore[assignment]

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> UninitializedBuffer:
        array = filled(np.empty, (0,), dtypes.default if dtype is None else dtype.numpy, device)
        buffer: UninitializedBuffer = leaf_of(cls, array, requires_grad)
        buffer.persistent = persistent
        return buffer

    def __deepcopy__(self, memo: dict[int, Any]) -> UninitializedBuffer:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self._needs, None, dtype_of(self._array), self.persistent)
        copied: UninitializedBuffer = memo[id(self)]
        return copied


def is_lazy(param: Any) -> bool:
    """Whether a parameter or buffer has no shape yet."""
    return isinstance(param, Uninitialized)


for kind in (UninitializedParameter, UninitializedBuffer):
    kind.__module__ = "torch.nn.parameter"


OTHER_CLASS = (
    "Creating a Parameter from an instance of type {0} requires that detach() returns an instance of the same type, "
    "but return type {1} was found instead. To use the type as a Parameter, please correct the detach() semantics "
    "defined by its __torch_dispatch__() implementation."
)


def _of_own_class(data: Any, requires_grad: bool) -> Any:
    made = data.detach().requires_grad_(requires_grad)
    if type(made) is not type(data):
        raise RuntimeError(OTHER_CLASS.format(type(data).__name__, type(made).__name__))
    made._is_param = True
    return made


def _unpickled_lazily(is_parameter: bool, requires_grad: bool) -> Any:
    return (UninitializedParameter if is_parameter else UninitializedBuffer)(requires_grad)


def _unpickled(whereabouts: tuple[Any, ...], requires_grad: bool) -> Parameter:
    parameter: Parameter = leaf_of(Parameter, found_at(*whereabouts), requires_grad)
    if type(parameter._cell) is list:
        parameter._cell[0] = 1  # as PyTorch counts that it was put into its memory
    return parameter


def _leaf(cls: type[Tensor], data: Any, requires_grad: bool) -> Any:
    if data is None:
        return leaf_of(cls, np.empty(0, dtypes.default), requires_grad)
    source = data if isinstance(data, Variable) else data.detach()
    if requires_grad:
        check_grad_wanted(source)
    if requires_grad and source._array.dtype.kind not in "fV":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    tensor = _shared(cls, source._array, requires_grad)
    tensor._cell = source._cell
    if listening.active is not None:
        listening.active.detached(tensor, source, cls.__name__)
    return tensor


def leaf_of(cls: type[Tensor], array: Array, requires_grad: bool = True) -> Any:
    """A parameter or buffer around a new array."""
    tensor = _shared(cls, array, requires_grad)
    if listening.active is not None:
        listening.active.part_created(tensor)
    return tensor


def fresh(*shape: int, dtype: dtypes.dtype | None = None, device: Any = None) -> Parameter:
    """A parameter of that shape, still to be initialized."""
    kind = dtypes.default if dtype is None else dtype.numpy
    try:
        array = filled(np.zeros, shape, kind, device)
    except (TypeError, ValueError):
        array = empty(shape)._array  # which says in PyTorch's words what is no size
    parameter: Parameter = leaf_of(Parameter, array)
    return parameter


def _shared(cls: type[Tensor], array: Array, requires_grad: bool) -> Any:
    tensor: Any = object.__new__(cls)
    tensor._array = array
    tensor._cell = new_cell()
    tensor._grad = tensor._edge = tensor._extra = None
    tensor._needs = bool(requires_grad)
    return tensor


def overwritten(tensor: Variable, op: str, writes: int = 1) -> None:
    """Note that `op` has written to a tensor, unseen by autograd; `writes` is how far that moves its version."""
    for _ in range(writes):
        wrote(tensor)
    if listening.active is not None:
        listening.active.tensor_modified(tensor, op)


def typename(thing: Any) -> str:
    """What error messages call a thing: `torch.FloatTensor`, or its class with the module, unless that is built in."""
    if isinstance(thing, Variable):
        return f"torch.{dtype_of(thing._array).title}Tensor"
    cls = thing if isinstance(thing, type) else type(thing)
    module = re.sub(r"^autograd_lab\b", "torch", cls.__module__)
    return cls.__qualname__ if module == "builtins" else f"{module}.{cls.__qualname__}"
