"""Pictures of programs that people know: what stands on them, step by step."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest

from autograd_lab.display.script import find_script, run_script
from autograd_lab.events import GradientSent
from autograd_lab.recording.iterations.wanted import LAST
from autograd_lab.trace import Trace
from autograd_lab.view.kit.part import Look
from autograd_lab.view.still import Stills, stills_of
from tests.story import recorded
from tests.view.graph.cards import programs as known
from tests.view.pictured import called, parts_of
from tests.view.ruler import texts_of

torch = pytest.importorskip("torch")


def stills(program: Any) -> Stills:
    return stills_of(program if isinstance(program, Trace) else recorded(program, torch))


def look(it: Stills, name: str, step: int | None = None, kind: str = "card") -> Look:
    """How what is called so looks at a step, by default at the end."""
    events = it.trace.events[: it.steps if step is None else step]
    return it.picture.look(called(it.picture, name, kind), it.picture.after(events))


def text(look: Look, role: str) -> str:
    return dict(look.texts).get(role, "")


def course(it: Stills, name: str, role: str, kind: str = "card") -> list[str]:
    """All that ever stands at a place, in order."""
    said = [text(look(it, name, step, kind), role) for step in range(it.steps + 1)]
    return [each for number, each in enumerate(said) if not number or each != said[number - 1]]


def test_the_leaf_of_the_expression_waits_for_two_gradients_and_stores_their_sum() -> None:
    it = stills(run_script(find_script("expression")).trace)
    assert course(it, "b", "grad") == ["none", "none  1 of 2", "none  2 of 2", "9.0"]
    assert course(it, "a", "grad")[0] == "none" and text(look(it, "a"), "grad") == "4.0"
    assert text(look(it, "b"), "sum") == "5.0 + 4.0" or text(look(it, "b"), "sum") == "4.0 + 5.0"


def test_a_gradient_that_is_sent_is_solid_and_one_that_has_come_is_hollow() -> None:
    it = stills(run_script(find_script("expression")).trace)
    for step, event in enumerate(it.trace.events, 1):
        flying = it.svg(step).split("</style>")[1].count(" flying")
        assert bool(flying) == isinstance(event, GradientSent), step


def test_at_an_in_place_error_the_card_is_stopped_and_its_pocket_torn() -> None:
    it = stills(run_script(find_script("inplace")).trace)
    state = it.picture.after(it.trace.events)
    failed = [it.picture.look(part, state) for part in parts_of(it.picture, "card")]
    assert [text(look, "grad") for look in failed if "failed" in look.classes] == ["stopped"]
    stale = [look for part in parts_of(it.picture, "slot") if "stale" in (look := it.picture.look(part, state)).classes]
    assert [text(look, "title") for look in stale] == ["h v0, is v1"]
    said = [each.text for each in texts_of(it.svg())]
    assert "stops here" in said and any("overwritten here" in each for each in said)


def test_a_training_step_shows_weights_and_their_gradients_and_the_loss_of_all_iterations() -> None:
    it = stills(known.mlp)
    layer = look(it, "model.0")
    assert text(layer, "label") == "W, b" and text(layer, "glabel").startswith(".grad ‖")
    assert all(text(layer, role) for role in ("param0", "param1", "gparam0", "gparam1"))
    assert course(it, "model.0", "gparam0")[0] == ""
    said = [each.text for each in texts_of(it.svg()) if "spark" in each.path]
    assert "loss" in said or it.trace.course is None


def test_lanes_of_a_recurrent_network_fill_part_by_part() -> None:
    it = stills(known.rnn)
    arrived = [line.split().count("-") for line in course(it, "W", "parts", "lane") if line]
    assert arrived == sorted(arrived, reverse=True) and arrived[0] == 3 and arrived[-1] == 0
    assert course(it, "W", "grad", "lane")[-1].startswith(".grad ‖")
    assert "1 of 3 parts" in course(it, "W", "grad", "lane")


def test_an_own_function_has_a_second_outline() -> None:
    it = stills(known.own_function)
    assert "own" in look(it, "y").classes and "own" not in look(it, "loss").classes


def test_a_recorded_backward_pass_is_told_apart() -> None:
    it = stills(known.double_backward)
    state = it.picture.after(it.trace.events)
    second = [part.of for part in parts_of(it.picture, "card") if "second" in it.picture.look(part, state).classes]
    assert second and "y" not in second
    assert text(look(it, "x"), "grad").startswith("972")  # of (3 x²)² it is 36 x³


@pytest.mark.parametrize("keeps", [False, True])
def test_what_is_retained_is_kept_and_all_else_is_freed(keeps: bool) -> None:
    def program(torch: Any) -> None:
        x = torch.tensor(3.0, requires_grad=True)
        y = x.exp()
        y.backward(retain_graph=keeps)

    it = stills(program)
    state = it.picture.after(it.trace.events)
    (slot,) = parts_of(it.picture, "slot")
    after = [it.picture.look(slot, it.picture.after(it.trace.events[:step])).classes[0] for step in range(it.steps)]
    assert ("kept" if keeps else "freed") in after
    assert state.error is None


def test_a_hook_changes_what_a_card_shows_and_not_what_came() -> None:
    def program(torch: Any) -> None:
        x = torch.tensor(3.0, requires_grad=True)
        h = x * 2
        h.register_hook(lambda grad: grad * 10)
        loss = h * 1
        loss.backward()

    it = stills(program)
    assert text(look(it, "h"), "grad") == "∂ 10.0"
    assert text(look(it, "x"), "grad") == "20.0"


def test_no_gradient_comes_through_what_was_detached() -> None:
    def program(torch: Any) -> None:
        x, w = torch.tensor(3.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
        h = x * 2
        loss = h.detach() * w
        loss.backward()

    it = stills(program)
    assert text(look(it, "w"), "grad") == "6.0"
    state = it.picture.after(it.trace.events)
    plain = [part for part in parts_of(it.picture, "link") if not it.picture.wire[part.of].edges]
    assert all("sent" not in it.picture.look(part, state).classes for part in plain)


def test_what_a_tensor_that_is_no_leaf_keeps_as_its_gradient_is_told() -> None:
    def program(torch: Any) -> None:
        x = torch.tensor(3.0, requires_grad=True)
        h = x * 2
        h.retain_grad()
        loss = h * h
        loss.backward()

    assert text(look(stills(program), "h"), "beside") == ".grad 12.0"


def test_a_value_that_was_written_unseen_is_a_question() -> None:
    def program(torch: Any) -> None:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x * 2
        x.data.mul_(3)
        y.sum().backward()

    it = stills(program)
    assert course(it, "x", "value") == ["", "1.0  2.0", "?"]
    assert text(look(it, "x"), "beside") == "changed via x.data"


def far_apart(torch: Any) -> None:
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    shares = torch.softmax(x, dim=-1)
    large = 100 * shares
    large.sum().backward()


def test_where_values_are_of_different_size_each_tile_has_its_own_scale_and_the_legend_says_so() -> None:
    it = stills(far_apart)
    assert [text(look(it, name), "tile").count("h") for name in ("shares", "large")] == [2, 2]
    assert "value, each tile on its own scale" in it.svg()


def test_values_of_one_size_share_a_scale_and_the_legend_has_its_range() -> None:
    def program(torch: Any) -> None:
        x = torch.tensor([[1.0, 2.0, 4.0], [4.0, 5.0, 6.0]], requires_grad=True)
        half = x * 0.5
        less = half - 0.25
        less.sum().backward()

    it = stills(program)
    assert text(look(it, "half"), "tile").count("h") == 1 and text(look(it, "less"), "tile").count("h") == 1
    assert "value, ±3.0" in it.svg()


def shared(torch: Any) -> Any:
    torch.manual_seed(0)
    layer = torch.nn.Linear(2, 2)
    near, far = layer(torch.ones(1, 2)), layer(torch.full((1, 2), 100.0))
    (near.sum() + far.sum()).backward()
    return layer


def test_each_use_of_a_shared_module_shows_what_it_adds_to_the_gradient() -> None:
    it = stills(shared)
    state = it.picture.after(it.trace.events)
    looks = [it.picture.look(part, state) for part in parts_of(it.picture, "card")]
    said = sorted(word for each in looks if (word := text(each, "glabel")))
    assert said == ["adds ‖2.4‖", "adds ‖200.005‖"]


TWO_LOSSES = """
import autograd_lab as torch

