"""The optimizers' rules on tensors, which are recorded: what `differentiable=True` asks for.

Each takes an optimizer's state for a parameter, the parameter, its gradient, and the group's settings.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import is_tensor, wrap
from autograd_lab.engine.ops.pointwise.selection import maximum
from autograd_lab.engine.ops.reduction.extremes import amax
from autograd_lab.engine.ops.shape.joining import cat
from autograd_lab.optim.optimizer import Group, scalar_kind


def _counted(state: dict[str, Any]) -> Any:
    """How many steps were made, with this one."""
    steps = state.setdefault("step", wrap(np.zeros((), scalar_kind())))
    steps += 1
    return steps


def _kept(state: dict[str, Any], name: str, parameter: Any) -> Any:
    """A state of the parameter's shape, zeros at first."""
    if state.get(name) is None:
        state[name] = wrap(np.zeros_like(parameter._array))
    return state[name]


def _wanting(setting: Any) -> bool:
    """Whether a setting is a tensor that wants a gradient."""
    return is_tensor(setting) and setting.requires_grad


def _decayed(parameter: Any, gradient: Any, group: Group) -> Any:
    """The gradient, with that of the weight's own size, or the parameter taken nearer to zero instead."""
    decay = group["weight_decay"]
    if not _wanting(decay) and not decay:
        return gradient
    if group.get("decoupled_weight_decay"):
        parameter.mul_(1 - group["lr"] * decay)
        return gradient
    if _wanting(decay):
        return gradient.addcmul_(parameter.clone(), decay)
    return gradient.add(parameter, alpha=decay)


def sgd(state: dict[str, Any], parameter: Any, gradient: Any, group: Group) -> None:
    """`SGD`: the momentum that the first step leaves is no part of the graph."""
    gradient, momentum, lr = _decayed(parameter, gradient, group), group["momentum"], group["lr"]
    if momentum:
        if state.get("momentum_buffer") is None:
            state["momentum_buffer"] = gradient.detach().clone()
        else:
            state["momentum_buffer"].mul_(momentum).add_(gradient, alpha=1 - group["dampening"])
        buffer = state["momentum_buffer"]
        gradient = gradient.add(buffer, alpha=momentum) if group["nesterov"] else buffer
    if _wanting(lr):
        parameter.addcmul_(gradient, lr, value=-1)
    else:
        parameter.add_(gradient, alpha=-lr)


def adam(state: dict[str, Any], parameter: Any, gradient: Any, group: Group) -> None:
    """`Adam` and `AdamW`."""
    first, second = group["betas"]
    steps = _counted(state)
    gradient = _decayed(parameter, gradient, group)
    mean, square = _kept(state, "exp_avg", parameter), _kept(state, "exp_avg_sq", parameter)
    mean.lerp_(gradient, 1 - first)
    if _wanting(second):
        square.lerp_(gradient.square(), 1 - second)
    else:
        square.mul_(second).addcmul_(gradient, gradient, value=1 - second)
    corrections = [1 - beta ** (steps.clone() if _wanting(beta) else steps) for beta in (first, second)]
    rate = (group["lr"] / corrections[0]).neg()
    scale = corrections[1].sqrt() * rate
    if group["amsgrad"]:
        largest = _kept(state, "max_exp_avg_sq", parameter)
        square = largest.copy_(maximum(largest.clone(), square))
    parameter.addcdiv_(mean.clone(), (square.sqrt() / scale).add_(group["eps"] / rate))


def rmsprop(state: dict[str, Any], parameter: Any, gradient: Any, group: Group) -> None:
    """`RMSprop`."""
    square, share = _kept(state, "square_avg", parameter), group["alpha"]
    _counted(state)
    gradient = _decayed(parameter, gradient, group)
    square.mul_(share).addcmul_(gradient, gradient, value=1 - share)
    if group["centered"]:
        mean = _kept(state, "grad_avg", parameter)
        mean.lerp_(gradient, 1 - share)
        size = square.addcmul(mean, mean, value=-1).sqrt_()
    else:
        size = square.sqrt()
    size = size.add(group["eps"])
    if group["momentum"] > 0:
        buffer = _kept(state, "momentum_buffer", parameter)
        buffer.mul_(group["momentum"]).addcdiv_(gradient, size)
        parameter.add_(buffer, alpha=-group["lr"])
    else:
        parameter.addcdiv_(gradient, size, value=-group["lr"])


