"""Optimizers and schedules take the steps that PyTorch's take, and move the same versions."""

from __future__ import annotations

import copy
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
Adadelta(ps)
Adadelta(ps, lr=0.5, rho=0.8, weight_decay=0.1, maximize=True)
Adamax(ps, lr=0.1)
Adamax(ps, lr=0.1, weight_decay=0.1, maximize=True)
NAdam(ps, lr=0.1)
NAdam(ps, lr=0.1, weight_decay=0.1)
NAdam(ps, lr=0.1, weight_decay=0.1, decoupled_weight_decay=True, maximize=True)
RAdam(ps, lr=0.1)
RAdam(ps, lr=0.1, betas=(0.9, 0.5), weight_decay=0.1)
RAdam(ps, lr=0.1, weight_decay=0.1, decoupled_weight_decay=True, maximize=True)
Rprop(ps, lr=0.1)
Rprop(ps, lr=0.1, etas=(0.3, 1.5), step_sizes=(0.01, 0.2), maximize=True)
ASGD(ps, lr=0.1)
ASGD(ps, lr=0.1, t0=1, weight_decay=0.1, maximize=True)
Adafactor(ps)
Adafactor(ps, lr=0.1, beta2_decay=-0.5, eps=(1e-6, 0.1), d=2.0, weight_decay=0.1, maximize=True)
Muon([p for p in ps if p.ndim == 2])
Muon([p for p in ps if p.ndim == 2], lr=0.02, weight_decay=0.0, momentum=0.5, nesterov=False, ns_steps=3)
Muon([p for p in ps if p.ndim == 2], lr=0.02, adjust_lr_fn="match_rms_adamw")
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
optim.Adam([m.zeros(1)], betas=(0, 0.9))
optim.AdamW([m.zeros(1)], betas=(m.tensor(0.5), 0.9))
optim.Adam([m.zeros(1)], betas=(m.tensor([0.5, 0.5]), m.tensor(0.9)))
optim.Adam([m.zeros(1)], betas=(m.tensor(0.5), m.tensor(0.9)), foreach=True)
optim.Adam([m.zeros(1)], lr=m.tensor(0.5), foreach=True)
optim.Adam([m.zeros(1)], betas=[m.tensor([0.5]), m.tensor(0.9)]).param_groups[0]["betas"]
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
optim.Adadelta([m.zeros(1)])
optim.Adadelta([m.zeros(1)], rho=1.5)
optim.Adamax([m.zeros(1)])
optim.Adamax([m.zeros(1)], betas=(0.9, 1.0))
optim.NAdam([m.zeros(1)])
optim.NAdam([m.zeros(1)], momentum_decay=-1)
optim.RAdam([m.zeros(1)])
optim.Rprop([m.zeros(1)])
optim.Rprop([m.zeros(1)], etas=(1.5, 1.2))
optim.ASGD([m.zeros(1)])
optim.ASGD([m.zeros(1)], weight_decay=-1)
optim.LBFGS([m.zeros(1)])
optim.LBFGS([m.zeros(1)], lr=-1)
optim.LBFGS([{"params": [m.zeros(1)]}, {"params": [m.zeros(1)]}])
optim.LBFGS([m.zeros(1)]).step()
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


