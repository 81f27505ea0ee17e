"""`diagnose(trace)`: worst first, each told once, of any trace, and as JSON."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import autograd_lab as torch
from autograd_lab.events import OptimizerEntered, to_json
from autograd_lab.findings.case import Case
from autograd_lab.findings.finding import SEVERITIES, told
from autograd_lab.trace import Trace


def trained(steps: int = 3, layers: int = 5, *, clears: bool = False) -> Trace:
    """A model whose gradients are cleared or not, and a head that nobody uses."""
    torch.manual_seed(0)
    with torch.record() as trace:
        model = torch.nn.Sequential(*[torch.nn.Linear(2, 2) for _ in range(layers)])
        head = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.01)
        for _ in range(steps):
            if clears:
                optimizer.zero_grad()
            model(torch.ones(3, 2)).sum().backward()
            optimizer.step()
    return trace


def test_what_has_the_same_cause_is_told_once_with_all_its_names() -> None:
    kinds = [finding.kind for finding in torch.diagnose(trained())]
    assert kinds == ["gradients-add-up", "no-gradient-unused"]
    (adding, _) = torch.diagnose(trained())
    assert "model.0, model.1, model.2 and 2 more modules" in adding.sentence
    assert len(adding.parts) == 10


def test_worst_comes_first() -> None:
    with torch.record() as trace:
        layer = torch.nn.Linear(2, 2).requires_grad_(False)
        x = torch.tensor([0.0, 1.0], requires_grad=True)
        loss = (layer(x.sqrt()) * torch.tensor([0.0, 1.0])).sum()
        loss.backward()
        with suppress(RuntimeError):
            loss.backward()
    found = torch.diagnose(trace)
    assert [each.severity for each in found] == ["error", "warning", "note"]


def test_of_a_healthy_run_nothing_is_said_but_what_may_be_meant() -> None:
    found = torch.diagnose(trained(clears=True))
    assert [each.kind for each in found] == ["no-gradient-unused"]


def test_a_finding_is_plain_json_data() -> None:
    for finding in torch.diagnose(trained()):
        data = json.loads(json.dumps(finding.to_json()))
        assert data["severity"] in SEVERITIES
        assert data["cause"][0].keys() == {"words", "file", "line", "text"}
        assert data["steps"] and data["parts"]


def test_the_text_of_a_finding_has_its_lines_below_each_other() -> None:
    finding = torch.diagnose(trained())[0]
    first, *rest = told(finding).splitlines()
    assert first == f"warning: {finding.sentence}"
    assert all(line.startswith("  ") for line in rest)
    assert rest[-1].strip() == finding.remedy


def test_a_trace_from_a_file_has_the_same_findings(tmp_path: Path) -> None:
    trace = trained()
    trace.save(tmp_path / "trace.jsonl")
    assert torch.diagnose(Trace.load(tmp_path / "trace.jsonl")) == torch.diagnose(trace)


def test_older_traces_that_do_not_tell_what_optimizers_were_given_are_diagnosed_too(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    trained().save(path)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line in lines:
        if line.get("kind") == OptimizerEntered.kind:
            del line["parameters"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    found = torch.diagnose(Trace.load(path))
    assert [each.kind for each in found] == ["gradients-add-up", "no-gradient-unused"]
    assert found[1].severity == "note"  # whether an optimizer was to update it is not known


def test_an_optimizer_tells_what_it_was_given() -> None:
    (first, *_) = [event for event in trained() if isinstance(event, OptimizerEntered)]
    assert len(first.parameters) == 12
    assert "parameters" in to_json(first)


def test_the_index_of_a_trace_takes_time_in_proportion_to_its_length() -> None:
    short, long = trained(steps=2), trained(steps=20)
    assert len(Case(long).calls) == 10 * len(Case(short).calls)
    assert len(Case(long).passes) == 20


def test_gradients_that_grow_beyond_all_floats_are_told_of_as_far_as_they_are_floats() -> None:
    for largest, told_of in ((1e150, "about 10^170 times"), (1e300, "")):
        w = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=1e-310)
        with torch.record() as trace:
            for scale in (1e-20, 1.0, largest):
                optimizer.zero_grad()
                (w * scale).sum().backward()
                optimizer.step()
        found = [each.sentence for each in torch.diagnose(trace) if each.kind == "exploding-gradients"]
        assert bool(found) == bool(told_of) and told_of in "".join(found)


def test_gradients_vanish_also_in_a_pass_that_brings_the_first_weight_none() -> None:
    weights = [torch.ones(2, 2, requires_grad=True) for _ in range(6)]
    optimizer = torch.optim.SGD(weights, lr=0.1)
    with torch.record() as trace:
        for first in (1, 0):
            optimizer.zero_grad()
            parts = [(weight * 10.0 ** (2 * at - 12)).sum() for at, weight in enumerate(weights)]
            sum(parts[first:]).backward()
            optimizer.step()
    assert "vanishing-gradients" in [each.kind for each in torch.diagnose(trace)]
