"""Where a NaN or an infinity began: the first op that made one of finite numbers, forward or backward."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograd_lab import events as e
from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.finding import ERROR, NOTE, WARNING, Finding, Place
from autograd_lab.findings.numbers.singular import backward_cause, forward_cause, of_infinities
from autograd_lab.findings.numbers.update_sizes import gentle, overshot
from autograd_lab.findings.training.made_in_text import place_of_rate
from autograd_lab.trace.amounts import astray, finite, flat

KIND = "not-finite"
OF_NAN = re.compile(r"\bnan\b|\binf\b", re.I)
"""What errors say that come of such numbers, as those of anomaly mode and of `torch.multinomial`."""
MOST = 5
"""Of more results on the path to the loss some are named."""


def find(case: Case) -> Iterator[Finding]:
    """The first that does harm: it comes to a loss, a gradient or a parameter. All later ones may follow from it."""
    harm = _harm(case)
    if harm is None:
        yield from _at_the_end(case)
        return
    step, subject, value = harm
    origin = _forward(case, step) or (_given(case, step) if _is_bad_loss(case, step) else _backward(case, step))
    if origin is not None:
        cause, remedy, at, parts = origin
        cause, remedy = _of_weights(case, at, cause, remedy)
        yield Finding(
            kind=KIND, severity=_severity(case), sentence=f"{subject} {_is(value)}.",
            cause=cause, remedy=remedy, steps=(at, step), parts=parts,
        )  # fmt: skip


def _of_weights(case: Case, at: int, cause: tuple[Place, ...], remedy: str) -> tuple[tuple[Place, ...], str]:
    """The cause and what to do, where an update before sent weights out of all bounds: that is to blame."""
    thrown = overshot(case, at)
    if thrown is None:
        return cause, remedy
    first = Place(words="the weights became too large in this update", where=thrown.where)
    return (first, *cause, *place_of_rate(case, thrown)), f"Take a far smaller learning rate: {gentle(case, thrown)}."


def _at_the_end(case: Case) -> Iterator[Finding]:
    """NaN in what was computed last, if an error ended the program there: a loss may refuse it."""
    last = case.calls[-1] if case.calls and case.errors else None
    bad = [facts for facts in last.outputs if not finite(facts.value)] if last is not None else []
    if last is None or not bad or astray(bad[0].value) != "NaN" or case.errors[-1][0] < case.steps - 1:
        return
    made = [call for call in case.ancestors(last) if call.is_astray]
    if made:
        origin, stop = min(made, key=lambda each: each.number), case.errors[-1]
        words, remedy = forward_cause(case, origin)
        cause, remedy = _of_weights(case, origin.step, (Place(words=words, where=origin.where),), remedy)
        sentence = f"{case.name(bad[0].id)} {_is(bad[0].value)}, and the program stopped."
        yield Finding(
            kind=KIND, severity=ERROR, sentence=sentence,
            cause=(*cause, Place(words="it stopped here", where=stop[1].where)), remedy=remedy,
            steps=(stop[0], origin.step), parts=_parts(origin),
        )  # fmt: skip


Origin = tuple[tuple[Place, ...], str, int, tuple[str, ...]]


def _is(value: e.Value) -> str:
    """
    >>> _is(e.Value(numbers=[float("nan")])), _is(e.Value(numbers=[1.0, float("inf")]))
    ('is NaN', 'is infinite at [1]')
    """
    if value.numbers is not None and any(finite(e.Value(numbers=each)) for each in flat(value.numbers)):
        return f"is {astray(value)} at {place_in(value.numbers)}"
    return f"is {astray(value)}"


def place_in(numbers: object) -> list[int]:
    """Where in nested lists the first number is that is not finite."""
    at: list[int] = []
    while isinstance(numbers, list | tuple):
        index = next(k for k, each in enumerate(numbers) if not finite(e.Value(numbers=each)))
        at.append(index)
        numbers = numbers[index]
    return at


def _harm(case: Case) -> tuple[int, str, e.Value] | None:
    """The first loss, gradient or parameter that is not finite: when, what it is called, and its numbers."""
    found: list[tuple[int, str, e.Value]] = []
    for each in case.passes:
        for tensor, root in zip(each.event.tensors, each.roots, strict=False):
            made = case.call_of.get(root)
            values = [facts.value for facts in made.outputs if facts.id == tensor] if made is not None else []
            found += [(each.step, case.name(tensor), value) for value in values if not finite(value)][:1]
    for leaf, changes in case.grads.items():
        bad = next((c for c in changes if c.value is not None and not finite(c.value)), None)
        if bad is not None and bad.value is not None:
            found.append((bad.step, f"{case.name(leaf)}.grad", bad.value))
    found += _on_the_way(case)
    for step, tensor in case.wanderers:
        writes = case.writes[case.tensors[tensor].facts.storage] if tensor in case.given else ()
        if write := next((each for each in writes if each.step >= step), None):
            found.append((step, case.name(tensor), write.event.value))
            break
    return min(found, key=lambda each: each[0], default=None)


def _on_the_way(case: Case) -> Iterator[tuple[int, str, e.Value]]:
    """What passes that an error ended, such as anomaly mode's, had computed by then."""
    for each in case.passes:
        for node in each.ran if each.end is None else ():
            call = case.call_of.get(node)
            for step, event in case.evaluated[node]:
                bad = [value for value in event.gradients if value is not None and not finite(value)]
                if bad and call is not None and call.operands:
                    yield step, f"The gradient of {case.name(call.operands[0])}", bad[0]


