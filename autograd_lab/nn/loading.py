"""State dicts: a module's parameters and buffers by their paths, and back."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import no_grad_quietly
from autograd_lab.nn.parameter import Parameter
from autograd_lab.whose import users_level

IN_VAIN = (
    "for {}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a "
    "no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary to their corresponding key in "
    "the module instead of copying them in place?)"
)


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


def state_of(module: Any, destination: Any, prefix: str, keep_vars: bool) -> Any:
    """Parameters and persistent buffers by their paths: detached, unless `keep_vars`."""
    if destination is None:
        destination = OrderedDict()
        destination._metadata = OrderedDict()
    if hasattr(destination, "_metadata"):
        destination._metadata[prefix[:-1]] = {"version": module._version}
    for name, tensor in _own(module):
        if tensor is not None:
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
    for name, child in module._modules.items():
        if child is not None:
            child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
    return destination


def load(module: Any, state: Mapping[str, Any], strict: bool, assign: bool) -> IncompatibleKeys:
    """Copy (or with `assign`, put) tensors to where their paths say."""
    if not isinstance(state, Mapping):
        raise TypeError(f"Expected state_dict to be dict-like, got {type(state)}.")
    missing: list[str] = []
    unexpected: list[str] = []
    errors: list[str] = []
    for path, part in module.named_modules(remove_duplicate=False):
        prefix = f"{path}." if path else ""
        own = {name: tensor for name, tensor in _own(part) if tensor is not None}
        for name, tensor in own.items():
            if prefix + name not in state:
                missing.append(prefix + name)
            elif error := _put(part, name, tensor, prefix + name, state[prefix + name], assign):
                errors.append(error)
        unexpected += [key for key in state if key.startswith(prefix) and _is_unknown(part, own, key[len(prefix) :])]
    if strict:
        lists = {"Missing": missing, "Unexpected": unexpected}
        told = [f"{kind} key(s) in state_dict: {_quoted(keys)}. " for kind, keys in lists.items() if keys]
        errors = told + errors
    if errors:
        raise RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t" + "\n\t".join(errors))
    return IncompatibleKeys(missing, unexpected)


def _quoted(keys: list[str]) -> str:
    return ", ".join(f'"{key}"' for key in keys)


def _is_unknown(module: Any, own: dict[str, Any], key: str) -> bool:
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
