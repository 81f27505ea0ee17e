"""Norms as scalars and recorded iterations as images, in TensorBoard."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from autograd_lab.findings.finding import Finding, told
from autograd_lab.trainers.logbook import FIRST_FINDING, Logbook, Norms, Shown


class TensorBoardLog(Logbook):
    """Writes to a `torch.utils.tensorboard.SummaryWriter`, which its owner closes."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def norms(self, iteration: int, loss: float | None, layers: Mapping[str, Norms]) -> None:
        for layer, of in layers.items():
            self._writer.add_scalar(f"gradient norm/{layer}", of.gradient, iteration)
            self._writer.add_scalar(f"weight norm/{layer}", of.weight, iteration)

    def shown(self, shown: Shown) -> None:
        import numpy as np
        from PIL import Image  # TensorBoard itself needs it

        pixels = np.asarray(Image.open(io.BytesIO(shown.png)).convert("RGB"))
        is_first_finding = shown.name == FIRST_FINDING
        tag = "first finding" if is_first_finding else "autograd graph"
        self._writer.add_image(tag, pixels, shown.iteration, dataformats="HWC")
        if shown.findings and not is_first_finding:  # which is one of the iterations, and was told
            self.unseen(shown.iteration, shown.findings)

    def unseen(self, iteration: int, findings: Sequence[Finding]) -> None:
        said = "\n\n".join(f"```\n{told(each)}\n```" for each in findings)
        self._writer.add_text("findings", said, iteration)

    def close(self) -> None:
        self._writer.flush()
