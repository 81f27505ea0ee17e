"""What programs ask before they use an accelerator is answered as PyTorch answers it where there is none."""

from __future__ import annotations

import pytest

import autograd_lab

torch = pytest.importorskip("torch")

QUESTIONS = [
    "accelerator.is_available()",
    "accelerator.device_count()",
    "accelerator.current_accelerator(check_available=True)",
    "backends.cudnn.is_available()",
    "backends.cudnn.benchmark",
    "backends.cudnn.deterministic",
    "backends.mps.is_available()",
    "cuda.is_available()",
    "cuda.device_count()",
    "cuda.manual_seed(1)",
    "cuda.manual_seed_all(1)",
]


@pytest.mark.skipif(torch.accelerator.is_available(), reason="PyTorch has an accelerator here")
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_program_that_asks_for_an_accelerator_hears_that_there_is_none(question: str) -> None:
    assert eval(f"torch.{question}", {"torch": autograd_lab}) == eval(f"torch.{question}", {"torch": torch})
