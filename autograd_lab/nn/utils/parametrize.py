"""Weights that are computed: `register_parametrization(linear, "weight", f)` makes `linear.weight` f of a parameter."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.nn.container import ModuleDict, ModuleList
from autograd_lab.nn.module import Module
from autograd_lab.nn.parameter import Parameter

_cache: dict[tuple[int, str], Any] | None = None


class ParametrizationList(ModuleList):
    """The modules through which a weight goes, one after another, and what it is made of: `original`, or several."""

    def __init__(self, modules: list[Any], original: Any, unsafe: bool = False) -> None:
        super().__init__(modules)
        self.unsafe = unsafe
        parts = original
        with no_grad():
            for module in reversed(modules):
                if hasattr(module, "right_inverse"):
                    parts = module.right_inverse(parts)
        self.is_tensor = is_tensor(parts)
        if self.is_tensor:
            self._keep("original", original if parts is original else parts, original)
            return
        self.ntensors = len(parts)
        for number, part in enumerate(parts):
            self._keep(f"original{number}", part, original)

    def _keep(self, name: str, part: Any, original: Any) -> None:
        """Have a part as what the original is: a parameter, or a buffer."""
        if isinstance(original, Parameter):
            kept = part if isinstance(part, Parameter) else Parameter(part.detach(), original.requires_grad)
            self.register_parameter(name, kept)
        else:
            self.register_buffer(name, part)

    def originals(self) -> list[Any]:
        """What the weight is made of."""
        return [self.original] if self.is_tensor else [getattr(self, f"original{n}") for n in range(self.ntensors)]

    def right_inverse(self, value: Any) -> None:
        """Set the originals so that the weight becomes this value. Raises RuntimeError where a module cannot tell."""
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            for kept, part in zip(self.originals(), [value] if is_tensor(value) else value, strict=True):
                kept.copy_(part)

    def forward(self) -> Any:
        x = self[0](*self.originals())
        for module in list(self)[1:]:
            x = module(x)
        return x


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """Have a parameter or buffer computed by a module from what it was; `right_inverse`, if there, tells from what.

    Raises ValueError for a name that the module lacks, and, unless `unsafe`, for another dtype or shape.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            before = getattr(module, tensor_name)
            _check(before, parametrization(before), "the `unsafe` flag is enabled.")
        module.parametrizations[tensor_name].append(parametrization)
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        chain = ParametrizationList([parametrization], original, unsafe)
        if not unsafe:
            _check(original, chain(), "`unsafe` flag is enabled.")
        delattr(module, tensor_name)
        if not is_parametrized(module):
            module.__class__ = type(f"Parametrized{type(module).__name__}", (type(module),), {})
            module.parametrizations = ModuleDict()
        setattr(type(module), tensor_name, _computed(tensor_name))
        module.parametrizations[tensor_name] = chain
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def _check(before: Any, after: Any, unless: str) -> None:
    """Raise ValueError unless a weight stays a tensor of its dtype and shape."""
    if not is_tensor(after):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        was, became = getattr(before, what), getattr(after, what)
        if was != became:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless {unless}\n"
                f"It was {was}, and became {became}"
            )


def _computed(name: str) -> property:
    def get(self: Any) -> Any:
        if _cache is None:
            return self.parametrizations[name]()
        if (id(self), name) not in _cache:
            _cache[id(self), name] = self.parametrizations[name]()
        return _cache[id(self), name]

    def put(self: Any, value: Any) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(get, put)


@contextmanager
def cached() -> Iterator[None]:
    """Within the block each weight is computed once."""
    global _cache
    outer = _cache
    _cache = {} if outer is None else outer
    try:
        yield
    finally:
        _cache = outer


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Whether a module computes weights, or this one."""
    chains = module.__dict__.get("_modules", {}).get("parametrizations")
    if not isinstance(chains, ModuleDict):
        return False
    return len(chains) > 0 if tensor_name is None else tensor_name in chains


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """A weight of its own again: as it was computed, or, of one part, that part. Raises ValueError if it is none."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    chain = module.parametrizations[tensor_name]
    original = chain.originals()[0]
    if not leave_parametrized and not chain.is_tensor:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    if leave_parametrized:
        with no_grad():
            value = getattr(module, tensor_name)
            if chain.is_tensor and value.shape == original.shape:
                original.copy_(value)
            else:
                original = Parameter(value.clone(), original.requires_grad)
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    kind = module.register_parameter if isinstance(original, Parameter) else module.register_buffer
    kind(tensor_name, original)
    if not len(module.parametrizations):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Any) -> type[Module]:
    """What kind of module it was."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)
