"""Raw tuples, as a recorder takes them down, into events.

A raw tuple is an event's kind, the number of the place it happened at, and its fields in order, with arrays as
snapshots and facts, operands and edges as plain tuples. Which fields to unfold is read from the types of the events'
fields. Nothing in it has to be followed by Python's garbage collector, which would do so again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from autograd_lab.events import KINDS, Edge, Event, Operand, TensorFacts, Value, Where, types_of
from autograd_lab.recording.values.snapshot import value_of

Unfold = Callable[[Any], Any]


class Decoder:
    """Makes events of the raw tuples that a recorder appends to `raw`.

    `names` and `later` map tensor ids to variable names; `wheres` has the places by their numbers.
    """

    def __init__(
        self, raw: list[tuple[Any, ...]], names: dict[str, str], later: dict[str, str], wheres: Sequence[Where | None]
    ) -> None:
        self._raw, self._wheres = raw, wheres
        self._fields: dict[str, list[tuple[str, Unfold | None]]] = {}
        self._unfold: dict[Any, Unfold] = {
            Value: value_of,
            Value | None: _optional(value_of),
            tuple[Value, ...]: _each(value_of),
            tuple[Value | None, ...]: _each(_optional(value_of)),
            TensorFacts: (facts := _facts_named(names, later)),
            tuple[TensorFacts, ...]: _each(facts),
            tuple[Operand, ...]: _each(_operand),
            tuple[Edge, ...]: _each(_edge),
            tuple[Edge | None, ...]: _each(_optional(_edge)),
            Mapping[str, Any]: lambda raw: _json(dict(raw)),
            tuple[str, ...]: tuple,
        }

    def new_events(self) -> Iterator[Event]:
        """The events of all raw tuples since the last call."""
        raw, self._raw[:] = list(self._raw), []
        for kind, site, *fields in raw:
            yield self._event(kind, self._wheres[site], fields)

    def _event(self, kind: str, where: Where | None, fields: list[Any]) -> Event:
        plan = self._fields[kind] if kind in self._fields else self._fields_of(kind)
        values = {
            name: field if unfold is None else unfold(field) for (name, unfold), field in zip(plan, fields, strict=True)
        }
        return KINDS[kind](where=where, **values)

    def _fields_of(self, kind: str) -> list[tuple[str, Unfold | None]]:
        cls: Any = KINDS[kind]
        types = types_of(cls)
        plan = [(name, self._unfold.get(types[name])) for name in types if name != "where"]
        self._fields[kind] = plan
        return plan


def _facts_named(names: dict[str, str], later: dict[str, str]) -> Unfold:
    """Unfolds facts of tensors of these names."""

    def facts(raw: tuple[Any, ...]) -> TensorFacts:
        identity, expression, shape, dtype, nbytes, requires, is_leaf, version, storage, counter, device, taken = raw
        return TensorFacts(
            id=identity,
            name=names.get(identity),
            later=later.get(identity),
            expression=expression,
            shape=tuple(shape),
            dtype=dtype if isinstance(dtype, str) else dtype.name,
            nbytes=nbytes,
            requires_grad=requires,
            is_leaf=is_leaf,
            version=version,
            storage=storage,
            counter=counter,
            device=device,
            value=value_of(taken),
        )

    return facts


def _optional(unfold: Unfold) -> Unfold:
    return lambda raw: None if raw is None else unfold(raw)


def _each(unfold: Unfold) -> Unfold:
    return lambda raw: tuple(unfold(item) for item in raw)


def _json(raw: Any) -> Any:
    """What JSON can say of an op's attributes: sequences as lists, anything that is no data by its text.

    PyTorch shows the negative among its whole numbers as if they had no sign.
    """
    if isinstance(raw, dict):
        return {str(key): _json(value) for key, value in raw.items()}
    if isinstance(raw, list | tuple):
        return [_json(value) for value in raw]
    if type(raw) is int and raw >= 2**63:
        return raw - 2**64
    return raw if raw is None or isinstance(raw, bool | int | float | str) else str(raw)


def _operand(raw: tuple[Any, ...]) -> Operand:
    tensor, number, edge = raw
    return Operand(tensor=tensor, number=number, edge=edge)


def _edge(raw: tuple[Any, ...]) -> Edge:
    node, index, leaf = raw
    return Edge(node=node, index=index, leaf=leaf)
