"""What parameters and values of distributions have to satisfy; `check` says where they do."""

from __future__ import annotations

from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.linalg import cholesky


class Constraint:
    """A condition on the last `event_dim` dimensions of a tensor."""

    is_discrete = False
    event_dim = 0

    def __init__(self, **bounds: Any) -> None:
        self._bounds = bounds

    def check(self, value: Tensor) -> Any:
        """A tensor of booleans: where the condition holds."""
        raise NotImplementedError

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={bound}" for name, bound in self._bounds.items())
        return f"{type(self).__name__.removeprefix('_')}({told})"


class _Real(Constraint):
    def check(self, value: Tensor) -> Any:
        return value == value  # not so for NaN


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Tensor) -> Any:
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete, event_dim = True, 1

    def check(self, value: Tensor) -> Any:
        return ((value == 0) | (value == 1)).all(-1) & (value.sum(-1) == 1)


class _Bounded(Constraint):
    """At least one bound, or at most the other, or both; whole numbers only, if it is discrete."""

    open_below = open_above = False

    def check(self, value: Tensor) -> Any:
        lower, upper = self._bounds.get("lower_bound"), self._bounds.get("upper_bound")
        holds = value == value
        if lower is not None:
            holds = holds & (value > lower if self.open_below else value >= lower)
        if upper is not None:
            holds = holds & (value < upper if self.open_above else value <= upper)
        return holds & (value % 1 == 0) if self.is_discrete else holds


class _IntegerInterval(_Bounded):
    is_discrete = True


class _IntegerGreaterThan(_Bounded):
    is_discrete = True


class _GreaterThan(_Bounded):
    open_below = True


class _GreaterThanEq(_Bounded):
    pass


class _LessThan(_Bounded):
    open_above = True


class _Interval(_Bounded):
    pass


class _HalfOpenInterval(_Bounded):
    open_above = True


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Tensor) -> Any:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    is_discrete, event_dim = True, 1

    def check(self, value: Tensor) -> Any:
        return (value >= 0).all(-1) & (value.sum(-1) <= self._bounds["upper_bound"])

    def __repr__(self) -> str:
        return "Multinomial()"


class _LowerCholesky(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Any:
        lower = (value.tril() == value).flatten(-2).all(-1)
        return lower & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _PositiveDefinite(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Any:
        symmetric = ((value - value.transpose(-2, -1)).abs() <= 1e-6).flatten(-2).all(-1)
        if not bool(symmetric.all()):
            return symmetric
        try:
            cholesky(value)
        except RuntimeError:  # of a batch, one is not, and PyTorch's check says which; here, none is trusted
            return symmetric & False
        return symmetric


class _IndependentConstraint(Constraint):
    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Any:
        holds = self.base_constraint.check(value)
        if holds.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        kept = holds.dim() - self.reinterpreted_batch_ndims
        return holds.reshape(*holds.shape[:kept], -1).all(-1)

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class _Dependent(Constraint):
    """What depends on other parameters, so that it is checked elsewhere."""


def is_dependent(constraint: Any) -> bool:
    """Whether a constraint cannot be checked by itself."""
    return isinstance(constraint, _Dependent)


def greater_than(lower_bound: Any) -> Constraint:
    """More than a bound."""
    return _GreaterThan(lower_bound=lower_bound)


def greater_than_eq(lower_bound: Any) -> Constraint:
    """At least a bound."""
    return _GreaterThanEq(lower_bound=lower_bound)


def less_than(upper_bound: Any) -> Constraint:
    """Less than a bound."""
    return _LessThan(upper_bound=upper_bound)


def interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """From one bound to another, both among it."""
    return _Interval(lower_bound=lower_bound, upper_bound=upper_bound)


def half_open_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """From one bound to before another."""
    return _HalfOpenInterval(lower_bound=lower_bound, upper_bound=upper_bound)


def integer_interval(lower_bound: Any, upper_bound: Any) -> Constraint:
    """Whole numbers from one bound to another."""
    return _IntegerInterval(lower_bound=lower_bound, upper_bound=upper_bound)


def multinomial(upper_bound: Any) -> Constraint:
    """Counts that add up to at most a bound."""
    return _Multinomial(upper_bound=upper_bound)


def independent(base_constraint: Constraint, reinterpreted_batch_ndims: int) -> Constraint:
    """A constraint that has to hold all along the last dimensions."""
    return _IndependentConstraint(base_constraint, reinterpreted_batch_ndims)


dependent = _Dependent()
real = _Real()
real_vector = independent(real, 1)
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(lower_bound=0)
positive_integer = _IntegerGreaterThan(lower_bound=1)
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
simplex = _Simplex()
lower_cholesky = _LowerCholesky()
positive_definite = _PositiveDefinite()

__all__ = [
    "Constraint",
    "boolean",
    "dependent",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "is_tensor",
    "less_than",
    "lower_cholesky",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "real",
    "real_vector",
    "simplex",
    "unit_interval",
]
