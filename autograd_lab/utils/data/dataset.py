"""Data sets: examples by number, or one after another."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.whose import users_level


class Dataset:
    """Examples by number: a subclass has `__getitem__`, and `__len__` if a loader is to go through it."""

    def __class_getitem__(cls, kind: Any) -> Any:
        return cls  # `Dataset[T]` is for those who check types

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset) -> ConcatDataset:
        return ConcatDataset([self, other])


class TensorDataset(Dataset):
    """Example i is a tuple of the rows number i of all tensors."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class IterableDataset(Dataset, ABC):
    """Examples one after another: a subclass has `__iter__`, and `__len__` if it is known."""

    @abstractmethod
    def __iter__(self) -> Iterator[Any]:
        """The examples."""

    def __add__(self, other: Any) -> ChainDataset:  # type: ignore[override]  # as in PyTorch
        return ChainDataset([self, other])


class ChainDataset(IterableDataset):
    """The examples of several iterable data sets, one set after another."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self.datasets)


class StackDataset(Dataset):
    """Example i is a tuple, or a dict, of the examples number i of all data sets."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if bool(args) == bool(kwargs):
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given."
                if args
                else "At least one dataset should be passed"
            )
        self.datasets: Any = args or kwargs
        sizes = {len(one) for one in (args or kwargs.values())}
        if len(sizes) > 1:
            raise ValueError("Size mismatch between datasets")
        self._length = sizes.pop()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {key: dataset[index] for key, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices: list[int]) -> list[Any]:
        """Several examples at once, where a data set can give them so."""
        named = isinstance(self.datasets, dict)
        columns = [_several(one, indices) for one in (self.datasets.values() if named else self.datasets)]
        rows = zip(*columns, strict=True)
        return [dict(zip(self.datasets, row, strict=True)) for row in rows] if named else list(rows)

    def __len__(self) -> int:
        return self._length


def _several(dataset: Any, indices: list[int]) -> Any:
    """The examples of these numbers. Raises ValueError if the data set gives more or fewer."""
    if not callable(together := getattr(dataset, "__getitems__", None)):
        return [dataset[index] for index in indices]
    if len(found := together(indices)) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(found)}")
    return found


ITEMS_TOO = (
    "{} overrides __getitem__ but not __getitems__. When subclassing Subset and overriding __getitem__, you must also "
    "override __getitems__ to ensure DataLoader works correctly with your custom logic. A simple implementation:\n\n"
    "def __getitems__(self, indices):\n    return [self.__getitem__(idx) for idx in indices]"
)


class Subset(Dataset):
    """The examples of a data set that have certain numbers."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        if type(self).__getitem__ is not Subset.__getitem__ and type(self).__getitems__ is Subset.__getitems__:
            raise NotImplementedError(ITEMS_TOO.format(type(self).__name__))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[each] for each in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: Sequence[int]) -> Any:
        """Several examples, at once if the data set can give them so."""
        chosen = [self.indices[each] for each in indices]
        together = getattr(self.dataset, "__getitems__", None)
        return together(chosen) if callable(together) else [self.dataset[each] for each in chosen]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset):
    """The examples of several data sets, one set after another."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(one, IterableDataset) for one in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(accumulate(map(len, self.datasets)))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        place = bisect_right(self.cumulative_sizes, index)
        return self.datasets[place][index - (self.cumulative_sizes[place - 1] if place else 0)]


def random_split(dataset: Any, lengths: Sequence[float], generator: Any = None) -> list[Subset]:
    """A data set cut at random into parts of these sizes, or of these fractions if they sum up to 1."""
    sizes = list(lengths)
    if math.isclose(sum(sizes), 1) and sum(sizes) <= 1:
        for position, fraction in enumerate(sizes):
            if not 0 <= fraction <= 1:
                raise ValueError(f"Fraction at index {position} is not between 0 and 1")
        sizes = [math.floor(len(dataset) * fraction) for fraction in sizes]
        for extra in range(len(dataset) - int(sum(sizes))):
            sizes[extra % len(sizes)] += 1
        for position, size in enumerate(sizes):
            if size == 0:
                told = f"Length of split at index {position} is 0. This might result in an empty dataset."
                warnings.warn(told, stacklevel=users_level())
    if sum(sizes) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = numbers_of(generator).permutation(len(dataset)).tolist()
    ends = list(accumulate(map(int, sizes)))
    return [Subset(dataset, order[end - int(size) : end]) for size, end in zip(sizes, ends, strict=True)]
