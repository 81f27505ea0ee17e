"""What optimizers give away and take up again: hooks on it, names of parameters, steps that are numbers."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import autograd_lab
from tests.programs import error
from tests.worlds import Stories, is_alike, said

torch = pytest.importorskip("torch")
story = Stories()


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    assert said(autograd_lab, tell) == said(torch, tell)


def adam(m: Any, *names: str) -> Any:
    parameters = [m.nn.Parameter(m.ones(2)) for _ in names or "a"]
    return m.optim.Adam(list(zip(names, parameters, strict=True)) if names else parameters, lr=0.5)


def stepped(m: Any, optimizer: Any, count: int = 2) -> Any:
    for _ in range(count):
        for parameter in optimizer.param_groups[0]["params"]:
            parameter.grad = m.tensor([1.0, 2.0])
        optimizer.step()
    return optimizer


@story
def hooks_see_and_change_what_is_kept(m: Any) -> Any:
    optimizer, told = adam(m), []
    optimizer.register_state_dict_pre_hook(lambda o: told.append("before"))
    handle = optimizer.register_state_dict_pre_hook(lambda o: told.append("first"), prepend=True)
    optimizer.register_state_dict_post_hook(lambda o, kept: told.append(sorted(kept)))
    optimizer.register_state_dict_post_hook(lambda o, kept: {"kept": len(kept)})
    first = optimizer.state_dict()
    handle.remove()
    return first, optimizer.state_dict(), told


@story
def hooks_see_and_change_what_is_loaded(m: Any) -> Any:
    optimizer, told = adam(m), []

    def slower(o: Any, kept: Any) -> Any:
        group = dict(kept["param_groups"][0], lr=kept["param_groups"][0]["lr"] / 2)
        return dict(kept, param_groups=[group])

    optimizer.register_load_state_dict_pre_hook(slower)
    optimizer.register_load_state_dict_pre_hook(lambda o, kept: told.append(kept["param_groups"][0]["lr"]), True)
    optimizer.register_load_state_dict_post_hook(lambda o: told.append(o.param_groups[0]["lr"]))
    optimizer.load_state_dict(optimizer.state_dict())
    return told


@story
def names_outlive_a_state_without_them(m: Any) -> Any:
    named = adam(m, "a", "b")
    plain = m.optim.Adam([m.nn.Parameter(m.ones(2)) for _ in range(2)])
    named.load_state_dict(plain.state_dict())
    return named.param_groups[0]["param_names"]


@story
def groups_are_all_with_names_or_without(m: Any) -> Any:
    named, plain = adam(m, "a"), adam(m)
    parameter = m.nn.Parameter(m.ones(1))
    return [
        error(lambda: named.add_param_group({"params": [parameter]})),
        error(lambda: plain.add_param_group({"params": [("b", parameter)]})),
    ]


@story
def a_step_that_was_kept_as_a_number_counts_on(m: Any) -> Any:
    optimizer = stepped(m, adam(m))
    kept = optimizer.state_dict()
    for state in kept["state"].values():
        state["step"] = state["step"].item()
    optimizer.load_state_dict(kept)
    stepped(m, optimizer)
    return [list(state.items()) for state in optimizer.state.values()]


@story
def hooks_may_be_on_all_optimizers(m: Any) -> Any:
    told: list[str] = []
    optimizer, of = adam(m), importlib.import_module(f"{m.__name__}.optim.optimizer")
    optimizer.register_step_pre_hook(lambda *_: told.append("own, before"))
    optimizer.register_step_post_hook(lambda *_: told.append("own, after"))
    handles = [
        of.register_optimizer_step_pre_hook(lambda *_: told.append("before")),
        of.register_optimizer_step_post_hook(lambda *_: told.append("after")),
    ]
    stepped(m, optimizer, 1)
    for handle in handles:
        handle.remove()
    stepped(m, optimizer, 1)
    return told


@story
def a_gradient_of_zeros_leaves_lbfgs_where_it_is(m: Any) -> Any:
    parameter = m.nn.Parameter(m.tensor([1.0, 2.0]))
    optimizer = m.optim.LBFGS([parameter], tolerance_grad=-1.0)

    def closure() -> Any:
        parameter.grad = m.zeros(2)
        return m.tensor(1.0)

    return optimizer.step(closure), parameter


NAMES = ["SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adadelta", "Adagrad", "RMSprop", "Rprop", "ASGD"]


@pytest.mark.parametrize("name", NAMES)
def test_a_group_that_is_added_later_has_a_state_of_its_own(name: str) -> None:
    def story(m: Any) -> Any:
        first, second = (m.nn.Parameter(m.arange(4.0).reshape(2, 2) + shift) for shift in (1.0, 2.0))
        optimizer = getattr(m.optim, name)([first], lr=0.1)
        for _ in range(2):
            (first * first).sum().backward()
            optimizer.step()
        optimizer.add_param_group({"params": second, "lr": 0.01})
        for _ in range(2):
            optimizer.zero_grad()
            (first * second * second).sum().backward()
            optimizer.step()
        return first, second, [sorted(state.items()) for state in optimizer.state.values()]

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), f"{ours}\n{theirs}"


def test_what_a_sum_begins_with_is_the_optimizers_own() -> None:
    def story(m: Any) -> Any:
        first, second = m.nn.Parameter(m.ones(2)), m.nn.Parameter(m.ones(2))
        groups = [{"params": [first], "initial_accumulator_value": 3.0}, {"params": [second]}]
        optimizer = m.optim.Adagrad(groups, initial_accumulator_value=0.5)
        (first.sum() + second.sum()).backward()
        optimizer.step()
        return first, second, list(optimizer.state.values())

    assert said(autograd_lab, story) == said(torch, story)


def test_weights_decay_apart_whoever_gave_the_state() -> None:
    def story(m: Any) -> Any:
        first, second = m.nn.Parameter(m.ones(2)), m.nn.Parameter(m.ones(2))
        one, other = m.optim.Adam([first], weight_decay=0.5), m.optim.AdamW([second])
        first.sum().backward()
        one.step()
        other.load_state_dict(one.state_dict())
        second.sum().backward()
        other.step()
        return second, other.param_groups

    assert said(autograd_lab, story) == said(torch, story)
