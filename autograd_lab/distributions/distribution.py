"""`Distribution`: what all probability distributions have."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from autograd_lab.distributions import constraints
from autograd_lab.distributions.constraints import Constraint, is_dependent
from autograd_lab.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits
from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import no_grad
from autograd_lab.engine.numbers.dtypes import Size
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.whose import users_level

Shape = tuple[int, ...]
NO_CONSTRAINTS = (
    "{} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize the distribution with "
    "`validate_args=False` to turn off validation."
)
NO_SUPPORT = (
    "{} does not define `support` to enable sample validation. Please initialize the distribution with "
    "`validate_args=False` to turn off validation."
)
NEVER_BOTH = "Either `probs` or `logits` must be specified, but not both."


@property  # type: ignore[misc]  # each subclass has its own
def _property_of_a_subclass(self: Any) -> Any:
    raise NotImplementedError


class Distribution:
    """A batch of distributions; each draw of one is an event.

    A subclass sets its parameters as attributes before it calls `__init__` here, says in `arg_constraints` what they
    must satisfy and in `event_dims` which of them belong to an event, and has `rsample` (or `sample`) and `log_prob`.
    """

    has_rsample: ClassVar[bool] = False
    has_enumerate_support: ClassVar[bool] = False
    arg_constraints: Any = _property_of_a_subclass
    support: Any = _property_of_a_subclass
    event_dims: ClassVar[Mapping[str, int]] = {}
    """How many of a parameter's last dimensions are of one event; 0 for those that are not named."""
    shows_parameters: ClassVar[bool] = True
    """Whether it is printed with them; in PyTorch, those that stand on another distribution are not."""
    _validate_args: bool = True

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Whether parameters and values are checked, unless a distribution is told otherwise."""
        if not isinstance(value, bool):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    def _check_parameters(self) -> None:
        try:
            told: Mapping[str, Constraint] = self.arg_constraints
        except NotImplementedError:
            told = {}
            warnings.warn(NO_CONSTRAINTS.format(self.__class__), stacklevel=users_level())
        for name, constraint in told.items():
            computed = type(getattr(type(self), name, None)) is property
            value = getattr(self, name) if computed else self.__dict__.get(name)
            if value is None or is_dependent(constraint) or bool(constraint.check(value).all()):
                continue
            raise ValueError(
                f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
            )

    # --- shapes ----------------------------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> Size:
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one draw of one distribution."""
        return self._event_shape

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        """The same distributions, repeated to this batch shape; of a subclass, in a distribution that it has begun."""
        new: Self = object.__new__(type(self)) if _instance is None else _instance
        for name, value in self.__dict__.items():
            if name.startswith("_") or name in new.__dict__:
                continue
            if is_tensor(value):
                event = tuple(value.shape[value.dim() - self.event_dims.get(name, 0) :])
                value = value.expand(*batch_shape, *event)
            new.__dict__[name] = value
        new._batch_shape, new._event_shape = Size(batch_shape), self._event_shape
        new._validate_args = self._validate_args
        return new

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """A bare distribution for `expand` to fill. Raises NotImplementedError for a subclass made in its own way."""
        if _instance is None and type(self).__init__ != cls.__init__:  # type: ignore[misc]
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return object.__new__(type(self)) if _instance is None else _instance

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        return Size((*sample_shape, *self._batch_shape, *self._event_shape))

    # --- what it is like -------------------------------------------------------------------------------------------

    @property
    def mean(self) -> Tensor:
        """The mean of each distribution."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """The most likely event of each."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """The variance of each."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """The standard deviation of each."""
        return self.variance.sqrt()

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draws of this shape from each; no gradient flows through them."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draws as functions of the parameters, to which gradients flow (the reparameterisation trick)."""
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """An old name of `sample((n,))`."""
        message = "`sample_n(n)` will be deprecated. Use `sample((n,))` instead."
        warnings.warn(message, FutureWarning, stacklevel=users_level())
        return self.sample((n,))

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the probability, or of its density, at a value."""
        raise NotImplementedError

    def cdf(self, value: Any) -> Tensor:
        """The probability of a draw that is at most a value."""
        raise NotImplementedError

    def icdf(self, value: Any) -> Tensor:
        """Below what a draw is with this probability."""
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values that there are, along a first dimension."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The mean of -log_prob."""
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """e to the entropy."""
        return self.entropy().exp()

    def _validate_sample(self, value: Any) -> None:
        """Raise ValueError unless a value is a tensor of a fitting shape, and in the support."""
        if not self._validate_args:
            return
        if not is_tensor(value):
            raise ValueError("The value argument to log_prob must be a Tensor")
        events, actual = tuple(self._event_shape), tuple(value.shape)
        if actual[len(actual) - len(events) :] != events:
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.size()} vs {self._event_shape}."
            )
        expected = (*self._batch_shape, *events)
        for i, j in zip(reversed(actual), reversed(expected), strict=False):
            if 1 not in (i, j) and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.size()} vs {Size(expected)}."
                )
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(NO_SUPPORT.format(self.__class__), stacklevel=users_level())
            return
        if not bool(support.check(value).all()):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {actual}) to be within the support "
                f"({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self) -> str:
        names = self.arg_constraints if self.shows_parameters else ()
        told = {name: self.__dict__[name] for name in names if name in self.__dict__}
        parts = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in told.items()]
        return f"{type(self).__name__}({', '.join(parts)})"


class LocationScale(Distribution):
    """What has a shape of its own, moved to `loc` and stretched by `scale`; `rsample` reaches both."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    loc: Any
    scale: Any

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mode(self) -> Tensor:
        return self.loc


class OfOdds(Distribution):
    """What is told by probabilities or by logits; the other one is worked out when it is asked for."""

    binary: ClassVar[bool] = True
    _param: Tensor

    @lazy_property
    def logits(self) -> Any:
        """The logarithm of the odds, or of each probability."""
        return probs_to_logits(self.probs, self.binary)

    @lazy_property
    def probs(self) -> Any:
        """The probabilities."""
        return logits_to_probs(self.logits, self.binary)

    def _take(self, probs: Any, logits: Any, total_count: Any = 0) -> Any:
        """Keep what was told, and give the count its shape. Raises ValueError unless it is one of both."""
        if (probs is None) == (logits is None):
            raise ValueError(NEVER_BOTH)
        name, given = ("probs", probs) if logits is None else ("logits", logits)
        count, self._param = broadcast_all(total_count, given)
        self.__dict__[name] = self._param
        return count.type_as(self._param)

    @property
    def param_shape(self) -> Size:
        """The shape of the parameter that was told."""
        return self._param.size()

    def expand(self, batch_shape: Any, _instance: Any = None) -> Self:
        new = super().expand(batch_shape, _instance)
        new._param = new.__dict__["probs" if "probs" in self.__dict__ else "logits"]
        return new
