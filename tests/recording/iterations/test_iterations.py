"""A training loop becomes one iteration, in both worlds, whatever its updates are made by; see `loops.py`."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import autograd_lab
from autograd_lab import record
from autograd_lab.display.script import Run, run_script
from autograd_lab.events import (
    BackwardFinished,
    BackwardStarted,
    GradAccumulated,
    GradAssigned,
    ModuleEntered,
    NodeMet,
    OpApplied,
    OptimizerLeft,
    TensorCreated,
    TensorDetached,
)
from autograd_lab.recording.iterations.wanted import LAST, Choice, choice_of
from autograd_lab.trace import Trace
from autograd_lab.view.page import to_page
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene
from autograd_lab.view.svg import to_svg
from tests.recording.iterations.loops import CLOSURE, LOOPS, script
from tests.story import first_difference, story

LastOf = Callable[[str, str], Trace]
WORLDS = ["autograd_lab", *(["torch"] if importlib.util.find_spec("torch") else [])]


@pytest.fixture(autouse=True)
def strictly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autograd_lab.recording.recorder, "STRICT", True)


def run(folder: Path, world: str, body: str, choice: Choice | None = LAST) -> Run:
    path = folder / "program.py"
    path.write_text(script(world, body))
    done = run_script(path, choice=choice)
    assert not done.complaint, done.complaint
    return done


@pytest.fixture(scope="module")
def recorded() -> dict[tuple[str, str], Trace]:
    """What was recorded of loops, by their names and worlds: once, for all that is asked of it."""
    return {}


@pytest.fixture
def last_of(tmp_path: Path, recorded: dict[tuple[str, str], Trace]) -> LastOf:
    """The last iteration of a loop, by its name and world."""

    def of(name: str, world: str) -> Trace:
        if (name, world) not in recorded:
            recorded[name, world] = run(tmp_path, world, LOOPS[name][1]).trace
        return recorded[name, world]

    return of


def kinds(trace: Trace) -> list[type]:
    return [type(event) for event in trace]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", LOOPS)
def test_the_last_iteration_is_shown_whole(last_of: LastOf, world: str, name: str) -> None:
    count, trace = LOOPS[name][0], last_of(name, world)
    assert trace.course is not None
    assert (trace.course.shown, trace.course.seen, trace.course.stopped) == ((count,), count, False)
    assert kinds(trace).count(BackwardStarted) == kinds(trace).count(BackwardFinished) > 0
    assert GradAccumulated in kinds(trace)
    if "hand" not in name and "parameters updated" not in name:
        assert isinstance(trace[-1], OptimizerLeft)


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", LOOPS)
def test_it_is_drawn_open_and_alive_beside_the_course_of_all(last_of: LastOf, world: str, name: str) -> None:
    count, trace = LOOPS[name][0], last_of(name, world)
    scene = make_scene(trace)
    last = scene.state(scene.steps)
    assert any(tensor.grad is not None for tensor in last.tensors.values()), "no gradient is alive at the end"
    svg = to_svg(scene)
    assert f"iteration {count} of {count}" in svg
    assert 'class="spark"' in svg and svg.count('class="spark') >= 2, "of the loss and of a gradient, or of two losses"
    assert f"{count} iterations. " in svg and "norm of each gradient, " in svg, "for whoever cannot see them"
    assert f"of {count}" in to_page(scene, name) or scene.trace.course is not None
    assert isinstance(scene, RecordedScene)
    folded = [card for card in scene.stills.picture.choice.cards.cards.values() if len(card.ops) > 1]
    assert len(folded) <= 2 * sum(isinstance(event, ModuleEntered) for event in trace)


@pytest.mark.skipif("torch" not in WORLDS, reason="the other world is PyTorch's")
@pytest.mark.parametrize("name", LOOPS)
@pytest.mark.filterwarnings("ignore")
def test_both_worlds_show_the_same_iteration(last_of: LastOf, name: str) -> None:
    told = [story(last_of(name, world)) for world in WORLDS]
    assert [event["kind"] for event in told[0]] == [event["kind"] for event in told[1]]


@pytest.mark.skipif("torch" not in WORLDS, reason="the engine has no LBFGS")
def test_an_iteration_of_a_closure_is_one_step_of_its_optimizer(tmp_path: Path) -> None:
    trace = run(tmp_path, "torch", CLOSURE).trace
    assert trace.course is not None and (trace.course.shown, trace.course.seen) == ((5,), 5)
    assert isinstance(trace[-1], OptimizerLeft)
    assert kinds(trace).count(BackwardStarted) >= 3


@pytest.mark.parametrize("world", WORLDS)
def test_any_iteration_can_be_asked_for(tmp_path: Path, world: str) -> None:
    count, body = LOOPS["one optimizer"]
    whole = run(tmp_path, world, body, None).trace
    losses = [event.outputs[0].value.numbers for event in whole if isinstance(event, OpApplied) and "Mse" in event.name]
    for number in range(1, count + 1):
        trace = run(tmp_path, world, body, Choice(number=number)).trace
        assert trace.course is not None and trace.course.shown == (number,)
        shown = [
            event.outputs[0].value.numbers for event in trace if isinstance(event, OpApplied) and "Mse" in event.name
        ]
        assert shown == [losses[number - 1]]


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", ["updates by hand", "gradients that are zeroed by hand", "one loop after another"])
def test_any_iteration_of_any_loop_can_be_asked_for(tmp_path: Path, world: str, name: str) -> None:
    count, body = LOOPS[name]
    for number in range(1, count + 1):
        trace = run(tmp_path, world, body, Choice(number=number)).trace
        assert trace.course is not None and (trace.course.shown, trace.course.seen) == ((number,), count)
        assert kinds(trace).count(BackwardStarted) == 1


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", LOOPS)
def test_all_that_ops_take_has_been_introduced_with_its_value(last_of: LastOf, world: str, name: str) -> None:
    trace = last_of(name, world)
    known: set[str] = set()
    for event in trace:
        known.update(made.id for made in getattr(event, "outputs", ()))
        known.update([event.tensor.id] if isinstance(event, TensorCreated | TensorDetached) else [])
        if isinstance(event, OpApplied):
            assert {operand.tensor for operand in event.operands if operand.tensor is not None} <= known


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", LOOPS)
def test_a_gradient_that_the_turn_before_cleared_is_not_there(last_of: LastOf, world: str, name: str) -> None:
    grads: dict[str, Any] = {}
    for event in last_of(name, world):
        match event:
            case GradAssigned():
                grads[event.tensor] = event.value
            case GradAccumulated():
                assert (grads.get(event.tensor) is None) == event.is_first
                grads[event.tensor] = event.total


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", LOOPS)
def test_no_graph_of_an_earlier_iteration_stands_beside_it(last_of: LastOf, world: str, name: str) -> None:
    trace = last_of(name, world)
    assert not [event for event in trace if isinstance(event, NodeMet)]


@pytest.mark.parametrize("world", WORLDS)
def test_parameters_that_a_loop_updates_are_called_by_their_places_in_the_model(tmp_path: Path, world: str) -> None:
    course = run(tmp_path, world, LOOPS["parameters updated in a loop"][1]).trace.course
    assert course is not None
    assert {each.name for each in course.series if each.kind == "norm"} == {
        f"model.{layer}.{part}" for layer in (0, 2) for part in ("weight", "bias")
    }


@pytest.mark.parametrize("world", WORLDS)
def test_each_second_iteration_can_be_asked_for_and_taken_apart(tmp_path: Path, world: str) -> None:
    _, body = LOOPS["one optimizer"]
    trace = run(tmp_path, world, body, Choice(every=2)).trace
    parts = trace.iterations()
    assert [part.course.shown for part in parts if part.course] == [(2,), (4,)]
    trace.save(tmp_path / "both.jsonl")
    again = Trace.load(tmp_path / "both.jsonl")
    assert again.course == trace.course
    for part in again.iterations():
        make_scene(part)


@pytest.mark.parametrize("world", WORLDS)
def test_a_span_of_iterations_can_be_asked_for_and_ends_where_there_is_no_more_room(tmp_path: Path, world: str) -> None:
    _, body = LOOPS["one optimizer"]
    span = run(tmp_path, world, body, Choice(span=(1, 4))).trace
    assert span.course is not None and (span.course.shown, span.course.seen) == ((1, 2, 3, 4), 5)
    late = run(tmp_path, world, body, Choice(span=(3, 9))).trace
    assert late.course is not None and late.course.shown == (3, 4, 5)
    assert story(late.iterations()[0]) == story(run(tmp_path, world, body, Choice(number=3)).trace)
    small = run(tmp_path, world, body, Choice(span=(1, 5), room=span.course.events[0] + 1)).trace
    assert small.course is not None and small.course.shown == (1, 2)


@pytest.mark.parametrize("world", WORLDS)
def test_an_iteration_that_there_is_not_leaves_a_count(tmp_path: Path, world: str) -> None:
    trace = run(tmp_path, world, LOOPS["one optimizer"][1], Choice(number=30)).trace
    assert trace.course is not None and (trace.course.shown, trace.course.seen, len(trace)) == ((), 5, 0)


@pytest.mark.parametrize("world", WORLDS)
def test_a_script_without_a_loop_is_recorded_as_ever(tmp_path: Path, world: str) -> None:
    body = "w = torch.ones(3, 1, requires_grad=True)\n(x @ w).sum().backward()\nprint(w.grad)\n"
    last, whole = (story(run(tmp_path, world, body, choice).trace) for choice in (LAST, None))
    assert first_difference(last, whole) is None


INNER = """
w = torch.ones(3, 1, requires_grad=True)
fast = w
for _ in range(3):
    loss = ((x @ fast - y) ** 2).mean()
    (gradient,) = torch.autograd.grad(loss, fast, create_graph=True)
    fast = fast - 0.1 * gradient
