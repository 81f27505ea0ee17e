"""The whole of a trace as a structure: which boxes and ops there ever are, and how they hang together.

A *box* is one life of a tensor between two rewrites: an in-place op ends one box of its tensor and begins the next. An
*op* is one forward call, with its node if it was recorded. Both know the step at which they come to be, so one layout
serves every step of a trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from autograd_lab import events as e
from autograd_lab.view.graph.facts.call import Call, enter
from autograd_lab.view.graph.facts.callers import callers_of
from autograd_lab.view.graph.facts.culprit import Watch
from autograd_lab.view.graph.facts.hooking import HookCall
from autograd_lab.view.graph.facts.in_place import facts_after, writes_elements
from autograd_lab.view.graph.facts.labels import in_call, label_of, placed
from autograd_lab.view.graph.facts.returning import Returning
from autograd_lab.view.graph.facts.unpacking import Unpacking


@dataclass(slots=True)
class Box:
    """A tensor for as long as no in-place op gives it a new history. `rewrite` counts which of its lives this is.

    It is a leaf when no node made it, or one that does not differentiate it, as places of a maximum: then `leaf_node`
    is its AccumulateGrad, once there is one. `uses` counts its uses as an operand, `made` is the step at which a line
    of the program made it, if one is known; `values` and `grads` are all that its value and its `.grad` ever are.

    `facts` are those that it was made with, `later` the others that it has from a step on, after `t_` or `x.data = y`;
    `owners` has the label of the tensor in whose memory it lies, for each storage that is not its own.
    """

    id: str
    facts: e.TensorFacts
    born: int
    rewrite: int
    op: str | None
    label: str = ""
    uses: int = 0
    is_leaf: bool = False
    leaf_node: str | None = None
    has_grad: bool = False
    is_output: bool = False
    versioned: bool = False
    owners: dict[str, str] = field(default_factory=dict)
    later: list[tuple[int, e.TensorFacts]] = field(default_factory=list)
    values: list[e.Value] = field(default_factory=list)
    grads: list[e.Value] = field(default_factory=list)
    made: int | None = None
    strangers: list[str] = field(default_factory=list)
    """The labels of other tensors through which its memory, or that of its `.grad`, is ever written."""

    @property
    def forms(self) -> list[e.TensorFacts]:
        """Its facts, and all others that it ever has."""
        return [self.facts, *(facts for _, facts in self.later)]

    def at(self, step: int) -> e.TensorFacts:
        """Its facts as they are after so many steps."""
        return next((facts for since, facts in reversed(self.later) if since <= step), self.facts)


@dataclass(slots=True, unsafe_hash=True)
class Use:
    """One operand of an op: a box, or a plain number."""

    operand: e.Operand
    box: str | None


@dataclass(slots=True)
class Op:
    """A forward call. `node` is None where nothing was recorded; `slots` names what the node saved, in order.

    `number` counts nodes as they were recorded, from 0: the sequence number less that of the first node of the trace.
    One that `unpacks` ran in a backward pass, for a node that lacked what it had saved.
    """

    id: str
    name: str
    node: str | None
    born: int
    event: e.OpApplied | e.TensorDetached | e.NodeMet
    uses: list[Use]
    outputs: list[str]
    number: int | None = None
    slots: list[e.TensorSaved] = field(default_factory=list)
    unpacks: bool = False


WALKED = (e.NodeMet, e.TensorCreated, e.TensorSaved, e.GradAssigned)
"""What is told of a graph that nobody recorded."""
NO_GRAPH = "does not require grad"
"""What PyTorch says of a tensor that backward cannot begin at."""


@dataclass(slots=True)
class History:
    """All ops and boxes of a trace, in the order in which they came to be."""

    ops: dict[str, Op] = field(default_factory=dict)
    boxes: dict[str, Box] = field(default_factory=dict)
    op_of_node: dict[str, str] = field(default_factory=dict)
    lives: dict[str, list[str]] = field(default_factory=dict)
    """The boxes of each tensor, oldest first."""
    calls: list[Call] = field(default_factory=list)
    callers: dict[str, str] = field(default_factory=dict)
    """What tells the calls of a module apart, by the ops in them: the words of the program that calls it."""
    files: Mapping[str, str] = field(default_factory=dict)
    """The text of each file of the program, as far as it is known."""
    watch: Watch = field(default_factory=Watch)
    sent: dict[tuple[str, int], list[e.Value]] = field(default_factory=dict)
    """The gradients that ever travelled along each edge: a node, and which of its edges."""
    gathered: dict[tuple[str, int], list[e.Value]] = field(default_factory=dict)
    """What was ever there, in whole or in part, of the gradient for each output of a node: node, and which output."""
    roots: set[str] = field(default_factory=set)
    """The nodes at which backward ever began."""
    returning: Returning = field(default_factory=Returning)
    hooks: dict[str, list[HookCall]] = field(default_factory=dict)
    """The calls of hooks at each node; those of a leaf at its AccumulateGrad."""
    writes: dict[str, list[tuple[int, str | None]]] = field(default_factory=dict)
    """The steps at which each storage was written, and through which tensor; None where nobody saw that."""
    walked: bool = True
    """Whether nobody recorded this: it tells of a graph as it was found at its end."""
    is_unrecorded: bool = False
    """Whether backward was asked for of what has no graph, and never ran: then what did not record is drawn, too."""

    @property
    def is_drawable(self) -> bool:
        """Whether there is a graph to see, or why there is none."""
        return (self.is_unrecorded and bool(self.ops)) or any(box.facts.requires_grad for box in self.boxes.values())

    @property
    def culprits(self) -> frozenset[str]:
        """The ops at which backward stopped, or will, and those that overwrote what they had saved."""
        found = [(self.op_of_node.get(node), writer) for node, writer in self.watch.culprits()]
        names = [name for node, writer in found for name in (node, None if writer is None else f"o{writer}")]
        return frozenset(name for name in names if name in self.ops)

    @property
    def victims(self) -> frozenset[str]:
        """The ops at which backward stopped, or will, for somebody has overwritten what they had saved."""
        found = (self.op_of_node.get(node) for node, writer in self.watch.culprits() if writer is not None)
        return frozenset(name for name in found if name is not None)

    def writer_at(self, storage: str, step: int) -> str | None:
        """The label of the tensor through which a storage was last written by a step; None if nobody saw that write."""
        tensors = [tensor for at, tensor in self.writes.get(storage, ()) if at <= step]
        if not tensors or tensors[-1] is None:
            return None
        last = self.box_of(tensors[-1])
        return (self.boxes[last].label if last else "") or "another"

    def box_of(self, tensor: str, rewrite: int = -1) -> str | None:
        """The box of a tensor's given life, by default the last; None for a tensor that never took part."""
        lives = self.lives.get(tensor, [])
        return lives[rewrite] if lives else None


