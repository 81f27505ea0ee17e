"""The Event contract: what is written is what is read, and what cannot be read says why."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograd_lab import events
from autograd_lab.events import (
    KINDS,
    ArrayFacts,
    Edge,
    Event,
    Operand,
    OperationFacts,
    TensorFacts,
    TensorModified,
    Value,
    Where,
    from_json,
    to_json,
    types_of,
)

floats = st.floats(width=32)
rows = st.integers(0, 2).flatmap(lambda side: st.lists(st.lists(floats, min_size=side, max_size=side), max_size=2))
numbers = st.one_of(floats, st.lists(floats, max_size=3), rows)
plain = st.one_of(st.booleans(), st.integers(-9, 9), floats)
texts = st.text(max_size=8)
values = st.builds(Value, numbers=numbers, minimum=st.none() | floats, norm=st.none() | floats, nans=st.integers(0, 3))
wheres = st.builds(Where, file=texts, line=st.integers(1, 99), text=texts)
operands = st.builds(Operand, tensor=st.none() | texts, number=st.none() | plain, edge=st.none() | st.integers(0, 3))
edges = st.builds(Edge, node=texts, index=st.integers(0, 3), leaf=st.none() | texts)
counts = st.integers(0, 99)
facts = st.builds(
    TensorFacts,
    id=texts,
    name=st.none() | texts,
    shape=st.lists(st.integers(0, 5), max_size=3).map(tuple),
    dtype=texts,
    nbytes=counts,
    version=counts,
    value=values,
)
arrays = st.builds(ArrayFacts, id=texts, name=texts, shape=st.just((2, 3)), dtype=texts, nbytes=st.integers(0, 99))
operations = st.builds(
    OperationFacts,
    id=texts,
    title=texts,
    operands=st.lists(texts, max_size=3).map(tuple),
    results=st.lists(arrays, max_size=2).map(tuple),
    backward=st.booleans(),
)
by_type: dict[Any, st.SearchStrategy[Any]] = {
    str: texts,
    str | None: st.none() | texts,
    int: st.integers(0, 99),
    int | None: st.none() | st.integers(0, 99),
    bool: st.booleans(),
    float | int | bool | None: st.none() | plain,
    Value: values,
    Value | None: st.none() | values,
    Where | None: st.none() | wheres,
    TensorFacts: facts,
    Mapping[str, Any]: st.dictionaries(texts, plain, max_size=3),
    float: floats,
    ArrayFacts: arrays,
    OperationFacts: operations,
    tuple[int, ...] | None: st.none() | st.lists(st.integers(0, 99), max_size=3).map(tuple),
}
by_type |= {
    tuple[hint, ...]: st.lists(strategy, max_size=3).map(tuple)
    for hint, strategy in [
        (str, texts),
        (float, floats),
        (Value, values),
        (Value | None, st.none() | values),
        (TensorFacts, facts),
        (Operand, operands),
        (Edge, edges),
        (Edge | None, st.none() | edges),
        (OperationFacts, operations),
    ]
}


def an(cls: type[Event]) -> st.SearchStrategy[Event]:
    """Any event of a class, by the types of its fields."""
    return st.builds(cls, **{name: by_type[hint] for name, hint in types_of(cls).items()})


def same(one: Any, two: Any) -> bool:
    """Equal, where NaN equals NaN."""
    if isinstance(one, float) and isinstance(two, float) and math.isnan(one):
        return math.isnan(two)
    if dataclasses.is_dataclass(one) and type(one) is type(two):
        return all(same(getattr(one, f.name), getattr(two, f.name)) for f in dataclasses.fields(one))
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list | tuple):
        return type(one) is type(two) and len(one) == len(two) and all(map(same, one, two))
    return type(one) is type(two) and bool(one == two)


@given(st.sampled_from(sorted(KINDS)).flatmap(lambda kind: an(KINDS[kind])))
def test_every_event_survives_the_way_through_strict_json(event: Event) -> None:
    text = json.dumps(to_json(event), allow_nan=False)
    assert same(from_json(json.loads(text)), event)


def test_nan_and_infinities_are_written_as_strings_that_browsers_can_parse() -> None:
    event = TensorModified(tensor="t0", op="add_", version=1, value=Value(numbers=[math.nan, math.inf, -math.inf]))
    assert to_json(event)["value"] == {"numbers": ["nan", "inf", "-inf"]}


def test_defaults_are_left_out_of_the_json() -> None:
    assert to_json(events.BackwardFinished()) == {"kind": "backward_finished"}


def test_events_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        events.SavedFreed(node="n0").node = "n1"  # type: ignore[misc]  # that this is refused is the test


def written(**fields: Any) -> dict[str, Any]:
    """A write, as JSON, with some of its fields."""
    return {"kind": "tensor_modified", "tensor": "t0", "op": "a", "version": 1, "value": {}, **fields}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"kind": "exploded"}, "unknown event kind 'exploded'; is the trace from a newer version"),
        ([], "unknown event kind None"),
        ({"kind": "saved_freed"}, "missing 1 required keyword-only argument: 'node'"),
        ({"kind": "saved_freed", "node": "n0", "colour": 1}, "SavedFreed has no field 'colour'"),
        ({"kind": "saved_freed", "node": 7}, "SavedFreed.node wants a text, not 7"),
        ({"kind": "grad_mode_changed", "enabled": 1}, "GradModeChanged.enabled wants true or false, not 1"),
        ({"kind": "graph_released", "nodes": "n0"}, "GraphReleased.nodes wants a list, not 'n0'"),
        ({"kind": "node_visited", "node": "n0", "gradients": [3]}, "Value wants an object, not 3"),
        (
            {"kind": "tensor_modified", "tensor": "t0", "op": "a", "version": True, "value": {}},
            "wants a whole number, not True",
        ),
    ],
)
def test_what_is_not_an_event_is_refused_with_the_reason(data: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        from_json(data)
    assert message in str(caught.value)
