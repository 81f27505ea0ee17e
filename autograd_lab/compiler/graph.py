"""The captured graph: values, each made once, by one operation, and never written to afterwards.

What a program writes in place becomes a new value here ("functionalization"), so that a pass may move, merge or drop
an operation by looking at what it takes and makes, and at nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from autograd_lab.compiler.kernel import Kernel
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype


class Value:
    """An array that the program has at some time, as far as it is the same in each run."""

    __slots__ = ("dtype", "name", "shape", "strides")

    def __init__(self, name: str, shape: tuple[int, ...], dtype: NumpyDtype, strides: tuple[int, ...]) -> None:
        self.name, self.shape, self.dtype, self.strides = name, shape, dtype, strides

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def is_dense(self) -> bool:
        """Whether its elements lie in memory one after another, in their order."""
        step = self.dtype.itemsize
        for size, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if size != 1 and stride != step:
                return False
            step *= size
        return True

    @property
    def kind(self) -> str:
        """Dtype and shape in one word: `float32[10, 3]`."""
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]" if self.shape else f"{self.dtype}"

    def __repr__(self) -> str:
        return self.name


def dense(shape: tuple[int, ...], dtype: NumpyDtype) -> tuple[int, ...]:
    """The strides of an array whose elements lie in memory one after another, in their order."""
    strides, step = [], dtype.itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


class Constant(Value):
    """A value that is known before the program runs."""

    __slots__ = ("array",)

    def __init__(self, name: str, array: Array) -> None:
        super().__init__(name, array.shape, array.dtype, array.strides)
        self.array = array


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an operation comes from: the line of the user's program, the node of autograd, and which pass it is in."""

    file: str = ""
    line: int = 0
    text: str = ""
    node: str = ""
    backward: bool = False

    def __str__(self) -> str:
        where = f"line {self.line}" if self.line else ""
        return ", ".join(part for part in (where, f"backward of {self.node}" if self.backward else self.node) if part)


NOWHERE = Origin()


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """One call: a kernel, its arguments, among which there are values, and the values that it makes.

    `body` are the operations of a fused one, in their order.
    """

    kernel: Kernel
    args: tuple[Any, ...]
    results: tuple[Value, ...]
    options: tuple[tuple[str, Any], ...] = ()
    origin: Origin = NOWHERE
    body: tuple[Operation, ...] = ()

    @property
    def operands(self) -> list[Value]:
        """The values that it takes, each as often as it does."""
        return [*values_in(self.args), *values_in([option for _, option in self.options])]

    @property
    def result(self) -> Value:
        """What it makes, if that is one value."""
        return self.results[0]

    def taking(self, known: Callable[[Value], Any]) -> Operation:
        """The same with other operands."""
        if not self.operands:
            return self
        options = tuple((name, exchanged(option, known)) for name, option in self.options)
        body = tuple(part.taking(known) for part in self.body)
        return replace(self, args=exchanged(self.args, known), options=options, body=body)

    def __str__(self) -> str:
        made = ", ".join(f"{one}: {one.kind}" for one in self.results)
        return f"{made} = {self.call}" if made else self.call

    @property
    def call(self) -> str:
        """The call alone, as it may be written in Python."""
        return self.kernel.spelled(self.args, self.options)


@dataclass(frozen=True, eq=False)
class Graph:
    """Operations in an order in which they can run. Outputs are values, or None where there is nothing to give."""

    inputs: tuple[Value, ...]
    operations: tuple[Operation, ...]
    outputs: tuple[Value | None, ...]
    makers: dict[Value, Operation] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "makers", {value: each for each in self.operations for value in each.results})

    def uses(self) -> dict[Value, list[Operation]]:
        """The operations that take each value."""
        found: dict[Value, list[Operation]] = {}
        for operation in self.operations:
            for value in dict.fromkeys(operation.operands):
                found.setdefault(value, []).append(operation)
        return found

    def with_operations(self, operations: Iterable[Operation]) -> Graph:
        """The same inputs and outputs, computed in another way."""
        return Graph(self.inputs, tuple(operations), self.outputs)

    def rewritten(self, known: dict[Value, Value], without: Iterable[Operation] = ()) -> Graph:
        """The graph with other values in the place of some, and without some operations."""
        left_out = set(map(id, without))

        def current(value: Value) -> Value:
            while value in known:
                value = known[value]
            return value

        operations = [each.taking(current) for each in self.operations if id(each) not in left_out]
        return Graph(
            self.inputs, tuple(operations), tuple(None if one is None else current(one) for one in self.outputs)
        )

    def __str__(self) -> str:
        lines = [f"graph({', '.join(f'{one}: {one.kind}' for one in self.inputs)})"]
        lines += [f"    {each}  # {each.origin}" if str(each.origin) else f"    {each}" for each in self.operations]
        return "\n".join([*lines, f"    return {', '.join(map(str, self.outputs))}"])


def values_in(argument: Any) -> Iterator[Value]:
    """The values in an argument, which may be a tuple or a slice of others."""
    if isinstance(argument, Value):
        yield argument
    elif isinstance(argument, tuple | list):
        for part in argument:
            yield from values_in(part)
    elif isinstance(argument, slice):
        yield from values_in((argument.start, argument.stop, argument.step))


def exchanged(argument: Any, known: Callable[[Any], Any], kind: type | tuple[type, ...] = Value) -> Any:
    """The argument with something else in the place of each value (or of whatever is of another `kind`) in it."""
    if isinstance(argument, kind):
        return known(argument)
    if isinstance(argument, tuple | list):
        parts = [exchanged(part, known, kind) for part in argument]
        return type(argument)(*parts) if hasattr(argument, "_fields") else type(argument)(parts)
    if isinstance(argument, slice):
        return slice(*exchanged((argument.start, argument.stop, argument.step), known, kind))
    return argument
