"""What goes on around ops: calls of modules, steps of optimizers, the end of the recording."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from autograd_lab.recorder import Recorder
from autograd_lab.torch_bridge.calls import Watcher
from autograd_lab.torch_bridge.tensors import version_of


def _looking(method: Callable[..., None]) -> Callable[..., None]:
    """Let a hook look without being seen, once what has run before is told of; a look never gives an error."""

    @functools.wraps(method)
    def look(self: Stages, *args: Any) -> None:
        if not self.busy:
            with self.look:
                self.settle()
                method(self, *args)

    return look


class Stages(Watcher):
    """All that is watched of torch."""

    def __init__(self, beside: Recorder) -> None:
        super().__init__(beside)
        self._versions: list[tuple[Any, int]] = []

    def finish(self) -> None:
        """Tell what is left to tell, and take off what lies on the user's nodes."""
        with self.look:
            self.settle()
            self.close()
            if self._census.described:
                both = "autograd_lab, " if self._beside._census.described else ""
                self.trace.engine = f"{both}torch {str(torch.__version__).partition('+')[0]}"
        self.busy = True

    # --- modules and optimizers --------------------------------------------------------------------------------------

    @_looking
    def entering(self, module: Any, _: Any) -> None:
        self.module_entered(module)

    @_looking
    def leaving(self, module: Any, *_: Any) -> None:
        self.module_left(module)

    @_looking
    def registered(self, module: Any, name: str, part: Any) -> None:
        if isinstance(part, torch.Tensor) and not self._census.knows(part) and not self.parameter_found(part):
            self.part_created(part)

    @_looking
    def stepping(self, optimizer: Any, *_: Any) -> None:
        self.optimizer_entered(optimizer)
        parameters = [one for group in optimizer.param_groups for one in group["params"]]
        self._versions = [(one, version_of(one)) for one in parameters]
        self._last_writes.clear()
        self._steps_now = True

    @_looking
    def stepped(self, optimizer: Any, *_: Any) -> None:
        versions, self._versions, self._steps_now = self._versions, [], False
        for parameter, before in versions:
            if version_of(parameter) != before:
                self.tensor_modified(parameter, self._last_writes.get(id(parameter), "step"))
        self.optimizer_left(optimizer)
