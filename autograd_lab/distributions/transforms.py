"""Functions that can be undone, of which the density of what they make is known."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.independent import summed
from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.ops.activation.sigmoids import softplus
from autograd_lab.engine.tensor.factories import full_like, zeros_like


class Transform:
    """y = f(x), x from y, and log |dy/dx|."""

    domain: Any = constraints.real
    codomain: Any = constraints.real
    bijective = True
    sign: Any = 1
    event_dim = 0

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")

    @property
    def inv(self) -> Transform:
        """What undoes it."""
        return _Inverse(self)

    def __call__(self, x: Any) -> Any:
        raise NotImplementedError

    def _inverse(self, y: Any) -> Any:
        raise NotImplementedError

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """log |dy/dx|."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__dict__ == other.__dict__

    __hash__ = object.__hash__


class _Inverse(Transform):
    """What undoes another transform."""

    def __init__(self, forth: Transform) -> None:
        super().__init__()
        self._forth = forth
        self.domain, self.codomain, self.sign = forth.codomain, forth.domain, forth.sign
        self.bijective, self.event_dim = forth.bijective, forth.event_dim

    @property
    def inv(self) -> Transform:
        return self._forth

    def __call__(self, x: Any) -> Any:
        return self._forth._inverse(x)

    def _inverse(self, y: Any) -> Any:
        return self._forth(y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self._forth.log_abs_det_jacobian(y, x)

    def __repr__(self) -> str:
        return f"_InverseTransform({self._forth!r})"


class ExpTransform(Transform):
    """y = e^x."""

    codomain = constraints.positive

    def __call__(self, x: Any) -> Any:
        return x.exp()

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class AffineTransform(Transform):
    """y = loc + scale x."""

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self.event_dim = loc, scale, event_dim
        self.domain = constraints.independent(constraints.real, event_dim) if event_dim else constraints.real
        self.codomain = self.domain

    @property
    def sign(self) -> Any:
        """Whether it keeps the order."""
        return self.scale.sign() if is_tensor(self.scale) else (self.scale > 0) - (self.scale < 0)

    def __call__(self, x: Any) -> Any:
        return self.loc + self.scale * x

    def _inverse(self, y: Any) -> Any:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        size = self.scale.abs().log() if is_tensor(self.scale) else full_like(x, math.log(abs(self.scale)))
        return summed(size.expand(x.shape), self.event_dim)


class SigmoidTransform(Transform):
    """y = 1 / (1 + e^-x)."""

    codomain = constraints.unit_interval

    def __call__(self, x: Any) -> Any:
        return x.sigmoid()

    def _inverse(self, y: Any) -> Any:
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x) - softplus(x)


class TanhTransform(Transform):
    """y = tanh x."""

    codomain = constraints.interval(-1.0, 1.0)

    def __call__(self, x: Any) -> Any:
        return x.tanh()

    def _inverse(self, y: Any) -> Any:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class PowerTransform(Transform):
    """y = x^exponent, for positive x."""

    domain = codomain = constraints.positive

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent = exponent

    def __call__(self, x: Any) -> Any:
        return x.pow(self.exponent)

    def _inverse(self, y: Any) -> Any:
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return (self.exponent * y / x).abs().log()


class AbsTransform(Transform):
    """y = |x|, which cannot be undone."""

    codomain = constraints.nonnegative
    bijective = False

    def __call__(self, x: Any) -> Any:
        return x.abs()

    def _inverse(self, y: Any) -> Any:
        return y


class ComposeTransform(Transform):
    """One transform after another."""

    def __init__(self, parts: list[Any], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = parts
        self.domain = parts[0].domain if parts else constraints.real
        self.codomain = parts[-1].codomain if parts else constraints.real
        self.bijective = all(part.bijective for part in parts)
        self.event_dim = max([part.event_dim for part in parts], default=0)

    @property
    def sign(self) -> Any:
        """Whether all together keep the order."""
        return math.prod(part.sign for part in self.parts)

    def __call__(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x

    def _inverse(self, y: Any) -> Any:
        for part in reversed(self.parts):
            y = part.inv(y)
        return y

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        total = summed(zeros_like(x), self.event_dim)
        for part in self.parts:
            after = part(x)
            total = total + summed(part.log_abs_det_jacobian(x, after), self.event_dim - part.event_dim)
            x = after
        return total

    def __repr__(self) -> str:
        return "ComposeTransform(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


identity_transform = ComposeTransform([])
