"""No value is in memory that another one still needs."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_lab.compiler.kernel import TRANSPOSE
from autograd_lab.compiler.program.assembly import Program
from autograd_lab.compiler.program.buffers import planned
from tests.compiler.graphs import ADD, DOT, EXP, MULTIPLY, SUM, Sheet, computed, constant
from tests.compiler.test_passes import NUMBERS, written

QUICK = settings(max_examples=300, deadline=None, derandomize=True)


def numbers_for(graph: Any, random: Random) -> list[Any]:
    return [
        np.array([random.choice(NUMBERS) for _ in range(one.size)], np.float32).reshape(one.shape)
        for one in graph.inputs
    ]


def test_a_chain_lives_in_one_buffer() -> None:
    sheet = Sheet((1000,))
    value = sheet.inputs[0]
    for _ in range(10):
        value = sheet.put(MULTIPLY, value, constant(2))
    plan = planned(sheet.graph(sheet.put(SUM, value, axis=None)), {})
    assert plan.nbytes == 4000 and plan.without == 40_000 and all(one.in_place for one in plan.buffers[0].tenants[1:])


def test_a_product_does_not_write_over_its_factors() -> None:
    sheet = Sheet((8, 8))
    value = sheet.put(EXP, sheet.inputs[0])
    plan = planned(sheet.graph(sheet.put(SUM, sheet.put(DOT, value, value), axis=None)), {})
    assert len(plan.buffers) == 2 and not any(one.in_place for each in plan.buffers for one in each.tenants)


def test_a_view_keeps_the_memory_that_it_looks_at() -> None:
    sheet = Sheet((8, 8))
    value = sheet.put(EXP, sheet.inputs[0])
    turned = sheet.put(TRANSPOSE, value)
    other = sheet.put(EXP, sheet.put(ADD, sheet.inputs[0], sheet.inputs[0]))
    graph = sheet.graph(sheet.put(SUM, sheet.put(ADD, turned, other), axis=None))
    random = Random(0)
    arrays = numbers_for(graph, random)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(Program("p", graph)(*arrays)[0], computed(graph, arrays)[0])


@QUICK
@given(st.randoms(use_true_random=False))
def test_two_values_are_in_a_buffer_at_once_only_where_one_is_written_over_the_other(random: Random) -> None:
    plan = planned(written(random), {})
    for buffer in plan.buffers:
        assert all(one.value.nbytes <= buffer.nbytes for one in buffer.tenants)
        for before, after in zip(buffer.tenants, buffer.tenants[1:], strict=False):
            assert before.stop == after.start if after.in_place else before.stop < after.start


@QUICK
@given(st.randoms(use_true_random=False))
def test_a_program_gives_what_its_graph_gives(random: Random) -> None:
    graph = written(random)
    arrays = numbers_for(graph, random)
    with np.errstate(all="ignore"):
        program = Program("p", graph)
        for _ in range(2):
            for found, wanted in zip(program(*arrays), computed(graph, arrays), strict=True):
                np.testing.assert_array_equal(found, wanted, str(program.listing))
