"""Strips: bytes in slots over the steps of a run, of this engine's and of PyTorch's."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograd_lab
from autograd_lab import record
from autograd_lab.lessons.figures import strip as shown
from autograd_lab.trace import Trace
from autograd_lab.view.charts.strip import bytes_kept, strip


def chain(torch: Any, length: int, retain: bool) -> Trace:
    with record() as run:
        y = torch.ones(16, requires_grad=True)
        for _ in range(length):
            y = torch.tanh(y)
        y.sum().backward(retain_graph=retain)
    return run


@given(st.integers(1, 12), st.booleans())
def test_a_chain_climbs_by_a_stair_a_node_and_comes_down_unless_it_is_retained(length: int, retain: bool) -> None:
    kept = bytes_kept(chain(autograd_lab, length, retain))
    assert max(kept) == 64 * length
    assert kept[-1] == (64 * length if retain else 0)
    assert {abs(after - before) for before, after in pairwise(kept)} == {0, 64}


def test_a_memory_counts_once_and_what_was_there_before_not_at_all() -> None:
    with record() as run:
        x = autograd_lab.ones(16, requires_grad=True)
        h = x.exp()
        y = h * h.view(4, 4).view(16) * x.view(4, 4).view(16)
    assert bytes_kept(run)[-1] == 2 * 64  # exp and both factors share one; the first product is the other
    del y


def test_what_nobody_holds_any_more_is_not_counted() -> None:
    with record() as run:
        x = autograd_lab.ones(16, requires_grad=True)
        y = x.exp()
        before = bytes_kept(run)[-1]
        del y
    assert (before, bytes_kept(run)[-1]) == (64, 0)


def test_pytorchs_slots_hold_as_many_bytes_at_each_step() -> None:
    torch = pytest.importorskip("torch")
    assert bytes_kept(chain(torch, 5, False)) == bytes_kept(chain(autograd_lab, 5, False))


def test_a_strip_has_a_chart_for_each_run_escapes_its_name_and_says_what_it_leaves_out() -> None:
    with record() as packed, autograd_lab.autograd.graph.save_on_cpu():
        x = autograd_lab.ones(16, requires_grad=True)
        x.exp().sum().backward()
    svg = strip({"<b>": chain(autograd_lab, 3, False), "packed": packed})
    drawn = [node.text for node in ElementTree.fromstring(svg).iter() if node.tag.endswith("text")]
    assert {"<b>", "packed", "192 B at most", "forward", "backward"} <= set(drawn)
    assert "What hooks keep elsewhere is not counted." in drawn


def test_a_notebook_shows_it_as_a_picture() -> None:
    bundle, _ = shown(run=chain(autograd_lab, 2, True))._repr_mimebundle_()
    assert bundle["image/png"].startswith(b"\x89PNG")
    assert bundle["text/plain"] == "<Drawing: bytes in slots>"