outer = ((x @ fast - y) ** 2).mean()
outer.backward()
"""


@pytest.mark.parametrize("world", WORLDS)
def test_steps_of_an_inner_loop_that_is_differentiated_as_a_whole_are_no_iterations(tmp_path: Path, world: str) -> None:
    last, whole = (story(run(tmp_path, world, INNER, choice).trace) for choice in (LAST, None))
    assert first_difference(last, whole) is None


@pytest.mark.parametrize("world", WORLDS)
def test_recorded_passes_that_nothing_differentiates_are_iterations_in_the_end(tmp_path: Path, world: str) -> None:
    body = INNER.replace("range(3)", "range(100)").replace("fast = fast", "fast = fast.detach()").partition("outer")[0]
    trace = run(tmp_path, world, body.replace("fast = w", "fast = w * 1")).trace
    assert trace.course is not None and len(trace.course.shown) == 1 < trace.course.seen


@pytest.mark.parametrize("world", WORLDS)
def test_a_program_computes_the_same_whichever_iterations_are_recorded(
    tmp_path: Path, world: str, capsys: pytest.CaptureFixture[str]
) -> None:
    body = LOOPS["epochs over batches, in functions"][1] + "print([p.tolist() for p in model.parameters()])\n"
    said = []
    for choice in (LAST, None, Choice(number=2), Choice(every=3)):
        run(tmp_path, world, body, choice)
        said.append(capsys.readouterr().out)
    assert len(set(said)) == 1


@pytest.mark.parametrize("world", WORLDS)
def test_what_a_turn_looks_at_after_its_update_is_no_part_of_the_next_iteration(tmp_path: Path, world: str) -> None:
    body = LOOPS["one optimizer"][1]
    after = "    optimizer.step()\n    score = (loss.detach() - 1.0).abs()"
    one, other = (run(tmp_path, world, each).trace for each in (body, body.replace("    optimizer.step()", after)))
    nodes = [[event for event in trace if isinstance(event, NodeMet)] for trace in (one, other)]
    assert nodes == [[], []]
    assert kinds(one).count(OpApplied) == kinds(other).count(OpApplied)


@pytest.mark.parametrize("world", WORLDS)
def test_an_error_in_a_late_iteration_is_shown_where_it_is_recorded(tmp_path: Path, world: str) -> None:
    body = LOOPS["one optimizer"][1].replace("    optimizer.step()", "    optimizer.step()\n    if step == 3: 1 / 0")
    path = tmp_path / "fails.py"
    path.write_text(script(world, body))
    done = run_script(path, choice=LAST)
    assert done.code == 1 and "ZeroDivisionError" in done.complaint
    assert done.trace.course is not None and done.trace.course.stopped


@pytest.mark.parametrize("world", WORLDS)
def test_an_error_after_a_loop_that_computes_nothing_leaves_its_last_iteration(world: str) -> None:
    torch = importlib.import_module(world)
    w = torch.tensor([2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.01)
    with pytest.raises(ZeroDivisionError), record("last") as trace:
        for _ in range(5):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
        1 / 0  # noqa: B018
    assert trace.course is not None and trace.course.shown == (5,)
    assert kinds(trace).count(BackwardStarted) == 1


@pytest.mark.parametrize("world", WORLDS)
def test_ctrl_c_shows_the_last_iteration_that_was_seen(tmp_path: Path, world: str) -> None:
    body = LOOPS["one optimizer"][1].replace("    optimizer.zero_grad()", "    if step == 3: raise KeyboardInterrupt")
    path = tmp_path / "stops.py"
    path.write_text(script(world, body))
    done = run_script(path, choice=LAST)
    assert done.code == 130
    assert done.trace.course is not None
    assert (done.trace.course.shown, done.trace.course.seen, done.trace.course.stopped) == ((3,), 3, True)


def test_a_modules_loop_is_foreseen_when_it_lies_beside_the_script(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(
        "def train(steps, w, x, y):\n    for step in range(steps):\n        loss = ((x @ w - y) ** 2).mean()\n"
        "        loss.backward()\n        w.data -= 0.1 * w.grad\n        w.grad = None\n"
    )
    body = "from engine import train\nw = torch.zeros(3, 1, requires_grad=True)\ntrain(600, w, x, y)\n"
    trace = run(tmp_path, "autograd_lab", body).trace
    assert trace.course is not None and trace.course.shown == (600,)


@pytest.mark.parametrize("world", WORLDS)
def test_record_takes_iterations_in_python_too(world: str) -> None:
    torch: Any = pytest.importorskip(world)
    w = torch.zeros(3, requires_grad=True)
    with record(iterations="last") as trace:
        for _ in range(5):
            ((w - 1) ** 2).sum().backward()
            with torch.no_grad():
                w -= 0.1 * w.grad
                w.grad = None
    assert trace.course is not None and trace.course.shown == (5,)
    losses = next(series for series in trace.course.series if series.kind == "loss")
    assert [at for at, _ in losses.points] == [1, 2, 3, 4, 5]
    assert losses.points[0][1] == 3.0 and losses.points[-1][1] < 1


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(
    ("choice", "shown"), [(Choice(number=7), (7,)), (Choice(number=250), (250,)), (Choice(every=100), (100, 200, 300))]
)
def test_any_iteration_of_a_long_run_can_be_asked_for(
    tmp_path: Path, world: str, choice: Choice, shown: tuple[int, ...]
) -> None:
    body = LOOPS["one optimizer"][1].replace("range(5)", "range(333)")
    trace = run(tmp_path, world, body, choice).trace
    assert trace.course is not None and (trace.course.shown, trace.course.seen) == (shown, 333)
    assert all(number in dict(series.points) for series in trace.course.series for number in shown)
    for part in trace.iterations():
        to_svg(make_scene(part))


@pytest.mark.parametrize("world", WORLDS)
def test_the_end_of_a_long_run_is_foreseen(tmp_path: Path, world: str) -> None:
    body = LOOPS["epochs over batches, in functions"][1].replace("range(3)", "range(400)")
    trace = run(tmp_path, world, body).trace
    assert trace.course is not None and (trace.course.shown, trace.course.seen) == ((800,), 800)


@pytest.mark.parametrize("asked", ["0", "-1", "every", "every x", "lost", "1.5"])
def test_what_is_no_choice_of_iterations_is_refused(asked: str) -> None:
    with pytest.raises(ValueError, match="iterations should be"):
        choice_of(asked)


def test_each_so_many_iterations_are_asked_for_by_every() -> None:
    w = autograd_lab.tensor(1.0, requires_grad=True)
    optimizer = autograd_lab.optim.SGD([w], lr=0.1)
    with record(every=3) as trace:
        for _ in range(7):
            optimizer.zero_grad()
            (w * w).backward()
            optimizer.step()
    assert trace.course is not None and (trace.course.shown, trace.course.seen) == ((3, 6), 7)
    with pytest.raises(ValueError, match="give one of them"), record("last", every=3):
        pass
