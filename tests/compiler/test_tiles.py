"""Loops over tiles: each tile fits into the cache, and all together give the same bits as whole arrays."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_lab.compiler.graph import Graph
from autograd_lab.compiler.passes.fusion import fusion
from autograd_lab.compiler.program.assembly import Program
from autograd_lab.compiler.program.tiles import CACHE_BYTES, Loop
from tests.compiler.graphs import ADD, EXP, MAXIMUM, MULTIPLY, Sheet, computed, constant

FUSION = sys.modules[fusion.__module__]
SHAPES = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple)


def repeated(shape: tuple[int, ...]) -> Any:
    """Shapes that are repeated in another one, with or without its first dimensions."""
    sizes = st.tuples(*(st.sampled_from([1, size]) for size in shape))
    return st.tuples(sizes, st.integers(0, len(shape))).map(lambda drawn: drawn[0][drawn[1] :])


def fused(*shapes: tuple[int, ...]) -> tuple[Graph, Graph]:
    """A graph of elementwise operations on arrays of the first shape and others, and the same one fused."""
    sheet = Sheet(*shapes)
    value, *others = sheet.inputs
    for other in others:
        value = sheet.put(MAXIMUM, sheet.put(ADD, sheet.put(MULTIPLY, value, other), sheet.inputs[0]), constant(0.5))
    graph = sheet.graph(sheet.put(MULTIPLY, sheet.put(EXP, value), value))
    return graph, fusion(graph)[0]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.data(), st.sampled_from([1, 40, 100, 400]))
def test_tiles_of_any_size_along_any_dimension_give_the_same_bits(data: Any, cache: int) -> None:
    shape = data.draw(SHAPES)
    others = data.draw(st.lists(repeated(shape), min_size=1, max_size=3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FUSION, "LEAST_BYTES", 1)
        patch.setattr("autograd_lab.compiler.program.tiles.CACHE_BYTES", cache)
        graph, after = fused(shape, *others)
        program = Program("p", after)
    numbers = np.random.default_rng(len(shape))
    given = [numbers.standard_normal(one.shape).astype(np.float32) for one in graph.inputs]
    [found], [wanted] = program(*given), computed(graph, given)
    assert found.tobytes() == wanted.tobytes(), program.listing


def loop_for(*shapes: tuple[int, ...]) -> Loop:
    program = Program("p", fused(*shapes)[1])
    [loop] = program.listing.loops
    return loop


@pytest.mark.parametrize(
    ("shapes", "axis"),
    [
        (((1_000_000,), (1_000_000,)), 0), (((1000, 1000), (1000,)), 0), (((2, 1_000_000), (1_000_000,)), 1),
        (((2, 3, 400_000), (3, 1)), 2), (((2, 1000, 1000), (1000, 1)), 1),
    ],
)  # fmt: skip
def test_a_tile_fits_into_the_cache_also_where_a_row_does_not(shapes: Any, axis: int) -> None:
    loop = loop_for(*shapes)
    one_tile = math.prod(loop.shape[loop.axis + 1 :]) * loop.rows * 4
    arrays = len(loop.plan.buffers) + len(loop.sliced) + len(loop.spread) + 1
    assert loop.axis == axis and CACHE_BYTES / 4 < one_tile * arrays <= CACHE_BYTES * 1.01
    assert len(loop.tiles()) == loop.count
