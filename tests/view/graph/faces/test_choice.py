"""The choice of a picture: as fine as the room allows, in the form that was asked for, with all that was asked for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from autograd_lab.trace import Trace
from autograd_lab.view.graph.cards.asked import Asked
from autograd_lab.view.graph.faces.choice import KEPT_OF_ZIGZAG, Choice, _flaws
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.graph.pictured import Choices, choices_of
from autograd_lab.view.subject import NothingToDraw
from tests.story import recorded
from tests.traces import Instruction, programs, run
from tests.view.graph.cards import programs as known
from tests.view.pictured import drawn

torch = pytest.importorskip("torch")

SLIDE = (1184.0, 492.0)


def choices(trace: Trace, asked: Asked | None = None) -> Choices:
    return choices_of(history_of(trace), trace.events, asked, engine=True)


def of_any(program: list[Instruction]) -> Choices | None:
    """What may be drawn of a random program, if there is anything."""
    try:
        return choices(run(program))
    except NothingToDraw:
        return None


def chosen(program: Any, form: str = "auto", asked: Asked | None = None) -> Choice:
    return choices(recorded(program, torch), asked).best(SLIDE, form)


def count(choice: Choice) -> int:
    return len(choice.cards.cards)


@settings(deadline=None, max_examples=15)
@given(programs, st.floats(1.0, 3.0))
@example([*[("add", 0, 0)] * 5, ("add", 0, 3), ("add", 0, 24), ("add", 0, 26), ("add", 1, 1)], 1.5)
def test_more_room_never_gives_fewer_cards_but_for_a_tidier_picture(program: list[Instruction], more: float) -> None:
    if (found := of_any(program)) is None:
        return
    small, large = found.best(SLIDE), found.best((SLIDE[0] * more, SLIDE[1] * more))
    assert count(large) >= count(small) or (
        _flaws(large) <= _flaws(small) and count(large) >= KEPT_OF_ZIGZAG * count(small)
    )
    assert large.fits or not small.fits


@pytest.mark.parametrize(
    "program", [known.u_net, known.res_net, known.attention, known.vae], ids=lambda it: it.__name__
)
def test_more_room_never_gives_fewer_cards_of_a_model(program: Any) -> None:
    found = choices(recorded(program, torch))
    counts = [count(found.best((SLIDE[0] * more, SLIDE[1] * more))) for more in (0.6, 0.8, 1.0, 1.5, 2.0)]
    assert counts == sorted(counts)


@settings(deadline=None, max_examples=15)
@given(programs)
def test_no_text_is_smaller_than_it_should_be_where_a_picture_fits(program: list[Instruction]) -> None:
    if (found := of_any(program)) is None:
        return
    choice = found.best(SLIDE)
    assert 0 < choice.scale <= 1.5
    if choice.fits:
        assert choice.placed.width * choice.scale <= SLIDE[0] + 0.5
        assert choice.placed.height * choice.scale <= SLIDE[1] + 0.5


@pytest.mark.parametrize("form", ["LR", "TB", "dot"])
@pytest.mark.parametrize("program", [known.fan_in, known.mlp], ids=lambda it: it.__name__)
def test_a_form_that_is_asked_for_is_used(program: Any, form: str) -> None:
    assert chosen(program, form).placed.form == ("LR" if form == "dot" else form)


def test_skips_and_chains_have_forms_of_their_own() -> None:
    assert chosen(known.u_net, "stairs").placed.form == "stairs"
    assert chosen(known.overwritten, "zigzag").placed.form == "zigzag"


@pytest.mark.parametrize("form", ["stairs", "zigzag", "lanes"])
def test_a_form_that_a_graph_does_not_have_is_refused(form: str) -> None:
    with pytest.raises(ValueError, match=f"cannot be drawn as {form}"):
        chosen(known.fan_in, form)


def test_lanes_are_for_loops_with_shared_weights() -> None:
    choice = chosen(known.rnn)
    assert choice.placed.form == "lanes"
    assert [choice.cards.history.boxes[bar].label for bar in choice.placed.bars] == ["W", "U"]


@pytest.mark.parametrize("form", ["auto", "LR", "TB", "dot"])
@pytest.mark.parametrize("pane", [SLIDE, (400.0, 300.0), (150.0, 100.0)])
def test_a_weight_that_turns_share_is_drawn_in_any_pane_and_whatever_is_asked_for(
    form: str, pane: tuple[float, float]
) -> None:
    choice = choices(recorded(known.rnn, torch)).best(pane, form)
    assert choice.cards.bars and set(choice.placed.bars) == set(choice.cards.bars)


def test_what_skips_is_seen_in_a_u_net() -> None:
    choice = chosen(known.u_net)
    assert choice.placed.form == "stairs" and choice.fits
    ends = [(wire.source, wire.target) for wire in choice.cards.wires]
    order = list(choice.cards.cards)
    assert sum(order.index(target) - order.index(source) > 1 for source, target in ends) >= 3


def projected(torch: Any) -> None:
    """Three residual blocks, the second with a projection beside it."""
    nn, functional = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self, inputs: int, outputs: int) -> None:
            super().__init__()
            self.conv1, self.bn1 = nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs)
            self.conv2, self.bn2 = nn.Conv2d(outputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs)
            self.down = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()

        def forward(self, x: Any) -> Any:
            h = self.bn2(self.conv2(functional.relu(self.bn1(self.conv1(x)))))
            return functional.relu(h + self.down(x))

    net = nn.Sequential(nn.Conv2d(3, 4, 3), Block(4, 4), Block(4, 8), Block(8, 8), nn.Flatten(), nn.Linear(128, 2))
    net(torch.ones(2, 3, 6, 6)).sum().backward()


def test_each_residual_block_is_seen_to_be_skipped_also_beside_a_projection() -> None:
    choice = chosen(projected)
    assert choice.placed.form == "stairs" and choice.fits
    targets = [wire.target for wire in choice.cards.wires]
    assert sum(targets.count(name) >= 2 for name in choice.cards.cards) == 3


def test_without_folding_each_op_is_a_card_though_it_does_not_fit() -> None:
    choice = chosen(known.u_net, asked=Asked(fold=False))
    ops = [card for card in choice.cards.cards.values() if card.ops]
    assert all(len(card.ops) == 1 for card in ops) and len(ops) > 20
    stills = drawn(recorded(known.u_net, torch), asked=Asked(fold=False))
    assert stills is not None and (stills.size == (1280, 720)) == stills.picture.choice.fits


def test_a_root_is_kept() -> None:
    choice = chosen(known.fan_in, asked=Asked(root="y"))
    assert choice.cards.cards[list(choice.cards.cards)[-1]].box.label == "y"  # type: ignore[union-attr]  # it has one


@pytest.mark.parametrize("depth", [1, 2])
def test_so_many_levels_of_modules_are_open_as_are_asked_for(depth: int) -> None:
    choice = chosen(known.siamese, asked=Asked(depth=depth))
    deep = {len((card.call.path or "").split(".")) for card in choice.cards.cards.values() if card.call}
    assert max(deep, default=0) <= depth + 1


def test_a_module_that_is_to_be_open_is_open() -> None:
    closed, opened = (chosen(known.u_net, asked=Asked(expand=expand)) for expand in ((), ("d1",)))
    names = [card.call.path for card in opened.cards.cards.values() if card.call and card.kind == "module"]
    assert "d1" not in names and any((name or "").startswith("d1.") for name in names)
    assert closed.cards is not opened.cards
