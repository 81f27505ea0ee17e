"""A trace: the ordered list of facts, which is also the file. `trace.py` has it, and is imported when it is asked for.

`import autograd_lab` loads this file alone, since PyTorch's function `trace` then takes its name in the front door.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograd_lab.trace.roles import introduces as introduces
    from autograd_lab.trace.roles import mentions as mentions
    from autograd_lab.trace.roles import touches as touches
    from autograd_lab.trace.trace import Trace as Trace
    from autograd_lab.trace.trace_file import FORMAT as FORMAT
    from autograd_lab.trace.trace_file import TraceError as TraceError
    from autograd_lab.trace.trace_file import is_trace as is_trace
    from autograd_lab.trace.whole import whole_file as whole_file
    from autograd_lab.trace.whole import write_whole as write_whole

_FILES = {
    **dict.fromkeys(("introduces", "mentions", "touches"), "roles"),
    **dict.fromkeys(("FORMAT", "TraceError", "is_trace"), "trace_file"),
    **dict.fromkeys(("whole_file", "write_whole"), "whole"),
    "Trace": "trace",
}
__all__ = ["SHOWN_AS", "WRITERS", *_FILES]
WRITERS: dict[str, Callable[..., None]] = {}
"""What writes a trace to a path, with options, as another file: by suffix. Views are put here by the front door."""


SHOWN_AS: dict[str, Callable[..., str | None]] = {}
"""What makes of a trace what a notebook shows, if there is anything to see: by MIME type. It is put here likewise."""


def __getattr__(name: str) -> Any:
    if name in _FILES:
        return getattr(importlib.import_module(f"autograd_lab.trace.{_FILES[name]}"), name)
    raise AttributeError(f"module 'autograd_lab.trace' has no attribute {name!r}")
