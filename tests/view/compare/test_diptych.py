"""Both graphs on a sheet: whatever is compared can be read, and what differs is marked where it is drawn."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab as torch
from autograd_lab.display.script import find_script, run_script
from autograd_lab.notebook import trace
from autograd_lab.trace import Trace
from autograd_lab.view.compare.both import Both, both_of
from autograd_lab.view.compare.diptych import diptych
from autograd_lab.view.compare.told import Sentences
from autograd_lab.view.subject import NothingToDraw
from tests.traces import Instruction, programs, run
from tests.view.ruler import outside, overlapping, texts_of

TITLES = ("here", "there")


def compared(one: Trace, other: Trace) -> Both | None:
    try:
        return both_of(one, other, TITLES)
    except NothingToDraw:
        return None


def assert_readable(both: Both, beat: int | None = None) -> None:
    svg = diptych(both, beat)
    root = ElementTree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert root.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
    assert abs(width / height - 16 / 9) < 0.01
    ids = re.findall(r' id="([^"]+)"', svg)
    assert len(ids) == len(set(ids)) and all(name.startswith(("a-", "b-")) for name in ids)
    texts = texts_of(svg)
    assert [text for text in texts if text.size < 12] == []
    assert not outside(texts, width, height)
    assert not overlapping([text for text in texts if text.is_of_graph])
    assert not overlapping([text for text in texts if not text.is_of_graph])


@settings(max_examples=20, deadline=None)
@given(programs, programs, st.integers(0, 25), st.floats(0, 1))
def test_both_graphs_of_random_programs_can_be_read(
    program: list[Instruction], changed: list[Instruction], cut: int, share: float
) -> None:
    both = compared(run(program), run(program[:cut] + changed + program[cut:]))
    if both is not None:
        assert_readable(both)
        assert_readable(both, round(share * (len(both.pairing.beats) - 1)))


def example(name: str) -> Trace:
    return run_script(find_script(name)).trace


@pytest.mark.parametrize("name", ["mlp", "transformer", "rnn", "residual", "inplace", "chain"])
def test_an_example_beside_itself_can_be_read(name: str) -> None:
    assert_readable(both_of(example(name), example(name), TITLES))


def branch(x: Any) -> Any:
    if x > 0:
        h = x**2
    else:
        u = -x
        h = u.exp()
    return 3 * h + 1


def branches() -> Both:
    return both_of(trace(branch, 2.0), trace(branch, -2.0), TITLES)


def signs(svg: str, side: int) -> list[str]:
    """What the marks of a side say, from left to right; a frame is told by its words."""
    graphs = [each for each in ElementTree.fromstring(svg).iter() if each.get("class") == "marks"]
    return ["".join(mark.itertext()) for mark in graphs[side]]


def test_what_is_only_here_is_framed_in_a_row_and_what_differs_bears_a_sign() -> None:
    svg = diptych(branches())
    assert sorted(signs(svg, 0)) == ["only here", "≠", "≠", "≠"]  # x**2; x, 3 * h and the result
    assert sorted(signs(svg, 1)) == ["only here", "≠", "≠", "≠"]  # -x and exp, in one frame
    frames = re.findall(r'class="frame" x="[-\d.]+" y="[-\d.]+" width="([\d.]+)"', svg)
    assert len(frames) == 2 and float(frames[1]) > 2 * float(frames[0])


def test_marks_are_those_of_the_beat() -> None:
    both = branches()
    begun = next(each.beat for each in both.differences)
    assert signs(diptych(both, begun), 0) == signs(diptych(both, begun), 1) == ["≠"]
    assert signs(diptych(both, 0), 0) == []


def test_a_card_of_many_ops_bears_one_sign() -> None:
    def model(x: Any, seed: int) -> Any:
        torch.manual_seed(seed)
        layers = [layer for _ in range(6) for layer in (torch.nn.Linear(4, 4), torch.nn.Tanh())]
        return torch.nn.Sequential(*layers)(x).sum()

    ones = torch.ones(2, 4)
    svg = diptych(both_of(trace(model, ones, 0), trace(model, ones, 1), TITLES))
    cards = re.findall(r'<g id="a-([^"]+)" class="card', svg)
    assert 1 < len(signs(svg, 0)) <= len(cards) < 6 * 3


def test_all_sentences_stand_on_it() -> None:
    both = branches()
    assert set(both.told) <= {text.text for text in texts_of(diptych(both))}


@given(st.lists(st.integers(1, 400).map(lambda size: "word " * (size // 5) + "end."), min_size=1, max_size=30))
def test_sentences_for_which_there_is_no_room_are_counted(told: list[str]) -> None:
    sentences = Sentences(told, 1184)
    drawn = sentences.draw(0, 0)
    left = re.findall(r"and (\d+) more, which the player tells", drawn)
    assert drawn.count("≠") + sum(map(int, left)) == len(told)
    rows = [float(y) for y in re.findall(r'<text x="[-\d.]+" y="([-\d.]+)"', drawn)]
    assert max(rows) < sentences.height <= 6 * 22 + 20


def test_graphs_stand_where_they_are_larger() -> None:
    def chain(x: Any, n: int) -> Any:
        for _ in range(n):
            x = (x * 2).exp()
        return x

    def corners(n: int) -> list[tuple[float, float]]:
        svg = diptych(both_of(trace(chain, 0.1, n), trace(chain, 0.2, n), TITLES))
        found = re.findall(r'class="graph" transform="translate\(([\d.]+) ([\d.]+)\)', svg)
        return [(float(x), float(y)) for x, y in found]

    (left, top), (right, bottom) = corners(3)
    assert left == right and top < bottom
    both = both_of(example("expression"), example("expression"), TITLES)
    places = re.findall(r'class="graph" transform="translate\(([\d.]+) ([\d.]+)\)', diptych(both))
    assert places[0][0] != places[1][0] and places[0][1] == places[1][1]
