"""What is said of gradients, of what nodes saved and of what is changed by back ways is true."""

from __future__ import annotations

import re
from typing import Any

import pytest

import autograd_lab as lab
from autograd_lab.view.scene import make_scene
from autograd_lab.view.svg import to_svg
from tests.saying import Program, leaf, rows, sentences, traced


@pytest.fixture(params=["lab", "torch"])
def torch(request: pytest.FixtureRequest) -> Any:
    return lab if request.param == "lab" else pytest.importorskip("torch")


# --- what comes to `.grad` --------------------------------------------------------------------------------------------


def recorded_twice(torch: Any) -> Any:
    w = leaf(torch)
    (w * w).backward(create_graph=True)
    (w**3).backward(create_graph=True)
    w.grad = None
    return w


def kept_twice(torch: Any) -> Any:
    w = leaf(torch)
    h = w * 3
    h.retain_grad()
    y = h * h
    y.backward(retain_graph=True)
    y.backward()
    return h


def kept_after_it_was_set(torch: Any) -> Any:
    w = leaf(torch)
    h = w * 3
    h.grad = torch.tensor(1.0)
    h.retain_grad()
    (h * h).backward()
    return h


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize(
    ("program", "said"),
    [
        (recorded_twice, ["4.0 is stored in w.grad.", "12.0 is added to what was in w.grad, which makes 16.0."]),
        (kept_twice, ["12.0 is stored in h.grad.", "12.0 is added to what was in h.grad, which makes 24.0."]),
        (kept_after_it_was_set, ["12.0 is added to what was in h.grad, which makes 13.0."]),
    ],
)
def test_a_gradient_is_stored_where_there_is_none_and_added_where_there_is_one(
    program: Program, said: list[str], torch: Any
) -> None:
    grad = said[0].rpartition(".grad")[0].split()[-1].partition(".grad")[0] + ".grad"
    words = (f"is stored in {grad}", f"is added to what was in {grad}")
    assert [one for one in sentences(program, torch) if any(word in one for word in words)] == said


# --- what a node gives of what it saved -------------------------------------------------------------------------------


def saved_result(torch: Any) -> Any:
    x = leaf(torch)
    y = x.exp()
    r = y.grad_fn._saved_result
    z = r * 2
    return r, z


def saved_by_a_function(torch: Any) -> Any:
    class Exp(torch.autograd.Function):  # type: ignore[misc]  # of either world
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (out,) = ctx.saved_tensors
            return g * out

    x = leaf(torch)
    y = Exp.apply(x)
    y.backward()
    return y


@pytest.mark.parametrize("program", [saved_result, saved_by_a_function])
def test_a_saved_result_is_no_other_tensor_than_the_result(program: Program, torch: Any) -> None:
    said = sentences(program, torch)
    assert len([sentence for sentence in said if "asks for a gradient" in sentence]) == 1
    assert rows(program, "kind", torch).count("leaf; asks for a gradient") == 1


def test_a_saved_result_goes_by_the_name_of_the_result(torch: Any) -> None:
    said = sentences(saved_result, torch)
    assert any(sentence.startswith("y (later r) = x.exp()") for sentence in said)
    assert any(sentence.startswith("z = r * 2 = ") for sentence in said)


# --- what is changed in place without being overwritten ---------------------------------------------------------------


def transposed(torch: Any) -> Any:
    c = leaf(torch, [[1.0, 2.0]]) * 1
    y = c * c
    c.t_()
    return c, y


def test_what_is_only_transposed_is_not_said_to_be_overwritten(torch: Any) -> None:
    picture = to_svg(make_scene(traced(transposed, torch)))
    assert ">stale: changed in place since<" in picture
    assert not [text for text in re.findall(">([^<{]*)<", picture) if "overwritten" in text]
