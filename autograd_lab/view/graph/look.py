"""How each part of the picture looks in a given state: class names for its style, texts for what it says.

One function a kind of part. Nothing here draws, and nothing here remembers: a look is a pure function of a state, which
is what lets a player jump to any step. These are the looks of the engine view; `maths.py` makes those of the other one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from autograd_lab import events as e
from autograd_lab.view.graph.facts.history import Box, History, Op
from autograd_lab.view.graph.facts.in_place import writes_elements
from autograd_lab.view.graph.facts.state import (
    EVALUATED,
    FREED,
    RETAINED,
    VISITED,
    WAITING,
    GraphState,
    NodeState,
    Slot,
)
from autograd_lab.view.graph.plan.cell import PAD, SMALL, UNNAMED, meta_of, number_of, slot_title
from autograd_lab.view.graph.plan.fold import Fold
from autograd_lab.view.graph.plan.fold_state import Tally, said_of
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.numeral import (
    EDGE,
    Shape,
    brief,
    bytes_text,
    heat_levels,
    is_table,
    shape_of,
    shouts,
    statistics,
    table,
)
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.unknown import or_else

HIDDEN = ("hidden",)


UNKNOWN = Look(("unknown",), (("title", "?"), ("name", "?"), ("value0", "unknown")))
"""How a part looks of which that cannot be found out."""


@dataclass(frozen=True, slots=True)
class Looks:
    """Looks at parts of one picture: what it shows (`history`), folded how, with which lines bundled."""

    history: History
    folds: dict[str, Fold]
    bundles: dict[str, list[tuple[str, int]]]
    _chips: dict[str, list[tuple[Op, int]]] = field(default_factory=dict, repr=False, compare=False)
    _tallies: dict[str, Tally] = field(default_factory=dict, repr=False, compare=False)

    @or_else(UNKNOWN)
    def at(self, part: Part, state: GraphState) -> Look:
        """How `part` looks in `state`."""
        return _KINDS[part.kind](self, part, state)

    def _box(self, part: Part, state: GraphState) -> Look:
        box = self.history.boxes[part.of]
        if state.step < box.born:
            return Look(HIDDEN)
        tensor = state.tensors[box.facts.id]
        over = tensor.rewrites > box.rewrite
        facts = box.facts if over else tensor.facts
        needs = facts.requires_grad if over else tensor.requires_grad
        classes = ["made" if not box.is_leaf else "leaf" if needs else "constant"]
        classes += ["no-grad"] * (not needs) + ["overwritten"] * over + ["output"] * box.is_output
        touched = isinstance(state.event, e.TensorModified | e.RequiresGradChanged) and state.event.tensor == facts.id
        classes += ["now"] * (state.step == box.born or (touched and not over))
        version = state.version(facts.id).number
        known = over or state.value_is_known(facts.id)
        value = facts.value if over else tensor.value
        meta = _meta(box, facts, needs, tensor.hooks, None if over else state)
        texts = [("name", box.label or UNNAMED), ("meta", meta)]
        texts.append(("version", f"v{facts.version}" if over else f"v{version}" if version else ""))
        texts += _value(value, facts.shape) if known else [("value0", self._changed(facts, state))]
        classes += ["shout"] * (known and shouts(value))
        return Look(tuple(classes), tuple(texts))

    def _changed(self, facts: e.TensorFacts, state: GraphState) -> str:
        """What is known of a value that was written through another tensor, or unseen."""
        writer = self.history.writer_at(facts.storage, state.step)
        return "changed unseen" if writer is None else f"changed via {writer}"

    def _flow(self, part: Part, state: GraphState) -> Look:
        """The gradient on its way through a tensor: what has arrived, of how many, and the sum."""
        box = self.history.boxes[part.of]
        name, index = node_of(box, self.history)
        if name is None or name not in state.nodes or state.step < box.born:
            return Look(HIDDEN)
        node = state.node(name)
        gathered = node.gathered[index] if index < len(node.gathered) else None
        classes = [_status(node)] + ["now"] * _arrives(state, name)
        if part.kind == "dock":
            done = "AccumulateGrad" + " ✓" * (node.status == EVALUATED)
            return Look(("accumulate", *classes), (("title", done),))
        texts = _flow_texts(node, index, gathered)
        text = next((text for text in texts if text_width(f"↩ {text}", SMALL) < part.width - PAD), texts[-1])
        return Look(tuple(classes), (("flow", text),) if text else ())

    def _grad(self, part: Part, state: GraphState) -> Look:
        box = self.history.boxes[part.of]
        if state.step < box.born:
            return Look(HIDDEN)
        tensor = state.tensors[box.facts.id]
        wanted = tensor.requires_grad and box.is_leaf
        if not (wanted or tensor.retains_grad or tensor.grad) or tensor.rewrites > box.rewrite:
            return Look(HIDDEN)
        event = state.event
        mine = isinstance(event, e.GradAccumulated | e.GradAssigned) and event.tensor == box.facts.id
        zeroed = isinstance(event, e.TensorModified) and state.owner_of(event.tensor) == box.facts.id
        classes = ["set" if tensor.grad else "none"] + ["now"] * (mine or zeroed)
        if tensor.grad is None:
            coming = box.grads and not tensor.had_grad
            return Look(tuple(classes), (("title", ".grad"), ("value0", "none yet" if coming else "None")))
        if tensor.grad_tensor is not None and not state.grad_is_known(box.facts.id):
            changed = self._changed(state.tensors[tensor.grad_tensor].facts, state)
            return Look(tuple(classes), (("title", ".grad"), ("value0", changed)))
        classes += ["shout"] * shouts(tensor.grad)
        return Look(tuple(classes), (("title", ".grad"), *_value(tensor.grad, tensor.facts.shape)))

    def _pill(self, part: Part, state: GraphState) -> Look:
        op = self.history.ops[part.of]
        if state.step < op.born:
            return Look(HIDDEN)
        named = (("title", op.name), ("number", number_of(op)))
        if op.node is None:
            return Look(("unrecorded", *["now"] * (state.step == op.born)), named)
        node, event = state.node(op.node), state.event
        failed = state.error is not None and state.error.node == op.node
        before = state.nodes[op.node].passed if state.nodes[op.node].status == EVALUATED else 0
        classes = ["recorded", "failed" if failed else _status(node)]
        active = isinstance(event, e.NodeVisited | e.NodeEvaluated | e.HookCalled) and event.node == op.node
        classes += ["now"] * (state.step == op.born or active)
        classes += ["released"] * node.released
        classes += ["stale"] * any(map(state.is_stale, node.slots))
        return Look(tuple(classes), (*named, ("state", _progress(node, before, failed))))

    def _slot(self, part: Part, state: GraphState) -> Look:
        op = self.history.ops[part.of]
        slots = state.nodes[op.node].slots if op.node is not None and op.node in state.nodes else ()
        if part.index >= len(slots):
            return Look(HIDDEN)
        slot, event = slots[part.index], state.event
        stale = state.is_stale(slot)
        saved = isinstance(event, e.TensorSaved) and event.node == op.node and part.index == len(slots) - 1
        left = isinstance(event, e.SavedFreed | e.SavedRetained) and event.node == op.node
        failed = isinstance(event, e.ErrorRaised) and event.node == op.node and event.slot == slot.name
        status = "packed" if slot.packed and slot.status != FREED else slot.status
        classes = ["stale" if stale else status] + ["now"] * (saved or left or failed)
        return Look(tuple(classes), (("title", slot_title(slot, self.history)), ("state", _slot_state(slot, state))))

    def _number(self, part: Part, state: GraphState) -> Look:
        born = self.history.ops[part.of].born
        return Look(HIDDEN) if state.step < born else Look(("number",), (("title", part.text),))

    def _docked(self, part: Part, state: GraphState) -> Look:
        """A leaf's chip lights up with the leaf's AccumulateGrad, wherever it stands."""
        op = self.history.ops[part.of]
        if state.step < op.born:
            return Look(HIDDEN)
        box = self.history.boxes[op.uses[part.index].box or ""]
        lit = box.leaf_node is not None and _arrives(state, box.leaf_node)
        sent = sent_along(state, op, part.index)
        plain = not state.tensors[box.facts.id].requires_grad
        classes = ["plain" if plain else "docked" if box.is_leaf else "outside"] + ["now"] * lit
        return Look((*classes, *["sent"] * (sent is not None)), (("title", part.text),))

    def _link(self, part: Part, state: GraphState) -> Look:
        op = self.history.ops[part.of]
        if state.step < op.born:
            return Look(HIDDEN)
        edge = op.uses[part.index].operand.edge
        sent = sent_along(state, op, part.index)
        if op.node is None or edge is None or (sent is None and _is_spent(state, op.node)):
            return Look(("cut",))
        classes = ["grad", "open" if sent is None else "sent"]
        classes += ["now"] * (state.active_edge == (op.node, edge))
        classes += ["stale"] * any(map(state.is_stale, state.nodes[op.node].slots))
        return Look(tuple(classes), (("label", brief(sent, EDGE)),) if sent is not None else ())

    def _still(self, part: Part, state: GraphState) -> Look:
        """A text that stays as it is once it is there."""
        return Look(HIDDEN) if state.step < part.index else Look(("opened",), (("title", part.text),))

    def _fold(self, part: Part, state: GraphState) -> Look:
        fold = self.folds[part.of]
        if state.step < fold.born:
            return Look(HIDDEN)
        if fold.id not in self._tallies:
            self._tallies[fold.id] = Tally(fold, self.history.watch.stale)
        return Look(*said_of(fold, self._tallies[fold.id], state))

    def _fold_chip(self, part: Part, state: GraphState) -> Look:
        if state.step < part.index:
            return Look(HIDDEN)
        leaf = self.history.boxes[part.of].leaf_node
        lit = leaf is not None and _arrives(state, leaf)
        plain = not state.tensors[self.history.boxes[part.of].facts.id].requires_grad
        uses = self._uses_at(part) if state.passes else []
        sent = any(sent_along(state, op, operand) is not None for op, operand in uses)
        return Look(("plain" if plain else "docked", *["now"] * lit, *["sent"] * sent), (("title", part.text),))

    def _uses_at(self, part: Part) -> list[tuple[Op, int]]:
        """The uses that a chip at a fold stands for, the last first: it is the first to which a gradient comes."""
        if part.id not in self._chips:
            ops = [self.history.ops[op] for op in reversed(self.folds[part.id.rpartition(".")[0]].ops)]
            pairs = ((op, number) for op in ops for number in range(len(op.uses)))
            self._chips[part.id] = [(op, number) for op, number in pairs if op.uses[number].box == part.of]
        return self._chips[part.id]

    def _edge(self, part: Part, state: GraphState) -> Look:
        """Where the recording broke off, once it has."""
        return Look(HIDDEN) if state.stopped is None else Look(("torn", "now"))

    def _fold_link(self, part: Part, state: GraphState) -> Look:
        """One line for many: it has been used when a gradient has gone along any of them."""
        if state.step < part.index:
            return Look(HIDDEN)
        uses = [(self.history.ops[op], operand) for op, operand in self.bundles[part.id]]
        edges = [(op.node, op.uses[operand].operand.edge) for op, operand in uses]
        sent = [value for op, operand in uses if (value := sent_along(state, op, operand)) is not None]
        if not sent and all(node is None or edge is None or _is_spent(state, node) for node, edge in edges):
            return Look(("cut",))
        label = brief(sent[0], EDGE) if len(sent) == 1 else f"{len(sent):,} gradients"
        classes = ("grad", "sent" if sent else "open", *["now"] * (state.active_edge in edges))
        return Look(classes, (("label", label),) if sent else ())


READY = "ready"


def _is_spent(state: GraphState, name: str) -> bool:
    """Whether no gradient can come through a node any more: it is gone, or an earlier pass freed what it needs."""
    node = state.nodes.get(name)
    if node is None:
        return False
    return node.released or (node.passed != state.current and any(slot.status == FREED for slot in node.slots))


def _status(node: NodeState) -> str:
    """The node's status, where waiting for nothing more is being ready."""
    return READY if node.status == WAITING and node.arrived >= node.expected else node.status or "idle"


