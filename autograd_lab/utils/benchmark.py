"""`torch.utils.benchmark`, as far as programs time a statement with it."""

from __future__ import annotations

import statistics
import timeit
from typing import Any


class Measurement:
    """How long a statement took, in seconds a run: one number for each time that it was measured."""

    def __init__(self, times: list[float], number_per_run: int, stmt: str, label: str | None) -> None:
        self.times, self.number_per_run, self.stmt, self.label = times, number_per_run, stmt, label

    @property
    def mean(self) -> float:
        """The mean of all times."""
        return statistics.fmean(self.times)

    @property
    def median(self) -> float:
        """The median of all times."""
        return statistics.median(self.times)

    @property
    def raw_times(self) -> list[float]:
        """The times of whole runs."""
        return [time * self.number_per_run for time in self.times]

    def __repr__(self) -> str:
        unit, factor = next(
            ((unit, factor) for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)) if self.median * factor >= 1),
            ("ns", 1e9),
        )
        runs = f"  {len(self.times)} measurement{'s' * (len(self.times) > 1)}, {self.number_per_run} runs , 1 thread"
        title = self.label or self.stmt
        head = f"<torch.utils.benchmark.utils.common.Measurement object at {id(self):#x}>"
        return f"{head}\n{title}\n  {self.median * factor:.2f} {unit}\n{runs}"


class Timer:
    """Times a statement, with Python's own `timeit`."""

    def __init__(
        self, stmt: str = "pass", setup: str = "pass", global_setup: str = "", timer: Any = timeit.default_timer,
        globals: dict[str, Any] | None = None, label: str | None = None, sub_label: str | None = None,
        description: str | None = None, env: str | None = None, num_threads: int = 1, language: Any = None,
    ) -> None:  # fmt: skip
        self._timer = timeit.Timer(stmt, setup, timer, globals)
        self._stmt, self._label = stmt, label

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """One measurement of so many runs."""
        return Measurement([self._timer.timeit(number) / number], number, self._stmt, self._label)

    def blocked_autorange(self, callback: Any = None, min_run_time: float = 0.2) -> Measurement:
        """Measurements of as many runs each as take a hundredth of `min_run_time`, for that long."""
        number = 1
        while (spent := self._timer.timeit(number)) < min_run_time / 100:
            number *= 10
        count = max(1, int(min_run_time / max(spent, 1e-9)))
        times = [one / number for one in self._timer.repeat(min(count, 1000), number)]
        return Measurement(times, number, self._stmt, self._label)
