"""Checkpoints: what they accept, and what they refuse, as in PyTorch."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import autograd_lab
from tests.worlds import said

torch = pytest.importorskip("torch")

CALLED = """
C.checkpoint(m.sin, x, use_reentrant=False, determinism_check="all")
C.checkpoint(m.sin, x, use_reentrant=False, determinism_check="none")
C.checkpoint(m.sin, x, use_reentrant=False, context_fn=C.noop_context_fn, debug=True).sum()
C.checkpoint(m.sin, x, use_reentrant=False, context_fn=contexts, debug=True)
C.checkpoint(m.sin, x, use_reentrant=False, context_fn=contexts)
C.checkpoint(m.sin, x, use_reentrant=True, context_fn=contexts)
C.checkpoint(m.sin, x, use_reentrant=True, context_fn=C.noop_context_fn)
C.check_backward_validity([x])
C.check_backward_validity([x.detach(), 3])
"""


@pytest.mark.parametrize("text", CALLED.strip().splitlines())
@pytest.mark.parametrize("recorded", [True, False])
def test_options_are_accepted_and_refused_as_in_pytorch(text: str, recorded: bool) -> None:
    def story(m: Any) -> Any:
        checkpoints = m.utils.checkpoint

        def contexts() -> Any:
            return checkpoints.noop_context_fn()

        names = {"m": m, "C": checkpoints, "x": m.tensor([0.5, 1.0], requires_grad=True), "contexts": contexts}
        with m.set_grad_enabled(recorded):
            return eval(text, names)

    assert said(autograd_lab, story) == said(torch, story)


@pytest.mark.parametrize("wanted", [True, None])
def test_debugging_everywhere_counts_for_each_checkpoint(wanted: bool | None) -> None:
    def story(m: Any) -> Any:
        checkpoints, x = m.utils.checkpoint, m.ones(2, requires_grad=True)
        with checkpoints.set_checkpoint_debug_enabled(wanted):
            return checkpoints.checkpoint(
                m.sin, x, use_reentrant=False, context_fn=lambda: checkpoints.noop_context_fn()
            )

    assert said(autograd_lab, story) == said(torch, story)


def test_a_checkpoint_that_keeps_some_results_may_be_imported_and_says_that_all_are_computed_again() -> None:
    checkpoint = importlib.import_module("autograd_lab.utils.checkpoint")
    assert isinstance(checkpoint.SelectiveCheckpointContext, type)
    with pytest.raises(NotImplementedError, match="computes all its results again"):
        checkpoint.create_selective_checkpoint_contexts(lambda ctx, op, *args: checkpoint.CheckpointPolicy.MUST_SAVE)
