"""`vary(f, a=(-3, 3))`: a function, or a script, in which numbers can be dragged."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from autograd_lab.display.experiment import run
from autograd_lab.display.rerun import Rerun
from autograd_lab.display.script import INTERRUPTED, Run, find_script
from autograd_lab.display.span import STEPS, Span, span_of
from autograd_lab.display.target import Misuse
from autograd_lab.display.variation import WITHIN, Axis, Variation, variation
from autograd_lab.recording.iterations.record import say_nothing
from autograd_lab.trace import Trace
from autograd_lab.view.abstract_scene import View

FEW_STEPS = 12
"""Into so many steps the span of each of several numbers is divided that are varied together."""
TOGETHER = 400
"""Two numbers are varied together if that makes no more runs."""

Wish = tuple[str, Span]
"""A name, and the values that it should take."""


def vary(
    program: Callable[..., Any] | str | os.PathLike[str],
    /,
    *,
    within: float = WITHIN,
    view: View = "engine",
    **numbers: Any,
) -> Variation:
    """A page, or in a notebook a player, in which numbers of a function or of a script can be dragged.

    `vary(f, a=(-3, 3), b=2.0)`: (least, most) or (least, most, step) is a range, a number one that is in the middle of
    its range; `f` is called with the defaults that it has, or with the middles. Floats become leaves that ask for a
    gradient, and a result that is one number is differentiated, as `explore` does it. `vary("script.py", a=(-3, 3),
    b=None)`: of a script, names that it sets to a number; None has a range found.

    The program runs once for each value, with the other numbers as they are, and not for more than `within` seconds.
    `view` is that of `draw`: with "maths" there are no names of nodes and no saved values, until one presses m. Raises
    ValueError for a number that there is not, or a range without the program's own, and NothingToDraw.
    """
    if callable(program):
        return _vary_function(program, numbers, within, view)
    wishes = [(name, Span() if it is None else span_of(name, _range(name, it))) for name, it in numbers.items()]
    return vary_script(Rerun(find_script(os.fspath(program))), [[wish] for wish in wishes], within=within, view=view)


def wishes_of(text: str) -> list[Wish]:
    """What `a`, `a=-3:3` or `a=-3:3,b` ask for: numbers that are varied together. Raises Misuse for anything else."""
    wishes = []
    for part in text.split(","):
        name, equals, values = part.strip().partition("=")
        if not name.isidentifier():
            raise Misuse(f"--vary takes a name, as in --vary a or --vary a=-3:3, not {text!r}")
        wishes.append((name, span_of(name, values) if equals else Span()))
    return wishes


def vary_script(
    script: Rerun,
    groups: Sequence[Sequence[Wish]],
    hear: Callable[[Run], None] | None = None,
    say: Callable[[str], None] = say_nothing,
    within: float = WITHIN,
    **options: Any,
) -> Variation:
    """A script run with many numbers. If somebody wants to `hear` of its own run, that is loud, and told of at once.

    `options` are those of `make_scene`. Raises Misuse, TorchMissing and NothingToDraw.
    """
    literals = {name: script.literal(name) for group in groups for name, _ in group}
    if len(literals) < sum(map(len, groups)):
        raise Misuse("each name can be varied once")
    homes = {name: literal.text for name, literal in literals.items()}

    def trace(numbers: Mapping[str, str]) -> Trace | None:
        others = {literals[name]: text for name, text in numbers.items()}
        if others or hear is None:
            ran = script.run(others)
            return None if ran.code == INTERRUPTED and others else ran.trace
        ran = script.run({}, say, loud=True)
        hear(ran)
        return ran.trace

    return variation(script.name, _axes(groups, homes), trace, within, say, **options)


def _vary_function(function: Callable[..., Any], wishes: Mapping[str, Any], within: float, view: View) -> Variation:
    name = getattr(function, "__name__", "function")
    parameters = inspect.signature(function).parameters
    if wrong := [wish for wish in wishes if wish not in parameters]:
        raise TypeError(f"{name} has no argument {wrong[0]!r}; it has {', '.join(parameters) or 'none'}")
    defaults = {key: it.default for key, it in parameters.items() if it.default is not it.empty}
    own = {key: defaults.get(key, _middle(it)) for key, it in wishes.items()}
    own = {key: it if isinstance(it, int | float) else _middle(wishes[key]) for key, it in own.items()}
    spans = {key: span_of(key, _range(key, it)) if isinstance(it, tuple) else Span() for key, it in wishes.items()}
    axes = _axes([[wish] for wish in spans.items()], {key: repr(number) for key, number in own.items()})

    def trace(numbers: Mapping[str, str]) -> Trace:
        changed = {key: type(own[key])(float(text)) for key, text in numbers.items()}
        return run(function, {**defaults, **own, **changed}).trace

    return variation(name, axes, trace, within, view=view)


def _axes(groups: Sequence[Sequence[Wish]], homes: Mapping[str, str]) -> list[list[Axis]]:
    """Each group's numbers with their values. Two numbers are varied together, so that neither goes back to the
    program's own while one drags the other, unless that would be too many runs."""
    if [len(group) for group in groups] == [1, 1]:
        together = _axes([[*groups[0], *groups[1]]], homes)
        if math.prod(len(axis.values) for axis in together[0]) <= TOGETHER:
            return together
    found = []
    for group in groups:
        steps = STEPS if len(group) == 1 else FEW_STEPS
        values = {name: span.values(name, homes[name], steps) for name, span in group}
        found.append([Axis(name, each, each.index(homes[name])) for name, each in values.items()])
    return found


def _range(name: str, given: Any) -> str:
    """A range as it is written on a command line. Raises TypeError for what is none."""
    match given:
        case (least, most, *step) if all(isinstance(each, int | float) for each in given):
            return ":".join(map(str, (least, most, *step)))
    raise TypeError(f"{name} should be (least, most) or (least, most, step), not {given!r}")


def _middle(given: Any) -> Any:
    """The number itself, or what is in the middle of a range."""
    if not isinstance(given, tuple):
        return given
    least, most = (Decimal(str(side)) for side in given[:2])
    return float((least + most) / 2)
