"""The schedule: the order in which operations run, chosen so that little memory is in use at a time."""

from __future__ import annotations

from autograd_lab.compiler.graph import Graph, Operation, Value
from autograd_lab.compiler.program.buffers import last_uses, roots_of


def schedule(graph: Graph) -> tuple[Graph, dict[Value, str]]:
    """The graph in the order of the program, or with each operation as late as can be, if that needs less memory."""
    late = graph.with_operations(as_late_as_can_be(graph))
    return (late if peak(late) < peak(graph) else graph), {}


def peak(graph: Graph) -> int:
    """The most bytes that computed values take at a time, if each goes after its last use."""
    roots = roots_of(graph)
    last = last_uses(graph, roots) | {roots[one]: len(graph.operations) for one in graph.outputs if one is not None}
    leaving: dict[int, int] = {}
    most = now = 0
    for step, operation in enumerate(graph.operations):
        for value in operation.results:
            if roots[value] is value:
                now += value.nbytes
                end = last.get(value, step)
                leaving[end] = leaving.get(end, 0) + value.nbytes
        most = max(most, now)
        now -= leaving.get(step, 0)
    return most


def as_late_as_can_be(graph: Graph) -> list[Operation]:
    """Each operation just before the first one that needs it; what must run in any case first, in its order."""
    ordered: list[Operation] = []
    done: set[int] = set()
    roots = [each for each in graph.operations if not each.kernel.pure]
    roots += [graph.makers[one] for one in graph.outputs if one in graph.makers]
    for root in roots:
        waiting = [(root, iter(root.operands))]
        while waiting:
            operation, operands = waiting[-1]
            maker = next((graph.makers[one] for one in operands if one in graph.makers), None)
            if id(operation) in done or maker is None:
                waiting.pop()
                if id(operation) not in done:
                    done.add(id(operation))
                    ordered.append(operation)
            elif id(maker) not in done:
                waiting.append((maker, iter(maker.operands)))
    return ordered
