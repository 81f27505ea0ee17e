"""A PyTorch that nobody has tried works as far as it goes, and says so; what one lacks costs one feature."""

from __future__ import annotations

import pytest

from autograd_lab import record
from autograd_lab.trace import Trace
from autograd_lab.view.scene import make_scene

torch = pytest.importorskip("torch")

from autograd_lab.torch_bridge import internals  # noqa: E402 - wants torch


def recorded() -> Trace:
    with record() as trace:
        x = torch.ones(3, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.tolist(), torch.tensor):
            (x * x).sum().backward()
    return trace


@pytest.mark.parametrize("version", ["2.3.1+cpu", "2.99.0", "3.0.0a0"])
def test_a_version_that_was_not_tried_is_said(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(torch, "__version__", version)
    sentence = internals.untried()
    assert sentence is not None and version.partition("+")[0] in sentence
    trace = recorded()
    assert trace.notes == [sentence]
    assert sentence in make_scene(trace).notices


@pytest.mark.parametrize("version", ["2.4.0", "2.13.0+cpu", "2.15.3"])
def test_a_version_that_was_tried_needs_no_word(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(torch, "__version__", version)
    assert internals.untried() is None
    assert recorded().notes == []


def test_slots_that_do_not_say_what_they_keep_cost_one_feature_and_run_no_hook(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(internals, "SLOTS_ARE_OPEN", False)  # as before PyTorch 2.9
    monkeypatch.setitem(internals.lacking, "packed slots", "what a hook keeps cannot be seen")
    unpacked: list[int] = []
    x = torch.ones(3, requires_grad=True)

    def unpack(kept: list[float]) -> object:
        unpacked.append(1)
        return torch.tensor(kept)

    with record() as trace, torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.tolist(), unpack):
        y = (x * x).sum()
    assert not unpacked
    y.backward()
    assert len(unpacked) == 2
    assert [note for note in trace.notes if "what a hook keeps cannot be seen" in note]
    assert not trace.is_torn


def test_notes_are_kept_in_a_file(tmp_path: object) -> None:
    trace = recorded()
    trace.note("a sentence about all of it")
    trace.note("a sentence about all of it")
    path = f"{tmp_path}/trace.jsonl"
    trace.save(path)
    assert Trace.load(path).notes == ["a sentence about all of it"]
