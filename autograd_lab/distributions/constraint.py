"""`Constraint`, and those that are made of others: independent ones, one after another, one for each slice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autograd_lab.engine.ops.shape.joining import cat, stack
from autograd_lab.engine.tensor.tensor import Tensor


class Constraint:
    """A condition on the last `event_dim` dimensions of a tensor."""

    is_discrete: Any = False
    event_dim: Any = 0

    def check(self, value: Tensor) -> Any:
        """A tensor of booleans: where the condition holds."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__[1:]}()"


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
    def is_discrete(self) -> Any:
        """Whether it is about whole numbers, if that was said."""
        return self._told("is_discrete")

    @property
    def event_dim(self) -> Any:
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


class _OfOne(Constraint):
    """What is made of one other constraint."""

    def __init__(self, base_constraint: Any) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        super().__init__()
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> Any:
        """As the other is."""
        return self.base_constraint.is_discrete


class _IndependentConstraint(_OfOne):
    """What has to hold all along the last dimensions."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: Any) -> None:
        super().__init__(base_constraint)
        if not isinstance(reinterpreted_batch_ndims, int):
            kind = type(reinterpreted_batch_ndims).__name__
            raise AssertionError(f"reinterpreted_batch_ndims must be an int, got {kind}")
        if reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def event_dim(self) -> Any:
        """Those of the other, and the dimensions along which it has to hold."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Any:
        holds = self.base_constraint.check(value)
        if holds.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        kept = holds.dim() - self.reinterpreted_batch_ndims
        return holds.reshape(*holds.shape[:kept], -1).all(-1)

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(_OfOne):
    """What has to hold for a value in the eyes of each component of a mixture."""

    @property
    def event_dim(self) -> Any:
        """Those of a component."""
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Any:
        holds = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return holds.reshape(*holds.shape[: value.dim() - self.event_dim], -1).all(-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


class _OfSeveral(Constraint):
    """Constraints, each for a part of a tensor along a dimension."""

    def __init__(self, cseq: Any, dim: int = 0) -> None:
        if not all(isinstance(each, Constraint) for each in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq, self.dim = list(cseq), dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:
        """Whether one of them is."""
        return any(each.is_discrete for each in self.cseq)

    @property
    def event_dim(self) -> int:
        """The most that one of them has."""
        return int(max(each.event_dim for each in self.cseq))

    def _checked(self, value: Tensor) -> Tensor:
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")
        return value


class _Cat(_OfSeveral):
    """Constraints of parts that stand one behind the other."""

    def __init__(self, cseq: Any, dim: int = 0, lengths: Any = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    def check(self, value: Tensor) -> Any:
        parts = narrowed(self._checked(value), self.dim, self.lengths)
        return cat([each.check(part) for each, part in zip(self.cseq, parts, strict=True)], self.dim)


class _Stack(_OfSeveral):
    """A constraint for each slice."""

    @property
    def event_dim(self) -> int:
        """The most that one of them has, and one more, if the slices are among them."""
        most = super().event_dim
        return most + 1 if self.dim + most < 0 else most

    def check(self, value: Tensor) -> Any:
        slices = sliced(self._checked(value), self.dim)
        return stack([each.check(part) for part, each in zip(slices, self.cseq, strict=False)], self.dim)


def narrowed(value: Any, dim: int, lengths: list[int]) -> Iterator[Any]:
    """Parts of these lengths, one after another."""
    start = 0
    for length in lengths:
        yield value.narrow(dim, start, length)
        start += length


def sliced(value: Any, dim: int) -> list[Any]:
    """All slices along a dimension."""
    return [value.select(dim, i) for i in range(value.size(dim))]
