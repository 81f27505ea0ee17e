"""How a function was compiled is told in events: they say what the compiler did, and the picture says what they say."""

from __future__ import annotations

import sys
import tracemalloc
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")  # it tells the author of random programs which lines run

import autograd_lab as torch
from autograd_lab.compiler.passes.fusion import fusion
from autograd_lab.compiler.telling import trace_of
from autograd_lab.events import (
    ArrayKept,
    ArrayPlaced,
    ArrayPutInto,
    BufferPlanned,
    OperationCaptured,
    OperationDropped,
    OperationMoved,
    OperationRepeated,
    OperationRewritten,
    OperationsFused,
    PassFinished,
    ProgramWritten,
)
from autograd_lab.trace import Trace, TraceError
from autograd_lab.view.compare.both import both_of
from autograd_lab.view.compiled.about import about_compilation
from autograd_lab.view.compiled.state import Compilation, compilation_of
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from autograd_lab.view.track import look_at
from tests.compiler.programs import both, source_of

FUSION = sys.modules[fusion.__module__]
QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


def wasteful(x: Any) -> Any:
    x.sin()
    return (x.exp() / 2 + x.exp()) * 1


def compiled(function: Any, *args: Any) -> Any:
    found = torch.compile(function)
    found(*args)
    return found


@pytest.fixture(scope="module")
def entry() -> Any:
    return compiled(wasteful, torch.ones(4, 4, requires_grad=True)).entries[0]


@pytest.fixture(scope="module")
def trace(entry: Any) -> Trace:
    return trace_of(entry, "wasteful")


def end_of(trace: Trace) -> Compilation:
    return compilation_of(trace.events)


def of_kind(trace: Trace, kind: Any) -> list[Any]:
    return [event for event in trace if isinstance(event, kind)]


def test_each_captured_call_is_told_with_the_line_it_is_for(entry: Any, trace: Trace) -> None:
    told, graph = of_kind(trace, OperationCaptured), entry.stages[0].graph
    assert [each.operation.results[0].name for each in told] == [str(each.result) for each in graph.operations]
    assert [each.where.line for each in told] == [each.origin.line for each in graph.operations]
    assert trace.files[told[0].where.file].splitlines()[told[0].where.line - 1].strip() == "x.sin()"


def test_what_is_left_out_is_told_with_the_reason(trace: Trace) -> None:
    names = {each.operation.id: each.operation.title for each in of_kind(trace, OperationCaptured)}
    told = [(names[each.operation], each.reason) for each in of_kind(trace, OperationDropped)]
    assert ("sin", "nobody asks for it") in told
    assert ("exp", "the same as t1") in told
    assert ("multiply(·, 1)", "that leaves t4 as it is") in told


def test_what_is_done_in_another_way_is_told_with_what_it_is_now(trace: Trace) -> None:
    told = {each.operation.title: each.reason for each in of_kind(trace, OperationRewritten)}
    assert told["multiply(·, 0.5)"] == "a product costs less"


def test_each_pass_ends_with_as_many_operations_as_its_graph_has(entry: Any, trace: Trace) -> None:
    told = [(each.name, each.operations) for each in of_kind(trace, PassFinished)]
    passes = [(stage.name, len(stage.graph.operations)) for stage in entry.stages]
    assert told[: len(passes)] == passes
    assert [name for name, _ in told[len(passes) :]] == ["halves", "fusion", "schedule", "program", "buffers"]


def test_what_is_kept_is_what_backward_takes_in(entry: Any, trace: Trace) -> None:
    end = end_of(trace)
    kept = {end.arrays[each.array].facts.name for each in of_kind(trace, ArrayKept)}
    assert kept == {one.name for one in entry.backward.graph.inputs} - {"g"}


def test_a_view_keeps_all_that_it_is_a_view_of() -> None:
    def part_of(x: Any) -> Any:
        y = x.sin()[:10]
        return (y * y).sum()

    sizes = [each.nbytes for each in of_kind(compiled(part_of, torch.ones(1000, requires_grad=True)).trace, ArrayKept)]
    assert 4000 in sizes and 40 not in sizes


def test_each_parameter_has_its_gradient_also_where_two_are_called_alike() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    end = end_of(compiled(lambda x: model(x).sum(), torch.ones(2, 4)).trace)
    shapes = {purpose: end.arrays[array].facts.shape for purpose, array in end.ends}
    assert shapes["gradient of weight"] == (8, 4) and shapes["gradient of weight_1"] == (3, 8)
    assert shapes["gradient of bias"] == (8,) and shapes["gradient of bias_1"] == (3,)


