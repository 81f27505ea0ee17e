"""Between 0 and 1, with the density of a Bernoulli distribution (Loaiza-Ganem and Cunningham, 2019)."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.distribution import OfOdds
from autograd_lab.distributions.exp_family import ExponentialFamily
from autograd_lab.distributions.utils import broadcast_all, clamp_probs, lazy_property
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.ops.loss.entropies import binary_cross_entropy_with_logits
from autograd_lab.engine.ops.pointwise.selection import where
from autograd_lab.engine.tensor.factories import ones_like, zeros_like
from autograd_lab.engine.tensor.randomness import rand

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(OfOdds, ExponentialFamily):
    """Density in proportion to probs^x (1 - probs)^(1 - x); near 1/2, between `lims`, by a Taylor polynomial."""

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self, probs: Any = None, logits: Any = None, lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:  # fmt: skip
        self._take(probs, logits)
        if logits is None:
            if validate_args is not None and not bool(constraints.unit_interval.check(self.probs).all()):
                raise ValueError("The parameter probs has invalid values")
            self._param = self.__dict__["probs"] = clamp_probs(self.probs)
        self._lims = lims
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = super().expand(batch_shape, _instance)
        new._lims = self._lims
        return new

    @lazy_property
    def probs(self) -> Any:
        """The parameter, neither 0 nor 1."""
        return clamp_probs(self.logits.sigmoid())

    def _far(self) -> Any:
        """Where the parameter is far enough from 1/2."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut(self) -> Any:
        return where(self._far(), self.probs, self._lims[0] * ones_like(self.probs))

    def _cont_bern_log_norm(self) -> Any:
        cut = self._cut()
        below = where(cut <= 0.5, cut, zeros_like(cut))
        above = where(cut >= 0.5, cut, ones_like(cut))
        size = where(cut <= 0.5, (-2.0 * below).log1p(), (2.0 * above - 1.0).log())
        log = ((-cut).log1p() - cut.log()).abs().log() - size
        x = (self.probs - 0.5).pow(2)
        return where(self._far(), log, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Any:
        cut = self._cut()
        exact = cut / (2.0 * cut - 1.0) + 1.0 / ((-cut).log1p() - cut.log())
        x = self.probs - 0.5
        return where(self._far(), exact, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x)

    @property
    def variance(self) -> Any:
        cut = self._cut()
        exact = cut * (cut - 1.0) / (1.0 - 2.0 * cut).pow(2) + 1.0 / ((-cut).log1p() - cut.log()).pow(2)
        x = (self.probs - 0.5).pow(2)
        return where(self._far(), exact, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def sample(self, sample_shape: Any = ()) -> Any:
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.icdf(rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Any) -> Any:
        self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value: Any) -> Any:
        self._validate_sample(value)
        cut = self._cut()
        exact = (cut.pow(value) * (1.0 - cut).pow(1.0 - value) + cut - 1.0) / (2.0 * cut - 1.0)
        inside = where(self._far(), exact, value)
        return where(value <= 0.0, zeros_like(value), where(value >= 1.0, ones_like(value), inside))

    def icdf(self, value: Any) -> Any:
        cut = self._cut()
        log = (-cut).log1p()
        exact = ((-cut + value * (2.0 * cut - 1.0)).log1p() - log) / (cut.log() - log)
        return where(self._far(), exact, value)

    def entropy(self) -> Any:
        no, yes = (-self.probs).log1p(), self.probs.log()
        return self.mean * (no - yes) - self._cont_bern_log_norm() - no

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (self.logits,)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        (x,) = natural_params
        low, high = (one - 0.5 for one in self._lims)
        far = (x <= low) | (x > high)
        cut = where(far, x, low * ones_like(x))
        exact = cut.expm1().abs().log() - cut.abs().log()
        return where(far, exact, 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0)
