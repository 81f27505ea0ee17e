"""Fusion: elementwise operations on large arrays become one, which goes over them tile by tile.

A tile stays in the processor's cache from the first operation to the last; what is only needed in between is never
written to memory as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.compiler.graph import Graph, Operation, Value
from autograd_lab.compiler.kernel import FUSED

LEAST_BYTES = 2**19
"""Smaller arrays stay in the cache as they are."""


def fusion(graph: Graph) -> tuple[Graph, dict[Value, str]]:
    """The graph with groups of elementwise operations of one shape as one operation each."""
    groups = Groups(graph)
    for operation in graph.operations:
        if is_fusible(operation):
            groups.add(operation)
    notes: dict[Value, str] = {}
    made: dict[int, Operation] = {}
    for number, members in enumerate(one for one in groups.members if len(one) > 1):
        fused = _fused(graph, members)
        for each in members:
            made[id(each)] = fused
            notes |= dict.fromkeys(each.results, f"in loop {number}")
    return graph.with_operations(_in_order(graph, made)), notes


def is_fusible(operation: Operation) -> bool:
    """Whether an operation can be done on a stretch of its operands at a time, and is worth it."""
    kernel = operation.kernel
    plain = kernel.elementwise or (kernel.name == "view" and kernel.form == "method")
    if not plain or len(operation.results) != 1 or operation.result.nbytes < LEAST_BYTES:
        return False
    result = operation.result
    return bool(result.shape) and result.is_dense and all(is_alongside(one, result) for one in operation.operands)


def is_alongside(value: Value, result: Value) -> bool:
    """Whether an operand is of the shape of the result, or is repeated along its first dimension."""
    return value.shape == result.shape or len(value.shape) < len(result.shape) or value.shape[:1] == (1,)


class Groups:
    """Operations that are to be one, so that no group needs what comes of itself by way of something outside."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.members: list[list[Operation]] = []
        self._group: dict[int, int] = {}

    def add(self, operation: Operation) -> None:
        """Put an operation into the last group of its shape that it can be in, or into a new one."""
        for number in range(len(self.members) - 1, -1, -1):
            if self.members[number][0].result.shape == operation.result.shape and not self._would_turn(
                operation, number
            ):
                break
        else:
            number = len(self.members)
            self.members.append([])
        self.members[number].append(operation)
        self._group[id(operation)] = number

    def _would_turn(self, operation: Operation, group: int) -> bool:
        """Whether an operand from outside of the group depends on the group."""
        waiting = [one for one in self._makers([operation]) if self._group.get(id(one)) != group]
        seen = set(map(id, waiting))
        while waiting:
            own = waiting.pop()
            number = self._group.get(id(own))
            if number == group:
                return True
            for one in self._makers(self.members[number] if number is not None else [own]):
                if id(one) not in seen:
                    seen.add(id(one))
                    waiting.append(one)
        return False

    def _makers(self, operations: list[Operation]) -> Iterator[Operation]:
        makers = self.graph.makers
        return (makers[value] for each in operations for value in each.operands if value in makers)


def _fused(graph: Graph, members: list[Operation]) -> Operation:
    own = {each.result for each in members}
    wanted: set[Value] = set()
    for each in graph.operations:
        if not own.intersection(each.results):
            wanted.update(each.operands)
    wanted.update(one for one in graph.outputs if one is not None)
    operands = dict.fromkeys(value for each in members for value in each.operands if value not in own)
    results = tuple(each.result for each in members if each.result in wanted)
    return Operation(FUSED, tuple(operands), results, (), members[-1].origin, tuple(members))


def _in_order(graph: Graph, made: dict[int, Operation]) -> list[Operation]:
    """Each operation or what it is part of now, after those that it needs."""
    ordered: list[Operation] = []
    done: set[int] = set()

    def put(operation: Operation) -> None:
        waiting = [operation]
        while waiting:
            each = waiting[-1]
            makers = [
                made.get(id(graph.makers[one]), graph.makers[one]) for one in each.operands if one in graph.makers
            ]
            missing = [one for one in makers if id(one) not in done and one is not each]
            if missing:
                waiting += missing[:1]
                continue
            waiting.pop()
            if id(each) not in done:
                done.add(id(each))
                ordered.append(each)

    for operation in graph.operations:
        put(made.get(id(operation), operation))
    return ordered
