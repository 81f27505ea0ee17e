"""Programs of six domains, whose graph differs with the input: the same here and in PyTorch."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import pytest

from autograd_lab.display.script import find_script

ENDS = ("loss", "energy", "y", "best")
"""What the programs call the tensor that they go back from."""


def run(program: str, world: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The variables of a program at its end, with its arguments, in this engine or in PyTorch."""
    name, *arguments = program.split()
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    source = find_script(name).read_text(encoding="utf-8").replace("import autograd_lab as", f"import {world} as")
    variables: dict[str, Any] = {}
    exec(source, variables)
    return variables


def nodes_of(variables: dict[str, Any]) -> Counter[str]:
    """How many nodes of each kind lead to the tensor that the program goes back from."""
    [root] = [variables[name].grad_fn for name in ENDS if name in variables]
    met, waiting = {root}, [root]
    while waiting:
        new = {node for node, _ in waiting.pop().next_functions if node is not None} - met
        met |= new
        waiting += new
    return Counter(type(node).__name__ for node in met)


@pytest.mark.parametrize("world", ["autograd_lab", "torch"])
@pytest.mark.parametrize(
    ("program", "nodes"),
    [
        ("sentence the cat", {"TanhBackward0": 2}),
        ("sentence the cat sat on it", {"TanhBackward0": 5}),
        ("trajectory 6", {"LogBackward0": 2, "SigmoidBackward0": 2, "RsubBackward1": 0}),
        ("trajectory 3", {"LogBackward0": 3, "SigmoidBackward0": 3, "RsubBackward1": 3}),
        ("molecule 0-1", {"TanhBackward0": 2}),
        ("molecule 0-1 1-2 2-0 2-3", {"TanhBackward0": 4}),
        ("agent 1", {"SigmoidBackward0": 0, "MulBackward0": 1}),
        ("agent 3", {"SigmoidBackward0": 1, "MulBackward0": 5}),
        ("experts 3", {"SinBackward0": 1, "SoftmaxBackward0": 1}),
        ("experts -3", {"SinBackward0": 0, "SoftmaxBackward0": 1}),
        ("reasoning 1", {"TanhBackward0": 1, "AddBackward0": 0}),
        ("reasoning 0.2", {"TanhBackward0": 1, "AddBackward0": 3}),
    ],
)
def test_each_program_leaves_the_graph_that_its_input_asks_for(
    program: str, nodes: dict[str, int], world: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if world == "torch":
        pytest.importorskip("torch")
    found = nodes_of(run(program, world, monkeypatch))
    assert {name: found[name] for name in nodes} == nodes


def test_only_the_expert_that_computed_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run("experts -3", "autograd_lab", monkeypatch)
    assert [found[name].grad is None for name in ("line", "curve", "wave")] == [False, True, True]


def test_no_gradient_goes_through_the_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run("agent 3", "autograd_lab", monkeypatch)
    assert found["w_trust"].grad is not None and found["question"].grad is None


def test_branches_that_were_not_chosen_are_in_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    found = run("reasoning 0.2", "autograd_lab", monkeypatch)
    assert len(found["looked_at"]) == 7 and nodes_of(found)["TanhBackward0"] == 1


@pytest.mark.parametrize("world", ["autograd_lab", "torch"])
def test_forward_mode_costs_a_run_an_input_and_reverse_mode_a_pass_a_result(
    world: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if world == "torch":
        torch = pytest.importorskip("torch")
        monkeypatch.setitem(sys.modules, "autograd_lab.autograd", torch.autograd)
    found = run("jacobian", world, monkeypatch)
    layers = found["LAYERS"]
    rows = [line.replace("steps", "").split()[:4] for line in capsys.readouterr().out.splitlines()[1:]]
    assert [[int(number) for number in row] for row in rows] == [
        [inputs, results, 2 * layers * inputs, layers + layers * results]
        for inputs, results in ((64, 1), (1, 64), (64, 64))
    ]
