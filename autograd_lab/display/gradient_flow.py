"""`gradient_flow(trace)`: how large the gradient of each parameter was, iteration by iteration."""

from __future__ import annotations

import os
from pathlib import Path

from autograd_lab.display.picture import Drawing
from autograd_lab.display.target import PICTURES, file_target, writing
from autograd_lab.trace import Trace, write_whole
from autograd_lab.trace.flow_table import Flow, flow_of
from autograd_lab.view.charts.flow_slide import flow_slide
from autograd_lab.view.charts.flow_words import in_words
from autograd_lab.view.picture_file import picture_file

SUFFIXES = (*PICTURES, ".csv", ".json")


class GradientFlow(Drawing):
    """A picture of gradient flow, which notebooks show; `flow` has the numbers."""

    def __init__(self, flow: Flow, theme: str = "light") -> None:
        super().__init__(in_words(flow)[0], flow_slide(flow, theme))
        self.flow = flow

    def save(self, path: str | os.PathLike[str], scale: float = 2.0) -> Path:
        """Write it, by suffix: .png (`scale` pixels to a px), .svg or .pdf, or the numbers as .csv or .json.

        Raises ValueError for another suffix, OSError where nothing can be written, PdfUnavailable and PngUnavailable
        where the package for it is missing.
        """
        target = file_target(Path(path), SUFFIXES)
        with writing(target):
            write_whole(target, self._file(target.suffix.lower(), scale))
        return target

    def _file(self, suffix: str, scale: float) -> bytes:
        if suffix in PICTURES:
            return picture_file(self.svg, suffix, scale)
        return (self.flow.to_csv() if suffix == ".csv" else self.flow.to_json()).encode("utf-8", "replace")


def gradient_flow(trace: Trace, theme: str = "light") -> GradientFlow:
    """How gradients flowed in a recorded run: a row for each parameter, a column for each iteration.

    It shows the norm of each gradient, the share of zeros in it, and by how much of its own norm each update changed
    the weight (a change of 0.001 is usual). `record(iterations="last")` measures up to 200 iterations of a run of any
    length, at an equal distance, without recording them; of a run that was recorded as a whole its events tell.
    `theme` is "light", "dark" or "grey"; ValueError is raised for another.

    >>> import autograd_lab as torch
    >>> w = torch.tensor([3.0, 4.0], requires_grad=True)
    >>> with torch.record() as trace:
    ...     for _ in range(2):
    ...         optimizer = torch.optim.SGD([w], lr=0.1)
    ...         optimizer.zero_grad()
    ...         (w * w).sum().backward()
    ...         optimizer.step()
    >>> torch.gradient_flow(trace)
    <Drawing: w's gradient is 8 in the end>
    """
    return GradientFlow(flow_of(trace), theme)
