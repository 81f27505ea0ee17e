"""Weights of a given size: a length times a direction (`weight_norm`), or over what they stretch (`spectral_norm`)."""

from __future__ import annotations

from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.ops.loss.similarity import normalize
from autograd_lab.engine.tensor.random import normal
from autograd_lab.nn.module import Module
from autograd_lab.nn.utils.orthogonal import _OrthMaps as _OrthMaps
from autograd_lab.nn.utils.orthogonal import _Orthogonal as _Orthogonal
from autograd_lab.nn.utils.orthogonal import orthogonal as orthogonal
from autograd_lab.nn.utils.parametrize import register_parametrization


def norms(v: Any, dim: int | None) -> Any:
    """The norm of each slice along `dim`, in a shape that broadcasts with v; of all of it, for None or -1."""
    if dim is None or dim == -1:
        return v.norm()
    others = [at for at in range(v.dim()) if at != dim % v.dim()]
    return v.pow(2).sum(others, keepdim=True).sqrt() if others else v.abs()


class _WeightNorm(Module):
    """w = g v / |v| (Salimans and Kingma, 2016)."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        return weight_v * (weight_g / norms(weight_v, self.dim))

    def right_inverse(self, weight: Any) -> Any:
        """Length and direction of a weight."""
        return norms(weight, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Have a weight be a length, `original0`, times a direction, `original1`: along `dim`, or as a whole."""
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def read_older(state_dict: Any, prefix: str, *_: Any) -> None:
        """What `torch.nn.utils.weight_norm` saved: length and direction by their older names."""
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for number, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{number}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(read_older)
    return module


class _SpectralNorm(Module):
    """w / σ, where σ is the most by which w stretches a vector, as power iteration knows it (Miyato et al., 2018)."""

    _u: Any
    _v: Any

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if not -weight.dim() <= dim < weight.dim():
            known = f"[-{weight.dim()}, {weight.dim() - 1}]"
            raise IndexError(f"Dimension out of range (expected to be in range of {known} but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + weight.dim()
        self.n_power_iterations, self.eps = n_power_iterations, eps
        if weight.dim() > 1:
            with no_grad():
                rows, columns = self._matrix(weight).shape
                for name, size in (("_u", rows), ("_v", columns)):
                    drawn = normal(0.0, 1.0, (size,), dtype=weight.dtype)
                    self.register_buffer(name, normalize(drawn, dim=0, eps=eps))
                self._iterate(self._matrix(weight), 15)

    def _matrix(self, weight: Any) -> Any:
        if self.dim:
            order = [self.dim, *(at for at in range(weight.dim()) if at != self.dim)]
            weight = weight.permute(*order)
        return weight.flatten(1)

    def _iterate(self, matrix: Any, times: int) -> None:
        with no_grad():
            for _ in range(times):
                self._u = normalize(matrix @ self._v, dim=0, eps=self.eps)
                self._v = normalize(matrix.T @ self._u, dim=0, eps=self.eps)

    def forward(self, weight: Any) -> Any:
        if weight.dim() == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / u.dot(matrix @ v)

    def right_inverse(self, value: Any) -> Any:
        """The weight itself: that it has the right size is not checked."""
        return value


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Have a weight stretch no vector by more than 1, as far as so many iterations a step know it."""
    weight = getattr(module, name, None)
    if not is_tensor(weight):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    along = dim if dim is not None else int("ConvTranspose" in type(module).__name__)
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, along, eps))
