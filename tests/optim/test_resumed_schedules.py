"""Schedules that are begun in the midst of a run, put in a row, or asked for a rate from outside."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import said

torch = pytest.importorskip("torch")

SCHEDULES = """
StepLR(o, 2, last_epoch=e) | MultiStepLR(o, [2, 4, 5], last_epoch=e) | ExponentialLR(o, 0.9, e)
CosineAnnealingLR(o, 7, 0.01, e) | PolynomialLR(o, 7, 2.0, e) | LambdaLR(o, lambda epoch: 0.95**epoch, e)
MultiplicativeLR(o, lambda epoch: 0.9 + epoch / 50, e) | ConstantLR(o, 0.5, 6, e) | LinearLR(o, 0.5, 1.0, 7, e)
CosineAnnealingWarmRestarts(o, 3, last_epoch=e)
""".strip()
TEXTS = [text for line in SCHEDULES.splitlines() for text in line.split(" | ")]


def optimizer_of(m: Any) -> Any:
    optimizer = m.optim.SGD([{"params": [m.ones(2, requires_grad=True)], "initial_lr": 0.2}], lr=0.1, momentum=0.9)
    optimizer.step()
    return optimizer


def made(m: Any, text: str, optimizer: Any, epoch: int = -1) -> Any:
    return eval(f"m.optim.lr_scheduler.{text}", {"m": m, "o": optimizer, "e": epoch})


def course(schedule: Any, count: int = 9) -> list[Any]:
    found = [schedule.get_last_lr()]
    for _ in range(count):
        schedule.step()
        found.append((schedule.last_epoch, schedule.get_last_lr(), schedule.optimizer.param_groups[0]["lr"]))
    return found


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("epoch", [-1, 0, 2, 5])
def test_a_schedule_is_begun_in_the_midst_of_a_run(text: str, epoch: int) -> None:
    def story(m: Any) -> Any:
        schedule = made(m, text, optimizer_of(m), epoch)
        state = {name: value for name, value in schedule.state_dict().items() if name != "lr_lambdas"}
        return sorted(state), state["_is_initial"], course(schedule)

    assert said(autograd_lab, story) == said(torch, story)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("epoch", [-1, 1, 4])
def test_a_row_of_schedules_is_begun_in_the_midst_of_a_run(text: str, epoch: int) -> None:
    def story(m: Any) -> Any:
        optimizer = optimizer_of(m)
        row = [made(m, "ConstantLR(o, 0.1, 20)", optimizer), made(m, text, optimizer)]
        return course(m.optim.lr_scheduler.SequentialLR(optimizer, row, [3], last_epoch=epoch))

    assert said(autograd_lab, story) == said(torch, story)


@pytest.mark.parametrize("text", [*TEXTS, "OneCycleLR(o, 0.1, 20)", "CyclicLR(o, 0.01, 0.1)"])
def test_who_asks_for_a_rate_from_outside_is_warned(text: str) -> None:
    def story(m: Any) -> Any:
        schedule = made(m, text, optimizer_of(m))
        schedule.step()
        return schedule.get_lr()

    assert said(autograd_lab, story) == said(torch, story)
