"""Each pass by itself: what it finds, what it must leave alone, and that the results are the same bits."""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_lab.compiler.graph import Constant, Graph, Operation, Value
from autograd_lab.compiler.kernel import CHECK, COPY, TRANSPOSE
from autograd_lab.compiler.passes import ON_ALL, ON_HALVES, Pass
from autograd_lab.compiler.passes.algebra import algebra
from autograd_lab.compiler.passes.constants import constants
from autograd_lab.compiler.passes.dead import dead
from autograd_lab.compiler.passes.duplicates import duplicates
from autograd_lab.compiler.passes.fusion import fusion
from autograd_lab.compiler.program.schedule import peak, schedule
from tests.compiler.graphs import (
    ADD,
    BROADCAST,
    DIVIDE,
    DOT,
    EXP,
    MAXIMUM,
    MULTIPLY,
    NEGATIVE,
    RESHAPE,
    SUBTRACT,
    SUM,
    Sheet,
    computed,
    constant,
    names,
)

FUSION = sys.modules[fusion.__module__]


def test_what_nobody_asks_for_goes_and_what_must_run_stays() -> None:
    sheet = Sheet((2,))
    [x] = sheet.inputs
    kept, lost = sheet.put(EXP, x), sheet.put(NEGATIVE, x)
    sheet.put(EXP, lost)
    graph = sheet.graph(kept)
    found, notes = dead(graph)
    assert names(found) == ["exp"] and len(notes) == 2
    checked = Graph(graph.inputs, (*graph.operations, *checks_of(lost)), graph.outputs)
    assert names(dead(checked)[0]) == ["exp", "negative", "check"]


def checks_of(value: Value) -> Any:
    return [Operation(CHECK, (value, "item", 1.0), ())]


def test_what_is_computed_twice_is_computed_once() -> None:
    sheet = Sheet((2,))
    [x] = sheet.inputs
    first, second = sheet.put(MULTIPLY, x, constant(2)), sheet.put(MULTIPLY, x, constant(2))
    total = sheet.put(ADD, sheet.put(EXP, first), sheet.put(EXP, second))
    found, notes = duplicates(sheet.graph(total))
    assert names(found) == ["multiply", "exp", "add"] and notes[second] == f"the same as {first}"


def test_constants_that_are_equal_but_not_the_same_bits_are_two() -> None:
    sheet = Sheet((2,))
    [x] = sheet.inputs
    made = [sheet.put(ADD, x, constant(zero)) for zero in (0.0, -0.0)]
    assert names(duplicates(sheet.graph(*made))[0]) == ["add", "add"]


def test_what_depends_on_no_input_is_computed_once_for_all_and_checks_of_it_are_settled() -> None:
    sheet = Sheet((2,))
    [x] = sheet.inputs
    known = sheet.put(EXP, constant(0))
    graph = sheet.graph(sheet.put(MULTIPLY, x, known))
    found, notes = constants(Graph(graph.inputs, (*graph.operations, *checks_of(known)), graph.outputs))
    assert names(found) == ["multiply"] and known in notes
    [folded] = [one for one in found.operations[0].operands if isinstance(one, Constant)]
    assert folded.array == 1


def one_line(kernel: Any, *args: Any, shape: tuple[int, ...] = (3, 2)) -> tuple[Graph, Sheet]:
    sheet = Sheet(shape)
    made = sheet.put(kernel, *[sheet.inputs[0] if arg is ... else arg for arg in args])
    return sheet.graph(made), sheet


NOTHING: dict[str, tuple[Any, ...]] = {
    "x * 1": (MULTIPLY, ..., constant(1)), "1 * x": (MULTIPLY, constant(1), ...), "x / 1": (DIVIDE, ..., constant(1)),
    "x - 0": (SUBTRACT, ..., constant(0)), "copy": (COPY, ...), "the same shape": (RESHAPE, ..., (3, 2)),
    "broadcast to the same shape": (BROADCAST, ..., (3, 2)),
}  # fmt: skip


@pytest.mark.parametrize("line", NOTHING.values(), ids=list(NOTHING))
def test_what_changes_nothing_goes(line: Any) -> None:
    graph, sheet = one_line(*line)
    found, _ = algebra(graph)
    assert not found.operations and found.outputs == sheet.inputs


SOMETHING: dict[str, tuple[Any, ...]] = {
    "x + 0, as -0 + 0 is 0": (ADD, ..., constant(0)), "x - -0": (SUBTRACT, ..., constant(-0.0)),
    "x * 0, as infinity times 0 is no number": (MULTIPLY, ..., constant(0)), "1 / x": (DIVIDE, constant(1), ...),
    "0 - x": (SUBTRACT, constant(0), ...),
    "x times ones of a larger shape": (MULTIPLY, ..., constant(np.ones((4, 3, 2)))),
}  # fmt: skip


