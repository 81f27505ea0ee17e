"""What a page says of a program is what PyTorch does with it, also where that is not what one would think."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autograd_lab import record
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.graph.words.about import about
from autograd_lab.view.graph.words.why import reasons
from autograd_lab.view.kit.part import Look
from autograd_lab.view.scene import make_scene
from autograd_lab.view.still import stills_of
from tests.saying import Program, leaf, rows, sentences, traced, whys


def parts(torch: Any) -> Any:
    x = leaf(torch, [1.0, 2.0])
    p, q = x.chunk(2)
    return p, q


def indexed(torch: Any) -> Any:
    b = leaf(torch, [1.0, 2.0]) * 1
    b[torch.tensor([0])] = leaf(torch, [5.0])
    b.mul_(2)
    return b


def other_data(torch: Any) -> Any:
    x = leaf(torch)
    y = x * x
    x.data = torch.tensor(5.0)
    return y


def thrice(torch: Any) -> Any:
    y = leaf(torch).exp()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    return y


def refused_in_a_hook(torch: Any) -> Any:
    x = leaf(torch)
    h = x * 3

    def refuse(g: Any) -> None:
        raise ValueError("no")

    handle = h.register_hook(refuse)
    y = h * h
    with pytest.raises(ValueError, match="no"):
        y.backward()
    handle.remove()
    return x, h, y


def refused_then_on(torch: Any) -> Any:
    x, *_ = refused_in_a_hook(torch)
    (x * 5).backward()


def stored(torch: Any) -> Any:
    x = leaf(torch)

    def forget(p: Any) -> None:
        p.grad = None

    x.register_post_accumulate_grad_hook(forget)
    (x * x).backward()
    return x


def twice_differentiated(torch: Any) -> Any:
    x = leaf(torch)
    y = x**3
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    g.backward()
    return x, y, g


SAID: list[tuple[Program, str]] = [
    (parts, "p, q = x.chunk(2) = [1.0], [2.0]; SplitBackward0 is recorded, to take the gradient back."),
    (indexed, "b is written in place: [5.0, 2.0]; IndexPutBackward0 is recorded, to take the gradient back."),
    (indexed, "b is written in place by b.mul_(2): [10.0, 4.0]; MulBackward0 is recorded, to take the gradient back."),
    (indexed, "b is written in place: now [10.0, 4.0], version 2."),
    (other_data, "x is given other memory (.data =): now 5.0, and still version 0."),
    (refused_in_a_hook, "ValueError: no."),
    (refused_then_on, "Backward is done; saved values of 8 B are left where it did not go."),
    (stored, "The post accumulate grad hook has run."),
    (
        twice_differentiated,
        "Backward begins at y, with d y/d y = 1; the graph is to be retained; what backward computes is recorded, too.",
    ),
    (twice_differentiated, "pow(…) = 4.0; PowBackward0 is recorded, to take the gradient back."),
]


@pytest.mark.parametrize(("program", "said"), SAID)
def test_a_step_says_what_happened(program: Program, said: str) -> None:
    assert said in sentences(program)


@pytest.mark.parametrize(("program", "said"), SAID)
def test_so_it_does_under_pytorch(program: Program, said: str) -> None:
    assert said in sentences(program, pytest.importorskip("torch"))


def test_what_was_freed_was_freed_by_the_pass_that_did_not_retain_it() -> None:
    line = thrice.__code__.co_firstlineno + 3
    assert f"freed by line {line}, after it had run backward there" in sentences(thrice)[-1]


def returned(torch: Any) -> Any:
    x = leaf(torch)
    torch.autograd.grad(x * x, x)
    return x


def returned_then_stopped(torch: Any) -> Any:
    x = leaf(torch)
    y = x**2
    (g,) = torch.autograd.grad(y, x)
    z = g * x + y
    with pytest.raises(RuntimeError, match="second time"):
        z.backward()
    return x, y, z


def switched_off(torch: Any) -> Any:
    x, w = leaf(torch), leaf(torch)
    y = x * w
    x.requires_grad_(False)
    y.backward()
    return x


def too_late(torch: Any) -> Any:
    x = leaf(torch)
    h = x * 3
    h.backward()
    h.retain_grad()
    return h


def printed(torch: Any) -> Any:
    x, w = leaf(torch), leaf(torch)
    p = x.detach()
    (w * w).backward()
    return p


def by_places(torch: Any) -> Any:
    x, w = leaf(torch, [1.0, 2.0]), leaf(torch)
    p = x.detach()
    i = x.argmax()
    f = i.float()
    (f * w).backward()
    return p, f


def largest(torch: Any) -> Any:
    x = leaf(torch, [1.0, 2.0])
    m, i = x.max(0)
    m.backward()
    return i


def overwritten(torch: Any) -> Any:
    x = leaf(torch)
    h = x * 3
    h.mul_(2)
    h.backward()
    return h


def without(torch: Any) -> Any:
    class Nothing(torch.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return None

    x = leaf(torch)
    h = x * 3
    y = Nothing.apply(h)
    y.backward()
    return x


WHY: list[tuple[Program, str, str]] = [
    (returned, "x", "autograd.grad returned its gradient, and stores none"),
    (returned_then_stopped, "x", "backward stopped at PowBackward0 before it got here"),
    (switched_off, "x", "requires_grad was set to False on line"),
    (too_late, "h", "retain_grad() on line"),
    (printed, "x", "what backward began at was not made of it, as far as can be seen; detach on line"),
    (by_places, "x", "on the path to where backward began, argmax on line"),
    (by_places, "i", ": whole numbers and truth values carry no gradient"),
    (by_places, "f", ": nothing that it took asked for a gradient"),
    (largest, "i", "does not differentiate this output"),
    (without, "x", "NothingBackward gave no gradient, None, on the path to it"),
    (refused_in_a_hook, "x", "backward stopped before it got here"),
]


@pytest.mark.parametrize(("program", "label", "reason"), WHY)
def test_the_cause_is_the_one_that_it_has(program: Program, label: str, reason: str) -> None:
    assert reason in whys(program)[label]


@pytest.mark.parametrize(("program", "label", "reason"), WHY)
def test_the_cause_is_the_same_under_pytorch(program: Program, label: str, reason: str) -> None:
    assert reason in whys(program, pytest.importorskip("torch"))[label]


def test_what_was_overwritten_cannot_keep_its_gradient() -> None:
    trace = traced(overwritten)
    history = history_of(trace)
    (before, after) = (reasons(history, trace)[box.id][0] for box in history.boxes.values() if box.label == "h")
    assert "changed it in place; retain_grad() after that would keep the gradient of what it became" in before
    assert after.startswith("only leaves keep theirs")


def test_a_formula_is_filled_in_only_where_it_comes_out() -> None:
    torch = pytest.importorskip("torch")

    def hooked(torch: Any) -> None:
        h = leaf(torch) * 3
        h.grad_fn.register_hook(lambda sent, _: (sent[0] * 5, *sent[1:]))
        h.backward()

    def at_zero(torch: Any) -> None:
        (leaf(torch, 0.0) ** 0).backward()

    def plain(torch: Any) -> None:
        (leaf(torch, 3.0) ** 2).backward()

    assert rows(hooked, "in numbers", torch) == ["self: 1.0 × 3 = 3.0"]  # of which a hook makes 15
    assert rows(at_zero, "in numbers") == []
    assert rows(plain, "in numbers") == ["self: 1.0 × 2 × 3.0^(2 − 1) = 6.0"]


@pytest.mark.parametrize(("shape", "summed"), [((3,), False), ((2, 3), True), ((), True)])
def test_the_gradient_of_what_is_repeated_is_said_to_be_summed(shape: tuple[int, ...], summed: bool) -> None:
    def program(torch: Any) -> None:
        (torch.ones(shape, requires_grad=True) * torch.ones(3, requires_grad=True)).sum().backward()

    said = next(row for row in rows(program, "gradient") if row.startswith("self: g × other"))
    assert said.endswith("each summed to its operand's shape") == summed


def test_what_a_node_does_not_differentiate_is_a_leaf_without_a_node() -> None:
    trace = traced(largest)
    history = history_of(trace)
    found = about(history, trace, {})
    (places,) = (box for box in history.boxes.values() if box.label == "i")
    said = {row[0]: row[1] for row in found[places.id]}
    assert said["kind"] == "leaf; asks for no gradient"
    assert "its node" not in said


def last_look(program: Program, kind: str) -> Look:
    scene = make_scene(traced(program))
    return next(scene.tracks[part.id][-1][1] for part in scene.parts if part.kind == kind)


def test_a_gradient_that_was_written_to_through_a_view_is_not_shown_as_it_was() -> None:
    def zeroed(torch: Any) -> Any:
        x = leaf(torch, [1.0, 2.0])
        (x * x).sum().backward()
        x.grad[0] = 0.0
        return x

    look = last_look(zeroed, "card")
    assert (look.text("grad"), look.text("beside")) == ("?", ".grad changed via x.grad[0]")


def test_each_step_of_an_index_goes_by_itself() -> None:
    def program(torch: Any) -> Any:
        z = torch.ones(2, 3, requires_grad=True)
        a = z[0, 1]
        return a

    said = sentences(program)
    assert said[2].startswith("select(…) = [1.0, 1.0, 1.0]")
    assert said[3].startswith("a = z[0, 1] = 1.0")


def fanned_out(torch: Any) -> Any:
    x = leaf(torch)
    y = x * x + x
    y.backward()


def test_a_sum_of_two_numbers_at_which_three_gradients_meet_says_that_one_of_them_is_the_sum_so_far() -> None:
    said = [each for each in sentences(fanned_out) if " added" in each]
    assert said[0].startswith("The gradients that met at x are added: ")
    assert said[1].startswith("The third gradient at x is added to the sum so far: ")


REACHED = """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x
for k in range(3):
    y = y * x
