"""Each rule of the algebra gives the same bits as what it replaces, for all values that floats have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays, from_dtype

from autograd_lab.compiler.graph import Value
from autograd_lab.compiler.kernel import CAST, COPY, METHODS, POWER, TRANSPOSE, of_ufunc
from autograd_lab.compiler.passes.algebra import RULES, algebra
from autograd_lab.compiler.passes.dead import dead
from tests.compiler.graphs import (
    ADD,
    BROADCAST,
    DIVIDE,
    MAXIMUM,
    MULTIPLY,
    NEGATIVE,
    RESHAPE,
    SUBTRACT,
    Sheet,
    computed,
    constant,
)

SHAPE = (3, 4)
Line = Callable[[Sheet, Value, Value, Any], Value]


def twice(kernel: Any) -> Line:
    return lambda sheet, x, y, dtype: sheet.put(kernel, sheet.put(kernel, x))


def with_number(kernel: Any, number: Any, first: bool = False) -> Line:
    """With an array without dimensions, as captured constants are."""

    def line(sheet: Sheet, x: Value, y: Value, dtype: Any) -> Value:
        pair = (constant(number, dtype), x) if first else (x, constant(number, dtype))
        return sheet.put(kernel, *pair)

    return line


FOUND: dict[str, Line] = {
    "copy": lambda sheet, x, y, dtype: sheet.put(COPY, x),
    "cast": lambda sheet, x, y, dtype: sheet.put(CAST, x, dtype),
    "view": lambda sheet, x, y, dtype: sheet.put(METHODS["view"], x, dtype),
    "reshape": lambda sheet, x, y, dtype: sheet.put(RESHAPE, x, SHAPE),
    "x * 1": with_number(MULTIPLY, 1), "1 * x": with_number(MULTIPLY, 1, True), "x / 1": with_number(DIVIDE, 1),
    "x - 0": with_number(SUBTRACT, 0), "-(-x)": twice(NEGATIVE), "x.T.T": twice(TRANSPOSE),
    "x / 4": with_number(DIVIDE, 4), "x / -0.125": with_number(DIVIDE, -0.125), "x / -1": with_number(DIVIDE, -1),
    "x / 256": with_number(DIVIDE, 256),
    "a Python number": lambda sheet, x, y, dtype: sheet.put(MAXIMUM, x, 0.1),
    "a whole Python number first": lambda sheet, x, y, dtype: sheet.put(SUBTRACT, 3, x),
    "broadcast": lambda sheet, x, y, dtype: sheet.put(ADD, x, sheet.put(BROADCAST, y, SHAPE)),
    "a shape of a shape": lambda sheet, x, y, dtype: sheet.put(RESHAPE, sheet.put(RESHAPE, x, (12,)), (2, 6)),
}  # fmt: skip
"""What a rule finds something to do for."""
LEFT: dict[str, Line] = {
    "x + (-y)": lambda sheet, x, y, dtype: sheet.put(ADD, x, sheet.put(NEGATIVE, y)),
    "(-y) + x": lambda sheet, x, y, dtype: sheet.put(ADD, sheet.put(NEGATIVE, y), x),
    "x - (-y)": lambda sheet, x, y, dtype: sheet.put(SUBTRACT, x, sheet.put(NEGATIVE, y)),
    "(-x) * (-y)": lambda sheet, x, y, dtype: sheet.put(MULTIPLY, sheet.put(NEGATIVE, x), sheet.put(NEGATIVE, y)),
    "x ** 1": with_number(POWER, 1), "power(x, 1)": with_number(of_ufunc(np.power), 1), "x + 0": with_number(ADD, 0),
}  # fmt: skip
"""What would be the same for real numbers only."""


def numbers(dtype: Any) -> Any:
    """All floats but signalling NaNs, of both signs, with those that are special as often as the others together."""
    limits = np.finfo(dtype)
    special = [0.0, 1.0, limits.max, limits.tiny, limits.smallest_subnormal, limits.tiny / 2, np.inf, np.nan]
    quiet = from_dtype(np.dtype(dtype), allow_subnormal=True).filter(lambda one: not np.isnan(one))
    return st.one_of(st.sampled_from([sign * dtype(one) for one in special for sign in (1, -1)]), quiet)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("line", [*FOUND.values(), *LEFT.values()], ids=[*FOUND, *LEFT])
@settings(max_examples=25, deadline=None, derandomize=True)
@given(data=st.data())
def test_before_and_after_are_the_same_bits(line: Line, dtype: Any, data: Any) -> None:
    sheet = Sheet(SHAPE, (4,), dtype=dtype)
    graph = sheet.graph(line(sheet, *sheet.inputs, np.dtype(dtype)))
    given = [data.draw(arrays(dtype, one.shape, elements=numbers(dtype))) for one in graph.inputs]
    with np.errstate(all="ignore"):
        [before], [after] = computed(graph, given), computed(dead(algebra(graph)[0])[0], given)
    assert (after.dtype, after.shape, after.tobytes()) == (before.dtype, before.shape, before.tobytes())


def test_each_rule_is_among_those_that_are_tried() -> None:
    used = set()
    for line in FOUND.values():
        sheet = Sheet(SHAPE, (4,))
        graph = sheet.graph(line(sheet, *sheet.inputs, np.dtype(np.float32)))
        used |= {rule for each in graph.operations for rule in RULES if rule(each, graph.makers) is not None}
    assert used == set(RULES)


@pytest.mark.parametrize("line", LEFT.values(), ids=list(LEFT))
def test_what_holds_for_real_numbers_only_is_left_as_it_is(line: Line) -> None:
    sheet = Sheet(SHAPE, SHAPE)
    graph = sheet.graph(line(sheet, *sheet.inputs, np.dtype(np.float32)))
    assert str(algebra(graph)[0]) == str(graph)
