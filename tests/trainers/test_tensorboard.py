"""What the real TensorBoard reads of a watched run."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograd_lab.trainers.watch import watch
from tests.trainers.training import model_of, train

torch = pytest.importorskip("torch")
pytest.importorskip("tensorboard", reason="TensorBoard is not installed: pip install 'autograd-lab[trainers]'")


def test_norms_are_scalars_recorded_iterations_images_and_findings_are_told_once(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    model = model_of(torch)
    with SummaryWriter(str(tmp_path)) as writer, watch(model, every=2, to=tmp_path / "pages", log=[writer]):
        train(torch, model, 4, lambda turn, loss: (loss * 0).log() if turn == 4 else loss)
    found = EventAccumulator(str(tmp_path))
    found.Reload()
    assert set(found.Tags()["scalars"]) == {f"{kind} norm/{n}" for kind in ("gradient", "weight") for n in (0, 2)}
    assert [image.step for image in found.Images("autograd graph")] == [1, 2, 4]
    assert found.Images("autograd graph")[0].width > 1000
    assert [image.step for image in found.Images("first finding")] == [4]
    assert [text.step for text in found.Tensors("findings/text_summary")] == [4]
