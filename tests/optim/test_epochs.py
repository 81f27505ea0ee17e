"""Schedules as older programs use them: told the epoch, derived from `_LRScheduler`, and stepped in the wrong order."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import said

torch = pytest.importorskip("torch")

SCHEDULES = """
StepLR(o, 2) | MultiStepLR(o, [2, 4, 4]) | ExponentialLR(o, 0.9) | CosineAnnealingLR(o, 5, 0.01)
PolynomialLR(o, 4, 2.0) | LambdaLR(o, lambda epoch: 0.95**epoch)
MultiplicativeLR(o, lambda epoch: 0.95) | CosineAnnealingWarmRestarts(o, 3)
ConstantLR(o, 0.5, 3) | LinearLR(o, 0.5, 1.0, 4) | CyclicLR(o, 0.01, 0.1, cycle_momentum=False)
OneCycleLR(o, 0.1, 20)
""".strip()


def course(m: Any, schedule: Any, steps: Any) -> Any:
    found = []
    for epoch in steps:
        schedule.step() if epoch is None else schedule.step(epoch)
        found.append((schedule.last_epoch, schedule.get_last_lr(), schedule.optimizer.param_groups[0]["lr"]))
    return found


@pytest.mark.parametrize("text", [text for line in SCHEDULES.splitlines() for text in line.split(" | ")])
@pytest.mark.parametrize("steps", [(None, 3, None, 1, None), (0, 1, 2, 3, 4, 5), (2.5, 2.75)])
def test_a_schedule_is_told_the_epoch(text: str, steps: Any) -> None:
    def story(m: Any) -> Any:
        o = m.optim.SGD([m.ones(2, requires_grad=True)], lr=0.1, momentum=0.9)
        schedule = eval(f"m.optim.lr_scheduler.{text}", {"m": m, "o": o})
        o.step()
        return course(m, schedule, steps)

    assert said(autograd_lab, story) == said(torch, story)


def test_a_plateau_is_told_the_epoch() -> None:
    def story(m: Any) -> Any:
        optimizer = m.optim.SGD([m.nn.Parameter(m.ones(1))], lr=0.1)
        schedule = m.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
        found = []
        for epoch in (3, None, 0, 2.5, None):
            schedule.step(1.0, epoch)
            found.append((schedule.last_epoch, schedule.num_bad_epochs, schedule.get_last_lr()))
        return found

    assert said(autograd_lab, story) == said(torch, story)


def test_schedules_of_ones_own_stand_on_the_old_name() -> None:
    def story(m: Any) -> Any:
        class Warm(m.optim.lr_scheduler._LRScheduler):
            def __init__(self, optimizer: Any, count: int, after: Any) -> None:
                self.count, self.after, self.heard = count, after, []
                super().__init__(optimizer)

            def get_lr(self) -> Any:
                self.heard.append(self._get_lr_called_within_step)
                return [base * min(1, (self.last_epoch + 1) / self.count) for base in self.base_lrs]

            def step(self, epoch: Any = None) -> None:
                self.heard.append(epoch)
                if self.last_epoch >= self.count:
                    self.after.step(None if epoch is None else epoch - self.count)
                    self._last_lr = self.after.get_last_lr()
                super().step(epoch)

        o = m.optim.Adam([m.ones(2, requires_grad=True)], lr=0.1)
        schedule = Warm(o, 3, m.optim.lr_scheduler.StepLR(o, 1))
        o.step()
        found = course(m, schedule, [None, None, 2, None, 5])
        schedule.get_lr()
        return [found, schedule.heard]

    assert said(autograd_lab, story) == said(torch, story)


def test_a_schedule_warns_of_the_order_of_steps_for_optimizers_of_all_kinds() -> None:
    def story(m: Any) -> Any:
        class Own(m.optim.Optimizer):
            def __init__(self, params: Any) -> None:
                super().__init__(params, {"lr": 0.1})

            def step(self, closure: Any = None) -> Any:
                return "own"

        class Derived(m.optim.SGD):
            def step(self, closure: Any = None) -> Any:
                return "derived"

        found = []
        for make in (Own, lambda p: Derived(p, lr=0.1), lambda p: m.optim.SGD(p, lr=0.1), lambda p: m.optim.LBFGS(p)):
            for late, replaced in ((False, False), (True, False), (False, True)):
                o = make([m.ones(2, requires_grad=True)])
                schedule = m.optim.lr_scheduler.StepLR(o, 2)
                if replaced:
                    o.step = lambda: "replaced"
                if late:
                    found.append(o.step(lambda: m.zeros(())))
                schedule.step()
                schedule.step()
        return [one if isinstance(one, str) else None for one in found]

    assert said(autograd_lab, story) == said(torch, story)
