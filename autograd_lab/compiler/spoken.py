"""What operations and arrays of captured graphs are called in a trace, and what is said of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from autograd_lab.compiler.graph import Constant, Operation, Value
from autograd_lab.compiler.kernel import CHECK, UPDATE
from autograd_lab.events import ArrayFacts, OperationFacts, Where


class Spoken:
    """Gives ids to whatever it is asked about: an operation is the same one as long as it makes the same array."""

    def __init__(self) -> None:
        self._arrays: dict[Value, ArrayFacts] = {}
        self._operations: dict[Hashable, str] = {}
        self._count = 0
        self._named: dict[str, Value] = {}
        self._lines: dict[Value, Where | None] = {}

    def array(self, value: Value, is_view: bool = False) -> ArrayFacts:
        """What is said of an array."""
        if value not in self._arrays:
            name, nbytes = f"a{len(self._arrays)}", 0 if is_view else value.nbytes
            self._arrays[value] = ArrayFacts(
                id=name, name=value.name, shape=value.shape, dtype=str(value.dtype), nbytes=nbytes
            )
            self._named[value.name] = value
        return self._arrays[value]

    def named(self, name: str) -> ArrayFacts:
        """What is said of the array that a listing calls so."""
        return self._arrays[self._named[name]]

    def maker(self, value: Value) -> str:
        """The id of the operation that makes an array."""
        return self._operations[value]

    def line(self, name: str) -> Where | None:
        """The line of the program that an array is for."""
        return self._lines.get(self._named[name])

    def operations(self, operations: Iterable[Operation]) -> Iterator[tuple[OperationFacts, Where | None]]:
        """What is said of operations and the lines that they are for; one that comes again is left out."""
        seen: Counter[Hashable] = Counter()
        for each in operations:
            key: Hashable = each.results[0] if each.results else (each.origin, each.kernel.name, str(each.args[1:]))
            seen[key] += 1
            if seen[key] > 1 and each.results:
                continue
            place = key if each.results else (key, seen[key])
            if place not in self._operations:
                self._operations[place], self._count = f"k{self._count}", self._count + 1
            yield self._facts(self._operations[place], each)

    def _facts(self, name: str, operation: Operation) -> tuple[OperationFacts, Where | None]:
        origin, is_view = operation.origin, operation.kernel.view
        results = tuple(self.array(one, is_view) for one in operation.results)
        where = Where(file=origin.file, line=origin.line, text=origin.text) if origin.line else None
        for one in operation.results:
            self._operations[one] = name
            self._lines[one] = where
        operands = [one for one in operation.operands if not isinstance(one, Constant)]
        facts = OperationFacts(
            id=name,
            title=title_of(operation),
            operands=tuple(self.array(one).id for one in operands),
            results=results,
            node=origin.node,
            backward=origin.backward,
            is_check=operation.kernel is CHECK,
        )
        return facts, where


def title_of(operation: Operation) -> str:
    """The call in a few words: a dot for each array, and those of the other arguments that are numbers."""
    kernel, args = operation.kernel, operation.args
    if kernel is CHECK:
        return f"Python sees {args[2]!r}"
    if kernel is UPDATE:
        return "write"
    if kernel.opaque:
        return kernel.name.replace("_", " ")
    if kernel.form in ("item", "attribute"):
        return f"·{operation.call[len(str(args[0])) :]}"
    said = [_argument(one) for one in args]
    if not any(one not in ("", "·") for one in said):
        return kernel.name
    return f"{kernel.name}({', '.join(one for one in said if one)})"


def _argument(argument: Any) -> str:
    """A dot for an array, a number as it is; "1 1 …" for constants of ones, and so on; nothing for other things."""
    if isinstance(argument, Constant):
        array = argument.array
        if not array.size or not bool((array == array.flat[0]).all()):
            return "constant"
        return f"{array.flat[0]:g} {array.flat[0]:g} …" if array.size > 1 else f"{array.flat[0]:g}"
    if isinstance(argument, Value):
        return "·"
    return f"{argument:g}" if isinstance(argument, int | float) and not isinstance(argument, bool) else ""
