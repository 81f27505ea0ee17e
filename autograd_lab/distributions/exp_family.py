"""`ExponentialFamily`: distributions whose density is e^(t(x) · θ - F(θ) + k(x)), with natural parameters θ."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions.distribution import Distribution
from autograd_lab.engine.exact.gradients import grad

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """What knows its natural parameters and its log-normalizer F: entropy and divergence follow from F's gradient."""

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        raise NotImplementedError

    def _slopes(self) -> tuple[list[Any], Any, tuple[Any, ...]]:
        """The natural parameters, cut off from what they come from, F of them, and its gradient."""
        natural = [one.detach().requires_grad_() for one in self._natural_params]
        normalizer = self._log_normalizer(*natural)
        return natural, normalizer, grad(normalizer.sum(), natural, create_graph=True)

    def entropy(self) -> Any:
        measure = self._mean_carrier_measure
        natural, normalizer, slopes = self._slopes()
        found = -measure + normalizer
        for one, slope in zip(natural, slopes, strict=True):
            found = found - (one * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return found
