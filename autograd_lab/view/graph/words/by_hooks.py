"""What hooks made of gradients, and what checkpoints had run again, in a sentence."""

from __future__ import annotations

from autograd_lab.events import HookCalled, Value
from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.hooking import HOOK, TENSOR, done_by_hook
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.words.called import Called
from autograd_lab.view.graph.words.meeting import adds_up
from autograd_lab.view.kit.figure import counted, figure, is_bad, is_now, is_zero, norm_of, number_of, short_of
from autograd_lab.view.kit.headline import ALARM, Headline, Run, said

HALVES = {0.5: "halves", 2.0: "doubles", -1.0: "turns round"}


def hooked(state: GraphState, history: History, called: Called, begun: int) -> Headline | None:
    """What the first hook that changed a gradient since a step, at which a pass began, made of it."""
    calls = sorted((call for each in history.hooks.values() for call in each), key=lambda call: call.step)
    for call in calls:
        event = call.event
        if begun < call.step <= state.step and event.hook == TENSOR and event.after is not None and event.before:
            return done(event, called)
    return None


def done(event: HookCalled, called: Called) -> Headline:
    """What a hook did in a call: `A hook on h takes its gradient × 0.1: 12 becomes 1.2`."""
    before, after = event.before, event.after
    name = called.tensor(event.tensor) if event.tensor else called.made_by(event.node) if event.node else ""
    hook, its = (f"A hook on {name}", "its") if name else ("A hook", "the")
    if before is None:
        return Headline(f"{hook} has run")
    if after is None:
        return Headline(f"{hook} looks at {its} gradient: it {is_now(before)}", f"{hook} looks at {its} gradient")
    told = f"{hook} {_verb(before, after, its)}"
    if is_bad(after):
        return Headline(told, sub=said(Run(short_of(before), ALARM), ", ", Run(short_of(after), ALARM)))
    old, new = number_of(before), number_of(after)
    is_norm = old is None or new is None
    sizes = (norm_of(before), norm_of(after)) if is_norm else (old, new)
    if None in sizes or is_zero(after):
        return Headline(told)
    return Headline(f"{told}: {'norm ' * is_norm}{figure(sizes[0], 3)} becomes {figure(sizes[1], 3)}", told)


def _verb(before: Value, after: Value, its: str) -> str:
    """What a hook does to a gradient, as exactly as can be known."""
    found = next((verb for ratio, verb in HALVES.items() if is_times(before, after, ratio)), "")
    if found == "turns round":
        return f"turns {its} gradient round"
    if found or is_zero(after):
        return f"{found} {its} gradient" if found else f"sets {its} gradient to 0"
    word = done_by_hook(before, after)
    return f"changes {its} gradient" if word == HOOK or is_bad(after) else f"takes {its} gradient {word}"


def is_times(before: Value, after: Value, ratio: float) -> bool:
    """Whether one value is known to be so many times another."""
    halves = [before] * int(ratio) if ratio > 1 else [after] * round(1 / abs(ratio))
    if ratio > 1:
        return adds_up(halves, after)
    if ratio > 0:
        return adds_up(halves, before)
    return adds_up([before, after, after], after) and not is_zero(before)


def ran_again(history: History, begun: int) -> Headline | None:
    """The ops that ran once more since a pass began, as a checkpoint had kept nothing of them."""
    count = sum(op.unpacks and op.node is not None and op.born > begun for op in history.ops.values())
    if not count:
        return None
    short = f"{counted(count).capitalize()} op{'s' * (count > 1)} ran again in backward"
    sub = said("a checkpoint keeps its inputs alone: less memory, more to compute")
    return Headline(f"{short}, for what forward had not kept", short, sub)
