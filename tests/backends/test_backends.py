"""What programs ask before they use an accelerator is answered as PyTorch answers it where there is none."""

from __future__ import annotations

from typing import Any

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
    "xpu.is_available()",
    "xpu.device_count()",
    "xpu.is_initialized()",
    "xpu.is_bf16_supported()",
    "xpu.manual_seed_all(1)",
    "xpu.empty_cache()",
    "xpu.memory_allocated()",
    "mps.is_available()",
    "mps.device_count()",
    "mps.manual_seed(1)",
]
REFUSED = [
    "xpu.current_device()",
    "xpu.get_device_name(0)",
    "xpu.set_device(0)",
    "xpu.synchronize()",
    "xpu.get_rng_state()",
    "mps.empty_cache()",
    "mps.synchronize()",
    "mps.current_allocated_memory()",
    "mps.driver_allocated_memory()",
]


@pytest.mark.skipif(torch.accelerator.is_available(), reason="PyTorch has an accelerator here")
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_program_that_asks_for_an_accelerator_hears_that_there_is_none(question: str) -> None:
    assert eval(f"torch.{question}", {"torch": autograd_lab}) == eval(f"torch.{question}", {"torch": torch})


@pytest.mark.skipif(torch.accelerator.is_available(), reason="PyTorch has an accelerator here")
@pytest.mark.parametrize("work", REFUSED)
def test_work_for_an_accelerator_that_is_not_there_is_refused(work: str) -> None:
    def told(world: Any) -> tuple[str, str]:
        with pytest.raises((AssertionError, RuntimeError)) as raised:
            eval(f"torch.{work}", {"torch": world})
        return raised.type.__name__, str(raised.value)

    assert told(autograd_lab) == told(torch)
