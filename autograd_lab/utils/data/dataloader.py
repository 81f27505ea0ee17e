"""`DataLoader`: goes through a data set batch by batch, in this process."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, repeat
from typing import Any

from autograd_lab.engine.draws.generator import next_seed
from autograd_lab.utils.data.collate import default_collate, default_convert
from autograd_lab.utils.data.dataset import IterableDataset
from autograd_lab.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler
from autograd_lab.whose import users_level

FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
"""What a loader keeps for good."""


_collate_fn_t = Callable[[list[Any]], Any]


class _DatasetKind:
    """What libraries compare `_dataset_kind` with."""

    Map, Iterable = 0, 1


ASKED_FOR = "_BaseDataLoaderIter", "_SingleProcessDataLoaderIter", "_MultiProcessingDataLoaderIter"
"""What libraries ask whether an iterator is one of: none is, it is a generator here."""
globals().update({name: type(name, (), {}) for name in ASKED_FOR})

NOT_PINNED = (
    "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used."
)
ANOTHER_DEVICE = (
    "pin_memory_device is deprecated, the current accelerator will be used as the device,ignore pin_memory_device='{}'."
)


class _InfiniteConstantSampler(Sampler):
    """Stands for what would say which examples are next, where they come one after another."""

    def __iter__(self) -> Iterator[None]:
        return repeat(None)


class DataLoader:
    """Goes through a data set in batches; each `for` loop is one epoch, in a new order if `shuffle`.

    Examples are loaded in this process, whatever `num_workers` says, of which it warns once.
    """

    __initialized = False

    def __class_getitem__(cls, kind: Any) -> Any:
        return cls  # `DataLoader[T]` is for those who check types

    def __init__(
        self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None, batch_sampler: Iterable[Any] | None = None, num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None, pin_memory: bool = False, drop_last: bool = False,
        timeout: float = 0, worker_init_fn: Any = None, multiprocessing_context: Any = None, generator: Any = None, *,
        prefetch_factor: int | None = None, persistent_workers: bool = False, pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:  # fmt: skip
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        is_iterable = isinstance(dataset, IterableDataset)
        if is_iterable and shuffle:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle={shuffle}"
            )
        if is_iterable and (sampler is not None or batch_sampler is not None):
            what, given = ("sampler", sampler) if sampler is not None else ("batch_sampler", batch_sampler)
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {what} option, but got {what}={given}"
            )
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
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.num_workers, self.pin_memory, self.timeout, self.generator = num_workers, pin_memory, timeout, generator
        self.prefetch_factor, self.persistent_workers, self.worker_init_fn = (
            prefetch_factor, persistent_workers, worker_init_fn,
        )  # fmt: skip
        self.multiprocessing_context, self.pin_memory_device = multiprocessing_context, pin_memory_device
        self.in_order = in_order
        if sampler is None:
            plain: Any = _InfiniteConstantSampler() if is_iterable else SequentialSampler(dataset)
            sampler = RandomSampler(dataset, generator=generator) if shuffle else plain
        self.sampler: Any = sampler
        if batch_sampler is not None:
            self.batch_size = None
        elif batch_size is not None:
            made: Any = self.sampler
            batch_sampler = BatchSampler(made, batch_size, drop_last)
        self.batch_sampler: Any = batch_sampler
        self.collate_fn: Any = collate_fn or (default_collate if self._auto_collation else default_convert)
        self.__initialized = True

    _told_length: int | None = None
    """How long an `IterableDataset` said it is, if it was asked."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in FIXED and self.__initialized:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _dataset_kind(self) -> int:
        """By place, or one after another."""
        return int(isinstance(self.dataset, IterableDataset))

    @property
    def _auto_collation(self) -> bool:
        """Whether examples are put together here; loaders of others' own say that their data set does."""
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        """What says which examples are loaded: those of a batch, or one."""
        return self.batch_sampler if self._auto_collation else self.sampler

    def __iter__(self) -> Iterator[Any]:
        if self.pin_memory:
            self._say_that_none_is_pinned()
        next_seed(self.generator)  # which PyTorch gives to workers, also where there are none
        return self._batches() if self._told_length is None else self._counted(self._told_length)

    def _counted(self, length: int) -> Iterator[Any]:
        """The batches, with a warning for each beyond the length that the data set said it has."""
        for count, batch in enumerate(self._batches(), 1):
            if count > length:
                told = f"Length of IterableDataset {self.dataset} was reported to be {length}(when accessing "
                told += f"len(dataloader)), but {count} samples have been fetched. "
                warnings.warn(told, stacklevel=users_level())
            yield batch

    def _say_that_none_is_pinned(self) -> None:
        if self.pin_memory_device:
            warnings.warn(ANOTHER_DEVICE.format(self.pin_memory_device), stacklevel=users_level())
        warnings.warn(NOT_PINNED, stacklevel=users_level())

    def _batches(self) -> Iterator[Any]:
        if isinstance(self.dataset, IterableDataset):
            yield from self._in_turn(iter(self.dataset))
            return
        examples = self._examples if self._auto_collation else self.dataset.__getitem__
        for index in self._index_sampler:
            yield self.collate_fn(examples(index))

    def _in_turn(self, examples: Iterator[Any]) -> Iterator[Any]:
        """Batches of examples that come one after another."""
        if self.batch_size is None:
            yield from map(self.collate_fn, examples)
            return
        while batch := list(islice(examples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.collate_fn(batch)

    def _examples(self, batch: Any) -> list[Any]:
        together = getattr(self.dataset, "__getitems__", None)
        return together(batch) if together is not None else [self.dataset[index] for index in batch]

    def __len__(self) -> int:
        if not isinstance(self.dataset, IterableDataset):
            return len(self.batch_sampler if self.batch_sampler is not None else self.sampler)
        count = self._told_length = len(self.dataset)  # type: ignore[arg-type]  # if it has no length, it says so
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else math.ceil(count / self.batch_size)


_warned: list[int] = []


def _warn_of_workers(count: int) -> None:
    """Say, once, that there are no other processes."""
    if not _warned:
        _warned.append(count)
        warnings.warn(
            f"num_workers={count}: autograd_lab loads data in this process, as with num_workers=0.", UserWarning,
            stacklevel=users_level(),
        )  # fmt: skip


def _check_workers(count: int, timeout: float, prefetch_factor: int | None, persistent: bool) -> None:
    """Raise ValueError for what does not go together, as PyTorch does; warn of workers, of which there are none."""
    if count < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if not count and prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and not count:
        raise ValueError("persistent_workers option needs num_workers > 0")
    if count:
        _warn_of_workers(count)


def get_worker_info() -> None:
    """None: this is no worker's process."""
