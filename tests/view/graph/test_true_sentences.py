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
    assert ">2 outdated<" in picture
    assert not [text for text in re.findall(">([^<{]*)<", picture) if "overwritten" in text]


# --- what is changed by back ways -------------------------------------------------------------------------------------

UNSEEN = "w.grad was changed unseen, through memory that it shares (with numpy or a thread, say): now [0.0, 0.0]."


def graded(torch: Any) -> Any:
    w = leaf(torch, [1.0, 2.0])
    (w * w).sum().backward()
    return w


def emptied_by_numpy(torch: Any) -> Any:
    w = graded(torch)
    w.grad.numpy()[:] = 0
    return w


def emptied_and_used(torch: Any) -> Any:
    w = emptied_by_numpy(torch)
    z = w.grad * 2
    return w, z


def emptied_and_added_to(torch: Any) -> Any:
    w = emptied_by_numpy(torch)
    (w * w).sum().backward()
    return w


@pytest.mark.parametrize("program", [emptied_by_numpy, emptied_and_used, emptied_and_added_to])
def test_a_grad_that_numpy_wrote_to_is_said_to_be_changed_unseen_before_anything_else_is_said_of_it(
    program: Program, torch: Any
) -> None:
    told = [sentence for sentence in sentences(program, torch) if "w.grad" in sentence]
    assert told[:2] == ["[2.0, 4.0] is stored in w.grad.", UNSEEN]
    assert "[4.0, 8.0]" not in "".join(told)


def test_what_numpy_wrote_to_is_told_also_if_nothing_is_done_with_it_any_more(torch: Any) -> None:
    def program(torch: Any) -> Any:
        a = torch.ones(2)
        y = leaf(torch, [1.0, 2.0]) * a
        a.numpy()[:] = 5
        return a, y

    assert any(one.startswith("a was changed unseen") and "[5.0, 5.0]" in one for one in sentences(program, torch))


def other_memory(torch: Any) -> Any:
    w = graded(torch)
    w.grad.data = torch.zeros(2)
    (w * w).sum().backward()
    return w


def turned(torch: Any) -> Any:
    w = leaf(torch, [[1.0, 2.0]])
    (w * w).sum().backward()
    w.grad.t_()
    return w


def without(torch: Any) -> Any:
    w = graded(torch)
    type(w).grad.__set__(w, None)
    (w * w).sum().backward()
    return w


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (other_memory, "w.grad is given other memory (.data =): now [0.0, 0.0]."),
        (other_memory, "[2.0, 4.0] is added to what was in w.grad, which makes [2.0, 4.0]."),
        (turned, "w.grad is transposed in place (t_), and no element of it is written: now [[2.0], [4.0]]."),
        (without, "w.grad is set to None."),
    ],
)
def test_what_is_done_to_a_grad_is_said_as_it_is(program: Program, said: str, torch: Any) -> None:
    assert said in sentences(program, torch)


# --- parameters that change their places ------------------------------------------------------------------------------


def exchanged(torch: Any) -> Any:
    m, n = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    with torch.no_grad():
        m.weight.fill_(2.0), n.weight.fill_(3.0), m.bias.fill_(0.0), n.bias.fill_(0.0)
    m(torch.ones(1, 1))
    n(torch.ones(1, 1))
    m.weight, n.weight = n.weight, m.weight
    m(torch.ones(1, 1)).backward()
    n(torch.ones(1, 1))
    return m, n


def tied(torch: Any) -> Any:
    m, n = torch.nn.Linear(1, 1), torch.nn.Linear(1, 1)
    m.weight = n.weight
    n(m(torch.ones(1, 1))).backward()
    return m, n


def replaced(torch: Any) -> Any:
    m = torch.nn.Linear(1, 1)
    m(torch.ones(1, 1))
    m.weight = torch.nn.Parameter(torch.full((1, 1), 5.0))
    q = m.weight * 3
    return m, q


def test_parameters_that_changed_places_are_called_after_both(torch: Any) -> None:
    said = sentences(exchanged, torch)
    assert any("is stored in n.weight (later m.weight).grad" in sentence for sentence in said)
    assert not any("in m.weight" in sentence and ".grad" in sentence for sentence in said)


def test_a_parameter_of_two_modules_is_called_after_the_one_that_is_called_first(torch: Any) -> None:
    said = sentences(tied, torch)
    assert any("what was in" in one or "stored in m.weight.grad" in one for one in said)
    assert not any("later" in sentence for sentence in said)


def test_a_parameter_that_replaces_another_is_called_after_its_place(torch: Any) -> None:
    said = sentences(replaced, torch)
    assert any(one.startswith("m.weight₂ ") and not one.startswith("m.weight₂ is None") for one in said)
    assert any(sentence.startswith("q = m.weight * 3 = 15.0") or "[[15.0]]" in sentence for sentence in said)


def test_a_parametrization_is_named_once_its_module_is_called() -> None:
    torch = pytest.importorskip("torch")

    class Twice(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return 2 * x

    def program(torch: Any) -> Any:
        m = torch.nn.Linear(1, 1)
        torch.nn.utils.parametrize.register_parametrization(m, "weight", Twice())
        m(torch.ones(1, 1)).backward()
        return m

    said = sentences(program, torch)
    assert any("is stored in m.parametrizations.weight.original.grad" in sentence for sentence in said)


def test_what_stands_for_a_parameter_in_a_call_is_not_called_like_it() -> None:
    def program(torch: Any) -> Any:
        m = torch.nn.Linear(1, 1)
        m(torch.ones(1, 1))
        w = torch.ones(1, 1) * leaf(torch)
        b = torch.ones(1, requires_grad=True)
        torch.func.functional_call(m, {"weight": w, "bias": b}, (torch.ones(1, 1),)).backward()
        return m, w, b

    said = sentences(program, pytest.importorskip("torch"))
    assert any("is stored in b.grad" in sentence for sentence in said)
    assert not any("m.weight₂" in sentence or "m.bias₂" in sentence for sentence in said)
