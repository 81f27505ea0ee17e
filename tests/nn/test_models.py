"""The real models of `tests.models` train alike in the engine and in real PyTorch."""

from __future__ import annotations

import pytest

import autograd_lab
from tests.models import MODELS, WRONG_SCRIPT, gpt2, resnet18, wrong_residual

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

IN_PLACE = "modified by an inplace operation"


@pytest.mark.parametrize("name", MODELS)
def test_two_steps_of_training_have_the_same_losses_in_both_worlds(name: str) -> None:
    ours, theirs = MODELS[name](autograd_lab), MODELS[name](torch)
    assert [ours(), ours()] == pytest.approx([theirs(), theirs()], rel=1e-3)


@pytest.mark.parametrize("name", MODELS)
def test_the_loss_goes_down(name: str) -> None:
    step = MODELS[name](torch)
    losses = [step() for _ in range(6)]
    assert losses[-1] < losses[0]


def test_at_full_width_the_models_are_the_published_ones() -> None:
    def count(model: object) -> int:
        return sum(p.numel() for p in model.parameters())  # type: ignore[attr-defined]  # a Module

    assert count(resnet18(torch, width=64, classes=1000).model) == 11_689_512
    assert (
        count(gpt2(torch, layers=1, width=768, heads=12, length=1024, count=50257).model)
        == 124_439_808 - 11 * 7_087_872
    )


def test_the_wrong_residual_block_fails_at_backward_in_both_worlds() -> None:
    for module in (autograd_lab, torch):
        with pytest.raises(RuntimeError, match=IN_PLACE):
            wrong_residual(module)()


@pytest.mark.parametrize("module", ["torch", "autograd_lab"])
def test_the_wrong_script_ends_with_the_error(module: str) -> None:
    text = WRONG_SCRIPT.replace("import torch\n", f"import {module} as torch\n").replace("from torch", f"from {module}")
    with pytest.raises(RuntimeError, match=IN_PLACE):
        exec(compile(text, "wrong.py", "exec"), {"__name__": "__main__"})
