"""Posters: for print, with every op that a sheet of paper has room for, in letters that can be read."""

from __future__ import annotations

from functools import cache

import pytest

from autograd_lab.display.picture import draw
from autograd_lab.display.script import find_script, run_script
from autograd_lab.trace import Trace
from autograd_lab.view.large_sheet import PAPERS, PX
from autograd_lab.view.png import svg_size
from autograd_lab.view.scene import make_scene
from autograd_lab.view.still import Stills


@cache
def trace(program: str) -> Trace:
    return run_script(find_script(program)).trace


@cache
def poster(program: str) -> Stills:
    found = make_scene(trace(program)).poster
    assert found is not None
    return found


def ops(stills: Stills) -> list[int]:
    return [len(card.ops) for card in stills.picture.choice.cards.cards.values() if card.ops]


@pytest.mark.parametrize("program", ["expression", "mlp"])
def test_of_a_small_program_every_op_has_a_card_of_its_own(program: str) -> None:
    assert set(ops(poster(program))) == {1}


def test_a_small_program_takes_a3_lying_down_at_96_px_to_an_inch() -> None:
    width, height = svg_size(draw(trace("mlp"), poster=True).svg)
    assert (width, height) == pytest.approx((420 * PX, 297 * PX), rel=1e-5)


def test_what_is_too_large_even_for_a0_is_folded_and_said_to_be() -> None:
    slide = make_scene(trace("transformer")).stills
    assert slide is not None
    assert len(ops(poster("transformer"))) > len(ops(slide))
    assert any("ops are drawn folded" in notice for notice in poster("transformer").notices)


def test_for_a_graph_that_is_long_and_low_the_sheet_is_so_too() -> None:
    width, height = svg_size(poster("transformer").svg())
    assert width == pytest.approx(PAPERS[-1][0]) and height < PAPERS[-1][1] / 2


@pytest.mark.parametrize("program", ["expression", "mlp", "transformer"])
def test_no_letter_is_made_smaller_than_it_was_laid_out(program: str) -> None:
    assert poster(program).picture.choice.scale >= 1


def test_all_of_the_code_is_there() -> None:
    svg = poster("mlp").svg()
    numbers = [line for line in range(6, 22) if f">{line}</text>" in svg]
    assert numbers == list(range(6, 22))


def test_a_poster_has_a_theme_and_any_step() -> None:
    svg = draw(trace("expression"), step=10, theme="dark", poster=True).svg
    assert "backward · line 10" in svg and "#12161c" in svg
