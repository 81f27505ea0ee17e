"""Gradients that vanish or explode over the turns of a recurrence: `hidden = cell(x, hidden)` again and again."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from autograd_lab.findings.case import Call, Case, Pass
from autograd_lab.findings.code import clipped
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.numbers import gradient_sizes
from autograd_lab.trace.amounts import norm

TURNS, FAINT, HUGE = 10, 1e-9, 1e6
"""Over at least so many turns a gradient falls below this share of what it was, or grows to so many times that."""
VANISHING, EXPLODING = gradient_sizes.VANISHING, gradient_sizes.EXPLODING
REMEDY = {
    VANISHING: "Add to the state instead of replacing it, `{state} = {state} + 0.1 * (...)`, as LSTM does by gates: "
    "`nn.LSTMCell`, whose forget gate is to begin open.",
    EXPLODING: "Begin with a matrix that keeps sizes, `torch.nn.init.orthogonal_({weight})`, which mends the growth; "
    "to clip after backward(), `{clip}`, bounds the gradient, and leaves the growth as it is.",
}


def find(case: Case) -> Iterator[Finding]:
    """The first such line of what is trained, if all passes through it are alike, and layers are not to blame."""
    if not case.updates:
        return
    told: dict[str, list[Finding | None]] = defaultdict(list)
    for each in case.passes:
        for line, chains in _chains(case, each).items():
            found = [_finding(case, each, chain) for chain in chains]
            told[line].append(found[0] if all(found) else None)  # an LSTM carries on two states
    always = (list(filter(None, found)) for found in told.values() if None not in found)
    first = next(always, [])[:1]
    if first and not any(gradient_sizes.find(case)):
        yield from first


def _chains(case: Case, each: Pass) -> dict[str, list[list[Call]]]:
    """By lines the results with one name that a pass goes back through, each made of the one before."""
    by_name: dict[tuple[str, str], list[Call]] = defaultdict(list)
    calls = [case.call_of[node] for node in each.ran if node in case.call_of]
    for call in sorted(calls, key=lambda one: one.number):
        if call.outputs and (name := call.outputs[0].name):
            by_name[str(call.where), name].append(call)
    found = defaultdict(list)
    for (line, _), chain in by_name.items():
        if len(chain) >= TURNS:
            behind = {call.number for call in case.ancestors(chain[-1])}
            if all(call.number in behind for call in chain):
                found[line].append(chain)
    return found


def _finding(case: Case, each: Pass, chain: list[Call]) -> Finding | None:
    sizes = [_size(case, each, call) for call in chain]
    early = next((size for size in sizes if size), 0.0)
    last = sizes[-1]
    if not early or not last or FAINT * last <= early <= HUGE * last:
        return None
    kind = VANISHING if early < last else EXPLODING
    times = gradient_sizes.times(max(early, last), min(early, last))
    state = chain[-1].outputs[0].name
    verb, how = ("vanish", "smaller") if kind == VANISHING else ("explode", "larger")
    return Finding(
        kind=kind, severity=WARNING,
        sentence=f"Gradients {verb} over {len(chain)} turns: that of the first {state} is {times} {how} than that of "
        "the last.",
        cause=(
            Place(words=f"each turn makes it {how}", where=chain[0].where),
            Place(words="this pass goes back through all turns", where=each.event.where),
        ),
        remedy=REMEDY[kind].format(
            state=state, weight=_recurrent(case, chain), clip=clipped(map(case.name, _trained(case, chain)))
        ),
        steps=(each.step, chain[0].step),
        parts=(chain[0].node or "", chain[-1].node or ""),
    )  # fmt: skip


def _recurrent(case: Case, chain: list[Call]) -> str:
    """The matrix that each turn multiplies the state by: the last that what is made of the state is computed with."""
    behind = {call.number for call in case.ancestors(chain[1])}
    waiting = [chain[0].number]
    for number in waiting:
        waiting += [user for user in case.calls[number].users if user in behind and user not in waiting]
    taken = [name for number in sorted(waiting)[1:] for name in case.calls[number].operands if name in case.given]
    return next((case.name(name) for name in reversed(taken) if len(case.tensors[name].facts.shape) == 2), "...")


def _trained(case: Case, chain: list[Call]) -> list[str]:
    """What the step after a chain is given."""
    update = next((update for update in case.updates if update.step > chain[-1].step), case.updates[-1])
    return list(update.event.parameters)


def _size(case: Case, each: Pass, call: Call) -> float:
    """The norm of the gradient with which a pass came to the node of a call; 0, where it is no float."""
    visits = [event for step, event in case.visited[call.node or ""] if each.step <= step <= (each.end or step)]
    found = [norm(value) for event in visits[-1:] for value in event.gradients if value is not None]
    return next((size for size in found if size is not None and math.isfinite(size)), 0.0)
