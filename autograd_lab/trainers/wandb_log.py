"""Norms, pictures and pages in Weights & Biases."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from autograd_lab.findings.finding import Finding, told
from autograd_lab.trainers.logbook import FIRST_FINDING, Logbook, Norms, Shown


class WandbLog(Logbook):
    """Adds to what a `wandb` run logs next, as `wandb.watch` does: a step of our own would make the run refuse the
    smaller steps of whoever counts them.
    """

    def __init__(self, run: Any) -> None:
        self._run = run

    def norms(self, iteration: int, loss: float | None, layers: Mapping[str, Norms]) -> None:
        numbers: dict[str, Any] = {"autograd_lab/iteration": iteration}
        for layer, of in layers.items():
            numbers[f"gradient norm/{layer}"] = of.gradient
            numbers[f"weight norm/{layer}"] = of.weight
        self._run.log(numbers, commit=False)

    def shown(self, shown: Shown) -> None:
        import wandb
        from PIL import Image

        picture = Image.open(io.BytesIO(shown.png))
        caption = "\n\n".join([shown.picture.scene.caption(shown.picture.step), *map(told, shown.findings)])
        self._run.log(
            {
                "autograd_lab/iteration": shown.iteration,
                "autograd_lab/graph": wandb.Image(picture, caption=caption),
                "autograd_lab/page": wandb.Html(shown.page, inject=False),
            },
            commit=False,
        )
        if shown.name == FIRST_FINDING:
            self.unseen(shown.iteration, shown.findings)

    def unseen(self, iteration: int, findings: Sequence[Finding]) -> None:
        said = "\n\n".join((f"Iteration {iteration:,}", *map(told, findings)))
        self._run.summary["autograd_lab/first finding"] = said
