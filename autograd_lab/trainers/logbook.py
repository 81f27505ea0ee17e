"""What a watched run is written down in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from autograd_lab.display.picture import Picture
from autograd_lab.findings.finding import Finding
from autograd_lab.trace import Trace
from autograd_lab.view.page import to_page

FIRST_FINDING = "first-finding"
"""What the iteration is called at which something was found wrong for the first time."""


@dataclass(frozen=True, slots=True)
class Norms:
    """Of a layer in an iteration: the Euclidean norm of all its gradients, and that of its weights."""

    gradient: float
    weight: float


@dataclass(frozen=True)
class Shown:
    """An iteration that was recorded: its trace, a picture of it, and what is wrong with it."""

    name: str
    iteration: int
    trace: Trace
    picture: Picture
    findings: tuple[Finding, ...]

    @cached_property
    def png(self) -> bytes:
        """The picture as PNG. Raises PngUnavailable without resvg-py."""
        return self.picture.png()

    @cached_property
    def page(self) -> str:
        """The page that plays the iteration, as HTML."""
        return to_page(self.picture.scene, f"iteration {self.iteration:,}", findings=self.findings)


class Logbook:
    """Takes down what is measured and what is shown; this one takes down nothing."""

    def norms(self, iteration: int, loss: float | None, layers: Mapping[str, Norms]) -> None:
        """The loss and the norms of an iteration, by the names of layers."""

    def shown(self, shown: Shown) -> None:
        """An iteration that was recorded."""

    def unseen(self, iteration: int, findings: Sequence[Finding]) -> None:
        """Something was wrong for the first time, and the run ended before an iteration could show it."""

    def close(self) -> None:
        """The run is over."""
