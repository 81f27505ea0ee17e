"""The bar of the step that changes the weights."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

from autograd_lab.events import OptimizerEntered
from autograd_lab.view.graph.framed import overlaps
from autograd_lab.view.graph.training_cycle import SIGN
from autograd_lab.view.layout.signposts import polyline, touches
from autograd_lab.view.still import Stills, stills_of
from tests.story import recorded

torch = pytest.importorskip("torch")


def trained(optimizer: str, **options: Any) -> Stills:
    def program(torch: Any) -> None:
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
        opt = getattr(torch.optim, optimizer)(model.parameters(), **options)
        for _ in range(2):
            loss = model(torch.ones(4, 2)).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()

    return stills_of(recorded(program, torch), "engine")


def by_hand(torch: Any) -> None:
    w = torch.tensor(2.0, requires_grad=True)
    for _ in range(2):
        loss = (w * 2 - 3) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None


def plain(torch: Any) -> None:
    w = torch.tensor(2.0, requires_grad=True)
    (w * 2).backward()


def bar(stills: Stills, step: int | None = None) -> str:
    found = re.search(r'<g id="cycle" class="cycle">.*', stills.svg(step))
    return found[0] if found else ""


def test_a_step_of_sgd_says_how_many_times_the_gradient_was_subtracted() -> None:
    drawn = bar(trained("SGD", lr=0.5))
    assert "opt.step()" in drawn
    assert "W ← W − 0.5 · W.grad" in drawn


def test_a_step_of_another_optimizer_says_whose_it_is() -> None:
    assert ">Adam<" in bar(trained("Adam", lr=0.1))


def test_each_card_with_weights_says_how_far_they_moved() -> None:
    assert bar(trained("SGD", lr=0.5)).count("‖Δ‖") == 2


def test_there_is_no_bar_before_the_step_is_made_though_there_is_room_for_it() -> None:
    stills = trained("SGD", lr=0.5)
    assert [bool(bar(stills, step)) for step in (stills.moments["backward"], stills.steps)] == [False, True]


def test_the_bar_comes_with_the_step_and_an_arrow_to_a_card_once_all_of_its_weights_are_written() -> None:
    stills = trained("SGD", lr=0.5)
    begins = max(step for step, event in enumerate(stills.trace.events, 1) if isinstance(event, OptimizerEntered))
    told = [bar(stills, step).count("‖Δ‖") for step in range(begins, begins + 5)]
    assert ("opt.step()" in bar(stills, begins), bar(stills, begins - 1)) == (True, "")
    assert told == [0, 0, 1, 1, 2]


def test_weights_that_the_program_writes_by_hand_have_a_bar_with_its_line_and_no_alarm() -> None:
    stills = stills_of(recorded(by_hand, torch), "engine")
    assert "w -= 0.1 * w.grad" in bar(stills)
    assert "alarm" not in bar(stills)


def test_what_trains_nothing_has_no_bar() -> None:
    assert not bar(stills_of(recorded(plain, torch), "engine"))


def of_two_losses(torch: Any) -> None:
    torch.manual_seed(0)
    G = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    D = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.LeakyReLU(), torch.nn.Linear(8, 1))
    og = torch.optim.Adam(G.parameters(), lr=0.01)
    real, F = torch.rand(16, 2), torch.nn.functional
    fake = G(torch.rand(16, 3))
    ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
    loss_d = F.binary_cross_entropy_with_logits(D(real), ones)
    loss_d = loss_d + F.binary_cross_entropy_with_logits(D(fake.detach()), zeros)
    loss_d.backward()
    loss_g = F.binary_cross_entropy_with_logits(D(fake), ones)
    loss_g.backward()
    og.step()


def test_the_words_for_how_far_weights_move_hide_no_line_and_no_number() -> None:
    stills = stills_of(recorded(of_two_losses, torch), "engine")
    parts, turns = stills.picture.drawing.parts, stills.picture.drawing.turns
    top = next(part.y for part in parts if part.kind == "cycle")
    numbers = [(it.x, it.y, it.x + it.width, it.y + it.height) for it in parts if it.kind == "number"]
    words = [turn.words_at(top, SIGN * turn.is_signed) for turn in turns if turn.moved]
    assert words
    assert not [(word, number) for word in words for number in numbers if overlaps(word, number)]
    lines = [polyline(route) for route in stills.picture.drawing.routes.values()]
    assert not [word for word in words for line in lines for piece in pairwise(line) if touches(word, *piece)]


def test_how_far_weights_move_is_said_of_all_or_of_none_as_of_one_it_would_read_as_the_whole() -> None:
    def program(torch: Any) -> None:
        model = torch.nn.Sequential(torch.nn.Linear(2, 60), torch.nn.ReLU(), torch.nn.Linear(60, 60))
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
        model(torch.ones(3, 2)).sum().backward()
        opt.step()

    drawn = bar(stills_of(recorded(program, torch), "engine"))
    assert "opt.step()" in drawn and "‖Δ‖" not in drawn  # of 3,600 numbers some are not known
