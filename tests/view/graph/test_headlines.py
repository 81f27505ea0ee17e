"""The headline of a step is its lesson, it is true, and it fits on a slide."""

from __future__ import annotations

import io
import math
import re
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

import autograd_lab as lab
from autograd_lab.display.script import run_script
from autograd_lab.events import BackwardStarted, GradAccumulated, GradientSent, Value
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.facts.timeline import states
from autograd_lab.view.graph.words.headlines import Headlines
from autograd_lab.view.kit.figure import WORDS, numbers_of
from autograd_lab.view.kit.headline import ROLES, Headline, plain
from tests.saying import Program, leaf, traced
from tests.traces import Instruction, programs, run


@pytest.fixture(params=["lab", "torch"])
def torch(request: pytest.FixtureRequest) -> Any:
    return lab if request.param == "lab" else pytest.importorskip("torch")


def told(trace: Trace) -> list[tuple[GraphState, Headline]]:
    headlines = Headlines(history_of(trace), trace.events)
    return [(state, headlines.at(state)) for state in states(trace)]


def headlines(program: Program, torch: Any) -> list[Headline]:
    return [headline for _, headline in told(traced(program, torch))]


# --- lessons ----------------------------------------------------------------------------------------------------------


def two_paths(torch: Any) -> Any:
    a, b = leaf(torch), leaf(torch, 3.0)
    c = a + b
    d = b + 1
    y = c * d
    y.backward()
    return y


def four_paths(torch: Any) -> Any:
    x = leaf(torch)
    y = 3 * x + x**2 + torch.exp(x) + torch.cos(x)
    y.backward()
    return y


def overwritten(torch: Any) -> Any:
    x, w = leaf(torch), leaf(torch, 4.0)
    h = x * 2
    p = h * w
    h.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace"):
        p.backward()
    return p


def backward_again(torch: Any) -> Any:
    x = leaf(torch)
    y = x * x
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    return y


def halved(torch: Any) -> Any:
    x = leaf(torch)
    h = x * 3
    h.register_hook(lambda g: g * 0.5)
    (h * h).backward()
    return h


def cut(torch: Any) -> Any:
    x = leaf(torch)
    d = x.detach()
    y = x * d
    y.backward()
    return y


def written(torch: Any) -> Any:
    x = leaf(torch)
    h = x + 1
    h.mul_(2)
    h.backward()
    return h


def of_ones_own(torch: Any) -> Any:
    class Swish(torch.autograd.Function):  # type: ignore[misc]  # of either world
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    y = Swish.apply(leaf(torch))
    y.backward()
    return y


def second_order(torch: Any) -> Any:
    x = leaf(torch)
    y = x**3
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    z = g * g
    z.backward()
    return x, z


def one_step(torch: Any) -> Any:
    w = leaf(torch, [1.0, 2.0])
    optimizer = torch.optim.SGD([w], lr=0.1)
    (w * w).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    return w


def without_clearing(torch: Any) -> Any:
    w = leaf(torch)
    for _ in range(2):
        loss = w * 3
        loss.backward()
    return w


def without_grad(torch: Any) -> Any:
    x = leaf(torch)
    with torch.no_grad():
        y = x * 2
    return y


def kept(torch: Any) -> Any:
    h = leaf(torch) * 2
    h.retain_grad()
    h.backward()
    return h


def dead(torch: Any) -> Any:
    x = leaf(torch, -2.0)
    h = x * 3
    y = torch.relu(h)
    y.backward()
    return x


def broken(torch: Any) -> Any:
    x = leaf(torch, 0.0)
    r = torch.sqrt(x)
    y = r * 0
    y.backward()
    return x


def broken_before(torch: Any) -> Any:
    x = leaf(torch, 1.0)
    h = x * torch.tensor(float("nan"))
    y = (h - 1).pow(2)
    y.backward()
    return x


def loop(torch: Any) -> Any:
    w = leaf(torch, 0.5)
    h = torch.tensor(1.0)
    for _ in range(6):
        h = torch.tanh(h * w)
    h.backward()
    return w


def long_loop(torch: Any) -> Any:
    w = leaf(torch, 0.5)
    h = torch.tensor(1.0)
    for _ in range(20):
        h = torch.tanh(h * w)
    h.backward()
    return w


def underflow(torch: Any) -> Any:
    w = leaf(torch, 1e-30)
    h = torch.tensor(1.0)
    for _ in range(6):
        h = torch.tanh(h * w + 0.5)
    h.backward()
    return w


