"""A callback for the Trainer of Hugging Face: `Trainer(..., callbacks=[AutogradLab(every=100)])`."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

try:
    from transformers import TrainerCallback
except ImportError:
    raise ImportError("this callback is for Hugging Face: pip install transformers accelerate") from None

from autograd_lab.trainers.folder_log import FolderLog
from autograd_lab.trainers.logbook import Logbook
from autograd_lab.trainers.watch import Watch, logbook_of


class AutogradLab(TrainerCallback):  # type: ignore[misc]  # nor is this where it is missing
    """Watches the training of a model, as `watch` does that of a loop, with the same arguments.

    An iteration is what leads to a new `global_step`, whose number it has. The folder is `to`, by default
    `autograd_lab` in the `output_dir`; besides, norms and pictures go to TensorBoard and Weights & Biases, if
    `report_to` names them. Only the first of several processes writes.
    """

    def __init__(
        self,
        every: int = 100,
        to: str | os.PathLike[str] | None = None,
        *,
        iterations: Collection[int] = (1,),
        norms_every: int | None = None,
    ) -> None:
        self.every, self.to, self.iterations, self.norms_every = every, to, iterations, norms_every
        self._watch: Watch | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Look at the model, and hear of its passes and updates from now on."""
        if state.is_world_process_zero:
            folder = Path(self.to or Path(args.output_dir) / "autograd_lab")
            books = [FolderLog(folder), *_logbooks(args, folder)]
            self._watch = Watch(more["model"], books, self.every, self.iterations, self.norms_every)
            self._watch.start()

    def on_step_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """An iteration begins; several batches may follow, whose gradients are accumulated."""
        if self._watch is not None:
            self._watch.begin(state.global_step + 1)

    def on_optimizer_step(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """There was an update; gradients are not cleared yet."""
        if self._watch is not None:
            self._watch.end()

    def on_train_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """The training is over."""
        if self._watch is not None:
            self._watch.close()
            self._watch = None


def _logbooks(args: Any, folder: Path) -> Iterator[Logbook]:
    if "tensorboard" in args.report_to:
        from torch.utils.tensorboard import SummaryWriter

        yield logbook_of(SummaryWriter(str(folder)))
    wandb = sys.modules.get("wandb") if "wandb" in args.report_to else None
    if wandb is not None and wandb.run is not None:
        yield logbook_of(wandb.run)
