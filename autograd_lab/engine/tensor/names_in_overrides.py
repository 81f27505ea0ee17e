"""What `torch.overrides` has, and of `torch._C` what goes with it."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FunctionType
from typing import Any

from autograd_lab.engine.core import variable
from autograd_lab.engine.tensor import overriding
from autograd_lab.engine.tensor.overriding import Asking, DisableTorchFunctionSubclass, askers, inherited, now
from autograd_lab.engine.tensor.overriding import disabled as _disabled_torch_function_impl
from autograd_lab.engine.tensor.overriding import name_of as resolve_name

DisableTorchFunction = DisableTorchFunctionSubclass

__all__ = [
    "BaseTorchFunctionMode",
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "TorchFunctionMode",
    "_disabled_torch_function_impl",
    "enable_reentrant_dispatch",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "redispatch_function",
    "resolve_name",
    "wrap_torch_function",
]  # fmt: skip


def has_torch_function_unary(obj: Any) -> bool:
    """Whether the class of this is to be asked."""
    return has_torch_function((obj,))


def has_torch_function_variadic(*args: Any) -> bool:
    """Whether the class of any of these is to be asked."""
    return has_torch_function(args)


def redispatch_function(func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """What a call gives if no class is asked."""
    return overriding.disabled(func, types, args, kwargs)


@contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """Nothing: classes are asked wherever a program is."""
    yield


def get_overridable_functions() -> dict[Any, list[Any]]:
    """What classes are asked about: for each module its functions, and the methods and attributes of tensors."""
    overriding.install()
    found: dict[Any, list[Any]] = {}
    for place in overriding.NAMESPACES.values():
        module = importlib.import_module(place)
        found[module] = [one for name, one in sorted(vars(module).items()) if isinstance(one, Asking)]
    methods = [one.fget if isinstance(one, property) else one for _, one in inherited()]
    return found | {variable.Tensor: [getattr(one, "raw", one) for one in methods]}


def get_testing_overrides() -> dict[Any, Any]:
    """For each of them a function of the same arguments that returns -1."""
    return {one: _answering(one) for functions in get_overridable_functions().values() for one in functions}


def _answering(function: Any) -> Any:
    def answer(*args: Any, **kwargs: Any) -> int:
        return -1

    with suppress(ValueError, TypeError):
        answer.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return answer


def get_ignored_functions() -> set[Any]:
    """The functions of `torch` that classes are not asked about."""
    overriding.install()
    torch = importlib.import_module(overriding.NAMESPACES["torch"])
    return {one for name in torch.__all__ if isinstance(one := getattr(torch, name), FunctionType)}


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether the class of any of these is to be asked."""
    return bool(askers(list(relevant_args), {}))


def handle_torch_function(public_api: Any, relevant_args: Iterable[Any], /, *args: Any, **kwargs: Any) -> Any:
    """What the classes of some arguments make of a call. Raises TypeError if none of them answers."""
    return overriding.ask(public_api, askers(list(relevant_args), {}), args, kwargs)


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[..., Any]:
    """Have a function ask the classes of the arguments that `dispatcher` picks of its own."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            relevant = list(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(call, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return call

    return decorate


def is_tensor_like(inp: Any) -> bool:
    """Whether it is a tensor, or of a class that stands in for one."""
    return type(inp) is variable.Tensor or hasattr(inp, "__torch_function__")


def is_tensor_method_or_property(func: Any) -> bool:
    """Whether a function that was asked about is a method of tensors, or reads an attribute."""
    return getattr(func, "__name__", "") == "__get__" or (
        not isinstance(func, Asking) and getattr(variable.Tensor, func.__name__, None) is func
    )


class TorchFunctionMode:
    """Inside of the block, `__torch_function__` of this is asked, whatever the tensors are: a class overrides it."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> TorchFunctionMode:
        overriding.install()
        if not now.modes:
            self._own = {name: vars(variable.Tensor)[name] for name, _ in inherited() if name in vars(variable.Tensor)}
            for name, asking in inherited():
                setattr(variable.Tensor, name, asking)
        now.modes = (*now.modes, self)
        return self

    def __exit__(self, *_: object) -> None:
        now.modes = now.modes[:-1]
        if not now.modes:
            for name, _asking in inherited():
                if name in self._own:
                    setattr(variable.Tensor, name, self._own[name])
                else:
                    delattr(variable.Tensor, name)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that makes each call as it stands: what a class of one's own hands its calls on to."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))