STEPS = [
    "SGD(p, lr=0.1)", "SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01)", "SGD(p, lr=0.1, momentum=0.9, nesterov=True)",
    "Adam(p, lr=0.01)", "Adam(p, lr=0.01, weight_decay=0.1)", "AdamW(p, lr=0.004)", "AdamW(p, lr=0.004, amsgrad=True)",
]  # fmt: skip


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("made", STEPS)
def test_steps_are_rounded_where_pytorch_rounds_them(made: str, name: str) -> None:
    """Products are added before they are rounded, as `add_`, `lerp_` and `addcmul_` of PyTorch do it."""
    pytest.importorskip("ml_dtypes")
    numbers = np.random.default_rng(0).normal(size=(4, 32, 32)).astype(np.float32)

    def weights(m: Any) -> Any:
        first, *gradients = m.from_numpy(numbers.copy()).to(getattr(m, name))
        parameter = m.nn.Parameter(first)
        optimizer = eval(f"m.optim.{made}", {"m": m, "p": [parameter]})
        for gradient in gradients:
            parameter.grad = gradient.clone()
            optimizer.step()
        return np.asarray(parameter.detach().double().tolist())

    apart = (weights(autograd_lab) != weights(torch)).mean()
    assert apart <= (0 if name == "float32" else 0.005)  # PyTorch's loops differ in the last elements of an array


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
@pytest.mark.parametrize("valley", [True, False])
def test_lbfgs_goes_the_same_way_through_a_valley(search: str | None, valley: bool) -> None:
    """Rosenbrock's function, or a bowl that ends early; in float64, where rounding does not decide the way."""

    def way(m: Any) -> tuple[list[Any], list[Any]]:
        x, y = (m.tensor(one, dtype=m.float64, requires_grad=True) for one in (-1.2, 1.0))
        optimizer = m.optim.LBFGS([x, y], lr=0.5 if search is None else 1, history_size=5, line_search_fn=search)

        def closure() -> Any:
            optimizer.zero_grad()
            loss = (1 - x) ** 2 + (100 * (y - x * x) ** 2 if valley else 3 * y * y)
            loss.backward()
            return loss

        numbers = [[optimizer.step(closure).item(), x.item(), y.item()] for _ in range(4 if search else 2)]
        state = optimizer.state[x]
        told = [x._version, y._version, state["func_evals"], state["n_iter"], sorted(state), len(state["ro"])]
        told.append([share is None for share in state["al"]])
        return told, numbers

    (told, numbers), (their_told, their_numbers) = way(autograd_lab), way(torch)
    assert told == their_told
    np.testing.assert_allclose(numbers, their_numbers, rtol=1e-5, atol=1e-9)


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
CosineAnnealingLR(o, 4, 0.01); LambdaLR(o, lambda epoch: 0.5**epoch); MultiplicativeLR(o, lambda epoch: 0.9)
ConstantLR(o, 0.5, 3); ConstantLR(o); LinearLR(o); LinearLR(o, 0.2, 0.5, 4); PolynomialLR(o, 4, 2.0)
CosineAnnealingWarmRestarts(o, 3, 2, 0.01); CosineAnnealingWarmRestarts(o, 2)
CyclicLR(o, 0.01, 0.1, 3); CyclicLR(o, 0.01, 0.1, 2, 3, "triangular2")
CyclicLR(o, 0.01, 0.1, 2, mode="exp_range", gamma=0.9)
CyclicLR(o, 0.01, 0.1, 2, scale_fn=lambda x: 1 / x, cycle_momentum=False)
OneCycleLR(o, 0.1, total_steps=10); OneCycleLR(o, 0.1, epochs=2, steps_per_epoch=5, anneal_strategy="linear")
OneCycleLR(o, [0.1], total_steps=12, three_phase=True, cycle_momentum=False)
SequentialLR(o, [S.ConstantLR(o, 0.1, 2), S.ExponentialLR(o, 0.9)], [3])
SequentialLR(o, [S.LinearLR(o, 0.1, 1.0, 3), S.CosineAnnealingLR(o, 5), S.StepLR(o, 2)], [3, 6])
ChainedScheduler([S.ConstantLR(o, 0.1, 4), S.ExponentialLR(o, 0.9)])
"""


@pytest.mark.parametrize("text", [one.strip() for one in re.split(r"[;\n]", SCHEDULES.strip())])
def test_schedules_set_the_same_rates(text: str) -> None:
    def story(m: Any) -> list[Any]:
        optimizer = m.optim.SGD([{"params": [m.nn.Parameter(m.ones(1))]}], lr=0.1, momentum=0.5)
        scheduler = eval(f"S.{text}", {"S": m.optim.lr_scheduler, "o": optimizer})
        told: list[Any] = [scheduler.get_last_lr()]
        group = optimizer.param_groups[0]
        for _ in range(9):
            optimizer.step()
            scheduler.step()
            epoch = getattr(scheduler, "last_epoch", None)
            told.append(
                [f"{group['lr']:.12g} {group['momentum']:.12g}", epoch, scheduler.get_last_lr() == [group["lr"]]]
            )
        state = scheduler.state_dict()
        return [*told, {name: state.get(name) for name in ("base_lrs", "last_epoch", "_step_count")}]

    same(story)


@pytest.mark.parametrize("mode", ["min", "max"])
@pytest.mark.parametrize("threshold_mode", ["rel", "abs"])
def test_a_plateau_reduces_the_rate(mode: str, threshold_mode: str) -> None:
    def story(m: Any) -> list[Any]:
        optimizer = m.optim.SGD([m.nn.Parameter(m.ones(1))], lr=0.1)
        scheduler = m.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, mode, 0.5, 1, threshold=0.01, threshold_mode=threshold_mode, cooldown=1, min_lr=0.02
        )
        told: list[Any] = []
        for loss in (5.0, 4.0, 3.99, 4.0, 4.1, 4.2, 4.2, 4.3, 4.1, 5.0, 5.0, 5.0, m.tensor(5.0)):
            scheduler.step(loss)
            told.append([scheduler.get_last_lr(), scheduler.num_bad_epochs, scheduler.best, scheduler.in_cooldown])
        return told

    same(story)


SCHEDULE_SAYINGS = """
S.ConstantLR(o, 2); S.LinearLR(o, 0); S.LinearLR(o, 0.5, 2); S.SequentialLR(o, [], [])
S.SequentialLR(o, [S.StepLR(o, 1)], [1]); S.SequentialLR(o, [3], []); S.ChainedScheduler([])
S.SequentialLR(o, [S.ReduceLROnPlateau(o)], []); S.ReduceLROnPlateau(o, factor=1.0); S.ReduceLROnPlateau(3)
S.ReduceLROnPlateau(o, "least"); S.ReduceLROnPlateau(o, threshold_mode="x"); S.ReduceLROnPlateau(o, min_lr=[1, 2])
S.OneCycleLR(o, 0.1); S.OneCycleLR(o, 0.1, 0); S.OneCycleLR(o, 0.1, 3, pct_start=2.0); S.OneCycleLR(3, 0.1, 3)
S.OneCycleLR(o, 0.1, 3, anneal_strategy="x"); S.OneCycleLR(o, [0.1, 0.2], 3)
S.OneCycleLR(m.optim.Rprop([m.ones(1)]), 1, 3)
S.CyclicLR(o, 0.1, 0.2, mode="x"); S.CosineAnnealingWarmRestarts(o, 0); S.CosineAnnealingWarmRestarts(o, 2, 0)
"""


@pytest.mark.parametrize("text", [one.strip() for one in re.split(r"[;\n]", SCHEDULE_SAYINGS.strip())])
def test_a_schedule_that_cannot_be_says_why(text: str) -> None:
    def story(m: Any) -> Any:
        optimizer = m.optim.SGD([m.nn.Parameter(m.ones(1))], lr=0.1)
        eval(text, {"S": m.optim.lr_scheduler, "o": optimizer, "m": m})

    same(story)


def test_warm_restarts_may_step_to_a_part_of_an_epoch() -> None:
    def story(m: Any) -> list[Any]:
        optimizer = m.optim.SGD([m.nn.Parameter(m.ones(1))], lr=0.1)
        scheduler = m.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2, 2)
        told = []
        for epoch in (0.0, 0.5, 1.5, 2.0, 3.25, 7.5, 20.0):
            scheduler.step(epoch)
            told.append([f"{scheduler.get_last_lr()[0]:.9f}", scheduler.T_i])
        return told

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


@pytest.mark.parametrize("name", ["ASGD", "NAdam", "Adam", "RMSprop"])
def test_numbers_that_an_optimizer_keeps_are_in_double_precision_where_that_is_the_default(name: str) -> None:
    kept = {}
    for module in (autograd_lab, torch):
        module.set_default_dtype(module.float64)
        try:
            p = module.tensor([1.0, -2.0], requires_grad=True)
            optimizer = getattr(module.optim, name)([p], lr=0.1)
            for _ in range(3):
                (p * p).sum().backward()
                optimizer.step()
        finally:
            module.set_default_dtype(module.float32)
        state = next(iter(optimizer.state_dict()["state"].values()))
        kept[module] = p.tolist(), {key: str(one.dtype) for key, one in state.items() if isinstance(one, module.Tensor)}
    assert kept[autograd_lab][0] == pytest.approx(kept[torch][0], rel=1e-13)
    assert kept[autograd_lab][1] == kept[torch][1]


def test_an_optimizer_of_the_users_own_has_hooks_and_says_what_is_loaded() -> None:
    def story(m: Any) -> list[Any]:
        told: list[Any] = []

        class Mine(m.optim.Optimizer):
            def __init__(self, params: Any, lr: float = 0.5) -> None:
                super().__init__(params, {"lr": lr})

            def __setstate__(self, state: Any) -> None:
                told.append(sorted(state))
                super().__setstate__(state)
                for group in self.param_groups:
                    group.setdefault("later", 3)

            def step(self, closure: Any = None, scale: float = 1) -> Any:
                loss = None if closure is None else closure()
                with m.no_grad():
                    for group in self.param_groups:
                        for p in group["params"]:
                            p.sub_(p.grad, alpha=group["lr"] * scale)
                            self.state[p] = {"seen": [p.grad.double()], "step": 1, "by": {"half": p.grad.half()}}
                return loss

        p = m.nn.Parameter(m.ones(2))
        optimizer = Mine([p])
        optimizer.register_step_pre_hook(lambda *given: told.append(("before", given[1][1:], given[2])))
        optimizer.register_step_pre_hook(lambda o, args, kwargs: (args, {"scale": 2}))
        optimizer.register_step_post_hook(lambda *given: told.append(("after", given[1][1:], given[2])))
        (p * p).sum().backward()
        told += [optimizer.step(), p, optimizer.step(lambda: 7), p]
        search = m.optim.LBFGS([p], max_iter=2)
        search.register_step_post_hook(lambda *given: told.append(len(given[1])))
        search.step(lambda: (p * p).sum())
        optimizer.register_state_dict_pre_hook(lambda o: told.append("saving"))
        optimizer.register_state_dict_post_hook(lambda o, state: state.update(more=1))
        optimizer.register_state_dict_post_hook(lambda o, state: {**state, "first": 1}, prepend=True)
        optimizer.register_load_state_dict_pre_hook(lambda o, state: {k: state[k] for k in ("state", "param_groups")})
        optimizer.register_load_state_dict_post_hook(lambda o: told.append("loaded"))
        saved = optimizer.state_dict()
        told += [saved, optimizer.load_state_dict(saved), optimizer.param_groups, optimizer.state[p]]
        twin = copy.deepcopy(optimizer)
        return [*told, repr(twin), sorted(optimizer.__getstate__()), len(told)]

    same(story)


SPARSE = """
[optim.SparseAdam([p], maximize=True), optim.SparseAdam([p]).state_dict(), optim.SparseAdam([m.ones(2)]).step()]
optim.SparseAdam([p]).step()
optim.SparseAdam([p], lr=0)
optim.SparseAdam([p], lr=m.ones(2))
optim.SparseAdam([p], eps=0.0)
optim.SparseAdam([p], betas=(0.9, 1.0))
optim.SparseAdam([])
"""


@pytest.mark.parametrize("saying", SPARSE.strip().splitlines())
def test_what_only_takes_sparse_gradients_says_so(saying: str) -> None:
    def story(m: Any) -> Any:
        p = m.nn.Parameter(m.ones(2))
        p.grad = m.ones(2)
        return eval(saying, {"m": m, "optim": m.optim, "p": p})

    same(story)


def test_an_optimizer_without_defaults_hears_of_it_where_gradients_are_forgotten() -> None:
    def story(m: Any) -> Any:
        class Bare(m.optim.Optimizer):  # type: ignore[misc, name-defined]
            def __init__(self, params: Any) -> None:
                self.param_groups = [{"params": params}]

        return Bare([m.nn.Parameter(m.ones(2))]).zero_grad()

    same(story)
