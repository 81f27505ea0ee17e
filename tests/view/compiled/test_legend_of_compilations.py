"""The legend of a compilation: a line for each thing that occurs in this very picture, and for nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab.view.compiled.compiled_scene import CompiledScene
from autograd_lab.view.compiled.legend import ENTRIES, LEGEND_WIDTH, possible_entries
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.scene import make_scene


def wasteful(x: Any) -> Any:
    x.sin()
    return (x.exp() / 2 + x.exp()) * 1


@pytest.fixture(scope="module")
def scene() -> CompiledScene:
    function = torch.compile(wasteful)
    function(torch.ones(4, 4, requires_grad=True))
    found = make_scene(function.trace)
    assert isinstance(found, CompiledScene)
    return found


def test_each_line_ends_before_the_next_column_begins() -> None:
    for entry in ENTRIES:
        assert 52 + text_width(entry.meaning, 13) <= LEGEND_WIDTH - 6, entry.meaning


def test_what_a_picture_explains_is_among_what_its_events_can_need(scene: CompiledScene) -> None:
    possible = possible_entries(event.kind for event in scene.trace)
    assert scene.entries and set(scene.entries) <= set(possible)


def test_a_step_explains_what_it_shows_and_nothing_else(scene: CompiledScene) -> None:
    for step in range(0, scene.steps + 1, 7):
        shown = re.findall(r'<g id="legend-(\w+)-(\w+)"', scene.svg(step))
        drawn = scene.svg(step).split('<g class="legend">')[0]
        classes = {name for group in re.findall(r'class="([^"]*)"', drawn) for name in group.split()}
        told = {name for kind, name in shown if kind != "text"}
        assert told <= classes, step