def history_of(trace: Iterable[e.Event]) -> History:
    """Walk a trace once and collect its structure."""
    history = History(files=getattr(trace, "files", {}))
    trace = list(trace)
    accumulators: dict[str, str] = {}
    grads: dict[str, str] = {}
    kept: dict[str, str | None] = {}
    former: set[str] = set()
    inside: list[Call] = []
    unpacking = Unpacking()
    for step, event in enumerate(trace, 1):
        history.watch.see(event)
        unpacking.see(event)
        history.returning.see(event)
        if history.walked and not isinstance(event, WALKED):
            history.walked = False
        match event:
            case e.TensorCreated(tensor=facts):
                if facts.id not in history.lives:
                    box = _box(history, facts, step, None)
                    box.made = step if event.where is not None else None
                    former |= {box.id} if facts.id in grads and kept[grads[facts.id]] != facts.id else set()
            case e.TensorDetached():
                _op(history, step, event.how, None, event, [e.Operand(tensor=event.source)], [event.tensor])
            case e.NodeMet():
                _op(history, step, event.name, event.node, event, _met_operands(event), event.outputs)
                _follow(history, event)
                _accumulate(accumulators, event.edges)
            case e.OpApplied():
                _op(history, step, event.name, event.node, event, event.operands, event.outputs).unpacks = unpacking.now
                _accumulate(accumulators, event.edges)
            case e.TensorSaved(node=node):
                history.ops[history.op_of_node[node]].slots.append(event)
            case e.ModuleEntered():
                inside.append(enter(history.calls, inside, event, len(history.ops), step))
            case e.ModuleLeft() if inside:
                inside.pop().leave(len(history.ops), step)
            case e.GradientSent() | e.GradientsAdded() | e.BackwardStarted() | e.NodeVisited():
                _gradient(history, event)
            case e.HookCalled(node=node) if node is not None:
                history.hooks.setdefault(node, []).append(HookCall(step, event))
            case e.TensorModified(tensor=tensor):
                _modified(history, event, grads.get(tensor, ""), step, is_grad=tensor in grads)
            case e.GradRetained(tensor=tensor) | e.RequiresGradChanged(tensor=tensor):
                _grad(history, tensor, None)
            case (
                e.GradAccumulated(tensor=tensor, grad=grad, total=value)
                | e.GradAssigned(tensor=tensor, grad=grad, value=value)
            ):
                _grad(history, tensor, value)
                kept[tensor] = grad
                if grad is not None:
                    grads[grad] = tensor
    for call in inside:
        call.end = len(history.ops)  # of a trace that was cut short
    history.callers = callers_of(history.calls)
    _finish(history, accumulators, grads, former)
    errors = (event.message for event in trace if isinstance(event, e.ErrorRaised))
    is_asked = any(NO_GRAPH in message for message in errors)
    history.is_unrecorded = is_asked and not any(isinstance(event, e.BackwardStarted) for event in trace)
    return history


