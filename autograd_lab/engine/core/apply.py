"""Applying an op to tensors: the forward pass, and the recording of it.

`apply1` and `apply2` are `applyn` for one and two operands, written out: they are where a program spends its time.
"""

from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core import seams, variable
from autograd_lab.engine.core.edges import edge_of
from autograd_lab.engine.core.node import CROSSED, INPUT, NOTHING, RESULT, Made, Node, enter, next_sequence
from autograd_lab.engine.core.variable import NO_EDGE, Extra, Variable, extra_of, wrap
from autograd_lab.engine.modes import inference
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.engine.numbers.dtypes import F32, Array, floating
from autograd_lab.engine.numbers.quiet import QUIET, quieten
from autograd_lab.whose import place_of

if TYPE_CHECKING:
    from autograd_lab.engine.tensor.tensor import Tensor

_new: Any = object.__new__
getframe = sys._getframe

users_code: CodeType | None = None
"""The part of the user's program that recorded an op last, most likely the one that records the next."""

NUMBERS = (int, float, np.number, np.bool_)


def _refuse(op: str, operand: Any) -> None:
    from autograd_lab.engine.errors.operands import only_tensors

    only_tensors(op, operand)


def apply1(cls: type[Node], a: Any, *args: Any) -> Tensor:
    """The result of an op on one tensor."""
    if not isinstance(a, Variable):
        _refuse(cls.op, a)
    x = a._array
    if x.dtype is not F32 and cls.floats:
        x = floating(x)
    if (warnings.filters or (None,))[0] is not QUIET:
        quieten()
    node = _new(cls)
    r = node.forward(x, *args) if args else node.forward(x)
    out: Tensor = _new(variable.Tensor)
    out._array = r
    out._cell = cell = [0]
    out._grad = out._extra = None
    if a._needs and is_grad_enabled():
        node.next_functions = (a._edge or edge_of(a),)
        pattern = cls.pattern
        if pattern == NOTHING:
            node._saved = ()
        elif pattern == INPUT:
            node._saved = (a, a._cell, a._cell[0])
        elif pattern == RESULT:
            node._saved = (r, cell, 0)
        else:
            node._saved = packed(node, (a,), (r,), (cell,))
        out._needs = True
        out._edge = (node, 0)
        _enter(node, r, getframe(2))
    else:
        out._needs = False
        out._edge = None
        if inference.users:
            out._cell = inference.new_cell()
    if listening.active is not None:
        listening.told(node, out._needs, (a, *args[:1]) if cls.takes_number else (a,), (out,))
    if seams.carry is not None:
        seams.carry(node, (a,), (out,), partial(_again, apply1, cls, args))
    return out


def _again(apply: Callable[..., Any], cls: type[Node], args: tuple[Any, ...], operands: Sequence[Any]) -> Any:
    """An op once more, on other operands. No lambda inside of `apply`: its cells would cost each op their time."""
    return (apply(cls, *operands, *args),)


def _enter(node: Node, made: Array, frame: FrameType) -> None:
    """Number a node, and note where the user's program made it, and what its output is."""
    global users_code
    if frame.f_code is users_code:
        node.code, node.at = users_code, frame.f_lasti
    else:
        node.code, node.at = place_of(frame)
        users_code = node.code
    node.seq = next_sequence()
    node.shape = made.shape
    node.dtype = made.dtype
    node._more = None
    if seams.on_recorded is not None:
        seams.on_recorded(node)