def test_results_are_counted_as_they_are_returned_inputs_too() -> None:
    end = end_of(compiled(lambda x, y: (x, y * 2, x), torch.ones(2), torch.ones(2)).trace)
    names = {purpose: end.arrays[array].facts.name for purpose, array in end.ends}
    assert names == {"result 1": "x", "result 2": "t0", "result 3": "x"}


def test_what_is_written_into_an_input_takes_no_memory() -> None:
    trace = compiled(lambda x, y: y.copy_(x * 2), torch.ones(100_000), torch.ones(100_000)).trace
    [put] = of_kind(trace, ArrayPutInto)
    assert end_of(trace).arrays[put.target].facts.name == "y" and end_of(trace).nbytes < 100


def test_what_forward_does_not_need_runs_in_backward_only() -> None:
    trace = compiled(lambda x: x.max(1)[0], torch.ones(3, 3, requires_grad=True)).trace
    titles = {each.operation.id: each.operation.title for each in of_kind(trace, OperationCaptured)}
    moved = [titles[each.operation] for each in of_kind(trace, OperationMoved)]
    assert moved and all(not end_of(trace).operations[each.operation].gone for each in of_kind(trace, OperationMoved))


def test_the_bytes_that_are_told_are_those_that_python_gives_out() -> None:
    def steps(x: Any) -> Any:
        return ((x.sin() * x).cos() + x.exp()).sum()

    x = torch.ones(50_000, requires_grad=True)
    found = compiled(steps, x)
    told = end_of(found.trace)
    tracemalloc.start()
    for function, expected in ((found.function, told.captured[1]), (fresh(found), told.nbytes)):
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        function(x).backward()
        peak = tracemalloc.get_traced_memory()[1] - before
        x.grad = None
        assert abs(peak - expected) < 250_000, (peak, expected)  # more or less one array, of 200,000 bytes
    tracemalloc.stop()


def fresh(found: Any) -> Any:
    """The same function, whose buffers are still to be made."""
    again = torch.compile(found.function)
    again.entries = [compiled(found.function, torch.ones(50_000, requires_grad=True)).entries[0]]
    for program in (again.entries[0].forward, again.entries[0].backward):
        program._idle.clear()
    return again


def test_programs_and_buffers_are_those_that_run(entry: Any, trace: Trace) -> None:
    assert [each.text for each in of_kind(trace, ProgramWritten)] == [
        str(entry.forward.listing),
        str(entry.backward.listing),
    ]
    planned = [buffer.nbytes for one in (entry.forward, entry.backward) for buffer in one.plan.buffers]
    assert [each.nbytes for each in of_kind(trace, BufferPlanned)] == planned


def test_an_array_lies_in_its_buffer_in_the_lines_that_name_it(trace: Trace) -> None:
    end = end_of(trace)
    texts = {each.half: each.text.splitlines() for each in of_kind(trace, ProgramWritten)}
    for each in of_kind(trace, ArrayPlaced):
        name, lines = end.arrays[each.array].facts.name, texts[end.buffers[each.buffer].facts.half]
        naming = [
            at
            for at, line in enumerate(lines, 1)
            if name in line.replace(",", " ").replace(")", " ").replace("=", " ").split()
        ]
        assert each.first == naming[0] and each.last >= naming[-1]


def test_loops_and_what_runs_twice_are_told() -> None:
    def chain(x: Any) -> Any:
        return ((x * 1.5 + 0.5) * x - 2).relu()

    found = compiled(chain, torch.ones(1_000_000, requires_grad=True))
    trace = found.trace
    fused, entry = of_kind(trace, OperationsFused), found.entries[0]
    loops = [each for each in entry.operations if each.body]
    assert [len(each.operations) for each in fused] == [len(each.body) for each in loops]
    halves = [
        {part.results for each in one.graph.operations for part in each.body} for one in (entry.forward, entry.backward)
    ]
    assert len(of_kind(trace, OperationRepeated)) == len(halves[0] & halves[1]) > 0
    assert end_of(trace).nbytes < end_of(trace).captured[1] / 3, "loops need little memory for what is in between"


def test_a_value_that_python_sees_is_told_as_such() -> None:
    def branch(x: Any) -> Any:
        return x * 2 if x.sum() > 0 else x

    titles = [each.operation.title for each in of_kind(compiled(branch, torch.ones(3)).trace, OperationCaptured)]
    assert "Python sees True" in titles


def test_a_trace_of_a_compilation_can_be_written_read_and_drawn(trace: Trace, tmp_path: Path) -> None:
    trace.save(tmp_path / "told.jsonl")
    again = Trace.load(tmp_path / "told.jsonl")
    assert again.events == trace.events
    assert "mul" in torch.draw(again, tmp_path / "told.svg", at="algebra").svg


