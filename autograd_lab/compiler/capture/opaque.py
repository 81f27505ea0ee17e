"""Formulas that cannot be looked into are called as they are.

A node whose `backward` is called so, but whose `forward` could be looked into, is the same in each run. One whose
`forward` is called so is made anew in each run, and travels from there to its `backward` as a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import numpy as np

from autograd_lab.compiler.capture.symbol import Symbol, Unsupported
from autograd_lab.compiler.capture.tape import Tape
from autograd_lab.compiler.graph import Value, exchanged
from autograd_lab.compiler.kernel import Departed, Kernel
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.core.variable import Variable
from autograd_lab.whose import PACKAGE

Formula = Callable[..., Any]
Method = tuple[type[Node], str]
"""A node's class, and which of its formulas: "forward" or "backward"."""


@contextmanager
def called_as_they_are(tape: Tape, methods: Sequence[Method]) -> Iterator[None]:
    """Inside, these formulas are taken down as one call each."""
    tokens: dict[int, tuple[Node, Value]] = {}
    before = [(cls, name, cls.__dict__.get(name)) for cls, name in methods]
    for cls, name in methods:
        wrap = _forward if name == "forward" else _backward
        setattr(cls, name, wrap(tape, tokens, cls, getattr(cls, name)))
    try:
        yield
    finally:
        for cls, name, own in before:
            delattr(cls, name) if own is None else setattr(cls, name, own)


def _forward(tape: Tape, tokens: dict[int, tuple[Node, Value]], cls: type[Node], formula: Formula) -> Formula:
    def forward(self: Node, *args: Any, out: Any = ..., **options: Any) -> Any:
        if not any(type(one) is Symbol for one in (*args, *options.values())):
            return formula(self, *args, **options)
        args, named = tape.taken(args), tape.taken(tuple(options.items()))
        made = _run(formula, self, tape.real(args), dict(tape.real(named)))
        arrays = made if type(made) is tuple else (made,)
        taken = [tape.concrete[one] for one in args if isinstance(one, Value)]
        if any(np.may_share_memory(one, other) for one in arrays for other in taken):
            raise Unsupported(f"{cls.__name__} gives a view in a way that cannot be looked into")
        own = type(self)  # which may have the formula from `cls`
        kernel = _kernel_forward(tape.named(f"{own.__name__}_forward"), own, formula, arrays)
        *values, token = tape.add(kernel, args, named, [*arrays, self])
        tokens[id(self)] = self, token
        results = tuple(Symbol(tape, value) for value in values)
        if out is not ...:
            out.become(results[0])
            return out
        return results if type(made) is tuple else results[0]

    return forward


def _backward(tape: Tape, tokens: dict[int, tuple[Node, Value]], cls: type[Node], formula: Formula) -> Formula:
    def backward(self: Node, g: Any, *saved: Any) -> Any:
        if isinstance(g, Variable):
            return formula(self, g, *saved)
        token = tokens[id(self)][1] if id(self) in tokens else _standing(self)
        args = tape.taken((g, *saved))
        real = _as_scalars(tape.real(args))
        made = _run(formula, self, real, {})
        sent = [_apart(one, real) for one in (made if type(made) is tuple else (made,))]
        there = [at for at, one in enumerate(sent) if one is not None]
        needs = tuple(edge[0] is not None for edge in self.next_functions)
        kernel = _kernel_backward(tape.named(f"{cls.__name__}_backward"), cls, formula, needs)
        values = tape.add(kernel, (token, *args), (), [sent[at] for at in there])
        for at, value in zip(there, values, strict=True):
            sent[at] = Symbol(tape, value)
        return tuple(sent) if type(made) is tuple else sent[0]

    return backward


def _run(formula: Formula, node: Node, args: Any, options: dict[str, Any]) -> Any:
    try:
        return formula(node, *args, **options)
    except ValueError as error:
        if "read-only" in str(error):
            raise Unsupported(f"the formula of {type(node).__name__} writes over what it is given") from error
        raise


def _standing(node: Node) -> Node:
    """A node that knows what `node` does. Raises Unsupported if any of that depends on values."""
    copy = type(node).__new__(type(node))
    for slot in (slot for one in type(node).__mro__ for slot in getattr(one, "__slots__", ())):
        held = getattr(node, slot, None) if slot not in ("__weakref__", "_saved", "_more", "next_functions") else None
        if type(held) is Symbol or isinstance(held, Variable):
            raise Unsupported(f"{type(node).__name__} notes what depends on values")
        if held is not None:
            setattr(copy, slot, held)
    return copy


def _kernel_forward(name: str, cls: type[Node], formula: Formula, arrays: tuple[Any, ...]) -> Kernel:
    shapes = [one.shape for one in arrays]

    def run(*args: Any, **options: Any) -> Any:
        node = cls.__new__(cls)
        made = formula(node, *exchanged(args, np.asarray, np.generic), **options)
        made = made if type(made) is tuple else (made,)
        if [one.shape for one in made] != shapes:
            raise Departed(shapes)
        return (*made, node)

    return Kernel(name, run, opaque=True)


def _kernel_backward(name: str, cls: type[Node], formula: Formula, needs: tuple[bool, ...]) -> Kernel:
    edges: Any = tuple([(cls if needed else None, 0) for needed in needs])

    def run(node: Any, *args: Any) -> Any:
        node.next_functions = edges
        made = formula(node, *_as_scalars(args))
        return [_apart(one, args) for one in (made if type(made) is tuple else (made,)) if one is not None]

    return Kernel(name, run, opaque=True)


def _apart(made: Any, args: Sequence[Any]) -> Any:
    """What a formula gives, in memory that none of its arguments lies in: theirs may be a buffer's."""
    shared = any(isinstance(one, np.ndarray) and np.may_share_memory(made, one) for one in args)
    return np.array(made) if shared and made is not None else made


def _as_scalars(args: Any) -> Any:
    """Arrays without dimensions as numpy scalars, which is how formulas of backward passes have them."""
    return exchanged(args, lambda one: one if one.ndim else one[()], np.ndarray)


def culprit(trace: TracebackType | None) -> Method | None:
    """The engine's formula in which an error was raised; None if it was in none."""
    found: Method | None = None
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_name in ("forward", "backward") and code.co_filename.startswith(PACKAGE):
            node = trace.tb_frame.f_locals.get("self")
            if isinstance(node, Node):
                found = type(node), code.co_name
        trace = trace.tb_next
    return found
