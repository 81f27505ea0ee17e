"""Buffers: how long each value is needed, and which values lie in the same memory one after the other.

A value that leaves the program (a result, or what is saved for backward) has memory of its own each time; all others
lie in buffers that are there from the beginning. An elementwise operation may write over an operand that nobody needs
any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lab.compiler.graph import Constant, Graph, Operation, Value
from autograd_lab.compiler.kernel import CAST, COPY, UPDATE


@dataclass(frozen=True)
class Lifetime:
    """A value in a buffer: from the step that makes it to the last one that looks at it, both included."""

    value: Value
    start: int
    stop: int
    in_place: bool


@dataclass
class Buffer:
    """A piece of memory, and the values that lie in it, in their order."""

    nbytes: int
    tenants: list[Lifetime] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """Where the values of a graph are.

    `homes` gives the buffer of each value that has one; `onto` the input that a value is put into where it is made;
    `dropped` the values outside of buffers that are last looked at in each step.
    """

    buffers: tuple[Buffer, ...]
    homes: dict[Value, int]
    onto: dict[Value, Value]
    dropped: dict[int, tuple[Value, ...]]

    @property
    def nbytes(self) -> int:
        """The bytes of all buffers."""
        return sum(buffer.nbytes for buffer in self.buffers)

    @property
    def without(self) -> int:
        """The bytes that the same values would take if each had memory of its own."""
        return sum(one.value.nbytes for buffer in self.buffers for one in buffer.tenants)


def planned(graph: Graph, writes: dict[Value, Value]) -> Plan:
    """A plan for the operations in their order; `writes` gives the input for each output that goes into one."""
    roots = roots_of(graph)
    last = last_uses(graph, roots) | {roots[value]: len(graph.operations) for value in writes}
    onto = _onto(graph, writes, roots, last)
    away = {roots[one] for one in graph.outputs if one is not None and one not in writes}
    buffers: list[Buffer] = []
    homes: dict[Value, int] = {}
    for step, operation in enumerate(graph.operations):
        for value in operation.results:
            if is_placed(operation) and value not in away and value not in onto and value.nbytes:
                number, in_place = _home(operation, value, step, buffers, homes, last)
                homes[value] = number
                buffers[number].tenants.append(Lifetime(value, step, last.get(value, step), in_place))
    return Plan(tuple(buffers), homes, onto, _dropped(graph, roots, last, {*away, *homes, *onto, *graph.inputs}))


def is_placed(operation: Operation) -> bool:
    """Whether an operation can put its result where it is told to."""
    kernel = operation.kernel
    if kernel.view or not kernel.pure:
        return False
    takes_out = kernel.takes_out and all(name != "dtype" for name, _ in operation.options)
    return takes_out or kernel in (CAST, COPY, UPDATE) or bool(operation.body)


def roots_of(graph: Graph) -> dict[Value, Value]:
    """For each value the one in whose memory it lies: itself, unless it is a view."""
    roots: dict[Value, Value] = {value: value for value in graph.inputs}
    for each in graph.operations:
        for value in each.results:
            first = each.args[0] if each.kernel.view else value
            roots[value] = roots.get(first, first)
    for one in graph.outputs:
        if one is not None:
            roots.setdefault(one, one)
    return roots


def last_uses(graph: Graph, roots: dict[Value, Value]) -> dict[Value, int]:
    """The last step at which the memory of each value is looked at."""
    last: dict[Value, int] = {}
    for step, each in enumerate(graph.operations):
        for value in each.operands:
            last[roots.get(value, value)] = step
    return last


def _home(
    operation: Operation, value: Value, step: int, buffers: list[Buffer], homes: dict[Value, int],
    last: dict[Value, int],
) -> tuple[int, bool]:  # fmt: skip
    """The buffer for a value: that of an operand which it may write over, one that has become free, or a new one."""
    for operand in overwritable(operation):
        if operand in homes and last[operand] == step and alike(operand, value):
            return homes[operand], True
    free = [at for at, buffer in enumerate(buffers) if buffer.tenants[-1].stop < step]
    fitting = [at for at in free if buffers[at].nbytes >= value.nbytes]
    if fitting:
        return min(fitting, key=lambda at: buffers[at].nbytes), False
    if free:
        number = max(free, key=lambda at: buffers[at].nbytes)
        buffers[number].nbytes = value.nbytes
        return number, False
    buffers.append(Buffer(value.nbytes))
    return len(buffers) - 1, False


def overwritable(operation: Operation) -> list[Value]:
    """The operands that the result may be written over: each of their elements is read before it is written."""
    if operation.kernel is UPDATE:
        return operation.operands[:1]
    return operation.operands if operation.kernel.elementwise and operation.kernel is not CAST else []


def alike(first: Value, second: Value) -> bool:
    """Whether two values have the same elements at the same places in memory."""
    return (first.shape, first.dtype, first.strides) == (second.shape, second.dtype, second.strides)


def _onto(
    graph: Graph, writes: dict[Value, Value], roots: dict[Value, Value], last: dict[Value, int]
) -> dict[Value, Value]:
    """The values that can be put into the input that is to get them as soon as they are made.

    Nobody may look at the input after that; and nothing may come after that could end the run before its end.
    """
    unsafe = [at for at, one in enumerate(graph.operations) if not one.kernel.pure or one.kernel.opaque]
    safe = max(unsafe, default=-1) + 1
    found = {}
    kept = {roots[one] for one in graph.outputs if one is not None and one not in writes}
    for step, operation in enumerate(graph.operations):
        for value in operation.results if step >= safe and is_placed(operation) and not operation.body else ():
            target = writes.get(value)
            if target is None or not alike(value, target) or target in kept or value in kept:
                continue
            before = last.get(target, -1)
            if before < step or (before == step and target in overwritable(operation)):
                found[value] = target
    return found


def _dropped(
    graph: Graph, roots: dict[Value, Value], last: dict[Value, int], kept: set[Value]
) -> dict[int, tuple[Value, ...]]:
    """What Python variables can be deleted after each step, so that memory outside of buffers is free again."""
    end = len(graph.operations)
    found: dict[int, tuple[Value, ...]] = {}
    for each in graph.operations:
        for value in each.results:
            root = roots[value]
            step = last.get(root, end)
            if root not in kept and step < end and root.nbytes and not isinstance(root, Constant):
                found[step] = (*found.get(step, ()), value)
    return found
