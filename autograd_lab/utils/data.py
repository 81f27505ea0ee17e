"""Data sets, and loaders that go through them batch by batch, in this process."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import is_tensor, wrap
from autograd_lab.engine.numbers.dtypes import float64
from autograd_lab.engine.numbers.generator import numbers_of
from autograd_lab.engine.ops.shape.joining import stack
from autograd_lab.engine.tensor.factories import tensor
from autograd_lab.engine.tensor.tensor import Tensor


class Dataset:
    """Examples by number: a subclass has `__getitem__`, and `__len__` if a loader is to go through it."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset) -> ConcatDataset:
        return ConcatDataset([self, other])


class TensorDataset(Dataset):
    """Example i is a tuple of the rows number i of all tensors."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].shape[0] != tensor.shape[0] for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class Subset(Dataset):
    """The examples of a data set that have certain numbers."""

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset):
    """The examples of several data sets, one set after another."""

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
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
    if sum(sizes) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = numbers_of(generator).permutation(len(dataset)).tolist()
    ends = list(accumulate(map(int, sizes)))
    return [Subset(dataset, order[end - int(size) : end]) for size, end in zip(sizes, ends, strict=True)]


def default_collate(batch: Sequence[Any]) -> Any:
    """A batch of one from many examples: tensors stacked, numbers as a tensor, tuples and dicts part by part."""
    first = batch[0]
    if is_tensor(first):
        return stack(list(batch))
    if isinstance(first, np.ndarray | np.generic):
        return wrap(np.stack(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([example[key] for example in batch]) for key in first}
    if isinstance(first, Sequence):
        if any(len(example) != len(first) for example in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(part) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise TypeError(
        f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {type(first)}"
    )


class DataLoader:
    """Goes through a data set in batches; each `for` loop is one epoch, in a new order if `shuffle`."""

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None, batch_sampler: Iterable[Any] | None = None, num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None, pin_memory: bool = False, drop_last: bool = False,
        timeout: float = 0, worker_init_fn: Any = None, multiprocessing_context: Any = None, generator: Any = None, *,
        prefetch_factor: int | None = None, persistent_workers: bool = False, pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:  # fmt: skip
        if num_workers:
            raise ValueError("num_workers: autograd_lab loads data in this process only, so it has to be 0")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
        if batch_size is not None and (not isinstance(batch_size, int) or batch_size <= 0):
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if shuffle and not len(dataset):
            raise ValueError("num_samples should be a positive integer value, but got num_samples=0")
        self.dataset = dataset
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.generator = generator
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.collate_fn = collate_fn or default_collate
        self._shuffle = bool(shuffle)

    def _order(self) -> Iterable[Any]:
        if self.sampler is not None:
            return self.sampler
        count = len(self.dataset)
        return numbers_of(self.generator).permutation(count).tolist() if self._shuffle else range(count)

    def _batches(self) -> Iterator[list[Any]]:
        if self.batch_sampler is not None:
            yield from self.batch_sampler
            return
        assert self.batch_size is not None
        batch: list[Any] = []
        for index in self._order():
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __iter__(self) -> Iterator[Any]:
        if self.batch_size is None:
            yield from (self.dataset[index] for index in self._order())
            return
        for batch in self._batches():
            yield self.collate_fn([self.dataset[index] for index in batch])

    def __len__(self) -> int:
        if self.batch_sampler is not None:
            return len(self.batch_sampler)  # type: ignore[arg-type]  # if it has no length, it says so
        count = len(self.sampler if self.sampler is not None else self.dataset)  # type: ignore[arg-type]  # if it has no length, it says so
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else math.ceil(count / self.batch_size)
