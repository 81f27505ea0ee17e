"""A transform for each part of a tensor: parts one behind the other, or slices."""

from __future__ import annotations

from typing import Any

from autograd_lab.distributions import constraints
from autograd_lab.distributions.constraint import narrowed, sliced
from autograd_lab.distributions.transform import Transform
from autograd_lab.distributions.utils import _sum_rightmost, lazy_property
from autograd_lab.engine.ops.shape.joining import cat, stack


class _OfParts(Transform):
    """Transforms, each for a part of a tensor along a dimension."""

    def __init__(self, tseq: Any, dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(each, Transform) for each in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [each.with_cache(cache_size) for each in tseq] if cache_size else list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:
        """Whether all are."""
        return all(each.bijective for each in self.transforms)

    def _parts(self, value: Any, name: str, told: str) -> Any:
        """Each transform with its part. Raises AssertionError unless there are as many."""
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {told} with {value.dim()} dimensions")
        length, count = self._length()
        if value.size(self.dim) != length:
            size = f"{name}.size({self.dim}) = {value.size(self.dim)}"
            raise AssertionError(f"{size} must equal {count} {length}")
        return zip(self.transforms, self._cut(value), strict=True)

    def _length(self) -> tuple[int, str]:
        raise NotImplementedError

    def _cut(self, value: Any) -> Any:
        raise NotImplementedError

    def _joined(self, parts: list[Any]) -> Any:
        raise NotImplementedError

    def _call(self, x: Any) -> Any:
        return self._joined([each(part) for each, part in self._parts(x, "x", "tensor")])

    def _inverse(self, y: Any) -> Any:
        return self._joined([each.inv(part) for each, part in self._parts(y, "y", "tensor")])

    def _slopes(self, x: Any, y: Any) -> list[tuple[Any, Any]]:
        """Each transform with log |dy/dx| of its part."""
        both = zip(self._parts(x, "x", "x"), self._parts(y, "y", "y"), strict=True)
        return [(each, each.log_abs_det_jacobian(before, after)) for (each, before), (_, after) in both]


class CatTransform(_OfParts):
    """Transforms of parts of these lengths, one behind the other."""

    def __init__(self, tseq: Any, dim: int = 0, lengths: Any = None, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @lazy_property
    def event_dim(self) -> int:
        """The most that one of them has."""
        return max(each.event_dim for each in self.transforms)

    @lazy_property
    def length(self) -> int:
        """That of all parts together."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Any:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _length(self) -> tuple[int, str]:
        return self.length, "length"

    def _cut(self, value: Any) -> Any:
        return narrowed(value, self.dim, self.lengths)

    def _joined(self, parts: list[Any]) -> Any:
        return cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        parts = [_sum_rightmost(slope, self.event_dim - each.event_dim) for each, slope in self._slopes(x, y)]
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return cat(parts, dim) if dim < 0 else sum(parts)

    @constraints.dependent_property
    def domain(self) -> Any:
        """What each takes."""
        return constraints.cat([each.domain for each in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """What each gives."""
        return constraints.cat([each.codomain for each in self.transforms], self.dim, self.lengths)


class StackTransform(_OfParts):
    """A transform for each slice."""

    def with_cache(self, cache_size: int = 1) -> Any:
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _length(self) -> tuple[int, str]:
        return len(self.transforms), "len(transforms)"

    def _cut(self, value: Any) -> Any:
        return sliced(value, self.dim)

    def _joined(self, parts: list[Any]) -> Any:
        return stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        return stack([slope for _, slope in self._slopes(x, y)], self.dim)

    @constraints.dependent_property
    def domain(self) -> Any:
        """What each takes."""
        return constraints.stack([each.domain for each in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """What each gives."""
        return constraints.stack([each.codomain for each in self.transforms], self.dim)