def apply2(cls: type[Node], a: Any, b: Any, *args: Any) -> Tensor:
    """The result of an op on two tensors, or on a tensor and a number; NotImplemented for anything else."""
    if not isinstance(b, Variable):
        return _with_number(cls, a, b, args)
    try:
        x, y = a._array, b._array
    except AttributeError:
        _refuse(cls.op, a)
    if (warnings.filters or (None,))[0] is not QUIET:
        quieten()
    if x.dtype is not y.dtype:
        x, y = cls.mix(x, y)
    node = _new(cls)
    try:
        r = node.forward(x, y, *args) if args else node.forward(x, y)
    except ValueError as error:
        from autograd_lab.engine.errors.operands import mismatch

        raise (mismatch(x.shape, y.shape) or error) from None
    out: Tensor = _new(variable.Tensor)
    out._array = r
    out._cell = cell = [0]
    out._grad = out._extra = None
    first, second = a._needs, b._needs
    if (first or second) and is_grad_enabled():
        node.next_functions = (
            (a._edge or edge_of(a)) if first else NO_EDGE,
            (b._edge or edge_of(b)) if second else NO_EDGE,
        )
        pattern = cls.pattern
        if pattern == NOTHING:
            node._saved = ()
        elif pattern == CROSSED:
            ca, cb = a._cell, b._cell
            if first and second:
                node._saved = (a, ca, ca[0], b, cb, cb[0])
            else:
                node._saved = (None, None, 0, b, cb, cb[0]) if first else (a, ca, ca[0], None, None, 0)
        else:
            node._saved = packed(node, (a, b), (r,), (cell,))
        out._needs = True
        out._edge = (node, 0)
        _enter(node, r, getframe(2))
    else:
        out._needs = False
        out._edge = None
        if inference.users:
            out._cell = inference.new_cell()
    if listening.active is not None:
        listening.told(node, out._needs, (a, b), (out,))
    if seams.carry is not None:
        seams.carry(node, (a, b), (out,), partial(_again, apply2, cls, args))
    return out


def _with_number(cls: type[Node], a: Any, number: Any, args: tuple[Any, ...]) -> Tensor:
    """`apply2` where the second operand is a number, which becomes an array of the dtype that the result has."""
    if (warnings.filters or (None,))[0] is not QUIET:
        quieten()
    x = a._array
    if ((kind := type(number)) is float or kind is int) and x.dtype is F32:  # most often
        y = np.array(number, F32)
    else:
        if not isinstance(number, NUMBERS):
            return NotImplemented
        if isinstance(number, np.generic):
            number = float(number) if type(number) is np.bool_ else number.item()
        if x.dtype.kind in "fV" and type(number) is not bool and x.dtype.itemsize != 2:
            y = np.array(number, x.dtype)
        else:
            x, y = cls.mix(x, number)
    node = _new(cls)
    r = node.forward(x, y, *args) if args else node.forward(x, y)
    out = wrap(r)
    if a._needs and is_grad_enabled():
        node.next_functions = ((a._edge or edge_of(a)), NO_EDGE)
        pattern = cls.pattern
        if pattern == NOTHING:
            node._saved = ()
        elif pattern == CROSSED:
            node._saved = (None, None, 0, y, (0, number), 0)
        else:
            node._saved = packed(node, (a, Number(y, number)), (r,), (out._cell,))
        out._needs, out._edge = True, (node, 0)
        _enter(node, r, getframe(3))
    if listening.active is not None:
        listening.told(node, out._needs, (a, number), (out,))
    if seams.carry is not None:
        seams.carry(node, (a, Number(y, number)), (out,), partial(_again, apply2, cls, args))
    return out


class Number:
    """A Python number among the operands of an op."""

    __slots__ = ("_array", "_cell", "_needs")

    def __init__(self, array: Array, number: Any) -> None:
        self._array = array
        self._cell = (0, number)
        self._needs = False


def applyn(cls: type[Node], tensors: Sequence[Any], *args: Any) -> Tensor:
    """The result of an op on any number of tensors; the first one, if there are several, and nobody is told of more."""
    return _apply_to(cls, args, 1, tensors)[0]


def apply_many(cls: type[Node], tensors: Sequence[Any], *args: Any) -> tuple[Tensor, ...]:
    """All results of an op on any number of tensors; the floating ones need gradients."""
    return _apply_to(cls, args, None, tensors)


def _apply_to(cls: type[Node], args: tuple[Any, ...], shown: int | None, tensors: Sequence[Any]) -> tuple[Tensor, ...]:
    if (warnings.filters or (None,))[0] is not QUIET:
        quieten()
    node = _new(cls)
    made = node.forward(*[None if tensor is None else tensor._array for tensor in tensors], *args)
    outputs = tuple([wrap(array) for array in made]) if type(made) is tuple else (wrap(made),)
    recorded = link(node, tensors, outputs)
    if listening.active is not None:
        listening.told(node, recorded, tuple(tensors), outputs[:shown])
    if seams.carry is not None:
        seams.carry(node, tensors, outputs, partial(_apply_to, cls, args, shown))
    return outputs


