"""Samplers: in which order a loader asks for examples."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.draws.generator import next_seed, numbers_of
from autograd_lab.engine.draws.twister import Twister
from autograd_lab.engine.tensor.random import multinomial

TOGETHER = 32
"""So many are drawn together with replacement."""


class Sampler:
    """An order of examples: a subclass has `__iter__`, which gives their numbers."""

    def __init__(self, data_source: Any = None) -> None:
        """Subclasses may take what they sample from."""

    def __class_getitem__(cls, kind: Any) -> Any:
        return cls  # `Sampler[int]` is for those who check types

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


class SequentialSampler(Sampler):
    """One after another."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


def _check_number(count: Any) -> None:
    if not isinstance(count, int) or count <= 0:
        raise ValueError(f"num_samples should be a positive integer value, but got num_samples={count}")


class RandomSampler(Sampler):
    """In random order, each once; or drawn again and again, with `replacement`."""

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        self.data_source, self.replacement, self.generator = data_source, replacement, generator
        self._num_samples = num_samples
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        _check_number(self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many examples there are in an epoch."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        count, whole = len(self.data_source), self.num_samples
        numbers = Twister(next_seed()) if self.generator is None else numbers_of(self.generator)
        if self.replacement:
            for start in range(0, whole + 1, TOGETHER):
                yield from numbers.integers(0, count, min(TOGETHER, whole - start)).tolist()
            return
        for start in range(0, whole + 1, count):
            yield from numbers.permutation(count)[: whole - start].tolist()

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Certain examples in random order."""

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        for at in numbers_of(self.generator).permutation(len(self.indices)).tolist():
            yield self.indices[at]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Drawn at random, each as likely as its weight says."""

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        if isinstance(num_samples, bool):
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        _check_number(num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = np.asarray(weights, np.float64)
        if self.weights.ndim != 1:
            shape = tuple(self.weights.shape)
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {shape}")
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        drawn = multinomial(wrap(self.weights), self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler):
    """Batches of what another sampler gives; the last may be shorter, unless it is dropped."""

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        batch: list[int] = []
        for number in self.sampler:
            batch.append(number)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]  # if it has no length, it says so
        return count // self.batch_size if self.drop_last else math.ceil(count / self.batch_size)