def test_a_damaged_trace_of_a_compilation_is_refused_by_line(trace: Trace, tmp_path: Path) -> None:
    Trace([event for event in trace if not isinstance(event, OperationCaptured)]).save(tmp_path / "told.jsonl")
    with pytest.raises(TraceError, match=r"line \d+: a \w+ event mentions"):
        Trace.load(tmp_path / "told.jsonl")


def test_a_function_that_was_never_captured_has_no_trace() -> None:
    with pytest.raises(RuntimeError, match="was not captured: it was never called"):
        torch.draw(torch.compile(wasteful))


def test_a_compiled_module_is_drawn_like_a_function() -> None:
    model = torch.compile(torch.nn.Linear(2, 1))
    model(torch.ones(3, 2))
    assert "captured" in torch.draw(model).scene.moments


@QUICK
@given(st.randoms(use_true_random=False))
def test_what_is_told_of_any_program_comes_to_the_graph_that_runs(random: Random) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if random.random() < 0.5:  # everything is fused, and a tile has a few elements
            patch.setattr("autograd_lab.compiler.program.tiles.CACHE_BYTES", 40)
            patch.setattr(FUSION, "LEAST_BYTES", 1)
        entries = both(source_of(random, core=random.random() < 0.5), (1,))[2].entries
    for entry in entries:
        trace = trace_of(entry, "program")
        end = end_of(trace)
        left = {name for name, one in end.operations.items() if not one.gone}
        runs = [part for each in entry.operations for part in (each.body or (each,))]
        made = {one.name for part in runs for one in part.results}
        assert {array.name for name in left for array in end.operations[name].facts.results} == made
        for name in left:
            for operand in end.operations[name].facts.operands:
                owner = end.owner(operand)
                assert owner not in end.operations or not end.operations[owner].gone
        assert end.count == len(left) and end.nbytes >= 0


def test_every_part_looks_at_every_step_as_its_track_says(trace: Trace) -> None:
    scene = make_scene(trace)
    for step in range(len(trace) + 1):
        state = scene.state(step)
        for part in scene.parts:
            assert look_at(scene.tracks[part.id], step) == scene.look(part, state), (step, part)


def test_cards_stand_apart_and_lines_begin_at_cards(trace: Trace) -> None:
    scene = make_scene(trace)
    cards = [part for part in scene.parts if part.kind in ("input", "call")]
    for at, one in enumerate(cards):
        for other in cards[:at]:
            apart = one.x + one.width <= other.x or other.x + other.width <= one.x
            assert apart or one.y + one.height <= other.y or other.y + other.height <= one.y
    by_id = {part.id: part for part in cards}
    for part in scene.parts:
        if part.kind == "wire":
            x, y = scene.routes[part.id][0]
            source = by_id[part.text]
            assert (x, y) == pytest.approx((source.x + source.width, source.y + source.height / 2), abs=0.2)


def test_what_a_compilation_has_not_is_refused_with_the_reason(trace: Trace) -> None:
    for wish in ({"view": "maths"}, {"direction": "TB"}, {"root": "x"}):
        with pytest.raises(ValueError, match="in one view, from left to right, and as a whole"):
            make_scene(trace, **wish)
    with pytest.raises(NothingToDraw, match="what is compared are recordings"):
        both_of(trace, trace, ("one", "other"))


def test_its_graphviz_source_has_a_node_for_each_call_and_an_edge_for_each_line(trace: Trace, tmp_path: Path) -> None:
    torch.draw(trace, tmp_path / "told.gv", at="captured")
    source = (tmp_path / "told.gv").read_text()
    assert source.count('label="multiply') == 4 and "a0 -> k0" in source


def test_each_line_of_a_program_can_be_asked_what_its_arrays_are(trace: Trace) -> None:
    said = about_compilation(trace)
    lines = next(each.text for each in of_kind(trace, ProgramWritten)).splitlines()
    number = next(at for at, line in enumerate(lines, 1) if "= exp(x)" in line)
    assert said[f"forward.{number}"] == [
        ["line", f"{number} of Forward"],
        ["Python", "t1 = exp(x)"],
        ["t1", "float32[4, 4], of exp"],
        ["x", "float32[4, 4], given"],
    ]


def test_a_notebook_has_a_player_of_it_that_begins_where_all_is_captured(trace: Trace) -> None:
    pytest.importorskip("anywidget")
    shown = torch.show(compiled(wasteful, torch.ones(4, requires_grad=True)))
    assert (shown.step, shown.steps) == (shown.scene.moments["captured"], len(trace))
    assert "image/png" in shown.twin() or "image/svg+xml" in shown.twin()
