"""State dicts: a module's parameters and buffers by their paths, and back."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import no_grad_quietly
from autograd_lab.engine.modes.handles import RemovableHandle
from autograd_lab.nn.conversion import get_swap_module_params_on_conversion, swap_tensors
from autograd_lab.nn.parameter import Parameter, is_lazy
from autograd_lab.whose import users_level

IN_VAIN = (
    "for {}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a "
    "no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key in "
    "the module instead of copying them in place?)"
)

NOT_REACHED = (
    "Reached a code path in Module.{}_extra_state() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
)
POSITIONAL = (
    "Positional args are being deprecated, use kwargs instead. Refer to "
    "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
)
IN_PLACE = (
    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
    "incompatible_keys need to be modified, it should be done inplace."
)
EXTRA = "_extra_state"


class _Keys(NamedTuple):
    missing_keys: list[str]
    unexpected_keys: list[str]


class IncompatibleKeys(_Keys):
    """What a state dict lacked, and what it had too much."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"

    __str__ = __repr__


def _own(module: Any) -> Iterator[tuple[str, Any]]:
    """A module's own parameters and persistent buffers."""
    yield from module._parameters.items()
    for name, buffer in module._buffers.items():
        if name not in module._non_persistent_buffers_set:
            yield name, buffer


def _hooks_of(kind: str) -> Any:
    """The attribute by which PyTorch knows hooks, each here with whether it takes the module."""

    def found(module: Any) -> Any:
        return (module._saving_hooks or {}).get(kind, OrderedDict())

    return property(found, fdel=lambda module: found(module).clear())