m, i = y.max(0)
b = x * 1
t = b.view(2)
t.mul_(3)
z = Twice.apply(b) + m
v = b.detach()
"""


@pytest.mark.parametrize("world", ["autograd_lab", "torch"])
def test_python_finds_what_it_is_said_to_find_by_an_expression(world: str, tmp_path: Path) -> None:
    script, scope = tmp_path / "script.py", {"torch": pytest.importorskip(world)}
    script.write_text(REACHED, encoding="utf-8")
    with record() as trace:
        exec(compile(REACHED, str(script), "exec"), scope)
    history = history_of(trace)
    asked = 0
    for name, told in about(history, trace, {}).items():
        for row in told:
            if row[0] not in ("reached by", "its node"):
                continue
            found, asked = eval(row[1].removesuffix(", an AccumulateGrad"), scope), asked + 1
            op = history.ops.get(name) or history.ops.get(history.boxes[name].op or "") if "." not in name else None
            if row[1].endswith("AccumulateGrad"):
                assert found.variable is scope["x"]
            elif op is not None:
                assert found.name() == op.name
    assert asked > 20


def test_in_the_view_of_maths_a_sentence_has_no_name_of_a_node() -> None:
    trace = traced(twice_differentiated)
    plainly, fully = stills_of(trace, view="maths"), stills_of(trace)
    steps = range(plainly.steps + 1)
    told = [plainly.caption(step) for step in steps]
    assert not any("Backward0" in text or "#" in text for text in told)
    assert any("PowBackward0 #0" in fully.caption(step) for step in steps) and any(
        "y = x ** 3 turns" in it for it in told
    )
