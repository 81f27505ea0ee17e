"""PyTorch's `optim_db`: each optimizer with its settings, over the same ten steps in both worlds."""

from __future__ import annotations

import warnings
from itertools import islice
from typing import Any

import numpy as np
import torch

import autograd_lab as lab
from tests.databases.observed import plain, said
from tests.databases.ops import Compared
from tests.databases.theirs import database

STEPS = 10
ASIDE = ("foreach", "fused", "capturable", "differentiable")


def present() -> list[Any]:
    """The entries of the database whose optimizer exists here."""
    return [info for info in database("optimizers", "optim_db") if hasattr(lab.optim, info.optim_cls.__name__)]


def compare(info: Any, most: int | None = None) -> Compared:
    """Run an optimizer with each of its settings, in both worlds."""
    found = Compared()
    name = info.optim_cls.__name__
    for sample in islice(info.optim_inputs_func(device="cpu"), most):
        settings = {key: value for key, value in sample.kwargs.items() if key not in ASIDE}
        if any(isinstance(value, torch.Tensor) for value in settings.values()):
            continue
        ours, theirs = (_course(m, name, settings) for m in (lab, torch))
        found.add(name, ours, theirs)
    return found


def _course(m: Any, name: str, settings: dict[str, Any]) -> dict[str, Any]:
    numbers = np.linspace(-1.0, 2.0, 6).reshape(2, 3)
    parameter = m.tensor(numbers, dtype=m.float64, requires_grad=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            optimizer = getattr(m.optim, name)([parameter], **settings)

            def closure() -> Any:
                optimizer.zero_grad()
                loss = ((parameter - 0.3) ** 4).sum() + (parameter[0] * parameter[1]).sum()
                loss.backward()
                return loss

            for _ in range(STEPS):
                optimizer.step(closure)
    except Exception as error:
        return {"error": said(error)}
    state = optimizer.state_dict()
    return {
        "values": [plain(parameter)],
        "printed": repr(optimizer),
        "keys": [sorted(one) for one in state["state"].values()],
    }
