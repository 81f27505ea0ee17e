"""How much longer the loops of a script will go on, as far as that can be known.

What a `for` goes over is asked how much is left in it; see `marking` for how that is found. The condition of a `while`,
and of an `if` before a `break`, is read from the numbers that it compares, and from how they have changed so far.
"""

from __future__ import annotations

import ast
import gc
import operator
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

from autograd_lab.recording.iterations.marking import Condition, Loop, marked_program
from autograd_lab.recording.program.variables import look_up
from autograd_lab.whose import is_users

DEEPEST = 6
"""How many iterators inside of each other are looked into: of `enumerate`, `zip`, generators."""


class Loops:
    """The loops of the files that have been marked, and what each that runs goes over."""

    def __init__(self) -> None:
        self._loops: dict[str, list[Loop]] = {}
        self._running: dict[tuple[int, int], tuple[Any, int | None, int]] = {}
        self._differences: dict[tuple[int, int], tuple[float, int]] = {}
        self.turns = 0
        self.may_break = False
        """Whether the loops that were asked for last may end before they are over."""

    def compiled(self, source: Any, file: str, mode: str, **options: Any) -> CodeType:
        """As Python's own `compile`, with the loops of the program marked; nothing else of it changes, also no line."""
        tree = source if isinstance(source, ast.Module) else ast.parse(source, file)
        marked, self._loops[file] = marked_program(tree)
        return compile(marked, file, mode, **options)

    def over(self, data: Any, number: int) -> Iterator[Any]:
        """What a marked `for` calls."""
        iterator = iter(data)
        length = _length(data)
        length = _remaining(iterator) if length is None else length
        self._running[id(sys._getframe(1)), number] = iterator, length, self.turns
        return iterator

    def left(self, frame: FrameType | None) -> int | None:
        """How many turns are left after this one, of the innermost loop around `frame`, counted over all turns of
        those around it; None if that cannot be known."""
        stack = list(_programs(frame))
        self._forget_all_but({id(each) for each in stack})
        if any(each.f_code.co_filename not in self._loops for each in stack):
            return None  # there may be loops that nobody has marked
        left, inner, found, self.may_break = 0, 1, False, False
        for each in stack:
            for loop in reversed(self._around(each)):
                self.may_break |= loop.breaks
                more = self._left_of(loop, each)
                if more is None:
                    return None
                left, inner, found = left + more * inner, inner * max(1, self._length_of(loop, each) or 1), True
        return left if found else None

    def _forget_all_but(self, frames: set[int]) -> None:
        """Let go of what loops went over that are no more."""
        for known in (self._running, self._differences):
            for key in [key for key in known if key[0] not in frames]:
                del known[key]

    def _around(self, frame: FrameType) -> list[Loop]:
        """The loops of a frame's file that it is in, outermost first."""
        line = frame.f_lineno
        inside = [loop for loop in self._loops[frame.f_code.co_filename] if loop.first <= line <= loop.last]
        return [loop for loop in inside if not loop.is_for or (id(frame), loop.number) in self._running]

    def _length_of(self, loop: Loop, frame: FrameType) -> int | None:
        return self._running.get((id(frame), loop.number), (None, None, 0))[1]

    def _left_of(self, loop: Loop, frame: FrameType) -> int | None:
        running = self._running.get((id(frame), loop.number))
        known = [self._until(at, each, loop, frame) for at, each in enumerate(loop.ends)]
        if running is not None:
            iterator, length, since = running
            hint = _remaining(iterator)
            known.append(hint if hint is not None or length is None else max(0, length - (self.turns - since)))
        found = [each for each in known if each is not None]
        return min(found) if found else None

    def _until(self, at: int, end: Condition, loop: Loop, frame: FrameType) -> int | None:
        """How many turns are left until a condition holds, if what it compares goes on as it does."""
        left, right = _value(end.left, frame), _value(end.right, frame)
        if left is None or right is None:
            return None
        key, now = (id(frame), 1000 * loop.number + at), left - right
        before, turn = self._differences.get(key, (now, self.turns))
        if self.turns > turn or key not in self._differences:
            self._differences[key] = now, self.turns
        if self.turns <= turn or now == before or (now > 0) == (now > before):
            return None
        return int(abs(now) * (self.turns - turn) / abs(now - before))


def _programs(frame: FrameType | None) -> Iterator[FrameType]:
    """The frames of the program at and above one, up to that of the script."""
    while frame is not None:
        if is_users(frame.f_code.co_filename):
            yield frame
            if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "__main__":
                return
        frame = frame.f_back


def _value(expression: ast.expr, frame: FrameType) -> float | None:
    """The number that an expression of names and numbers has in a frame; nothing of the program's is run for that."""
    match expression:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            found = look_up(name, frame)
            return float(found) if type(found) in (int, float) else None
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            one, other = _value(left, frame), _value(right, frame)
            try:
                return None if one is None or other is None else _ARITHMETIC[type(op)](one, other)
            except ArithmeticError:
                return None
        case ast.Attribute():
            return _attribute(expression, frame)
        case _:
            return None


_ARITHMETIC: dict[type[ast.operator], Any] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
}  # fmt: skip


def _attribute(expression: ast.Attribute, frame: FrameType) -> float | None:
    """The number in an attribute that is kept in a thing's `__dict__`, such as `args.steps`."""
    path, node = [expression.attr], expression.value
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    found = look_up(".".join([node.id, *reversed(path)]), frame)
    return float(found) if type(found) in (int, float) else None


def _length(data: Any) -> int | None:
    """How many turns a loop over something has, if that can tell."""
    if type(data) in (enumerate, zip, map, reversed) or hasattr(type(data), "send"):
        return None
    try:
        return len(data)
    except Exception:  # whatever a `__len__` of the program's may raise
        return None


def _remaining(iterator: Any, depth: int = DEEPEST) -> int | None:
    """How much is left in an iterator, or in the shortest of those that it takes from."""
    kind = type(iterator)
    if kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__length_hint__"):
        return operator.length_hint(iterator)
    yielded = getattr(iterator, "__dict__", {}).get("_num_yielded")  # PyTorch's DataLoader
    if isinstance(yielded, int) and hasattr(kind, "__len__"):
        try:
            return max(0, len(iterator) - yielded)
        except Exception:  # of a dataset without a length
            return None
    if depth == 0 or not (kind.__module__ == "builtins" or hasattr(kind, "send")):
        return None
    within = [_remaining(each, depth - 1) for each in _sources(iterator)]
    known = [each for each in within if each is not None]
    return min(known) if known else None


def _sources(iterator: Any) -> Iterator[Any]:
    """The iterators that an iterator takes from; of a generator, what its loops go over."""
    for found in gc.get_referents(iterator):
        if type(found) is tuple:
            yield from (each for each in found if hasattr(type(each), "__next__"))
        elif hasattr(type(found), "__next__"):
            yield found
