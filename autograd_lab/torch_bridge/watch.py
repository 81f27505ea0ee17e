"""The hooks of torch's that a recording hangs itself on, and takes off again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from autograd_lab.recorder import Recorder
from autograd_lab.torch_bridge.stages import Stages


class Functions(TorchFunctionMode):  # type: ignore[misc]  # torch is not typed everywhere
    """Sees the functions of torch that the program calls."""

    def __init__(self, watcher: Stages) -> None:
        super().__init__()
        self._watcher, self._process = watcher, os.getpid()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if os.getpid() != self._process:  # a DataLoader's worker
            return func(*args, **(kwargs or {}))
        return self._watcher.called(func, args, kwargs or {})

    def step_aside(self) -> bool:
        """See no functions until `come_back`; whether that is possible: not if another mode is in front."""
        top = torch._C._len_torch_function_stack() - 1
        in_front = top >= 0 and torch._C._get_function_stack_at(top) is self
        if in_front:
            torch._C._pop_torch_function_stack()
        return in_front

    def come_back(self, stepped_aside: bool) -> None:
        """See functions again, after `step_aside` said so."""
        if stepped_aside:
            torch._C._push_on_torch_function_stack(self)


class Kernels(TorchDispatchMode):  # type: ignore[misc]  # likewise
    """Sees the ops that reach torch's kernels."""

    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # which takes time at each op, and what is compiled is not for us to see

    def __init__(self, watcher: Stages) -> None:
        super().__init__()
        self._watcher, self._process = watcher, os.getpid()
        self._pushed: list[bool] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if os.getpid() != self._process:
            return func(*args, **(kwargs or {}))
        return self._watcher.dispatched(func, args, kwargs or {})

    @contextmanager
    def aside(self) -> Iterator[None]:
        """See nothing meanwhile, save inside `again`: while a mode is on, torch does some things otherwise."""
        top = torch._C._len_torch_dispatch_stack() - 1
        if top < 0 or torch._C._get_dispatch_stack_at(top) is not self:  # the program has put its own in front
            yield
            return
        pushed = len(self._pushed)
        torch._C._pop_torch_dispatch_stack(None)
        try:
            yield
        finally:
            del self._pushed[pushed:]
            torch._C._push_on_torch_dispatch_stack(self)

    def again(self) -> None:
        """See what runs from here up to `no_more`, also inside `aside`."""
        places = range(torch._C._len_torch_dispatch_stack())
        self._pushed.append(all(torch._C._get_dispatch_stack_at(place) is not self for place in places))
        if self._pushed[-1]:
            torch._C._push_on_torch_dispatch_stack(self)

    def no_more(self) -> None:
        """The end of what `again` began."""
        if self._pushed.pop():
            torch._C._pop_torch_dispatch_stack(None)


@contextmanager
def watch(recorder: Recorder) -> Iterator[None]:
    """Watch torch in this thread, and tell a trace beside another recorder."""
    watcher = Stages(recorder)
    handles = [
        modules.register_module_forward_pre_hook(watcher.entering),
        modules.register_module_forward_hook(watcher.leaving, always_call=True),
        modules.register_module_parameter_registration_hook(watcher.registered),
        modules.register_module_buffer_registration_hook(watcher.registered),
        optimizers.register_optimizer_step_pre_hook(watcher.stepping),
        optimizers.register_optimizer_step_post_hook(watcher.stepped),
    ]
    try:
        with ExitStack() as stack:
            watcher.kernels = stack.enter_context(Kernels(watcher))
            watcher.functions = stack.enter_context(Functions(watcher))
            yield
    finally:
        for handle in handles:
            handle.remove()
        watcher.finish()
