"""A tile shows every number that it was given, and 0 alone as paper."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograd_lab.view.kit.palette import STEPS
from autograd_lab.view.kit.tile import Tile, draw_tile, largest, level, tile_size, told

FINITE = st.floats(allow_nan=False, allow_infinity=False)
SHAPES = st.tuples(st.integers(1, 6), st.integers(1, 6))
SPECIAL = [math.nan, math.inf, -math.inf]


def of_numbers(numbers: st.SearchStrategy[float]) -> st.SearchStrategy[list[list[float]]]:
    return SHAPES.flatmap(
        lambda shape: st.lists(
            st.lists(numbers, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
        )
    )


def paths(svg: str) -> dict[str, int]:
    """How many subpaths each class has."""
    found = re.findall(r'<path class="(\S+?)(?: tiny)?" d="([^"]*)"', svg)
    return {name: course.count("M") for name, course in found}


def cells(svg: str) -> int:
    return sum(count for name, count in paths(svg).items() if re.fullmatch(r"[pn]\d|lost|endless", name))


@given(FINITE, FINITE.map(abs))
def test_0_and_only_0_is_paper(number: float, most: float) -> None:
    assert (level(number, most) == 0) == (number == 0)
    assert 0 <= level(number, most) <= STEPS


@given(st.floats(0, 1e300), st.floats(0, 1e300), st.floats(1e-300, 1e300))
def test_a_larger_number_is_never_paler(one: float, other: float, most: float) -> None:
    low, high = sorted((one, other))
    assert level(low, most) <= level(high, most) == level(-high, most)


@given(of_numbers(st.one_of(FINITE, st.sampled_from([0.0, -0.0, *SPECIAL]))), st.sampled_from([6, 10, 14, 20, 32]))
def test_every_number_but_0_has_its_cell_and_every_negative_one_its_mark(rows: list[list[float]], cell: int) -> None:
    svg = draw_tile(Tile(rows), 3, 4, cell)
    flat = [number for row in rows for number in row]
    assert cells(svg) == sum(number != 0 for number in flat)
    drawn = paths(svg)
    assert drawn.get("low", 0) + drawn.get("high", 0) == sum(number < 0 and math.isfinite(number) for number in flat)
    assert drawn.get("lost", 0) == sum(map(math.isnan, flat))
    assert drawn.get("endless", 0) == sum(map(math.isinf, flat))


@given(SHAPES, st.sampled_from([6, 14, 32]), st.booleans())
def test_the_frame_has_room_for_every_row_and_column_also_where_all_is_paper(
    shape: tuple[int, int], cell: int, aggregated: bool
) -> None:
    rows, columns = shape
    svg = draw_tile(Tile([[0.0] * columns] * rows, each="each is the mean of 4 × 4" if aggregated else ""), 0, 0, cell)
    size = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
    assert size is not None
    assert (float(size[1]) - 3, float(size[2]) - 3) == (columns * cell, rows * cell)
    assert ("rails" in svg) == aggregated
    assert tile_size(rows, columns, cell) == (columns * cell, rows * cell)


@given(of_numbers(st.sampled_from([0.5, -2.0, *SPECIAL])))
def test_what_is_no_number_does_not_count_in_the_range(rows: list[list[float]]) -> None:
    assert largest(rows) == max((abs(v) for row in rows for v in row if math.isfinite(v)), default=0)


def test_small_cells_show_their_marks_only_without_hues() -> None:
    assert ' tiny"' in draw_tile(Tile([[-1.0]]), 0, 0, 13)
    assert ' tiny"' not in draw_tile(Tile([[-1.0]]), 0, 0, 14)


def test_truths_are_dots() -> None:
    assert paths(draw_tile(Tile([[True, False], [True, True]]), 0, 0, 16)) == {"dots": 3}


def test_weights_and_values_have_one_scale_and_gradients_another() -> None:
    kinds = {kind: draw_tile(Tile([[1.0]], kind), 0, 0, 16) for kind in ("weight", "value", "gradient")}
    assert 'class="tile values"' in kinds["weight"] and 'class="tile values"' in kinds["value"]
    assert 'class="tile grads"' in kinds["gradient"]


@pytest.mark.parametrize(
    ("tile", "words"),
    [
        (Tile([[1.0, -2.0, 0.0]], "weight"), "weights, 1 × 3 cells: 1 positive, 1 negative, 1 zero"),
        (Tile([[True], [False]]), "2 × 1 cells, 1 of them true"),
        (Tile([[math.nan, math.inf]], "gradient"), "gradients, 1 × 2 cells: 1 NaN, 1 infinite"),
        (
            Tile([[3.0]], each="each is the largest of 8"),
            "values, 1 × 1 cells, each is the largest of 8: 1 positive",
        ),
    ],
)
def test_a_tile_is_told_in_words(tile: Tile, words: str) -> None:
    assert told(tile) == words
    assert words in draw_tile(tile, 0, 0, 16)


def test_the_words_of_a_caller_are_no_markup() -> None:
    drawn = draw_tile(Tile([[1.0]], each="<b>&"), 0, 0, 16)
    assert len(list(ElementTree.fromstring(drawn))) == 4


def test_a_cell_takes_few_bytes() -> None:
    rows = [[math.sin(7 * i + j) for j in range(16)] for i in range(16)]
    assert len(draw_tile(Tile(rows), 0, 0, 10)) / 256 < 35
