"""A recording for Model Explorer: the graph of its operations, and numbers on the nodes of that graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from autograd_lab import events as e
from autograd_lab.trace import Trace, write_whole
from autograd_lab.trace.amounts import norm

NAME = "autograd graph"
"""The id of the graph, by which node data find it."""
COLOURS = [{"stop": 0, "bgColor": "#ffffff"}, {"stop": 1, "bgColor": "#c070b0"}]


def to_graph(trace: Trace) -> str:
    """The graph: a node for each operation and each leaf, in the namespaces of modules."""
    nodes = list(_Walk(trace).nodes.values())
    return json.dumps({"label": NAME, "graphs": [{"id": NAME, "nodes": nodes}]}, ensure_ascii=False)


def to_numbers(trace: Trace) -> str:
    """For each node of that graph the norm of the last gradient that arrived there."""
    walk = _Walk(trace)
    found = {node: {"value": value} for node, value in walk.norms.items()}
    return json.dumps({NAME: {"results": found, "gradient": COLOURS}}, ensure_ascii=False, allow_nan=False)


def save_graph(trace: Trace, path: Path) -> None:
    """Write the graph. Raises OSError."""
    write_whole(path, to_graph(trace).encode("utf-8", "replace"))


def save_numbers(trace: Trace, path: Path) -> None:
    """Write the numbers. Raises OSError."""
    write_whole(path, to_numbers(trace).encode("utf-8", "replace"))


class _Walk:
    """The nodes by their ids, and the norms of gradients; what is not finite has none."""

    def __init__(self, trace: Trace) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}
        self.norms: dict[str, float] = {}
        self._modules: list[str] = []
        self._grads: dict[str, str] = {}
        self._makers: dict[str, tuple[str, int]] = {}
        for step, event in enumerate(trace):
            self._see(step, event)

    def _see(self, step: int, event: e.Event) -> None:
        match event:
            case e.ModuleEntered(module=path, type=kind):
                self._modules.append((path or kind).replace(".", "/"))
            case e.ModuleLeft():
                del self._modules[-1:]  # of a recording that began inside of it there is none
            case e.TensorCreated(tensor=facts):
                self._leaf(facts, event)
            case e.OpApplied():
                self._op(step, event)
            case e.NodeVisited(node=node, gradients=gradients):
                self._measured(node, gradients[0] if gradients else None)
            case e.GradAccumulated(tensor=tensor, grad=grad, total=total):
                self._measured(tensor, total)
                self._grads[grad] = tensor

    def _leaf(self, facts: e.TensorFacts, event: e.Event) -> None:
        self._makers[facts.id] = facts.id, 0
        label = facts.name or facts.expression or self._grad(facts.id) or facts.id
        self.nodes[facts.id] = self._node(facts.id, label, "", [facts], event)

    def _grad(self, tensor: str) -> str:
        """What a gradient is called, of which the program reads its leaf's `.grad`."""
        leaf = self.nodes.get(self._grads.get(tensor, ""))
        return f"{leaf['label']}.grad" if leaf is not None else ""

    def _op(self, step: int, event: e.OpApplied) -> None:
        name = event.node or f"step {step}"
        node = self._node(name, event.name, self._modules[-1] if self._modules else "", list(event.outputs), event)
        sources = [(self._makers.get(each.tensor or ""), at) for at, each in enumerate(event.operands)]
        node["incomingEdges"] = [
            {"sourceNodeId": source[0], "sourceNodeOutputId": str(source[1]), "targetNodeInputId": str(at)}
            for source, at in sources
            if source is not None and source[0] != name
        ]
        self.nodes[name] = node
        self._makers |= {each.id: (name, at) for at, each in enumerate(event.outputs)}

    def _node(
        self, name: str, label: str, namespace: str, outputs: list[e.TensorFacts], event: e.Event
    ) -> dict[str, Any]:
        line = [] if event.where is None else [_pair("line", f"{event.where}  {event.where.text}")]
        shapes = [
            {"id": str(at), "attrs": [_pair("shape", f"{each.dtype} {list(each.shape)}")]}
            for at, each in enumerate(outputs)
        ]
        named = [_pair("name", str(outputs[0].name))] if outputs and outputs[0].name else []
        return {
            "id": name, "label": label, "namespace": namespace, "attrs": [*named, *line], "incomingEdges": [],
            "outputsMetadata": shapes,
        }  # fmt: skip

    def _measured(self, node: str, value: e.Value | None) -> None:
        size = None if value is None else norm(value)
        if node in self.nodes and size is not None and abs(size) < float("inf"):
            self.norms[node] = size


def _pair(key: str, value: str) -> dict[str, str]:
    return {"key": key, "value": value}
