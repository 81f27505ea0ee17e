"""What the turns of a loop are counted by in the program: its own variable, and what that is in the first turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from autograd_lab.events import Where
from autograd_lab.view.graph.cards.card import Card, Cards
from autograd_lab.view.graph.cards.ground import calls_around, word_of

Loop = ast.For | ast.While


class Counting(NamedTuple):
    """A variable, and what it is in the first turn: it is one more in each next one, or one thing after the other."""

    name: str
    first: int


def counter_of_turns(cards: Cards) -> Counting | None:
    """What counts the turns that are drawn, from the first of the loop on; None where nothing does."""
    turns = [card for card in cards.cards.values() if card.kind == "turn"]
    if not turns:
        return None
    total = sum(card.turns for card in turns)
    key = Counting, turns[0].places[0], turns[-1].places[-1], sum(len(card.places) for card in turns), total
    if key not in cards.ground.found:
        cards.ground.found[key] = _counter(turns, cards, total)
    found: Counting | None = cards.ground.found[key]
    return found


def _counter(turns: list[Card], cards: Cards, total: int) -> Counting | None:
    for file, lines in _places(turns, cards):
        loop = _loop_around(cards.history.files.get(file, ""), lines)
        if loop is not None:
            if isinstance(loop, ast.While) or not _is_first(turns, cards, file, loop):
                return None
            found = _counted(loop, total)
            is_tensor = found is not None and found.name in {word_of(box) for box in cards.ground.named}
            return None if is_tensor else found  # "x 3" would be a tensor, and not the turn that takes it
    return None


def _places(turns: list[Card], cards: Cards) -> Iterator[tuple[str, frozenset[int]]]:
    """The lines that the turns run, then those that call them, and those that call these; each in one file."""
    ops = [op for card in turns for op in card.ops]
    around = calls_around(cards.history, ops)
    depth = min(map(len, around), default=0)
    levels: list[list[Where | None]] = [[op.event.where for op in ops]]
    levels += [[calls[level].where for calls in around] for level in range(depth)]
    for wheres in levels:
        known = {(where.file, where.line) for where in wheres if where is not None}
        files = {file for file, _ in known}
        if len(files) == 1 and None not in wheres:
            yield files.pop(), frozenset(line for _, line in known)


def _is_first(turns: list[Card], cards: Cards, file: str, loop: Loop) -> bool:
    """Whether nothing has been recorded in a loop right before the first turn that is drawn."""
    begins = min(card.ops[0].born for card in turns)
    before = [op for op in cards.history.ops.values() if op.born < begins and op.node is not None]
    where = before[-1].event.where if before else None
    inside = range(loop.body[0].lineno, (loop.end_lineno or loop.lineno) + 1)
    return where is None or where.file != file or where.line not in inside


@cache
def _loop_around(source: str, lines: frozenset[int]) -> Loop | None:
    """The innermost loop around these lines; None for one whose turns follow those of a loop around without a mark."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    around = [node for node in ast.walk(tree) if isinstance(node, Loop) and _is_in(lines, node)]
    is_lone = len(around) > 1 and around[-2].body == [around[-1]]
    return None if not around or is_lone else around[-1]


def _is_in(lines: frozenset[int], loop: Loop) -> bool:
    return loop.body[0].lineno <= min(lines) and max(lines) <= (loop.body[-1].end_lineno or 0)


def _counted(loop: ast.For, turns: int) -> Counting | None:
    """The variable of a loop of so many turns, as far as it is plain where it begins."""
    source, target, first = loop.iter, loop.target, 1
    called = source.func.id if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) else ""
    given = source.args if isinstance(source, ast.Call) and not source.keywords else []
    if called == "enumerate" and isinstance(target, ast.Tuple) and len(given) == 1:
        target, first = target.elts[0], 0
    elif called == "range" and 1 <= len(given) <= 2:
        bounds = [_number(bound) for bound in (ast.Constant(0), *given)[-2:]]
        first = -1 if bounds[0] is None else bounds[0]
        if bounds[1] is not None and bounds[1] - first != turns:
            return None
    elif called in ("range", "enumerate", "reversed"):
        return None
    return Counting(target.id, first) if isinstance(target, ast.Name) and target.id != "_" and first >= 0 else None


def _number(bound: ast.expr) -> int | None:
    return bound.value if isinstance(bound, ast.Constant) and isinstance(bound.value, int) else None