def adagrad(state: dict[str, Any], parameter: Any, gradient: Any, group: Group) -> None:
    """`Adagrad`, whose state is there from the start."""
    steps = _counted(state)
    gradient = _decayed(parameter, gradient, group)
    rate = group["lr"] / (1 + (steps.item() - 1) * group["lr_decay"])
    state["sum"].addcmul_(gradient, gradient, value=1)
    parameter.addcdiv_(gradient, state["sum"].sqrt() + group["eps"], value=-rate)


def adadelta(state: dict[str, Any], parameter: Any, gradient: Any, group: Group) -> None:
    """`Adadelta`."""
    share, eps = group["rho"], group["eps"]
    square, moved = _kept(state, "square_avg", parameter), _kept(state, "acc_delta", parameter)
    _counted(state)
    gradient = _decayed(parameter, gradient, group)
    square.mul_(share).addcmul_(gradient, gradient, value=1 - share)
    size = square.add(eps).sqrt_()
    change = moved.add(eps).sqrt_().clone()
    change.div_(size).mul_(gradient)
    moved.mul_(share).addcmul_(change, change, value=1 - share)
    parameter.add_(change, alpha=-group["lr"])


def adamax(state: dict[str, Any], parameter: Any, gradient: Any, group: Group) -> None:
    """`Adamax`."""
    first, second = group["betas"]
    steps = _counted(state)
    gradient = _decayed(parameter, gradient, group)
    mean, largest = _kept(state, "exp_avg", parameter), _kept(state, "exp_inf", parameter)
    mean.lerp_(gradient, 1 - first)
    both = [largest.mul_(second).unsqueeze(0), gradient.abs().add_(group["eps"]).unsqueeze_(0)]
    largest.copy_(amax(cat(both, 0), 0))
    parameter.addcdiv_(mean, largest, value=-group["lr"] / (1 - first ** steps.item()))


def nadam(state: dict[str, Any], parameter: Any, gradient: Any, group: Group) -> None:
    """`NAdam`."""
    (first, second), lr = group["betas"], group["lr"]
    steps = _counted(state).item()
    gradient = _decayed(parameter, gradient, group)
    now, after = (first * (1 - 0.5 * 0.96 ** (count * group["momentum_decay"])) for count in (steps, steps + 1))
    product = state.setdefault("mu_product", wrap(np.ones((), scalar_kind())))
    product *= now
    mean, square = _kept(state, "exp_avg", parameter), _kept(state, "exp_avg_sq", parameter)
    mean.lerp_(gradient, 1 - first)
    square.mul_(second).addcmul_(gradient, gradient, value=1 - second)
    size = square.div(1 - second**steps).sqrt().add(group["eps"])
    following = product * after
    parameter.addcdiv_(gradient * (-lr * (1 - now) / (1 - product)), size)
    parameter.addcdiv_(mean * (-lr * after / (1 - following)), size)


def radam(state: dict[str, Any], parameter: Any, gradient: Any, group: Group) -> None:
    """`RAdam`."""
    first, second = group["betas"]
    steps = _counted(state).item()
    gradient = _decayed(parameter, gradient, group)
    mean, square = _kept(state, "exp_avg", parameter), _kept(state, "exp_avg_sq", parameter)
    mean.lerp_(gradient, 1 - first)
    square.mul_(second).addcmul_(gradient, gradient, value=1 - second)
    move = mean / (1 - first**steps) * group["lr"]
    longest = 2 / (1 - second) - 1
    length = longest - 2 * steps * second**steps / (1 - second**steps)
    if length > 5:
        trust = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
        move = move * ((1 - second**steps) ** 0.5 / square.sqrt().add(group["eps"])) * trust
    parameter.add_(move, alpha=-1.0)
