"""Whose code is running: the user's, torch's, or that of a part of torch, or of a trainer, which is not the user's."""

from __future__ import annotations

import os
from enum import Enum
from types import CodeType, FrameType

import torch

from autograd_lab.torch_bridge.internals import APPLY, ENGINE
from autograd_lab.whose import PACKAGE, is_engines, is_users, not_the_users

TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
not_the_users(TORCH)


def _below(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(folder + name.replace("/", os.sep) for name in names)


QUIET_FILES = _below(
    TORCH, "optim/", "nn/parameter.py", "nn/utils/", "_tensor_str.py", "serialization.py", "random.py",
    "testing/", "autograd/gradcheck.py", "_prims", "_subclasses/", "utils/data/", "multiprocessing/",
)  # fmt: skip
TRAINERS = (
    "lightning", "pytorch_lightning", "lightning_fabric", "lightning_utilities", "torchmetrics", "accelerate",
    "transformers/trainer.py",
)  # fmt: skip
"""Packages, and a file, that run the user's modules in loops of their own."""
for _trainer in TRAINERS:
    for _installed in ("site-packages", "dist-packages"):
        not_the_users(os.sep + os.path.join(_installed, *_trainer.split("/")) + os.sep * (not _trainer.endswith(".py")))
RUNNING_FILES = _below(TORCH, "nn/parallel/", "distributed/")
LAYERS = os.path.join(TORCH, "nn", "modules")
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
    LAYERS = "a layer's of torch's, which is being called"
    QUIET = "torch's: printing, initialization, steps of optimizers"
    RUNNERS = "of what runs the user's modules: DistributedDataParallel, a trainer"
    ENGINE = "torch's backward pass, from which its C++ code runs"
    OURS = "of this package"


_whose = {id(ENGINE): (Whose.ENGINE, ENGINE), id(APPLY): (Whose.TORCHS, APPLY)}
"""By the ids of codes, which are kept so that they stay theirs: to hash a code takes longer than most ops."""


def whose(code: CodeType) -> Whose:
    """Whose code it is."""
    found = _whose.get(id(code))
    if found is None:
        found = _whose[id(code)] = _owner(code), code
    return found[0]


def _owner(code: CodeType) -> Whose:
    file, name = code.co_filename, code.co_name
    if is_users(file):
        return Whose.USERS
    if not file.startswith(TORCH):
        if file.startswith(PACKAGE):
            return Whose.OURS
        return Whose.RUNNERS if is_engines(file) else Whose.TORCHS  # the latter is Python's, on the way
    if file.startswith(RUNNING_FILES):
        return Whose.RUNNERS
    in_layer = file.startswith(LAYERS)
    quiet = {name, code.co_qualname} & QUIET_FUNCTIONS or file.startswith(QUIET_FILES)
    if quiet or (in_layer and name == "__init__"):
        return Whose.QUIET
    return Whose.LAYERS if in_layer and name == "forward" else Whose.TORCHS


def is_torchs_own(frame: FrameType | None) -> bool:
    """Whether the call at `frame` is a step of an initialization: its way of doing it, not what the user asked for."""
    while frame is not None and whose(frame.f_code) is Whose.TORCHS:
        if frame.f_code.co_filename == INIT:
            return True
        frame = frame.f_back
    return False


def asks(frame: FrameType | None) -> Whose:
    """Who it is that asked for what is happening at `frame`: the first above it that is not torch's on the way.

    Where a layer runs, it is whoever made the model, not what runs the model.
    """
    in_layer = False
    while frame is not None:
        found = whose(frame.f_code)
        if found is Whose.LAYERS:
            in_layer = True
        elif found is not Whose.TORCHS and not (in_layer and (found is Whose.QUIET or found is Whose.RUNNERS)):
            return found
        frame = frame.f_back
    return Whose.ENGINE  # no program leads to the engine's threads, in which nodes on other devices run