def _gradient(history: History, event: e.GradientSent | e.GradientsAdded | e.BackwardStarted | e.NodeVisited) -> None:
    """Note a gradient that travels, or is there for an output of a node."""
    match event:
        case e.GradientSent(node=node, edge=edge, value=value) if value is not None:
            history.sent.setdefault((node, edge), []).append(value)
            _gather(history, _target(history, node, edge), value)
        case e.GradientsAdded(node=node, index=index, total=value):
            _gather(history, (node, index), value)
        case e.BackwardStarted(roots=roots, gradients=gradients):
            history.roots.update(root.node for root in roots)
            for root, value in zip(roots, gradients, strict=True):
                _gather(history, (root.node, root.index), value)
        case e.NodeVisited(node=node, gradients=gradients):
            for index, value in enumerate(gradients):
                _gather(history, (node, index), value)


def _gather(history: History, output: tuple[str, int], value: e.Value | None) -> None:
    found = history.gathered.setdefault(output, [])
    if value is not None and value not in found[-1:]:
        found.append(value)


def _target(history: History, node: str, edge: int) -> tuple[str, int]:
    """The node and the output that an edge leads to."""
    op = history.ops.get(history.op_of_node.get(node, ""))
    found = getattr(op.event, "edges", ())[edge] if op is not None else None
    return ("", 0) if found is None else (found.node, found.index)


def _box(history: History, facts: e.TensorFacts, step: int, op: str | None) -> Box:
    lives = history.lives.setdefault(facts.id, [])
    box = Box(f"b{len(history.boxes)}", facts, step, len(lives), op)
    box.is_leaf = op is None or history.ops[op].node is None or not facts.requires_grad
    box.has_grad = box.is_leaf and facts.requires_grad
    box.values.append(facts.value)
    history.boxes[box.id] = box
    lives.append(box.id)
    return box


def _accumulate(found: dict[str, str], edges: Iterable[e.Edge | None]) -> None:
    """Note the AccumulateGrad nodes that edges lead to, by the tensors that they are of."""
    for edge in edges:
        if edge is not None and edge.leaf is not None:
            found[edge.leaf] = edge.node


def _met_operands(event: e.NodeMet) -> list[e.Operand]:
    """What a node's edges tell of its operands."""
    return [e.Operand(tensor=edge.leaf, edge=number) for number, edge in enumerate(event.edges) if edge is not None]


def _follow(history: History, event: e.NodeMet) -> None:
    """An edge to a node that is no leaf's stands for a use of what that node made."""
    op = history.ops[history.op_of_node[event.node]]
    for number, use in enumerate(op.uses):
        edge = event.edges[use.operand.edge or 0]
        if edge is not None and edge.leaf is None:
            outputs = history.ops[history.op_of_node[edge.node]].outputs
            box = outputs[min(edge.index, len(outputs) - 1)]
            history.boxes[box].uses += 1
            op.uses[number] = Use(use.operand, box)


