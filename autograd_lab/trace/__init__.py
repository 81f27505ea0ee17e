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
    from autograd_lab.trace.trace import FORMAT as FORMAT
    from autograd_lab.trace.trace import Trace as Trace
    from autograd_lab.trace.trace import TraceError as TraceError
    from autograd_lab.trace.trace import whole_file as whole_file
    from autograd_lab.trace.trace import write_whole as write_whole

_ROLES = ("introduces", "mentions", "touches")
__all__ = ["FORMAT", "SHOWN_AS", "WRITERS", "Trace", "TraceError", *_ROLES, "whole_file", "write_whole"]
WRITERS: dict[str, Callable[..., None]] = {}
"""What writes a trace to a path, with options, as another file: by suffix. Views are put here by the front door."""


SHOWN_AS: dict[str, Callable[..., str | None]] = {}
"""What makes of a trace what a notebook shows, if there is anything to see: by MIME type. It is put here likewise."""


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(importlib.import_module(f"autograd_lab.trace.{'roles' if name in _ROLES else 'trace'}"), name)
    raise AttributeError(f"module 'autograd_lab.trace' has no attribute {name!r}")
