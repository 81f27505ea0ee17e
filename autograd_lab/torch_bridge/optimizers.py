"""Steps of torch's optimizers: what they write to is told as a whole."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from autograd_lab.recording.modules import Modules
from autograd_lab.recording.writes import Writes
from autograd_lab.torch_bridge import optimizer_steps
from autograd_lab.torch_bridge.guard import Guard
from autograd_lab.torch_bridge.ops.quiet_writes import QuietWrites
from autograd_lab.torch_bridge.reading.tensors import version_of


class OptimizerSteps:
    """Compares the versions of parameters before a step and after."""

    def __init__(self, guard: Guard, modules: Modules, writes: Writes, quiet: QuietWrites) -> None:
        self._guard, self._modules, self._writes, self._quiet = guard, modules, writes, quiet
        self._versions: list[tuple[Any, int]] = []

    def heard(self) -> AbstractContextManager[None]:
        """Hear of steps, until the end of the recording."""
        return optimizer_steps.heard_by(self._guard.looking(self._begins), self._guard.looking(self._ends))

    def _begins(self, optimizer: Any) -> None:
        self._modules.optimizer_entered(optimizer)
        parameters = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        self._versions = [(parameter, version_of(parameter)) for parameter in parameters]
        self._quiet.last.clear()
        self._quiet.in_step = True

    def _ends(self, optimizer: Any) -> None:
        self.tell()
        self._versions, self._quiet.in_step = [], False
        self._modules.optimizer_left(optimizer)

    def tell(self) -> None:
        """Tell which parameters a step has written to, so far: a closure of the user's may run in the middle."""
        for at, (parameter, before) in enumerate(self._versions):
            if (now := version_of(parameter)) != before:
                self._versions[at] = parameter, now
                self._writes.tensor_modified(parameter, self._quiet.last.get(id(parameter), "step"))
