"""Errors have PyTorch's type and first line; under it they say which tensor, which lines did it, and what to do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_lab as lab
from autograd_lab.engine.errors.signatures import TABLE
from tests.snippets import printed, programs

PROGRAMS = programs("errors.md")


@pytest.mark.parametrize("title", PROGRAMS)
def test_types_first_lines_and_warnings_are_pytorchs(title: Any) -> None:
    torch = pytest.importorskip("torch")
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        assert printed(lab, PROGRAMS[title]) == printed(torch, PROGRAMS[title])
    finally:
        torch.set_warn_always(before)


# --- our own lines -------------------------------------------------------------------------------------------------


def own_lines(program: Callable[[], Any]) -> list[str]:
    """What a note on an error says, whose message is PyTorch's; places are shortened to the text of their line."""
    with pytest.raises((RuntimeError, ValueError, IndexError)) as caught:
        program()
    (note,) = caught.value.__notes__
    lines = note.splitlines()
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    return [shortened(line) for line in lines]


def shortened(line: str) -> str:
    words = [part for part in line.split("    ") if part.strip()]
    return " | ".join(word.strip() for word in words if "test_errors.py:" not in word)


def leaf(*numbers: float) -> Any:
    return lab.tensor(list(numbers), requires_grad=True)


def test_a_write_over_a_saved_result_names_it_and_both_lines() -> None:
    def program() -> None:
        x = leaf(1.0, 2.0)
        y = x.exp()
        y.add_(1)
        y.sum().backward()

    saved, overwritten, advice = own_lines(program)
    assert saved == "y was saved by exp for its backward | y = x.exp()"
    assert overwritten == "and overwritten | y.add_(1)"
    assert advice.startswith("Use the out-of-place op there, or write to a copy: `y = y.clone()` before line ")


def test_a_line_that_saves_and_writes_is_not_to_copy_before() -> None:
    def by_index() -> None:
        x, h = leaf(0.5), lab.zeros(4)
        h[0] = x[0]
        for t in range(1, 4):
            h[t] = h[t - 1] ** 2
        h[3].backward()

    def in_place() -> None:
        y = leaf(1.0, 2.0).exp()
        y -= y.max()
        y.sum().backward()

    assert "`h = torch.stack(parts)`" in own_lines(by_index)[2]
    assert own_lines(in_place)[2] == "Use the out-of-place op there: it makes a new tensor."


def test_tensors_that_were_copied_into_a_new_one_are_named_by_their_line() -> None:
    def program() -> None:
        losses = [leaf(1.0).sum(), leaf(2.0).sum()]
        loss = lab.tensor(losses).mean()
        loss.backward()

    copied, _ = own_lines(program)
    assert copied == "`tensor()` copies numbers, and no history | loss = lab.tensor(losses).mean()"


def test_data_are_not_what_is_to_be_learnt() -> None:
    def program() -> None:
        w = lab.zeros(2)
        x = lab.ones(2)
        loss = (w * x).sum()
        loss.backward()

    assert own_lines(program)[1] == "Make w with `requires_grad=True`, and compute anew."


def test_several_writes_are_counted_and_the_last_is_shown() -> None:
    def program() -> None:
        x = leaf(1.0, 2.0)
        y = x * 1
        z = (y * y).sum()
        y[0] = 3.0
        y += 1
        z.backward()

    assert own_lines(program)[:2] == [
        "y was saved by mul for its backward | z = (y * y).sum()",
        "and overwritten 2 times, last here | y += 1",
    ]


def test_a_leaf_that_changed_under_no_grad_wants_another_forward_pass() -> None:
    def program() -> None:
        w = leaf(1.0, 2.0)
        z = (w * w).sum()
        with lab.no_grad():
            w -= 0.1
        z.backward()

    assert own_lines(program)[1:] == [
        "and overwritten | w -= 0.1",
        "Call backward before the leaf changes, or run the forward pass again after it.",
    ]


def test_a_state_that_is_carried_over_from_turn_to_turn_is_to_be_detached() -> None:
    def program() -> None:
        w, state = leaf(1.0, 2.0), lab.zeros(2)
        for _ in range(2):
            state = (state + w).exp()
            state.sum().backward()

    assert own_lines(program) == [
        "exp saved for its backward | state = (state + w).exp()",
        "and that was freed by | state.sum().backward()",
        "Detach what is carried over from the turn before, as in `state = state.detach()`; compute anew in each "
        "turn what was computed before the loop.",
    ]


