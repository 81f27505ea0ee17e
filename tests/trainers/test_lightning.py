"""The callback in the real Lightning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
lightning = pytest.importorskip("lightning.pytorch", reason="Lightning is not installed: pip install lightning")

from autograd_lab.trainers.lightning import AutogradLab  # noqa: E402
from tests.trainers.test_watch import names, rows  # noqa: E402


class Fit(lightning.LightningModule):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)

    def training_step(self, batch: Any, batch_idx: int) -> Any:
        return self.last(torch.relu(self.first(batch[0]))).square().mean()

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), lr=0.01)


class InTurns(Fit):
    """Two optimizers, each of which counts in the `global_step`."""

    def __init__(self) -> None:
        super().__init__()
        self.automatic_optimization = False

    def training_step(self, batch: Any, batch_idx: int) -> None:
        for optimizer in self.optimizers():
            optimizer.zero_grad()
            self.manual_backward(super().training_step(batch, batch_idx))
            optimizer.step()

    def configure_optimizers(self) -> Any:
        return [torch.optim.SGD(each.parameters(), lr=0.01) for each in (self.first, self.last)]


@pytest.mark.filterwarnings("ignore")
def test_of_several_optimizers_an_iteration_is_recorded_in_which_a_wanted_step_is(tmp_path: Path) -> None:
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(10, 3)), batch_size=2)
    lightning.Trainer(
        max_epochs=1, accelerator="cpu", logger=False, callbacks=[AutogradLab(every=4, to=tmp_path / "seen")],
        enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, default_root_dir=tmp_path,
    ).fit(InTurns(), data)  # fmt: skip
    shown = {f"iteration-{n}.{kind}" for n in (1, 5, 9) for kind in ("html", "png")}
    assert names(tmp_path / "seen") == shown | {"norms.csv"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("accumulated", [1, 2])
def test_iterations_are_global_steps_and_layers_have_the_names_of_the_module(tmp_path: Path, accumulated: int) -> None:
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(16, 3)), batch_size=2)
    callback = AutogradLab(every=3, norms_every=1, to=tmp_path / "seen")
    lightning.Trainer(
        max_epochs=1, accelerator="cpu", logger=False, callbacks=[callback], enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, accumulate_grad_batches=accumulated,
        default_root_dir=tmp_path,
    ).fit(Fit(), data)  # fmt: skip
    updates = 8 // accumulated
    shown = {f"iteration-{n}.{kind}" for n in (1, *range(3, updates + 1, 3)) for kind in ("html", "png")}
    assert names(tmp_path / "seen") == shown | {"norms.csv"}
    assert [row["iteration"] for row in rows(tmp_path / "seen")][::2] == [str(n + 1) for n in range(updates)]
    assert {row["layer"] for row in rows(tmp_path / "seen")} == {"first", "last"}
