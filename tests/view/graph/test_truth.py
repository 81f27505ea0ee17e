"""No sentence is false, also where a program does what the recording cannot see, or what one would not think of."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import autograd_lab
from autograd_lab import record
from autograd_lab.events import GradAssigned, TensorCreated, TensorModified, from_json, to_json
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.graph.words.why import reasons
from autograd_lab.view.scene import make_scene
from tests.saying import Program, leaf, sentences, traced, whys

UNSEEN = "unseen, through memory that it shares (with numpy or a thread, say): now"


@pytest.fixture(params=["autograd_lab", "torch"])
def torch(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


# --- hooks: what they saw, and what was there afterwards ------------------------------------------------------------


def writes_to_grad(torch: Any) -> None:
    x = leaf(torch)

    def tenfold(p: Any) -> None:
        p.grad.mul_(10)

    x.register_post_accumulate_grad_hook(tenfold)
    (x * 3).backward()


def writes_to_gradient(torch: Any) -> None:
    x = leaf(torch)
    h = x * 3

    def tenfold(g: Any) -> None:
        g.mul_(10)

    h.register_hook(tenfold)
    h.backward()


def writes_by_numpy(torch: Any) -> None:
    x = leaf(torch, [2.0, 3.0])

    def first(g: Any) -> None:
        g.numpy()[0] = 7.0

    x.register_hook(first)
    (x * 3).sum().backward()


def gives_back_what_came(torch: Any) -> None:
    x = leaf(torch)
    x.register_hook(lambda g: g.clone())
    (x * 3).backward()


def turns_a_large_one_round(torch: Any) -> None:
    x = torch.ones(100, requires_grad=True)
    x.register_hook(lambda g: g.flip(0))
    (x * torch.arange(100.0)).sum().backward()


def steps_when_ready(torch: Any) -> None:
    x = leaf(torch)

    def step(p: Any) -> None:
        with torch.no_grad():
            p.sub_(p.grad)

    x.register_post_accumulate_grad_hook(step)
    (x * 3).backward()


HOOKS: list[tuple[Program, str]] = [
    (writes_to_grad, "with the gradient 3.0 and makes it 30.0."),
    (writes_to_gradient, "with the gradient 1.0 and makes it 10.0."),
    (writes_to_gradient, "10.0 into 30.0 for x."),
    (writes_by_numpy, "with the gradient [3.0, 3.0] and makes it [7.0, 3.0]."),
    (writes_by_numpy, "[7.0, 3.0] is stored in x.grad."),
    (gives_back_what_came, "with the gradient 3.0 and leaves it as it is."),
    (turns_a_large_one_round, "with a gradient of norm 573.02 and makes it an array of norm 573.02."),
    (steps_when_ready, "with the gradient 3.0 and leaves it as it is."),
]


@pytest.mark.parametrize(("program", "said"), HOOKS)
def test_a_hook_is_told_by_what_was_there_before_and_after(program: Program, said: str, torch: Any) -> None:
    assert any(sentence.endswith(said) for sentence in sentences(program, torch))


def test_a_hook_of_a_node_is_told_by_the_gradient_that_it_changed(torch: Any) -> None:
    def program(torch: Any) -> None:
        x, w = leaf(torch), leaf(torch, 3.0)
        y = x * w
        y.grad_fn.register_hook(lambda sent, _: (sent[0], sent[1] * 5))
        y.backward()

    if torch.__name__ == "autograd_lab":  # nobody can see hooks being hung on PyTorch's nodes
        assert "The hook is called with the gradient 2.0 and makes it 10.0." in sentences(program, torch)


# --- why there is no gradient ---------------------------------------------------------------------------------------


def written_over(torch: Any) -> Any:
    h = leaf(torch, [2.0, 3.0]) * 2
    h[0] = 0.0
    h.sum().backward()
    assert h.grad is None
    return h


def detached_in_place(torch: Any) -> Any:
    h = leaf(torch, [2.0, 3.0]) * 2
    y = h * 3
    h.detach_()
    y.sum().backward()
    assert h.grad is None
    return h


def squeezed(torch: Any) -> Any:
    h = torch.nn.Linear(2, 1, bias=False)(torch.ones(2))
    h.backward()
    assert h.grad is None
    return h


CHANGED: list[tuple[Program, str]] = [
    (written_over, "changed it in place; retain_grad() after that would keep the gradient of what it became"),
    (detached_in_place, "only leaves keep theirs; retain_grad() before detach_ on line"),
    (squeezed, "changed it in place; retain_grad() after that would keep the gradient of what it became"),
]


@pytest.mark.filterwarnings("ignore:The .grad attribute")
@pytest.mark.parametrize(("program", "said"), CHANGED)
def test_what_was_changed_in_place_is_not_said_to_keep_a_gradient(program: Program, said: str, torch: Any) -> None:
    trace = traced(program, torch)
    history = history_of(trace)
    found = [reasons(history, trace)[box.id][0] for box in history.boxes.values() if box.label == "h"]
    assert said in found[0]


def retained(torch: Any) -> Any:
    h = leaf(torch) * 2
    h.retain_grad()
    y = h * 3
    h.mul_(2)
    h.backward(retain_graph=True)
    return h, y


def retained_and_detached(torch: Any) -> Any:
    h = leaf(torch) * 2
    h.retain_grad()
    y = h * 3
    h.detach_()
    y.backward()
    return h, y


def test_what_is_said_of_retain_grad_is_so(torch: Any) -> None:
    assert retained(torch)[0].grad.item() == 1.0  # of what it became
    assert retained_and_detached(torch)[0].grad.item() == 3.0


# --- what this recording does not see -------------------------------------------------------------------------------


def in_a_thread(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 2
    thread = threading.Thread(target=y.backward)
    thread.start()
    thread.join()
    return x, y, x * 3


def test_a_gradient_from_a_thread_is_told_when_it_is_found() -> None:
    torch = pytest.importorskip("torch")
    assert "x.grad is found to be 2.0; what set it was not seen here." in sentences(in_a_thread, torch)
    assert "x" not in whys(in_a_thread, torch)
    assert whys(in_a_thread, torch)["y"] == "no backward pass was seen here"


def test_a_gradient_that_a_thread_took_away_is_told_of_at_the_end() -> None:
    torch = pytest.importorskip("torch")
    x = leaf(torch)

    def program(torch: Any) -> None:
        (x * 3).backward()
        thread = threading.Thread(target=setattr, args=(x, "grad", None))
        thread.start()
        thread.join()

    assert sentences(program, torch)[-1] == "x.grad is found to be None; what set it was not seen here."


def test_what_a_thread_wrote_is_told() -> None:
    torch = pytest.importorskip("torch")

    def program(torch: Any) -> Any:
        t = torch.ones(2)
        thread = threading.Thread(target=t.mul_, args=(5,))
        thread.start()
        thread.join()
        return t * leaf(torch)

    assert f"t was changed {UNSEEN} [5.0, 5.0], version 1." in sentences(program, torch)


def test_a_gradient_from_before_the_recording_is_known(torch: Any) -> None:
    x = leaf(torch)
    (x * 3).backward()
    said = sentences(lambda torch: (x * 2).backward(), torch)
    assert "x.grad is found to be 3.0; what set it was not seen here." in said
    assert "2.0 is added to what was in x.grad, which makes 5.0." in said


def test_a_gradient_that_the_program_sets_is_never_found(torch: Any) -> None:
    def program(torch: Any) -> None:
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        for to_none in (True, False, True):
            model(torch.ones(1, 2)).sum().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            optimizer.step()
            optimizer.zero_grad(set_to_none=to_none)
        model[0].weight.grad = torch.ones(3, 2)
        model.zero_grad()

    assert not [event for event in traced(program, torch) if isinstance(event, GradAssigned) and event.is_found]
    assert not [sentence for sentence in sentences(program, torch) if "unseen" in sentence]


def result_by_numpy(torch: Any) -> Any:
    x = leaf(torch, [1.0, 2.0])
    h = x * 1
    h.detach().numpy()[0] = 100.0
    y = h.sum()
    return y


def saved_by_numpy(torch: Any) -> Any:
    x, w = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    y = x * w
    w.detach().numpy()[0] = 30.0
    y.sum().backward()
    return w


def from_an_array(torch: Any) -> Any:
    array = np.ones(2, dtype=np.float32)
    t = torch.from_numpy(array)
    u = t * 2
    array[0] = 7.0
    return u, t * leaf(torch)


def as_an_array(torch: Any) -> Any:
    t = torch.ones(2)
    array = np.asarray(t)
    array += 1
    return t * leaf(torch)


def grad_by_numpy(torch: Any) -> Any:
    x = leaf(torch)
    (x * 3).backward()
    x.grad.numpy()[...] = 0.0
    (x * 2).backward()
    return x


def memory_of_another(torch: Any) -> Any:
    t, other = torch.ones(2), torch.zeros(2)
    t.data = other
    other.add_(5)
    return t * leaf(torch)


WRITTEN: list[tuple[Program, str]] = [
    (result_by_numpy, f"h was changed {UNSEEN} [100.0, 2.0], version 0."),
    (saved_by_numpy, f"w was changed {UNSEEN} [30.0, 4.0], version 0."),
    (from_an_array, f"t was changed {UNSEEN} [7.0, 1.0], version 0."),
    (as_an_array, f"t was changed {UNSEEN} [2.0, 2.0], version 0."),
    (grad_by_numpy, f"x.grad was changed {UNSEEN} 0.0."),
]


@pytest.mark.parametrize(("program", "said"), WRITTEN)
def test_what_was_written_behind_the_back_of_the_recording_is_told_at_its_next_use(
    program: Program, said: str, torch: Any
) -> None:
    assert said in sentences(program, torch)


def test_what_is_written_through_the_memory_of_another_is_known_to_have_changed(torch: Any) -> None:
    with record() as trace:
        memory_of_another(torch)
    given = next(event for event in trace if isinstance(event, TensorModified) and event.op == "data =")
    written = next(event for event in trace if isinstance(event, TensorModified) and event.op == "add_")
    whose = {event.tensor.id: event.tensor.storage for event in trace if isinstance(event, TensorCreated)}
    assert given.storage == whose[written.tensor]


def test_what_others_may_write_to_but_do_not_is_not_told_of(torch: Any) -> None:
    def program(torch: Any) -> Any:
        x = leaf(torch, [1.0, 2.0])
        h = x * 1
        array = h.detach().numpy()
        v = h.view(2)
        h.mul_(2)
        v[0] = 5.0
        with torch.no_grad():
            v.add_(1)
        h.add_(v)
        assert array[0] == 12.0
        h.sum().backward()
        return h * 2

    assert not [sentence for sentence in sentences(program, torch) if "unseen" in sentence]


def test_another_name_for_memory_that_was_written_unseen_is_not_blamed() -> None:
    def program(torch: Any) -> Any:
        h = leaf(torch, [1.0, 2.0]) * 1
        d = h.view(2)
        h.detach().numpy()[0] = 100.0
        return d * 1, h.sum()

    scene = make_scene(traced(program, autograd_lab))
    shown = [look.text("beside") for part in scene.parts for _, look in scene.tracks[part.id] if part.kind == "card"]
    assert "changed unseen" in shown
    assert not [text for text in shown if "changed via" in text]


# --- names ----------------------------------------------------------------------------------------------------------


def swapped(torch: Any) -> Any:
    a = torch.ones(1, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    a, b = b, a
    y = a * 2 + b
    y.backward()
    assert (a.grad.item(), b.grad.item()) == (2.0, 1.0)
    return y


def test_a_tensor_goes_by_the_name_that_it_has_and_by_the_one_that_it_comes_to_have(torch: Any) -> None:
    said = sentences(swapped, torch)
    assert "a (later b) is [1.0]; it asks for a gradient." in said
    assert "[1.0] is stored in a (later b).grad." in said
    assert "[2.0] is stored in b (later a).grad." in said


def test_a_name_that_is_given_to_something_else_stays_with_whom_it_was_given_to_first(torch: Any) -> None:
    def program(torch: Any) -> Any:
        y = leaf(torch) * 3
        kept = [y]
        y = torch.ones(1)
        return kept[0] * 2, y

    assert sentences(program, torch)[2].startswith("y = leaf(torch) * 3 = 6.0")


def recurrent(torch: Any) -> Any:
    m = torch.nn.LSTM(1, 1)
    y, (h, c) = m(torch.ones(2, 1, 1))
    return y, h, c


def gated(torch: Any) -> Any:
    m = torch.nn.GRU(1, 1)
    out = m(torch.ones(2, 1, 1))
    return out


def dropped(torch: Any) -> Any:
    x = torch.ones(4, requires_grad=True)
    y = torch.nn.functional.dropout(x, 0.5)
    return y


@pytest.mark.parametrize("program", [recurrent, gated, dropped])
def test_what_a_call_makes_on_its_way_is_not_called_by_the_call(program: Program, torch: Any) -> None:
    history = history_of(traced(program, torch))
    labels = [box.label for box in history.boxes.values() if not box.uses or not box.op]
    assert not [label for label in labels if label.startswith(("m(", "torch.nn.functional")) or label == "out"]


def test_what_a_function_fills_and_gives_is_what_its_expression_means(torch: Any) -> None:
    def program(torch: Any) -> Any:
        torch.manual_seed(0)
        x = torch.normal(torch.zeros(2), torch.ones(2))
        z = torch.rand(2)
        return x, z, torch.full((2,), 3.0) * 2

    labels = {box.facts.name or box.label for box in history_of(traced(program, torch)).boxes.values()}
    assert {"x", "z", "torch.full((2,), 3.0)"} <= labels


# --- what a pass leaves behind --------------------------------------------------------------------------------------


def one_branch(torch: Any) -> Any:
    x = leaf(torch, [1.0, 2.0])
    h, y = x.exp(), x * 3
    y.sum().backward()
    return h


def one_branch_kept(torch: Any) -> Any:
    x = leaf(torch, [1.0, 2.0])
    h, y = x.exp(), x * x
    y.sum().backward(retain_graph=True)
    return h, y


LEFT: list[tuple[Program, str]] = [
    (one_branch, "Backward is done; saved values of 8 B are left where it did not go."),
    (
        one_branch_kept,
        "Backward is done; saved values of 8 B are kept (retain_graph), and of 8 B are left where it did not go.",
    ),
    (
        one_branch,
        "MulBackward0 has run, so it lets go of what it saved (8 B), which is freed unless something else holds it; "
        "the node stays.",
    ),
]


@pytest.mark.parametrize(("program", "said"), LEFT)
def test_what_is_left_of_saved_values_is_told_with_its_reason(program: Program, said: str, torch: Any) -> None:
    assert said in sentences(program, torch)


def test_traces_from_before_there_were_later_names_and_found_gradients_can_be_read() -> None:
    told = traced(lambda torch: setattr(leaf(torch), "grad", leaf(torch)))
    written = [to_json(event) for event in told]
    assert not [key for event in written for key in (*event, *event.get("tensor", ())) if key in ("later", "is_found")]
    assert [from_json(event) for event in written] == told.events