def test_a_parameter_is_called_by_its_path_and_the_optimizers_step_is_the_writer() -> None:
    def program() -> None:
        model = lab.nn.Sequential(lab.nn.Linear(2, 2), lab.nn.Linear(2, 1))
        optimizer = lab.optim.SGD(model.parameters(), lr=0.1)
        loss = model(lab.ones(1, 2, requires_grad=True)).sum()
        loss.backward(retain_graph=True)
        optimizer.step()
        loss.backward()

    lines = own_lines(program)
    assert lines[0].startswith("a view of model.1.weight was saved by addmm for its backward")
    assert lines[1] == "and overwritten | optimizer.step()"


def test_a_view_is_told_as_a_view_of_its_base() -> None:
    def program() -> None:
        x = leaf(1.0, 2.0)
        u = x * 1
        z = (u.view(2) * u.view(2)).sum()
        u.mul_(2)
        z.backward()

    assert own_lines(program)[0].startswith("a view of u was saved by mul")


def test_a_second_backward_shows_the_line_of_the_first() -> None:
    def program() -> None:
        x = leaf(1.0, 2.0)
        z = (x * x).sum()
        z.backward()
        z.backward()

    lines = own_lines(program)
    assert lines[:2] == ["mul saved for its backward | z = (x * x).sum()", "and that was freed by | z.backward()"]
    assert "for the very same loss twice pass `retain_graph=True` in line " in lines[2]


def test_two_losses_of_one_graph_show_the_one_that_freed() -> None:
    def program() -> None:
        x = leaf(1.0, 2.0)
        h = x.exp()
        first, second = h.sum(), (h + 1).sum()
        lab.autograd.grad(first, x)
        second.backward()

    assert own_lines(program)[1] == "and that was freed by | lab.autograd.grad(first, x)"


def test_reading_a_freed_slot_tells_the_same() -> None:
    def program() -> None:
        y = leaf(1.0, 2.0).exp()
        y.sum().backward()
        print(y.grad_fn._saved_result)

    assert own_lines(program)[1] == "and that was freed by | y.sum().backward()"


def test_a_write_to_a_leaf_names_it() -> None:
    def program() -> None:
        weight = leaf(1.0, 2.0)
        weight += 1

    def through_a_view() -> None:
        weight = leaf(1.0, 2.0)
        weight[0] = 1.0

    for each in (program, through_a_view):
        assert own_lines(each) == [
            "weight is a leaf that requires grad: its value is what gradients are taken at",
            "Update it under `torch.no_grad()`, or write to a copy: `weight.clone()`.",
        ]


def test_backward_of_a_vector_gives_its_name_and_shape() -> None:
    def program() -> None:
        x = leaf(1.0, 2.0)
        y = x * 2
        y.backward()

    assert own_lines(program) == [
        "y has shape [2] | y = x * 2",
        "Call `y.sum().backward()`, or `y.backward(gradient)` with a gradient of this shape.",
    ]


def test_a_lost_history_shows_the_line_that_cut_it_off() -> None:
    def detached() -> None:
        x = leaf(1.0, 2.0)
        y = x.detach() * 2
        z = y.sum()
        z.backward()

    def without_grad() -> None:
        x = leaf(1.0, 2.0)
        with lab.no_grad():
            y = x * 2
        y.sum().backward()

    def plain() -> None:
        x = lab.ones(2)
        y = x * 2
        y.sum().backward()

    def by_a_method() -> None:
        x = lab.ones(2)
        z = (x * x).sum()
        z.backward()

    assert own_lines(detached)[0] == "`detach()` takes the history off | y = x.detach() * 2"
    assert own_lines(without_grad)[0] == "nothing is recorded under `lab.no_grad()` | y = x * 2"
    assert own_lines(plain)[1] == "Make x with `requires_grad=True`, and compute anew."
    assert own_lines(by_a_method)[1] == "Make x with `requires_grad=True`, and compute anew."