def _progress(node: NodeState, before: int, failed: bool) -> str:
    """How far a node has come in this pass; `before` is the earlier pass that it last ran in, or 0."""
    done = {READY: "ready", WAITING: "waiting", VISITED: "running", EVALUATED: "done ✓"}.get(_status(node), "")
    if before and not done:
        done = f"ran in pass {before}"
    if node.released or failed:
        done = "stopped" if failed else "released"
    hooks = _hung(node.hooks) if node.hooks else ""
    return " · ".join(filter(None, (done, hooks)))


def _value(value: e.Value, shape: Shape) -> list[tuple[str, str]]:
    """The texts of a value, of a tensor that says it has this shape."""
    if value == e.Value():
        return [("value0", "value unknown")]
    if is_table(shape_of(value, shape)):
        return [(f"value{number}", line) for number, line in enumerate(table(value))]
    return [("heat", heat_levels(value)), ("value0", statistics(value))]


def _meta(box: Box, facts: e.TensorFacts, needs: bool, hooks: int, state: GraphState | None) -> str:
    last = state.version(box.facts.id) if state and box.versioned and not box.facts.version else None
    wrote = last.where if last is not None and writes_elements(last.op or "") else None
    written = f" · set on line {wrote.line}" if wrote is not None else ""
    return meta_of(box, facts, needs) + (f" · {_hung(hooks)}" if hooks else "") + written


