"""Batches of distributions as one over more dimensions."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.distributions.utils import _sum_rightmost


class Independent(Distribution):
    """The last `reinterpreted_batch_ndims` dimensions of a batch are of one event: their log_probs add up."""

    arg_constraints: Any = {}
    base_dist: Any

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        count = len(base_distribution.batch_shape)
        if reinterpreted_batch_ndims > count:
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {count}"
            )
        shape = (*base_distribution.batch_shape, *base_distribution.event_shape)
        kept = count - reinterpreted_batch_ndims
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        super().__init__(shape[:kept], shape[kept:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(Independent, _instance)
        dims = self.event_shape[: self.reinterpreted_batch_ndims]
        new.base_dist = self.base_dist.expand((*batch_shape, *dims))
        return super().expand(batch_shape, new)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """As the distribution has it."""
        return bool(self.base_dist.has_rsample)

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        """As the distribution has it, unless dimensions were taken."""
        return False if self.reinterpreted_batch_ndims else bool(self.base_dist.has_enumerate_support)

    @constraints.dependent_property
    def support(self) -> Any:
        """That of the distribution, all along the dimensions."""
        support = self.base_dist.support
        count = self.reinterpreted_batch_ndims
        return constraints.independent(support, count) if count else support

    @property
    def mean(self) -> Any:
        return self.base_dist.mean

    @property
    def mode(self) -> Any:
        return self.base_dist.mode

    @property
    def variance(self) -> Any:
        return self.base_dist.variance

    def sample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.base_dist.rsample(sample_shape)

    def enumerate_support(self, expand: bool = True) -> Any:
        if self.reinterpreted_batch_ndims:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def log_prob(self, value: Any) -> Any:
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Any:
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def __repr__(self) -> str:
        return f"Independent({self.base_dist}, {self.reinterpreted_batch_ndims})"
