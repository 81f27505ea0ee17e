"""What goes on around ops: calls of modules, steps of optimizers, the end of the recording."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from threading import get_ident
from typing import Any

import torch

from autograd_lab.recording.recorder import Recorder
from autograd_lab.recording.source import Site
from autograd_lab.recording.values import same
from autograd_lab.torch_bridge.calls import Watcher
from autograd_lab.torch_bridge.stack import Whose, asks
from autograd_lab.torch_bridge.tensors import far, taken, version_of

SHORT_CUTS = (torch.nn.TransformerEncoder, torch.nn.TransformerEncoderLayer, torch.nn.MultiheadAttention)
"""Modules that in eval mode take a short cut with other roundings, but not while a function mode is on."""


def _looking(method: Callable[..., None]) -> Callable[..., None]:
    """Let a hook look without being seen, once what has run before is told of; a look never gives an error."""

    @functools.wraps(method)
    def look(self: Stages, *args: Any) -> None:
        if not self.busy and (self._passes or get_ident() == self._thread):
            with self.look:
                self.settle()
                method(self, *args)

    return look


class Stages(Watcher):
    """All that is watched of torch."""

    def __init__(self, beside: Recorder) -> None:
        super().__init__(beside)
        self._versions: list[tuple[Any, int]] = []
        self._thread = get_ident()
        self._aside: list[bool] = []
        self._called_modules: list[Any] = []
        self._put_together: dict[str, Any] = {}
        self._entered = 0

    def finish(self) -> None:
        """Tell what is left to tell, and take off what lies on the user's nodes."""
        with self.look:
            self.settle()
            self._look_at_all()
            far.fetch()
            self.close()
            if self._ids.described:
                both = "autograd_lab, " if self._beside._ids.described else ""
                self.trace.engine = f"{both}torch {str(torch.__version__).partition('+')[0]}"
        self.busy = True

    def _look_at_all(self) -> None:
        """Tell what has changed unseen of all that is still there."""
        for tensor in self._ids.living():
            if (identity := self._id(tensor)) in self._ids.described:
                self._look_again(tensor, identity)

    # --- modules and optimizers --------------------------------------------------------------------------------------

    def entering(self, module: Any, _: Any) -> None:
        """A module is about to be called."""
        self._enter(module)
        if isinstance(module, SHORT_CUTS) and not module.training and get_ident() == self._thread:
            self._aside.append(self.functions.step_aside())

    def leaving(self, module: Any, _: Any, output: Any = None) -> None:
        """A module has been called, be it with an error; hooks of its own may still exchange what it gives."""
        if isinstance(module, SHORT_CUTS) and not module.training and get_ident() == self._thread and self._aside:
            self.functions.come_back(self._aside.pop())
        self._leave_module(module, None if module._forward_hooks else output)

    @_looking
    def _enter(self, module: Any) -> None:
        self._see_modes()
        self.module_entered(module)
        self._called_modules.append(module)
        self._entered += not self._inside[1:]

    @_looking
    def _leave_module(self, module: Any, output: Any) -> None:
        self._called_modules.pop()
        self.module_left(module, output)

    @_looking
    def registered(self, module: Any, name: str, part: Any) -> None:
        if not isinstance(part, torch.Tensor) or self._ids.knows(part) or self.parameter_found(part):
            return
        if asks(sys._getframe(2)) is not Whose.RUNNERS:
            self.part_created(part)

    def _stays(self, part: Any) -> bool:
        """As for any engine; but `functional_call` has plain tensors stand for parameters."""
        return isinstance(part, torch.nn.Parameter) or not part.requires_grad

    # --- parameters that are put together of shards while their module is called -------------------------------------

    def _met(self, tensor: Any, site: Site, frame: Any, is_written: bool = False) -> str:
        if self._put_together and not is_written and self._id(tensor) in self._put_together:
            self._look_at_parts(tensor, self._id(tensor), site)
        return super()._met(tensor, site, frame, is_written)

    def _look_at_parts(self, parameter: Any, identity: str, site: Site) -> None:
        before, now = self._put_together[identity], self._whole(parameter)
        self._put_together[identity] = now
        if before != now if isinstance(now, int) else not same(before, now):
            self._modified(parameter, "all_gather", site)

    def _whole(self, parameter: Any) -> Any:
        """What a parameter holds; on other devices, which would have to be waited for, in which call it holds that."""
        return taken(parameter) if parameter.is_cpu else self._entered

    def _describe(self, tensor: Any, site: Site, is_written: bool = False) -> None:
        if self._called_modules and isinstance(tensor, torch.nn.Parameter):
            identity = self._id(tensor)
            if identity not in self._names.given and identity not in self._ids.described:
                self._name_by_module(tensor, identity)
        super()._describe(tensor, site, is_written)

    def _name_by_module(self, parameter: Any, identity: str) -> None:
        """Name what stands in a parameter's place while its module is called after that."""
        path, _, root = self._inside[-1]
        for name, part in self._called_modules[-1]._parameters.items():
            if part is parameter:
                self._names.settle(identity, ".".join(filter(None, (root, path, name))))
                self._put_together[identity] = self._whole(parameter)

    @_looking
    def stepping(self, optimizer: Any, *_: Any) -> None:
        self.optimizer_entered(optimizer)
        parameters = [one for group in optimizer.param_groups for one in group["params"]]
        self._versions = [(one, version_of(one)) for one in parameters]
        self._last_writes.clear()
        self._steps_now = True

    @_looking
    def stepped(self, optimizer: Any, *_: Any) -> None:
        self.tell_steps()
        self._versions, self._steps_now = [], False
        self.optimizer_left(optimizer)

    def tell_steps(self) -> None:
        """Tell which parameters a step has written to, so far: a closure of the user's may run in the middle."""
        for at, (parameter, before) in enumerate(self._versions):
            if (now := version_of(parameter)) != before:
                self._versions[at] = parameter, now
                self.tensor_modified(parameter, self._last_writes.get(id(parameter), "step"))