def shapes_apart(torch: Any) -> Any:
    a, b, c = leaf(torch, [[1.0, 2.0]]), leaf(torch, [[3.0, 4.0]]), leaf(torch, [5.0, 6.0])
    (a * 100 + b + c * 1e-6).sum().backward()
    return a, b, c


def far_apart(torch: Any) -> Any:
    a, b = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    (a * 100 + b).sum().backward()
    return a, b


def trained(torch: Any) -> Any:
    w = leaf(torch, 1.0)
    optimizer = torch.optim.SGD([w], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = w * w
        loss.backward()
        optimizer.step()
    return w


def scaled(torch: Any) -> Any:
    x = leaf(torch)
    h = x * 3
    h.register_hook(lambda g: g * 0.1)
    (h * h).backward()


def clipped(torch: Any) -> Any:
    h = leaf(torch, [15.0, 20.0]) * 1
    h.register_hook(lambda g: g * (5 / g.norm()))
    (h * h).sum().backward()


def bounded(torch: Any) -> Any:
    h = leaf(torch, [15.0, 20.0]) * 1
    h.register_hook(lambda g: g.clamp(max=25.0))
    (h * h).sum().backward()


def same_size(torch: Any) -> Any:
    x, t = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 3.5])
    d = x - t
    (d * d).sum().backward()
    return d


def saturating(torch: Any) -> Any:
    x = leaf(torch, [[9.0, 0.0, 0.0], [0.0, 0.0, 8.0]])
    p = torch.softmax(x, -1)
    (p * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    return p


def one_of_two(torch: Any) -> Any:
    w, b = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    optimizer = torch.optim.SGD([w], lr=0.1)
    (w * b).sum().backward()
    optimizer.step()
    return w, b


def adversaries(torch: Any) -> Any:
    G, D = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (D, G)]
    fake = G(torch.ones(1, 1))
    of_d = D(fake.detach()).square().sum()
    of_d.backward()
    optimizers[0].step()
    of_g = D(fake).square().sum()
    of_g.backward()
    optimizers[1].step()
    return G, D


def adversaries_of_one_model(torch: Any) -> Any:
    class Both(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.G, self.D = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)

        def forward(self, x: Any) -> Any:
            return self.D(self.G(x))

    model = Both()
    optimizers = [torch.optim.SGD(model.G.parameters(), lr=0.1)]
    model(torch.ones(1, 1)).square().sum().backward()
    optimizers[0].step()
    return model


def generator_first(torch: Any) -> Any:
    G, D = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (G, D)]
    fake = G(torch.ones(1, 1))
    of_g = D(fake).square().sum()
    of_g.backward()
    optimizers[0].step()
    optimizers[1].zero_grad()
    of_d = D(fake.detach()).square().sum()
    of_d.backward()
    optimizers[1].step()
    return G, D


def experts(torch: Any) -> Any:
    class Mixture(torch.nn.Module):  # type: ignore[misc]  # of either world
        def __init__(self) -> None:
            super().__init__()
            self.experts = torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(3))

        def forward(self, x: Any) -> Any:
            return self.experts[0](x) + self.experts[2](x)

    model = Mixture()
    model(torch.ones(1, 2)).square().sum().backward()
    return model


def unlike(torch: Any) -> Any:
    a, b, c = leaf(torch, [[1.0, 2.0]]), leaf(torch, [[3.0, 4.0]]), leaf(torch, [[5.0, 6.0]])
    (a * 3 + b * 2 + c).sum().backward()
    return a, b, c


def branch_not_taken(torch: Any) -> Any:
    w, other = leaf(torch), leaf(torch, 3.0)
    y = w * 3
    side = other * 2
    y.backward()
    return y, side


