"""Optimizers and schedules take the steps that PyTorch's take, and move the same versions."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import autograd_lab
from tests.worlds import filled, said

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

OPTIMIZERS = """
SGD(ps, lr=0.1)
SGD(ps, lr=0.1, momentum=0.9, weight_decay=0.1, dampening=0.1)
SGD(ps, lr=0.1, momentum=0.9, nesterov=True)
SGD(ps, lr=0.1, maximize=True)
SGD([{"params": list(ps)[:2]}], lr=0.1)
SGD(ps, lr=m.tensor(0.1))
Adam(ps)
Adam(ps, lr=0.1, weight_decay=0.1, amsgrad=True)
Adam(ps, lr=0.1, weight_decay=0.1, decoupled_weight_decay=True)
AdamW(ps, lr=0.1)
AdamW(ps, lr=0.1, amsgrad=True, maximize=True)
RMSprop(ps)
RMSprop(ps, momentum=0.9, centered=True, weight_decay=0.1)
Adagrad(ps, lr=0.1)
Adagrad(ps, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.3)
"""


def trained(m: Any, text: str, steps: int = 4) -> tuple[list[Any], list[Any]]:
    """Four steps, then another by a fresh optimizer that takes over the state; what is told, and the numbers."""
    model = filled(m.nn.Sequential(m.nn.Linear(2, 3), m.nn.Tanh(), m.nn.Linear(3, 1)))
    x, y = m.tensor([[1.0, 2.0], [-1.0, 0.5]]), m.tensor([[1.0], [0.0]])
    told: list[Any] = []
    numbers: list[Any] = []
    before: dict[str, Any] | None = None
    for count in (steps, 1):
        optimizer = eval(f"m.optim.{text}", {"m": m, "ps": model.parameters()})
        if before is not None:
            optimizer.load_state_dict(before)
        for _ in range(count):
            optimizer.zero_grad()
            m.nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
            told.append([parameter._version for parameter in model.parameters()])
            numbers += [parameter.tolist() for parameter in model.parameters()]
        before = optimizer.state_dict()
        for state in before["state"].values():
            numbers += [value.tolist() for value in state.values()]
            told.append({name: value._version for name, value in state.items()})
        told += [repr(optimizer), before["param_groups"]]
    return told, numbers


@pytest.mark.parametrize("text", OPTIMIZERS.strip().splitlines())
def test_steps_states_and_versions_are_the_same(text: str) -> None:
    (told, numbers), (their_told, their_numbers) = trained(autograd_lab, text), trained(torch, text)
    assert re.sub(r"0x\w+", "", repr(told)) == re.sub(r"0x\w+", "", repr(their_told))
    for one, other in zip(numbers, their_numbers, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)


SAYINGS = """
optim.SGD([nn.Parameter(m.zeros(1))], lr=0.1)
optim.SGD([{"params": [nn.Parameter(m.zeros(1))]}, {"params": [nn.Parameter(m.zeros(1))], "lr": 0.5}], lr=0.1)
optim.SGD([("a", nn.Parameter(m.zeros(1)))], lr=0.1)
optim.SGD(nn.Linear(1, 1).named_parameters())
optim.SGD([("a", nn.Parameter(m.zeros(1))), nn.Parameter(m.zeros(1))], lr=0.1)
optim.SGD([("a", nn.Parameter(m.zeros(1)))], lr=0.1).state_dict()
optim.SGD([], lr=0.1)
optim.SGD([m.zeros(1)], lr=-1)
optim.SGD([m.zeros(1)], lr=0.1, momentum=-1)
optim.SGD([m.zeros(1)], lr=0.1, weight_decay=-1)
optim.SGD([m.zeros(1)], lr=0.1, nesterov=True)
optim.SGD([m.zeros(1)], lr=m.tensor([0.1, 0.2]))
optim.SGD([m.zeros(1)], lr=0.1, foreach=True, fused=True)
optim.SGD([m.zeros(1)], lr=0.1, differentiable=True, fused=True)
optim.SGD([m.ones(1, requires_grad=True) * 1], lr=0.1)
optim.SGD(m.zeros(1), lr=0.1)
optim.SGD([3], lr=0.1)
optim.SGD(["a"], lr=0.1)
optim.SGD(3, lr=0.1)
optim.SGD([{"params": {m.zeros(1)}}], lr=0.1)
optim.SGD([{"lr": 0.1}], lr=0.1)
optim.SGD([{"params": [m.zeros(1)]}, [m.zeros(1)]], lr=0.1)
optim.SGD([m.zeros(1)] * 2, lr=0.1).param_groups
[optim.SGD([{"params": [p]}, {"params": [p]}], lr=0.1) for p in [m.zeros(1)]]
optim.SGD(lr=0.1)
optim.SGD([m.zeros(1)], bogus=1)
optim.SGD([m.zeros(1)], lr=0.1).step()
optim.SGD([m.zeros(1)], lr=0.1).load_state_dict({})
optim.SGD([m.zeros(1)], lr=0.1).load_state_dict({"state": {}, "param_groups": []})
optim.Adam([m.zeros(1)]).load_state_dict(optim.Adam([m.zeros(1), m.zeros(1)]).state_dict())
optim.Adam([m.zeros(1)], lr=-0.1)
optim.Adam([m.zeros(1)], betas=(1.0, 0.9))
optim.Adam([m.zeros(1)], betas=(0.9, 1.0))
optim.Adam([m.zeros(1)], eps=-1)
optim.Adam([m.zeros(1)], weight_decay=-1)
optim.Adam([m.zeros(1)])
optim.AdamW([m.zeros(1)])
optim.AdamW([m.zeros(1)]).state_dict()
optim.AdamW([m.zeros(1)]).defaults
optim.RMSprop([m.zeros(1)])
optim.RMSprop([m.zeros(1)], lr=-0.1)
optim.RMSprop([m.zeros(1)], alpha=-0.1)
optim.RMSprop([m.zeros(1)], eps=-0.1)
optim.RMSprop([m.zeros(1)], momentum=-0.1)
optim.RMSprop([m.zeros(1)], weight_decay=-0.1)
optim.Adagrad([m.zeros(1)])
optim.Adagrad([m.zeros(2)]).state_dict()
optim.Adagrad([m.zeros(1)], lr=-0.1)
optim.Adagrad([m.zeros(1)], lr_decay=-0.1)
optim.Adagrad([m.zeros(1)], weight_decay=-0.1)
optim.Adagrad([m.zeros(1)], initial_accumulator_value=-0.1)
optim.Adagrad([m.zeros(1)], eps=-0.1)
optim.Optimizer([m.zeros(1)], {"a": 3})
optim.Optimizer([m.zeros(1)], {}).step()
optim.lr_scheduler.StepLR(3, 1)
optim.lr_scheduler.LambdaLR(optim.SGD([m.zeros(1)]), [lambda epoch: 1] * 2)
optim.lr_scheduler.StepLR(optim.SGD([m.zeros(1)]), 1, last_epoch=3)
"""


@pytest.mark.parametrize("saying", SAYINGS.strip().splitlines())
def test_an_expression_says_the_same(saying: str) -> None:
    assert said(autograd_lab, saying) == said(torch, saying)


def same(story: Any) -> None:
    """The story goes the same in both worlds."""
    assert said(autograd_lab, story) == said(torch, story)


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_a_step_between_forward_and_backward_makes_what_was_saved_stale(kind: str) -> None:
    def story(m: Any) -> None:
        model = filled(m.nn.Sequential(m.nn.Linear(2, 2), m.nn.Linear(2, 1)))
        optimizer = getattr(m.optim, kind)(model.parameters(), lr=0.1)
        y = model(m.ones(1, 2)).sum()
        y.backward(retain_graph=True)
        optimizer.step()
        y.backward()

    same(story)


def test_a_closure_runs_with_gradients_and_gives_the_loss() -> None:
    def story(m: Any) -> list[Any]:
        p = m.nn.Parameter(m.ones(2))
        optimizer = m.optim.SGD([p], lr=0.1)

        def closure() -> Any:
            optimizer.zero_grad()
            loss = (p * p).sum()
            loss.backward()
            return loss

        with m.no_grad():
            return [optimizer.step(closure), p, p.grad]

    same(story)


def test_hooks_run_around_each_step() -> None:
    def story(m: Any) -> list[Any]:
        told: list[Any] = []
        optimizer = m.optim.SGD([m.nn.Parameter(m.ones(2))], lr=0.1)
        optimizer.register_step_pre_hook(lambda o, args, kwargs: told.append((args, kwargs)))
        handle = optimizer.register_step_post_hook(lambda o, args, kwargs: told.append("after"))
        optimizer.step()
        handle.remove()
        optimizer.step()
        optimizer.register_step_pre_hook(lambda o, args, kwargs: 3)
        return [*told, said(m, lambda m: optimizer.step())]

    same(story)


def test_groups_have_settings_of_their_own() -> None:
    def story(m: Any) -> list[Any]:
        a, b = m.nn.Parameter(m.ones(1)), m.nn.Parameter(m.ones(1))
        optimizer = m.optim.SGD([{"params": [a]}, {"params": b, "lr": 0.5}], lr=0.1, momentum=0.5)
        optimizer.add_param_group({"params": [m.nn.Parameter(m.zeros(1))], "weight_decay": 3})
        (a * b).sum().backward()
        optimizer.step()
        told = [optimizer, a, b, optimizer.state_dict()]
        optimizer.zero_grad(set_to_none=False)
        told += [a.grad, a.grad._version]
        optimizer.zero_grad()
        return [*told, a.grad, said(m, lambda m: optimizer.add_param_group({"params": a}))]

    same(story)


SCHEDULES = """
StepLR(o, 2, 0.5); MultiStepLR(o, [2, 4]); MultiStepLR(o, [3, 3], 0.5); ExponentialLR(o, 0.9)
CosineAnnealingLR(o, 4, 0.01); LambdaLR(o, lambda epoch: 0.5**epoch)
"""


@pytest.mark.parametrize("text", [one.strip() for one in SCHEDULES.strip().replace("\n", ";").split(";")])
def test_schedules_set_the_same_rates(text: str) -> None:
    def story(m: Any) -> list[Any]:
        optimizer = m.optim.SGD([{"params": [m.nn.Parameter(m.ones(1))]}], lr=0.1)
        scheduler = eval(f"S.{text}", {"S": m.optim.lr_scheduler, "o": optimizer})
        told: list[Any] = [scheduler.get_last_lr()]
        for _ in range(9):
            optimizer.step()
            scheduler.step()
            told.append([optimizer.param_groups[0]["lr"], scheduler.last_epoch, scheduler.get_last_lr()])
        state = scheduler.state_dict()
        return [*told, {name: state[name] for name in ("base_lrs", "last_epoch", "_step_count", "_last_lr")}]

    same(story)


@pytest.mark.parametrize("early", [True, False])
def test_a_schedule_warns_if_it_steps_before_the_optimizer(early: bool) -> None:
    def story(m: Any) -> Any:
        optimizer = m.optim.SGD([m.nn.Parameter(m.ones(1))], lr=0.1)
        if not early:
            optimizer.step()
        scheduler = m.optim.lr_scheduler.StepLR(optimizer, 1)
        scheduler.step()
        scheduler.step()
        optimizer.step()
        return optimizer.param_groups[0]["lr"]

    same(story)


def test_an_optimizer_of_the_users_own_works_with_schedules_and_state_dicts() -> None:
    def story(m: Any) -> list[Any]:
        class Signs(m.optim.Optimizer):  # type: ignore[misc, name-defined]
            def __init__(self, params: Any, lr: float) -> None:
                super().__init__(params, {"lr": lr})

            def step(self) -> None:
                with m.no_grad():
                    for group in self.param_groups:
                        for p in group["params"]:
                            self.state[p]["steps"] = self.state[p].get("steps", 0) + 1
                            p.sub_(p.grad.sign(), alpha=group["lr"])

        p = m.nn.Parameter(m.tensor([1.0, -2.0]))
        optimizer = Signs([p], lr=0.5)
        scheduler = m.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        for _ in range(3):
            optimizer.zero_grad()
            (p * p).sum().backward()
            optimizer.step()
            scheduler.step()
        return [p, p._version, optimizer, optimizer.state_dict()]

    same(story)


def test_gradients_are_clipped_in_place() -> None:
    def story(m: Any) -> list[Any]:
        linear = filled(m.nn.Linear(2, 2))
        linear(m.ones(1, 2)).pow(2).sum().backward()
        gradient, clip = linear.weight.grad, m.nn.utils.clip_grad_norm_
        told = [clip(linear.parameters(), 0.1), gradient.clone(), gradient._version]
        told += [clip(linear.parameters(), 10.0, norm_type=float("inf")), gradient.clone()]
        m.nn.utils.clip_grad_value_(linear.parameters(), 0.01)
        told += [gradient.clone(), gradient._version]
        gradient[0] = float("inf")
        return [*told, said(m, lambda m: clip(linear.parameters(), 1.0, error_if_nonfinite=True))]

    same(story)


def test_parameters_go_into_one_vector_and_back() -> None:
    def story(m: Any) -> list[Any]:
        linear, vector = m.nn.Linear(2, 2), m.arange(6).float()
        m.nn.utils.vector_to_parameters(vector, linear.parameters())
        vector.add_(1)
        return [
            linear.weight,
            linear.bias,
            linear.weight._version,
            m.nn.utils.parameters_to_vector(linear.parameters()),
        ]

    same(story)
