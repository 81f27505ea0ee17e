"""Readings: a value on a card is short, never raises, and never hides what is no number."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograd_lab import record
from autograd_lab.events import Value
from autograd_lab.view.graph.looks.tile_look import numbers_of, tile_text
from autograd_lab.view.kit.numeral import numbers_in
from autograd_lab.view.kit.reading import (
    LARGEST,
    SAMPLE,
    grid_of,
    is_written,
    label_of,
    matrix_of,
    norm_of,
    reading,
    row_of,
)

torch = pytest.importorskip("torch")

numbers = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.integers(-(10**30), 10**30), st.booleans())
shapes = st.lists(st.integers(0, 20), max_size=4).filter(lambda shape: math.prod(shape) <= 500)


@st.composite
def arrays(draw: st.DrawFn) -> tuple[list[int], Any]:
    """A shape, and numbers in lists of that shape."""
    shape = draw(shapes)
    few = draw(st.lists(numbers, min_size=1, max_size=5))
    return shape, nested(shape, iter(few * 500))


def nested(shape: list[int], flow: Any) -> Any:
    return next(flow) if not shape else [nested(shape[1:], flow) for _ in range(shape[0])]


def flat(held: Any) -> list[float]:
    return [number for each in held for number in flat(each)] if isinstance(held, list) else [held]


@given(arrays())
def test_any_value_reads_in_a_few_characters(array: tuple[list[int], Any]) -> None:
    text = reading(Value(numbers=array[1]))
    assert text.strip() and len(text) <= 60
    assert "-" not in text


@given(arrays())
def test_nan_and_infinity_are_always_told(array: tuple[list[int], Any]) -> None:
    held = [float(number) for number in flat(array[1])]
    text = reading(Value(numbers=array[1])).lower()
    assert "nan" in text or not any(map(math.isnan, held))
    assert "inf" in text or "nan" in text or not any(map(math.isinf, held))


@given(arrays())
def test_a_tile_drops_no_row_and_hides_no_nan(array: tuple[list[int], Any]) -> None:
    shape, held = array
    value = Value(numbers=held)
    rows, each = matrix_of(value)
    if not flat(held):
        return
    assert (len(rows), max(map(len, rows))) == grid_of(shape)
    assert len({len(row) for row in rows}) == 1
    assert each == (LARGEST if len(flat(rows)) < len(flat(held)) else "")
    finite = [abs(float(number)) for number in flat(held) if math.isfinite(number)]
    lost = [number for number in flat(held) if not math.isfinite(number)]
    assert max(abs(float(n)) for n in flat(rows)) == max(finite) if not lost else True
    assert any(map(math.isnan, flat(rows))) == any(map(math.isnan, flat(held)))


@given(arrays())
def test_cells_of_a_tile_as_text_are_those_of_its_numbers(array: tuple[list[int], Any]) -> None:
    value = Value(numbers=array[1])
    rows, each = matrix_of(value)
    if not flat(rows):
        return
    told, is_each = numbers_of(tile_text(value, 2.0))
    assert is_each == each
    assert [len(row) for row in told] == [len(row) for row in rows]
    for cell, number in zip(flat(told), flat(rows), strict=True):
        if isinstance(number, bool):
            assert cell is number
        elif math.isnan(number):
            assert math.isnan(cell)
        else:
            assert (cell > 0, cell < 0) == (number > 0, number < 0)


def test_a_large_array_is_shown_by_its_blocks_and_one_of_an_older_trace_by_its_sample() -> None:
    new = Value(minimum=0.0, maximum=9.0, blocks=[[9.0, 1.0]], thumbnail=[[0.0, 1.0]], shape=(8, 20))
    old = dataclasses.replace(new, blocks=None)
    assert (matrix_of(new), matrix_of(old)) == (([[9.0, 1.0]], LARGEST), ([[0.0, 1.0]], SAMPLE))
    assert (tile_text(new, 9.0), tile_text(old, 9.0)) == ("ha+", "0a~")
    assert numbers_of("0a~") == ([[0.0, 0.125]], SAMPLE)


@given(arrays())
def test_the_norm_leaves_out_what_is_no_number(array: tuple[list[int], Any]) -> None:
    norm = norm_of(Value(numbers=array[1]))
    finite = [float(n) for n in numbers_in(array[1]) if math.isfinite(float(n))]
    assert norm == pytest.approx(math.hypot(*finite))


MADE = {
    "complex": lambda: torch.tensor([1 + 2j, 3j], requires_grad=True),
    "empty": lambda: torch.ones(0, 3, requires_grad=True),
    "four dimensions": lambda: torch.ones(2, 3, 4, 5, requires_grad=True),
    "huge": lambda: torch.ones(300, 1000, requires_grad=True),
    "half": lambda: torch.ones(70_000, dtype=torch.float16, requires_grad=True),
    "one NaN of many": lambda: torch.full((100, 100), 1.0).index_fill(0, torch.tensor([3]), float("nan")),
    "infinite": lambda: torch.full((9, 9), float("-inf"), requires_grad=True),
    "meta": lambda: torch.ones(3, device="meta", requires_grad=True),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", MADE.values(), ids=list(MADE))
def test_whatever_pytorch_holds_can_be_read(make: Any) -> None:
    with record() as trace:
        x = make()
        y = x * 1
        len(trace)
    values = [event.outputs[0].value for event in trace if hasattr(event, "outputs")]
    for value in values:
        assert reading(value).strip()
        rows, _ = matrix_of(value)
        assert len(rows) <= 12 and all(len(row) <= 12 for row in rows)
        assert tile_text(value, 1.0) is not None and is_written(value) in (True, False)
    assert values or y is not None


def test_one_nan_of_ten_thousand_numbers_is_told() -> None:
    with record() as trace:
        x = MADE["one NaN of many"]()
        (x * torch.ones((), requires_grad=True)).sum()
        len(trace)
    (value, *_) = [event.outputs[0].value for event in trace if hasattr(event, "outputs")]
    assert reading(value) == "100 NaN"


def test_what_is_nearly_a_whole_number_is_written_as_pytorch_prints_it() -> None:
    torch = pytest.importorskip("torch")
    for number in (-3.9999998, 0.99999994, 120.00001, 4.00002):
        printed = str(torch.tensor(number)).removeprefix("tensor(").removesuffix(")")
        assert reading(Value(numbers=number)) == printed.replace("-", "−")
    assert reading(Value(numbers=4.0)) == "4.0"


def test_only_an_exact_0_reads_as_0() -> None:
    assert label_of(Value(numbers=[0.0, 0.0])) == "‖0‖"
    assert label_of(Value(numbers=[1e-45, 0.0])) == "‖1.0e−45‖"
    assert reading(Value(numbers=1e-45)) == "1.0e−45"


def test_at_most_four_numbers_are_written_out() -> None:
    assert row_of(Value(numbers=[1.0] * 4)) is not None
    assert row_of(Value(numbers=[1.0] * 5)) is None and row_of(Value(numbers=[])) is None
    assert reading(Value(numbers=[])) == "‖0‖" and reading(None) == "none" and reading(Value()) == "unknown"
