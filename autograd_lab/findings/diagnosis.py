"""`diagnose(trace)`: all that is wrong with a run, worst first, each told once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from weakref import WeakKeyDictionary

from autograd_lab.findings.beginning import with_beginning
from autograd_lab.findings.case import Case, is_part
from autograd_lab.findings.errors import (
    by_message,
    nothing_to_differentiate,
    raised,
    second_backward,
    stale_saved_value,
)
from autograd_lab.findings.finding import SEVERITIES, Finding, rows
from autograd_lab.findings.graphs import (
    gone_back_twice,
    grad_of_a_result,
    growing,
    kept_alive,
    loss_is_a_leaf,
    not_gone_back,
    not_recorded,
    sampled,
    tensor_of_tensors,
)
from autograd_lab.findings.losses import broadcast, constant_term, nll_of_logits, normalized_twice, of_itself
from autograd_lab.findings.numbers import (
    dead_relu,
    diverging,
    flat,
    gradient_sizes,
    not_finite,
    over_time,
    update_sizes,
    written_behind,
)
from autograd_lab.findings.training import (
    accumulation,
    clipping,
    computed_parameter,
    evaluating,
    gradients_add_up,
    leaf_replaced,
    loop_variable,
    never_stepped,
    no_gradient,
    not_optimized,
    rate_gone,
    scaled,
    shared_weights,
    some_turns,
    step_order,
    unchanged,
    used_up,
)
from autograd_lab.trace import Trace

Finder = Callable[[Case], Iterator[Finding]]
RAISED: tuple[Finder, ...] = (
    second_backward.find,
    stale_saved_value.find,
    nothing_to_differentiate.find,
    by_message.find,
)
"""What explains an error that a program raised."""
FINDERS: tuple[Finder, ...] = (
    *RAISED,
    written_behind.find,
    not_finite.find,
    loss_is_a_leaf.find,
    normalized_twice.find,
    nll_of_logits.find,
    broadcast.find,
    of_itself.find,
    constant_term.find,
    leaf_replaced.find,
    loop_variable.find,
    never_stepped.find,
    gradients_add_up.find,
    accumulation.find,
    no_gradient.find,
    some_turns.find,
    computed_parameter.find,
    flat.find,
    not_recorded.find,
    sampled.find,
    shared_weights.find,
    unchanged.find,
    rate_gone.find,
    evaluating.find,
    clipping.find,
    used_up.find,
    scaled.find,
    growing.find,
    tensor_of_tensors.find,
    grad_of_a_result.find,
    update_sizes.find,
    gradient_sizes.find,
    over_time.find,
    diverging.find,
    dead_relu.find,
    not_gone_back.find,
    gone_back_twice.find,
)
"""In the order in which findings of the same severity are told."""
OF_TURNS: dict[str, Finder] = {
    "whether each step of an optimizer has new gradients": step_order.find,
    "whether every parameter has an optimizer": not_optimized.find,
}
"""What is asked of whole runs, and of a beginning that has at least two turns of a loop; what it is about."""
OF_MANY_TURNS: dict[str, Finder] = {"whether graphs are kept alive": kept_alive.find}
"""What is asked of whole runs, and of a beginning that has many."""


_known: WeakKeyDictionary[Trace, tuple[int, list[Finding]]] = WeakKeyDictionary()


def aside(trace: Trace) -> list[Finding]:
    """The findings, for who was asked for something else, which a mistake in a finder is not to prevent."""
    try:
        return diagnose(trace)
    except Exception:
        if os.environ.get("AUTOGRAD_LAB_STRICT"):
            raise
        return []


def help_for(message: str, trace: Trace) -> str:
    """What is known of the error of this message, with which a run ended: what brought it about, and what to do."""
    case = Case(trace)
    if not case.errors or case.errors[-1][1].message != message:
        return ""
    case.errors = case.errors[-1:]
    found = next((finding for find in (*RAISED, _of_nan, _of_others) for finding in find(case)), None)
    return "" if found is None else "\n".join(f"  {line}" for line in (*rows(found.cause), found.remedy) if line)


def _of_nan(case: Case) -> Iterator[Finding]:
    """Where a NaN began that an error is about."""
    if not_finite.OF_NAN.search(case.errors[-1][1].message):
        yield from not_finite.find(case)


def _of_others(case: Case) -> Iterator[Finding]:
    """Of an error that has nothing to do with autograd what is known to help."""
    yield from (each for each in raised.find(case, (), of_nan=False) if each.remedy)


def diagnose(trace: Trace) -> list[Finding]:
    """What is wrong with a run, and why: worst first, each told once. An empty list if nothing is.

    Of a trace that has not grown since the findings are known already.

    >>> import autograd_lab as torch
    >>> with torch.record() as trace:
    ...     x = torch.tensor([0.0, 4.0], requires_grad=True)
    ...     (x.sqrt() * torch.tensor([0.0, 1.0])).sum().backward()
    >>> [finding.sentence for finding in torch.diagnose(trace)]
    ['x.grad is NaN at [0].']
    """
    count, found = _known.get(trace, (-1, []))
    if count != len(trace):
        found = _found(trace)
        _known[trace] = len(trace), found
    return list(found)


def _found(trace: Trace) -> list[Finding]:
    found = _found_in(trace)
    if trace.beginning is not None:
        found = with_beginning(trace, found, diagnose(trace.beginning), is_part(trace.beginning))
    once = {(each.kind, each.sentence, each.cause): each for each in found}
    return sorted(once.values(), key=lambda each: SEVERITIES.index(each.severity))


def _found_in(trace: Trace) -> list[Finding]:
    case = Case(trace)
    found = [finding for find in (*FINDERS, *_of_turns(case).values()) for finding in find(case)]
    explained = [step for finding in found for step in finding.steps if finding.severity == SEVERITIES[0]]
    return found + list(raised.find(case, explained, of_nan=any(each.kind == not_finite.KIND for each in found)))


def unchecked(trace: Trace) -> list[str]:
    """What could not be found out, since only a part of the run is told: in words, "whether ..."."""
    parts = [trace] if trace.beginning is None else [trace, trace.beginning]
    done = [_of_turns(Case(each)) for each in parts]
    return [what for what in OF_TURNS | OF_MANY_TURNS if not any(what in each for each in done)]


def _of_turns(case: Case) -> dict[str, Finder]:
    """Which of what needs several turns can be asked."""
    if not case.is_part:
        return OF_TURNS | OF_MANY_TURNS
    turns = len(case.turns) if case.is_beginning else 0
    many = OF_MANY_TURNS if turns >= kept_alive.MANY_OF_A_BEGINNING else {}
    return OF_TURNS | many if turns > 1 else {}
