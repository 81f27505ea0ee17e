"""One film for many runs of a program: the first run's, and what is otherwise in the others.

Runs of a program differ in numbers, and hardly in anything else. So the film is that of the first run, and beside it
stand *variants*, places in it at which some run has something else, with *columns*, what stands there in each run. Many
variants share a column: a number is in the picture, in a sentence, on a card. Where runs part, as at an `if`, a column
has whole pieces of film, one for all runs that go the same way, with variants inside.

The lists of a film, in which everything stands once, are made anew: what two runs have at the same number of a list
need not be the same thing, and what one run has twice another may not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autograd_lab.view.pages.player_parts import Once

Film = dict[str, Any]
Numbered = tuple[tuple[int, Any], ...]
"""What several runs have at a place, each with the number of the run."""
Path = tuple[int | str, ...]

PAIRS = {"classes": ("classes", "signs"), "tracks": ("tracks", "moves")}
"""Two lists that one number is for, in a film; here they are one, of pairs."""
LISTS = (
    "manners", "shapes", "elements", "classes", "looks", "tracks", "members", "stops", "words", "rows", "sheets",
    "holdings",
)  # fmt: skip


def list_of(path: Path) -> str | None:
    """The list in which a number at this place of a film is a place; None for any other number."""
    match path:
        case ("elements", _, 0):
            return "shapes"
        case ("elements", _, _) | ("looks", _, 1, _):
            return "elements"
        case ("looks", _, 0):
            return "classes"
        case ("tracks", _, 0, int(place)) if place % 2:
            return "looks"
        case ("tracks", _, 1, _):
            return "manners"
        case ("legend", _, 3) | ("manners", _, 3, 0):
            return "looks"
        case ("graphs", _, "parts", _, 2):
            return "members"
        case ("graphs", _, "parts", _, 8):
            return "tracks"
        case ("graphs", _, "headlines"):
            return "words"
        case ("graphs", _, "stops", _):
            return "stops"
        case ("about", _, _) | ("reasons", _):
            return "rows"
        case ("answers", _, int(place)) if place % 2:
            return "rows"
        case ("contents", _, int(place)) if place % 2:
            return "holdings"
        case ("holdings", _, _, 1):
            return "sheets"
    return None


def common_film(films: Sequence[Film]) -> Film:
    """The film of the first run, with what is otherwise in each of them as its `variants` and `columns`.

    A variant is a path and the number of a column; a column has what there is, and for each run the place of its own in
    that, or -1 for a run in which that place is not. Spots are set in their order: pieces before what is in them.
    """
    return _Together([paired(film) for film in films]).film()


def paired(film: Film) -> Film:
    """With one list of pairs in place of two lists."""
    pairs = {name: list(zip(*(film[each] for each in both), strict=True)) for name, both in PAIRS.items()}
    return {name: it for name, it in film.items() if not any(name in both for both in PAIRS.values())} | pairs


class _Together:
    """Goes through films side by side."""

    def __init__(self, films: Sequence[Film]) -> None:
        self._films = films
        self._lists: dict[str, list[Any]] = {name: [] for name in LISTS}
        self._numbers: dict[tuple[str, Numbered], int] = {}
        self._columns, self._variants = Once(), []  # type: ignore[var-annotated]

    def film(self) -> Film:
        """All that is not in a list, from which the lists are reached."""
        self._entry("manners", tuple((run, 0) for run in range(len(self._films))))  # 0 is what moves leave out
        told = {
            name: self._one((name,), tuple((run, film[name]) for run, film in enumerate(self._films)))
            for name in self._films[0]
            if name not in LISTS
        }
        lists = {name: it for name, it in self._lists.items() if name not in PAIRS}
        for kept, both in PAIRS.items():
            lists |= {name: [pair[at] for pair in self._lists[kept]] for at, name in enumerate(both)}
        return told | lists | {"variants": self._variants, "columns": self._columns.items}

    def _one(self, path: Path, told: Numbered) -> Any:
        """What stands at a place for all of these runs; if that is not the same, a variant tells of it."""
        kinds: dict[Any, list[tuple[int, Any]]] = {}
        entries = list_of(path)
        for run, it in told:
            kinds.setdefault(_kind(it, entries), []).append((run, it))
        if len(kinds) == 1:
            return self._alike(path, told, entries)
        variant = [_written(path), -1]
        self._variants.append(variant)
        which = {run: number for number, (_, those) in enumerate(kinds.items()) for run, _ in those}
        found = [self._alike(path, tuple(those), entries) for those in kinds.values()]
        variant[1] = self._columns.number([found, [which.get(run, -1) for run in range(len(self._films))]])
        return found[0]

    def _alike(self, path: Path, told: Numbered, entries: str | None) -> Any:
        """The same for what is alike: lists of as many items, dicts with the same keys, equal texts and numbers."""
        first = told[0][1]
        if isinstance(first, dict):
            return {key: self._one((*path, key), tuple((run, it[key]) for run, it in told)) for key in first}
        if isinstance(first, list | tuple):
            return [self._one((*path, at), tuple((run, it[at]) for run, it in told)) for at in range(len(first))]
        return first if entries is None or not isinstance(first, int) else self._entry(entries, told)

    def _entry(self, entries: str, numbers: Numbered) -> int:
        """The number, in a list for all, of what these runs have in theirs at these numbers."""
        key = entries, numbers
        if key not in self._numbers:
            self._numbers[key] = number = len(self._lists[entries])
            self._lists[entries].append(None)
            told = tuple((run, self._films[run][entries][at]) for run, at in numbers)
            self._lists[entries][number] = self._one((entries, number), told)
        return self._numbers[key]


def _kind(it: Any, entries: str | None) -> Any:
    """What is alike has it in common."""
    match it:
        case dict():
            return "dict", *it
        case list() | tuple():
            return "list", len(it)
        case int() if entries is not None:
            return "entry"
    return type(it), it


def _written(path: Path) -> list[int | str]:
    """A place as the browser finds it: what is paired is in two lists."""
    match path:
        case (name, number, int(which), *rest) if name in PAIRS:
            return [PAIRS[str(name)][which], number, *rest]
    return list(path)
