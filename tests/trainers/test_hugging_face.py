"""The callback in the real Trainer of Hugging Face."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: pip install transformers")
pytest.importorskip("accelerate", reason="accelerate is not installed: pip install accelerate")

from autograd_lab.trainers.hugging_face import AutogradLab  # noqa: E402
from tests.trainers.test_watch import names, rows  # noqa: E402


class Fit(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = torch.nn.Linear(3, 4), torch.nn.Linear(4, 1)

    def forward(self, x: Any) -> Any:
        return {"loss": self.last(torch.relu(self.first(x))).square().mean()}


@pytest.mark.filterwarnings("ignore")
def test_iterations_are_global_steps(tmp_path: Path) -> None:
    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path), per_device_train_batch_size=2, gradient_accumulation_steps=2, num_train_epochs=1,
        report_to=[], use_cpu=True, save_strategy="no", disable_tqdm=True, remove_unused_columns=False,
    )  # fmt: skip
    data = [{"x": torch.randn(3)} for _ in range(16)]
    callback = AutogradLab(every=3, norms_every=1)
    transformers.Trainer(model=Fit(), args=arguments, train_dataset=data, callbacks=[callback]).train()
    folder = tmp_path / "autograd_lab"
    shown = {f"iteration-{n}.{kind}" for n in (1, 3) for kind in ("html", "png")}
    assert names(folder) == shown | {"norms.csv"}
    assert [row["iteration"] for row in rows(folder)][::2] == ["1", "2", "3", "4"]
    assert {row["layer"] for row in rows(folder)} == {"first", "last"}
