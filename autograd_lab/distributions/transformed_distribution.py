"""What becomes of a distribution by a transform."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.independent import Independent
from autograd_lab.distributions.transforms import ComposeTransform, Transform
from autograd_lab.distributions.utils import _sum_rightmost
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.numbers.dtypes import Size


class TransformedDistribution(Distribution):
    """y = f(x) for draws x: log p(y) = log p(x) - log |dy/dx|."""

    arg_constraints: Any = {}
    base_dist: Any

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        self.transforms = _listed(transforms)
        whole = ComposeTransform(self.transforms)
        shape, events = base_distribution.batch_shape + base_distribution.event_shape, base_distribution.event_shape
        takes, gives = whole.domain.event_dim, whole.codomain.event_dim
        if len(shape) < takes:
            raise ValueError(f"base_distribution needs to have shape with size at least {takes}, but got {shape}.")
        forth = whole.forward_shape(shape)
        back = whole.inverse_shape(forth)
        if shape != back:
            base_distribution = base_distribution.expand(back[: len(back) - len(events)])
        more = takes - len(events)
        self.base_dist = Independent(base_distribution, more) if more > 0 else base_distribution
        cut = len(forth) - max(gives, len(events) + gives - takes)
        super().__init__(forth[:cut], forth[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        shape = Size(batch_shape) + self.event_shape
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        return new

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """As the distribution that is transformed has it."""
        return bool(self.base_dist.has_rsample)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """What the last transform gives."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        missing = len(self.event_shape) - support.event_dim
        return constraints.independent(support, missing) if missing > 0 else support

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
        dims = len(self.event_shape)
        for transform in reversed(self.transforms):
            before = transform.inv(value)
            dims += transform.domain.event_dim - transform.codomain.event_dim
            slope = transform.log_abs_det_jacobian(before, value)
            total = total - _sum_rightmost(slope, dims - transform.domain.event_dim)
            value = before
        return total + _sum_rightmost(self.base_dist.log_prob(value), dims - len(self.base_dist.event_shape))

    def cdf(self, value: Any) -> Any:
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        self.base_dist._validate_sample(value)
        return self._turned(self.base_dist.cdf(value))

    def icdf(self, value: Any) -> Any:
        return self._through(self.base_dist.icdf(self._turned(value)))

    def _turned(self, value: Any) -> Any:
        """A probability, or the rest of it where the order is reversed."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5


def _listed(transforms: Any) -> list[Any]:
    """Transforms as a list. Raises ValueError for anything else."""
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
    if not all(isinstance(one, Transform) for one in transforms):
        raise ValueError("transforms must be a Transform or a list of Transforms")
    return transforms
