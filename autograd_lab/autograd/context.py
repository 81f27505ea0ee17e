"""`FunctionCtx`, what a user's op gets to know and to keep, and the node in the graph that each use of it is."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from autograd_lab.engine.core.node import Node, NodeType
from autograd_lab.engine.core.variable import Variable, wrap, wrap_any
from autograd_lab.engine.exact.saving import Packed, SavedTensor
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.whose import users_level

BOTH = (
    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of "
    "them."
)

ONLY_ONCE = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the autograd.Function. "
    "Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
)
ACCESSED: dict[int, int] = {-1: -1}
"""Stands for the places of what was saved, once the user's backward has taken it for good."""

OURS = "at", "code", "dtype", "made", "many", "others", "seq", "shape"
"""Names under which a node keeps something of its own, which users may want as well."""

ours: Any = attrgetter(*OURS)


class FunctionCtx:
    """What `forward` tells of itself, for those who come after."""

    to_save: tuple[Any, ...] | None = None
    dirty_tensors: tuple[Any, ...] | None = None
    non_differentiable: tuple[Any, ...] | None = None
    saved_for_forward: tuple[Any, ...] = ()
    materialize_grads: bool = True
    _materialize_non_diff_grads: bool = True
    _is_pure_view: bool = False
    undefined: Sequence[int] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward, which finds them in `saved_tensors`; the last call counts."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for `jvp`, which finds them in `saved_tensors`, too."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Say that forward wrote to these inputs."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say that these outputs need no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros (as it does by default) or None for outputs that nothing was computed from."""
        if not isinstance(value, bool):
            raise TypeError(
                "set_materialize_grads received an invalid combination of arguments - got (), but expected (bool)"
            )
        self.materialize_grads = value


class FunctionNodeType(NodeType):
    """Prints the nodes' classes with the module in which PyTorch has them."""

    def __repr__(cls) -> str:
        return f"<class 'torch.autograd.function.{cls.__name__}'>"


