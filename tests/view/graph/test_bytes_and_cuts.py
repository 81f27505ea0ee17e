"""Lines that are no gradient's way: what shares its bytes, what was cut off; and numbers that are infinite."""

from __future__ import annotations

from typing import Any

import pytest

from autograd_lab.events import Value
from autograd_lab.view.kit.reading import sign_class
from autograd_lab.view.kit.tile import Tile, draw_tile
from autograd_lab.view.still import Stills, stills_of
from tests.story import recorded

torch = pytest.importorskip("torch")


def looking(torch: Any) -> None:
    x = torch.arange(6.0, requires_grad=True)
    h = x * 2
    m = h.view(2, 3)
    m.exp().sum().backward()


def cutting(torch: Any) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    (h.exp() * h.detach()).sum().backward()


def picture(program: Any) -> Stills:
    return stills_of(recorded(program, torch), "engine")


def test_a_view_and_what_it_looks_at_are_joined_by_a_double_bar_until_a_gradient_takes_that_way() -> None:
    stills = picture(looking)
    drawn = [stills.svg(step) for step in (stills.moments["forward"], stills.steps - 1)]
    assert [each.count('class="twin"') for each in drawn] == [2, 0]  # itself, and in the legend


def test_two_upright_bars_stand_where_detach_cuts_a_line() -> None:
    assert picture(cutting).svg().count('<g class="cut">') == 2, "on the line, and in the legend"
    assert '<g class="cut">' not in picture(looking).svg()


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (Value(numbers=float("nan")), "odd"),
        (Value(numbers=float("inf")), "plus"),
        (Value(numbers=float("-inf")), "minus"),
        (Value(numbers=[0.0, 1.0], norm=1.0, infs=1), "plus"),
        (Value(numbers=[0.0, 1.0], norm=1.0, nans=1), "odd"),
    ],
)
def test_only_nan_is_an_alarm_for_masks_are_made_of_infinities(value: Value, name: str) -> None:
    assert sign_class(value) == name


def test_cells_that_are_infinite_are_quiet_and_cells_that_are_nan_are_not() -> None:
    assert 'class="lost"' not in draw_tile(Tile([[1.0, float("-inf")]], "value"), 0, 0, 20)
    assert 'class="lost"' in draw_tile(Tile([[1.0, float("nan")]], "value"), 0, 0, 20)
