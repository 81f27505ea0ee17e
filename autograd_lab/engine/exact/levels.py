"""Forward mode: tensors carry tangents, and an op that runs while they do works out the tangent of its result.

A *level* is one differentiation that is going on; those inside it count up from it. A tangent of a level may have
tangents of the levels around it, but its own level does not exist for the ops that compute it: so nothing is mixed up.
How the tangent of an op's result comes about is in forward/, which is imported with the first level.
"""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autograd_lab.engine.core import seams
from autograd_lab.engine.core.node import Node, more_of
from autograd_lab.engine.core.variable import Variable, alias, extra_of

_enabled = True
level = 0
"""The innermost level of all; 0 while nobody differentiates forward, and then nobody asks further."""

SIZES = (
    "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
    "supported. Tensor is of size [{}] while the given forward gradient is of size [{}]."
)


class Tangents(dict[int, Any]):
    """A tensor's tangents by their levels, None for a view that has none of its own.

    A node that saved the tensor as its result shares them.
    """

    __slots__ = ("__weakref__",)


_known: weakref.WeakValueDictionary[int, Tangents] = weakref.WeakValueDictionary()
"""All that are not empty yet, so that the end of a level can take its tangents away."""


def enter() -> int:
    """Begin a level; its number."""
    importlib.import_module("autograd_lab.engine.forward.kinds")
    _be_at(level + 1)
    return level


def leave() -> None:
    """End the innermost level: its tangents are forgotten."""
    for tangents in list(_known.values()):
        tangents.pop(level, None)
    _be_at(level - 1)


def _be_at(number: int) -> None:
    global level
    level, seams.carry = number, carry if number and _enabled else _outside


_outside: Any = None
"""What shows each op to all who stand by."""
_standing: dict[Any, None] = {}


def stand_by(carrier: Any) -> None:
    """Have somebody see each op from now on."""
    _standing[carrier] = None
    _choose()


def stand_down(carrier: Any) -> None:
    """No longer show it each op."""
    _standing.pop(carrier, None)
    _choose()


def _choose() -> None:
    global _outside
    _outside = None if not _standing else next(iter(_standing)) if len(_standing) == 1 else _all
    _be_at(level)


def _all(*op: Any) -> None:
    for carrier in tuple(_standing):
        carrier(*op)


def is_enabled() -> bool:
    """Whether ops work out tangents, where there are any."""
    return _enabled


@contextmanager
def switched(wanted: bool) -> Iterator[None]:
    """Inside, ops work out tangents, or not."""
    before = _enabled
    set_enabled(wanted)
    try:
        yield
    finally:
        set_enabled(before)


def set_enabled(wanted: bool) -> None:
    """Have ops work out tangents, or not."""
    global _enabled
    _enabled = wanted
    _be_at(level)


class below:
    """Inside, a level and those inside it are not there."""

    def __init__(self, ended: int) -> None:
        self._ended = ended

    def __enter__(self) -> None:
        self._before = level
        _be_at(self._ended - 1)

    def __exit__(self, *_: object) -> None:
        _be_at(self._before)


def tangent_of(tensor: Any, at: int) -> Any:
    """The tangent of a tensor at a level, or None; a view's may be what it shows of its base's."""
    extra = tensor._extra if isinstance(tensor, Variable) else None
    if extra is None:
        return None
    if extra.tangents is not None and at in extra.tangents:
        return extra.tangents[at]
    if extra.base is None or (of_base := tangent_of(extra.base, at)) is None:
        return None
    return _set(tensor, at, rules.shown(of_base, tensor, extra.base))


def set_tangent(tensor: Any, at: int, tangent: Any) -> Any:
    """Give a tensor a tangent, which lies in memory as it does itself. Raises RuntimeError for another size."""
    if tensor._array.shape != tangent._array.shape:
        sizes = (", ".join(map(str, one._array.shape)) for one in (tensor, tangent))
        raise RuntimeError(SIZES.format(*sizes))
    return _set(tensor, at, tangent if _strides(tensor) == _strides(tangent) else rules.laid_out(tangent, tensor))


def _strides(tensor: Any) -> tuple[int, ...]:
    array = tensor._array
    return tuple(stride // array.itemsize for stride, size in zip(array.strides, array.shape, strict=True) if size > 1)


def _set(tensor: Any, at: int, tangent: Any) -> Any:
    extra = extra_of(tensor)
    if extra.tangents is None:
        extra.tangents = Tangents()
    extra.tangents[at] = tangent
    _known[id(extra.tangents)] = extra.tangents
    return tangent


def rewrite_tangent(tensor: Any, at: int, tangent: Any) -> None:
    """Give a tensor that was written to its new tangent, in the memory of the old one or, for a view, of its base's."""
    old = tangent_of(tensor, at)
    base = None if tensor._extra is None else tensor._extra.base
    if old is None and base is not None:
        set_tangent(base, at, rules.zeros_like(base))
        old = tangent_of(tensor, at)
    if old is None:
        with below(at):
            set_tangent(tensor, at, tangent.clone())
    else:
        old.copy_(tangent)


def without_tangent(tensor: Any, at: int) -> Any:
    """A view of a tensor that has no tangent at a level, whatever its base has; its op is of no level."""
    with below(at):
        view = rules.seen(tensor)
    _set(view, at, None)
    return view


def without_history(tensor: Any) -> Any:
    """The tensor as a leaf, with tangents that are leaves."""
    plain = alias(tensor, share_version=True)
    for at in range(1, level + 1):
        if (tangent := tangent_of(tensor, at)) is not None:
            set_tangent(plain, at, without_history(tangent))
    if tensor._extra is not None and tensor._extra.examples:
        extra_of(plain).examples = tensor._extra.examples
    return plain


def copy_tangents(source: Any, target: Any) -> Any:
    """Give `target` the tangents that `source` has now, and return it."""
    for at in range(1, level + 1):
        if (tangent := tangent_of(source, at)) is not None:
            _set(target, at, tangent)
    return target


def carry(
    node: Node, operands: Sequence[Any], outputs: Sequence[Any], again: Callable[[Sequence[Any]], Any],
    put: Callable[[Any, int, Any], Any] = set_tangent,
) -> None:  # fmt: skip
    """Give the results of an op their tangents, if its operands have any; `again` applies the op to other operands."""
    if _outside is not None:
        _outside(node, operands, outputs, again)
    for at in range(1, level + 1):
        tangents = [tangent_of(one, at) for one in operands]
        if any(one is not None for one in tangents):
            with below(at):
                found = rules.pushed(node, operands, tangents, outputs, again)
            for output, tangent in zip(outputs, found, strict=False):
                if tangent is not None:
                    put(output, at, tangent.to(output.dtype))
    for number, output in enumerate(outputs[: len(node.outputs)]):
        if node.outputs[number] in node.saves and output._edge is not None and output._extra is not None:
            more_of(node).tangents[number] = output._extra.tangents


rules: Any = None
"""forward/push.py, which puts itself here: it needs the ops, and they need this."""
