"""Samplers, iterable data sets and loaders give what PyTorch's give; what is drawn at random is checked as a set."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import pytest

import autograd_lab
from tests.worlds import Stories, said

torch = pytest.importorskip("torch")

courses = Stories()


def numbers(m: Any, count: int = 7) -> Any:
    return m.utils.data.TensorDataset(m.arange(float(count)))


@courses
def samplers_go_through_in_order_or_cover_all(m: Any) -> Any:
    data = m.utils.data
    return (
        list(data.SequentialSampler(range(4))), sorted(data.RandomSampler(range(5))),
        len(list(data.RandomSampler(range(3), num_samples=7))), sorted(data.SubsetRandomSampler([2, 5, 9])),
        set(data.WeightedRandomSampler([0.0, 1.0, 0.0], 5)), list(data.BatchSampler(range(5), 2, False)),
        list(data.BatchSampler(range(5), 2, True)), len(data.BatchSampler(range(5), 2, False)),
        len(data.RandomSampler(range(3), replacement=True, num_samples=9)),
    )  # fmt: skip


@courses
def loaders_use_samplers(m: Any) -> Any:
    data = m.utils.data
    loader = data.DataLoader(numbers(m), batch_size=3, sampler=[6, 5, 4, 3])
    batches = data.DataLoader(numbers(m), batch_sampler=[[0, 1], [6]])
    plain = data.DataLoader(numbers(m, 2), batch_size=None)
    return list(loader), len(loader), list(batches), len(batches), list(plain), type(loader.sampler).__name__


@courses
def iterable_data_sets_come_one_after_another(m: Any) -> Any:
    data = m.utils.data

    class Count(data.IterableDataset):  # type: ignore[name-defined,misc]  # of either world
        def __iter__(self) -> Any:
            return iter(range(5))

    loader = data.DataLoader(Count(), batch_size=2)
    both = data.DataLoader(Count() + Count(), batch_size=4, drop_last=True)
    refused = said(m, lambda m: data.DataLoader(Count(), shuffle=True)), said(m, lambda m: len(loader))
    return list(loader), list(both), refused[0]


@courses
def data_sets_are_put_together(m: Any) -> Any:
    data = m.utils.data
    stacked, named = data.StackDataset(numbers(m), range(7)), data.StackDataset(a=range(3), b=range(3, 6))
    return stacked[2], named[1], len(stacked), len(numbers(m) + numbers(m, 2)), (numbers(m) + numbers(m, 2))[8]


@courses
def wrong_arguments_of_samplers_are_refused(m: Any) -> Any:
    data = m.utils.data
    return [
        said(m, make)
        for make in (
            lambda m: data.RandomSampler(range(3), num_samples=0), lambda m: data.BatchSampler(range(3), 0, False),
            lambda m: data.WeightedRandomSampler([1.0], -1), lambda m: data.BatchSampler(range(3), 2, 1),
            lambda m: data.DataLoader(range(3), num_workers=-1), lambda m: list(data.DataLoader([], shuffle=True)),
        )
    ]  # fmt: skip


@courses
def a_process_has_its_share(m: Any) -> Any:
    sampler = importlib.import_module(f"{m.__name__}.utils.data.distributed").DistributedSampler
    return [list(sampler(range(7), 3, rank, shuffle=False)) for rank in range(3)], len(sampler(range(7), 3, 0))


@pytest.mark.parametrize("course", courses, ids=lambda course: course.__name__)
def test_examples_come_as_in_pytorch(course: Any) -> None:
    ours, theirs = said(autograd_lab, course), said(torch, course)
    assert ours[0] == theirs[0]


def test_workers_are_warned_of_once_and_load_here() -> None:
    loader = importlib.import_module("autograd_lab.utils.data.dataloader")
    loader._warned.clear()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first = loader.DataLoader(range(4), batch_size=2, num_workers=2)
        loader.DataLoader(range(4), num_workers=2)
    assert [batch.tolist() for batch in first] == [[0, 1], [2, 3]]
    assert [str(one.message)[:13] for one in caught] == ["num_workers=2"]
