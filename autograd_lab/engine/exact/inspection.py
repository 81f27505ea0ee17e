"""What PyTorch shows of a node: `_saved_self`, `_raw_saved_self`, and all that `dir` lists."""

from __future__ import annotations

from typing import Any, NamedTuple

from autograd_lab.engine.core import seams
from autograd_lab.engine.core.edges import AccumulateGrad
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.exact.saving import SavedTensor
from autograd_lab.engine.modes.grad_mode import no_grad_quietly
from autograd_lab.engine.numbers.device import CPU
from autograd_lab.engine.numbers.dtypes import dtype_of

SHOWN = ("_sequence_nr", "metadata", "name", "next_functions", "register_hook", "register_prehook", "requires_grad")
UNSIGNED = frozenset(["dim", "dim0", "dim1", "dim2", "dimension", "dims", "index", "offset", "start", "end"])


class InputMetadata(NamedTuple):
    """What a gradient is like that comes to a node."""

    shape: list[int]
    dtype: Any
    device: Any = CPU
    is_nested_tensor: bool = False
    is_cpp_nested_tensor: bool = False


def _attribute(node: Node, name: str) -> Any:
    if name.startswith("_saved_"):
        slot = name.removeprefix("_saved_")
        if slot in node.saves:
            return node._tensor(node.saves.index(slot))
        if slot in (attributes := node.attributes()):
            return _unsigned(attributes[slot]) if slot in UNSIGNED else attributes[slot]
    if name.startswith("_raw_saved_") and (slot := name.removeprefix("_raw_saved_")) in node.saves:
        return SavedTensor(node, node.saves.index(slot))
    if name == "_input_metadata":
        made: list[Any] = [node, *node.others] if node.many else [node]
        return [InputMetadata(list(one.shape), dtype_of(one)) for one in made if one is not None]
    raise AttributeError(f"{type(node).__name__!r} object has no attribute {name!r}")


def _listed(node: Node) -> list[str]:
    saved = [f"_saved_{name}" for name in (*node.saves, *node.attributes())]
    return [*dir(object), *SHOWN, *saved, *(f"_raw_saved_{name}" for name in node.saves)]


def _unsigned(value: Any) -> Any:
    """PyTorch shows negative dimensions as unsigned 64-bit numbers."""
    if isinstance(value, tuple | list):
        return tuple(_unsigned(item) for item in value)
    return value + 2**64 if isinstance(value, int) and value < 0 else value


def _called(node: Node, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
    """What the node sends along its edges if these gradients, tensors, come to its outputs; a leaf adds its own up."""
    count = 1 + len(node.others) if node.many else 1
    if len(gradients) != count:
        raise TypeError(f"expected {count} arguments, got {len(gradients)} instead")
    if isinstance(node, AccumulateGrad):
        with no_grad_quietly():
            leaf, grad = node._leaf, node._leaf._grad
            leaf._grad = gradients[0].clone() if grad is None else grad.add_(gradients[0])
        return ()
    for position, gradient in enumerate(gradients):
        if gradient is not None and not isinstance(gradient, Variable):
            raise TypeError(f"argument {position} is not a Variable")
    sent = node.backward(list(gradients) if node.many else gradients[0], *node.tensors())
    sent = sent if type(sent) is tuple else (sent,)
    return tuple([None if edge[0] is None else g for g, edge in zip(sent, node.next_functions, strict=False)])


seams.attribute, seams.listed, seams.called = _attribute, _listed, _called