def _hung(hooks: int) -> str:
    """How many hooks were hung on something; nobody tells when one is taken off."""
    return f"{hooks} hook{'s' * (hooks > 1)} hung"


def node_of(box: Box, history: History) -> tuple[str | None, int]:
    """The node that a gradient with respect to this box arrives at, and at which of its outputs."""
    if box.is_leaf or box.op is None:
        return box.leaf_node, 0
    op = history.ops[box.op]
    return op.node, op.outputs.index(box.id)


def _arrives(state: GraphState, name: str) -> bool:
    match state.event:
        case e.GradientSent():
            edge = None if state.active_edge is None else state.nodes[state.active_edge[0]].edges[state.active_edge[1]]
            return edge is not None and edge.node == name
        case e.GradientsAdded(node=node) | e.NodeVisited(node=node):
            return node == name
        case e.BackwardStarted(roots=roots):
            return any(root.node == name for root in roots)
    return False


def _flow_texts(node: NodeState, index: int, gathered: e.Value | None) -> list[str]:
    """`4.0 · 1 of 2 arrived`, then `4.0 + 5.0`, then `4.0 + 5.0 = 9.0`, then `9.0`; and shorter ways to say so."""
    if gathered is None:
        return [""]
    arrived = f"{node.arrived} of {node.expected} arrived"
    if node.status == WAITING and node.adding is not None and node.adding[0] == index:
        before, added = (brief(value, 8) for value in node.adding[1:])
        if "norm" not in before + added:
            if gathered is node.adding[1]:
                return [f"{before} + {added}", arrived]
            return [f"{before} + {added} = {brief(gathered, 8)}", f"sum {brief(gathered, 8)}"]
    if node.status == WAITING and node.expected > 1:
        return [f"{brief(gathered, 8)} · {arrived}", arrived]
    if node.expected > 1:
        return [f"sum of {node.expected:,}: {brief(gathered)}", f"sum {brief(gathered)}"]
    return [f"gradient {brief(gathered)}", brief(gathered)]


