"""What a card says of a tensor that was written in place, or whose `.grad` is kept."""

from __future__ import annotations

import re
from typing import Any

import pytest

from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.still import Stills, stills_of
from tests.story import recorded

torch = pytest.importorskip("torch")


def overwritten(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    w = torch.tensor([0.5, 0.5, 0.5], requires_grad=True)
    h = x * 2
    p = h * w
    h.add_(1)
    loss = p.sum()
    loss.backward()


def twice(torch: Any) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    h = x * 2
    h.add_(1)
    h.mul_(5)
    h.backward()


def kept(torch: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    h = x * 3
    h.retain_grad()
    (h * 7).backward()


def picture(program: Any) -> Stills:
    return stills_of(recorded(program, torch), "engine")


def card(stills: Stills, title: str, step: int | None = None) -> str:
    """The drawing of the card of operations with this title."""
    whole = stills.svg(step)
    found = [
        part for part in whole.split('<g id="')[1:] if 'class="card op' in part[:60] and f">{title}</text>" in part
    ]
    return found[0]


def test_a_tensor_written_in_place_is_one_card_with_the_old_value_struck_through_and_the_line_that_wrote_it() -> None:
    drawn = card(picture(overwritten), "h")
    assert all(
        word in drawn for word in ("2.0  4.0  6.0", "3.0  5.0  7.0", "h.add_(1)", "line ", ">v1<", 'class="strike"')
    )


def test_before_the_write_the_card_says_what_made_the_tensor_and_its_first_value() -> None:
    drawn = card(picture(overwritten), "h", 4)
    assert "2 · x" in drawn
    assert "2.0  4.0  6.0" in drawn
    assert not any(word in drawn for word in ("h.add_(1)", "3.0  5.0  7.0", "strike", "line "))


def test_what_is_yet_to_be_made_says_what_will_make_it_and_not_what_will_write_it() -> None:
    drawn = card(picture(overwritten), "h", 1)
    assert "2 · x" in drawn
    assert "h.add_(1)" not in drawn


def test_of_several_writes_the_card_shows_the_last_two_values() -> None:
    drawn = card(picture(twice), "h")
    assert all(word in drawn for word in (">3.0<", ">15.0<", "h.mul_(5)"))
    assert ">2.0<" not in drawn


def test_in_the_engine_view_all_nodes_of_a_written_tensor_are_named() -> None:
    drawn = card(picture(overwritten), "h")
    assert "Mul #0, Add #2" in drawn


def test_below_the_torn_pocket_stand_what_was_saved_and_what_is_there_now() -> None:
    stills = picture(overwritten)
    error = next(step for step in range(stills.steps, 0, -1) if 'class="versions"' in stills.svg(step))
    drawn = stills.svg(error)
    assert "h v0, is v1" in drawn
    assert drawn.count("2.0  4.0  6.0") == 2
    assert 'class="versions"' not in stills.svg(5)


def test_a_grad_that_is_kept_stands_on_the_card_of_what_is_no_leaf() -> None:
    stills = picture(kept)
    assert ".grad 7" in card(stills, "h", stills.steps - 1)


def elsewhere(torch: Any) -> None:
    x = torch.ones(2, 3, device="meta", requires_grad=True)
    (x * 2).sum().backward()


def test_a_tensor_that_is_not_on_the_cpu_says_where_and_a_gradient_that_nobody_saw_is_no_alarm() -> None:
    drawn = picture(elsewhere).svg()
    assert drawn.count(">on meta<") >= 3
    assert "None" not in drawn.split("</style>")[1]
    assert 'class="wire sent odd"' not in drawn


def own_result(torch: Any) -> None:
    x = torch.tensor([0.5, -1.0], requires_grad=True)
    h = torch.sigmoid(x)
    h += 1
    loss = h.sum()
    loss.backward()


def test_a_write_that_breaks_the_backward_of_what_it_writes_has_a_card_of_its_own() -> None:
    drawn = picture(own_result).svg()
    parts = [part for part in drawn.split('<g id="')[1:] if 'class="card op' in part[:60] and ">h</text>" in part]
    stopped = [">stopped<" in part for part in parts]
    assert [("sigmoid(x)" in part, "h += 1" in part) for part in parts] == [(True, False), (False, True)]
    assert stopped == [True, False]


def weights_written(torch: Any) -> Any:
    tanh = torch.nn.Tanh
    model = torch.nn.Sequential(*(layer for _ in range(6) for layer in (torch.nn.Linear(3, 3), tanh())))
    loss = model(torch.ones(2, 3)).sum()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(1)
    return loss


def test_a_card_that_has_no_room_for_all_its_pockets_shows_those_that_are_overwritten() -> None:
    stills = stills_of(recorded(weights_written, torch), asked=Asked(depth=0))
    assert re.search(r'class="pocket [a-z]+"><path [^>]*/><circle class="dot"', stills.svg()), (
        "nothing says: more is saved"
    )
    pockets = stills.picture.drawing.pockets.values()
    folded = [pocket for pocket in pockets if len(pocket.card.ops) > 3 and pocket.op is not None]
    history = stills.history
    shown = {(history.ops[pocket.op].node, history.ops[pocket.op].slots[pocket.slot].slot) for pocket in folded}
    kept = {op.node for pocket in folded for op in pocket.card.ops}
    assert len(folded) < sum(len(op.slots) for op in folded[0].card.ops)
    assert {slot for slot in history.watch.slots if slot[0] in kept} - shown == set()
