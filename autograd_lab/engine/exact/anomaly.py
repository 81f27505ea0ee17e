"""Anomaly mode: each node remembers which lines of the user's program made it, and nan in a gradient is an error."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from autograd_lab.engine.core.node import Node, more_of
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.exact import guarding
from autograd_lab.engine.exact.watchers import unwatch, watch
from autograd_lab.engine.modes import grad_mode as modes
from autograd_lab.whose import users_frame, users_level

__all__ = ["is_anomaly_check_nan_enabled", "is_anomaly_enabled", "set_anomaly_enabled"]

_evaluated: ContextVar[Node | None] = ContextVar("node_evaluated", default=None)


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Switch anomaly mode, in all threads."""
    for position, (name, value) in enumerate((("enabled", enabled), ("check_nan", check_nan)), 1):
        if not isinstance(value, bool):
            raise TypeError(
                f"set_anomaly_enabled(): argument '{name}' (position {position}) must be bool, "
                f"not {type(value).__name__}"
            )
    if enabled != modes.anomaly.enabled:
        (watch if enabled else unwatch)(_remember)
        guarding.put("anomaly", guarded if enabled else None)
    modes.anomaly.enabled, modes.anomaly.check_nan = enabled, check_nan


def is_anomaly_enabled() -> bool:
    """Whether errors in backward tell where forward was."""
    return modes.anomaly.enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether nan in a gradient is an error while anomaly mode is on."""
    return modes.anomaly.check_nan


def _remember(node: Node) -> None:
    """Note the user's lines that run now and, if the node is part of a gradient's graph, whose gradient it is."""
    frames = []
    frame = users_frame(sys._getframe(1))
    while frame is not None:
        frames.append((frame, frame.f_lineno))
        frame = users_frame(frame.f_back)
    metadata = more_of(node).metadata
    metadata["traceback_"] = traceback.StackSummary.extract(iter(frames[::-1])).format()
    if (parent := _evaluated.get()) is not None:
        metadata["parent_"] = parent


def guarded(evaluate: Callable[..., Sequence[Any]]) -> Callable[..., Sequence[Any]]:
    """The evaluation of a node, that warns of where the node came from if anything goes wrong."""

    def evaluate_guarded(node: Node, *args: Any) -> Sequence[Any]:
        before = _evaluated.set(node)
        try:
            sent = evaluate(node, *args)
            if modes.anomaly.check_nan:
                _check(node, sent)
            return sent
        except Exception:
            _explain(node)
            raise
        finally:
            _evaluated.reset(before)

    return evaluate_guarded


def _check(node: Node, sent: Sequence[Any]) -> None:
    for position, g in enumerate(sent):
        if g is not None and np.isnan(g._array if isinstance(g, Variable) else g).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {position}th output.")


def _explain(node: Node) -> None:
    metadata = more_of(node).metadata
    if "traceback_" not in metadata:
        _warn(
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly during "
            "forward pass for more information."
        )
        return
    lines = "".join(metadata["traceback_"])
    text = f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{lines}"
    _warn(text)
    while "parent_" in metadata:
        node = metadata["parent_"]
        metadata = more_of(node).metadata
        lines = "".join(metadata.get("traceback_", ())) or "No forward pass information available.\n"
        text = (
            f"\n\nPrevious calculation was induced by {node.name()}. Traceback of forward call that induced the "
            f"previous calculation:\n{lines}"
        )
        _warn(text)


def _warn(text: str) -> None:
    """Warn; where warnings are errors it is printed, since the error that is told of goes on its way."""
    try:
        warnings.warn(text, UserWarning, stacklevel=users_level())
    except UserWarning as told:
        told.__context__ = None
        traceback.print_exception(told)
