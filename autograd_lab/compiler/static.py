"""Static graphs as they were: first the graph is declared, with places for what is to come, then it is run with feeds.

The ops and the gradients are the engine's own, on stand-ins without values. So shapes are checked before anything
runs; and what would need a value while the graph is declared, such as `if y > 0`, cannot be said.

>>> graph = StaticGraph()
>>> with graph:
...     x = graph.placeholder("x", (3,))
...     y = (x * x).sum()
>>> graph.run(y, {x: [1.0, 2.0, 3.0]})
array(14., dtype=float32)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from autograd_lab.compiler.capture.frames import with_line
from autograd_lab.compiler.capture.stand_ins import Listener, stand_ins
from autograd_lab.compiler.capture.symbol import Symbol, Unsupported
from autograd_lab.compiler.capture.tape import Tape
from autograd_lab.compiler.graph import Graph, Value
from autograd_lab.compiler.passes import ON_ALL, ON_HALVES
from autograd_lab.compiler.program.assembly import Program
from autograd_lab.engine.core.variable import Variable, wrap
from autograd_lab.engine.numbers.dtypes import Array, dtype, float32


class GraphError(RuntimeError):
    """A graph cannot be declared or run so; the message says what would have to be different."""


class Declared(Tape):
    """A tape for arrays that have no values yet: zeros stand for them, and nobody may look."""

    def read(self, value: Value, reader: str) -> Any:
        """Refuse: there is nothing to see."""
        origin = self._origin()
        raise GraphError(
            f"line {origin.line}, `{origin.text}`, asks for a value while the graph is declared: there are none before "
            "`run`. A static graph takes one way for all values (`torch.where` chooses element by element); "
            "define-by-run, or `compile`, can branch"
        )


class StaticGraph:
    """Declare ops inside `with graph:`, then `run` them as often as wanted."""

    def __init__(self) -> None:
        self.tape = Declared()
        self.places: dict[int, tuple[Any, Value]] = {}
        self._stack = ExitStack()
        self._programs: dict[tuple[Value, ...], Program] = {}

    def __enter__(self) -> StaticGraph:
        self._stack.enter_context(stand_ins(self.tape, Listener(lambda _: False, lambda _: False)))
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._stack.close()
        if isinstance(error, Unsupported):
            raise GraphError(f"this cannot be declared: {with_line(error)}") from error

    def placeholder(self, name: str, shape: Sequence[int], dtype: dtype = float32, requires_grad: bool = False) -> Any:
        """A tensor whose elements each run is given."""
        symbol = self.tape.input(np.zeros(tuple(shape), dtype.numpy), name)
        tensor = wrap(symbol, requires_grad)
        self.places[id(tensor)] = tensor, symbol.value
        return tensor

    def unused(self, fetches: Any) -> list[str]:
        """The placeholders that `fetches` do not depend on."""
        graph = self._graph(_listed(fetches))
        taken = {value for each in graph.operations for value in each.operands} | set(graph.outputs)
        return [value.name for _, value in self.places.values() if value not in taken]

    def run(self, fetches: Any, feeds: Mapping[Any, Any]) -> Any:
        """The arrays of some tensors, for these elements of the placeholders. Raises GraphError if one does not fit."""
        wanted = _listed(fetches)
        given = self._fed(feeds, self.unused(wanted))
        key = tuple(self._value_of(one) for one in wanted)
        if key not in self._programs:
            self._programs[key] = Program("run", self._graph(wanted))
        found = [np.array(one) for one in self._programs[key](*given)]
        return found if isinstance(fetches, list | tuple) else found[0]

    def _value_of(self, tensor: Any) -> Value:
        symbol = tensor._array if isinstance(tensor, Variable) else None
        if type(symbol) is not Symbol or symbol.tape is not self.tape:
            raise GraphError("only what was declared in this graph can be fetched")
        return symbol.value

    def _graph(self, fetches: Sequence[Any]) -> Graph:
        inputs = tuple(value for _, value in self.places.values())
        graph = Graph(inputs, tuple(self.tape.operations), tuple(map(self._value_of, fetches)))
        for each in (*ON_ALL, *ON_HALVES):
            graph, _ = each(graph)
        return graph

    def _fed(self, feeds: Mapping[Any, Any], unused: list[str]) -> list[Array]:
        known = {id(place): np.asarray(array) for place, array in feeds.items()}
        if not known.keys() <= self.places.keys():
            raise GraphError("only placeholders of this graph can be fed")
        arrays = []
        for key, (_, value) in self.places.items():
            if key not in known and value.name not in unused:
                raise GraphError(f"placeholder `{value.name}` is not fed: give it {value.kind}")
            array = np.asarray(known.get(key, np.zeros(value.shape)), value.dtype)
            if array.shape != value.shape:
                raise GraphError(f"placeholder `{value.name}` is declared {value.kind}, but fed {list(array.shape)}")
            arrays.append(np.ascontiguousarray(array).reshape(value.shape))
        return arrays


def _listed(fetches: Any) -> list[Any]:
    return list(fetches) if isinstance(fetches, list | tuple) else [fetches]
