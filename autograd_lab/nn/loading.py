"""State dicts: a module's parameters and buffers by their paths, and back."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import no_grad_quietly
from autograd_lab.engine.modes.handles import RemovableHandle
from autograd_lab.nn.hooks import ModuleHooks, hooks_of, hung
from autograd_lab.nn.parameter import Parameter
from autograd_lab.nn.tree import Tree
from autograd_lab.whose import users_level

IN_VAIN = (
    "for {}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a "
    "no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key in "
    "the module instead of copying them in place?)"
)
POSITIONAL = (
    "Positional args are being deprecated, use kwargs instead. Refer to "
    "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details."
)
RETURNS = (
    "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, if "
    "incompatible_keys need to be modified, it should be done inplace."
)
NEVER_CALLED = (
    "Reached a code path in Module.{}_extra_state() that should never be called. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
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


class Saved(Tree):
    """What a module's `state_dict` is made of, and how it is loaded: methods to override, and hooks to hang up."""

    _version: int = 1
    _hooks: ModuleHooks | None = None

    def _with_hooks(self) -> ModuleHooks:
        if self._hooks is None:
            self._hooks = ModuleHooks()
        return self._hooks

    _state_dict_pre_hooks, _state_dict_hooks = hooks_of("saving"), hooks_of("saved")
    _load_state_dict_pre_hooks, _load_state_dict_post_hooks = hooks_of("loading"), hooks_of("loaded")

    def state_dict(
        self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False
    ) -> Any:  # fmt: skip
        """All parameters and persistent buffers by their paths, in the same memory: detached, unless `keep_vars`."""
        if args:
            warnings.warn(POSITIONAL, FutureWarning, stacklevel=users_level())
            given = dict(zip(("destination", "prefix", "keep_vars"), args, strict=False))
            destination, prefix = destination or given["destination"], prefix or given.get("prefix", "")
            keep_vars = keep_vars or given.get("keep_vars", False)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        about = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = about
        hooks = self._hooks or NONE
        for hook in hooks.saving.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in hooks.saved.values():
            destination = _replaced(hook, hook(self, destination, prefix, about), destination)
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Put in what is the module's own, and not of those below it."""
        for name, tensor in _own(self):
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not Saved.get_extra_state:
            destination[prefix + EXTRA] = self.get_extra_state()

    def get_extra_state(self) -> Any:
        """What else is to be saved, if a subclass says so. It has to be of what `torch.save` can write."""
        raise RuntimeError(NEVER_CALLED.format("get"))

    def set_extra_state(self, state: Any) -> None:
        """Take over what `get_extra_state` gave."""
        raise RuntimeError(NEVER_CALLED.format("set"))

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy the tensors of a `state_dict` into parameters and buffers. Raises RuntimeError if they do not fit."""
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        found = IncompatibleKeys([], [])
        errors: list[str] = []
        state: Any = OrderedDict(state_dict)  # which `_load_from_state_dict` may change
        metadata = getattr(state_dict, "_metadata", None)
        if metadata is not None:
            state._metadata = metadata
        _load(self, state, "", metadata or {}, assign, found, errors)
        if strict:
            lists = {"Missing": found.missing_keys, "Unexpected": found.unexpected_keys}
            told = [f"{kind} key(s) in state_dict: {_quoted(keys)}. " for kind, keys in lists.items() if keys]
            errors = told + errors
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
        return IncompatibleKeys(found.missing_keys, found.unexpected_keys)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        """Take over what is the module's own, and note what does not fit."""
        for hook, with_module in (self._hooks or NONE).loading.values():
            before = (self,) if with_module else ()
            hook(*before, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own, assign = dict(_own(self)), local_metadata.get("assign_to_params_buffers", False)
        for name, tensor in own.items():
            if prefix + name not in state_dict:
                missing_keys += [prefix + name] if strict else []
            elif error := _put(self, name, tensor, prefix + name, state_dict[prefix + name], assign):
                error_msgs.append(error)
        known, extra = {*own}, prefix + EXTRA
        if type(self).set_extra_state is not Saved.set_extra_state:
            known.add(EXTRA)
            if extra in state_dict:
                self.set_extra_state(state_dict[extra])
            elif strict:
                missing_keys.append(extra)
        if strict:
            keys = [key for key in state_dict if key.startswith(prefix)]
            keys.sort(key=lambda key: key != extra)
            unexpected_keys += [key for key in keys if _is_unknown(self, known, key[len(prefix) :])]

    # --- hooks -----------------------------------------------------------------------------------------------------

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(module, prefix, keep_vars)` called before the module's state is put into a `state_dict`."""
        return hung(self._with_hooks().saving, hook, False)

    def register_state_dict_post_hook(self, hook: Any) -> RemovableHandle:
        """Have `hook(module, state_dict, prefix, local_metadata)` called when it is in, to change it in place."""
        hook._from_public_api = True
        return hung(self._with_hooks().saved, hook, False)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The same, but what the hook of the outermost module returns is the `state_dict`."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return hung(self._with_hooks().saved, hook, False)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(module, …)` called with what `_load_from_state_dict` is called with, before that loads."""
        return self._register_load_state_dict_pre_hook(hook, True)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:  # fmt: skip
        """The same, without the module unless `with_module`."""
        return hung(self._with_hooks().loading, (hook, with_module), False)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(module, incompatible_keys)` called when the module is loaded, to change the keys in place."""
        return hung(self._with_hooks().loaded, hook, False)


NONE = ModuleHooks()
"""The hooks of a module that has none."""


def _own(module: Any) -> Iterator[tuple[str, Any]]:
    """A module's own parameters and persistent buffers."""
    yield from ((name, tensor) for name, tensor in module._parameters.items() if tensor is not None)
    for name, buffer in module._buffers.items():
        if buffer is not None and name not in module._non_persistent_buffers_set:
            yield name, buffer


def _replaced(hook: Any, result: Any, destination: Any) -> Any:
    """What goes on as the state dict after a hook."""
    if result is None:
        return destination
    if getattr(hook, "_from_public_api", False):
        raise RuntimeError("state_dict post-hook must return None")
    return result


def _load(
    module: Any, state: Any, prefix: str, metadata: Any, assign: bool, found: IncompatibleKeys, errors: list[str]
) -> None:  # fmt: skip
    """Have a module load its own, and then those below it."""
    about = metadata.get(prefix[:-1], {})
    if assign:
        about["assign_to_params_buffers"] = assign
    module._load_from_state_dict(state, prefix, about, True, found.missing_keys, found.unexpected_keys, errors)
    for name, child in module._modules.items():
        if child is not None:
            below = f"{prefix}{name}."
            part = {key: value for key, value in state.items() if key.startswith(below)}
            _load(child, part, below, metadata, assign, found, errors)
    for hook in (module._hooks or NONE).loaded.values():
        if hook(module, found) is not None:
            raise AssertionError(RETURNS)


def _quoted(keys: list[str]) -> str:
    return ", ".join(f'"{key}"' for key in keys)


def _is_unknown(module: Any, own: set[str], key: str) -> bool:
    first, _, rest = key.partition(".")
    return first not in (module._modules if rest else own)


def _put(module: Any, name: str, tensor: Any, path: str, new: Any, assign: bool) -> str:
    """Load one tensor; what is wrong with it, if anything is."""
    if not is_tensor(new):
        expected = "expected torch.Tensor or Tensor-like object from checkpoint but received"
        return f'While copying the parameter named "{path}", {expected} {type(new)}'
    if not tensor.shape and new.shape == (1,):
        new = new[0]
    if new.shape != tensor.shape:
        checkpoint = f"size mismatch for {path}: copying a param with shape {new.shape} from checkpoint"
        return f"{checkpoint}, the shape in current model is {tensor.shape}."
    if tensor.is_meta and not new.is_meta and not assign:
        warnings.warn(IN_VAIN.format(path), UserWarning, stacklevel=users_level())
    if not assign:
        with no_grad_quietly():
            tensor.copy_(new)
    elif isinstance(tensor, Parameter) and not isinstance(new, Parameter):
        setattr(module, name, Parameter(new, tensor.requires_grad))
    else:
        setattr(module, name, new.requires_grad_(tensor.requires_grad))
    return ""