def link(node: Node, tensors: Sequence[Any], outputs: Sequence[Any]) -> bool:
    """Put the node into the graph if any of its operands requires a gradient; True if so."""
    for tensor in tensors:
        if tensor is not None and tensor._needs:
            break
    else:
        return False
    if not is_grad_enabled():
        return False
    node.next_functions = edges(tensors if node.differentiable is None else tensors[: node.differentiable])
    if len(outputs) == 1:
        differentiable = outputs
        kept = (outputs[0]._array,)
    else:
        differentiable = [output for output in outputs if output._array.dtype.kind in "fV"]
        # positions have no history: keeping their tensors closes no cycle
        kept = tuple([o._array if o._array.dtype.kind in "fV" else o for o in outputs])
    enter(node, differentiable[0])
    if node.many:
        node.others = [Made(output._array.shape, output._array.dtype) for output in differentiable[1:]]
    node._saved = packed(node, tensors, kept, [o._cell for o in outputs])
    node.save_rest(tensors)
    for position, output in enumerate(differentiable):
        output._needs, output._edge = True, (node, position)
    if seams.on_recorded is not None:
        seams.on_recorded(node)
    return True


def edges(tensors: Sequence[Any]) -> tuple[variable.Edge, ...]:
    """Where the gradient of each tensor goes; `(None, 0)` where none is required."""
    return tuple([(one._edge or edge_of(one)) if one is not None and one._needs else NO_EDGE for one in tensors])


NOT_SAVED = (None, None, 0)


def packed(node: Node, inputs: Sequence[Any], outputs: Sequence[Any], cells: Sequence[Any]) -> tuple[Any, ...]:
    """What `node._saved` is to be, following the op's declaration."""
    flat: tuple[Any, ...] = ()
    for position, needed_by in node.plan:
        if needed_by >= 0 and node.next_functions[needed_by][0] is None:
            flat += NOT_SAVED
        elif position < 0:
            cell = cells[~position]
            flat += (outputs[~position], cell, cell[0])
        elif (tensor := inputs[position]) is None:
            flat += NOT_SAVED
        else:
            cell = tensor._cell
            flat += (tensor._array if type(tensor) is Number else tensor, cell, cell[0])
    return flat


def apply_view(cls: type[Node], a: Any, *args: Any) -> Tensor:
    """The result of an op that only looks at the same memory in another way: it shares the version counter."""
    if not isinstance(a, Variable):
        _refuse(cls.op, a)
    node = _new(cls)
    r = node.forward(a._array, *args) if args else node.forward(a._array)
    out = view_of(a, r)
    recorded = out._needs and is_grad_enabled()
    if recorded:
        node.next_functions = (a._edge or edge_of(a),)
        node._saved = ()
        extra_of(out).edge = (node, 0)
        _enter(node, r, getframe(2))
    if listening.active is not None:
        listening.told(node, recorded, (a,), (out,))
    if seams.carry is not None:
        seams.carry(node, (a,), (out,), partial(_again, apply_view, cls, args))
    return out


def view_of(a: Variable, array: Array) -> Tensor:
    """A tensor that shows the memory of `a` as `array`, still without history."""
    out: Tensor = _new(variable.Tensor)
    out._array = array
    out._cell = cell = a._cell
    out._grad = out._edge = None
    out._needs = a._needs
    extra = out._extra = Extra()
    if type(cell) is not list:  # an inference tensor, which has no history to share
        out._cell, out._needs = inference.InferenceCell([0]), False
        return out
    extra.edge_version = cell[0]
    extra.base = base = a
    if a._extra is not None and a._extra.base is not None:
        extra.base = base = a._extra.base
        extra.creation = a._extra.creation
    if unrecorded := not is_grad_enabled():
        extra.creation = "inference" if inference.users and inference.inside.get() else "no_grad"
        out._needs = base._needs
    if unrecorded or not base._needs:  # that may change, and its views with it
        root = extra_of(base)
        if root.views is None:
            root.views = set()
        root.views.add(weakref.ref(out, root.views.discard))
    return out