def test_what_records_nothing_is_named_instead_of_leaves_that_do_ask() -> None:
    def by_argmax() -> None:
        w = leaf(1.0, 2.0)
        k = (w * 2).argmax()
        k.float().backward()

    def by_a_comparison() -> None:
        w = leaf(1.0, 2.0)
        hit = (w > 1.5).float()
        hit.mean().backward()

    def retained_but_not_created() -> None:
        x = leaf(1.0, 2.0)
        (g,) = lab.autograd.grad((x**3).sum(), x, retain_graph=True)
        g.sum().backward()

    def of_a_stored_gradient() -> None:
        x = leaf(1.0, 2.0)
        (x**3).sum().backward(retain_graph=True)
        k = (x.grad**2).sum()
        k.backward()

    def in_a_checkpoint() -> None:
        layer, x = lab.nn.Linear(2, 1), lab.ones(1, 2)
        y = lab.utils.checkpoint.checkpoint(layer, x, use_reentrant=True)
        y.sum().backward()

    assert own_lines(by_argmax)[0].startswith("`argmax()` gives whole numbers")
    assert own_lines(by_a_comparison)[0].startswith("`w > 1.5` gives truth values")
    for each in (retained_but_not_created, of_a_stored_gradient):
        assert "`create_graph=True`" in own_lines(each)[0]
    assert "`use_reentrant=False`" in own_lines(in_a_checkpoint)[0]


def test_a_leaf_that_an_update_replaced_is_not_to_retain_its_gradient() -> None:
    w = leaf(1.0, 2.0)
    (w * w).sum().backward()
    w = w - 0.1 * w.grad
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert w.grad is None
    told = str(caught[0].message)
    assert "Update the leaf itself" in told and "retain_grad()" not in told.partition("\n\n  ")[2]


def test_shapes_that_do_not_fit_are_told_with_names() -> None:
    inputs, targets = leaf(1.0, 2.0, 3.0), leaf(1.0, 2.0)
    matrix = lab.ones(2, 3)
    both = "inputs has shape [3], targets has shape [2]"
    assert own_lines(lambda: inputs + targets)[0].startswith(both)
    assert own_lines(lambda: inputs.add_(targets) if not inputs.requires_grad else inputs * targets)[0].startswith(both)
    assert own_lines(lambda: inputs @ targets)[0].startswith(both)
    assert own_lines(lambda: matrix @ matrix)[0].startswith("matrix has shape [2, 3]")


def test_a_layer_that_does_not_fit_is_told_by_the_name_and_shape_of_its_weight() -> None:
    model = lab.nn.Sequential(lab.nn.Linear(5, 2), lab.nn.Linear(2, 1, bias=False))
    features = lab.ones(4, 3)
    shapes, *_ = own_lines(lambda: model(features))[0].split(" | ")
    assert shapes == "features has shape [4, 3], model.0.weight has shape [2, 5]"
    shapes, *_ = own_lines(lambda: model[1](features))[0].split(" | ")
    assert shapes == "features has shape [4, 3], model.1.weight has shape [1, 2]"


def test_a_view_of_another_size_names_what_has_which_shape() -> None:
    pictures = lab.ones(4, 6, 6)
    assert own_lines(lambda: pictures.view(-1, 25))[0].startswith("pictures has shape [4, 6, 6]")
    assert own_lines(lambda: pictures.reshape(4, 25))[0].startswith("pictures has shape [4, 6, 6]")


def test_types_that_do_not_fit_are_told_with_names() -> None:
    layer, counts = lab.nn.Linear(3, 1), lab.arange(3)
    both = "counts has dtype torch.int64, layer.weight has dtype torch.float32"
    assert own_lines(lambda: layer(counts)) == [both]
    assert own_lines(lambda: layer(counts.view(1, 3))) == [both]


def test_labels_that_are_no_classes_are_named() -> None:
    logits, labels, beyond = lab.zeros(2, 3), lab.tensor([0.0, 1.0]), lab.tensor([0, 3])
    assert own_lines(lambda: lab.nn.functional.cross_entropy(logits, labels)) == [
        "labels has dtype torch.float32",
        "Classes are whole numbers: `labels.long()`.",
    ]
    assert own_lines(lambda: lab.nn.functional.cross_entropy(logits, beyond)) == [
        "beyond may hold 0 to 2, for the input has 3 classes"
    ]


def test_numpy_of_what_requires_grad_shows_where_it_was_computed() -> None:
    def program() -> None:
        y = leaf(1.0, 2.0) * 2
        y.numpy()

    assert own_lines(program) == ["y requires grad, for it was computed here | y = leaf(1.0, 2.0) * 2"]


def test_the_warning_of_a_computed_tensors_grad_shows_where_it_was_computed() -> None:
    y = leaf(1.0, 2.0) * 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert y.grad is None
    lines = str(caught[0].message).splitlines()
    assert shortened(lines[2]) == "y was computed here | y = leaf(1.0, 2.0) * 2"
    assert lines[3] == "  Call `y.retain_grad()` before backward."


