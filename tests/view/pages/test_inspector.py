"""What the inspector says: contents at each step, figures of values, formulas in numbers, the fate of slots, hooks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.display.script import find_script, run_script
from autograd_lab.recording.values.snapshot import snapshot, value_of
from autograd_lab.trace import Trace
from autograd_lab.view.pages.contents import Content, _Holders, contents_of
from autograd_lab.view.pages.film_graphs import graphs_of
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.pages.value_sheet import sheet_of
from autograd_lab.view.recorded_scene import history_in
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from tests.traces import programs, run


def leaf(number: float = 2.0) -> Any:
    return torch.tensor(number, requires_grad=True)


def rows_of(trace: Trace) -> dict[str, list[list[Any]]]:
    film = film_of(make_scene(trace))
    return {name: [film["rows"][row] for row in rows] for name, rows in film["about"].items()}


def figures_at(trace: Trace, thing: str, step: int) -> dict[str, Any]:
    """The sheets of the part that stands for a thing at a step, by title, as the browser finds them."""
    film = film_of(make_scene(trace))
    holders = [part[0] for part in film["graphs"][0]["parts"] if thing in (part[0], *film["members"][part[2]])]
    track = film["contents"].get(holders[0], [0, None])
    number = [track[i + 1] for i in range(0, len(track), 2) if track[i] <= step][-1]
    return {title: film["sheets"][sheet[0]] if sheet else None for title, *sheet in film["holdings"][number]}


@settings(max_examples=30, deadline=None)
@given(programs)
@example([("exp", 0, 0), ("add", 0, 0), ("write", 8, 0)])  # in place, on what exp has saved
def test_contents_are_told_as_they_are_in_each_state(program: list[Any]) -> None:
    trace = run(program)
    try:
        scene = make_scene(trace)
    except NothingToDraw:
        return
    shown = list(graphs_of(scene).shown.values())
    told, holders = contents_of(scene, shown), _Holders(history_in(scene), shown)
    for step in range(scene.steps + 1):
        state = scene.state(step)
        for part in holders.parts:
            track = told.get(part.id, [(0, ())])
            assert next(held for start, held in reversed(track) if start <= step) == holders.look(part, state)


class TestTheExpression:
    """`(a + b) * (b + 1)` with 2 and 3."""

    trace = run_script(find_script("expression")).trace

    def test_a_tensor_shows_its_value_its_gradient_on_the_way_and_what_is_stored(self) -> None:
        kinds = [event.kind for event in self.trace]
        arrived = kinds.index("gradient_sent") + 1
        end = len(self.trace)
        assert figures_at(self.trace, "b1", arrived) == {"value": {"rows": [["", "3.0"]]}, ".grad": {"note": "None"}}
        assert figures_at(self.trace, "b1", end) == {
            "value": {"rows": [["", "3.0"]]},
            ".grad": {"rows": [["", "9.0"]]},
            "gradient": {"rows": [["", "9.0"]]},
        }

    def test_a_node_shows_what_came_in_and_a_line_what_went_out(self) -> None:
        end = len(self.trace)
        assert figures_at(self.trace, "o2", end) == {
            "value": {"rows": [["", "20.0"]]},
            "gradient in": {"rows": [["", "1.0"]]},
        }
        assert figures_at(self.trace, "o0-o2", end) == {"gradient out to c": {"rows": [["", "4.0"]]}}

    def test_a_slot_shows_what_it_holds_until_it_is_freed_and_then_by_whom(self) -> None:
        forward = make_scene(self.trace).moments["forward"]
        assert figures_at(self.trace, "o2.s0", forward) == {"_saved_other": {"rows": [["", "4.0"]]}}
        assert figures_at(self.trace, "o2.s0", len(self.trace)) == {"freed by line 10": None}

    def test_a_line_says_where_it_leads_and_how_python_reaches_it(self) -> None:
        rows = {word: text for word, text, *_ in rows_of(self.trace)["o2.u1"]}
        assert rows["edge"] == "1 of MulBackward0, to d"
        assert rows["leads to"] == "AddBackward0 of d"
        assert rows["reached by"] == "y.grad_fn.next_functions[1]"

    def test_a_node_computes_in_numbers(self) -> None:
        [[_, text, step]] = [row for row in rows_of(self.trace)["o2"] if row[0] == "in numbers"]
        assert text == "self: 1.0 × 4.0 = 4.0;  other: 1.0 × 5.0 = 5.0"
        assert self.trace[step - 1].kind == "node_evaluated"


SPELLED = {"×": "*", "÷": "/", "−": "-", "²": "**2", "^": "**"}
COMPUTED: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: x * y,
    lambda x, y: x / y,
    lambda x, y: -x,
    lambda x, y: x**3,
    lambda x, y: x.exp(),
    lambda x, y: x.log(),
    lambda x, y: x.sin(),
    lambda x, y: x.cos(),
    lambda x, y: x.tanh(),
    lambda x, y: x.sigmoid(),
    lambda x, y: x.reciprocal(),
    lambda x, y: x.sqrt(),
    lambda x, y: 1 - x,
    lambda x, y: torch.rsub(x, y, alpha=3),
    lambda x, y: torch.rsub(x, 1, alpha=3),
    lambda x, y: torch.sub(x, y, alpha=3),
    lambda x, y: x**y,
    lambda x, y: 2**x,
    lambda x, y: x * 2,
    lambda x, y: x / 2,
]


@pytest.mark.parametrize("function", COMPUTED)
@pytest.mark.parametrize("numbers", [(2.0, 3.0), (0.5, -4.0)])
def test_formulas_in_numbers_are_true(function: Callable[[Any, Any], Any], numbers: tuple[float, float]) -> None:
    with record() as trace:
        function(leaf(numbers[0]), leaf(numbers[1])).backward()
    [text] = [row[1] for rows in rows_of(trace).values() for row in rows if row[0] == "in numbers"]
    for clause in text.split(";"):
        formula, _, result = clause.partition(": ")[2].rpartition(" = ")
        for sign, spelled in SPELLED.items():
            formula = formula.replace(sign, spelled)
        assert math.isclose(eval(formula, vars(math).copy()), float(result), rel_tol=1e-3, abs_tol=1e-4), clause


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient * 2


@pytest.mark.parametrize("function", [lambda x: torch.div(x, leaf(3.0), rounding_mode="floor"), Exp.apply])
def test_no_formula_is_told_of_what_has_none_of_these(function: Callable[[Any], Any]) -> None:
    with record() as trace:
        function(leaf()).backward()
    [words] = [[row[0] for row in rows] for rows in rows_of(trace).values() if rows[0][0] == "node"]
    assert "gradient" not in words and "in numbers" not in words


def test_a_stale_slot_says_what_overwrote_it_and_shows_what_is_there_now() -> None:
    with record() as trace:
        h = leaf() * 2
        p = h * leaf(3.0)
        h.add_(1)
        with pytest.raises(RuntimeError):
            p.backward()
    rows = rows_of(trace)
    [stale] = [name for name in rows if any(row[0] == "overwritten" for row in rows[name])]
    [(_, text, step)] = [row for row in rows[stale] if row[0] == "overwritten"]
    assert text.startswith("on line ") and text.endswith(": h.add_(1), which made version 1")
    assert trace[step - 1].kind == "tensor_modified"
    assert figures_at(trace, stale, len(trace))["_saved_self, overwritten since"] == {"rows": [["", "5.0"]]}


def test_what_was_written_through_another_name_says_through_which() -> None:
    with record() as trace:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x.detach()
        y.zero_()
        x.sum()
    held = figures_at(trace, "b0", len(trace))
    assert held["value"] == {"note": "not known: its memory was written through y"}


def test_hooks_are_listed_with_what_they_saw_and_what_they_made_of_it() -> None:
    with record() as trace:
        a = leaf()
        a.register_hook(lambda g: g * 2)
        b = a * 3
        b.grad_fn.register_prehook(lambda gradients: None)
        b.backward()
    rows = rows_of(trace)
    [hung, ran] = [row for row in rows["b0"] if row[0] == "hook"]
    assert hung[1].startswith("a tensor hook was hung here on line")
    assert (ran[1], trace[ran[2] - 1].kind) == ("the tensor hook ran with 3.0 and made it 6.0", "hook_called")
    assert [row[1] for row in rows["o0"] if row[0] == "hook"][1].endswith("ran with 1.0 and left it as it was")


def test_whole_numbers_stay_whole() -> None:
    for shape in ((3,), (5, 5), (20, 20)):
        sheet = sheet_of(Content("value", value_of(snapshot(np.arange(math.prod(shape)).reshape(shape))), shape))
        texts = [text for row in sheet.get("rows", []) for text in row]
        texts += [text for word, text in sheet.get("facts", []) if word in ("minimum", "maximum")]
        assert texts and not any("." in text for text in texts)


@given(arrays(np.float64, array_shapes(max_dims=4, max_side=4), elements=st.floats(-1e3, 1e3)))
def test_a_table_has_every_number_after_its_place(array: np.ndarray[Any, Any]) -> None:
    if array.size > 64:
        return
    sheet = sheet_of(Content("value", value_of(snapshot(array)), array.shape))
    found = [cell for _, *cells in sheet["rows"] for cell in cells]
    assert len(found) == array.size
    assert np.allclose([float(cell.lstrip("≈")) for cell in found], array.ravel(), rtol=1e-3, atol=1e-9)
    if array.ndim > 1:
        places = [tuple(map(int, place.split(","))) for place, *_ in sheet["rows"]]
        assert places == list(np.ndindex(array.shape[:-1]))


@given(arrays(np.float32, (10, 12), elements=st.floats(-1e3, 1e3, width=32)))
def test_a_large_array_has_its_statistics_and_bars(array: np.ndarray[Any, Any]) -> None:
    sheet = sheet_of(Content("value", value_of(snapshot(array)), array.shape))
    facts = dict(map(tuple, sheet["facts"]))
    wide = array.astype(np.float64)
    assert facts["elements"] == "120"
    if "std" in facts:
        assert math.isclose(float(facts["std"].lstrip("≈")), wide.std(), rel_tol=1e-3)
    if wide.min() < wide.max():
        assert sum(sheet["bars"]) == 120
        assert "of all 120 elements" in sheet["note"]


@given(arrays(np.float64, (7, 10), elements=st.floats(width=64)))
def test_numbers_of_any_size_have_a_sheet(array: np.ndarray[Any, Any]) -> None:
    with np.errstate(over="ignore"):
        facts = dict(map(tuple, sheet_of(Content("value", value_of(snapshot(array)), array.shape))["facts"]))
    assert facts["elements"] == "70"
    assert int(facts.get("NaN", "0")) == np.isnan(array).sum()
    assert int(facts.get("infinite", "0")) == np.isinf(array).sum()


def test_nan_and_infinity_are_counted_apart() -> None:
    array = np.ones(100, np.float32)
    array[:3] = np.nan, np.inf, 2
    facts = dict(map(tuple, sheet_of(Content("value", value_of(snapshot(array)), (100,)))["facts"]))
    assert (facts["NaN"], facts["infinite"], facts["maximum"]) == ("1", "1", "2.0")
