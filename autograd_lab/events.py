"""Every fact an autograd run can state, as frozen, JSON-able events in the past tense.

This file is the contract between any engine (ours, or PyTorch through a bridge) and any view. An event holds ids,
shapes, small numbers and the source line; never a live array, since a recorder that held tensors would keep alive what
the engine says it freed. Ids belong to the trace (`t0` a tensor, `n0` a node, `s0` a storage, `c0` a version counter),
never to memory. Facts only: that a saved slot is *stale* is not an event but a judgement, drawn from two versions.

>>> event = TensorModified(tensor="t0", op="add_", version=1, value=Value(numbers=[2.0, 3.0]))
>>> from_json(to_json(event)) == event
True
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

UNSEEN = "unseen"
"""The op of a write that nobody saw: all that is known is what a tensor holds since."""

SCHEMA = 1
"""Raised by one whenever an older reader could misread a newer trace."""

LONGEST, LARGEST, LARGEST_COUNT, DEEPEST = 100_000, 2**1023, 2**64 - 1, 64
"""What `from_json` takes: characters of a text, the size of a number, what may be counted, how deep lists may be."""
LONGEST_SIDE = 64
"""How many rows and columns `blocks` and `thumbnail` of a value may have."""
PLAINLY = {str: "a text", int: "a whole number", bool: "true or false"}

Numbers = Any  # a number, or nested lists of numbers: mypy's recursive alias would not say more

T = TypeVar("T")
Role = Enum("Role", "MAKES TOUCHES TAKES LEADS NAMES")
"""What an event does with a thing whose id it tells. The type of the field says so, and `trace/roles.py` reads it."""
Makes = Annotated[T, Role.MAKES]
"""The id stands for something from this event on."""
Touches = Annotated[T, Role.TOUCHES]
"""It stood for something before, which this event is about; all that facts in such a field make was there, too."""
Takes = Annotated[T, Role.TAKES]
"""It stood for something before, which stays as it is."""
Leads = Annotated[T, Role.LEADS]
"""The node that an edge leads to was there before, but for one of a `leaf`, which may be met for the first time."""
Names = Annotated[T, Role.NAMES]
"""No event makes what it stands for, such as a storage: it only tells whether two things have the same one."""

TensorId = Annotated[str, "t"]
NodeId = Annotated[str, "n"]
StorageId = Annotated[str, "s"]
CounterId = Annotated[str, "c"]
ArrayId = Annotated[str, "a"]
OperationId = Annotated[str, "k"]
BufferId = Annotated[str, "m"]
"""The ids of a kind are this letter and a number, which counts from zero."""


CELL = "cell ["
"""How the name of a notebook's cell begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A line of the user's program. In a notebook `file` is what that shows beside the cell: `cell [2]`.

    `columns` are the characters of `text` that the expression takes which runs there, from and up to; None if they are
    not known. Two places on the same line are equal, whatever runs there.
    """

    file: str
    line: int
    text: str = ""
    columns: tuple[int, int] | None = dataclasses.field(default=None, compare=False)

    def __str__(self) -> str:
        """As one says it: `train.py:4`, or `cell [2], line 4`."""
        return f"{self.file}{', line ' if self.file.startswith(CELL) else ':'}{self.line}"

    @property
    def number(self) -> str:
        """What follows the word "line" in a sentence: `4`, or `4 of cell [2]`."""
        return f"{self.line} of {self.file}" if self.file.startswith(CELL) else str(self.line)


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What an array held at one moment: all of it when small, a summary when large.

    `numbers` has the array's own shape (a number for a 0-d array). Large arrays have the four statistics, over their
    finite elements, `blocks`, and `histogram`: how many elements are in each of 16 equal parts of the way from minimum
    to maximum. Of many elements a sample is counted: as many as the counts add up to. `shape` is told where `numbers`
    do not show it: of what is large, or empty.

    For `blocks` an array is seen as a matrix, all dimensions but the last as its rows, and cut into at most 8 × 8, but
    for a side of up to 12, which is not cut. Each block has its element of the largest magnitude, with its sign: NaN,
    if there is one. So no element is left out.
    `thumbnail` is a sample of at most 4 rows by 4 columns: the same elements each time, by which one sees which way an
    array goes. Older traces have one of 8 × 8, and no blocks.
    """

    numbers: Numbers = None
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    norm: float | None = None
    nans: int = 0
    infs: int = 0
    thumbnail: Numbers = None
    blocks: Numbers = None
    histogram: tuple[int, ...] | None = None
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorFacts:
    """A tensor as it was when the recorder first met it. `nbytes` counts its elements, shared or not.

    `name` is the variable that it was first assigned to, `later` another by which it was found when that did not mean
    it any more. `device` is PyTorch's name for where its memory is.
    """

    id: Makes[TensorId]
    name: str | None
    expression: str | None = None
    shape: tuple[int, ...]
    dtype: str
    nbytes: int
    requires_grad: bool
    is_leaf: bool
    version: int
    storage: Names[StorageId]
    counter: Names[CounterId]
    device: str = "cpu"
    value: Value
    later: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """One operand of an op: a tensor or a plain number, and the edge that its gradient takes, if any."""

    tensor: Takes[TensorId] | None = None
    number: float | int | bool | None = None
    edge: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One entry of `next_functions`. `leaf` names the tensor when the node is an AccumulateGrad."""

    node: Leads[NodeId]
    index: int
    leaf: Names[TensorId] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact. `where` is the line of the user's program that brought it about, when there is one."""

    kind: ClassVar[str] = ""
    where: Where | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorCreated(Event):
    """A tensor that no recorded op produced: made by the user, or met for the first time as an operand."""

    kind: ClassVar[str] = "tensor_created"
    tensor: TensorFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class OpApplied(Event):
    """An op ran forward. `node` is None where nothing was recorded (no operand requires grad, or grad mode is off).

    `name` is the node's name as PyTorch spells it, or the bare op name without a node. An op that `wrote_in_place`
    lists as its output a tensor that was also its operand; a `TensorModified` follows.
    """

    kind: ClassVar[str] = "op_applied"
    node: Makes[NodeId] | None
    name: str
    operands: tuple[Operand, ...]
    outputs: tuple[TensorFacts, ...]
    edges: tuple[Edge | None, ...] = ()
    sequence: int | None = None
    attributes: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    wrote_in_place: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeMet(Event):
    """A node from before the recording was met; how it came about is not known, only what it is now.

    `outputs` has the facts of what it made: of the tensor at hand, else of one whose value is not known.
    """

    kind: ClassVar[str] = "node_met"
    node: Makes[NodeId]
    name: str
    outputs: tuple[TensorFacts, ...]
    edges: tuple[Edge | None, ...]
    sequence: int | None = None
    attributes: Mapping[str, Any] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorSaved(Event):
    """A node saved a tensor for its backward, at the version it then had. `slot` is PyTorch's `_saved_<slot>`.

    What was `packed` is not kept by the graph, but as what a pack hook returned, of which nothing is known: neither
    tensor nor bytes. Backward has it unpacked.
    """

    kind: ClassVar[str] = "tensor_saved"
    node: Touches[NodeId]
    slot: str
    tensor: Touches[TensorId] | None
    version: int
    nbytes: int
    number: float | int | bool | None = None
    packed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorModified(Event):
    """A tensor was changed in place. `version` is its counter after the write.

    Shape, dtype, bytes, storage and device are told if they are others from now on, as after `t_` or `x.data = y`.
    Of an `op` that is `UNSEEN` this tells when it was found out: numpy wrote to memory that it shares, say.
    """

    kind: ClassVar[str] = "tensor_modified"
    tensor: Touches[TensorId]
    op: str
    version: int
    value: Value
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    nbytes: int | None = None
    storage: Names[StorageId] | None = None
    device: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorDetached(Event):
    """A new tensor shares the storage of `source` but not its history (`.detach()`, `.data`)."""

    kind: ClassVar[str] = "tensor_detached"
    tensor: TensorFacts
    source: Takes[TensorId]
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequiresGradChanged(Event):
    """`requires_grad` of a leaf was switched."""

    kind: ClassVar[str] = "requires_grad_changed"
    tensor: Touches[TensorId]
    requires_grad: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GradRetained(Event):
    """`retain_grad()` gave a tensor that is not a leaf a `.grad` box."""

    kind: ClassVar[str] = "grad_retained"
    tensor: Touches[TensorId]


