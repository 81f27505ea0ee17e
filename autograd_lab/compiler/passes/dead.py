"""Dead code: what nobody asks for is not computed."""

from __future__ import annotations

from autograd_lab.compiler.graph import Graph, Value


def dead(graph: Graph) -> tuple[Graph, dict[Value, str]]:
    """The graph without operations that lead to no output. What must run in any case stays."""
    wanted = {one for one in graph.outputs if one is not None}
    kept = []
    for each in reversed(graph.operations):
        if not each.kernel.pure or not wanted.isdisjoint(each.results):
            wanted.update(each.operands)
            kept.append(each)
    dropped = [value for each in graph.operations for value in each.results if wanted.isdisjoint(each.results)]
    return graph.with_operations(reversed(kept)), dict.fromkeys(dropped, "nobody asks for it")
