"""What things hold at each step, value by value: tensors, `.grad`, saved slots, and gradients on their way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from autograd_lab.events import Value
from autograd_lab.view.graph.facts.history import Box, History, Op
from autograd_lab.view.graph.facts.in_place import done_to_saved
from autograd_lab.view.graph.facts.state import FREED, GraphState, NodeState, attribute_of
from autograd_lab.view.graph.touched import keys_of
from autograd_lab.view.kit.numeral import numeral
from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.pages.player_parts import Shown
from autograd_lab.view.recorded_scene import history_in
from autograd_lab.view.scene import Scene
from autograd_lab.view.track import tracks_of

Shape = tuple[int, ...]
KINDS = ("card", "lane", "slot", "link", "drop")
"""Parts that hold something."""
FEW = 4
"""Of a card with more weights, these are not told."""
MOST = 12
"""Nor are more slots or gradients of one pocket or line: nobody reads them, and each step would tell them all again."""


@dataclass(frozen=True, slots=True)
class Content:
    """A value, or what is said in its place; `shape` is that of its tensor, `name` says whose it is.

    What is `gone` was what is told before; its name says how it went.
    """

    name: str
    value: Value | None = None
    shape: Shape = ()
    said: str = ""
    gone: bool = False


Held = tuple[Content, ...]


def contents_of(scene: Scene, shown: Iterable[Shown]) -> dict[str, list[tuple[int, Held]]]:
    """For each part that ever holds something, by its name, the steps at which that changes."""
    found = tracks_of(_Holders(history_in(scene), shown), scene.subject, scene.trace)
    return {name: track for name, track in found.items() if len(track) > 1 or track[0][1]}


class _Holders:
    """The parts that hold something, with that for their look."""

    def __init__(self, history: History, shown: Iterable[Shown]) -> None:
        self._history = history
        self._things = {each.name: list(self._told(each)) for each in shown if each.part.kind in KINDS}
        self.parts = [Part(name, "holder", name, 0, 0, 0, 0) for name, things in self._things.items() if things]

    def _told(self, shown: Shown) -> Iterator[tuple[str, Op | Box, int]]:
        """What is told of a part, in order: what of which op or tensor."""
        ops = [self._history.ops[name] for name in shown.things if name in self._history.ops]
        boxes = [self._history.boxes[name] for name in shown.things if name in self._history.boxes]
        if shown.part.kind in ("slot", "link", "drop"):
            found = list(self._of_lines_and_slots(shown))
            yield from found if len(found) <= MOST else ()
            return
        made = [self._history.boxes[box] for op in ops[:1] for box in op.outputs]
        for box in made or boxes[:1]:
            yield "value", box, 0
            if box.has_grad:
                yield "grad", box, 0
            if not ops:
                yield "flow", box, 0
        for op in ops[:1]:
            yield "gradient", op, 0
        weights = [box for box in boxes if ops and box not in made and box.op is None and box.is_leaf]
        for box in weights if len(weights) <= FEW else ():
            yield "weight", box, 0
            yield "weight's gradient", box, 0

    def _of_lines_and_slots(self, shown: Shown) -> Iterator[tuple[str, Op | Box, int]]:
        for name in shown.things:
            op, dot, number = name.partition(".")
            if dot and op in self._history.ops:
                yield ("slot" if number[0] == "s" else "edge"), self._history.ops[op], int(number[1:])

    def keys(self, part: Part) -> Iterator[str]:
        """The ids whose change can change what a part holds."""
        for _, thing, _ in self._things[part.id]:
            yield from keys_of(Part("", "", thing.id, 0, 0, 0, 0), self._history)

    def turned(self, keys: Iterable[str] | None, state: GraphState) -> Iterable[str]:
        """Nothing more than that."""
        return ()

    @or_else((Content("unknown", said="unknown"),))
    def look(self, part: Part, state: GraphState) -> Held:
        """What a part holds in a state."""
        return tuple(held for each in self._things[part.id] for held in self._held(*each, state))

    def _held(self, what: str, thing: Op | Box, number: int, state: GraphState) -> Iterable[Content]:
        if state.step < thing.born:
            return ()
        if isinstance(thing, Op):
            if thing.node is None:
                return ()
            node = state.node(thing.node)
            match what:
                case "slot":
                    return self._slot(number, thing, state)
                case "edge":
                    return self._edge(number, thing, state)
            return self._gradient(thing, node)
        return self._of_box(what, thing, state)

    def _of_box(self, what: str, box: Box, state: GraphState) -> list[Content]:
        match what:
            case "weight":
                return [replace(each, name=f"{_label(box)}, {each.name}") for each in self._value(box, state)]
            case "weight's gradient":
                return [replace(each, name=f"{_label(box)}{each.name}") for each in self._grad(box, state)]
            case "grad":
                return self._grad(box, state)
            case "flow":
                return self._flow(box, state)
        return self._value(box, state)

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

    def _gradient(self, op: Op, node: NodeState) -> list[Content]:
        gathered = zip(op.outputs, node.gathered, strict=False)
        pairs = [(self._history.boxes[name], value) for name, value in gathered if value is not None]
        many = len(op.outputs) > 1
        return [Content(f"gradient in{f', for {_label(box)}' * many}", value, box.facts.shape) for box, value in pairs]

    def _edge(self, number: int, op: Op, state: GraphState) -> list[Content]:
        value = sent_along(state, op, number)
        use = op.uses[number]
        if value is None or use.box is None:
            return []
        box = self._history.boxes[use.box]
        return [Content(f"gradient out to {_label(box)}", value, box.facts.shape)]

    def _slot(self, number: int, op: Op, state: GraphState) -> list[Content]:
        slots = state.nodes[op.node or ""].slots
        if number >= len(slots):
            return []
        slot = slots[number]
        name = attribute_of(slot)
        if slot.status == FREED:
            how = "freed" if slot.freed is None else f"freed by line {slot.freed.number}"
            return [Content(how, gone=True)]
        if slot.packed:
            return [Content(name, said=worded("what a pack hook returned"))]
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
        if writer is None:
            return Content(name, said=worded("not known: its memory was written where nobody saw it"))
        return Content(name, said=worded("not known: its memory was written through {}", writer))


def _label(box: Box) -> str:
    return box.label or "an unnamed tensor"


def node_of(box: Box, history: History) -> tuple[str | None, int]:
    """The node that a gradient with respect to this box arrives at, and at which of its outputs."""
    if box.is_leaf or box.op is None:
        return box.leaf_node, 0
    op = history.ops[box.op]
    return op.node, op.outputs.index(box.id)


def sent_along(state: GraphState, op: Op, operand: int) -> Value | None:
    """The gradient that an op has sent to an operand in this pass."""
    edge = op.uses[operand].operand.edge
    node = None if op.node is None or edge is None else state.nodes.get(op.node)
    if node is None or edge is None or node.passed != state.current or edge >= len(node.sent):
        return None
    return node.sent[edge]