def _slot_state(slot: Slot, state: GraphState) -> str:
    if slot.status == FREED:
        return "freed"
    if slot.packed:
        return "packed by a hook"
    kept = "kept · " if slot.status == RETAINED else ""
    if slot.tensor is None:
        return f"{kept}{bytes_text(slot.nbytes)}"
    if state.is_stale(slot):
        return f"saved v{slot.version}, now v{state.version(slot.tensor).number}"
    return f"{kept}v{slot.version} · {bytes_text(slot.nbytes)}"


def sent_along(state: GraphState, op: Op, operand: int) -> e.Value | None:
    """The gradient that an op has sent to an operand in this pass."""
    edge = op.uses[operand].operand.edge
    node = None if op.node is None or edge is None else state.nodes.get(op.node)
    if node is None or edge is None or node.passed != state.current or edge >= len(node.sent):
        return None
    return node.sent[edge]


_KINDS: dict[str, Callable[[Looks, Part, GraphState], Look]] = {
    "box": Looks._box,
    "flow": Looks._flow,
    "dock": Looks._flow,
    "grad": Looks._grad,
    "pill": Looks._pill,
    "slot": Looks._slot,
    "number": Looks._number,
    "docked": Looks._docked,
    "link": Looks._link,
    "module": Looks._still,
    "more": Looks._still,
    "inset": Looks._still,
    "edge": Looks._edge,
    "fold": Looks._fold,
    "fold-chip": Looks._fold_chip,
    "fold-link": Looks._fold_link,
}
