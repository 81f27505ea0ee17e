"""Which tensors nodes made; and those that were made where no op could be seen: in a custom Function, or for a view."""

from __future__ import annotations

from typing import Any

import torch

from autograd_lab.recording.forward import Forward
from autograd_lab.recording.program.source import code_of
from autograd_lab.recording.whereabouts import Whereabouts
from autograd_lab.torch_bridge.internals import sequence_number
from autograd_lab.torch_bridge.passes.kept import KeptGradients
from autograd_lab.torch_bridge.reading.tensors import node_of
from autograd_lab.torch_bridge.torch_recorder import TorchTape


class Made:
    """Remembers outputs by their nodes, and tells of nodes that were made unseen."""

    def __init__(self, tape: TorchTape, whereabouts: Whereabouts, forward: Forward, kept: KeptGradients) -> None:
        self._tape, self._ids = tape, tape.ids
        self._here, self._forward, self._kept = whereabouts.now, forward, kept
        self._since = sequence_number()

    def note(self, node: Any, outputs: tuple[Any, ...]) -> None:
        """A node made these."""
        identity = self._ids.node(node)
        for output in outputs:
            self._ids.made[identity, output.output_nr] = self._ids.ref(output)
        self._kept.note_made(node, outputs)

    def before_met(self, tensor: Any, *_: Any) -> None:
        """The node of a tensor that is about to be met may have been made unseen."""
        if tensor.requires_grad and (torch.is_grad_enabled() or not tensor._is_view()):
            self.catch_up(tensor)

    def catch_up(self, tensor: Any) -> None:
        """Tell of a tensor's node, if that was made since the recording began, but where no op could be seen.

        It was not made by what the program does now.
        """
        node = node_of(tensor)
        if node is None or not self._ids.is_new(node) or node._sequence_nr() < self._since:
            return
        sources = [self._source(edge) for edge in node.next_functions]
        taken = tuple((self._ids.tensor(source), None, at) for at, source in enumerate(sources) if source is not None)
        site, frame = self._here()
        site = site.step(self._tape.reader.op_of(node, ""))
        self._forward.applied(node, node.name(), taken, (tensor,), False, site, code_of(frame), False)
        self.note(node, (tensor,))

    def _source(self, edge: Any) -> Any:
        """The tensor whose gradient an edge carries, if it is known and alive."""
        node, number = edge
        if node is None:
            return None
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            return leaf
        made = self._ids.made.get((self._ids.node(node), number))
        return None if made is None else made()