def _modified(history: History, event: e.TensorModified, owner: str, step: int, *, is_grad: bool) -> None:
    """Note what was done to a tensor in place, which may be the `.grad` of its owner."""
    if is_grad:
        _grad(history, owner, event.value)
    for number in history.lives.get(event.tensor, []):
        history.boxes[number].versioned = True
    if (last := history.box_of(event.tensor)) is None:
        return
    box = history.boxes[last]
    box.values.append(event.value)  # an earlier life keeps its own
    before = box.at(step)
    facts = facts_after(before, event)
    if facts is not before:
        box.later.append((step, facts))
    if writes_elements(event.op):
        writer = None if event.op == e.UNSEEN else event.tensor
        history.writes.setdefault(facts.storage, []).append((step, writer))


def _grad(history: History, tensor: str, value: e.Value | None) -> None:
    number = history.box_of(tensor)
    if number is not None:
        box = history.boxes[number]
        box.has_grad = True
        box.grads += [] if value is None else [value]


def _op(
    history: History,
    step: int,
    name: str,
    node: str | None,
    event: e.OpApplied | e.TensorDetached | e.NodeMet,
    operands: Iterable[e.Operand],
    outputs: Iterable[e.TensorFacts],
) -> Op:
    uses = [Use(operand, history.box_of(operand.tensor) if operand.tensor else None) for operand in operands]
    for use in uses:
        if use.box is not None:
            history.boxes[use.box].uses += 1
    op = Op(f"o{len(history.ops)}", name, node, step, event, uses, [])
    history.ops[op.id] = op
    op.outputs = [_box(history, facts, step, op.id).id for facts in outputs]
    if node is not None:
        history.op_of_node[node] = op.id
    return op


def _finish(history: History, accumulators: dict[str, str], grads: dict[str, str], former: set[str]) -> None:
    """What only the end of the trace can tell: labels that tell boxes apart, which leaf has which AccumulateGrad.

    Of `grads` the `former` ones were no `.grad` any more when they were met.
    """
    seen: dict[str, int] = {}
    labels: dict[str, str] = {}
    for box in history.boxes.values():
        box.leaf_node = accumulators.get(box.facts.id) if box.is_leaf else None
        box.is_output = box.uses == 0 and box.op is not None
        if box.facts.id not in labels:
            caller = history.callers.get(box.op or "", "")
            name = in_call(box.facts, caller)
            count = seen[name] = seen.get(name, 0) + 1
            labels[box.facts.id] = label_of(box.facts, count, caller)
        box.label = labels[box.facts.id]
    _place(history, labels)
    for grad, tensor in grads.items():
        for number in history.lives.get(grad, []):
            box = history.boxes[number]
            if number not in former:
                box.label = f"{labels.get(tensor, '')}.grad"
            elif not box.facts.name:
                box.label = f"former {labels.get(tensor, '')}.grad"
    sequences = [(op, getattr(op.event, "sequence", None)) for op in history.ops.values()]
    first = min((sequence for _, sequence in sequences if sequence is not None), default=0)
    for op, sequence in sequences:
        op.number = None if sequence is None else sequence - first
    _share(history, labels)
    for grad, tensor in grads.items():
        strangers = [each for number in history.lives.get(grad, []) for each in history.boxes[number].strangers]
        for number in history.lives.get(tensor, []):
            history.boxes[number].strangers += strangers


def _place(history: History, labels: dict[str, str]) -> None:
    """Tell apart what one op gave at once."""
    for op in history.ops.values():
        if len(op.outputs) > 1:
            boxes = [history.boxes[box] for box in op.outputs]
            for box, label in zip(boxes, placed([each.label for each in boxes], [b.facts for b in boxes]), strict=True):
                box.label = labels[box.facts.id] = label


def _share(history: History, labels: dict[str, str]) -> None:
    """Find whose memory each box lies in, and through which other tensors that is written."""
    owners: dict[str, Box] = {}
    for box in history.boxes.values():
        owners.setdefault(box.facts.storage, box)
    for box in history.boxes.values():
        storages = dict.fromkeys(facts.storage for facts in box.forms) if box.later else (box.facts.storage,)
        for storage in storages:
            owner = owners.setdefault(storage, box)
            if owner.facts.id != box.facts.id and owner.label != f"{box.label}.data":  # which is what it was assigned
                box.owners[storage] = owner.label or "another tensor"
        writes = [write for storage in storages for write in history.writes.get(storage, ())]
        if writes:
            writers = dict.fromkeys(tensor for _, tensor in writes)
            box.strangers = [labels.get(tensor or "") or "another" for tensor in writers if tensor != box.facts.id]
