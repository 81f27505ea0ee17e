"""A backward pass through a graph that an earlier pass has freed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lab import events as e
from autograd_lab.findings.case import ASSIGNED, Call, Case, Pass
from autograd_lab.findings.code import parameter_last
from autograd_lab.findings.finding import ERROR, Finding, Place

KIND = "second-backward"
MESSAGE = "Trying to backward through the graph a second time"
ITEM = re.compile(r"([A-Za-z_]\w*)\[\d+\]")
"""A tensor in a tuple, as the state of an LSTM is."""


def find(case: Case) -> Iterator[Finding]:
    """Each error that says so."""
    for step, event in case.errors:
        if event.message.startswith(MESSAGE):
            yield _finding(case, step, event)


def _finding(case: Case, step: int, event: e.ErrorRaised) -> Finding:
    node = event.node or ""
    made, freed = case.call_of.get(node), case.freed.get(node)
    cause = []
    if freed is not None:
        cause.append(Place(words="this pass freed what the graph had saved", where=freed[1]))
    if made is not None and made.where is not None:
        cause.append(Place(words="which was saved here", where=made.where))
    cause.append(Place(words="and is needed again here", where=event.where))
    steps = [step, *([freed[0]] if freed is not None else [])]
    return Finding(
        kind=KIND, severity=ERROR, sentence="backward() goes through a graph a second time; the first time freed it.",
        cause=tuple(cause), remedy=_remedy(case, step, event), steps=tuple(steps), parts=(node,) if node else (),
    )  # fmt: skip


def _remedy(case: Case, step: int, event: e.ErrorRaised) -> str:
    """A state that is carried over, a graph that is shared by two losses, or the very same pass twice."""
    now = case.pass_at(step) or (case.passes[-1] if case.passes else None)
    before = next((each for each in reversed(case.passes) if event.node in each.ran), None)
    if now is None or before is None or before is now:
        return "Run the forward pass again before each backward()."
    first, second = (_root(case, each.event) for each in (before, now))
    if set(now.roots) == set(before.roots):
        keep = f"`{first}.backward(retain_graph=True)`" if first else "`retain_graph=True`"
        return f"Run the forward pass again before each backward(); or keep the graph the first time: {keep}."
    if now.event.where == before.event.where:
        made = case.call_of.get(event.node or "")
        if made is not None and not any(call.step > before.step and call.where == made.where for call in case.calls):
            if made.where is not None and (first := parameter_last(made.where.text)) is not None:
                return f"What is computed of a Parameter is none itself, and does not learn. Compute first: `{first}`."
            what = _made_before(made)
            return f"{what} before the loop: compute it anew in each turn, or detach() it, if it is to stay as it is."
        return detached(case, now.step)
    if (shared := _for_others(case, before, now)) is not None:
        to = f" on the path to `{first}`" if first else " for the first loss"
        return f"What steps in between does not learn what made `{shared}`: take `{shared}.detach()`{to}."
    if {first, second} & {None} or first == second:
        return "Add the losses up and call backward() once, or pass `retain_graph=True` to the first."
    return f"Add them up and go back once: `({first} + {second}).backward()`; or `{first}.backward(retain_graph=True)`."


def detached(case: Case, step: int) -> str:
    """What to do about a state that is carried over: a tensor, or a tuple of them, such as an LSTM has."""
    state = carried(case, step)
    cut = f"{state}.detach()"
    if item := ITEM.fullmatch(state):
        state = item[1]
        cut = f"tuple(h.detach() for h in {state})"
    elif state == "state" and (state := _carried_in_a_tuple(case, step) or state) != "state":
        cut = f"tuple(h.detach() for h in {state})"
    return f"Detach what is carried over from one turn to the next: `{state} = {cut}`."


def _for_others(case: Case, before: Pass, now: Pass) -> str | None:
    """What two passes share, if an optimizer steps between them that was given nothing of what it was made of."""
    updates = [each for each in case.updates if before.step < each.step < now.step and each.event.parameters]
    behind = [_behind(case, each) for each in (before, now)]
    shared = [case.calls[number] for number in sorted(behind[0] & behind[1], reverse=True)]
    last = next((call for call in shared if call.node and call.outputs and call.outputs[0].name), None)
    if last is None or not updates:
        return None
    of = {name for call in case.ancestors(last) for name in call.operands}
    is_anothers = all(of.isdisjoint(each.event.parameters) for each in updates)
    return _called(case, last) if is_anothers else None


def _called(case: Case, call: Call) -> str | None:
    """The variable of what a call gave: where a module gave it, that of the line that called the module."""
    whole = next((m for m in case.modules if not m.depth and m.first <= call.number < m.last), None)
    text = whole.event.where.text if whole is not None and whole.event.where is not None else ""
    return made[1] if (made := ASSIGNED.match(text.strip())) else call.outputs[0].name


def _behind(case: Case, each: Pass) -> set[int]:
    roots = [case.call_of[root] for root in each.roots if root in case.call_of]
    return {call.number for root in roots for call in case.ancestors(root)}


def _made_before(call: Call) -> str:
    name = call.outputs[0].name if call.outputs else None
    line = f"line {call.where.line}" if call.where is not None else "the program"
    return f"`{name}` was computed once, on {line}," if name else f"Part of the graph was made once, on {line},"


def _root(case: Case, started: e.BackwardStarted) -> str | None:
    tensor = case.tensors.get(started.tensors[0]) if started.tensors else None
    return tensor.facts.name if tensor is not None else None


def carried(case: Case, step: int) -> str:
    """The variable that the graph of the turn before is still held by: a result of it that the new turn took."""
    names = (case.tensors[operand].facts.name for operand, _ in _taken_over(case, step))
    return next((name for name in names if name), "state")


def _taken_over(case: Case, step: int) -> Iterator[tuple[str, Call]]:
    """The results of the turn before that the turn of a pass took, with the calls that made them."""
    last = max((p.end or p.step for p in case.passes if p.step < step), default=0)
    for call in case.calls:
        if last < call.step < step:
            for operand, source in zip(call.operands, call.sources, strict=False):
                if source is not None and case.calls[source].step < last and case.calls[source].node is not None:
                    yield operand, case.calls[source]


def _carried_in_a_tuple(case: Case, step: int) -> str | None:
    """The variable that a line both reads and assigns, of a result that has no name of its own."""
    for _, call in _taken_over(case, step):
        try:
            tree = ast.parse(call.where.text.strip() if call.where is not None else "")
        except SyntaxError:
            continue
        names = [each for each in ast.walk(tree) if isinstance(each, ast.Name)]
        read = {each.id for each in names if isinstance(each.ctx, ast.Load)}
        both = [each.id for each in names if isinstance(each.ctx, ast.Store) and each.id in read]
        if both:
            return both[0]
    return None
