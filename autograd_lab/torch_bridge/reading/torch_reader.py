"""How a recorder reads torch's tensors and nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from autograd_lab.recording.reader import Reader
from autograd_lab.torch_bridge.reading import nodes, tensors
from autograd_lab.torch_bridge.reading.torch_ids import TorchIds


class TorchReader(Reader):
    """Reads what torch makes.

    `assigned` is what the program has just assigned to a `.grad`; `packers` are the ids of nodes some of whose saved
    tensors a hook has packed.
    """

    def __init__(self, ids: TorchIds) -> None:
        self._ids = ids
        self.assigned: Any = None
        self.packers: set[str] = set()

    snapshot = staticmethod(tensors.snapshot_of)
    version_of = staticmethod(tensors.version_of)

    def is_same(self, left: Any, right: Any) -> bool:
        return tensors.is_same(left, right)

    def is_tensor(self, thing: Any) -> bool:
        return isinstance(thing, torch.Tensor)

    def is_own(self, part: Any) -> bool:
        """As for any engine; but `functional_call` has plain tensors stand for parameters."""
        return isinstance(part, torch.nn.Parameter) or not part.requires_grad

    def grad_of(self, tensor: Any) -> Any:
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else self.assigned  # to ask others gives a warning

    def op_of(self, node: Any, name: str) -> str:
        return name if node is None else nodes.op_of(node)

    def attributes_of(self, node: Any) -> tuple[tuple[str, Any], ...]:
        return nodes.attributes_of(node)

    def has_slots(self, node: Any) -> bool:
        return nodes.has_slots(node)

    def slots_of(self, node: Any) -> list[nodes.Slot]:
        slots, is_packed = nodes.slots_of(node)
        if is_packed:
            self.packers.add(self._ids.node(node))
        return slots

    def outputs_by_number(self, outputs: Sequence[Any]) -> Any:
        return _Outputs((one.output_nr, one) for one in outputs if one is not None and not one.is_leaf)

    def is_number(self, saved: Any) -> bool:
        return not saved.ndim and saved.is_cpu  # to ask another device would be to wait for it

    def number_in(self, saved: Any) -> Any:
        return tensors.number_in(saved)

    def nbytes_of(self, saved: Any) -> int:
        return tensors.nbytes_of(saved)


class _Outputs(dict[int, Any]):
    """A node's outputs by their numbers; None for those that nobody holds."""

    def __missing__(self, number: int) -> None:
        return None
