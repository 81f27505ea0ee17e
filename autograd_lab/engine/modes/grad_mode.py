"""Whether ops are recorded: `no_grad`, `enable_grad`, `set_grad_enabled` and `inference_mode`, as context managers and
as decorators.

The mode belongs to the thread (and to the asyncio task), and each new thread starts with recording on.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Generator
from contextvars import ContextVar
from typing import Any

from autograd_lab import listening
from autograd_lab.engine.modes import inference

__all__ = ["enable_grad", "inference_mode", "is_grad_enabled", "no_grad", "set_grad_enabled"]

OF_A_CLASS = (
    "Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
    "methods. To preserve the current behavior of class decoration, you can directly decorate the `__init__` method "
    "and nothing else."
)
enabled: ContextVar[bool] = ContextVar("grad_enabled", default=True)
is_grad_enabled: Callable[[], bool] = enabled.get
"""True unless ops go unrecorded here."""


def _switch(wanted: bool) -> None:
    """Record or not; in inference mode nothing is recorded in any case."""
    wanted = wanted and not inference.inside.get()
    if wanted != enabled.get():
        enabled.set(wanted)
        if listening.active is not None:
            listening.active.grad_mode_changed(wanted)


class no_grad_quietly:
    """Recording off inside a `with` block, without telling a recorder: not the user's doing."""

    def __enter__(self) -> None:
        self._before = enabled.set(False)

    def __exit__(self, *_: object) -> None:
        enabled.reset(self._before)


class Mode:
    """A context manager that is also a decorator, with or without parentheses, of functions and of generators."""

    mode: bool
    prev: bool

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__module__ = "torch.autograd.grad_mode"  # which is what printing one shows, as in PyTorch

    def __new__(cls, function: Any = None, /) -> Any:
        self = super().__new__(cls)
        return self if function is None else self(function)

    def __enter__(self) -> None:
        self.prev = enabled.get()  # one for all blocks: entered twice, the object forgets the first, as PyTorch's does
        _switch(self.mode)

    def __exit__(self, *_: object) -> None:
        _switch(self.prev)

    def clone(self) -> Any:
        """Another of the same mode, which each call of a decorated function has for itself."""
        return type(self)()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(function):
            warnings.warn(OF_A_CLASS, FutureWarning, stacklevel=2)
        if inspect.isgeneratorfunction(function):
            return _decorated_generator(function, self.clone)

        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return function(*args, **kwargs)

        return decorated


def _decorated_generator(function: Callable[..., Any], mode: Callable[[], Any]) -> Callable[..., Any]:
    """A generator that runs under a mode between its yields, while its consumer keeps the consumer's own."""

    @functools.wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        generator = function(*args, **kwargs)
        resume, argument = generator.send, None
        while True:
            try:
                with mode():
                    value = resume(argument)
            except StopIteration as end:
                return end.value
            try:
                resume, argument = generator.send, (yield value)
            except GeneratorExit:
                with mode():
                    generator.close()
                raise
            except BaseException as error:
                resume, argument = generator.throw, error

    return decorated


class no_grad(Mode):
    """Ops inside are not recorded, so their results require no gradient."""

    mode = False


class enable_grad(Mode):
    """Ops inside are recorded, also within `no_grad`."""

    mode = True


class set_grad_enabled(Mode):
    """Switch recording to `mode`, at once; as a context manager, until the end of its block."""

    def __new__(cls, *_: Any, **__: Any) -> Any:
        return object.__new__(cls)

    def __init__(self, mode: Any) -> None:
        if not isinstance(mode, bool):
            kind = type(mode).__name__
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {kind}")
        self.prev, self.mode = enabled.get(), mode
        _switch(mode)

    def __enter__(self) -> None:
        _switch(self.mode)

    def clone(self) -> Any:
        return set_grad_enabled(self.mode)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        _switch(self.prev)
        return super().__call__(function)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"


class inference_mode(Mode):
    """Ops inside are not recorded, and what they make can never take part in what is; off again with `mode=False`."""

    def __new__(cls, mode: Any = True) -> Any:
        return object.__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self._before = [*getattr(self, "_before", ()), (enabled.get(), inference.inside.get())]
        inference.inside.set(self.mode)
        inference.users += self.mode
        _switch(not self.mode)

    def __exit__(self, *_: object) -> None:
        recorded, inside = self._before.pop()
        inference.inside.set(inside)
        inference.users -= self.mode
        _switch(recorded)

    def clone(self) -> Any:
        return inference_mode(self.mode)


_multithreading: ContextVar[bool] = ContextVar("multithreading_enabled", default=True)
is_multithreading_enabled: Callable[[], bool] = _multithreading.get
"""What `set_multithreading_enabled` was told."""


class set_multithreading_enabled(Mode):
    """Accepted, and remembered, as in PyTorch: the backward pass has one thread in any case."""

    def __new__(cls, mode: bool) -> Any:
        return object.__new__(cls)

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self._outside = _multithreading.get()
        _multithreading.set(mode)

    def __enter__(self) -> None:
        """It is switched already."""

    def __exit__(self, *_: object) -> None:
        _multithreading.set(self._outside)

    def clone(self) -> Any:
        return set_multithreading_enabled(self.mode)


class enforce_grad_layout_policy(set_multithreading_enabled):
    """Accepted as in PyTorch: how gradients lie in memory changes no number."""

    def __new__(cls, enable: bool = True) -> Any:
        return object.__new__(cls)

    def __init__(self, enable: bool = True) -> None:
        self.mode = enable


class Anomaly:
    """Whether anomaly mode is on, in all threads; see anomaly.py."""

    enabled = False
    check_nan = True


anomaly = Anomaly()
