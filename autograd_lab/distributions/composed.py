"""One transform after another."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.transform import Transform
from autograd_lab.distributions.utils import _sum_rightmost, lazy_property
from autograd_lab.engine.tensor.factories import zeros_like


class ComposeTransform(Transform):
    """One transform after another."""

    def __init__(self, parts: Any, cache_size: int = 0) -> None:
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and bool(self.parts == other.parts)

    __hash__ = None

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """What the first takes, over as many dimensions as any of them needs."""
        if not self.parts:
            return constraints.real
        dims = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dims = max(dims + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return _over(self.parts[0].domain, dims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """What the last gives, over as many dimensions as any of them needs."""
        if not self.parts:
            return constraints.real
        dims = self.parts[0].domain.event_dim
        for part in self.parts:
            dims = max(dims + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return _over(self.parts[-1].codomain, dims)

    @lazy_property
    def bijective(self) -> bool:
        """Whether all are."""
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self) -> Any:
        """Whether all together keep the order."""
        sign: Any = 1
        for part in self.parts:
            sign = sign * part.sign
        return sign

    @property
    def inv(self) -> Any:
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def with_cache(self, cache_size: int = 1) -> Any:
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x: Any) -> Any:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        if not self.parts:
            return zeros_like(x)
        xs = [x]
        for part in self.parts[:-1]:
            xs.append(part(xs[-1]))
        terms, dims = [], self.domain.event_dim
        for part, before, after in zip(self.parts, xs, [*xs[1:], y], strict=True):
            terms.append(_sum_rightmost(part.log_abs_det_jacobian(before, after), dims - part.domain.event_dim))
            dims += part.codomain.event_dim - part.domain.event_dim
        return reduce(add, terms)

    def forward_shape(self, shape: Any) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


def _over(constraint: Any, dims: int) -> Any:
    """The constraint, over so many dimensions."""
    more = dims - constraint.event_dim
    return constraints.independent(constraint, more) if more > 0 else constraint


identity_transform = ComposeTransform([])