class Saving:
    """What modules give away in a `state_dict`, and take from one. Subclasses may override each step."""

    _version: int
    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _modules: dict[str, Any]
    _saving_hooks: dict[str, OrderedDict[int, Any]] | None = None

    def _hung(self, kind: str, hook: Callable[..., Any], with_module: bool = True) -> RemovableHandle:
        if self._saving_hooks is None:
            self._saving_hooks = {}
        hooks = self._saving_hooks.setdefault(kind, OrderedDict())
        handle = RemovableHandle(hooks)
        hooks[handle.id] = (hook, with_module)
        return handle

    _state_dict_pre_hooks = _hooks_of("before saving")
    _state_dict_hooks = _hooks_of("after saving")
    _load_state_dict_pre_hooks = _hooks_of("before loading")
    _load_state_dict_post_hooks = _hooks_of("after loading")

    def _hooks_on(self, kind: str) -> list[tuple[Callable[..., Any], bool]]:
        return list((self._saving_hooks or {}).get(kind, {}).values())

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(module, prefix, keep_vars)` called before the module's part of a `state_dict` is made."""
        return self._hung("before saving", hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(module, state_dict, prefix, local_metadata)` called after that; it changes the dict itself."""
        return self._hung("after saving", hook, with_module=False)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The same, but what the hook returns is the dict instead."""
        return self._hung("after saving", hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(module, state_dict, prefix, local_metadata, strict, missing, unexpected, errors)` called first."""
        return self._hung("before loading", hook)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """The same, but only with the module if it is so wished."""
        return self._hung("before loading", hook, with_module)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(module, incompatible_keys)` called once the module is loaded; it may change the lists."""
        return self._hung("after loading", hook)

    def get_extra_state(self) -> Any:
        """Something else that is to be in a `state_dict`. The user's class may have one of its own."""
        raise RuntimeError(NOT_REACHED.format("get"))

    def set_extra_state(self, state: Any) -> None:
        """Take over what `get_extra_state` gave. The user's class may have one of its own."""
        raise RuntimeError(NOT_REACHED.format("set"))

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """All parameters and persistent buffers by their paths, in the same memory."""
        if args:
            warnings.warn(POSITIONAL, FutureWarning, stacklevel=users_level())
            given = [*args, *(destination, prefix, keep_vars)[len(args) :]]
            destination, prefix, keep_vars = given[:3]
        return state_of(self, destination, prefix, keep_vars)

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, tensor in _own(self):
            if tensor is not None:
                destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not Saving.get_extra_state:
            destination[prefix + EXTRA] = self.get_extra_state()

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy the tensors of a `state_dict` into parameters and buffers. Raises RuntimeError if they do not fit."""
        return load(self, state_dict, strict, assign)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        told = state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        for hook, with_module in self._hooks_on("before loading"):
            hook(self, *told) if with_module else hook(*told)
        own = {name: tensor for name, tensor in _own(self) if tensor is not None}
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, tensor in own.items():
            key = prefix + name
            if key in state_dict:
                error = _put(self, name, tensor, key, state_dict[key], assign)
                error_msgs += [error] if error else []
            elif strict:
                missing_keys.append(key)
        self._load_extra_state(state_dict, prefix + EXTRA, strict, missing_keys, unexpected_keys)
        if strict:
            unexpected_keys += [
                key
                for key in state_dict
                if key.startswith(prefix) and key != prefix + EXTRA and _is_unknown(self, own, key[len(prefix) :])
            ]

    def _load_extra_state(self, state: Any, key: str, strict: bool, missing: list[str], unexpected: list[str]) -> None:
        if type(self).set_extra_state is not Saving.set_extra_state:
            if key in state:
                self.set_extra_state(state[key])
            elif strict:
                missing.append(key)
        elif strict and key in state:
            unexpected.append(key)


def state_of(module: Any, destination: Any, prefix: str, keep_vars: bool) -> Any:
    """Parameters and persistent buffers by their paths: detached, unless `keep_vars`."""
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    local = {"version": module._version}
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = local
    for hook, _ in module._hooks_on("before saving"):
        hook(module, prefix, keep_vars)
    module._save_to_state_dict(destination, prefix, keep_vars)
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    for hook, may_return in module._hooks_on("after saving"):
        returned = hook(module, destination, prefix, local)
        if returned is not None and not may_return:
            raise RuntimeError("state_dict post-hook must return None")
        destination = destination if returned is None else returned
    return destination


class _Load:
    """One call of `load_state_dict`: what is known of the modules that were saved, and what does not fit."""

    def __init__(self, state: Any, assign: bool) -> None:
        self.metadata, self.assign = getattr(state, "_metadata", None) or {}, assign
        self.keys = IncompatibleKeys([], [])
        self.errors: list[str] = []

    def load(self, module: Any, state: Any, prefix: str = "") -> None:
        """Load a module and those in it."""
        local = self.metadata.get(prefix[:-1], {})
        if self.assign:
            local["assign_to_params_buffers"] = True
        module._load_from_state_dict(state, prefix, local, True, *self.keys, self.errors)
        for name, child in module._modules.items():
            if child is not None:
                inner = f"{prefix}{name}."
                self.load(child, {key: value for key, value in state.items() if key.startswith(inner)}, inner)
        for hook, _ in module._hooks_on("after loading"):
            if hook(module, self.keys) is not None:
                raise AssertionError(IN_PLACE)


def load(module: Any, state: Mapping[str, Any], strict: bool, assign: bool) -> IncompatibleKeys:
    """Copy (or with `assign`, put) tensors to where their paths say."""
    if not isinstance(state, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state)}.")
    now = _Load(state, assign)
    copy: Any = OrderedDict(state)
    if now.metadata:
        copy._metadata = now.metadata
    now.load(module, copy)
    errors = now.errors
    if strict:
        lists = {"Missing": now.keys.missing_keys, "Unexpected": now.keys.unexpected_keys}
        told = [f"{kind} key(s) in state_dict: {_quoted(keys)}. " for kind, keys in lists.items() if keys]
        errors = told + errors
    if errors:
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(errors))
    return now.keys


def _quoted(keys: list[str]) -> str:
    return ", ".join(f'"{key}"' for key in keys)


def _swapped(tensor: Any, new: Any, assign: bool) -> None:
    with no_grad_quietly():
        loaded = tensor.module_load(new, assign=assign)
    if loaded is tensor or loaded is new:
        raise RuntimeError(f"module_load must return something new, not {'self' if loaded is tensor else 'other'}")
    if isinstance(tensor, Parameter):
        loaded = Parameter(loaded, tensor.requires_grad)
    swap_tensors(tensor, loaded)


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix off the paths of a state dict, in place: `module.` of what a wrapped model saved."""
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", {})
    for key in list(metadata):
        if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
            metadata[key[len(prefix) :]] = metadata.pop(key)


def _is_unknown(module: Any, own: dict[str, Any], key: str) -> bool:
    first, _, rest = key.partition(".")
    return first not in (module._modules if rest else own)


def _assigned(module: Any, name: str, make: Callable[[], Any], told: tuple[str, Any, Any]) -> str:
    """Put a tensor itself in its place; what is wrong with it, as integers where gradients are needed."""
    try:
        setattr(module, name, make())
    except RuntimeError as error:
        path, there, new = told
        return (
            f'While copying the parameter named "{path}", whose dimensions in the model are {there.shape} and whose '
            f"dimensions in the checkpoint are {new.shape}, an exception occurred : {error.args}."
        )
    return ""


def _put(module: Any, name: str, tensor: Any, path: str, new: Any, assign: bool) -> str:
    """Load one tensor; what is wrong with it, if anything is."""
    if not is_tensor(new):
        expected = "expected torch.Tensor or Tensor-like object from checkpoint but received"
        return f'While copying the parameter named "{path}", {expected} {type(new)}'
    if is_lazy(tensor) and is_lazy(new):
        return ""
    if not tensor.shape and new.shape == (1,):
        new = new[0]
    if new.shape != tensor.shape:
        checkpoint = f"size mismatch for {path}: copying a param with shape {new.shape} from checkpoint"
        return f"{checkpoint}, the shape in current model is {tensor.shape}."
    if tensor.is_meta and not new.is_meta and not assign:
        warnings.warn(IN_VAIN.format(path), UserWarning, stacklevel=users_level())
    if get_swap_module_params_on_conversion():
        _swapped(tensor, new, assign)
    elif not assign:
        with no_grad_quietly():
            tensor.copy_(new)
    elif isinstance(tensor, Parameter) and not isinstance(new, Parameter):
        return _assigned(module, name, lambda: Parameter(new, tensor.requires_grad), (path, tensor, new))
    else:
        return _assigned(module, name, lambda: new.requires_grad_(tensor.requires_grad), (path, tensor, new))
    return ""
