"""Who holds it: graphs that are alive, what they end in, their bytes, and what lets go of them, in both worlds."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograd_lab.display.script import run_script
from autograd_lab.findings.alive import Holding, holding

PROGRAM = """
import autograd_lab as torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total, kept = torch.zeros(()), []
for turn in range(4):
    prediction = model(torch.randn(4, 8))
    loss = prediction.pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    {keep}
w = torch.ones(3, 3, requires_grad=True)
{after}
"""
WORLDS = [False, True]


def held_by(tmp_path: Path, torch: bool, keep: str = "pass", after: str = "pass") -> Holding:
    if torch:
        pytest.importorskip("torch")
    script = tmp_path / "program.py"
    script.write_text(PROGRAM.format(keep=keep, after=after), "utf-8")
    return holding(run_script(script, torch=torch).trace)


@pytest.mark.parametrize("torch", WORLDS)
def test_a_sum_of_losses_holds_the_graphs_of_all_turns(tmp_path: Path, torch: bool) -> None:
    total, *others = held_by(tmp_path, torch, keep="total = total + loss").alive
    assert (total.name, total.graphs, total.nbytes) == ("total", 1, 0)
    assert total.operations > 4 * 5 and total.where is not None and total.where.text == "total = total + loss"
    assert total.remedy == "`del total`, or keep `total.detach()`"
    assert not others


@pytest.mark.parametrize("torch", WORLDS)
def test_losses_in_a_list_are_told_as_one(tmp_path: Path, torch: bool) -> None:
    losses = held_by(tmp_path, torch, keep="kept.append(loss)").alive[0]
    assert (losses.name, losses.graphs) == ("loss", 4)
    assert losses.remedy == "keep `loss.item()` or `loss.detach()` of each"


@pytest.mark.parametrize("torch", WORLDS)
def test_bytes_are_those_of_results_that_are_saved_each_storage_once(tmp_path: Path, torch: bool) -> None:
    after = "a = w * 2; b = a.tanh(); c = b * b; d = b.exp()"
    alive = {each.name: each for each in held_by(tmp_path, torch, after=after).alive}
    nine = 9 * 4  # the bytes of a matrix; tanh and both operands of the product keep b alone, exp keeps d
    assert (alive["c"].nbytes, alive["d"].nbytes) == (nine, nine)


@pytest.mark.parametrize("torch", WORLDS)
def test_modules_are_ranked_by_what_they_had_saved_when_the_last_pass_began(tmp_path: Path, torch: bool) -> None:
    modules = held_by(tmp_path, torch).modules
    hidden = 4 * 16 * 4
    assert dict(modules) == {"model.1": hidden, "model.2": hidden}  # weights and input are not theirs


@pytest.mark.parametrize("torch", WORLDS)
def test_of_what_is_let_go_of_nothing_is_told(tmp_path: Path, torch: bool) -> None:
    assert held_by(tmp_path, torch, after="del loss, prediction").alive == ()
