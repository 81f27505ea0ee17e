"""What is taken down of arrays: small ones whole, large ones in numbers that are true."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from autograd_lab.recording.values.snapshot import SMALL, snapshot, value_of

shapes = array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
float32s = arrays(np.float32, shapes, elements=st.floats(width=32))


@given(float32s)
def test_a_small_float32_array_comes_back_to_the_last_bit(array: np.ndarray[Any, Any]) -> None:
    if array.size <= SMALL:
        numbers = value_of(snapshot(array)).numbers
        np.testing.assert_array_equal(np.array(numbers, np.float32).reshape(array.shape), array)


@given(arrays(np.float64, 3, elements=st.floats()))
def test_a_small_float64_array_comes_back_to_the_last_bit(array: np.ndarray[Any, Any]) -> None:
    np.testing.assert_array_equal(np.array(value_of(snapshot(array)).numbers), array)


@pytest.mark.parametrize("array", [np.array([True, False]), np.array([[1, 2]]), np.array(7), np.float32(2.5)])
def test_ints_bools_and_scalars_are_kept_as_they_are(array: Any) -> None:
    assert value_of(snapshot(array)).numbers == array.tolist()


def test_a_float32_reads_as_people_write_it() -> None:
    assert value_of(snapshot(np.float32([0.1, 1 / 3]))).numbers == [0.1, 0.33333334]


def test_a_snapshot_does_not_change_with_the_array() -> None:
    array = np.zeros(3, np.float32)
    taken = snapshot(array)
    array[:] = 9
    assert value_of(taken).numbers == [0.0, 0.0, 0.0]


@given(arrays(np.float32, (9, 12), elements=st.floats(-1e6, 1e6, width=32)))
def test_the_statistics_of_a_large_array_are_numpys(array: np.ndarray[Any, Any]) -> None:
    value = value_of(snapshot(array))
    wide = array.astype(np.float64)
    assert value.numbers is None
    assert (value.minimum, value.maximum) == (wide.min(), wide.max())
    assert value.mean is not None and math.isclose(value.mean, wide.mean(), abs_tol=1e-9)
    assert value.norm is not None and math.isclose(value.norm, float(np.linalg.norm(wide)), rel_tol=1e-12)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_the_statistics_of_a_huge_array_are_numpys_to_five_digits(scale: float) -> None:
    array = (np.random.default_rng(1).standard_normal((97, 101)) * scale).astype(np.float32)
    value, wide = value_of(snapshot(array)), array.astype(np.float64)
    assert (value.minimum, value.maximum) == (wide.min(), wide.max())
    assert value.mean is not None and math.isclose(value.mean, wide.mean(), abs_tol=1e-7 * scale)
    assert value.norm is not None and math.isclose(value.norm, float(np.linalg.norm(wide)), rel_tol=1e-5)


@pytest.mark.parametrize("size", [100, 10_000])
def test_nans_and_infinities_are_counted_and_kept_out_of_the_statistics(size: int) -> None:
    array = np.ones(size, np.float32)
    array[:5] = np.nan, np.inf, -np.inf, np.nan, 3
    value = value_of(snapshot(array))
    assert (value.nans, value.infs, value.maximum, value.minimum) == (2, 2, 3.0, 1.0)


@given(arrays(np.float32, st.sampled_from([65, (9, 12), 509]), elements=st.floats(-1e6, 1e6, width=32)))
def test_every_element_of_a_large_array_is_counted_once(array: np.ndarray[Any, Any]) -> None:
    counts = value_of(snapshot(array)).histogram
    assert (counts is None) == (array.min() == array.max())
    if counts is not None:
        assert (len(counts), sum(counts)) == (16, array.size)
        assert counts[0] and counts[-1]  # the minimum, the maximum


@pytest.mark.parametrize("shape", [(1000,), (512, 785), (509, 100), (784, 512), (3, 333, 5)])
def test_of_many_elements_a_sample_from_all_over_is_counted(shape: tuple[int, ...]) -> None:
    array = np.arange(math.prod(shape), dtype=np.float64).reshape(shape)
    counts = value_of(snapshot(array)).histogram
    assert counts is not None and 250 < sum(counts) <= 2 * 509
    assert max(counts) - min(counts) <= 2


def test_what_is_not_finite_is_not_counted_nor_is_what_is_all_alike() -> None:
    array = np.linspace(0, 1, 100)
    array[:10] = np.nan
    assert sum(value_of(snapshot(array)).histogram or ()) == 90
    assert value_of(snapshot(np.ones(100))).histogram is None


def test_an_array_without_finite_elements_has_no_statistics() -> None:
    value = value_of(snapshot(np.full(100, np.nan)))
    assert (value.nans, value.minimum, value.mean) == (100, None, None)


@pytest.mark.parametrize("shape", [(65,), (1, 65), (65, 1), (3, 30, 40), (1000, 1000)])
def test_a_thumbnail_is_a_sample_of_at_most_four_by_four(shape: tuple[int, ...]) -> None:
    array = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
    thumbnail = np.array(value_of(snapshot(array)).thumbnail)
    assert thumbnail.ndim == 2 and max(thumbnail.shape) <= 4
    assert set(thumbnail.ravel()) <= set(array.ravel())
