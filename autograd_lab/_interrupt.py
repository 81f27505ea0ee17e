"""Ctrl-C while the command is still being imported: one line, and no traceback. Imported before all else."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import PurePath
from types import TracebackType


def is_the_command() -> bool:
    """Whether this process is `autograd-lab`, or `python -m autograd_lab`, and no program that imports the package."""
    is_script = PurePath(sys.argv[0] if sys.argv else "").stem == "autograd-lab"
    return is_script or ("-m", "autograd_lab") in pairwise(getattr(sys, "orig_argv", []))


def stopped(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What is said of an error that nobody caught."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    elif sys.stderr is not None:
        print("stopped", file=sys.stderr)


if is_the_command():
    sys.excepthook = stopped
