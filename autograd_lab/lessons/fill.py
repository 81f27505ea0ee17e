"""F: fill in values. Truths are computed when an answer is checked; known wrong answers are answered as such."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograd_lab.lessons.exercise import Exercise
from autograd_lab.lessons.registry import declare
from autograd_lab.lessons.worded import worded
from autograd_lab.lessons.world import world

TOLERANCE = 1e-3
"""Of numbers, relative to their size or to 1: as many digits as one writes by hand."""


@dataclass(frozen=True)
class Mistake:
    """A known wrong answer: `value`, or `value(torch)`; for an answer with names, those of its entries that tell.

    `belief` completes "who answers so thinks that …".
    """

    value: Any
    belief: str
    says: str


@dataclass(frozen=True)
class Filling(Exercise):
    """An exercise that is answered by values; `truth(torch)` computes the right ones."""

    truth: Callable[[Any], Any] = lambda torch: None
    mistakes: tuple[Mistake, ...] = ()


def fill(
    id: str,
    text: str,
    truth: Callable[[Any], Any],
    *,
    mistakes: Sequence[Mistake] = (),
    hints: Sequence[str],
    after: str = "",
    shown: str = "",
    tolerance: float = TOLERANCE,
) -> None:
    """Declare an exercise whose answer is a value, a list or a dict of values, as `truth(torch)` computes it."""

    def judge(answer: Any) -> str:
        torch = world("autograd_lab")
        wanted, given = plain(truth(torch)), _in_english(plain(answer), plain(truth(torch)))
        if not wrong_places(given, wanted, tolerance):
            return ""
        for mistake in mistakes:
            if _is_made(given, plain(mistake.value(torch) if callable(mistake.value) else mistake.value), tolerance):
                says = "That answer often comes from the idea that {belief}. {says}"
                said = worded(says, belief=worded(mistake.belief), says=worded(mistake.says))
                return f"{said} {_where(given, wanted, tolerance)}" if isinstance(wanted, dict) else said
        return _where(given, wanted, tolerance)

    declare(Filling(id, text, judge, tuple(hints), after, shown, truth=truth, mistakes=tuple(mistakes)))


def plain(value: Any) -> Any:
    """A value without tensors: numbers, texts, lists and dicts of them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def equal(given: Any, wanted: Any, tolerance: float = TOLERANCE) -> bool:
    """Whether two plain values are the same, numbers within a tolerance, texts whatever their case.

    >>> equal(0.3333, 1 / 3), equal([1, 2], [1.0, 2.0]), equal(True, 1), equal("None", None)
    (True, True, False, True)
    """
    if isinstance(wanted, bool) or isinstance(given, bool):
        return given is wanted
    if isinstance(wanted, int | float) and isinstance(given, int | float):
        near = abs(given - wanted) <= tolerance * max(1.0, abs(wanted))
        return near or given == wanted or (given != given and wanted != wanted)
    if isinstance(wanted, list) and isinstance(given, list):
        return len(given) == len(wanted) and all(equal(*pair, tolerance) for pair in zip(given, wanted, strict=True))
    return str(given).strip().lower() == str(wanted).strip().lower()


def wrong_places(given: Any, wanted: Any, tolerance: float) -> list[str]:
    """The names of the entries that are wrong, or one empty name for an answer that is wrong as a whole."""
    if isinstance(wanted, dict):
        if not isinstance(given, dict) or given.keys() != wanted.keys():
            return [""]
        return [name for name in wanted if not equal(given[name], wanted[name], tolerance)]
    return [] if equal(given, wanted, tolerance) else [""]


def _is_made(given: Any, mistake: Any, tolerance: float) -> bool:
    if isinstance(mistake, dict):
        return isinstance(given, dict) and all(
            name in given and equal(given[name], value, tolerance) for name, value in mistake.items()
        )
    return equal(given, mistake, tolerance)


def _in_english(given: Any, wanted: Any) -> Any:
    """An answer under the names of the truth, where it has those that they have in the language that is spoken."""
    if not isinstance(given, dict) or not isinstance(wanted, dict):
        return given
    names = {worded(name): name for name in wanted}
    return {names.get(name, name): value for name, value in given.items()}


def _is_rounded(given: Any, wanted: Any) -> bool:
    """Whether a number is the right one, written with one or two decimals.

    >>> _is_rounded(1.39, 1.3863), _is_rounded(1.38, 1.3863)
    (True, False)
    """
    numbers = isinstance(given, float) and isinstance(wanted, int | float)
    return numbers and given in (round(wanted, 1), round(wanted, 2))


def _where(given: Any, wanted: Any, tolerance: float) -> str:
    if isinstance(wanted, dict):
        return _where_in_dict(given, wanted, tolerance)
    if isinstance(wanted, list):
        if not isinstance(given, list) or len(given) != len(wanted):
            return worded("The answer should be a list of {number} values.", number=len(wanted))
        wrong = [str(number) for number, pair in enumerate(zip(given, wanted, strict=True), 1) if not equal(*pair)]
        return worded("Look again at number {numbers} of the list.", numbers=", ".join(wrong))
    is_number = isinstance(wanted, int | float) and not isinstance(wanted, bool)
    if isinstance(given, bool) != isinstance(wanted, bool) or isinstance(given, str) != isinstance(wanted, str):
        kind = worded("a number") if is_number else type(wanted).__name__
        return worded("The answer should be {kind}.", kind=kind)
    return worded("That is not it.")


def _where_in_dict(given: Any, wanted: dict[str, Any], tolerance: float) -> str:
    if not isinstance(given, dict) or given.keys() != wanted.keys():
        keys = ", ".join(repr(worded(name)) for name in wanted)
        return worded("The answer should be a dict with the keys {keys}.", keys=keys)
    wrong = wrong_places(given, wanted, tolerance)
    if rounded := [name for name in wrong if _is_rounded(given[name], wanted[name])]:
        return worded("Too few decimals: {places}.", places=", ".join(worded(name) for name in rounded))
    places = ", ".join(worded(name) for name in wrong)
    right = ", ".join(worded(name) for name in wanted if name not in wrong)
    if not right:
        return worded("Look again at {places}.", places=places)
    return worded("Look again at {places}. Right so far: {right}.", places=places, right=right)
