"""A folder with a page and a picture of each iteration that was recorded, and a table of norms."""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

from autograd_lab.findings.finding import Finding, told
from autograd_lab.trace import write_whole
from autograd_lab.trainers.logbook import FIRST_FINDING, Logbook, Norms, Shown

HEAD = ("iteration", "loss", "layer", "gradient", "weight")
"""The columns of `norms.csv`: a line for each layer and measured iteration."""


class FolderLog(Logbook):
    """Writes `iteration-100.html` and `.png`, `first-finding.html`, `.png` and `.txt`, and `norms.csv` into a folder,
    which is made if it is not there. What a run before has left there is written over.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self._file: TextIO | None = None
        self._flushed = 0.0

    def norms(self, iteration: int, loss: float | None, layers: Mapping[str, Norms]) -> None:
        if self._file is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = (self.folder / "norms.csv").open("w", encoding="utf-8", newline="")
            csv.writer(self._file).writerow(HEAD)
        rows = (
            (iteration, "" if loss is None else loss, layer, of.gradient, of.weight) for layer, of in layers.items()
        )
        csv.writer(self._file).writerows(rows)
        if time.monotonic() > self._flushed + 1:  # a run may be killed, and is looked at while it goes on
            self._file.flush()
            self._flushed = time.monotonic()

    def shown(self, shown: Shown) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / f"{shown.name}.html", shown.page.encode("utf-8", "replace"))
        write_whole(self.folder / f"{shown.name}.png", shown.png)
        if shown.name == FIRST_FINDING:
            self.unseen(shown.iteration, shown.findings)

    def unseen(self, iteration: int, findings: Sequence[Finding]) -> None:
        text = "\n\n".join((f"Iteration {iteration:,}", *map(told, findings)))
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / f"{FIRST_FINDING}.txt", f"{text}\n".encode("utf-8", "replace"))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
