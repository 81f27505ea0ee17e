"""How a recorder reads tensors and nodes: all that differs from engine to engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograd_lab.recording.ids import version_of
from autograd_lab.recording.values.snapshot import Snapshot, is_same, snapshot

Slot = tuple[str, Any, Any, int]
"""A slot's name, its source (a tensor, or an int for an output, or `PACKED`), what is saved, its version."""


class Reader:
    """Reads what this package's engine makes.

    Of a tensor: `_array`, `_cell`, `_grad`, `grad_fn`, `is_leaf`, `output_nr`, `requires_grad`; its ids leave `_uid`
    there. Of a node: `next_functions`, `_saved`, `saved_slots()`, `attributes()`, `name()`, `op`, `shape`,
    `_sequence_nr()`; of an AccumulateGrad `variable`, its leaf. `examples/miniature.py` is an engine that has no more.
    """

    snapshot: Callable[[Any], Snapshot] = staticmethod(snapshot)
    """What to keep of a tensor's numbers."""
    version_of: Callable[[Any], int] = staticmethod(version_of)
    """How often a tensor was written to."""

    def is_same(self, left: Any, right: Any) -> bool:
        """Whether two tensors hold the same, to the bit."""
        return is_same(left, right)

    def is_tensor(self, thing: Any) -> bool:
        """Whether a thing is a tensor of the engine that is recorded."""
        return hasattr(thing, "_array")

    def is_own(self, part: Any) -> bool:
        """Whether a parameter or buffer is its module's own, not lent for a call."""
        return True

    def grad_of(self, tensor: Any) -> Any:
        """A tensor's `.grad`."""
        return tensor._grad

    def op_of(self, node: Any, name: str) -> str:
        """What an op is called, given its node, if it has one, and the name that it was told by."""
        return str(getattr(node, "op", name))

    def attributes_of(self, node: Any) -> tuple[tuple[str, Any], ...]:
        """What a node keeps beside tensors."""
        found = node.attributes()
        return tuple(found.items()) if found else ()

    def has_slots(self, node: Any) -> bool:
        """Whether a node may save tensors."""
        return bool(node._saved != ())

    def slots_of(self, node: Any) -> list[Slot]:
        """What a node saves now."""
        slots: list[Slot] = node.saved_slots()
        return slots

    def outputs_by_number(self, outputs: Sequence[Any]) -> Any:
        """What a node made, to be asked for by numbers of its outputs."""
        return outputs

    def is_number(self, saved: Any) -> bool:
        """Whether what is saved is no more than a number."""
        return not saved.ndim

    def number_in(self, saved: Any) -> Any:
        """That number; None if it cannot be read."""
        return saved.item()

    def nbytes_of(self, saved: Any) -> int:
        """The bytes of what is saved."""
        return int(saved.nbytes)