@pytest.mark.parametrize("line", SOMETHING.values(), ids=list(SOMETHING))
def test_what_changes_a_bit_stays(line: Any) -> None:
    assert names(algebra(one_line(*line)[0])[0]) == [line[0].name]


def test_what_is_done_twice_may_be_undone() -> None:
    sheet = Sheet((2, 3), (2, 3))
    x, y = sheet.inputs
    back = sheet.put(TRANSPOSE, sheet.put(TRANSPOSE, x))
    same = sheet.put(NEGATIVE, sheet.put(NEGATIVE, y))
    found, _ = dead(algebra(sheet.graph(back, same))[0])
    assert not found.operations and found.outputs == (x, y)


def test_a_quotient_becomes_a_product_only_where_that_is_exact() -> None:
    found = [names(algebra(one_line(DIVIDE, ..., constant(k))[0])[0]) for k in (4, 0.125, 3, 0, np.inf, 2.0**-126)]
    assert found == [["multiply"], ["multiply"], ["divide"], ["divide"], ["divide"], ["multiply"]]


def test_an_operand_is_not_broadcast_if_another_one_has_the_shape() -> None:
    sheet = Sheet((3, 2), (2,))
    x, row = sheet.inputs
    wide = sheet.put(BROADCAST, row, (3, 2))
    together, alone = sheet.put(ADD, x, wide), sheet.put(EXP, wide)
    found, _ = algebra(sheet.graph(together, alone))
    assert [each.operands for each in found.operations] == [[row], [x, row], [wide]]


def test_only_a_group_that_nothing_leaves_and_comes_back_to_is_fused(monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = Sheet((4, 4))
    [x] = sheet.inputs
    first = sheet.put(EXP, x)
    outside = sheet.put(DOT, first, x)
    last = sheet.put(ADD, first, outside)
    monkeypatch.setattr(FUSION, "LEAST_BYTES", 1)
    assert names(fusion(sheet.graph(sheet.put(NEGATIVE, last)))[0]) == ["exp", "dot", "fused"]


def test_small_arrays_are_not_fused() -> None:
    sheet = Sheet((4, 4))
    made = sheet.put(NEGATIVE, sheet.put(EXP, sheet.inputs[0]))
    assert names(fusion(sheet.graph(made))[0]) == ["exp", "negative"]


def test_operations_run_as_late_as_can_be_where_that_saves_memory() -> None:
    sheet = Sheet((100,))
    [x] = sheet.inputs
    early = [sheet.put(MULTIPLY, x, constant(k)) for k in range(5)]
    sums = [sheet.put(SUM, one, axis=None) for one in early]
    graph = sheet.graph(*sums)
    found, _ = schedule(graph)
    assert names(found) == ["multiply", "add.reduce"] * 5 and peak(found) < peak(graph)


# --- random graphs ---------------------------------------------------------------------------------------------------


def written(random: Random) -> Graph:
    """A random graph with something in it for every pass."""
    sheet = Sheet((3, 2), (3, 2), (2,))
    values: list[Value] = list(sheet.inputs)
    for _ in range(random.randint(1, 14)):
        x = random.choice(values)
        others: list[Any] = [one for one in values if one.shape == x.shape]
        others += [constant(k) for k in (0.0, -0.0, 1.0, 2.0, 3.0, -1.0)]
        lines = [(k, x, random.choice(others)) for k in (ADD, SUBTRACT, MULTIPLY, DIVIDE, MAXIMUM)]
        lines += [(NEGATIVE, x), (NEGATIVE, x), (EXP, x), (COPY, x), (RESHAPE, x, (x.size,)), (TRANSPOSE, x)]
        lines += [(BROADCAST, x, (3, 2))] if x.shape == (2,) else []
        values.append(sheet.put(*random.choice(lines)))
    return sheet.graph(*random.sample(values, min(3, len(values))))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.randoms(use_true_random=False), st.permutations([*ON_ALL, *ON_HALVES]))
def test_random_graphs_give_the_same_bits_after_any_passes_in_any_order(random: Random, passes: list[Pass]) -> None:
    graph = written(random)
    arrays = [
        np.array([random.choice(NUMBERS) for _ in range(one.size)], np.float32).reshape(one.shape)
        for one in graph.inputs
    ]
    with np.errstate(all="ignore"), pytest.MonkeyPatch.context() as patch:
        patch.setattr(FUSION, "LEAST_BYTES", 1)
        before = computed(graph, arrays)
        for each in passes:
            graph, _ = each(graph)
            for old, new in zip(before, computed(graph, arrays), strict=True):
                assert new.shape == old.shape and new.tobytes() == old.tobytes(), graph


NUMBERS = [0.0, -0.0, 1.0, -1.5, 3.0, 0.1, 1e30, -1e-30, 1e-40, np.inf, -np.inf, np.nan, -np.nan]
