"""Optimizers round as PyTorch's kernels do, to the last digit; with `differentiable=True` their steps are recorded."""

from __future__ import annotations

import importlib
import itertools
from typing import Any

import numpy as np
import pytest

import autograd_lab

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

SHAPES = ((3, 4), (5,), (), (2, 3, 4), (17,))
WITHOUT_ROOTS: dict[str, dict[str, list[Any]]] = {
    "SGD": {
        "lr": [0.1],
        "momentum": [0.9],
        "dampening": [0, 0.1],
        "weight_decay": [0, 0.01],
        "maximize": [False, True],
    },
    "Adamax": {"lr": [0.002], "weight_decay": [0, 0.01], "maximize": [False, True]},
    "ASGD": {"lr": [0.01], "t0": [1e6, 3], "weight_decay": [0, 0.01], "maximize": [False, True]},
    "Rprop": {"lr": [0.01], "maximize": [False, True]},
}
WITH_ROOTS: dict[str, dict[str, list[Any]]] = {
    "Adam": {"lr": [0.02], "betas": [(0.8, 0.95)], "weight_decay": [0, 0.01], "amsgrad": [False, True]},
    "AdamW": {"lr": [0.02], "weight_decay": [0.01], "maximize": [False, True]},
    "Adagrad": {"lr": [0.01], "lr_decay": [0, 0.1], "weight_decay": [0, 0.01]},
    "NAdam": {"lr": [0.002], "weight_decay": [0, 0.01], "decoupled_weight_decay": [False, True]},
    "RAdam": {"lr": [0.002], "betas": [(0.9, 0.9)], "weight_decay": [0, 0.01]},
    "RMSprop": {"lr": [0.01], "weight_decay": [0, 0.01], "centered": [False, True]},
}


def cases(table: dict[str, dict[str, list[Any]]]) -> list[tuple[str, dict[str, Any]]]:
    """Each optimizer with each combination of its settings."""
    return [
        (name, dict(zip(settings, chosen, strict=True)))
        for name, settings in table.items()
        for chosen in itertools.product(*settings.values())
    ]


