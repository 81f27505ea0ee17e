"""The small parts of the view: tables of states, numbers as text, signs, wrapping, the palette."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from autograd_lab.events import Value
from autograd_lab.recording.values.snapshot import snapshot, value_of
from autograd_lab.view.kit.font import text_width, wrap
from autograd_lab.view.kit.numeral import brief, numeral, shape_of, shouts, statistics, table
from autograd_lab.view.kit.style import LIGHT, style_sheet
from autograd_lab.view.kit.table import BLOCK, Table
from autograd_lab.view.pages.contents import Content
from autograd_lab.view.pages.value_sheet import sheet_of


@given(st.lists(st.tuples(st.integers(0, 3 * BLOCK), st.integers()), max_size=30))
def test_a_table_holds_what_a_dict_holds_and_older_tables_do_not_change(items: list[tuple[int, int]]) -> None:
    tables, dicts = [Table[int]("t")], [dict[str, int]()]
    for number, item in items:
        tables.append(tables[-1].set(f"t{number}", item))
        dicts.append(dicts[-1] | {f"t{number}": item})
    for table_, dict_ in zip(tables, dicts, strict=True):
        assert dict(table_) == dict_
        assert len(table_) == len(dict_)


@pytest.mark.parametrize("key", ["n0", "t", "tx", "", "t-1"])
def test_a_table_knows_only_ids_of_its_own_kind(key: str) -> None:
    assert key not in Table[int]("t").set("t0", 1)


@given(st.floats(-1e300, 1e300))
def test_a_numeral_is_true_to_five_digits(number: float) -> None:
    assert math.isclose(float(numeral(number)), number, rel_tol=1e-4, abs_tol=1e-300)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_a_number_shouts(value: float) -> None:
    assert shouts(Value(numbers=[1.0, value]))
    assert brief(Value(numbers=value)) in ("NaN", "+inf", "-inf")
    assert "1 " in statistics(Value(numbers=[1.0, value]))


def test_none_is_never_shown_as_zero() -> None:
    assert brief(None) == "none"


@given(arrays(np.float64, (9, 9), elements=st.floats(width=64)))
def test_the_cells_of_a_large_array_tell_signs_and_what_is_no_number(array: Any) -> None:
    cells = "".join(sheet_of(Content("value", value_of(snapshot(array))))["heat"].split("/"))
    blocks = np.asarray(value_of(snapshot(array)).blocks, np.float64).ravel()
    assert [cell in "NPM" for cell in cells] == (~np.isfinite(blocks)).tolist()
    assert [cell == "0" for cell in cells] == (blocks == 0).tolist()
    assert all(cell.islower() == (number > 0) for cell, number in zip(cells, blocks, strict=True) if cell not in "0NPM")


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3), (2, 0, 3), (2, 3, 0)])
def test_an_empty_array_is_empty_and_keeps_its_shape(shape: tuple[int, ...]) -> None:
    value = value_of(snapshot(np.ones(shape)))
    assert (shape_of(value, ()), statistics(value), table(value)) == (shape, "empty", [])
    assert sheet_of(Content("value", value)) == {"note": "empty"}


def test_the_columns_of_a_table_are_aligned() -> None:
    assert table(Value(numbers=[[1.0, -20.0], [3.5, 4.0]])) == ["1.0  -20.0", "3.5    4.0"]


@given(st.text(alphabet="ab ∂\n", max_size=200), st.floats(60, 300))
def test_wrapped_lines_fit_their_width(text: str, width: float) -> None:
    lines = wrap(text, width, 12, 3)
    assert len(lines) <= 3
    assert all(text_width(line, 12) <= width + 1 for line in lines)


def luminance(colour: str) -> float:
    """Relative luminance, WCAG 2.2."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


TEXTS = ["ink", "quiet", "gradient", "alarm"]
GROUNDS = ["paper", "leaf", "made", "code", "code_now", "alarm_soft", "gradient_soft", "saved", "kept"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("ground", GROUNDS)
def test_text_stands_out_from_every_ground(text: str, ground: str) -> None:
    assert contrast(LIGHT[text], LIGHT[ground]) >= 4.5


@pytest.mark.parametrize("line", ["ink", "quiet", "hair", "leaf_line", "saved_line", "kept_line", "gradient", "alarm"])
def test_borders_stand_out_from_the_paper(line: str) -> None:
    assert contrast(LIGHT[line], LIGHT["paper"]) >= 3


def test_the_style_sheet_has_no_colour_left_open() -> None:
    assert "$" not in style_sheet()
