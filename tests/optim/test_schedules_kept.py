"""Schedules whose settings are tensors or objects, whose optimizer grows, and which are kept and taken up again."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import Stories, said

torch = pytest.importorskip("torch")
story = Stories()


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    assert said(autograd_lab, tell) == said(torch, tell)


def optimizer(m: Any, lr: Any = 0.5, **more: Any) -> Any:
    return m.optim.SGD([m.nn.Parameter(m.ones(2))], lr=lr, momentum=0.9, **more)


def rates(schedule: Any, count: int = 6) -> list[Any]:
    found = []
    for _ in range(count):
        schedule.optimizer.step()
        schedule.step()
        found.append([(float(g["lr"]), float(g["momentum"])) for g in schedule.optimizer.param_groups])
    return found


@story
def what_a_schedule_was_given_as_tensors_may_change_later(m: Any) -> Any:
    low, high, calm, fast = (m.tensor(each) for each in (0.1, 0.2, 0.8, 0.9))
    schedule = m.optim.lr_scheduler.CyclicLR(
        optimizer(m, low), low, high, step_size_up=2, base_momentum=calm, max_momentum=fast
    )
    for given in (low, high, calm, fast):
        given.mul_(0.5)
    group = schedule.optimizer.param_groups[0]
    kept = [float(group[name]) for name in ("max_momentum", "base_momentum")]
    return [kept, *map(float, schedule.base_lrs), *map(float, schedule.max_lrs)]


@story
def a_rate_that_swa_goes_to_is_copied(m: Any) -> Any:
    goal = m.tensor(0.05)
    schedule = m.optim.swa_utils.SWALR(optimizer(m), goal)
    goal.mul_(2)
    return float(schedule.optimizer.param_groups[0]["swa_lr"])


@story
def swa_counts_its_own_steps_wherever_the_epochs_began(m: Any) -> Any:
    told = []
    for strategy, steps in (("cos", 10), ("linear", 3), ("cos", 0)):
        o = optimizer(m)
        for group in o.param_groups:
            group["initial_lr"] = 0.2
        schedule = m.optim.swa_utils.SWALR(o, 0.05, steps, strategy, last_epoch=4)
        for _ in range(4):
            told.append(schedule.get_last_lr())
            o.step()
            schedule.step()
    return told


@story
def swa_knows_two_ways(m: Any) -> Any:
    return m.optim.swa_utils.SWALR(optimizer(m), 0.1, anneal_strategy="other")


@story
def swa_wants_a_rate_for_each_group(m: Any) -> Any:
    return m.optim.swa_utils.SWALR(optimizer(m), [0.1, 0.2])


def plateau(m: Any, least: Any) -> Any:
    opt = optimizer(m)
    schedule = m.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=0, min_lr=least)
    opt.add_param_group({"params": [m.nn.Parameter(m.ones(1))], "lr": 0.25})
    for metric in (1.0, 1.5, 1.5):
        schedule.step(metric)
    return [group["lr"] for group in opt.param_groups]


@story
def a_plateau_has_one_floor_for_groups_that_come_later(m: Any) -> Any:
    return plateau(m, 0.02)


@story
def a_plateau_with_a_floor_for_each_group_refuses_one_more(m: Any) -> Any:
    return plateau(m, [0.02])


@story
def a_chain_of_schedules_is_one_of_a_sequence(m: Any) -> Any:
    of, opt = m.optim.lr_scheduler, optimizer(m)
    chained = of.ChainedScheduler([of.LinearLR(opt, 0.1, total_iters=5), of.ConstantLR(opt, 0.1, 5)])
    return rates(of.SequentialLR(opt, [chained, of.ConstantLR(opt, 0.5, 5)], [3]), 8)


class Height:
    def __init__(self, height: float) -> None:
        self.height = height

    def __call__(self, at: float) -> float:
        return self.height / (1 + at)


def cyclic(m: Any, **options: Any) -> Any:
    return m.optim.lr_scheduler.CyclicLR(optimizer(m), 0.1, 1.0, step_size_up=2, **options)


@story
def a_cycle_is_taken_up_in_its_mode(m: Any) -> Any:
    schedule, other = cyclic(m, mode="triangular2"), cyclic(m)
    rates(schedule)
    other.load_state_dict(schedule.state_dict())
    return [other.mode, other.scale_fn(3), rates(other)]


@story
def an_object_that_scales_a_cycle_is_kept_with_its_attributes(m: Any) -> Any:
    schedule, other = cyclic(m, scale_fn=Height(0.5)), cyclic(m, scale_fn=Height(0.1))
    state = schedule.state_dict()
    kept = state["_scale_fn_custom"]
    other.load_state_dict(state)
    plain = cyclic(m, scale_fn=lambda at: 0.5).state_dict()
    return [kept, plain["_scale_fn_custom"], rates(other)]


@story
def an_object_that_gives_factors_is_kept_with_its_attributes(m: Any) -> Any:
    of = m.optim.lr_scheduler.LambdaLR
    schedule, other = of(optimizer(m), Height(0.5)), of(optimizer(m), Height(9.0))
    state = schedule.state_dict()
    other.load_state_dict(state)
    return [state["lr_lambdas"], of(optimizer(m), lambda epoch: 1.0).state_dict()["lr_lambdas"], rates(other)]


@story
def one_cycle_is_kept_with_its_phases(m: Any) -> Any:
    of = m.optim.lr_scheduler.OneCycleLR
    states = [of(optimizer(m), 1.0, 10, three_phase=three).state_dict() for three in (False, True)]
    return [(state["_schedule_phases"], state["_anneal_func_type"]) for state in states]