def test_what_is_not_known_is_left_out() -> None:
    def program() -> None:
        names: dict[str, Any] = {"lab": lab}
        exec("y = lab.ones(2, requires_grad=True).exp()\ny.add_(1)\nlost = [y.sum()]\ndel y", names)
        names["lost"][0].backward()

    lines = own_lines(program)
    assert lines[0].startswith("a tensor of shape [2] was saved by exp") or lines[0].startswith("y was saved by exp")


def test_a_recording_keeps_the_first_line_only() -> None:
    x = leaf(1.0, 2.0)
    y = x.exp()
    y.add_(1)
    with lab.record() as trace, pytest.raises(RuntimeError):
        y.sum().backward()
    told = [event.message for event in trace.events if hasattr(event, "message")]
    assert len(told) == 1
    assert "\n" not in told[0]


def test_the_table_of_signatures_is_what_pytorch_says_of_itself() -> None:
    pytest.importorskip("torch")
    from tests.signatures import table

    assert TABLE.read_text(encoding="utf-8").splitlines() == list(table())


WRONG = [
    "m.dot(x, 3)", "m.dot(x)", "m.dot(x, x, x)", "m.dot(x, y=x)", "m.dot(x, x, tensor=x)", "x.dot('a')",
    "m.mm(x, None)",
    "m.cat('ab')", "m.cat([x, 'a'])", "m.stack([x, 2])", "m.eq(x, 'a')", "x.eq([1])", "x.eq((1, 'a'))",
    "x.where('a', 'b')",
    "m.sum(x, 'a')", "m.sum(x, dim='q')", "m.sum(x, dim=1, foo=2)", "m.clamp(x, 'a')", "x.clamp('a', 'b')", "m.add()",
    "m.add(x, 'a', 'b')", "m.addmm(x)", "m.arccos('a')", "m.flip(x, [0, 'a'])",
    "m.gather(x, 0, [1])", "x.gather(0, [1])", "m.take(x, np.ones(1))", "m.dist(x, np.float32(1))", "m.allclose(x, 1)",
    "m.linalg.inv(3)", "m.linalg.solve(x)", "m.special.xlogy(x, 'a')", "m.nn.functional.conv1d(x, x, 'a')",
    "m.nn.functional.one_hot(2)", "m.index_select(x, 0, 1)", "x.lerp(x, 'a')",
    "m.as_strided(x, 2, 1)", "m.ger(x, 1)", "m.concat(x, x, x)", "m.bitwise_and(x, 'a')",
    "x.sum(True)", "x.roll(True)", "x.softmax(True)", "x.transpose(True, 0)", "x.view(True, 2)", "x.chunk(True)",
    "x.topk(True)", "x.diag(True)", "x.sort(True)", "x.size(True)", "m.zeros(True)", "m.cat([x], True)",
    "m.randperm(True)", "x.kthvalue(True)", "x.unsqueeze(True)", "x.tril(True)", "x.repeat(True)", "x.flip(True)",
    "x.view('a')", "x.sum(dim='q')", "x.reshape(1.5)", "x.transpose(0)", "x.reshape(3, 'a')", "x.reshape(1.5, 2)",
    "x.mean(1.5)", "x.unfold(1, 'a', 1)", "x.topk([x])", "x.norm([1])", "x.unique(dim='a')", "x.split(x)",
    "x.size('a')", "x.stride([1])", "x.mul(())", "x.expand(2, m.float32)", "x.to(m.float64, m.device('cpu'), x, 1)",
    "x.cumsum(None)", "x.round(decimals='a')", "x.renorm('a', 0, 1.0)", "x.diag_embed(0, 0, 1, 7)", "m.norm(x, [1])",
]  # fmt: skip