def stepped(m: Any, name: str, settings: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The parameters after ten steps with random gradients, and the optimizer's states."""
    draw = np.random.default_rng(0).standard_normal
    parameters = [m.tensor(np.asarray(draw(shape), np.float32)).requires_grad_() for shape in SHAPES]
    optimizer = getattr(m.optim, name)(parameters, **settings)
    for _ in range(10):
        for parameter in parameters:
            parameter.grad = m.tensor(np.asarray(draw(tuple(parameter.shape)), np.float32))
        optimizer.step()
    states = [state for each in optimizer.state_dict()["state"].values() for state in each.values()]
    return [each.detach().numpy() for each in parameters], [each.numpy() for each in states]


@pytest.mark.parametrize(("name", "settings"), cases(WITHOUT_ROOTS))
def test_parameters_and_states_are_pytorchs_bit_for_bit(name: str, settings: dict[str, Any]) -> None:
    ours, theirs = stepped(autograd_lab, name, settings), stepped(torch, name, settings)
    for one, other in zip(itertools.chain(*ours), itertools.chain(*theirs), strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize(("name", "settings"), cases(WITH_ROOTS))
def test_states_are_pytorchs_bit_for_bit_where_its_library_rounds_roots_otherwise(
    name: str, settings: dict[str, Any]
) -> None:
    ours, theirs = stepped(autograd_lab, name, settings), stepped(torch, name, settings)
    assert [one.tobytes() for one in ours[1]] == [one.tobytes() for one in theirs[1]]
    for one, other in zip(ours[0], theirs[0], strict=True):
        np.testing.assert_array_max_ulp(one, other, 2)


RECORDED = """
SGD([p], lr=0.1, momentum=0.9, weight_decay=0.1, dampening=0.1)|SGD([p], lr=0.1, momentum=0.9, nesterov=True)
SGD([p], lr=l, weight_decay=w)|Adam([p], lr=0.1, weight_decay=0.1)|Adam([p], lr=0.1, amsgrad=True, maximize=True)
Adam([p], lr=l, betas=(b, b))|AdamW([p], lr=0.1)|RMSprop([p], weight_decay=0.1)
RMSprop([p], centered=True, momentum=0.9)
Adagrad([p], lr=0.1, lr_decay=0.1)|Adadelta([p], weight_decay=0.1)|Adamax([p], lr=0.1)|NAdam([p], lr=0.1)
NAdam([p], lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)|RAdam([p], lr=0.1, betas=(0.9, 0.5))
"""


@pytest.mark.parametrize("text", RECORDED.replace("\n", "|").strip("|").split("|"))
def test_differentiable_steps_have_pytorchs_gradients(text: str) -> None:
    told = []
    for m in (autograd_lab, torch):
        start, push = (m.tensor(each, dtype=m.float64, requires_grad=True) for each in ([1.0, -2.0], [0.5, 0.3]))
        settings = [m.tensor(each, dtype=m.float64, requires_grad=True) for each in (0.1, 0.2, 0.9)]
        named = dict(zip("lwb", settings, strict=True))
        p = start.clone()
        optimizer = eval(f"m.optim.{text[:-1]}, differentiable=True)", {"m": m, "p": p, **named})
        for turn in range(3):
            p.grad = push * (turn + 1)
            optimizer.step()
        wanted = [start, push, *(each for name, each in named.items() if f"={name}" in text or f"({name}" in text)]
        try:  # what one step saved, the next may write over: not all can be differentiated through several
            gradients = m.autograd.grad((p * p).sum(), wanted)
        except RuntimeError as error:
            told.append([p.detach().tolist(), str(error)])
            continue
        told.append([p.detach().tolist(), *(each.tolist() for each in gradients), type(p.grad_fn).__name__])
    assert told[0][:-1] == [pytest.approx(each, rel=1e-12) for each in told[1][:-1]]
    assert told[0][-1] == told[1][-1]


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD"])
@pytest.mark.parametrize("kind", ["capturable", "differentiable"])
def test_what_cannot_be_done_is_refused_at_the_step(name: str, kind: str) -> None:
    if (name, kind) in {("SGD", "capturable"), ("Adagrad", "capturable"), ("ASGD", "differentiable")}:
        return
    told = []
    for m in (autograd_lab, torch):
        p = m.ones(2, requires_grad=True)
        optimizer = getattr(m.optim, name)([p], **{kind: True})
        optimizer.step()
        p.grad = m.ones(2)
        with pytest.raises((AssertionError, RuntimeError)) as refused:
            optimizer.step()
        told.append(f"{refused.type.__name__}: {refused.value}")
    assert told[0] == told[1]


def line_searches(m: Any) -> Any:
    """The module that libraries import them from."""
    return importlib.import_module(f"{m.__name__}.optim.lbfgs")


HILLS = ["(x * x * x * x).sum() - x.sum()", "(x - 1).cosh().sum()", "(x.sin() * x).sum()", "(x * x).sum() * 50"]


@pytest.mark.parametrize("hill", HILLS)
@pytest.mark.parametrize("first", [0.001, 0.3, 8.0])
@pytest.mark.parametrize("most", [1, 3, 25])
def test_a_search_along_a_line_ends_where_pytorchs_does(hill: str, first: float, most: int) -> None:
    told = []
    for m in (autograd_lab, torch):
        asked: list[float] = []

        def loss_at(x: Any, t: Any, d: Any, m: Any = m, asked: list[float] = asked) -> tuple[float, Any]:
            place = (x + t * d).requires_grad_()
            loss = eval(hill, {"x": place})
            asked.append(float(t))
            return loss.item(), m.autograd.grad(loss, place)[0]

        x = m.tensor([0.5, -1.2, 2.0], dtype=m.float64)
        loss, gradient = loss_at(x, 0, x)
        found = line_searches(m)._strong_wolfe(
            loss_at, x, first, -gradient, loss, gradient, -gradient.dot(gradient), max_ls=most
        )
        told.append([*asked, found[0], *found[1].tolist(), float(found[2]), found[3]])
    assert told[0] == pytest.approx(told[1], rel=1e-9)


def test_the_lowest_place_of_a_cubic_is_pytorchs() -> None:
    for ends in [(0.0, 1.0, -1.0, 1.0, 0.5, 1.0), (1.0, 0.5, 1.0, 0.0, 1.0, -1.0), (0.0, 1.0, 1.0, 1.0, 0.5, 1.0)]:
        for bounds in (None, (0.2, 0.3)):
            told = [
                float(line_searches(m)._cubic_interpolate(*(m.tensor(one) for one in ends), bounds=bounds))
                for m in (autograd_lab, torch)
            ]
            assert told[0] == told[1]


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
@pytest.mark.parametrize("settings", [{"lr": 0.3, "max_iter": 1}, {"max_iter": 3, "history_size": 2}, {"max_eval": 5}])
def test_lbfgs_of_two_parameters_is_pytorchs_bit_for_bit(search: str | None, settings: dict[str, Any]) -> None:
    told = []
    for m in (autograd_lab, torch):
        p, w = m.tensor([1.2, -0.7], requires_grad=True), m.tensor([0.6, 1.9])
        optimizer = m.optim.LBFGS([p], line_search_fn=search, **settings)

        def closure(m: Any = m, p: Any = p, w: Any = w, optimizer: Any = optimizer) -> Any:
            optimizer.zero_grad()
            loss = (w * p * p * p * p - p).sum()
            loss.backward()
            return loss

        for _ in range(5):
            optimizer.step(closure)
        state = optimizer.state_dict()["state"][0]
        told.append([p.tolist(), *(f"{name}: {value}" for name, value in sorted(state.items()))])
    assert told[0] == told[1]
