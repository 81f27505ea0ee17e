"""Which lines of a program each buffer holds what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from autograd_lab.compiler.graph import Operation
from autograd_lab.compiler.program import Program


class Tenant(NamedTuple):
    """An array, by its name, from one line to another, counted from 1; whether it is written over the one before."""

    name: str
    first: int
    last: int
    is_written_over: bool


class Tenancy(NamedTuple):
    """A buffer, of a program or, if it `is_tile`, of one of its loops, and what lies in it, in order."""

    nbytes: int
    is_tile: bool
    tenants: tuple[Tenant, ...]


def tenancies(program: Program) -> Iterator[Tenancy]:
    """The buffers of a program, then those of its loops."""
    listing = program.listing
    plans = [(False, program.graph.operations, program.plan)]
    plans += [(True, loop.tile.operations, loop.plan) for loop in listing.loops]
    for is_tile, operations, plan in plans:
        rows = _rows(operations, listing.owners)
        for buffer in plan.buffers:
            tenants = [
                Tenant(one.value.name, rows[one.start][0] + 1, rows[one.stop][1] + 1, one.in_place)
                for one in buffer.tenants
            ]
            yield Tenancy(buffer.nbytes, is_tile, tuple(tenants))


def _rows(operations: tuple[Operation, ...], owners: tuple[Operation | None, ...]) -> list[tuple[int, int]]:
    """The first and last line of each operation, then those of what comes after all; the next one's if it has none."""
    found: dict[int, tuple[int, int]] = {}
    for at, owner in enumerate(owners):
        if owner is not None:
            found[id(owner)] = found.get(id(owner), (at, at))[0], at
    following = len(owners) - 1
    rows = [(following, following)]
    for each in reversed(operations):
        first, last = found.get(id(each), (following, following))
        rows.append((first, following - 1 if each.body else last))
        following = first
    return rows[::-1]
