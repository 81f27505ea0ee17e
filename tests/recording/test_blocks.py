"""Blocks of large arrays: each has its largest element, and no element is outside of all of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograd_lab.recording.values.blocks import length_of
from autograd_lab.recording.values.digits import short
from autograd_lab.recording.values.snapshot import SMALL, snapshot, value_of
from autograd_lab.view.kit.reading import grid_of

Array = np.ndarray[Any, Any]
DTYPES = [np.float32, np.float64, np.float16, np.int64, np.int8, np.uint8, np.bool_]
SHAPES = [
    (65,),
    (5000,),
    (9, 8),
    (17, 61),
    (100, 1),
    (1, 100),
    (3, 5, 7, 11),
    (700, 3),
    (512, 70),
    (64, 2100),
    (2, 3, 400),
]
ORDERS = {
    "in order": lambda array: array,
    "transposed": lambda array: array.T,
    "permuted": lambda array: np.moveaxis(array, 0, -1),
    "backwards": lambda array: array[::-1],
    "expanded": lambda array: np.broadcast_to(array[:1], array.shape),
}


def block_at(array: Array, *place: int) -> tuple[int, int]:
    """The row and the column of blocks in which an element is."""
    row = int(np.ravel_multi_index(place[:-1], array.shape[:-1])) if array.ndim > 1 else 0
    return row // length_of(math.prod(array.shape[:-1])), place[-1] // length_of(array.shape[-1])


def blocks_of(array: Array) -> list[list[Any]]:
    """What a trace has of an array's blocks, as it is read."""
    found = value_of(snapshot(array)).blocks
    assert (len(found), len(found[0])) == grid_of(array.shape)
    assert len({len(row) for row in found}) == 1
    return found


@pytest.mark.parametrize("order", ORDERS.values(), ids=list(ORDERS))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_each_block_has_its_largest_element_with_its_sign(dtype: Any, shape: tuple[int, ...], order: Any) -> None:
    array = order((np.random.default_rng(1).standard_normal(shape) * 50).astype(dtype))
    table = array.reshape(-1, array.shape[-1])
    height, width = map(length_of, table.shape)
    blocks = (
        table[row : row + height, column : column + width].ravel().tolist()
        for row in range(0, table.shape[0], height)
        for column in range(0, table.shape[1], width)
    )
    largest = [max(numbers, key=lambda number: (abs(number), number)) for numbers in blocks]
    found = [number for row in blocks_of(array) for number in row]
    assert [np.dtype(dtype).type(number).item() for number in found] == largest


shapes = st.lists(st.integers(1, 40), min_size=1, max_size=4).map(tuple).filter(lambda s: SMALL < math.prod(s) < 40_000)


@given(st.data(), shapes, st.sampled_from([math.nan, math.inf, -math.inf, 1e4, -1e4]), st.sampled_from(list(ORDERS)))
def test_one_element_that_stands_out_is_seen_wherever_it_is(
    data: st.DataObject, shape: tuple[int, ...], odd: float, order: str
) -> None:
    array = np.ones(shape, data.draw(st.sampled_from([np.float16, np.float32, np.float64])))
    array[tuple(data.draw(st.integers(0, count - 1)) for count in shape)] = odd
    array = ORDERS[order](array)
    places = [place for place, number in np.ndenumerate(array) if number != 1]
    seen = {(i, j): n for i, row in enumerate(blocks_of(array)) for j, n in enumerate(row) if n != 1}
    assert set(seen) == {block_at(array, *place) for place in places}
    assert all(math.isnan(n) if math.isnan(odd) else n == odd for n in seen.values())


@pytest.mark.parametrize("size", [70, 5000])
def test_nan_counts_as_larger_than_infinity_and_of_two_of_one_size_the_positive_one_is_told(size: int) -> None:
    array = np.zeros((8, size), np.float32)
    array[0, :3] = -math.inf, math.nan, math.inf
    array[1, :2], array[2, :2] = (-2, 2), (math.inf, -math.inf)
    first = [row[0] for row in blocks_of(array)]
    assert math.isnan(first[0]) and first[1:4] == [2.0, math.inf, 0.0]


@given(st.lists(st.floats(width=32), min_size=40, max_size=80))
def test_many_numbers_are_shortened_as_each_of_them_is(numbers: list[float]) -> None:
    array = np.array(numbers, np.float32)
    np.testing.assert_array_equal(short(array), [float(str(number)) for number in array])


@given(st.lists(st.integers(-(10**9), 10**9), min_size=40, max_size=80), st.integers(-20, 20))
def test_numbers_of_few_digits_are_told_in_those(numbers: list[int], exponent: int) -> None:
    array = np.array([float(f"{number}e{exponent}") for number in numbers]).astype(np.float32)
    assert short(array) == [float(str(number)) for number in array]
