"""The graph: nodes, the edges between them, and what they save of the forward pass for the backward pass.

Each op is a subclass of `Node`, named as PyTorch names it, with `forward` and `backward` side by side; each use of the
op that is recorded is an instance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from types import CodeType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from autograd_lab.engine.core import seams
from autograd_lab.engine.core.variable import Edge, Variable, extra_of, wrap
from autograd_lab.engine.modes.grad_mode import anomaly
from autograd_lab.engine.modes.handles import Hooks, RemovableHandle, added
from autograd_lab.engine.numbers.dtypes import NumpyDtype, mixed
from autograd_lab.whose import place

NOTHING, INPUT, RESULT, CROSSED, ANYTHING = range(5)
"""What an op saves: the patterns that `apply` knows how to save quickly, and the rest."""

next_sequence = count().__next__
LEAF = 2**64 - 1  # the number of nodes that run as soon as they can, as those of leaves


class NodeType(type):
    """Gives node classes no `__dict__`, and prints them as PyTorch does, without a module."""

    def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> NodeType:
        body.setdefault("__slots__", ())
        return super().__new__(mcs, name, bases, body)

    def __repr__(cls) -> str:
        return f"<class '{cls.__name__}'>"


def _spelled(name: str) -> str:
    """The op's own name: `MaxPool2DWithIndicesBackward0` is what `max_pool2d_with_indices` records."""
    plain = re.sub(r"Backwards?\d*$", "", name)
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=\d)(?=[A-CE-Z])|(?<=\dD)(?=[A-Z])", "_", plain).lower()


class Made(NamedTuple):
    """What one output of a node is like."""

    shape: tuple[int, ...]
    dtype: NumpyDtype


class Kept:
    """What stands in the place of a saved tensor that the user keeps in another form; see exact/saving.py."""

    __slots__ = ()

    def seen(self) -> tuple[Any, int]:
        """What can be seen of it as it is, and its version."""
        raise NotImplementedError

    def tensor(self, node: Node) -> Any:
        """The tensor that was saved, with its history."""
        raise NotImplementedError


