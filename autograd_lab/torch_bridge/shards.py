"""Parameters that are put together of shards while their module is called."""

from __future__ import annotations

from typing import Any

import torch

from autograd_lab.recording.modules import Modules
from autograd_lab.recording.program.source import Site
from autograd_lab.recording.values.snapshot import same
from autograd_lab.recording.writes import Writes
from autograd_lab.torch_bridge.reading.tensors import snapshot_of
from autograd_lab.torch_bridge.torch_recorder import TorchTape


class Shards:
    """Names what stands in a parameter's place, and tells when it holds something else than in the call before."""

    def __init__(self, tape: TorchTape, modules: Modules, writes: Writes) -> None:
        self._tape, self._modules, self._writes = tape, modules, writes
        self._called: list[Any] = []
        self._wholes: dict[str, Any] = {}
        self._calls = 0

    def entered(self, module: Any) -> None:
        """A module is being called."""
        self._called.append(module)
        self._calls += not self._modules.inside[1:]

    def left(self) -> None:
        """The innermost call of a module is over."""
        self._called.pop()

    def before_met(self, tensor: Any, site: Site, is_written: bool) -> None:
        """A tensor that is about to be met may be such a parameter."""
        if self._wholes and not is_written and (identity := self._tape.id(tensor)) in self._wholes:
            before, now = self._wholes[identity], self._whole(tensor)
            self._wholes[identity] = now
            if before != now if isinstance(now, int) else not same(before, now):
                self._writes.modified(tensor, "all_gather", site)

    def before_described(self, tensor: Any) -> None:
        """A tensor that is about to be told of may stand in a parameter's place."""
        if self._called and isinstance(tensor, torch.nn.Parameter):
            identity = self._tape.id(tensor)
            if identity not in self._tape.names.given and identity not in self._tape.ids.described:
                self._name_by_module(tensor, identity)

    def _name_by_module(self, parameter: Any, identity: str) -> None:
        """Name what stands in a parameter's place while its module is called after that."""
        path, _, root = self._modules.inside[-1]
        for name, part in self._called[-1]._parameters.items():
            if part is parameter:
                self._tape.names.settle(identity, ".".join(filter(None, (root, path, name))))
                self._wholes[identity] = self._whole(parameter)

    def _whole(self, parameter: Any) -> Any:
        """What a parameter holds; on other devices, which would have to be waited for, in which call it holds that."""
        return snapshot_of(parameter) if parameter.is_cpu else self._calls
