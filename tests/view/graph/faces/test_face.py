"""A face that is made larger: what stands on it keeps clear of what it kept clear of before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import autograd_lab
from autograd_lab import nn, record
from autograd_lab.trace import Trace
from autograd_lab.view.graph.faces.face import Face, Item
from autograd_lab.view.scene import make_scene


def low_leaf() -> Face:
    """A leaf in one line: its name and value, and behind its side the drawer."""
    items = [
        Item("name", 14, 25, text="y"),
        Item("value", 90, 25, anchor="end"),
        Item("side", 102, 0),
        Item("dotgrad", 112, 25, text=".grad"),
        Item("grad", 200, 25, anchor="end"),
    ]
    return Face(214, 38, items)


@given(st.floats(0, 500))
def test_in_a_wider_leaf_the_value_stays_before_the_drawer_and_the_gradient_at_the_right(width: float) -> None:
    face, wide = low_leaf(), low_leaf().at_least(width)
    assert wide.width == max(face.width, width)
    at = {item.role: item.x for item in wide.items}
    assert [at[role] for role in ("name", "value", "side", "dotgrad")] == [14, 90, 102, 112]
    assert abs(wide.width - at["grad"] - 14) < 1e-6


@given(st.floats(0, 200), st.floats(0, 200))
def test_a_lone_sign_stays_in_the_middle(width: float, height: float) -> None:
    face = Face(32, 32, [Item("sign", 16, 21.5, 18, "middle", text="+")], is_joint=True).at_least(width, height)
    assert face.width == max(32, width) and face.height == max(32, height)
    [sign] = face.items
    assert abs(sign.x - face.width / 2) < 1e-6 and abs(sign.y - 5.5 - face.height / 2) < 1e-6


def recorded(*, backward: bool) -> Trace:
    model, x = nn.Linear(3, 8), autograd_lab.ones(4, 3)
    with record() as told:
        y = model(x).relu()
        if backward:
            y.sum().backward()
    return told


def roles(trace: Trace) -> set[str]:
    """Of all that stands on the cards of a picture, what it is."""
    choice = make_scene(trace).choice("engine", (1280, 480))
    return {item.role for face in choice.faces.values() for item in face.items}


def test_there_is_room_for_tiles_of_gradients_where_gradients_come() -> None:
    tiles = {"gtile", "gparam0", "gparam1"}
    assert tiles <= roles(recorded(backward=True))
    assert not tiles & roles(recorded(backward=False))
