"""What the picture says of a backward pass that was recorded."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import pytest

from autograd_lab.view.graph.faces.forms import Pane
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.layout.signposts import polyline
from autograd_lab.view.pages.layouts import PANES
from autograd_lab.view.still import Stills, stills_of
from tests.story import recorded
from tests.view.pictured import parts_of, scene_of
from tests.view.ruler import texts_of

torch = pytest.importorskip("torch")


def handed_out(torch: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x**3
    g = torch.autograd.grad(y, x, create_graph=True)[0]
    penalty = (g - 1) ** 2
    penalty.backward()


def handed_out_and_used(torch: Any) -> None:
    w = torch.tensor(1.0, requires_grad=True)
    inner = w**3
    g = torch.autograd.grad(inner, w, create_graph=True)[0]
    outer = inner * g
    outer.backward()


def stored(torch: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x**3
    y.backward(create_graph=True)
    x.grad.sin().backward()


def once(torch: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    (x**3).backward()


def picture(program: Any) -> Stills:
    return stills_of(recorded(program, torch), "engine")


def test_what_a_pass_recorded_stands_on_a_sheet_that_names_the_pass() -> None:
    assert "backward of y, recorded" in picture(handed_out).svg()


def test_the_sheet_lies_under_the_cards_of_the_second_layer_and_under_no_others() -> None:
    drawing = picture(handed_out).picture
    (sheet,) = (part for part in drawing.drawing.parts if part.kind == "sheet")
    for part in drawing.drawing.parts:
        if part.kind == "card":
            inside = sheet.x <= part.x and part.x + part.width <= sheet.x + sheet.width
            inside &= sheet.y <= part.y and part.y + part.height <= sheet.y + sheet.height
            assert inside == drawing.choice.cards.cards[part.of].second


def test_before_the_pass_has_recorded_anything_there_is_no_sheet() -> None:
    assert [('class="layer"' in picture(handed_out).svg(step)) for step in (3, None)] == [False, True]


def test_a_program_that_records_no_pass_has_no_sheet() -> None:
    assert not [part for part in picture(once).picture.drawing.parts if part.kind == "sheet"]


def test_a_gradient_that_was_handed_out_says_to_whom_and_one_that_was_stored_does_not() -> None:
    assert "12.0 → g" in last(picture(handed_out))
    assert "→" not in last(picture(stored))


def test_what_a_later_pass_brings_a_leaf_along_the_same_line_was_not_handed_out() -> None:
    stills = picture(handed_out_and_used)
    handed = [step for step in range(stills.steps) if "3.0 → g" in stills.svg(step)]
    assert handed and "9.0" in last(stills) and "→" not in last(stills)


def last(stills: Stills) -> str:
    """The slide before the function ends, and lets go of its graph."""
    return stills.svg(stills.steps - 1)


def third(torch: Any) -> None:
    x = torch.tensor(2.0, requires_grad=True)
    y = x**3
    for _ in range(2):
        y = torch.autograd.grad(y, x, create_graph=True)[0]
    y.backward()


def test_a_sum_is_whole_once_the_pass_is_over_though_another_line_brought_nothing() -> None:
    stills = picture(third)
    drawn = {text.text for text in texts_of(stills.svg()) if text.is_of_graph}
    assert "6.0" in drawn and not [text for text in drawn if text.startswith("…")], "no sum waits for more"


@pytest.mark.parametrize("pane", PANES)
@pytest.mark.parametrize("program", [handed_out, stored, third])
def test_no_line_crosses_the_title_of_a_sheet_and_no_numbers_share_a_place(program: Any, pane: Pane) -> None:
    scene = scene_of(recorded(program, torch))
    assert scene is not None
    picture = scene.picture("engine", pane, stretches=False)
    lines = [pair for route in picture.drawing.routes.values() for pair in pairwise(polyline(route))]
    for sheet in parts_of(picture, "sheet"):
        end, low = sheet.x + 14 + text_width(sheet.text, 13.5, bold=True), sheet.y + 22
        assert not sheet.text or not [
            (a, b)
            for a, b in lines
            if sheet.x + 14 < a[0] < end and min(a[1], b[1]) < low and max(a[1], b[1]) > low - 10
        ]
    numbers = parts_of(picture, "number")
    assert not [
        (a.id, b.id) for a, b in combinations(numbers, 2)
        if abs(a.x + a.width / 2 - b.x - b.width / 2) < (a.width + b.width) / 2 and abs(a.y - b.y) < a.height - 2
    ]  # fmt: skip
