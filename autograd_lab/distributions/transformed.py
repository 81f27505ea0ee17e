"""What becomes of a distribution by a transform; the log-normal one."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.independent import summed
from autograd_lab.distributions.normal import Normal
from autograd_lab.distributions.transforms import ExpTransform, Transform
from autograd_lab.engine.modes.grad_mode import no_grad


class TransformedDistribution(Distribution):
    """y = f(x) for draws x: log p(y) = log p(x) - log |dy/dx|."""

    arg_constraints: Any = {}
    base_dist: Any

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        self.transforms = [transforms] if isinstance(transforms, Transform) else list(transforms)
        if not all(isinstance(one, Transform) for one in self.transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.base_dist = base_distribution
        shape = (*base_distribution.batch_shape, *base_distribution.event_shape)
        events = max(len(base_distribution.event_shape), *(one.event_dim for one in self.transforms), 0)
        super().__init__(shape[: len(shape) - events], shape[len(shape) - events :], validate_args=validate_args)

    def expand(self, batch_shape: Any) -> Any:
        new = super().expand(batch_shape)
        extra = self.event_shape[: len(self.event_shape) - len(self.base_dist.event_shape)]
        new.base_dist = self.base_dist.expand((*batch_shape, *extra))
        return new

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """As the distribution that is transformed has it."""
        return bool(self.base_dist.has_rsample)

    @property
    def support(self) -> Any:
        """What the last transform gives."""
        support = self.transforms[-1].codomain if self.transforms else self.base_dist.support
        missing = len(self.event_shape) - support.event_dim
        return constraints.independent(support, missing) if missing else support

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            return self._through(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self._through(self.base_dist.rsample(sample_shape))

    def _through(self, x: Any) -> Any:
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        total: Any = 0.0
        events = len(self.event_shape)
        for transform in reversed(self.transforms):
            before = transform.inv(value)
            total = total - summed(transform.log_abs_det_jacobian(before, value), events - transform.event_dim)
            value = before
        return total + summed(self.base_dist.log_prob(value), events - len(self.base_dist.event_shape))

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        return self._turned(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Any:
        return self._through(self.base_dist.icdf(self._turned(value)))

    def _turned(self, value: Any) -> Any:
        """A probability, or the rest of it where the order is reversed."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5


class LogNormal(TransformedDistribution):
    """e to what is normal around `loc` with the standard deviation `scale`."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Any:
        """The mean of the logarithm."""
        return self.base_dist.loc

    @property
    def scale(self) -> Any:
        """The standard deviation of the logarithm."""
        return self.base_dist.scale

    @property
    def mean(self) -> Any:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Any:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Any:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Any:
        return self.base_dist.entropy() + self.loc
