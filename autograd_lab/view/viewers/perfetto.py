"""A recording for Perfetto: passes, modules, operations and bytes over time, where a microsecond is a step."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograd_lab import events as e
from autograd_lab.trace import Trace, write_whole
from autograd_lab.view.charts.strip import bytes_kept

PASSES, MODULES, OPERATIONS = 1, 2, 3
ROWS = {PASSES: "passes", MODULES: "modules", OPERATIONS: "operations"}
Entry = dict[str, Any]


def to_perfetto(trace: Trace) -> str:
    """The trace in the JSON of Chrome's trace events."""
    about = {"steps": "a microsecond is a step of the recording, not time", "engine": trace.engine}
    entries = [*_named(), *_Spans(trace).all(), *_bytes(trace)]
    return json.dumps({"traceEvents": entries, "displayTimeUnit": "ns", "otherData": about}, ensure_ascii=False)


def save_perfetto(trace: Trace, path: Path) -> None:
    """Write it. Raises OSError."""
    write_whole(path, to_perfetto(trace).encode("utf-8", "replace"))


def _named() -> Iterator[Entry]:
    yield {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "autograd_lab"}}
    for row, name in ROWS.items():
        yield {"ph": "M", "pid": 1, "tid": row, "name": "thread_name", "args": {"name": name}}
        yield {"ph": "M", "pid": 1, "tid": row, "name": "thread_sort_index", "args": {"sort_index": row}}


def _bytes(trace: Trace) -> Iterator[Entry]:
    before = None
    for step, nbytes in enumerate(bytes_kept(trace)):
        if nbytes != before:
            yield {"ph": "C", "pid": 1, "ts": step, "name": "bytes kept for backward", "args": {"bytes": nbytes}}
        before = nbytes


class _Spans:
    """What lasts from one step to another; what is still open in the end lasts until then."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._open: dict[int, list[Entry]] = {row: [] for row in ROWS}
        self._done: list[Entry] = []
        self._names: dict[str, str] = {}
        self._passes = 0

    def all(self) -> list[Entry]:
        for step, event in enumerate(self._trace):
            self._see(step, event)
        for row in ROWS:
            while self._open[row]:
                self._end(row, len(self._trace))
        return sorted(self._done, key=lambda each: (each["tid"], each["ts"], -each["dur"]))

    def _see(self, step: int, event: e.Event) -> None:
        match event:
            case e.BackwardStarted():
                self._passes += 1
                self._begin(PASSES, step, f"backward {self._passes}", event)
            case e.BackwardFinished():
                self._end(PASSES, step + 1)
            case e.OptimizerEntered(type=kind):
                self._begin(PASSES, step, f"{kind}.step", event)
            case e.OptimizerLeft():
                self._end(PASSES, step + 1)
            case e.ModuleEntered(module=path, type=kind):
                self._begin(MODULES, step, f"{path} ({kind})" if path else kind, event)
            case e.ModuleLeft():
                self._end(MODULES, step + 1)
            case e.OpApplied(node=node, name=name, outputs=outputs):
                self._names[node or ""] = name
                self._begin(OPERATIONS, step, name, event, shapes=[list(each.shape) for each in outputs])
                self._end(OPERATIONS, step + 1)
            case e.NodeVisited(node=node):
                self._begin(OPERATIONS, step, self._names.get(node, node), event, node=node)
            case e.NodeEvaluated():
                self._end(OPERATIONS, step + 1)

    def _begin(self, row: int, step: int, name: str, event: e.Event, **more: Any) -> None:
        line = {} if event.where is None else {"line": str(event.where), "text": event.where.text}
        self._open[row].append(
            {"ph": "X", "pid": 1, "tid": row, "ts": step, "name": name, "cat": ROWS[row], "args": line | more}
        )

    def _end(self, row: int, step: int) -> None:
        if self._open[row]:
            entry = self._open[row].pop()
            self._done.append(entry | {"dur": step - entry["ts"]})
