"""`spectral_norm` as old programs have it: `weight_orig` is the parameter, and a hook makes the weight of it."""

from __future__ import annotations

from typing import Any

from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.ops.loss.similarity import normalize
from autograd_lab.engine.tensor.random import normal
from autograd_lab.nn.parameter import Parameter, is_lazy
from autograd_lab.nn.utils.weight_norm import WITHOUT_SHAPE, hook_for


class SpectralNorm:
    """w / σ before every call of a module: σ is the most by which w stretches a vector (Miyato et al., 2018)."""

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def matrix(self, weight: Any) -> Any:
        """The weight with a row for each output."""
        others = [at for at in range(weight.dim()) if at != self.dim]
        return weight.permute(self.dim, *others).reshape(weight.size(self.dim), -1)

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Any:
        """The weight over σ, as `weight_u` and `weight_v` know it after one more round of power iteration."""
        weight, u, v = (getattr(module, self.name + end) for end in ("_orig", "_u", "_v"))
        matrix = self.matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                    u.copy_(normalize(matrix.mv(v), dim=0, eps=self.eps))
            u, v = u.clone(), v.clone()
        return weight / u.dot(matrix.mv(v))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, module.training))


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Have a weight stretch no vector by more than 1, as far as so many iterations a call know it."""
    if hook_for(module, name, SpectralNorm) is not None:
        raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
    along = dim if dim is not None else int("ConvTranspose" in type(module).__name__)
    hook, weight = SpectralNorm(name, n_power_iterations, along, eps), module._parameters[name]
    if weight is None:
        raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    if is_lazy(weight):
        raise ValueError(WITHOUT_SHAPE.format("SpectralNorm", "spectral"))
    rows, columns = hook.matrix(weight.detach()).shape
    u, v = (normalize(normal(0.0, 1.0, (size,), dtype=weight.dtype), dim=0, eps=eps) for size in (rows, columns))
    del module._parameters[name]
    module.register_parameter(name + "_orig", weight)
    setattr(module, name, weight.data)
    module.register_buffer(name + "_u", u)
    module.register_buffer(name + "_v", v)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """A weight of its own again."""
    at = hook_for(module, name, SpectralNorm)
    if at is None:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    with no_grad():
        weight = module._forward_pre_hooks.pop(at).compute_weight(module, do_power_iteration=False)
    for end in ("", "_u", "_v", "_orig"):
        delattr(module, name + end)
    module.register_parameter(name, Parameter(weight.detach()))
    return module