LESSONS: list[tuple[Program, str]] = [
    (two_paths, "c = a + b is recorded: it is 5"),
    (two_paths, "b is used twice: one gradient is on its way, one will follow"),
    (two_paths, "b is used twice: two gradients meet there, and add"),
    (two_paths, "b.grad = 9: two gradients arrive, and add"),
    (four_paths, "x.grad = 13.48: four gradients arrive, and add"),
    (overwritten, "h is overwritten, but p = h * w still needs it as it was"),
    (backward_again, "y = x * x saves x for backward"),
    (backward_again, "y = x * x has run, and lets go of x"),
    (halved, "A hook on h halves its gradient: 12 becomes 6"),
    (scaled, "A hook on h takes its gradient × 0.1: 12 becomes 1.2"),
    (clipped, "A hook on h takes its gradient × 0.1: norm 50 becomes 5"),
    (bounded, "A hook on h changes its gradient: norm 50 becomes 35.4"),
    (same_size, "x.grad is [−4, −3], t.grad is [4, 3]"),
    (saturating, "softmax is saturated: in two of two rows of p one is over 0.95"),
    (one_of_two, "optimizer.step() has moved w, and leaves b"),
    (adversaries, "Each of G's two parameters moves against its gradient"),
    (adversaries, "of_d runs back into D alone"),
    (adversaries, "of_g runs back through D into G"),
    (adversaries, "SGD has moved G's two parameters, and leaves D unmoved"),
    (adversaries_of_one_model, "SGD has moved G's two parameters, and leaves D unmoved"),
    (branch_not_taken, "other gets no gradient: y does not depend on it"),
    (experts, "experts.1 gets no gradient: it was not called"),
    (unlike, "Of all leaves, a gets most gradient: norm 4.24"),
    (cut, "d is x without its history: gradients stop here"),
    (written, "h is written in place: its version is 1"),
    (of_ones_own, "Swish brings its own backward: a Function of yours"),
    (of_ones_own, "Your backward of Swish makes 2 of 1"),
    (second_order, "This backward pass is recorded: it can be differentiated, too"),
    (second_order, "x.grad = 288: backward went through a backward pass"),
    (one_step, "The weight moves against its gradient"),
    (one_step, "w has moved against its gradient, which is cleared"),
    (trained, "w.grad is cleared: the next backward begins from nothing"),
    (without_clearing, "w.grad doubles: backward adds to what was there"),
    (without_clearing, "w.grad = 6: two backward passes have added up"),
    (without_grad, "y = x * 2 leaves no node: grad mode is off"),
    (kept, "h will keep its gradient, though it is no leaf"),
    (dead, "x.grad is exactly 0: y = torch.relu(h) lets nothing past"),
    (broken, "x.grad is NaN: it came up at r = torch.sqrt(x)"),
    (broken_before, "x.grad is NaN"),
    (loop, "The gradient fades on its way back: 1 at the last turn, 0.023 at the first"),
    (underflow, "The gradient vanishes on its way back: 0.79 at the last turn, 0 at the first"),
    (far_apart, "b's gradient is 100 times smaller than a's"),
    (trained, "loss falls from 1 to 0.41 in three backward passes"),
]


@pytest.mark.parametrize(("program", "lesson"), LESSONS, ids=lambda value: getattr(value, "__name__", value))
def test_a_step_says_its_lesson(program: Program, lesson: str, torch: Any) -> None:
    assert lesson in [headline.text for headline in headlines(program, torch)]


def test_what_is_said_of_gradients_far_apart_is_said_of_the_same_two(torch: Any) -> None:
    told = headlines(shapes_apart, torch)[-1]
    assert told.text == "b's gradient is 100 times smaller than a's"
    assert told.short == "Of the matrices, the largest gradient is 100 times the smallest"
    assert "".join(run.text for run in told.sub) == "norms of .grad of matrices: from 1.41 of b to 141 of a"


def test_how_a_gradient_fades_is_told_of_each_of_a_few_turns(torch: Any) -> None:
    told = plain(headlines(loop, torch)[-1].sub)
    assert told == "from the last turn to the first: 1, 0.5, 0.25, 0.12, 0.058, 0.023"


def test_of_many_turns_those_that_are_told_have_their_numbers(torch: Any) -> None:
    told = plain(headlines(long_loop, torch)[-1].sub)
    assert re.fullmatch(r"turn 20: 1, 15: \S+, 10: \S+, 5: \S+, 1: \S+", told)


def at_its_error(program: Program, torch: Any) -> Headline:
    def stopped(torch: Any) -> Any:
        with pytest.raises(RuntimeError) as caught:
            program(torch)
        return caught  # with all that was there

    return headlines(stopped, torch)[-1]


def carried_over(torch: Any) -> None:
    w = h = torch.tensor(0.5, requires_grad=True)
    for _ in range(2):
        h = (h * w).tanh()
        h.backward()


def shared_by_turns(torch: Any) -> None:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    h = w.exp()
    for k in range(2):
        h[k].backward()


def twice(torch: Any) -> None:
    y = torch.tensor(2.0, requires_grad=True).exp()
    y.backward()
    y.backward()


