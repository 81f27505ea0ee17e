"""What Perfetto and Model Explorer are given is whole, in order, and finds its way back to the program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import autograd_lab as torch
from autograd_lab import nn
from autograd_lab.commands.cli import app
from autograd_lab.trace import Trace
from autograd_lab.view.viewers.model_explorer import to_graph
from autograd_lab.view.viewers.perfetto import to_perfetto


@pytest.fixture(scope="module")
def trace() -> Trace:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with torch.record(model=model) as trace:
        loss = model(torch.ones(4, 2)).square().mean()
        loss.backward()
        optimizer.step()
    return trace


def written(trace: Trace, path: Path) -> Any:
    trace.save(path)
    return json.loads(path.read_text("utf-8"))


def test_perfetto_has_passes_modules_operations_and_bytes(trace: Trace, tmp_path: Path) -> None:
    entries = written(trace, tmp_path / "run.perfetto.json")["traceEvents"]
    spans = [each for each in entries if each["ph"] == "X"]
    assert {"backward 1", "SGD.step"} <= {each["name"] for each in spans if each["cat"] == "passes"}
    assert [each["name"] for each in spans if each["cat"] == "modules"] == [
        "Sequential", "0 (Linear)", "1 (ReLU)", "2 (Linear)",
    ]  # fmt: skip
    counts = [each["args"]["bytes"] for each in entries if each["ph"] == "C"]
    assert counts[0] == 0 == counts[-1] and max(counts) > 0


def test_spans_of_a_row_lie_inside_of_each_other_or_apart(trace: Trace, tmp_path: Path) -> None:
    entries = written(trace, tmp_path / "run.perfetto.json")["traceEvents"]
    for row in {each.get("tid") for each in entries if each["ph"] == "X"}:
        spans = [(each["ts"], each["ts"] + each["dur"]) for each in entries if each["ph"] == "X" and each["tid"] == row]
        assert all(a <= c or c <= a or (a[0] <= c[0] and c[1] <= a[1]) for a in spans for c in spans)
        assert all(0 <= begin < end <= len(trace) for begin, end in spans)


def test_each_edge_of_model_explorer_leads_to_a_node_and_so_do_numbers(trace: Trace, tmp_path: Path) -> None:
    (graph,) = written(trace, tmp_path / "run.model-explorer.json")["graphs"]
    nodes = {node["id"]: node for node in graph["nodes"]}
    assert len(nodes) == len(graph["nodes"])
    edges = [edge["sourceNodeId"] for node in graph["nodes"] for edge in node["incomingEdges"]]
    assert edges and set(edges) <= set(nodes)
    assert {"0", "1", "2"} <= {node["namespace"] for node in graph["nodes"]}
    data = written(trace, tmp_path / "run.node-data.json")[graph["id"]]
    assert data["results"] and set(data["results"]) <= set(nodes)
    assert all(each["value"] >= 0 for each in data["results"].values())


def test_a_gradient_that_a_program_reads_by_itself_is_called_after_its_leaf() -> None:
    w = torch.tensor(2.0, requires_grad=True)
    with torch.record(w=w) as trace:
        (w * w).backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
    nodes = {node["label"]: node for node in json.loads(to_graph(trace))["graphs"][0]["nodes"]}
    assert [edge["sourceNodeId"] for edge in nodes["mul"]["incomingEdges"]] == [nodes["w.grad"]["id"]]


def test_a_recording_that_began_inside_of_a_module_is_written_as_well(trace: Trace) -> None:
    late = Trace([event for event in trace if event.kind != "module_entered"])
    assert any(event.kind == "module_left" for event in late)
    whole, found = (json.loads(to_graph(each))["graphs"][0]["nodes"] for each in (trace, late))
    assert [node["label"] for node in found] == [node["label"] for node in whole]
    assert json.loads(to_perfetto(late))["traceEvents"]


def test_record_writes_them_by_suffix(tmp_path: Path) -> None:
    target = tmp_path / "e.perfetto.json"
    said = CliRunner().invoke(app, ["record", "expression", "-o", str(target)])
    assert said.exit_code == 0, said.output
    assert json.loads(target.read_text("utf-8"))["traceEvents"]