class Node(metaclass=NodeType):
    """One recorded use of an op.

    An op declares the names of its tensor `inputs`; what it `saves` for backward, in the order in which `backward`
    takes them (inputs by name, or outputs: "result"); and in `only_for` which slots are saved only if a certain input
    needs a gradient. Its `__slots__` are the plain values it keeps, such as an exponent.

    `_saved` is flat: for each slot a tensor, its version counter, its version then. For an output it is the array, as
    the tensor would close a cycle; for a Python number the counter is `(0, number)`. None means freed.

    Only the first `differentiable` inputs have edges, if that is set; the others are conditions and positions. An op
    that `mixes` wants its operands in one dtype.

    Of nodes that are ready the one of the greatest `seq` runs first; `age` tells in what order they were made. `code`
    and `at` tell where in the user's program that was: the code and the offset of the instruction; `freed` tells so of
    the backward pass that freed what it had saved.

    An op that `takes_number` has a Python number for its other operand, as `x ** 2` has, not just for an attribute.

    An op that `needs_gradient` is not asked when none has come; its inputs get none, then.

    The `forward` of an op that `writes` takes an array `out` to put its result into, as ufuncs do.

    Its `tangent` is the kind of rule by which forward mode goes through it: one of engine/forward/kinds.py.

    Ops with `many` outputs keep the shape and dtype of all but the first in `others`; ops that are `floats` turn
    integers into default floats first.
    """

    __slots__ = (
        "__weakref__", "_more", "_saved", "at", "code", "dtype", "freed", "next_functions", "others", "seq", "shape",
    )  # fmt: skip

    inputs: ClassVar[tuple[str, ...]] = ("self",)
    outputs: ClassVar[tuple[str, ...]] = ("result",)
    differentiable: ClassVar[int | None] = None
    mixes: ClassVar[bool] = True
    takes_number: ClassVar[bool] = False
    writes: ClassVar[bool] = False
    many: ClassVar[bool] = False
    needs_gradient: ClassVar[bool] = True
    floats: ClassVar[bool] = False
    saves: ClassVar[tuple[str, ...]] = ()
    only_for: ClassVar[tuple[tuple[str, int], ...]] = ()
    op: ClassVar[str] = ""
    tangent: ClassVar[str] = ""
    pattern: ClassVar[int] = 0
    plan: ClassVar[tuple[tuple[int, int], ...]] = ()
    kept: ClassVar[tuple[str, ...]] = ()

    next_functions: tuple[Edge, ...]
    _saved: tuple[Any, ...] | None
    seq: int
    age: int
    shape: tuple[int, ...]
    dtype: NumpyDtype
    others: list[Made]
    _more: More | None
    code: CodeType
    at: int
    freed: tuple[CodeType, int]

    def __init_subclass__(cls) -> None:
        cls.op = cls.__dict__.get("op") or _spelled(cls.__name__)
        cls.kept += tuple(name for name in cls.__dict__["__slots__"] if not name.startswith("_"))
        inputs = {name: position for position, name in enumerate(cls.inputs)}
        crossed = cls.only_for == tuple(zip(cls.inputs, (1, 0), strict=False)) and cls.saves == cls.inputs
        patterns = {(): NOTHING, ("self",): INPUT, ("result",): RESULT}
        cls.pattern = CROSSED if crossed else patterns.get(cls.saves, ANYTHING)
        places = {name: ~position for position, name in enumerate(cls.outputs)} | inputs
        cls.plan = tuple((places.get(slot, -1), dict(cls.only_for).get(slot, -1)) for slot in cls.saves)

    mix = staticmethod(mixed)
    """Operands of several dtypes, or truth values, in the one dtype of the result; the op may refuse some."""

    def forward(self, *arrays: Any, **options: Any) -> Any:
        """The op on arrays."""
        raise NotImplementedError

    def backward(self, g: Any, /, *saved: Any) -> Any:
        """The gradients of the inputs, for the gradient `g` of the output and what was saved.

        All of them are arrays (0-d ones as numpy scalars), or all tensors if the gradient itself is to be recorded.
        """
        raise NotImplementedError

    def slot_name(self, position: int) -> str:
        """What the saved tensor number `position` is called."""
        return self.saves[position]

    def save_rest(self, operands: Sequence[Any]) -> None:
        """Save what the declaration cannot say; called once the node is linked."""

    def __lt__(self, other: object) -> bool:
        """Never before another one: in a heap all that run at once are equal."""
        return False

    def name(self) -> str:
        """The node's name, as in `grad_fn=<MulBackward0>`."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def _sequence_nr(self) -> int:
        return self.seq

    @property
    def requires_grad(self) -> bool:
        """Always True: only what requires a gradient is recorded."""
        return True

    @property
    def metadata(self) -> dict[Any, Any]:
        """A place for notes of the user's own."""
        return more_of(self).metadata

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(sent, received)`, tuples of gradients, called after the node ran; what it returns is sent."""
        return added(more_of(self).post_hooks, hook, "node", None, self)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(received)` called before the node runs; the tuple that it returns is received instead."""
        return added(more_of(self).pre_hooks, hook, "node_pre", None, self)

    def attributes(self) -> dict[str, Any]:
        """The plain values that the op keeps, by name."""
        return {name: getattr(self, name) for name in self.kept} if self.kept else {}

    def saved_slots(self) -> list[tuple[str, Any, Any, int]]:
        """What is saved now: slot, source, array and version, in the order in which PyTorch packs the slots.

        The source is the input tensor, or an int for an output, or None for a slot not needed, or `listening.PACKED`.
        """
        found: list[tuple[str, Any, Any, int]] = []
        saved = self._saved or ()
        for at in range(0, len(saved), 3):
            slot, (source, cell, version) = self.slot_name(at // 3), saved[at : at + 3]
            if isinstance(source, Kept):
                source, version = source.seen()
            if isinstance(source, Variable):
                found.append((slot, source, source._array, version))
            elif source is None or type(source) is str:
                found.append((slot, source, None, 0))
            elif type(cell) is tuple:
                found.append((slot, wrap(np.asarray(cell[1])), np.asarray(cell[1]), version))
            else:
                found.append((slot, self.outputs.index(slot), source, version))
        return sorted(found, key=lambda one: (isinstance(one[1], int), one[0])) if len(found) > 1 else found

    def arrays(self) -> Sequence[Any]:
        """The saved arrays, in the order of `saves`; 0-d ones as numpy scalars, on which arithmetic is fastest."""
        saved = self._saved
        if saved is None:
            return self.tensors()
        if len(saved) == 3 and isinstance(array := saved[0], np.ndarray) and saved[1][0] == saved[2] and array.ndim:
            return (array,)  # a result, in short
        if len(saved) == 6:  # two operands, or one of two, in short
            a, cell, version, b, other, since = saved
            ours = a is None or (isinstance(a, Variable) and cell[0] == version)
            if ours and (b is None or (isinstance(b, Variable) and other[0] == since)):
                x, y = a if a is None else a._array, b if b is None else b._array
                return x if x is None or x.ndim else x[()], y if y is None or y.ndim else y[()]
        found = []
        rest = iter(saved)
        for array in rest:
            cell, version = next(rest), next(rest)
            if array is not None:
                if cell[0] != version:
                    raise self._modified(self._first_stale())
                if not isinstance(array, np.ndarray):
                    if isinstance(array, Kept):
                        return self._unpacked(self._array_at)
                    array = array._array
                if not array.ndim:
                    array = array[()]
            found.append(array)
        return found

    def tensors(self) -> list[Any]:
        """The saved tensors, in the order of `saves`; outputs come with their history, numbers as they are."""
        if self._saved is None:  # which is no mistake where nothing had been needed
            return [self._tensor(position) for position in range(max(1, len(self.plan)))]
        found: list[Any] = []
        rest = iter(self._saved)
        for source in rest:
            cell, version = next(rest), next(rest)
            if isinstance(source, Kept):
                return self._unpacked(partial(self._tensor, numbers=True))
            if source is not None and (not isinstance(source, Variable) or cell[0] != version):
                source = self._tensor(len(found) if cell[0] == version else self._first_stale(), numbers=True)
            found.append(source)
        return found

    def _unpacked(self, get: Callable[[int], Any]) -> list[Any]:
        """What is saved, in the order of `saves`, but got in the order in which PyTorch unpacks: hooks may tell."""
        order = self.packing_order()
        found = dict(zip(order, map(get, order), strict=True))
        return [found[position] for position in range(len(order))]

    def _array_at(self, position: int) -> Any:
        assert self._saved is not None
        source, cell, version = self._saved[3 * position : 3 * position + 3]
        if source is None:
            return None
        if cell[0] != version:
            raise self._modified(position)
        return (source if isinstance(source, np.ndarray) else source._array)[()]

    def _tensor(self, position: int, *, numbers: bool = False) -> Any:
        if self._saved is None:
            if position < len(self.plan) and self._is_unneeded(self.plan[position][1]):
                return None
            raise self._second_time()
        source, cell, version = self._saved[3 * position : 3 * position + 3]
        if source is None:
            return None
        if cell[0] != version:
            raise self._modified(position)
        if isinstance(source, Variable):
            return source
        if isinstance(source, Kept):
            return source.tensor(self)
        if type(cell) is tuple:
            return cell[1] if numbers else wrap(np.asarray(cell[1]))
        output = wrap(source)
        output._cell = cell
        if source.dtype.kind in "fV":
            output._needs, output._edge = True, (self, self.output_number(position))
            if self._more is not None and (tangents := self._more.tangents.get(output._edge[1])):
                extra_of(output).tangents = tangents
        return output

    def _is_unneeded(self, needed_by: int) -> bool:
        """Whether a slot was never filled, since the input that it is for needs no gradient."""
        return needed_by >= 0 and self.next_functions[needed_by][0] is None

    def needed(self, saved: Sequence[Any]) -> Sequence[Any]:
        """What was saved, without the slots that are for inputs which need no gradient now."""
        if len(saved) != len(self.plan):
            return saved
        return [None if self._is_unneeded(by) else one for one, (_, by) in zip(saved, self.plan, strict=True)]

    def output_number(self, position: int) -> int:
        """Which output it is that is saved at `position`."""
        return self.outputs.index(self.saves[position])

    def packing_order(self) -> Sequence[int]:
        """The positions of what is saved, in the order in which PyTorch packs: inputs by name, then outputs."""
        count = len(self._saved or ()) // 3
        return sorted(range(count), key=lambda at: (self.slot_name(at) in self.outputs, self.slot_name(at)))

    def unusable_slot(self) -> str | None:
        """The first slot that backward cannot have: all were freed, or this one was written over since."""
        if self._saved is None:
            needed = [slot for slot, (_, by) in zip(self.saves, self.plan, strict=True) if not self._is_unneeded(by)]
            return min(needed or self.saves or (self.slot_name(0),), key=lambda one: (one in self.outputs, one))
        position = self._first_stale()
        return None if position < 0 else self.slot_name(position)

    def _first_stale(self) -> int:
        """The position of the first slot written over since, in the order in which PyTorch unpacks them; -1 if none."""
        saved = [(self._saved or ())[3 * at : 3 * at + 3] for at in self.packing_order()]
        stale = (source is not None and cell[0] != version for source, cell, version in saved)
        return next((at for at, is_stale in zip(self.packing_order(), stale, strict=True) if is_stale), -1)

    def _modified(self, position: int) -> RuntimeError:
        """The error that what was saved has been written over since."""
        from autograd_lab.engine.errors.reasons import was_modified

        return was_modified(self, position, anomaly.enabled)

    def _second_time(self) -> RuntimeError:
        """The error that what was saved is asked for once it is freed."""
        from autograd_lab.engine.errors.reasons import was_freed

        return was_freed(self)

    def __getattr__(self, name: str) -> Any:
        return seams.attribute(self, name)

    def __dir__(self) -> list[str]:
        return seams.listed(self)

    def __call__(self, *gradients: Any) -> tuple[Any, ...]:
        """What the node sends along its edges if these gradients, tensors, come to its outputs; no hook hears of it."""
        return seams.called(self, gradients)


Node.age = Node.seq  # type: ignore[misc]  # the same slot, also for nodes whose `seq` says to run at once


def enter(node: Node, output: Variable) -> None:
    """Number a node, note where the user's program made it, and what its first output is."""
    node.seq, node._more = next_sequence(), None
    node.shape, node.dtype = output._array.shape, output._array.dtype
    node.code, node.at = place()


class More:
    """What few nodes have: hooks, notes of the user's own, and the tangents of results that were saved."""

    __slots__ = ("metadata", "post_hooks", "pre_hooks", "retained", "tangents", "tensor_hooks")

    def __init__(self) -> None:
        self.metadata: dict[Any, Any] = {}
        self.tensor_hooks: dict[int, Any] = {}
        self.retained: dict[int, Any] = {}
        self.tangents: dict[int, Any] = {}
        self.pre_hooks: Hooks = {}
        self.post_hooks: Hooks = {}


def more_of(node: Node) -> More:
    """The node's `More`, made if it has none yet."""
    more = node._more = node._more or More()
    return more
