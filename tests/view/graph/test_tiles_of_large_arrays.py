"""Tiles of large arrays leave nothing out, and say what a cell is: on slides, in the inspector, for screen readers."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.events import GradAccumulated, Value
from autograd_lab.trace import Trace
from autograd_lab.view.graph.looks.tile_look import numbers_of
from autograd_lab.view.kit.numeral import numbers_in
from autograd_lab.view.pages.contents import Content
from autograd_lab.view.pages.value_sheet import sheet_of
from autograd_lab.view.still import stills_of
from tests.view.pictured import called

EXPLODED = 77.5


def trained(odd: float) -> Trace:
    """One row of many is not as the others."""
    with record() as trace:
        w = torch.ones(300, 20, requires_grad=True)
        scale = torch.ones(300, 1)
        scale[131] = odd
        (w * scale).sum().backward()
    return trace


def older(trace: Trace, path: Path) -> Trace:
    """The trace as it was written when values had no blocks."""

    def without(thing: Any) -> Any:
        if isinstance(thing, Value):
            return dataclasses.replace(thing, blocks=None)
        if isinstance(thing, tuple):
            return tuple(map(without, thing))
        if not dataclasses.is_dataclass(thing) or isinstance(thing, type):
            return thing
        return dataclasses.replace(
            thing, **{f.name: without(getattr(thing, f.name)) for f in dataclasses.fields(thing)}
        )

    Trace([without(event) for event in trace], files=trace.files).save(path)
    return Trace.load(path)


def tile_of_the_gradient(trace: Trace) -> tuple[str, str]:
    """The text of the leaf's second tile at the end, and the slide."""
    stills = stills_of(trace)
    look = stills.picture.look(called(stills.picture, "w"), stills.picture.after(trace.events))
    return look.text("gtile"), stills.svg(stills.steps)


@pytest.mark.parametrize("odd", [EXPLODED, -EXPLODED, math.nan, math.inf])
def test_the_one_row_that_exploded_is_seen_in_the_tile(odd: float) -> None:
    text, svg = tile_of_the_gradient(trained(odd))
    rows, _ = numbers_of(text)
    row = 131 // 38
    for at, cells in enumerate(rows):
        for cell in cells:
            assert math.isnan(cell) if at == row and math.isnan(odd) else at != row or cell in (1.0, -1.0, math.inf)
            assert at == row or cell in (0.125, 1.0)
    assert "each the largest of several numbers" in svg


def test_a_tile_tells_screen_readers_how_many_cells_are_of_each_sign() -> None:
    text, svg = tile_of_the_gradient(trained(-EXPLODED))
    signs = Counter(cell > 0 for row in numbers_of(text)[0] for cell in row)
    told = f"{signs[True]} positive, {signs[False]} negative"
    assert f"gradients, 8 × 7 cells, each the largest of several numbers: {told}</title>" in svg


def test_the_legend_says_what_a_cell_is_in_new_traces_and_in_older_ones(tmp_path: Path) -> None:
    new = trained(EXPLODED)
    old = older(new, tmp_path / "old.jsonl")
    ((text, svg), (old_text, old_svg)) = map(tile_of_the_gradient, (new, old))
    assert (text[-1], old_text[-1]) == ("+", "~")
    assert "largest of several" in svg and "one of several" not in svg
    assert "one of several" in old_svg and "largest of several" not in old_svg


def test_the_inspector_says_what_a_cell_is(tmp_path: Path) -> None:
    new = trained(EXPLODED)
    old = older(new, tmp_path / "old.jsonl")
    for trace, each in ((new, "each the largest of its block"), (old, "each one of several numbers")):
        (total,) = (event.total for event in trace if isinstance(event, GradAccumulated))
        sheet = sheet_of(Content("gradient", total, (300, 20)))
        assert sheet["each"] == each
        assert len(sheet["heat"].replace("/", "")) == len(numbers_in(total.blocks or total.thumbnail))


def test_a_gradient_has_one_value_from_where_it_is_made_to_where_it_is_kept() -> None:
    (kept,) = (event for event in trained(EXPLODED) if isinstance(event, GradAccumulated))
    assert kept.added == kept.total and kept.total.maximum == EXPLODED
