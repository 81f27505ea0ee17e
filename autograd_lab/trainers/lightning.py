"""A callback for Lightning: `Trainer(callbacks=[AutogradLab(every=100)])`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

try:
    from lightning.pytorch.callbacks import Callback
except ImportError:
    try:
        from pytorch_lightning.callbacks import Callback  # the name under which it has been there longest
    except ImportError:
        raise ImportError("this callback is for Lightning: pip install lightning") from None

from autograd_lab.trainers.folder_log import FolderLog
from autograd_lab.trainers.logbook import Logbook
from autograd_lab.trainers.watch import Watch, logbook_of


class AutogradLab(Callback):  # type: ignore[misc]  # Lightning is not typed where it is missing
    """Watches the training of a LightningModule, as `watch` does that of a loop, with the same arguments.

    An iteration is what leads to a new `global_step`, whose number it has. The folder is `to`, by default
    `autograd_lab` in the trainer's `log_dir`; besides, norms and pictures go to the trainer's loggers, if these are of
    TensorBoard or of Weights & Biases. Only the first of several processes writes.
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
        self._step = 0

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Look at the model, and hear of its passes and updates from now on."""
        if trainer.is_global_zero:
            folder = Path(self.to or Path(trainer.log_dir or trainer.default_root_dir) / "autograd_lab")
            books = [FolderLog(folder), *_logbooks(trainer)]
            self._watch = Watch(pl_module, books, self.every, self.iterations, self.norms_every)
            self._step = trainer.global_step
            self._watch.start()

    def on_train_batch_start(self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int) -> None:
        """An iteration begins, unless this batch goes on to accumulate gradients."""
        if self._watch is not None and self._watch.number != self._step + 1:
            self._watch.begin(self._step + 1)

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        """The iteration is over, if there was an update."""
        if self._watch is not None and trainer.global_step != self._step:
            self._step = trainer.global_step
            self._watch.end()

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """The training is over."""
        self._close(None)

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """An error has ended it."""
        self._close(exception)

    def _close(self, error: BaseException | None) -> None:
        if self._watch is not None:
            self._watch.close(error)
            self._watch = None


def _logbooks(trainer: Any) -> Iterator[Logbook]:
    for logger in trainer.loggers:
        try:
            yield logbook_of(logger.experiment)
        except TypeError:  # a logger of numbers alone; `norms.csv` has them
            continue
