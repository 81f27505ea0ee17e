"""Checkpointing: parts of forward keep their inputs only, and run again when backward needs what they computed."""

from __future__ import annotations

from typing import Any

from autograd_lab import nn
from autograd_lab.memory.technique import SETTING, Result, Row, Step, compared, usual_rows
from autograd_lab.utils.checkpoint import checkpoint

LAYERS_A_PART = 4


def run(rounds: int) -> Result:
    """The step with every four layers as a checkpoint."""
    step = Step()
    size = 2 * LAYERS_A_PART
    parts = [nn.Sequential(*step.layers[at : at + size]) for at in range(0, len(step.layers), size)]

    def loss() -> Any:
        step.net.zero_grad()
        h = step.x
        for part in parts:
            h = checkpoint(part, h, use_reentrant=False)
        return step.loss(h)

    without, with_it = compared(step.plain, loss, rounds)
    again = Row("ops that run forward", str(_forward_ops(without)), str(_forward_ops(with_it)), "")
    return Result(
        "checkpoint",
        "Checkpointing: what is not kept is computed again",
        f"{SETTING}; {len(parts)} checkpoints of {LAYERS_A_PART} layers each",
        "A checkpoint keeps its input. When backward comes to it, its part runs forward a second time: a second small "
        "forward inside backward. A dotted tab is a slot that holds nothing until then: what belongs into it is "
        "computed again.",
        [*usual_rows(without, with_it), again],
        without,
        with_it,
    )


def _forward_ops(reading: Any) -> int:
    return sum(phase != "backward" for phase in reading.phases[1:])
