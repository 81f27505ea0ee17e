"""Calls of torch's modules, by its global hooks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.modules import module as modules

from autograd_lab.recording.modules import Modules
from autograd_lab.recording.new_parts import NewParts
from autograd_lab.torch_bridge.grad_mode import GradMode
from autograd_lab.torch_bridge.guard import Guard
from autograd_lab.torch_bridge.modes import Functions
from autograd_lab.torch_bridge.ops.new_parameters import NewParameters
from autograd_lab.torch_bridge.reading.torch_ids import TorchIds
from autograd_lab.torch_bridge.shards import Shards
from autograd_lab.torch_bridge.stack import Whose, asks

SHORT_CUTS = (torch.nn.TransformerEncoder, torch.nn.TransformerEncoderLayer, torch.nn.MultiheadAttention)
"""Modules that in eval mode take a short cut with other roundings, but not while a function mode is on."""


def _unheard(*_: Any) -> None:
    """In the place of what hears of modules, once the recording is over."""


class ModuleCalls:
    """Hears when modules are called and when they are given parameters and buffers."""

    def __init__(
        self, ids: TorchIds, guard: Guard, functions: Functions, grad_mode: GradMode, told: Modules,
        new_parts: NewParts, parameters: NewParameters, shards: Shards,
    ) -> None:  # fmt: skip
        self._ids, self._guard, self._functions, self._grad_mode = ids, guard, functions, grad_mode
        self._modules, self._new_parts, self._parameters, self._shards = told, new_parts, parameters, shards
        self._aside: list[bool] = []
        self._enter, self._leave = guard.looking(self._entered), guard.looking(self._left)

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Hang the hooks on torch, until the end of the recording."""
        registered = self._guard.looking(self._registered)
        handles = [
            modules.register_module_forward_pre_hook(self._entering),
            modules.register_module_forward_hook(self._leaving, always_call=True),
            modules.register_module_parameter_registration_hook(registered),
            modules.register_module_buffer_registration_hook(registered),
        ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()
            self._enter = self._leave = _unheard  # what looked for them holds this, too

    def _takes_short_cut(self, module: Any) -> bool:
        return isinstance(module, SHORT_CUTS) and not module.training and self._guard.is_in_thread()

    def _entering(self, module: Any, _: Any) -> None:
        """A module is about to be called."""
        self._enter(module)
        if self._takes_short_cut(module):
            self._aside.append(self._functions.step_aside())

    def _leaving(self, module: Any, _: Any, output: Any = None) -> None:
        """A module has been called, be it with an error; hooks of its own may still exchange what it gives."""
        if self._takes_short_cut(module) and self._aside:
            self._functions.come_back(self._aside.pop())
        self._leave(module, None if module._forward_hooks else output)

    def _entered(self, module: Any) -> None:
        self._grad_mode.look()
        self._modules.module_entered(module)
        self._shards.entered(module)

    def _left(self, module: Any, output: Any) -> None:
        self._shards.left()
        self._modules.module_left(module, output)

    def _registered(self, module: Any, name: str, part: Any) -> None:
        if not isinstance(part, torch.Tensor) or self._ids.knows(part) or self._parameters.tell(part):
            return
        if asks(sys._getframe(2)) is not Whose.RUNNERS:
            self._new_parts.part_created(part)