class BackwardCFunction(FunctionCtx, Node, metaclass=FunctionNodeType):
    """The node of a user's op, which is also the `ctx` that its forward and backward get.

    `made` tells of all outputs, also of those that are no tensors. `of_the_users` is what forward has set under the
    names in `OURS`, `ctx.shape` say, and backward is to find; a node keeps something else there in the meantime.
    """

    __slots__ = ("_uses", "many", "needs_input_grad", "of_the_users")

    inputs = ()  # a list of any
    _forward_cls: ClassVar[Any] = None
    needs_gradient = False
    needs_input_grad: tuple[bool, ...]
    of_the_users: tuple[Any, Any]

    def __init__(self, args: tuple[Any, ...] = ()) -> None:
        self.needs_input_grad = tuple([isinstance(arg, Variable) and arg._needs for arg in args])
        self.next_functions, self._saved = (), ()
        self._more = None
        self.fill((None,) * len(OURS))
        self._uses: dict[int, int] = {}
        self._is_tensor = [isinstance(arg, Variable) for arg in args]

    def __call__(self, *gradients: Any) -> tuple[Any, ...]:
        raise TypeError(f"{type(self).__name__!r} object is not callable")  # in PyTorch neither; it has `apply`

    def __dir__(self) -> list[str]:
        return list(object.__dir__(self))

    def fill(self, values: tuple[Any, ...]) -> None:
        """Put other values under the names in `OURS`."""
        for name, value in zip(OURS, values, strict=True):
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {id(self):#x}>"

    # --- saved tensors ---------------------------------------------------------------------------------------------

    def save(self, outputs: dict[int, int]) -> None:
        """Save what forward asked for; `outputs` gives the number of each output that this node made, by its id."""
        flat: list[Any] = []
        for position, tensor in enumerate(self.to_save or ()):
            if tensor is None:
                flat += (None, None, 0)
            elif not isinstance(tensor, Variable):
                kind = type(tensor).__name__
                raise TypeError(f"save_for_backward can only save variables, but argument {position} is of type {kind}")
            elif id(tensor) in outputs:
                flat += (tensor._array, tensor._cell, tensor._cell[0])
                self._uses[position] = outputs[id(tensor)]
            else:
                flat += (tensor, tensor._cell, tensor._cell[0])
        self._saved = tuple(flat)
        self.to_save = self.dirty_tensors = self.non_differentiable = None

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` was given. Raises RuntimeError once it is freed, or was written over."""
        if self._saved is None:
            raise self._second_time() if self._uses is not ACCESSED else RuntimeError(ONLY_ONCE)
        found = tuple(self._tensor(position) for position in range(len(self._saved) // 3))
        if found and getattr(self._forward_cls, "clear_saved_tensors_on_access", False):
            self._saved, self._uses = None, ACCESSED
        return found

    @contextmanager
    def in_forward_mode(self) -> Iterator[None]:
        """Inside, `saved_tensors` are what `save_for_forward` was given."""
        kept, flat = self._saved, [(one, one._cell, one._cell[0]) for one in self.saved_for_forward]
        self._saved = tuple(part for one in flat for part in one)
        try:
            yield
        finally:
            self._saved = kept

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """An old name of `saved_tensors`."""
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=users_level()
        )
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        if self._saved is None:
            raise self._second_time()
        return tuple(SavedTensor(self, position) for position in range(len(self._saved) // 3))

    def slot_name(self, position: int) -> str:
        """Its place in `saved_tensors`."""
        return f"saved_tensors[{position}]"

    def output_number(self, position: int) -> int:
        """Which output it is that is saved at `position`."""
        return self._uses[position]

    def packing_order(self) -> range:
        """The order in which forward named them."""
        return range(len(self._saved or ()) // 3)

    def saved_slots(self) -> list[tuple[str, Any, Any, int]]:
        """All that was saved, in the order in which it was."""
        found: list[tuple[str, Any, Any, int]] = []
        for position in self.packing_order():
            source, _, version = (self._saved or ())[3 * position : 3 * position + 3]
            if type(source) is Packed:
                source, version = source.seen()
            array = source._array if isinstance(source, Variable) else source
            made_here = isinstance(source, np.ndarray)
            found.append((self.slot_name(position), self._uses[position] if made_here else source, array, version))
        return found

    def attributes(self) -> dict[str, Any]:
        """None that PyTorch would show."""
        return {}

    def arrays(self) -> tuple[()]:
        """Nothing: backward takes what it wants from `saved_tensors`."""
        return ()

    def tensors(self) -> list[Any]:
        """Nothing: backward takes what it wants from `saved_tensors`."""
        return []

    # --- backward --------------------------------------------------------------------------------------------------

    def apply(self, *gradients: Any) -> Any:
        """Run the user's backward, which may be called `vjp`."""
        cls, base = self._forward_cls, self._forward_cls.__mro__[-2]
        if cls.backward is not base.backward and cls.vjp is not base.vjp:
            raise RuntimeError(BOTH)
        own = ours(self)
        theirs = zip(self.of_the_users, own, strict=True)  # what they have not set stays: a pass inside comes here, too
        self.fill(tuple([mine if one is None else one for one, mine in theirs]))
        try:
            return (cls.vjp if cls.backward is base.backward else cls.backward)(self, *gradients)
        finally:
            self.of_the_users = ours(self)
            self.fill(own)

    def backward(self, g: Any) -> Any:
        """Run the user's backward on tensors."""
        gradients = [wrap_any(one) for one in (g if self.many else [g])]
        if self.materialize_grads:
            for number, made in enumerate(self.made):
                if gradients[number] is None and made is not None and number not in self.undefined:
                    gradients[number] = wrap(np.zeros(made.shape, made.dtype))
        result = self.apply(*gradients)
        returned = self._aligned(result if isinstance(result, tuple) else (result,))
        if is_grad_enabled():
            return returned
        return tuple([None if one is None else one._array for one in returned])

    def _aligned(self, returned: tuple[Any, ...]) -> tuple[Any, ...]:
        """One gradient for each input that is a tensor, checked."""
        expected = len(self._is_tensor)
        if len(returned) > expected and all(one is None for one in returned[expected:]):
            returned = returned[:expected]
        if len(returned) != expected:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {expected}, got "
                f"{len(returned)})"
            )
        for position, (one, is_tensor) in enumerate(zip(returned, self._is_tensor, strict=True), 1):
            if one is not None and not is_tensor:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position {position}, but the "
                    "corresponding forward input was not a Variable"
                )
            if one is not None and not isinstance(one, Variable):
                raise RuntimeError(f"expected Variable or None (got {type(one).__name__})")
        return tuple([one for one, is_tensor in zip(returned, self._is_tensor, strict=True) if is_tensor])