def _is_bad_loss(case: Case, step: int) -> bool:
    """Whether the pass at a step began at numbers that are not finite."""
    return any(not finite(facts.value) for call in _roots(case, step) for facts in call.outputs)


def _roots(case: Case, step: int) -> list[Call]:
    at = case.pass_at(step)
    return [] if at is None else [case.call_of[root] for root in at.roots if root in case.call_of]


def _forward(case: Case, step: int) -> Origin | None:
    """The first call on the path to the loss that made it of finite numbers."""
    calls = [call for root in _roots(case, step) for call in case.ancestors(root) if call.is_astray]
    if not calls or not _is_bad_loss(case, step):
        return None
    call = min(calls, key=lambda each: each.number)
    words, remedy = forward_cause(case, call)
    places = [Place(words=words, where=call.where), *_turned(case, call, step)]
    return (*places, *_way(case, call, step)), remedy, call.step, _parts(call)


def _turned(case: Case, origin: Call, step: int) -> Iterator[Place]:
    """Where NaN came of the infinities that a call made."""
    behind = {call.number for root in _roots(case, step) for call in case.ancestors(root)}
    later = (case.calls[number] for number in sorted(behind) if number >= origin.number)
    first = next((call for call in later if any(_is_nan(facts.value) for facts in call.outputs)), None)
    if first is not None and first is not origin:
        yield Place(words=of_infinities(first), where=first.where)


def _is_nan(value: e.Value) -> bool:
    return not finite(value) and astray(value) == "NaN"


def _way(case: Case, call: Call, step: int) -> Iterator[Place]:
    """By which results it came to the loss, if there are any between."""
    before: dict[int, int] = {}
    waiting, roots = [call.number], {root.number for root in _roots(case, step)}
    for number in waiting:
        for user in case.calls[number].users:
            if user not in before and user != call.number:
                before[user] = number
                waiting.append(user)
    end = next((root for root in sorted(roots) if root in before), None)
    way = [] if end is None else [end]
    while way and way[-1] != call.number:
        way.append(before[way[-1]])
    names = [name for number in reversed(way) if (name := case.calls[number].outputs[0].name)]
    if end is not None and len(names) > 1:
        told = names if len(names) <= MOST else [*names[:2], "…", *names[-2:]]
        yield Place(words=f"from there it comes by {' → '.join(told)}", where=case.calls[end].where)


def _parts(call: Call) -> tuple[str, ...]:
    return (*([call.node] if call.node else []), *(facts.id for facts in call.outputs))


def _backward(case: Case, step: int) -> Origin | None:
    """The first node of the pass that was given finite gradients and computed others."""
    at = case.pass_at(step)
    if at is None:
        return None
    ran = [
        (when, event) for node in at.ran for when, event in case.evaluated[node] if at.step <= when <= (at.end or step)
    ]
    for when, event in sorted(ran, key=lambda each: each[0]):
        came = [v for s, v in case.visited[event.node] if s < when][-1:]
        if all(map(finite, event.gradients)) or not all(finite(value) for v in came for value in v.gradients):
            continue
        call = case.call_of.get(event.node)
        if call is not None:
            words, remedy = backward_cause(case, call, came[0].gradients if came else ())
            return (Place(words=words, where=call.where),), remedy, when, (event.node, *call.operands)
    return None


def _given(case: Case, step: int) -> Origin | None:
    """What was made with it, such as data, or had it written into, and was used for the loss after that."""
    behind = {call.number for root in _roots(case, step) for call in case.ancestors(root)}
    for name, tensor in case.tensors.items():
        if tensor.first_maker is None and tensor.step <= step and not finite(tensor.facts.value) and tensor.uses:
            words = f"{case.name(name)} {_is(tensor.facts.value)} from the start"
            remedy = _cleaned(tensor.facts.name or "x", tensor.facts.shape)
            return (Place(words=words, where=tensor.where),), remedy, tensor.step, (name,)
        write, called = case.spoiled.get(tensor.facts.storage), tensor.facts.name
        if write is None or not called or write.step > step:
            continue
        if any(write.step < case.calls[use].step for use in behind.intersection(tensor.uses)):
            words, remedy = f"{called} {_is(write.event.value)} from here on", _cleaned(called, tensor.facts.shape)
            return (Place(words=words, where=write.event.where),), remedy, write.step, (name,)
    return None


def _cleaned(name: str, shape: tuple[int, ...]) -> str:
    rows = f"; or take only what is finite: `{name}[torch.isfinite({name}).all(1)]`" if len(shape) == 2 else ""
    return f"Clean the data first: `{name} = torch.nan_to_num({name})`{rows}."


def _severity(case: Case) -> str:
    """A note where all of it was thrown away, as a GradScaler does that tries how far it can go."""
    if any(OF_NAN.search(event.message) for _, event in case.errors):
        return ERROR
    if not case.updates:
        return WARNING
    bad = [c.step for changes in case.grads.values() for c in changes if c.value is not None and not finite(c.value)]
    is_used = any(tensor in case.given for _, tensor in case.wanderers)
    recovers = bool(bad) and any(update.written and update.step > max(bad) for update in case.updates)
    return NOTE if recovers and not is_used else WARNING