@pytest.mark.parametrize(
    ("program", "cure"),
    [
        (carried_over, "detach what is carried over from turn to turn"),
        (shared_by_turns, "compute it anew in each turn, or add the losses and go back once"),
        (twice, "retain_graph=True there keeps it"),
    ],
)
def test_what_is_done_about_a_freed_graph_follows_from_how_it_came_to_be_needed_again(
    program: Program, cure: str, torch: Any
) -> None:
    assert plain(at_its_error(program, torch).sub) == cure


def of_a_weight(torch: Any) -> None:
    model = torch.nn.Linear(2, 1)
    y = model(torch.ones(3, 2, requires_grad=True))
    with torch.no_grad():
        model.weight.add_(1)
    y.sum().backward()


def test_a_saved_view_that_the_program_never_saw_is_called_by_the_tensor_whose_memory_it_shows(torch: Any) -> None:
    said = at_its_error(of_a_weight, torch)
    assert said.short == "model.weight was overwritten, but is still needed"
    assert "saved model.weight at version 1, and now it is at version 2" in plain(said.sub)


def test_an_error_says_what_was_needed_and_which_line_took_it_away(torch: Any) -> None:
    assert re.fullmatch(
        r"p = h \* w needs h as it was; line \d+ has overwritten it", headlines(overwritten, torch)[-1].text
    )
    assert re.fullmatch(
        r"The product needs what it saved, but line \d+ has freed it", headlines(backward_again, torch)[-1].text
    )


def test_the_parts_of_a_sum_stand_below_it_in_the_colour_of_their_sign(torch: Any) -> None:
    last = headlines(four_paths, torch)[-1]
    assert plain(last.sub) == "3 + 4 + 7.389 − 0.9093 = 13.48"
    assert [run.role for run in last.sub if run.role != "plain"] == ["plus", "plus", "plus", "minus", "plus"]


def test_what_went_to_autograd_grad_is_not_counted_among_the_paths_to_grad(torch: Any) -> None:
    assert not [headline.text for headline in headlines(second_order, torch) if "x.grad = 288: two" in headline.text]


def test_a_run_that_ends_with_grad_mode_being_on_again_ends_with_its_lesson(torch: Any) -> None:
    def program(torch: Any) -> Any:
        y = two_paths(torch)
        with torch.no_grad():
            y + 1
        return y

    assert headlines(program, torch)[-1].text == "b.grad = 9: two gradients arrive, and add"


def test_a_generator_that_has_moved_by_its_own_loss_is_not_said_to_pass_gradients_on(torch: Any) -> None:
    last = headlines(generator_first, torch)[-1]
    assert last.text == "of_d runs back into D alone"
    assert plain(last.sub) == "no gradient of of_d reaches G"


def test_a_step_in_a_module_is_named_by_the_module(torch: Any) -> None:
    def program(torch: Any) -> Any:
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        net(torch.ones(1, 2)).sum().backward()

    texts = [headline.text for headline in headlines(program, torch)]
    assert any(text.startswith("Backward stands at relu in net.1") for text in texts)


@pytest.mark.parametrize(("use_reentrant", "count"), [(False, "One op"), (True, "Two ops")])
def test_what_a_checkpoint_has_run_again_is_the_lesson_of_its_pass(torch: Any, use_reentrant: bool, count: str) -> None:
    def program(torch: Any) -> Any:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        again = import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
        again(lambda x: x.exp().sin(), x, use_reentrant=use_reentrant).sum().backward()

    last = headlines(program, torch)[-1]
    assert last.text == f"{count} ran again in backward, for what forward had not kept"


def test_of_several_steps_of_a_kind_in_a_module_it_is_said_which_one_it_is(torch: Any) -> None:
    class Net(torch.nn.Module):  # type: ignore[misc]  # of either world
        def forward(self, x: Any) -> Any:
            return (x.relu() * 2).relu().sum()

    def program(torch: Any) -> Any:
        net = Net()
        net(torch.ones(2, requires_grad=True)).backward()

    texts = [headline.text for headline in headlines(program, torch)]
    stands = [text for text in texts if text.startswith("Backward stands at relu")]
    assert [text.partition(" in ")[0] for text in stands] == [
        "Backward stands at relu 2 of 2", "Backward stands at relu 1 of 2",
    ]  # fmt: skip


