"""Which tensors are of one example alone, while `vmap` runs a function for each: what PyTorch refuses to do with them.

PyTorch has all examples in one tensor, which is no number and decides no branch. Here each is a tensor like any other;
that it is one of many is noted beside it, and beside what comes of it, as long as `vmap` runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, dropwhile
from typing import Any

import numpy as np

from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable, extra_of
from autograd_lab.engine.exact import levels
from autograd_lab.engine.modes import transforming

DECIDES = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
EITHER = (
    "vmap: It looks like you're either (1) calling .item() on a Tensor or (2) attempting to use a Tensor in some "
    "data-dependent control flow or (3) encountering this error in PyTorch internals. For (1): we don't support vmap "
    "over calling .item() on a Tensor, please try to rewrite what you're doing with other operations. For (2): we "
    "don't support data-dependent control flow in vmap yet, please file an issue at "
    "https://github.com/pytorch/pytorch/issues . For (3): please file an issue."
)
"""What PyTorch says of both inside of a function that is differentiated as well."""
DATA = "accessing `data` under vmap transform is not allowed"
NO_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"
FILE = "Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. " + FILE
)
MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with "
    "a boolean mask."
)
SELECTED = (
    "vmap: Attempted to vmap over `{0}` in torch.masked_select(self, mask) We cannot support this because for each "
    "batch this would return a differently shaped Tensor. " + FILE
)
UNRULED = "Batching rule not implemented for aten::{}. We could not generate a fallback."
UNSUPPORTED = "vmap over torch.{} isn't supported yet. " + FILE
WRITTEN = (
    "vmap: {0}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
    "elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over {1}. "
    "Please try to use out-of-place operators instead of {0}. If said operator is being called inside the PyTorch "
    "framework, please file a bug report instead."
)
ARITHMETIC = {
    "clamp_max_",
    "clamp_min_",
    "copy_",
    "div_",
    "divide_",
    "logical_and_",
    "logical_or_",
    "logical_xor_",
    "masked_fill_",
    "mul_",
    "multiply_",
    "sub_",
    "true_divide_",
}
"""Writes that PyTorch refuses by one name."""
OWN = {"fill_", "index_add_", "index_fill_", "index_put_", "scatter_add_", "scatter_reduce_"}
"""Those that it refuses by their own names."""
STRUCTURED = {"add_", "arctan2_", "atan2_", "copysign_", "gcd_", "lcm_"}
STRUCTURED |= {f"bitwise_{name}_" for name in ("and", "or", "xor", "left_shift", "right_shift")}
"""Those of which it says that shapes do not fit; all others it calls by level."""
SHAPED = {"index", "_unique2", "unique_dim", "unique_consecutive", "masked_select"}
"""Ops of whose results the elements decide the shape."""

running: dict[int, int] = {}
"""The calls of `vmap` that are going on, the outermost first, and how many examples each has."""
_numbers = count(1)


@contextmanager
def mapped(size: int) -> Iterator[int]:
    """Inside, `vmap` runs a function of so many examples; which call it is."""
    number = next(_numbers)
    with transforming.by_vmap():
        running[number] = size
        levels.stand_by(_carry)
        try:
            yield number
        finally:
            del running[number]
            if not running:
                levels.stand_down(_carry)


@contextmanager
def set_aside() -> Iterator[None]:
    """Inside, no tensor is one example's: an op that knows what it is for many at once reads their elements."""
    kept = dict(running)
    running.clear()
    try:
        yield
    finally:
        running.update(kept)
        levels.stand_by(_carry)


def marks(*things: Any) -> frozenset[int]:
    """Of which calls of `vmap` that are going on any of these tensors has one example alone."""
    found: set[int] = set()
    for one in things:
        if isinstance(one, Variable) and one._extra is not None and one._extra.examples is not None:
            found |= one._extra.examples
    return frozenset(found).intersection(running)


def mark(tensor: Any, found: frozenset[int]) -> Any:
    """Note it beside a tensor, which is returned."""
    if found:
        extra = extra_of(tensor)
        extra.examples = found | (extra.examples or frozenset())
    return tensor


def hand_on(made: Any, *sources: Any) -> Any:
    """What was made of tensors, of as few examples as they are."""
    return mark(made, marks(*sources)) if running else made


def _carry(node: Node, operands: Sequence[Any], outputs: Sequence[Any], again: Callable[..., Any]) -> None:
    found = marks(*operands)
    if found and (node.op in SHAPED or node.op == "index"):
        _refuse_shape(node.op, operands)
    for output in outputs:
        mark(output, found)


def _refuse_shape(op: str, operands: Sequence[Any]) -> None:
    """Raise RuntimeError for an op of whose results the elements decide the shape."""
    if op == "index" and any(one is not None and one._array.dtype.kind == "b" and marks(one) for one in operands[1:]):
        raise RuntimeError(MASK)
    if op == "masked_select":
        raise RuntimeError(SELECTED.format("mask" if marks(operands[1]) else "self"))
    if op != "index":
        raise RuntimeError(DYNAMIC.format(op))


def refuse(message: str, *things: Any) -> None:
    """Raise RuntimeError if any of the tensors is one example's."""
    if running and marks(*things):
        derived = message in (DECIDES, ITEM) and transforming.inside_a_transform() != "vmap"
        raise RuntimeError(EITHER if derived else message)


def check_write(name: str, target: Any, others: Sequence[Any]) -> None:
    """Refuse to write an example's elements to a tensor that all examples share."""
    missing = sorted(marks(*others) - marks(target))
    if not missing:
        return
    if name in STRUCTURED:
        raise RuntimeError(_misfit(target, others))
    told = "inplace arithmetic" if name in ARITHMETIC else name if name in OWN else f"aten::{name}"
    where = f"at level {list(running).index(missing[-1]) + 1}" if told.startswith("aten") else "in a vmap"
    raise RuntimeError(WRITTEN.format(told, where))


def _misfit(target: Any, others: Sequence[Any]) -> str:
    """How PyTorch has it, whose tensors have the dimensions of all examples, too."""
    own, shape = marks(target), list(target._array.shape)
    known = sorted(own | marks(*others))
    wanted = np.broadcast_shapes(*(one._array.shape for one in (target, *others)))
    padded = [1] * (len(wanted) - len(shape)) + shape if own else shape
    there = list(dropwhile(lambda size: not size, [running[one] if one in own else 0 for one in known]))
    broadcast = [*(running[one] for one in known), *wanted]
    return (
        f"output with shape {[*(size or 1 for size in there), *padded]} doesn't match the broadcast shape {broadcast}"
    )
