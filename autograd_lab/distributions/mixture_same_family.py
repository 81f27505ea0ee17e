"""One of several distributions, chosen at random."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.categorical import Categorical
from autograd_lab.distributions.constraint import MixtureSameFamilyConstraint
from autograd_lab.distributions.distribution import Distribution
from autograd_lab.engine.modes.grad_mode import no_grad


class MixtureSameFamily(Distribution):
    """A component for each class of a categorical distribution, along the last dimension of their batch."""

    arg_constraints: Any = {}

    def __init__(
        self, mixture_distribution: Categorical, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution need to be an instance of torch.distributions.Distribution")
        count, components = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if count != components:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` "
                f"({components})"
            )
        self.mixture_distribution, self.component_distribution = mixture_distribution, component_distribution
        super().__init__(
            component_distribution.batch_shape[:-1], component_distribution.event_shape, validate_args=validate_args
        )

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        components = self.component_distribution
        new.component_distribution = components.expand((*batch_shape, *components.batch_shape[-1:]))
        new.mixture_distribution = self.mixture_distribution.expand(batch_shape)
        return super().expand(batch_shape, new)

    @constraints.dependent_property
    def support(self) -> Any:
        """That of the components, each of which may have made the value."""
        return MixtureSameFamilyConstraint(self.component_distribution.support)

    def _weighted(self, values: Any) -> Any:
        """The mean over the components."""
        events = len(self._event_shape)
        weights = self.mixture_distribution.probs
        return (weights.reshape(*weights.shape, *(1,) * events) * values).sum(-1 - events)

    @property
    def mean(self) -> Any:
        return self._weighted(self.component_distribution.mean)

    @property
    def variance(self) -> Any:
        away = self.component_distribution.mean - self._padded(self.mean)
        return self._weighted(self.component_distribution.variance) + self._weighted(away.pow(2.0))

    def _padded(self, value: Any) -> Any:
        return value.unsqueeze(-1 - len(self._event_shape))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        each = self.component_distribution.log_prob(self._padded(value))
        return (each + self.mixture_distribution.logits.log_softmax(-1)).logsumexp(dim=-1)

    def cdf(self, value: Any) -> Any:
        each = self.component_distribution.cdf(self._padded(value))
        return (each * self.mixture_distribution.probs).sum(-1)

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            chosen = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            at = len(sample_shape) + len(self._batch_shape)
            index = chosen.reshape(*chosen.shape, *(1,) * (len(self._event_shape) + 1))
            return drawn.gather(at, index.expand(*chosen.shape, 1, *self._event_shape)).squeeze(at)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
