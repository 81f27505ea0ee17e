"""Gradients of tensors that are no leaves, which the program has asked to keep."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from autograd_lab.recording.tape import Tape


class KeptGradients:
    """Knows whose gradients are kept in their `.grad`, and at which nodes they come by."""

    def __init__(self, tape: Tape) -> None:
        self._id, self._node = tape.id, tape.node
        self._kept: dict[str, tuple[weakref.ref[Any], str]] = {}

    def __bool__(self) -> bool:
        return bool(self._kept)

    def keep(self, tensors: Sequence[Any]) -> None:
        """Gradients of these, unless they are leaves, are kept from now on."""
        for tensor in tensors:
            if isinstance(tensor, torch.Tensor) and not tensor.is_leaf:
                self._kept[self._id(tensor)] = weakref.ref(tensor), self._node(tensor.grad_fn)

    def note_made(self, node: Any, outputs: tuple[Any, ...]) -> None:
        """A node has made these, of which one may be a view whose base was written to."""
        for output in outputs if self._kept else ():
            if (name := self._id(output)) in self._kept:
                self._kept[name] = self._kept[name][0], self._node(node)

    def at(self, identity: str) -> Iterator[tuple[int, Any]]:
        """Tensors whose gradients are kept, and that a node made as such an output: the last one."""
        for name, (ref, node) in list(self._kept.items()):
            tensor = ref()
            if tensor is None:
                del self._kept[name]
            elif (node if tensor._is_view() else self._node(tensor.grad_fn)) == identity:
                yield tensor.output_nr, tensor
