"""The style sheet knows every class that is drawn, and a page can change every colour of it."""

from __future__ import annotations

import re

import pytest

from autograd_lab.view.kit.language import language_sheet, page_language
from autograd_lab.view.kit.palette import LIGHT, THEMES
from autograd_lab.view.kit.shapes.outline import STATES
from autograd_lab.view.kit.shapes.pocket import STATES as POCKETS
from autograd_lab.view.png import to_png
from tests.view.kit.specimen.__main__ import SHEETS

NAMES_ONLY = {"op", "stack", "recorded", "x", "bars", "icon", "code-line", "sum", "source-line"}
"""Classes that say what a part is, and look as parts look that have none."""


def test_no_colour_is_left_open() -> None:
    assert not any("$" in language_sheet(theme) for theme in THEMES)
    assert "$" not in page_language()


def test_a_page_has_a_variable_for_every_colour_and_no_colour_beside_them() -> None:
    variables, rules = re.split(r"text\{", page_language().split("@media print")[0], maxsplit=1)
    assert set(re.findall(r"var\(--([a-z_0-9]+)\)", rules)) <= set(LIGHT)
    assert all(variables.count(f"--{name}:") >= 2 for name in LIGHT)
    assert not re.findall(r"#[0-9a-f]{6}", rules)


def test_every_state_of_a_card_and_of_a_pocket_has_its_rule() -> None:
    sheet = language_sheet()
    assert all(f".card.{state}>" in sheet for state in STATES if state != "recorded")
    assert all(f".pocket.{state}>" in sheet for state in POCKETS if state != "saved")


@pytest.mark.parametrize("name", SHEETS)
def test_every_class_that_is_drawn_has_a_rule(name: str) -> None:
    drawn = SHEETS[name]("light").split("</style>")[1]
    classes = {word for value in re.findall(r'class="([^"]*)"', drawn) for word in value.split()}
    ruled = set(re.findall(r"\.([a-z][a-z0-9-]*)", language_sheet()))
    assert classes - ruled <= NAMES_ONLY


@pytest.mark.parametrize("name", SHEETS)
def test_one_drawing_serves_every_theme(name: str) -> None:
    bodies = {SHEETS[name](theme).split("</style>")[1].split("/>", 1)[1] for theme in THEMES}
    assert len(bodies) == 1
    assert to_png(SHEETS[name]("light"), scale=0.25).startswith(b"\x89PNG")


def test_nothing_is_set_smaller_than_12_px() -> None:
    assert min(float(size) for size in re.findall(r"font-size:([\d.]+)px", language_sheet())) >= 12
