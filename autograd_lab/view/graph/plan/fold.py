"""Folding: what would make a picture too large is drawn as boxes that say what they hide.

Calls of modules are folded first, from the inside out, until the picture can be read; then turns of loops. See
`piece.py` for why a fold never lies on a cycle.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import count
from typing import Any, NamedTuple

from autograd_lab.view.graph.facts.call import Call
from autograd_lab.view.graph.facts.history import History, Op
from autograd_lab.view.graph.plan.aside import asides
from autograd_lab.view.graph.plan.loop import SHOWN, loops_in
from autograd_lab.view.graph.plan.piece import Piece, Pieces
from autograd_lab.view.kit.numeral import amount
from autograd_lab.view.kit.signs import base_of

MOST = 60
"""Ops that are drawn at most before loops are folded."""
GROUPS = 8
"""Many modules or turns of a loop that are opened are about so many groups."""
READABLE, LARGEST = 24, 40
"""Boxes (ops, folds and leaves) that are drawn at most before modules are folded, and before an outermost one is."""


@dataclass(frozen=True, slots=True)
class Folding:
    """What a user asks for: no folding at all, so many levels of modules open (None: as can be read), these opened."""

    fold: bool = True
    depth: int | None = None
    expand: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fold:
    """A folded run of ops. `title` says what it is, `details` what it hides; `calls` are those of a module, if any,
    `turns` the ops of each turn of a loop, of which the first is turn number `first`."""

    id: str
    ops: tuple[str, ...]
    nodes: tuple[str, ...]
    node_set: frozenset[str]
    born: int
    title: str
    details: tuple[str, ...]
    calls: tuple[Call, ...] = ()
    turns: tuple[tuple[Op, ...], ...] = ()
    first: int = 0

    @property
    def sheets(self) -> int:
        """How many sheets are drawn behind it: one for one module, three for many."""
        return 1 if len(self.calls) == 1 else 3

    def keeps(self, name: str | None, made_inside: int | None) -> bool:
        """Whether a leaf that is used nowhere else is an affair of the fold: it has this name, and was made by the
        program at step `made_inside`, if it was not there before the recording."""
        if not self.calls:
            return True
        inside = made_inside is not None and any(call.entered < made_inside < call.left for call in self.calls)
        return inside or any(call.owns(name) for call in self.calls)


class Run(NamedTuple):
    """What is drawn as one: a piece, or those of some turns of a loop, so many a turn."""

    pieces: Sequence[Piece]
    period: int = 0

    @property
    def op(self) -> Op | None:
        """The op, if it is drawn by itself."""
        return self.pieces[0].ops[0] if len(self.pieces) == 1 and not self.pieces[0].calls else None


Opened = dict[str, Call]
"""The modules that are open, each by the id of what is drawn first of it."""


def folded(history: History, ops: Sequence[Op], asked: Folding) -> tuple[list[Op | Fold], Opened]:
    """What to draw of `ops`, in running order, and where open modules begin; culprits are drawn.

    Raises ValueError for a path to expand that no module has.
    """
    if not asked.fold:
        return list(ops), {}
    opened = _called(history.calls, asked.expand) | _around(history, history.culprits)
    return _items(_runs(history, ops, asked, opened), history, "f{}")


def inside_of(fold: Fold, history: History) -> tuple[list[Op | Fold], Opened]:
    """What to draw of what a fold hides, and where open modules begin: many modules or turns of a loop in groups.

    Nothing, if that would be the same fold once more.
    """
    ops = [history.ops[name] for name in fold.ops]
    if len(fold.calls) > 1 or (len(fold.turns) > 1 and len(ops) > READABLE):
        return _groups(fold, ops), {}
    first, last = (fold.calls[0].start, fold.calls[0].end - 1) if fold.calls else (_number(ops[0]), _number(ops[-1]))
    opened = frozenset(call.number for call in history.calls if call.start <= first and last < call.end)
    items, begun = _items(_runs(history, ops, Folding(), opened), history, fold.id + ".{}")
    stuck = any(isinstance(item, Fold) and len(item.ops) == len(ops) for item in items)
    return ([], {}) if stuck else (items, begun)


def _groups(fold: Fold, ops: Sequence[Op]) -> list[Op | Fold]:
    """Folds of about as many modules, or turns of a loop, each."""
    size = 1 if len(fold.calls or fold.turns) <= GROUPS * 1.5 else -(-len(fold.calls or fold.turns) // GROUPS)
    found: list[Op | Fold] = []
    for at in range(0, len(fold.calls or fold.turns), size):
        name = f"{fold.id}.{len(found)}"
        if fold.calls:
            calls = fold.calls[at : at + size]
            inside = [op for op in ops if calls[0].start <= _number(op) < calls[-1].end]
            if inside:  # of nodes from before the recording there is nothing to fold
                found.append(inside[0] if len(inside) == 1 else _fold(name, Run((Piece(tuple(inside), calls),))))
        else:
            turns = fold.turns[at : at + size]
            found.append(_fold_of_turns(name, turns, fold.first + at))
    return found


def _number(op: Op) -> int:
    return int(op.id[1:])


def _items(runs: Sequence[Run], history: History, name: str) -> tuple[list[Op | Fold], Opened]:
    names = map(name.format, count())
    items = [run.op or _fold(next(names), run) for run in runs]
    return items, _opened(runs, items, history.calls)


def _opened(runs: Sequence[Run], items: Sequence[Op | Fold], calls: Sequence[Call]) -> Opened:
    """The innermost of the open modules that begin at each item."""
    opened: Opened = {}
    seen: set[int] = set()
    for run, item in zip(runs, items, strict=True):
        inside = run.pieces[0].inside
        if inside is not None and inside.number not in seen:
            opened[item.id] = inside
        while inside is not None and inside.number not in seen:
            seen.add(inside.number)
            inside = None if inside.parent is None else calls[inside.parent]
    return opened


def _runs(history: History, ops: Sequence[Op], asked: Folding, opened: frozenset[int]) -> list[Run]:
    """What is drawn as one; the modules `opened` are open in any case."""
    bare, depth, culprits = Pieces(history, ops), asked.depth, history.culprits
    if _boxes(history, _apart(bare.singly())) > READABLE and any(beside := asides(history, ops)):
        before, behind = [[Run([Piece((op,)) for op in each])] if each else [] for each in beside]
        hidden = {op.id for each in beside for op in each}
        return [*before, *_runs(history, [op for op in ops if op.id not in hidden], asked, opened), *behind]
    if depth is None:
        singly = bare.singly()
        if not bare.levels or (not asked.expand and _boxes(history, _apart(singly)) <= READABLE):
            return _without_loops(singly, culprits, cut=True)
        depth = _readable_depth(history, bare, culprits)
    pieces = Pieces(history, ops, opened).at(depth, layers=asked.depth is not None)
    return _without_loops(pieces, culprits)


def _readable_depth(history: History, pieces: Pieces, culprits: frozenset[str]) -> int:
    """The deepest level at which the picture can still be read."""
    for depth in range(pieces.levels, 0, -1):
        runs = _without_loops(pieces.at(depth, layers=False), culprits)
        if _boxes(history, runs) <= (READABLE if depth > 1 else LARGEST):
            return depth
    return 0


def _boxes(history: History, runs: list[Run]) -> int:
    """How many boxes a picture of these has: with those of the leaves that single ops use."""
    used = {use.box for run in runs if run.op is not None for use in run.op.uses if use.box is not None}
    return len(runs) + sum(history.boxes[box].op is None for box in used)


def _without_loops(pieces: list[Piece], culprits: frozenset[str], *, cut: bool = False) -> list[Run]:
    """The pieces, those of the inner turns of loops together; if there are too many and no loops, cut in the middle."""
    if len(pieces) <= MOST:
        return _apart(pieces)
    spans = sorted(loops_in([_place(piece, culprits) for piece in pieces], MOST))
    if not spans and cut:
        spans = [(MOST // 2, len(pieces) - MOST // 2, 0)]
    return _joined(pieces, spans)


def _apart(pieces: Iterable[Piece]) -> list[Run]:
    return [Run((piece,)) for piece in pieces]


def _joined(pieces: list[Piece], spans: list[tuple[int, int, int]]) -> list[Run]:
    runs: list[Run] = []
    at = 0
    for start, end, period in spans:
        runs += [*_apart(pieces[at:start]), Run(pieces[start:end], period)]
        at = end
    return runs + _apart(pieces[at:])


def _place(piece: Piece, culprits: frozenset[str]) -> object:
    """What a piece has in common with the same one a turn of a loop later."""
    op, inside = piece.ops[0], piece.inside.name if piece.inside else ""
    if op.id in culprits:
        return None
    if piece.calls:
        return piece.calls[0].type, len(piece.calls), len(piece.ops), inside
    where = op.event.where
    return ("", 0, op.name, inside) if where is None else (where.file, where.line, op.name, inside)


def _called(calls: Iterable[Call], patterns: Sequence[str]) -> frozenset[int]:
    """The calls whose path matches one of the patterns, and those around them."""
    calls = list(calls)
    opened: set[int] = set()
    for pattern in patterns:
        found = [call for call in calls if any(fnmatchcase(name, pattern) for name in (call.path, call.name) if name)]
        if not found:
            known = list(dict.fromkeys(call.name for call in calls))
            which = f"there are {', '.join(known[:12])}{', …' * (len(known) > 12)}" if known else "no module was called"
            raise ValueError(f"no module is called {pattern!r}; {which}")
        for call in found:
            at: int | None = call.number
            while at is not None and at not in opened:
                opened.add(at)
                at = calls[at].parent
    return frozenset(opened)


def _around(history: History, culprits: Iterable[str]) -> frozenset[int]:
    """The calls inside of which these ops ran."""
    numbers = [int(op[1:]) for op in culprits]
    return frozenset(
        call.number for call in history.calls if any(call.start <= number < call.end for number in numbers)
    )


def _fold(name: str, run: Run) -> Fold:
    ops = [op for piece in run.pieces for op in piece.ops]
    calls = run.pieces[0].calls if len(run.pieces) == 1 else ()
    title, details = _said_of_modules(calls, len(ops)) if calls else _said_of_turns(run, len(ops))
    turns = [run.pieces[at : at + run.period] for at in range(0, len(run.pieces), run.period)] if run.period else []
    of_turns = tuple(tuple(op for piece in turn for op in piece.ops) for turn in turns)
    return _made(name, ops, title, details, calls=calls, turns=of_turns, first=SHOWN + 1)


def _fold_of_turns(name: str, turns: Sequence[tuple[Op, ...]], first: int) -> Fold:
    """Some turns of a loop, by their numbers."""
    ops, last = [op for turn in turns for op in turn], first + len(turns) - 1
    which = f"turn {first:,}" if first == last else f"turns {first:,} to {last:,}"
    details = (f"{len(ops):,} ops hidden",)
    return _made(name, ops, f"{which} of the loop", details, turns=tuple(turns), first=first)


def _made(name: str, ops: Sequence[Op], title: str, details: tuple[str, ...], **more: Any) -> Fold:
    nodes = tuple(op.node for op in ops if op.node is not None)
    return Fold(name, tuple(op.id for op in ops), nodes, frozenset(nodes), ops[0].born, title, details, **more)


def _said_of_modules(calls: Sequence[Call], ops: int) -> tuple[str, tuple[str, ...]]:
    """`Linear ×2`, then where they are in the model, then what they hide."""
    first, last = calls[0], calls[-1]
    size = sum({call.name: call.parameters for call in calls}.values())
    where = first.name if first.name != first.type else ""
    if len(calls) > 1:
        where = f"{where} … {last.name}" if first.name != last.name else f"{where}, called {len(calls):,} times"
    hides = f"{ops:,} op{'s' * (ops > 1)} hidden"
    what = f"{amount(size)} parameters · {hides}" if size else hides
    times = f" ×{len(calls):,}" if len(calls) > 1 else ""
    return first.type + times, (where, what) if where else (what,)


def _said_of_turns(run: Run, ops: int) -> tuple[str, tuple[str, ...]]:
    """How many turns of a loop, then of what kinds they are."""
    names = Counter(piece.calls[0].type if piece.calls else base_of(piece.ops[0].name) for piece in run.pieces)
    kinds = ", ".join(f"{name} ×{number:,}" for name, number in names.most_common(3))
    more = f", {len(names) - 3} other kinds" if len(names) > 3 else ""
    turns = len(run.pieces) // run.period if run.period else 0
    if not turns:
        recorded = any(piece.calls or piece.ops[0].node is not None for piece in run.pieces)
        return f"{ops:,} ops {'folded' if recorded else 'without gradient'}", (kinds + more,)
    return f"{turns:,} more turns of the loop · {ops:,} ops", (kinds + more,)


LISTED = 12
"""Folds that the notices tell of one by one."""


def notices_of(folds: Sequence[Fold], ops: int) -> list[str]:
    """What is folded, and how to open it."""
    if not folds:
        return []
    hidden = sum(len(fold.ops) for fold in folds)
    modules = [fold for fold in folds if fold.calls]
    how = ", --depth N opens modules level by level, --expand PATH one of them" if modules else ""
    told = [f"{hidden:,} of {ops:,} ops are folded; --unfold draws them all{how}"]
    alike = Counter(_told_of(fold) for fold in modules)
    for sentence, times in list(alike.items())[:LISTED]:
        told.append(sentence + (f" (the same, {times:,} times)" if times > 1 else ""))
    more = sum(list(alike.values())[LISTED:])
    return told + ([f"folded: {more:,} more module{'s' * (more > 1)}"] if more > 0 else [])


def _told_of(fold: Fold) -> str:
    name = shlex.quote(fold.calls[0].name)
    return f"folded: {fold.title}, {', '.join(fold.details)}; --expand {name} opens it"
