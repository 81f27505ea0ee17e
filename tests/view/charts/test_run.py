"""The charts of a run: names that are told apart, and lines only where numbers are known."""

from __future__ import annotations

import math
import re

from hypothesis import given
from hypothesis import strategies as st

from autograd_lab.trace.course import Course, Points, Series
from autograd_lab.view.charts.run import draw_course

BLOCKS = [f"transformer.encoder.blocks.{number}.attention.in_proj_weight" for number in range(3)]


def course(*series: Series, seen: int = 9) -> Course:
    return Course(shown=(seen,), seen=seen, series=series)


def norms(*names: str) -> Course:
    others = [Series(kind=kind, name="other", points=((1, 8.0), (9, 8.0))) for kind in ("loss", "held")]
    return course(*others, *(Series(kind="norm", name=name, points=((1, 0.5), (9, 0.25))) for name in names))


def said(course: Course) -> list[str]:
    """All texts of the charts of a wide page."""
    return re.findall(r"<text[^>]*>(.*?)</text>", draw_course(course).partition('class="narrow"')[0])


def held(points: Points) -> str:
    return draw_course(course(Series(kind="held", name="bytes", points=points)))


def test_names_that_fit_are_whole() -> None:
    names = ("model.hidden.weight", "model.output.weight")
    assert {f"{name} 0.25" for name in names} <= {*said(norms(*names))}


def test_names_that_do_not_fit_keep_what_tells_them_apart() -> None:
    assert {f"{number}…in_proj_weight 0.25" for number in range(3)} <= {*said(norms(*BLOCKS))}


@given(st.lists(st.sampled_from([*BLOCKS, "a" * 90, "b." * 40 + "weight", "w"]), min_size=1, max_size=4, unique=True))
def test_every_name_that_is_cut_says_so_and_keeps_its_end(names: list[str]) -> None:
    texts = [text.removesuffix(" 0.25") for text in said(norms(*names)) if text.endswith(" 0.25")]
    assert len(texts) == len(names)
    for text in texts:
        assert any(name.endswith(text.rpartition("…")[2]) for name in names)


def test_bytes_are_a_line_over_iterations_that_follow_each_other_and_a_dot_where_one_stands_alone() -> None:
    drawn = held(((1, 8.0), (2, 8.0), (3, 9.0), (9, 8.0)))
    assert (drawn.count('<path class="run'), drawn.count('<circle class="run')) == (
        2,
        2,
    )  # on a wide page and a narrow one


def test_where_bytes_are_not_known_of_some_iterations_the_chart_says_so() -> None:
    gaps, whole = held(((1, 8.0), (9, 8.0))), held(((1, 8.0), (2, 8.0)))
    assert (", where recorded" in gaps, ", where recorded" in whole) == (True, False)


def test_a_line_is_broken_where_a_number_is_not_finite() -> None:
    loss = Series(kind="loss", name="loss", points=((1, 1.0), (2, 0.5), (3, math.nan), (4, 0.5), (5, 0.25)))
    assert draw_course(course(loss)).count('<path class="run') == 4
