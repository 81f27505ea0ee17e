"""`weight_norm` as old programs have it: a hook makes the weight of the parameters `weight_g` and `weight_v`."""

from __future__ import annotations

import warnings
from typing import Any

from autograd_lab.nn.parameter import Parameter, is_lazy
from autograd_lab.nn.utils.parametrizations import norms
from autograd_lab.whose import users_level

DEPRECATED = "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`."

WITHOUT_SHAPE = (
    "The module passed to `{}` can't have uninitialized parameters. Make sure to run the dummy forward before applying "
    "{} normalization"
)


class WeightNorm:
    """w = g v / |v| before every call of a module."""

    def __init__(self, name: str, dim: int) -> None:
        self.name, self.dim = name, dim

    def compute_weight(self, module: Any) -> Any:
        """The weight that length and direction make."""
        g, v = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        return v * (g / norms(v, self.dim))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Have a weight be a length, `weight_g`, times a direction, `weight_v`: along `dim`, or as a whole."""
    warnings.warn(DEPRECATED, FutureWarning, stacklevel=users_level())
    if hook_for(module, name, WeightNorm) is not None:
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, -1 if dim is None else dim)
    weight = module._parameters[name]
    if is_lazy(weight):
        raise ValueError(WITHOUT_SHAPE.format("WeightNorm", "weight"))
    del module._parameters[name]
    module.register_parameter(name + "_g", Parameter(norms(weight, hook.dim).detach()))
    module.register_parameter(name + "_v", Parameter(weight.detach()))
    hook(module, ())
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """A weight of its own again."""
    at = hook_for(module, name, WeightNorm)
    if at is None:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    weight = module._forward_pre_hooks.pop(at).compute_weight(module)
    delattr(module, name)
    del module._parameters[name + "_g"], module._parameters[name + "_v"]
    setattr(module, name, Parameter(weight.detach()))
    return module


def hook_for(module: Any, name: str, kind: type) -> Any:
    """The key of the hook of a kind that makes a weight, if a module has one."""
    hooks = module._forward_pre_hooks.items()
    return next((at for at, hook in hooks if isinstance(hook, kind) and getattr(hook, "name", None) == name), None)
