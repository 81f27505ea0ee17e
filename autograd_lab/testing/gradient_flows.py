"""Whether each parameter of a model gets a gradient from a loss."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from fnmatch import fnmatch
from typing import Any

from autograd_lab import autograd as own
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.findings.diagnosis import aside
from autograd_lab.findings.finding import told
from autograd_lab.recording.iterations.record import record

MOST = 20
"""So many parameters are named, and how many more there are."""


def assert_gradients_flow(
    model: Any, loss: Any | Callable[[], Any], *, without: Collection[str] = (), zeros: bool = False
) -> None:
    """Each parameter of `model` that asks for a gradient gets one from `loss`: finite, and not all zeros.

    `loss` is a tensor, or a function that computes it; then the message says also why a gradient is missing. No `.grad`
    changes, and the graph stays as it is. Parameters whose names fit a pattern of `without`, such as "head.*", may do
    as they like; with `zeros`, a gradient may be zero everywhere. Raises AssertionError with the names of all others,
    ValueError for a loss of more than one number or a pattern that no parameter fits.

    >>> from autograd_lab import nn
    >>> import autograd_lab as torch
    >>> model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    >>> assert_gradients_flow(model, lambda: model(torch.ones(1, 2)).sum())
    >>> assert_gradients_flow(model, lambda: model(torch.ones(1, 2)).detach().sum())
    Traceback (most recent call last):
        ...
    AssertionError: the loss has no graph, so no parameter gets a gradient
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    parameters = {name: each for name, each in model.named_parameters() if each.requires_grad}
    for pattern in without:
        if not any(fnmatch(name, pattern) for name in parameters):
            raise ValueError(f"no parameter that asks for a gradient is called {pattern!r}")
    wanted = {name: each for name, each in parameters.items() if not any(fnmatch(name, each) for each in without)}
    with record(model=model) as trace:
        root = loss() if callable(loss) else loss
        faults = _faults(root, wanted, zeros)
    if faults:
        reasons = [told(each) for each in aside(trace)] if callable(loss) and root.grad_fn is not None else []
        raise AssertionError("\n\n".join(["\n".join(_named(faults, type(model).__name__, len(wanted))), *reasons]))


def _faults(root: Any, parameters: dict[str, Any], zeros: bool) -> dict[str, str]:
    """What is wrong with the gradients, by the names of parameters."""
    __tracebackhide__ = True
    if root.numel() != 1:
        raise ValueError(f"a loss is one number, not a tensor of shape {tuple(root.shape)}")
    if not root.requires_grad:
        raise AssertionError("the loss has no graph, so no parameter gets a gradient")
    autograd = own if isinstance(root, Tensor) else sys.modules["torch"].autograd
    found = autograd.grad(root, list(parameters.values()), retain_graph=True, allow_unused=True)
    said = {name: _fault(grad, zeros) for name, grad in zip(parameters, found, strict=True)}
    return {name: fault for name, fault in said.items() if fault}


def _fault(grad: Any, zeros: bool) -> str:
    if grad is None:
        return "none: the loss does not depend on it"
    if not bool(grad.isfinite().all()):
        return "NaN" if bool(grad.isnan().any()) else "infinite"
    return "" if zeros or bool((grad != 0).any()) else "zero everywhere"


def _named(faults: dict[str, str], model: str, count: int) -> list[str]:
    width = max(map(len, list(faults)[:MOST]))
    rows = [f"  {name:{width}}  {fault}" for name, fault in list(faults.items())[:MOST]]
    rest = [f"  and {len(faults) - MOST} more"] if len(faults) > MOST else []
    return [f"gradients do not flow to {len(faults)} of {count} parameters of {model}:", *rows, *rest]
