"""Whose code is running: the user's, torch's, or a part of torch that is not the user's doing."""

from __future__ import annotations

import os
from enum import Enum
from types import CodeType, FrameType

import torch

from autograd_lab.source import PACKAGE, is_users, not_the_users
from autograd_lab.torch_bridge.internals import APPLY, ENGINE

TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
not_the_users(TORCH)
QUIET_FILES = tuple(
    TORCH + name.replace("/", os.sep)
    for name in (
        "optim/", "nn/parameter.py", "nn/utils/", "_tensor_str.py", "serialization.py", "random.py",
        "testing/", "autograd/gradcheck.py", "_prims", "_subclasses/", "utils/data/", "multiprocessing/",
    )
)  # fmt: skip
INIT = os.path.join(TORCH, "nn", "init.py")
QUIET_FUNCTIONS = {
    "reset_parameters",
    "_reset_parameters",
    "pack_to_cpu",
    "pack_hook",
    "check_recomputed_tensors_match",
    "_checkpoint_without_reentrant_generator",
    "GradScaler.unscale_",
    "GradScaler.update",
}


class Whose(Enum):
    """Whose code a frame runs."""

    USERS = "the user's"
    TORCHS = "torch's, which does what the user asked for"
    QUIET = "torch's: printing, initialization, steps of optimizers"
    ENGINE = "torch's backward pass, from which its C++ code runs"
    OURS = "of this package"


_whose: dict[CodeType, Whose] = {ENGINE: Whose.ENGINE, APPLY: Whose.TORCHS}


def whose(code: CodeType) -> Whose:
    """Whose code it is."""
    found = _whose.get(code)
    if found is None:
        found = _whose[code] = _judged(code)
    return found


def _judged(code: CodeType) -> Whose:
    file, name = code.co_filename, code.co_name
    if is_users(file):
        return Whose.USERS
    if not file.startswith(TORCH):
        return Whose.OURS if file.startswith(PACKAGE) else Whose.TORCHS  # the latter is Python's, on the way
    building = name == "__init__" and file.startswith(os.path.join(TORCH, "nn", "modules"))
    quiet = building or {name, code.co_qualname} & QUIET_FUNCTIONS or file.startswith(QUIET_FILES)
    return Whose.QUIET if quiet else Whose.TORCHS


def is_torchs_own(frame: FrameType | None) -> bool:
    """Whether the call at `frame` is a step of an initialization: its way of doing it, not what the user asked for."""
    while frame is not None and whose(frame.f_code) is Whose.TORCHS:
        if frame.f_code.co_filename == INIT:
            return True
        frame = frame.f_back
    return False


def asks(frame: FrameType | None) -> Whose:
    """Who it is that asked for what is happening at `frame`: the first above it that is neither torch nor ours."""
    while frame is not None:
        found = whose(frame.f_code)
        if found is not Whose.TORCHS:
            return found
        frame = frame.f_back
    return Whose.USERS