FUNCTIONAL = [
    "F.relu(1)",
    "F.gelu('a')",
    "F.softmax(1)",
    "F.softmax(x, 'a')",
    "F.dropout(x, 'a')",
    "F.dropout(x, None)",
    "F.elu_(x, object())",
    "F.threshold(x, 0.1, 'a')",
    "F.glu(3)",
    "F.logsigmoid(None)",
    "F.hardtanh(x, 'a')",
    "F.conv_tbc([x], x, x)",
    "F.max_pool1d(x, np.ones(2))",
    "F.adaptive_avg_pool2d(x, 1.5)",
    "F.lp_pool1d(x, 'a', 2)",
    "F.fold(x, (4, 4), m.float32)",
    "F.unfold(3, 2)",
    "F.pad(x, 1)",
    "F.normalize(x, [1])",
    "F.embedding(x, 3)",
    "F.layer_norm(x, 3)",
    "F.group_norm(x, 'a')",
    "F.batch_norm(x, [1], x)",
    "F.instance_norm([x])",
    "F.cross_entropy(x, 1)",
    "F.cross_entropy(x, x, label_smoothing='a')",
    "F.nll_loss(None, x)",
    "F.mse_loss(x, 1)",
    "F.mse_loss(x, x, reduction=[1])",
    "F.kl_div(1, x)",
    "F.binary_cross_entropy(x, 'a')",
    "F.huber_loss(x, x, delta='a')",
    "F.margin_ranking_loss(x, 1, x)",
    "F.multi_margin_loss(x, x, 'a')",
    "F.triplet_margin_loss(x, x, 3)",
    "F.triplet_margin_with_distance_loss(x, x, 1)",
    "F.poisson_nll_loss(1, x)",
    "F.gaussian_nll_loss(x, x, 'a')",
    "F.interpolate(2, 2)",
    "F.embedding_bag(1, x)",
    "F.affine_grid(x, 3)",
]


@pytest.mark.parametrize("call", FUNCTIONAL)
def test_functions_in_python_fail_where_pytorchs_do(call: str) -> None:
    torch = pytest.importorskip("torch")
    told = []
    for m in (lab, torch):
        with pytest.raises((TypeError, AttributeError, ValueError)) as caught:
            eval(call, {"m": m, "F": m.nn.functional, "x": m.ones(2, 3), "np": np})
        told.append((caught.type, str(caught.value)))
    assert told[0] == told[1]


@pytest.mark.parametrize("call", WRONG)
def test_wrong_arguments_are_told_in_pytorchs_words(call: str) -> None:
    torch = pytest.importorskip("torch")
    told = []
    for m in (lab, torch):
        with pytest.raises(TypeError) as caught:
            eval(call, {"m": m, "x": m.ones(2), "np": np})
        told.append(str(caught.value))
    assert told[0] == told[1]


NO_SUCH = """
x.view(-1, 0)
x.view(0, -1)
m.ones(0).view(-1, 0)
x.as_strided((1,), (-1,))
x.detach().as_strided_((1,), (-1,))
m.nn.functional.nll_loss(x[0], m.tensor([1, 2, 0]))
m.autograd.grad("z", x)
m.autograd.grad([None], x)
m.autograd.grad(x.sum(), "x")
m.autograd.grad(x.sum(), [x, None])
m.autograd.grad(x * 2, x, is_grads_batched=True)
m.autograd.grad(x.sum(), x, is_grads_batched=True)
m.autograd.graph.increment_version(3)
m.autograd.graph.increment_version(["a"])
m.autocast("xyz")
m.nn.functional.rrelu(x, 1, 0, True)
m.nn.functional.rrelu(x, 1, 0)
m.nn.functional.rrelu(x, 0, float("inf"))
m.nn.RReLU(float("nan"))(x)
m.nn.Unflatten(1, (2, 2))(x)
m.nn.Unflatten("a", (("b", 2),))(x)
m.nn.GRU(2.0, 3)
m.nn.LSTM(2, 3.0)
m.nn.RNN(-1, 2)
m.nn.GRU(-1, 2, 0)
m.nn.Linear("a", 1)
m.nn.Linear(-1, 1)
m.nn.Linear(1, -1)
m.nn.Linear(1.5, 1)
m.nn.Linear(1, 2.0)
m.nn.Embedding(-1, 2)
m.nn.Conv1d(1, -1, 1)
m.nn.LayerNorm(-1)
m.nn.BatchNorm1d(-1)
m.nn.Bilinear(1, 2, -1)
m.nn.Sequential(m.nn.ReLU)
m.nn.ModuleList([int])
"""


@pytest.mark.parametrize("call", NO_SUCH.strip().splitlines())
def test_what_there_cannot_be_is_refused_in_pytorchs_words(call: str) -> None:
    torch = pytest.importorskip("torch")
    told = []
    for m in (lab, torch):
        with pytest.raises((RuntimeError, ValueError, TypeError, AssertionError)) as caught:
            eval(call, {"m": m, "x": m.ones(2, 3, requires_grad=True)})
        told.append((caught.type, str(caught.value).partition("\n\n")[0]))
    assert told[0] == told[1]
