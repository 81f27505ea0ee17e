"""The modes by which functions and ops of torch's are seen: on beneath those of the program, and aside at times."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from autograd_lab.torch_bridge.internals import DISPATCH_MODES, FUNCTION_MODES, Stack, take_off_what_is_over

Heard = Callable[[Any, Any, Any, FrameType | None], Any]
"""Makes a call for the program: of what, with which arguments, at which frame."""


def _unheard(func: Any, args: Any, kwargs: Any, frame: FrameType | None) -> Any:
    return func(*args, **kwargs)


class _Ending:
    """A mode that can be over at any moment."""

    over = False
    heard: Heard

    def ends(self, stack: Stack) -> None:
        """Ask this mode nothing more, nor anybody by it, and take it off, from wherever it is."""
        self.over, self.heard = True, _unheard
        if not stack.has(self):
            stack.push(self)  # so that there is one to be taken off
        with stack.beneath(self):
            self.__exit__(None, None, None)  # type: ignore[attr-defined]  # a mode has it
        take_off_what_is_over()


class Functions(_Ending, TorchFunctionMode):  # type: ignore[misc]  # torch is not typed everywhere
    """Sees the functions of torch that the program calls; they are `heard` by whoever makes the calls."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = _unheard
        self._process = os.getpid()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.over or os.getpid() != self._process:  # in a DataLoader's worker
            return func(*args, **(kwargs or {}))
        return self.heard(func, args, kwargs or {}, sys._getframe().f_back)

    def step_aside(self) -> bool:
        """See no functions until `come_back`; whether that is possible: not if another mode is in front."""
        top = FUNCTION_MODES.size() - 1
        in_front = top >= 0 and FUNCTION_MODES.at(top) is self
        if in_front:
            FUNCTION_MODES.pop()
        return in_front

    def come_back(self, stepped_aside: bool) -> None:
        """See functions again, after `step_aside` said so."""
        if stepped_aside and not self.over:
            FUNCTION_MODES.push(self)


class Kernels(_Ending, TorchDispatchMode):  # type: ignore[misc]  # likewise
    """Sees the ops that reach torch's kernels; they are `heard` by whoever runs them."""

    supports_higher_order_operators = True

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # which takes time at each op, and what is compiled is not for us to see

    def __init__(self) -> None:
        super().__init__()
        self.heard = _unheard
        self._process = os.getpid()
        self._pushed: list[bool] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.over or os.getpid() != self._process:
            return func(*args, **(kwargs or {}))
        return self.heard(func, args, kwargs or {}, sys._getframe().f_back)

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
            if not self.over:
                DISPATCH_MODES.push(self)

    def again(self) -> None:
        """See what runs from here up to `no_more`, also inside `aside`."""
        self._pushed.append(not DISPATCH_MODES.has(self))
        if self._pushed[-1]:
            DISPATCH_MODES.push(self)

    def no_more(self) -> None:
        """The end of what `again` began."""
        if self._pushed.pop() and not self.over:
            DISPATCH_MODES.pop()


class Modes:
    """Both modes of one recording."""

    def __init__(self) -> None:
        self.functions, self.kernels = Functions(), Kernels()

    @contextmanager
    def on(self) -> Iterator[None]:
        """Both are on, until the end of the recording."""
        take_off_what_is_over()
        with _on(DISPATCH_MODES, self.kernels), _on(FUNCTION_MODES, self.functions):
            yield

    def again(self) -> None:
        """Code of the user's may run inside a pass; torch has put the modes aside."""
        if not self.kernels.over:
            self.functions.__enter__()
            self.kernels.again()

    def no_more(self) -> None:
        """That code has run."""
        if not self.kernels.over:
            self.kernels.no_more()
            self.functions.__exit__(None, None, None)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """See what a hook of the program's does inside a pass."""
        self.again()
        try:
            yield
        finally:
            self.no_more()


@contextmanager
def _on(stack: Stack, mode: Any) -> Iterator[None]:
    """A mode that is on beneath those of the program, and goes from wherever it is."""
    with stack.beneath():
        mode.__enter__()
    try:
        yield
    finally:
        mode.ends(stack)
