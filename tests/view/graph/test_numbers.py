"""Numbers on lines hide neither a card nor the head of an arrow, wherever there is room beside."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import pytest

from autograd_lab.display.script import find_script, run_script
from autograd_lab.trace import Trace
from autograd_lab.view.graph.numbers import ON, OVER, UNDER, Number, numbers_of
from autograd_lab.view.graph.pictured import Picture
from autograd_lab.view.layout.nearby import Area, meet
from autograd_lab.view.pages.layouts import PANES
from tests.story import recorded
from tests.view.graph.cards.programs import triplet
from tests.view.pictured import drawn, scene_of

torch = pytest.importorskip("torch")
LARGE = PANES[3]


@cache
def transformer() -> Trace:
    return run_script(find_script("transformer")).trace


def cards_of(picture: Picture) -> list[Area]:
    faces = picture.choice.faces
    return [
        (x, y, x + faces[name].width, y + faces[name].height) for name, (x, y) in picture.choice.placed.places.items()
    ]


@pytest.mark.parametrize("pane", (PANES[0], LARGE))
def test_no_number_of_a_long_chain_hides_a_card_where_there_is_room(pane: tuple[float, float]) -> None:
    scene = scene_of(transformer())
    assert scene is not None
    picture = scene.picture("engine", pane, stretches=False)
    numbers = [part for part in picture.parts if part.kind == "number"]
    assert numbers
    for part in numbers:
        area = (part.x, part.y, part.x + part.width, part.y + part.height)
        assert not any(meet(area, card) for card in cards_of(picture)), part.id


def test_numbers_of_a_chain_in_two_heights_stand_one_above_the_other() -> None:
    def chain(torch: Any) -> None:
        x = torch.ones(4, requires_grad=True)
        for _ in range(2):
            x = (x.sin() * 2).tanh().exp().sigmoid().log()
        x.sum().backward()

    stills = drawn(recorded(chain, torch), form="zigzag")
    assert stills is not None
    picture = stills.picture
    assert picture.choice.placed.form == "zigzag"
    areas = [it.area for it in numbers_of(picture.choice, picture.drawing.label_size, cards_of(picture))]
    assert not any(meet(one, other) for place, one in enumerate(areas) for other in areas[:place])


def squeezed(torch: Any) -> None:
    """Signs close to each other, so that there is no room for capsules between them."""
    slope = torch.tensor(0.5, requires_grad=True)
    offset = torch.tensor(-1.75, requires_grad=True)
    surprise = torch.tensor(0.0)
    for place in (0.0, 1.0):
        to_the_right = torch.sigmoid(slope * place + offset)
        surprise = surprise - torch.log(to_the_right)
    loss = 1.0 * surprise
    loss.backward()


def numbers_in(trace: Trace) -> tuple[Picture, list[Number]]:
    scene = scene_of(trace)
    assert scene is not None
    picture = scene.picture("engine", (1184.0, 492.0))
    taken = cards_of(picture)
    return picture, numbers_of(picture.choice, picture.drawing.label_size, taken)


def test_where_a_capsule_would_hide_the_head_of_its_arrow_the_number_stands_over_the_line() -> None:
    trace = recorded(squeezed, torch)
    picture, numbers = numbers_in(trace)
    written = [it for it in numbers if picture.choice.is_written[it.name]]
    assert any(it.side == OVER for it in written)
    for it in written:
        x, y = picture.choice.placed.routes[it.name][0]
        left, top, right, bottom = it.area
        assert it.side != ON or not (left < x < right and top < y < bottom)


def test_in_a_roomy_picture_numbers_that_are_written_stand_on_their_lines() -> None:
    _, numbers = numbers_in(run_script(find_script("expression")).trace)
    assert {it.side for it in numbers} == {ON}


@pytest.mark.parametrize("seed", [4, 23])
def test_numbers_of_lines_that_bend_hide_no_sign_whatever_they_are(seed: int) -> None:
    def program(torch: Any) -> None:
        torch.manual_seed(seed)
        triplet(torch)

    picture, numbers = numbers_in(recorded(program, torch))
    for it in numbers:
        left, top, right, bottom = it.area
        assert not any(meet((left + 1, top + 1, right - 1, bottom - 1), card) for card in cards_of(picture)), it.name


def lstm(torch: Any) -> None:
    cell = torch.nn.LSTMCell(3, 4)
    h, c = torch.zeros(2, 4), torch.zeros(2, 4)
    for _ in range(4):
        h, c = cell(torch.ones(2, 3), (h, c))
    h.sum().backward()


def test_of_two_lines_between_turns_it_is_said_once_which_is_which() -> None:
    picture, numbers = numbers_in(recorded(lstm, torch))
    names = [part for part in picture.parts if part.kind == "strand"]
    assert sorted(part.text for part in names) == ["c", "h"]
    sides = {it.name: it.side for it in numbers}
    assert sorted(sides[part.of] for part in names) == [UNDER, OVER]


def winds(torch: Any) -> None:
    torch.manual_seed(3)
    north, east, south, west = torch.randn(4, 3, requires_grad=True).unbind(0)
    ((north * south).sum() - (east * west).sum()).backward()


def test_the_names_of_two_lines_stand_over_no_other_name_or_number() -> None:
    picture, numbers = numbers_in(recorded(winds, torch))
    names = [part for part in picture.parts if part.kind == "strand"]
    assert names
    areas = {part.of: (part.x, part.y, part.x + part.width, part.y + part.height) for part in names}
    assert not any(meet(*pair) for pair in combinations(areas.values(), 2))
    assert not any(meet(area, it.area) for name, area in areas.items() for it in numbers if it.name != name)
