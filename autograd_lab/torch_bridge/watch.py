"""The hooks of torch's that a recording hangs itself on, and takes off again."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from torch.nn.modules import module as modules
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from autograd_lab.recording.recorder import Recorder
from autograd_lab.torch_bridge import steps
from autograd_lab.torch_bridge.internals import (
    DISPATCH_MODES,
    FUNCTION_MODES,
    Stack,
    applied_in_frames,
    told_passes,
    untried,
)
from autograd_lab.torch_bridge.stages import Stages


class Functions(TorchFunctionMode):  # type: ignore[misc]  # torch is not typed everywhere
    """Sees the functions of torch that the program calls."""

    def __init__(self, watcher: Stages) -> None:
        super().__init__()
        self._watcher, self._process = watcher, os.getpid()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if os.getpid() != self._process:  # a DataLoader's worker
            return func(*args, **(kwargs or {}))
        return self._watcher.called(func, args, kwargs or {}, sys._getframe().f_back)

    def step_aside(self) -> bool:
        """See no functions until `come_back`; whether that is possible: not if another mode is in front."""
        top = FUNCTION_MODES.size() - 1
        in_front = top >= 0 and FUNCTION_MODES.at(top) is self
        if in_front:
            FUNCTION_MODES.pop()
        return in_front

    def come_back(self, stepped_aside: bool) -> None:
        """See functions again, after `step_aside` said so."""
        if stepped_aside:
            FUNCTION_MODES.push(self)


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
        return self._watcher.dispatched(func, args, kwargs or {}, sys._getframe().f_back)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """See nothing meanwhile, save inside `again`: while a mode is on, torch does some things otherwise."""
        top = DISPATCH_MODES.size() - 1
        if top < 0 or DISPATCH_MODES.at(top) is not self:  # the program has put its own in front
            yield
            return
        pushed = len(self._pushed)
        DISPATCH_MODES.pop()
        try:
            yield
        finally:
            del self._pushed[pushed:]
            DISPATCH_MODES.push(self)

    def again(self) -> None:
        """See what runs from here up to `no_more`, also inside `aside`."""
        places = range(DISPATCH_MODES.size())
        self._pushed.append(all(DISPATCH_MODES.at(place) is not self for place in places))
        if self._pushed[-1]:
            DISPATCH_MODES.push(self)

    def no_more(self) -> None:
        """The end of what `again` began."""
        if self._pushed.pop():
            DISPATCH_MODES.pop()


@contextmanager
def _on(stack: Stack, mode: Any) -> Iterator[Any]:
    """A mode that is on beneath those of the program, and goes from wherever it is."""
    with stack.beneath():
        mode.__enter__()
    try:
        yield mode
    finally:
        with stack.beneath(mode):
            mode.__exit__(None, None, None)


@contextmanager
def watch(recorder: Recorder) -> Iterator[None]:
    """Watch torch in this thread, and tell a trace beside another recorder."""
    watcher = Stages(recorder)
    if (sentence := untried()) is not None:
        recorder.trace.note(sentence)
    handles = [
        modules.register_module_forward_pre_hook(watcher.entering),
        modules.register_module_forward_hook(watcher.leaving, always_call=True),
        modules.register_module_parameter_registration_hook(watcher.registered),
        modules.register_module_buffer_registration_hook(watcher.registered),
    ]
    try:
        with ExitStack() as stack:
            stack.enter_context(applied_in_frames)
            stack.enter_context(told_passes)
            stack.enter_context(steps.heard_by(watcher.stepping, watcher.stepped))
            watcher.kernels = stack.enter_context(_on(DISPATCH_MODES, Kernels(watcher)))
            watcher.functions = stack.enter_context(_on(FUNCTION_MODES, Functions(watcher)))
            yield
    finally:
        for handle in handles:
            handle.remove()
        watcher.finish()
