"""Offloading: what ops save goes to a slower memory, here a file, and comes back one by one in backward."""

from __future__ import annotations

from typing import Any

from autograd_lab.autograd.graph import save_on_cpu
from autograd_lab.memory.technique import SETTING, Result, Row, Step, compared, usual_rows
from autograd_lab.view.kit.numeral import bytes_text


def run(rounds: int) -> Result:
    """The step with all that is saved in a temporary file."""
    step = Step()

    def loss() -> Any:
        with save_on_cpu():
            return step.plain()

    without, with_it = compared(step.plain, loss, rounds)
    on_disk = sum(one.nbytes for one in with_it.kept if one.elsewhere)
    return Result(
        "offload",
        "Offloading: what is kept lies elsewhere",
        f"{SETTING}; saved_tensors_hooks write to a file",
        "Each saved value is written by itself, weights too: what two ops save is there twice. Here the slow memory "
        "is a file; with a GPU it is the memory of the CPU. A dotted tab is a slot that holds nothing: its value is "
        "in the file.",
        [*usual_rows(without, with_it), Row("in the file", "0 B", bytes_text(on_disk))],
        without,
        with_it,
    )
