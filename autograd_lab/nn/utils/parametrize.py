"""Weights that are computed: `register_parametrization(linear, "weight", f)` makes `linear.weight` f of a parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.nn.container import ModuleDict, ModuleList
from autograd_lab.nn.conversion import get_swap_module_params_on_conversion, swap_tensors
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
                    with suppress(NotImplementedError):
                        parts = module.right_inverse(parts)
        _check_parts(original, parts)
        self.is_tensor = is_tensor(parts)
        self.ntensors = 1 if self.is_tensor else len(parts)
        if self.is_tensor:
            if parts is not original:  # which stays what an optimizer has
                with no_grad():
                    _put(original, parts)
            self._keep("original", original, original)
            return
        for number, part in enumerate(parts):
            self._keep(f"original{number}", part, original)

    def _keep(self, name: str, part: Any, original: Any) -> None:
        """Have a part as what the original is: a parameter, or a buffer."""
        if isinstance(original, Parameter):
            kept = part if isinstance(part, Parameter) else Parameter(part.detach(), original.requires_grad)
            self.register_parameter(name, kept)
        else:
            self.register_buffer(name, part.requires_grad_(original.requires_grad))

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


def _check_inverse(name: str, weight: Any, after: Any, parametrization: Any) -> None:
    """Raise ValueError unless `right_inverse` gives one tensor like the weight, for the parametrization before it."""
    try:
        before = parametrization.right_inverse(after)
    except NotImplementedError:
        return
    if not is_tensor(before):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(before).__name__}")
    for what in ("dtype", "shape"):
        was, became = getattr(weight, what), getattr(before, what)
        if was != became:
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, "
                f"unless the `unsafe` flag is enabled.\nmodule.{name}.{what}: {was}\nreturned {what}: {became}"
            )


SEQUENCE = "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "


def _check_parts(original: Any, parts: Any) -> None:
    """Raise ValueError unless `right_inverse` gave a tensor like the original, or several."""
    if is_tensor(parts):
        for what in ("dtype", "device"):
            was, became = getattr(original, what), getattr(parts, what)
            if was != became:
                raise ValueError(
                    f"When `right_inverse` outputs one tensor, it may not change the {what}.\n"
                    f"original.{what}: {was}\nright_inverse(original).{what}: {became}"
                )
        return
    if not isinstance(parts, Sequence):
        raise ValueError(SEQUENCE + f"Got {type(parts).__name__}")
    for number, part in enumerate(parts):
        if not is_tensor(part):
            raise ValueError(SEQUENCE + f"Got element {number} of the sequence with type {type(part).__name__}.")


def _put(original: Any, value: Any) -> None:
    if not get_swap_module_params_on_conversion():
        original.set_(value)
        return
    swap_tensors(original, Parameter(value, original.requires_grad) if isinstance(original, Parameter) else value)


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """Have a parameter or buffer computed by a module from what it was; `right_inverse`, if there, tells from what.

    Raises ValueError for a name that the module lacks, and, unless `unsafe`, for another dtype or shape.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            before = getattr(module, tensor_name)
            after = parametrization(before)
            _check(before, after, "the `unsafe` flag is enabled.")
            if hasattr(parametrization, "right_inverse"):
                _check_inverse(tensor_name, before, after, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        chain = ParametrizationList([parametrization], original, unsafe)
        if not unsafe:
            _check(original, chain(), "`unsafe` flag is enabled.")
        delattr(module, tensor_name)
        if not is_parametrized(module):
            module.__class__ = _kind_with_parametrizations(type(module))
            module.parametrizations = ModuleDict()
        setattr(type(module), tensor_name, _computed(tensor_name))
        module.parametrizations[tensor_name] = chain
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def _kind_with_parametrizations(kind: type) -> type:
    """A class for one module, which may be copied, but not pickled."""
    own: dict[str, Any] = {"__reduce_ex__": _not_pickled, "__getstate__": _not_pickled}
    if not hasattr(kind, "__deepcopy__"):
        own["__deepcopy__"] = _copied_deeply
    return type(f"Parametrized{kind.__name__}", (kind,), own)


def _not_pickled(self: Any, *_: Any) -> Any:
    raise RuntimeError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def _copied_deeply(self: Any, memo: dict[int, Any]) -> Any:
    if id(self) not in memo:
        memo[id(self)] = copied = self.__new__(self.__class__)
        copied.__dict__ = deepcopy(self.__dict__, memo)
    return memo[id(self)]


def _check(before: Any, after: Any, unless: str) -> None:
    """Raise ValueError unless a weight stays a tensor of its dtype and shape."""
    if not is_tensor(after):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        was, became = getattr(before, what), getattr(after, what)
        if was != became:
            raise ValueError(
                f"Registering a parametrization may not change the {what} of the tensor, unless {unless}\n"
                f"unparametrized {what}: {was}\nparametrized {what}: {became}"
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


def transfer_parametrizations_and_params(from_module: Any, to_module: Any, tensor_name: str | None = None) -> Any:
    """Have a module compute its weights, or one, as another does, from the same parameters."""
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        theirs = from_module.parametrizations[name]
        for parametrization in theirs:
            register_parametrization(to_module, name, parametrization)
        own = to_module.parametrizations[name]
        for original in ["original"] if theirs.is_tensor else [f"original{n}" for n in range(theirs.ntensors)]:
            setattr(own, original, getattr(theirs, original))
    return to_module


def type_before_parametrizations(module: Any) -> type[Module]:
    """What kind of module it was."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)
