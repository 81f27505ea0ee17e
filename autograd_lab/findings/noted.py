"""What a case notes of a run: its tensors, calls, passes, updates and writes, as finders ask for them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TypeVar

from autograd_lab import events as e

PARAMETER = re.compile(r"[\w.]*\bParameter\(")
INNER = {"addmm": "linear", "mkldnn_rnn_layer": "lstm", "thnn_fused_lstm_cell": "lstm_cell", "_cudnn_rnn": "rnn"}
"""What PyTorch calls steps of its own, by the names of those who take them."""


def spoken(name: str) -> str:
    """An op, or its node, by the name of a function as one writes it.

    >>> spoken("AddmmBackward0"), spoken("MseLossBackward0"), spoken("NativeBatchNormBackward0"), spoken("add_")
    ('linear', 'mse_loss', 'batch_norm', 'add_')
    """
    bare = name.partition("Backward")[0]
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", bare).lower().removeprefix("native_")
    return INNER.get(snake, snake)


@dataclass(slots=True)
class Tensor:
    """A tensor: as it was met, what it holds and whether it asks for a gradient now, and the calls that took it.

    `maker` is the number of the call that it comes of, None for what no recorded call made. `grad_of` is the id of
    the tensor whose `.grad` it is.
    """

    facts: e.TensorFacts
    step: int
    where: e.Where | None
    maker: int | None = None
    first_maker: int | None = None
    value: e.Value = field(default_factory=e.Value)
    asks: bool = False
    uses: list[int] = field(default_factory=list)
    with_grad: bool = True
    switched: tuple[e.Where | None, int] | None = None
    """Where `requires_grad` was last set, and the step."""

    @property
    def is_parameter(self) -> bool:
        return bool(PARAMETER.match(self.facts.expression or ""))


@dataclass(slots=True)
class Call:
    """An op that ran forward, or a `detach`. `sources` are the calls that its operands came of, None for leaves."""

    number: int
    step: int
    event: e.OpApplied | e.NodeMet | e.TensorDetached
    name: str
    node: str | None
    operands: tuple[str, ...]
    outputs: tuple[e.TensorFacts, ...]
    sources: tuple[int | None, ...]
    users: list[int] = field(default_factory=list)
    modules: tuple[str, ...] = ()
    with_grad: bool = True
    is_astray: bool = False
    """Whether it made numbers that are not finite of numbers that are; or NaN of infinities that a mask was filled
    with, which itself is innocent."""

    @property
    def where(self) -> e.Where | None:
        return self.event.where

    @property
    def is_detach(self) -> bool:
        return isinstance(self.event, e.TensorDetached)

    @property
    def what(self) -> str:
        """What the line computed, as it is written there, or else the name of the op."""
        text = self.outputs[0].expression if self.outputs else None
        return text if text and "…" not in text else spoken(self.name)


@dataclass(slots=True)
class Pass:
    """A backward pass; `received` are the leaves that a gradient came to, `ran` the nodes that it went through."""

    number: int
    step: int
    event: e.BackwardStarted
    end: int | None = None
    received: set[str] = field(default_factory=set)
    ran: set[str] = field(default_factory=set)
    outer: Pass | None = None

    @property
    def roots(self) -> tuple[str, ...]:
        return tuple(root.node for root in self.event.roots)


@dataclass(slots=True)
class GradChange:
    """What became of a leaf's `.grad`: it was `found`, `set`, `added` to, `cleared`, or `changed` in place."""

    step: int
    how: str
    where: e.Where | None
    value: e.Value | None


@dataclass(slots=True)
class Update:
    """A step of an optimizer: what it was given, as far as is told, and which tensors it wrote to."""

    step: int
    event: e.OptimizerEntered
    end: int | None = None
    written: dict[str, int] = field(default_factory=dict)
    handed: frozenset[str] = frozenset()

    @property
    def where(self) -> e.Where | None:
        return self.event.where


@dataclass(slots=True)
class Write:
    """A write to memory, by a tensor, that changed what it holds."""

    step: int
    event: e.TensorModified
    counter: str
    update: Update | None


@dataclass(slots=True)
class ModuleCall:
    """A call of a module, from the outermost one: its paths, and the calls of ops in it, from first to last."""

    event: e.ModuleEntered
    step: int
    first: int
    depth: int
    last: int = 0

    @property
    def path(self) -> str:
        """The whole path, as `model.1`; of a module without a name, its type."""
        return ".".join(filter(None, (self.event.root, self.event.module))) or self.event.type


Dated = TypeVar("Dated", GradChange, Write)


def between(items: list[Dated], after: int, before: int) -> list[Dated]:
    """Those of what happened in order that happened after one step and before another."""
    start = bisect_right(items, after, key=lambda each: each.step)
    return items[start : bisect_left(items, before, key=lambda each: each.step)]
