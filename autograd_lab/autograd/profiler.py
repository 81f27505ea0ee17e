"""`torch.profiler`, as far as programs name parts of themselves with it: how often each ran, and for how long.

Single ops are not measured: the engine is Python, and its times say nothing of PyTorch's.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from enum import Enum
from typing import Any

__all__ = ["ProfilerAction", "ProfilerActivity", "profile", "record_function", "schedule"]

NOTE = "Single ops are not measured here: this engine's times say nothing of PyTorch's."

_running: list[profile] = []


def kineto_available() -> bool:
    """False: what measures single ops is not here."""
    return False


class ProfilerActivity(Enum):
    """What is to be measured."""

    CPU, CUDA = 0, 2


class ProfilerAction(Enum):
    """What is done at a step of a schedule."""

    NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)


class FunctionEventAvg:
    """A part of a program: how often it ran, and for how many microseconds."""

    def __init__(self, key: str) -> None:
        self.key, self.count, self.cpu_time_total = key, 0, 0.0

    def __repr__(self) -> str:
        return f"<FunctionEventAvg key={self.key} count={self.count} cpu_time={self.cpu_time_total:.3f}us>"


class EventList(list[FunctionEventAvg]):
    """The parts of a program that have names."""

    def table(self, *args: Any, **named: Any) -> str:
        """All of them, a line each, the longest first."""
        rows = sorted(self, key=lambda one: -one.cpu_time_total)
        lines = [f"{one.key:<40}  {one.cpu_time_total:>14.3f}us  {one.count:>10}" for one in rows]
        return "\n".join([f"{'Name':<40}  {'CPU total':>16}  {'# of Calls':>10}", *lines, NOTE])


class emit_nvtx:
    """Marks for a profiler of a GPU. Always an error: there is no GPU here."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled

    def __enter__(self) -> emit_nvtx:
        if self.enabled:
            raise AssertionError("Torch not compiled with CUDA enabled")
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was marked."""


class profile:
    """A region whose named parts are measured. All that says how to measure is accepted."""

    def __init__(self, *args: Any, on_trace_ready: Callable[[Any], Any] | None = None, **named: Any) -> None:
        self.on_trace_ready = on_trace_ready
        self._parts: dict[str, FunctionEventAvg] = {}

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin to measure."""
        _running.append(self)

    def stop(self) -> None:
        """Measure no longer."""
        _running.remove(self)
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def step(self) -> None:
        """Another turn of a loop begins."""

    def key_averages(self, *args: Any, **named: Any) -> EventList:
        """The named parts that ran."""
        return EventList(self._parts.values())

    function_events = property(key_averages)

    def export_chrome_trace(self, path: str) -> None:
        """Always an error: there is no trace of single ops."""
        raise NotImplementedError(f"{NOTE} A trace that can be looked at is made by `autograd_lab.record`.")

    def __str__(self) -> str:
        return self.key_averages().table()


class record_function:
    """A part of a program that has a name; also a decorator."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name

    def __enter__(self) -> record_function:
        self._began = time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        spent = (time.process_time() - self._began) * 1e6
        for one in _running:
            part = one._parts.setdefault(self.name, FunctionEventAvg(self.name))
            part.count, part.cpu_time_total = part.count + 1, part.cpu_time_total + spent

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def named(*args: Any, **kwargs: Any) -> Any:
            with record_function(self.name):
                return function(*args, **kwargs)

        return named


def schedule(**steps: int) -> Callable[[int], ProfilerAction]:
    """Which steps are measured: all of them here."""
    return lambda step: ProfilerAction.RECORD


def _writes_nothing(dir_name: str, *args: Any, **named: Any) -> Callable[[Any], None]:
    """What would write a trace of single ops, and does nothing here."""
    return lambda prof: None


globals()["tensorboard_trace_handler"] = _writes_nothing  # PyTorch's name, and none of ours