w = torch.tensor(1.0, requires_grad=True)
v = torch.tensor(2.0, requires_grad=True)
first, second = torch.optim.SGD([w], lr=0.1), torch.optim.SGD([v], lr=0.1)
for _ in range(4):
    loss_d = (w - 3) ** 2
    first.zero_grad()
    loss_d.backward()
    first.step()
    loss_g = (v + 1) ** 2
    second.zero_grad()
    loss_g.backward()
    second.step()
"""


def test_a_loop_with_two_losses_shows_how_both_went(tmp_path: Path) -> None:
    script = tmp_path / "two.py"
    script.write_text(TWO_LOSSES, encoding="utf-8")
    drawn = stills(run_script(script, choice=LAST).trace).svg()
    sparks = drawn[drawn.index('class="spark') :]
    assert all(f">{name}</text>" in sparks for name in ("loss_d", "loss_g"))


@pytest.mark.parametrize(("name", "most"), [("transformer", 40), ("chain", 12)])
def test_of_a_long_run_the_timeline_marks_where_cards_begin(name: str, most: int) -> None:
    it = stills(run_script(find_script(name)).trace)
    places = [float(x) for x in re.findall(r'<rect class="tick[^"]*" x="([^"]+)"', it.svg())]
    assert 2 <= len(places) <= most
    assert all(b - a >= 4.99 for a, b in itertools.pairwise(places))
