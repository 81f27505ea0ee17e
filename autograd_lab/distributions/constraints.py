"""What parameters and values of distributions have to satisfy; `check` says where they do."""

from __future__ import annotations

from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.tensor.factories import full
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.linalg import cholesky_ex, eigvalsh


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


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Any:
        return (value.tril() == value).flatten(-2).all(-1)


class _Square(Constraint):
    event_dim = 2

    def check(self, value: Tensor) -> Any:
        return full(value.shape[:-2], value.shape[-2] == value.shape[-1])


class _Symmetric(_Square):
    def check(self, value: Tensor) -> Any:
        square = super().check(value)
        return value.isclose(value.mT, atol=1e-6).all(-2).all(-1) if bool(square.all()) else square


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Tensor) -> Any:
        symmetric = super().check(value)
        return (eigvalsh(value) >= 0).all(-1) if bool(symmetric.all()) else symmetric


class _PositiveDefinite(_Symmetric):
    def check(self, value: Tensor) -> Any:
        symmetric = super().check(value)
        return cholesky_ex(value).info == 0 if bool(symmetric.all()) else symmetric


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

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        super().__init__()
        self._static = {"is_discrete": is_discrete, "event_dim": event_dim}

    def _told(self, name: str) -> Any:
        if self._static[name] is NotImplemented:
            raise NotImplementedError(f".{name} cannot be determined statically")
        return self._static[name]

    @property
    def is_discrete(self) -> Any:  # type: ignore[override]
        """Whether it is about whole numbers, if that was said."""
        return self._told("is_discrete")

    @property
    def event_dim(self) -> Any:  # type: ignore[override]
        """How many dimensions it is about, if that was said."""
        return self._told("event_dim")

    def __call__(self, **static: Any) -> _Dependent:
        """The same, with what can be said of it beforehand."""
        return _Dependent(**{**self._static, **static})

    def check(self, value: Tensor) -> Any:
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """`@dependent_property` on a method: a constraint that each distribution works out; of the class, `dependent`."""

    def __init__(self, fn: Any = None, **static: Any) -> None:
        property.__init__(self, fn)
        _Dependent.__init__(self, **static)

    def __call__(self, fn: Any) -> _DependentProperty:  # type: ignore[override]
        return _DependentProperty(fn, **self._static)


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
lower_triangular = _LowerTriangular()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
dependent_property = _DependentProperty

__all__ = [
    "Constraint",
    "boolean",
    "dependent",
    "dependent_property",
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
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "symmetric",
    "unit_interval",
]
