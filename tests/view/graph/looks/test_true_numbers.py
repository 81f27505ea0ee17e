"""What stands on a slide is true of all that led to it: of several passes, of several outputs, of every use."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.cards.names import Names
from autograd_lab.view.graph.looks.now import Now
from autograd_lab.view.graph.words.seen import Seen
from autograd_lab.view.kit.headline import plain
from autograd_lab.view.still import Stills, stills_of
from tests.saying import leaf, traced


def slides(program: Callable[[Any], Any]) -> Stills:
    return stills_of(traced(program))


def cards_of(stills: Stills) -> Cards:
    return stills.picture.choice.cards


def words(svg: str) -> list[str]:
    return re.findall(r">([^<>]+)</t(?:ext|span)>", svg)


def last(stills: Stills) -> tuple[str, str]:
    found = stills._title(stills._state(stills.steps))
    return found.text, plain(found.sub)


def titled(cards: Cards, title: str) -> Card:
    names = Names(cards)
    return next(card for card in cards.cards.values() if names.of(card).title == title)


def test_a_sum_stands_on_a_leaf_only_where_it_is_its_grad() -> None:
    def twice(torch: Any) -> Any:
        x = leaf(torch, 3.0)
        y = x * x.exp()
        y.backward(retain_graph=True)
        y.backward()
        return y

    stills = slides(twice)
    assert "160.7" in words(stills.svg())
    assert not any(" + " in text for text in words(stills.svg()) if text[0].isdigit() and "=" not in text)


def test_gradients_of_different_passes_are_not_said_to_meet() -> None:
    def penalty(torch: Any) -> Any:
        x = leaf(torch, [[0.5, -1.0]])
        w = leaf(torch, [[0.1, 0.2], [0.3, -0.1]])
        v = leaf(torch, [[0.7], [-0.4]])
        h = torch.tanh(x @ w)
        score = (h @ v).sum()
        (slope,) = torch.autograd.grad(score, x, create_graph=True)
        loss = (slope.norm() - 1) ** 2
        loss.backward()
        return loss

    stills = slides(penalty)
    cards, state = cards_of(stills), stills._state(stills.steps)
    seen, now = Seen(cards, lambda card: card.id), Now(cards.history, state)
    for card in cards.cards.values():
        passed = {state.nodes[node].passed for wire in seen._live(card, now) for node, _ in wire.edges}
        assert len(passed) <= 1


def test_at_backward_something_of_the_picture_has_its_gradient() -> None:
    def accumulating(torch: Any) -> Any:
        w, losses = leaf(torch, [1.0, 2.0]), []
        for number in range(3):
            loss = (w * number).square().sum()
            loss.backward()
            losses.append(loss)
        return losses

    stills = slides(accumulating)
    svg = stills.svg(stills.moments["backward"])
    assert 'class="card op running' in svg or 'class="wire sent' in svg


def test_an_op_of_several_outputs_is_called_by_them_and_has_no_one_value() -> None:
    def parted(torch: Any) -> Any:
        north, south = leaf(torch, [[1.0, 2.0], [3.0, 4.0]]).unbind(0)
        loss = (north * south).sum()
        loss.backward()
        return loss

    cards = cards_of(slides(parted))
    assert len(titled(cards, "north, south").parts) == 2


def test_many_leaves_of_one_op_are_drawn_inside_of_it() -> None:
    def joined(torch: Any) -> Any:
        parts = [leaf(torch, [1.0, 2.0]) for _ in range(20)]
        whole = torch.cat(parts)
        loss = (whole * whole).sum()
        loss.backward()
        return loss

    stills = slides(joined)
    assert stills.picture.choice.fits and stills.size == (1280, 720)
    assert len(titled(cards_of(stills), "whole").params) == 20


def test_items_of_lists_and_dicts_are_called_as_the_program_does() -> None:
    def held(torch: Any) -> Any:
        weights = {"w": leaf(torch, 2.0), 1: leaf(torch, 3.0)}
        biases = [leaf(torch, 1.0)]
        y = weights["w"] * weights[1] + biases[0]
        y.backward()
        return y

    names = {box.facts.name for box in cards_of(slides(held)).history.boxes.values()}
    assert {"weights['w']", "weights[1]", "biases[0]"} <= names


def test_views_through_which_a_program_writes_are_not_drawn_but_counted() -> None:
    def written(torch: Any) -> Any:
        x, canvas = leaf(torch, [1.0, 2.0, 3.0]), torch.zeros(4)
        canvas[1:4] = x * 2
        canvas[0] = x[0]
        loss = (canvas * canvas).sum()
        loss.backward()
        return loss

    stills = slides(written)
    drawn = {op.name for card in cards_of(stills).cards.values() for op in card.ops}
    assert "AsStridedBackward0" not in drawn and "torch::autograd::CopySlices" in drawn
    assert any("without gradient" in text for text in words(stills.svg()))


def test_a_chain_is_said_to_multiply_its_slopes() -> None:
    def chain(torch: Any) -> Any:
        x = leaf(torch, 2.0)
        y = x * 0.5 * -3.0 * 4.0
        y.backward()
        return x, y

    assert last(slides(chain)) == ("x.grad = −6: three slopes, multiplied", "4 · (−3) · 0.5 = −6")


def test_a_lane_shows_its_weight_and_what_each_use_brings() -> None:
    def heron(torch: Any) -> Any:
        n = leaf(torch, 7.0)
        x = n / 2
        for _ in range(4):
            x = (x + n / x) / 2
        x.backward()
        return x

    stills = slides(heron)
    assert cards_of(stills).bars
    told = words(stills.svg())
    assert "7.0" in told and ".grad 0.189" in told and "0.189" in told


def test_updates_by_hand_close_the_cycle_above_data() -> None:
    def fitting(torch: Any) -> Any:
        w, b = leaf(torch, 0.5), leaf(torch, 0.0)
        xs, ys = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([3.0, 5.0, 7.0])
        loss = ((w * xs + b - ys) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.05 * w.grad
            b -= 0.05 * b.grad
        return w, b

    stills = slides(fitting)
    assert stills.picture.choice.cycle
    assert last(stills)[0] == "Each weight has moved against its gradient"
    assert "w -= 0.05 * w.grad …" in words(stills.svg())


def test_long_lines_of_code_have_a_wider_panel_at_every_step() -> None:
    def long(torch: Any) -> Any:
        first_of_all, second_of_all = leaf(torch, 2.0), leaf(torch, 3.0)
        outcome = first_of_all * second_of_all + first_of_all * 2
        outcome.backward()
        return outcome

    stills = slides(long)
    assert stills._panel > 560


def test_a_gradient_of_nothing_but_nan_has_no_norm_of_zero() -> None:
    def spoilt(torch: Any) -> Any:
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
        loss = model(torch.full((4, 2), float("nan"))).square().mean()
        loss.backward()
        return loss

    stills = slides(spoilt)
    said = [each for each in words(stills.svg()) if each.startswith(".grad")]
    assert said and all(each.endswith(" NaN") for each in said)
    wires = [look for part, look in stills._shown(stills._state(stills.steps)) if "sent" in look.classes]
    spoilt_wires = [look for look in wires if "NaN" in dict(look.texts)["label"]]
    assert spoilt_wires and all("odd" in look.classes for look in spoilt_wires)


def test_a_step_that_is_given_its_closure_uses_the_gradients_that_come_from_it() -> None:
    def fit(torch: Any) -> Any:
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
        optimizer = torch.optim.Adam(model.parameters())

        def closure() -> Any:
            optimizer.zero_grad()
            loss = model(torch.full((4, 2), 1.0)).square().mean()
            loss.backward()
            return loss

        return optimizer.step(closure)

    assert "does not use" not in " ".join(last(slides(fit)))
