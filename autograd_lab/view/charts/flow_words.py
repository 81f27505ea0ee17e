"""What a picture of gradient flow shows, in words: a headline, a sentence below it, a text instead of the picture."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from autograd_lab.trace.flow_table import Flow, Row
from autograd_lab.view.charts.flow_panels import short
from autograd_lab.view.languages.speaking import translated

APART, GROWN = 1000.0, 20.0
"""From such ratios on gradients differ so much, or change so much over a run, that it is worth a headline."""
TOO_LARGE, TOO_SMALL = 0.3, 1e-6
"""Beyond these an update is large, or small, beside its weight."""

Told = tuple[str, str] | None


def in_words(flow: Flow) -> tuple[str, str]:
    """The headline and the sentence below it, in the language that is spoken."""
    headline, sentence = _told(flow)
    return translated(headline), translated(sentence)


def _told(flow: Flow) -> tuple[str, str]:
    """The first that there is something to say for."""
    if not flow.rows:
        return "No parameter got a gradient", "There was no backward pass, or it came to no leaf."
    known = replace(flow, rows=tuple(row for row in flow.rows if row.norm))
    if not known.rows:
        return "How large gradients were is not known", "The recording does not tell of their numbers."
    rules: tuple[Callable[[Flow], Told], ...] = (_not_finite, _nothing, _apart, _grown, _updates)
    return next((told for rule in rules if (told := rule(known))), None) or _even(known)


def description(flow: Flow) -> str:
    """The picture for whoever cannot see it."""
    told = [". ".join(_told(flow)).replace("..", ".")]
    for row in flow.rows:
        if not row.norm:
            told.append(f"{row.name}: not known.")
            continue
        first, last = row.norm[0], row.norm[-1]
        told.append(f"{row.name}: {short(first[1])} in iteration {first[0]:,}, {short(last[1])} in {last[0]:,}.")
    return translated(" ".join(told))


def _not_finite(flow: Flow) -> Told:
    found = [(at, row) for row in flow.rows for at, number in row.norm if not math.isfinite(number)]
    if not found:
        return None
    at, row = min(found, key=lambda each: each[0])
    before = [(when, number) for when, number in row.norm if when < at]
    number = dict(row.norm)[at]
    kind = "NaN" if math.isnan(number) else "infinite"
    told = f"In iteration {before[-1][0]:,} its norm was still {short(before[-1][1])}. " if before else ""
    return (
        f"{row.name}.grad is {kind} from iteration {at:,} on",
        told + "`diagnose` names the op that made the first one.",
    )


def _nothing(flow: Flow) -> Told:
    dead = [row for row in flow.rows if row.norm and not any(number for _, number in row.norm)]
    if not dead:
        return None
    others = f" Nor do {len(dead) - 1} others." if len(dead) > 1 else ""
    count = len(dead[0].norm)
    when = "in the only iteration" if count == 1 else f"in each of {count:,} iterations"
    return f"Nothing comes to {dead[0].name}", f"Its gradient is 0 {when}, to the last element.{others}"


def _apart(flow: Flow) -> Told:
    sizes: dict[str, list[tuple[float, Row]]] = {}
    for row in flow.rows:
        if number := row.norm[-1][1]:
            sizes.setdefault(row.name.rpartition(".")[2], []).append((number, row))  # weights are like weights
    everything = [pair for each in sizes.values() for pair in each]
    if not everything:
        return None
    pairs = [(min(each, key=_size), max(each, key=_size)) for each in (*sizes.values(), everything)]
    found = next((pair for pair in pairs if _ratio(pair[1][0], pair[0][0]) >= APART), None)
    if found is None:
        return None
    (low, least), (high, most) = found
    at = f" in iteration {most.norm[-1][0]:,}" if flow.seen > 1 else ""
    return (
        f"{least.name}'s gradient is {_times(_ratio(high, low))} times smaller than {most.name}'s",
        f"Their norms are {short(low)} and {short(high)}{at}.",
    )


def _size(pair: tuple[float, Row]) -> float:
    return pair[0]


def _grown(flow: Flow) -> Told:
    at = flow.measured
    first, last = (_total(flow, when) for when in (at[0], at[-1]))
    if not first or not last or _ratio(max(first, last), min(first, last)) < GROWN:
        return None
    ratio = _ratio(last, first)
    how = f"grow {_times(ratio)} times larger" if ratio > 1 else f"shrink {_times(_ratio(first, last))} times"
    return f"The gradients {how}", f"All together: {short(first)} in iteration {at[0]:,}, {short(last)} in {at[-1]:,}."


def _total(flow: Flow, at: int) -> float:
    return math.hypot(*(dict(row.norm).get(at, 0.0) for row in flow.rows))


def _updates(flow: Flow) -> Told:
    found = sorted((row.update[-1][1], row.name) for row in flow.rows if row.update)
    if not found:
        return None
    middle, (most, name) = found[len(found) // 2][0], found[-1]
    if middle > TOO_LARGE:
        return f"A step changes {name} by {short(most)} of its size", "Such steps overshoot: a smaller learning rate?"
    if most < TOO_SMALL:
        return "The steps hardly change the weights", f"The largest update is {short(most)} of its weight, {name}."
    return None


def _even(flow: Flow) -> tuple[str, str]:
    sizes = [row.norm[-1][1] for row in flow.rows if row.norm[-1][1]]
    found = sorted(row.update[-1][1] for row in flow.rows if row.update)
    told = f"A step changes them by {short(found[0])} to {short(found[-1])} of their size." if found else ""
    count = "Both gradients lie" if len(flow.rows) == 2 else f"All {len(flow.rows)} gradients lie"
    if len(flow.rows) == 1 or len(sizes) < len(flow.rows):
        return f"{flow.rows[0].name}'s gradient is {short(flow.rows[0].norm[-1][1])} in the end", told
    return f"{count} within a factor of {_times(_ratio(max(sizes), min(sizes)))}", told


def _ratio(large: float, small: float) -> float:
    """How many times larger one size is; no more than what numbers can tell."""
    return min(large / max(small, 1e-300), 1e300)


def _times(ratio: float) -> str:
    """
    >>> _times(1234567.0), _times(3.21)
    ('1,200,000', '3.2')
    """
    return f"{float(f'{ratio:.2g}'):,.0f}" if 10 <= ratio < 1e9 else short(ratio)
