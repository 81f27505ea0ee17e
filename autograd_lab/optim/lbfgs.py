"""L-BFGS: Newton's method with the curvature that the last steps have shown (Nocedal and Wright, algorithm 7.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_lab.engine.core.variable import wrap
from autograd_lab.engine.kernels.fused import fused
from autograd_lab.engine.modes.grad_mode import enable_grad, no_grad_quietly
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.nn.parameter import overwritten
from autograd_lab.optim.line_search import Point, Search, cubic
from autograd_lab.optim.optimizer import Descent, Parameters, check_lr, checked, number


class LBFGS(Descent):
    """All parameters as one vector, in one group; `step(closure)` calls the closure for the loss, many times."""

    def __init__(
        self, params: Parameters, lr: Any = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        check_lr(lr)
        checked(lr=number(lr))
        defaults = {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]  # as in PyTorch, it has to be given
        """Change all parameters; returns the loss before."""
        return super().step(closure)

    step.hooked = True  # type: ignore[attr-defined]

    def _stepped(self, closure: Callable[[], Any] | None = None) -> Any:
        assert closure is not None
        with no_grad_quietly(), np.errstate(all="ignore"):
            state = self.state[self._params[0]]  # where PyTorch has it
            state.setdefault("func_evals", 0)
            state.setdefault("n_iter", 0)
            first, here = self._evaluated(closure)
            state["func_evals"] += 1
            if np.abs(here.gradient).max() > self.param_groups[0]["tolerance_grad"]:
                self._iterate(closure, here, state)
        return first

    def _evaluated(self, closure: Callable[[], Any]) -> tuple[Any, Point]:
        """What the closure gives, and the loss and gradient where the parameters stand."""
        with enable_grad():
            loss = closure()
        found = [parameter.grad for parameter in self._params]
        gradients = [
            np.zeros_like(p._array) if g is None else g._array for p, g in zip(self._params, found, strict=True)
        ]
        return loss, Point(0.0, number(loss), np.concatenate([one.ravel() for one in gradients]), 0.0)

    def _iterate(self, closure: Callable[[], Any], here: Point, state: dict[str, Any]) -> None:
        group, evaluations = self.param_groups[0], 1
        for turn in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            direction = self._direction(here.gradient, state)
            before = state["prev_loss"] = here.loss
            slope = here.gradient @ direction
            t: Any = number(group["lr"])
            if state["n_iter"] == 1:
                t = min(1.0, 1.0 / np.abs(here.gradient).sum()) * t
            state["d"], state["t"] = wrap(direction), _told(t)
            if slope > -group["tolerance_change"]:
                break
            last = turn == group["max_iter"]
            here, tries = self._moved(
                closure,
                Point(0.0, here.loss, here.gradient, slope),
                direction,
                t,
                group["max_eval"] - evaluations,
                last,
            )
            t = here.t
            state["t"] = _told(t)
            evaluations += tries
            state["func_evals"] += tries
            if (
                last
                or evaluations >= group["max_eval"]
                or np.abs(here.gradient).max() <= group["tolerance_grad"]
                or np.abs(direction * t).max() <= group["tolerance_change"]
                or abs(here.loss - before) < group["tolerance_change"]
            ):
                break

    def _moved(
        self, closure: Callable[[], Any], start: Point, direction: Array, t: Any, most: int, last: bool
    ) -> tuple[Point, int]:
        """Go along the direction; where one is then, and how often the closure was called for it."""
        search = self.param_groups[0]["line_search_fn"]
        if search is None:
            self._go(direction, t)
            if last:  # the next step begins with an evaluation
                return Point(t, start.loss, start.gradient, 0.0), 0
            point = self._evaluated(closure)[1]
            return Point(t, point.loss, point.gradient, 0.0), 1
        if search != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")
        origin = [p._array.copy() for p in self._params]

        def at(t: Any) -> Point:
            self._go(direction, t)
            point = self._evaluated(closure)[1]
            for p, values in zip(self._params, origin, strict=True):
                p._array[...] = values
                overwritten(p, "copy_")
            return Point(t, point.loss, point.gradient, point.gradient @ direction)

        trial = Search(start, at, np.abs(direction).max(), most)
        point = trial.found(t)
        self._go(direction, point.t)
        return point, trial.tried

    def _go(self, direction: Array, t: Any) -> None:
        begin = 0
        for p in self._params:
            end = begin + p._array.size
            way = direction[begin:end].reshape(p._array.shape)
            p._array[...] = fused(p._array, np.asarray(t, p._array.dtype), way)
            overwritten(p, "add_")
            begin = end

    def _direction(self, gradient: Array, state: dict[str, Any]) -> Array:
        """The gradient, turned round, times the inverse of the Hessian as far as it is known."""
        if state["n_iter"] == 1:
            state.update(old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
        else:
            self._remember(gradient - state["prev_flat_grad"]._array, state["d"]._array * number(state["t"]), state)
            state.setdefault("al", [None] * self.param_groups[0]["history_size"])
        state["prev_flat_grad"] = wrap(gradient.copy())
        changes, steps, inverses = ([one._array for one in state[name]] for name in ("old_dirs", "old_stps", "ro"))
        direction, shares = -gradient, []
        for change, step, inverse in zip(changes[::-1], steps[::-1], inverses[::-1], strict=True):
            shares.append((step @ direction) * inverse)
            direction = fused(direction, -shares[-1], change)
        if shares:
            state["al"][: len(shares)] = [wrap(np.asarray(share)) for share in shares[::-1]]
        direction = direction * number(state["H_diag"])
        for change, step, inverse, share in zip(changes, steps, inverses, shares[::-1], strict=True):
            direction = fused(direction, share - (change @ direction) * inverse, step)
        turned: Array = direction.astype(gradient.dtype, copy=False)
        return turned

    def _remember(self, change: Array, step: Array, state: dict[str, Any]) -> None:
        """Keep how the gradient changed over the last step, unless that curved the wrong way."""
        curvature = change @ step
        if not curvature > 1e-10:
            return
        if len(state["old_dirs"]) == self.param_groups[0]["history_size"]:
            for name in ("old_dirs", "old_stps", "ro"):
                state[name].pop(0)
        for name, value in {"old_dirs": change, "old_stps": step, "ro": 1.0 / curvature}.items():
            state[name].append(wrap(np.asarray(value)))
        state["H_diag"] = wrap(np.asarray(curvature / (change @ change)))


def _told(t: Any) -> Any:
    """How far one went, as PyTorch keeps it: a tensor, where it was computed of tensors."""
    return wrap(np.asarray(t)) if isinstance(t, np.generic) else t


def _cubic_interpolate(
    x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: tuple[Any, Any] | None = None
) -> Any:  # fmt: skip
    """Where the cubic through two losses and slopes is lowest, as libraries ask that."""
    return cubic(Point(x1, f1, None, g1), Point(x2, f2, None, g2), bounds)


def _strong_wolfe(
    obj_func: Callable[[Any, Any, Any], tuple[Any, Any]], x: Any, t: Any, d: Any, f: Any, g: Any, gtd: Any,
    c1: float = 1e-4, c2: float = 0.9, tolerance_change: float = 1e-9, max_ls: int = 25,
) -> tuple[Any, Any, Any, int]:  # fmt: skip
    """Loss and gradient where the conditions hold, how far that is, and how often the loss was computed."""

    def at(t: Any) -> Point:
        loss, gradient = obj_func(x, t, d)
        return Point(t, loss, gradient.clone(), gradient.dot(d))

    search = Search(Point(0, f, g.clone(), gtd), at, d.abs().max(), max_ls, c1, c2, tolerance_change)
    point = search.found(t)
    return point.loss, point.gradient, point.t, search.tried
