"""Texts and strokes stand out from what they stand on, in every theme."""

from __future__ import annotations

import pytest

from autograd_lab.view.kit.palette import DARK, FORCED, GREY, LIGHT, MORE_CONTRAST, STEPS, THEMES
from tests.view.kit.specimen.contrast import contrast, luminance

TEXT = [
    *[("ink", on) for on in ("paper", "leaf", "mist", "plus_soft", "alarm_soft", "now_soft", "saved")],
    *[("quiet", on) for on in ("paper", "leaf", "mist", "plus_soft", "alarm_soft", "saved", "now_soft")],
    *[("plus", "paper"), ("plus", "plus_soft"), ("plus_on", "plus"), ("plus", "leaf")],
    *[("minus", "paper"), ("minus", "plus_soft"), ("paper", "minus"), ("alarm", "paper"), ("alarm", "alarm_soft")],
    *[("saved_text", "saved"), ("saved_text", "leaf"), ("saved_text", "paper"), ("paper", "ink"), ("paper", "quiet")],
    *[(code, on) for code in ("keyword", "string", "number", "comment") for on in ("mist", "now_soft")],
]
STROKES = [
    *[("leaf_line", "leaf"), ("leaf_line", "paper"), ("saved_line", "saved"), ("saved_line", "paper")],
    *[("hair", "paper"), ("hair", "mist"), ("plus_mid", "paper"), ("plus", "paper"), ("minus", "paper")],
    *[("alarm", "paper"), ("alarm", "alarm_soft"), ("quiet", "paper")],
]
PALETTES = THEMES | {f"{name}, more": THEMES[name] | more for name, more in MORE_CONTRAST.items()}


@pytest.mark.parametrize("name", PALETTES)
def test_texts_and_strokes_stand_out_in_every_theme(name: str) -> None:
    colours = PALETTES[name]
    weak = {pair: contrast(*map(colours.get, pair)) for pair in TEXT if contrast(*map(colours.get, pair)) < 4.5}
    weak |= {pair: contrast(*map(colours.get, pair)) for pair in STROKES if contrast(*map(colours.get, pair)) < 3}
    assert weak == {}


@pytest.mark.parametrize("theme", MORE_CONTRAST)
def test_more_contrast_is_more(theme: str) -> None:
    before, after = THEMES[theme], THEMES[theme] | MORE_CONTRAST[theme]
    for name in MORE_CONTRAST[theme]:
        assert contrast(after[name], after["paper"]) > contrast(before[name], before["paper"])


def test_every_theme_has_every_colour() -> None:
    assert DARK.keys() == GREY.keys() == LIGHT.keys()
    assert FORCED.keys() == {name for name in LIGHT if not name[-1].isdigit()}


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("scale", ["value_plus", "value_minus", "grad_plus", "grad_minus"])
def test_each_step_of_a_scale_is_further_from_the_paper_than_the_one_before(theme: str, scale: str) -> None:
    colours = THEMES[theme]
    light = [luminance(colours[name]) for name in ("paper", *(f"{scale}{step}" for step in range(1, STEPS + 1)))]
    assert light == sorted(light, reverse=theme != "dark")
    assert len(set(light)) == STEPS + 1
