"""Gradient flow as a picture: texts that can be read, however many parameters there are; no name is markup."""

from __future__ import annotations

import math
import re
from typing import Any
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_lab.trace.flow_table import Flow, Row
from autograd_lab.view.charts.flow_panels import ROWS, WIDTH, joined
from autograd_lab.view.charts.flow_slide import flow_slide, flow_strip
from autograd_lab.view.charts.flow_words import description
from autograd_lab.view.kit.font import text_width


def row(name: str, *norms: float) -> Row:
    points = tuple(enumerate(norms, 1))
    return Row(name=name, norm=points, zeros=tuple((at, 0.25) for at, _ in points), update=points[1:])


def flow(*rows: Row) -> Flow:
    return Flow(seen=max(len(each.norm) for each in rows), rows=rows)


def texts(svg: str) -> list[tuple[Any, ...]]:
    """Where each text stands: x, y, size, anchor, words."""
    found = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return [
        (
            float(t.get("x", 0)),
            float(t.get("y", 0)),
            float(t.get("font-size", 0)),
            t.get("text-anchor", ""),
            t.text or "",
        )
        for t in found
    ]


def test_a_gpt_of_twelve_blocks_is_shown_by_modules_in_rows_that_can_be_read() -> None:
    parts = ("attn.q.weight", "attn.k.weight", "attn.v.weight", "mlp.0.weight", "mlp.2.weight", "ln.weight")
    rows = [row(f"h.{block}.{part}", 3.0, 4.0) for block in range(12) for part in parts]
    found, is_joined = joined(rows, ROWS)
    assert is_joined and [each.name for each in found] == [f"h.{block}" for block in range(12)]
    assert math.isclose(found[0].norm[0][1], 3.0 * math.sqrt(6))
    assert "a row is a module" in flow_slide(flow(*rows)).casefold()


def test_what_was_not_measured_is_said_to_be_that() -> None:
    assert "grey: not measured" in flow_slide(flow(row("w", 3.0, 4.0)))  # of its first step no update is known
    known = Row(name="w", norm=((1, 3.0),), zeros=((1, 0.5),), update=((1, 0.1),))
    assert "not measured" not in flow_slide(flow(known))


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
numbers = st.floats(0, 1e30) | st.sampled_from([math.nan, math.inf, 5e-324])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(names, st.lists(numbers, min_size=1, max_size=9)), min_size=1, max_size=40))
def test_whatever_the_names_and_numbers_are_the_picture_is_well_formed_and_its_texts_stay_inside(
    given: list[tuple[str, list[float]]],
) -> None:
    svg = flow_slide(flow(*(row(name, *norms) for name, norms in given)))
    for x, _, size, anchor, said in texts(svg):
        assert size >= 12
        width = text_width(said, size)
        left = x - (width if anchor == "end" else 0)
        assert left >= 0 and left + width <= WIDTH + 1, said
    assert len({round(y) for x, y, *_, anchor, _ in texts(svg) if anchor == "end" and x < 300}) <= ROWS
    tags = {each.tag.partition("}")[2] for each in ElementTree.fromstring(svg).iter()}
    assert tags <= {"svg", "title", "desc", "style", "rect", "g", "path", "text"}


def test_of_a_single_iteration_a_page_has_no_strip() -> None:
    assert flow_strip(flow(row("w", 1.0))) == ""
    assert re.search(r"<summary>Gradient flow: .*w", flow_strip(flow(row("w", 1.0, 2.0))))


def test_a_parameter_whose_norms_nobody_knows_is_drawn_too() -> None:
    for rows in ([row("w")], [row("w"), row("v", 1.0, 2.0)]):
        assert "w: not known." in description(flow(*rows))
        ElementTree.fromstring(flow_slide(flow(*rows)))