@dataclass(frozen=True, slots=True, kw_only=True)
class GradModeChanged(Event):
    """Recording was switched on or off (`no_grad`, `enable_grad`, `set_grad_enabled`)."""

    kind: ClassVar[str] = "grad_mode_changed"
    enabled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HookRegistered(Event):
    """A hook was hung on a tensor or on a node; `hook` says which kind."""

    kind: ClassVar[str] = "hook_registered"
    hook: str
    tensor: Touches[TensorId] | None = None
    node: Touches[NodeId] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCalled(Event):
    """A hook ran; `after` is what it made of `before`, by returning or by writing, or None when that is as it was.

    `before` is None when there was no gradient, or when there is none any more.
    """

    kind: ClassVar[str] = "hook_called"
    hook: str
    tensor: Touches[TensorId] | None = None
    node: Touches[NodeId] | None = None
    before: Value | None
    after: Value | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackwardStarted(Event):
    """A backward pass was seeded: each root node gets its gradient. `tensors` are the roots' tensors."""

    kind: ClassVar[str] = "backward_started"
    tensors: tuple[Takes[TensorId], ...]
    roots: tuple[Edge, ...]
    gradients: tuple[Value, ...]
    retain_graph: bool
    create_graph: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeVisited(Event):
    """All of a node's users had been evaluated, so it was popped with the gradient of each of its outputs."""

    kind: ClassVar[str] = "node_visited"
    node: Touches[NodeId]
    gradients: tuple[Value | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeEvaluated(Event):
    """A node's vjp ran. `gradients` has one entry an edge, None where no gradient is needed."""

    kind: ClassVar[str] = "node_evaluated"
    node: Touches[NodeId]
    gradients: tuple[Value | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedFreed(Event):
    """A node that ran let go of its saved tensors."""

    kind: ClassVar[str] = "saved_freed"
    node: Touches[NodeId]


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRetained(Event):
    """A node that ran kept its saved tensors, since the pass retains the graph."""

    kind: ClassVar[str] = "saved_retained"
    node: Touches[NodeId]


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientSent(Event):
    """A gradient travelled along edge number `edge` of `node` and arrived, as number `arrived` of `expected`.

    `value` is None where the node had none to send: that arrival counts too.
    """

    kind: ClassVar[str] = "gradient_sent"
    node: Touches[NodeId]
    edge: int
    value: Value | None
    arrived: int
    expected: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GradientsAdded(Event):
    """A gradient met one that had arrived before at output `index` of `node`; `total` is their sum."""

    kind: ClassVar[str] = "gradients_added"
    node: Touches[NodeId]
    index: int
    total: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class GradAccumulated(Event):
    """A gradient was stored in a tensor's `.grad`: `added` to what was there, which makes `total`.

    `grad` is the id of the `.grad` tensor itself; it stays the same when a later pass adds to it in place. `is_first`
    tells the first gradient there from one that is added to what was there, be it zeros.
    """

    kind: ClassVar[str] = "grad_accumulated"
    tensor: Touches[TensorId]
    grad: Makes[TensorId]
    added: Value
    total: Value
    is_first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GradAssigned(Event):
    """`.grad` was assigned by the program: to None, or to a tensor.

    It `is_found` if nobody saw what set it: that was before the recording, say, or in another thread.
    """

    kind: ClassVar[str] = "grad_assigned"
    tensor: Touches[TensorId]
    grad: Makes[TensorId] | None
    value: Value | None
    is_found: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BackwardFinished(Event):
    """The pass reached every node it had to."""

    kind: ClassVar[str] = "backward_finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphReleased(Event):
    """Python let go of nodes: nothing refers to them any more, so they and what they saved are gone."""

    kind: ClassVar[str] = "graph_released"
    nodes: tuple[Touches[NodeId], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleEntered(Event):
    """A module was called. `module` is its path within the outermost one that is being called, "" for that one.

    `root` is what the outermost one is called, `type` the class of this one, `parameters` how many numbers are learnt
    in it and below it, each counted once; unless it is in `training` mode, it is in eval mode. A `ModuleLeft` follows,
    errors or not; what is told between the two happened inside.
    """

    kind: ClassVar[str] = "module_entered"
    module: str
    type: str
    root: str | None = None
    parameters: int = 0
    training: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleLeft(Event):
    """The call of a module came to its end."""

    kind: ClassVar[str] = "module_left"
    module: str
    type: str
    root: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizerEntered(Event):
    """An optimizer's `step` began; what it writes to follows. `type` is its class. An `OptimizerLeft` will follow.

    `parameters` is what it was given to update, whether it has a gradient or not, `rates` the learning rate of each
    group of them, where that is a plain number; older traces do not tell.
    """

    kind: ClassVar[str] = "optimizer_entered"
    type: str
    parameters: tuple[Names[TensorId], ...] = ()
    rates: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizerLeft(Event):
    """An optimizer's `step` came to its end."""

    kind: ClassVar[str] = "optimizer_left"
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRaised(Event):
    """The program raised. `node` and `slot` say where backward stood, `tensor` what a refused write was for."""

    kind: ClassVar[str] = "error_raised"
    error: str
    message: str
    node: Touches[NodeId] | None = None
    slot: str | None = None
    tensor: Touches[TensorId] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordingStopped(Event):
    """The recording broke off before the program did, so what follows is not known. Always the last event.

    `reason` is a sentence about why, `lost` a noun phrase for what is not told.
    """

    kind: ClassVar[str] = "recording_stopped"
    reason: str
    lost: str


# --- compiling ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayFacts:
    """An array of a captured graph. `nbytes` is the memory of its own: 0 for a view of another."""

    id: Makes[ArrayId]
    name: str
    shape: tuple[int, ...]
    dtype: str
    nbytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationFacts:
    """A numpy call of a captured graph: the arrays it takes and those it makes.

    `title` is the call in a few words, with a dot for each array. One that `is_check` has Python look at a value; one
    that is of the `backward` half stems from the formula of a node, which is called `node`.
    """

    id: Makes[OperationId]
    title: str
    operands: tuple[Takes[ArrayId], ...]
    results: tuple[ArrayFacts, ...]
    node: str = ""
    backward: bool = False
    is_check: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilingEvent(Event):
    """A fact of how a function was compiled; `where` is the line that an operation is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCaptured(CompilingEvent):
    """A function ran once, on stand-ins for arrays. What it was given and what it did is told next.

    `of` is what its operations are: numpy calls, or calls of PyTorch that Dynamo has captured.
    """

    kind: ClassVar[str] = "function_captured"
    function: str
    of: str = "numpy call"


@dataclass(frozen=True, slots=True, kw_only=True)
class InputDeclared(CompilingEvent):
    """What the captured graph is given: an array, or, if it `is_gradient`, what backward begins with."""

    kind: ClassVar[str] = "input_declared"
    array: ArrayFacts
    is_gradient: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationCaptured(CompilingEvent):
    """A numpy call was taken down. `live` bytes are in use when it has run, if each array goes after its last use."""

    kind: ClassVar[str] = "operation_captured"
    operation: OperationFacts
    live: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputNamed(CompilingEvent):
    """What a captured array is good for: a result, a gradient, what an input is to become.

    A pass may name another array for the same purpose, `instead_of` the one before, or none: that is a constant then.
    """

    kind: ClassVar[str] = "output_named"
    array: Touches[ArrayId] | None
    purpose: str
    instead_of: Touches[ArrayId] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassStarted(CompilingEvent):
    """A pass over the graph begins; what it does to the graph follows, then a `PassFinished`."""

    kind: ClassVar[str] = "pass_started"
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationDropped(CompilingEvent):
    """An operation was left out. `rewired` are those that took what it made, as they are now."""

    kind: ClassVar[str] = "operation_dropped"
    operation: Touches[OperationId]
    reason: str
    rewired: tuple[Touches[OperationFacts], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRewritten(CompilingEvent):
    """An operation is done in another way, which makes the same arrays."""

    kind: ClassVar[str] = "operation_rewritten"
    operation: Touches[OperationFacts]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationAdded(CompilingEvent):
    """A pass put an operation into the graph."""

    kind: ClassVar[str] = "operation_added"
    operation: OperationFacts
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassFinished(CompilingEvent):
    """Capture, or a pass, is done; so many operations are left, and `nbytes` is the most that is in use at a time.

    Each array counts from the operation that makes it to its last use, inputs do not; when buffers are planned, these
    count all the time. A pass that found nothing to do has not been said to start.
    """

    kind: ClassVar[str] = "pass_finished"
    name: str
    operations: int
    nbytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphBroken(CompilingEvent):
    """The graph ends at this line, for this reason, and its function goes on: the rest is captured by itself."""

    kind: ClassVar[str] = "graph_broken"
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayKept(CompilingEvent):
    """An array is kept for backward; `nbytes` is the memory that is kept by that, 0 for inputs and views of them."""

    kind: ClassVar[str] = "array_kept"
    array: Touches[ArrayId]
    nbytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRepeated(CompilingEvent):
    """An operation of forward runs in backward again, so that what it makes need not be kept."""

    kind: ClassVar[str] = "operation_repeated"
    operation: Touches[OperationId]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationMoved(CompilingEvent):
    """An operation that was captured in forward runs in backward only, since nothing else needs what it makes."""

    kind: ClassVar[str] = "operation_moved"
    operation: Touches[OperationId]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationsFused(CompilingEvent):
    """Operations became one loop over `tiles` stretches; of what they make only `results` exist as a whole."""

    kind: ClassVar[str] = "operations_fused"
    half: str
    operations: tuple[Touches[OperationId], ...]
    results: tuple[Takes[ArrayId], ...]
    tiles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationsOrdered(CompilingEvent):
    """The operations of a half run in another order than they were captured in."""

    kind: ClassVar[str] = "operations_ordered"
    half: str
    operations: tuple[Touches[OperationId], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramWritten(CompilingEvent):
    """A half of the graph became a Python function; `text` is its source."""

    kind: ClassVar[str] = "program_written"
    half: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewsMade(CompilingEvent):
    """These operations of a half are views of buffers: they are made once, and then are no part of a call."""

    kind: ClassVar[str] = "views_made"
    half: str
    operations: tuple[Touches[OperationId], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferPlanned(CompilingEvent):
    """A piece of memory that is there for all calls; one that `is_tile` holds stretches of arrays, in a loop."""

    kind: ClassVar[str] = "buffer_planned"
    half: str
    buffer: Makes[BufferId]
    nbytes: int
    is_tile: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayPlaced(CompilingEvent):
    """An array lies in a buffer while lines `first` to `last` of the program run.

    It `is_written_over` the array before it in that buffer, which the same line reads, or there is nothing any more
    that anybody needs.
    """

    kind: ClassVar[str] = "array_placed"
    array: Takes[ArrayId]
    buffer: Touches[BufferId]
    first: int
    last: int
    is_written_over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrayPutInto(CompilingEvent):
    """What an operation makes is put straight into an input, `target`, which is to become that: it takes no memory."""

    kind: ClassVar[str] = "array_put_into"
    array: Touches[ArrayId]
    target: Touches[ArrayId]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallsTimed(CompilingEvent):
    """How long a call takes, compiled and as it is written: medians of so many `calls` each, in CPU seconds.

    A call is one with its backward pass, if it is `with_backward`.
    """

    kind: ClassVar[str] = "calls_timed"
    compiled: float
    written: float
    calls: int
    with_backward: bool = False


KINDS: dict[str, type[Event]] = {
    cls.kind: cls for cls in (*Event.__subclasses__(), *CompilingEvent.__subclasses__()) if cls.kind
}
"""Every event class by its kind."""


def to_json(event: Event) -> dict[str, Any]:
    """The event as plain JSON data, defaults left out; NaN and infinities become "nan", "inf" and "-inf"."""
    return {"kind": event.kind, **_plain(event)}


def from_json(data: Mapping[str, Any]) -> Event:
    """The event that `to_json` wrote.

    Raises ValueError, saying what is wrong: an unknown kind, a missing or unknown field, a value of another type.
    """
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"unknown event kind {_shown(kind)}; is the trace from a newer version of autograd_lab?")
    event: Event = _build(KINDS[kind], {name: value for name, value in data.items() if name != "kind"})
    return event


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        pairs = ((field, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {field.name: _plain(item) for field, item in pairs if not _is_default(field, item)}
    if isinstance(value, float) and not math.isfinite(value):
        return repr(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _is_default(field: dataclasses.Field[Any], value: Any) -> bool:
    if field.default_factory is not dataclasses.MISSING:
        return bool(value == field.default_factory())
    return value is field.default or (value == field.default and type(value) is type(field.default))


@cache
def types_of(cls: type) -> dict[str, Any]:
    """The types of a class's fields in order, without roles."""
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def _build(cls: Any, data: Any) -> Any:
    if not isinstance(data, Mapping):
        raise ValueError(f"{cls.__name__} wants an object, not {_shown(data)}")
    types = types_of(cls)
    if unknown := set(data) - set(types):
        raise ValueError(f"{cls.__name__} has no field {_shown(min(unknown))}")
    read = {name: _read(types[name], value, f"{cls.__name__}.{name}") for name, value in data.items()}
    if cls is Value:
        _check_tiles(read)
    try:
        return cls(**read)
    except TypeError as error:
        raise ValueError(str(error).replace("__init__() ", "")) from None


def _read(hint: Any, value: Any, name: str) -> Any:
    """`value` as the type `hint` asks for: tuples for lists, dataclasses for objects, floats for "nan"."""
    if hint is Numbers:
        return _numbers(value, name)
    origin, args = get_origin(hint), get_args(hint)
    if origin is not None and type(None) in args:
        if value is None:
            return None
        rest = tuple(a for a in args if a is not type(None))
        return _read(rest[0] if len(rest) == 1 else Union[rest], value, name)  # noqa: UP007 - built at run time
    if origin is tuple:
        if not isinstance(value, list):
            raise ValueError(f"{name} wants a list, not {_shown(value)}")
        if args[-1] is not ... and len(value) != len(args):
            raise ValueError(f"{name} wants a list of {len(args)}, not of {len(value)}")
        return tuple(_read(args[0], item, name) for item in value)
    if dataclasses.is_dataclass(hint):
        return _build(hint, value)
    if origin is Mapping:
        return _mapping(value, name)
    return _number(value, name) if origin is not None or hint is float else _plainly(hint, value, name)


def _plainly(hint: Any, value: Any, name: str) -> Any:
    """A text, a flag, or a whole number."""
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ValueError(f"{name} wants {PLAINLY[hint]}, not {_shown(value)}")
    if isinstance(value, str) and len(value) > LONGEST:
        raise ValueError(f"{name} has {len(value):,} characters; at most {LONGEST:,} can be")
    if hint is int and not 0 <= value <= LARGEST_COUNT:
        raise ValueError(f"{name} wants a whole number from 0 to {LARGEST_COUNT}, not {_shown(value)}")
    return value


def _number(value: Any, name: str) -> Any:
    if isinstance(value, str) and value in ("nan", "inf", "-inf"):
        return float(value)
    if not isinstance(value, int | float):
        raise ValueError(f"{name} wants a number, not {_shown(value)}")
    if isinstance(value, int) and abs(value) > LARGEST:
        raise ValueError(f"{name} is too large a number")
    return value


def _numbers(value: Any, name: str, depth: int = 0) -> Any:
    """A number, or nested lists of numbers, as regular as an array."""
    if not isinstance(value, list):
        return _number(value, name)
    if depth > DEEPEST:
        raise ValueError(f"{name} is nested more than {DEEPEST} deep")
    read = [_numbers(item, name, depth + 1) for item in value]
    if len({_lengths(item) for item in read}) > 1:
        raise ValueError(f"{name} is no array: its rows have different lengths")
    return read


def _check_tiles(fields: Mapping[str, Any]) -> None:
    for name in ("blocks", "thumbnail"):
        lengths = _lengths(fields.get(name))
        if name in fields and (len(lengths) != 2 or not all(0 < length <= LONGEST_SIDE for length in lengths)):
            raise ValueError(f"Value.{name} wants rows of numbers, at most {LONGEST_SIDE} by {LONGEST_SIDE}")


def _lengths(numbers: Any) -> tuple[int, ...]:
    """The shape of numbers that are regular below their top."""
    lengths = []
    while isinstance(numbers, list):
        lengths.append(len(numbers))
        numbers = numbers[0] if numbers else None
    return tuple(lengths)


def _mapping(value: Any, name: str) -> dict[str, Any]:
    """Attributes, of which each may be anything that JSON can say, if it is not nested too deep."""
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} wants an object, not {_shown(value)}")
    return {_plainly(str, key, name): _anything(item, name, 0) for key, item in value.items()}


def _anything(value: Any, name: str, depth: int) -> Any:
    if depth > DEEPEST:
        raise ValueError(f"{name} is nested more than {DEEPEST} deep")
    if isinstance(value, list):
        return [_anything(item, name, depth + 1) for item in value]
    if isinstance(value, Mapping):
        return {_plainly(str, key, name): _anything(item, name, depth + 1) for key, item in value.items()}
    if isinstance(value, str) and value not in ("nan", "inf", "-inf"):
        return _plainly(str, value, name)
    return None if value is None else _number(value, name)


def _shown(value: Any) -> str:
    """A value in few characters, for a message."""
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else f"{value[:40]!r}…"
    if isinstance(value, list | Mapping):
        return "a list" if isinstance(value, list) else "an object"
    return "a huge number" if isinstance(value, int) and abs(value) > LARGEST else repr(value)