def test_all_paths_of_a_model_have_the_variable_that_means_it_or_none(torch: Any) -> None:
    class Net(torch.nn.Module):  # type: ignore[misc]  # of either world
        def __init__(self) -> None:
            super().__init__()
            self.fc, self.a_layer_of_many_letters = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            return self.a_layer_of_many_letters(torch.tanh(self.fc(x)))

    def program(torch: Any) -> Any:
        model = Net()
        model(torch.ones(1, 2)).square().sum().backward()

    texts = [f"{headline.text} {plain(headline.sub)}" for headline in headlines(program, torch)]
    assert any("fc.bias" in text for text in texts) and any("a_layer_of_many_letters.bias" in text for text in texts)
    assert not [text for text in texts if "model." in text]


# --- truth, on any program --------------------------------------------------------------------------------------------

PATHS = re.compile(r"(.+)\.grad(?: = (\S+))?: (\S+) gradients arrive, and add")
MEET = re.compile(r"(.+) is used (\S+)(?: times)?: (\S+) gradients meet there, and add")
COUNTS = {word: count for count, word in enumerate(WORDS)} | {"once": 1, "twice": 2}


def test_on_any_program_paths_are_only_said_to_add_if_they_do() -> None:
    @given(programs)
    @settings(deadline=None, max_examples=60)
    def holds(program: list[Instruction]) -> None:
        check(run(program))

    holds()


@pytest.mark.parametrize("seed", range(40))
def test_on_any_story_with_hooks_and_writes_no_sum_is_made_up(seed: int, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from tests.stories.random_programs import random_program

    script = tmp_path / "story.py"
    script.write_text(f"import autograd_lab as torch\n{random_program(Random(seed))}", "utf-8")
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        check(run_script(script).trace)


def check(trace: Trace) -> None:
    """What headlines claim is compared with what the events tell, in another way than theirs."""
    for state, headline in told(trace):
        assert headline.text and not re.search(r"(?<!\[)\bNone\b", headline.text)
        assert {run.role for run in headline.sub} <= set(ROLES)
        if (found := PATHS.fullmatch(headline.text)) is not None:
            assert any(_is_sum(trace, state, tensor, COUNTS[found[3]]) for tensor in _called(trace, found[1]))
        if (found := MEET.fullmatch(headline.text)) is not None:
            assert isinstance(state.event, GradientSent) or COUNTS[found[3]] == COUNTS[found[2]]
            if isinstance(state.event, GradientSent):
                assert state.event.arrived == state.event.expected == COUNTS[found[3]] == COUNTS[found[2]]
        if "exactly 0:" in headline.text and ".grad is exactly 0" in headline.text:
            name = headline.text.partition(".grad is")[0]
            grads = [state.tensors[tensor].grad for tensor in _called(trace, name) if tensor in state.tensors]
            assert any(grad is not None and not any(numbers_of(grad) or [1.0]) for grad in grads)


def _called(trace: Trace, label: str) -> set[str]:
    return {box.facts.id for box in history_of(trace).boxes.values() if box.label == label}


def _is_sum(trace: Trace, state: GraphState, tensor: str, count: int) -> bool:
    """Whether what was sent to a tensor in the pass in which its `.grad` was last stored makes up that `.grad`."""
    events = trace.events[: state.step]
    stored = max(
        (n for n, event in enumerate(events) if isinstance(event, GradAccumulated) and event.tensor == tensor),
        default=-1,
    )
    begun = max((n for n in range(stored + 1) if isinstance(events[n], BackwardStarted)), default=0)
    nodes = {node for node, facts in state.nodes.items() if facts.leaf == tensor}
    parts: list[Value] = []
    for event in events[begun:stored]:
        edge = state.nodes[event.node].edges[event.edge] if isinstance(event, GradientSent) else None
        if edge is not None and edge.node in nodes and isinstance(event, GradientSent) and event.value is not None:
            parts.append(event.value)
    total, rows = numbers_of(state.tensors[tensor].grad), [numbers_of(part) or [] for part in parts]
    sums = [math.fsum(column) for column in zip(*rows, strict=True)]
    return len(parts) == count and all(
        math.isclose(a, b, rel_tol=1e-3, abs_tol=1e-3) for a, b in zip(sums, total or [], strict=True)
    )


def test_a_headline_that_is_too_wide_gives_way_to_its_shorter_form() -> None:
    headline = Headline("b is used twice: two gradients meet there, and add", "Two gradients meet at b, and add")
    assert headline.fitting(450, 22) == headline.short
    assert headline.fitting(100, 22).endswith("…")


def test_the_lessons_fit_on_a_slide() -> None:
    assert all(len(lesson) <= 62 for _, lesson in LESSONS if "turn" not in lesson)
