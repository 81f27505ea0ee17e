"""PyTorch's databases, read when they are first wanted: that takes seconds, and most who run tests want none.

To import them forbids flags of `torch.backends` to be set for good, which other tests do.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

import torch


@cache
def database(file: str, name: str) -> list[Any]:
    """A database of PyTorch's: `common_FILE.NAME`."""
    module = import_module(f"torch.testing._internal.common_{file}")
    torch.backends.flags_frozen.__globals__["__allow_nonbracketed_mutation_flag"] = True
    return list(getattr(module, name))
