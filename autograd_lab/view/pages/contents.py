"""What things hold at each step, value by value: tensors, `.grad`, saved slots, and gradients on their way."""

from __future__ import annotations

from dataclasses import dataclass

from autograd_lab.events import Value
from autograd_lab.view.graph.facts.history import Box, Op
from autograd_lab.view.graph.facts.in_place import done_to_saved
from autograd_lab.view.graph.facts.state import FREED, GraphState, NodeState
from autograd_lab.view.graph.look import node_of, sent_along
from autograd_lab.view.graph.plan.cell import attribute_of
from autograd_lab.view.kit.numeral import numeral
from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.scene import Scene
from autograd_lab.view.track import tracks_of

Shape = tuple[int, ...]
KINDS = ("box", "grad", "flow", "pill", "slot", "link", "docked")
"""Parts that hold something."""


@dataclass(frozen=True, slots=True)
class Content:
    """A value, or what is said in its place; `shape` is that of its tensor, `name` says whose it is."""

    name: str
    value: Value | None = None
    shape: Shape = ()
    said: str = ""


Held = tuple[Content, ...]


def contents_of(scene: Scene) -> dict[str, list[tuple[int, Held]]]:
    """For each part that ever holds something, the steps at which that changes."""
    found = tracks_of(_Holders(scene), scene.subject, scene.trace)
    return {name: track for name, track in found.items() if len(track) > 1 or track[0][1]}


class _Holders:
    """The parts of a scene that hold something, with that for their look."""

    def __init__(self, scene: Scene) -> None:
        self._history = scene.looks.history
        self.parts = [part for part in scene.parts if part.kind in KINDS]

    @or_else((Content("unknown", said="unknown"),))
    def look(self, part: Part, state: GraphState) -> Held:
        """What a part holds in a state."""
        if (box := self._history.boxes.get(part.of)) is not None:
            return () if state.step < box.born else tuple(self._of_box(part.kind, box, state))
        op = self._history.ops[part.of]
        if state.step < op.born or op.node is None:
            return ()
        if part.kind == "pill":
            return tuple(self._pill(op, state.node(op.node)))
        return tuple((self._slot if part.kind == "slot" else self._edge)(part, op, state))

    def _of_box(self, kind: str, box: Box, state: GraphState) -> list[Content]:
        return {"box": self._value, "grad": self._grad, "flow": self._flow}[kind](box, state)

    def _value(self, box: Box, state: GraphState) -> list[Content]:
        tensor = state.tensors[box.facts.id]
        if tensor.rewrites > box.rewrite:
            return [Content("value, before it was changed in place", box.facts.value, box.facts.shape)]
        return [self._now("value", box.facts.id, state)]

    def _grad(self, box: Box, state: GraphState) -> list[Content]:
        grad, tensor = state.tensors[box.facts.id].grad, state.tensors[box.facts.id].grad_tensor
        if grad is not None and tensor is not None and not state.grad_is_known(box.facts.id):
            return [self._unknown(".grad", tensor, state)]
        return [Content(".grad", said="None") if grad is None else Content(".grad", grad, box.at(state.step).shape)]

    def _flow(self, box: Box, state: GraphState) -> list[Content]:
        name, index = node_of(box, self._history)
        if name is None or name not in state.nodes:
            return []
        node = state.node(name)
        if index >= len(node.gathered) or (gradient := node.gathered[index]) is None:
            return []
        count = f", {node.arrived} of {node.expected} arrived" if node.arrived < node.expected else ""
        return [Content(f"gradient{count}", gradient, box.at(state.step).shape)]

    def _pill(self, op: Op, node: NodeState) -> list[Content]:
        gathered = zip(op.outputs, node.gathered, strict=False)
        pairs = [(self._history.boxes[name], value) for name, value in gathered if value is not None]
        many = len(op.outputs) > 1
        return [Content(f"gradient in{f', for {_label(box)}' * many}", value, box.facts.shape) for box, value in pairs]

    def _edge(self, part: Part, op: Op, state: GraphState) -> list[Content]:
        value = sent_along(state, op, part.index)
        use = op.uses[part.index]
        if value is None or use.box is None:
            return []
        box = self._history.boxes[use.box]
        return [Content(f"gradient out to {_label(box)}", value, box.facts.shape)]

    def _slot(self, part: Part, op: Op, state: GraphState) -> list[Content]:
        slots = state.nodes[op.node or ""].slots
        if part.index >= len(slots):
            return []
        slot = slots[part.index]
        name = attribute_of(slot)
        if slot.status == FREED:
            return [Content(name, said="nothing any more: freed")]
        if slot.tensor is None:
            return [Content(name, said=numeral(slot.number))]
        if state.is_stale(slot):
            name += f", {done_to_saved(state.version(slot.tensor).op or '')} since"
        return [self._now(name, slot.tensor, state)]

    def _now(self, name: str, tensor: str, state: GraphState) -> Content:
        """What a tensor's memory holds now, as far as it is known."""
        if state.value_is_known(tensor):
            return Content(name, state.tensors[tensor].value, state.tensors[tensor].facts.shape)
        return self._unknown(name, tensor, state)

    def _unknown(self, name: str, tensor: str, state: GraphState) -> Content:
        writer = self._history.writer_at(state.tensors[tensor].facts.storage, state.step)
        how = "where nobody saw it" if writer is None else f"through {writer}"
        return Content(name, said=f"not known: its memory was written {how}")


def _label(box: Box) -> str:
    return box.label or "an unnamed tensor"
