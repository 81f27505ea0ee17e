"""Which lines of a program each buffer holds what, and how much memory a program takes."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import NamedTuple

import numpy as np

from autograd_lab.compiler.graph import Constant, Graph, Operation, Value
from autograd_lab.compiler.program.assembly import Program
from autograd_lab.compiler.program.buffers import last_uses, roots_of


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


Rows = list[tuple[int, int]]
"""The first and the last line of each operation, then those of what comes after all; lines are counted from 0."""


def tenancies(program: Program) -> Iterator[Tenancy]:
    """The buffers of a program, then those of its loops."""
    listing = program.listing
    rows = _rows(program)
    plans = [(False, program.plan, rows)]
    plans += [(True, loop.plan, _rows_of(loop.tile.operations, program)) for loop in listing.loops]
    for is_tile, plan, lines in plans:
        for buffer in plan.buffers:
            tenants = [
                Tenant(one.value.name, lines[one.start][0] + 1, lines[one.stop][1] + 1, one.in_place)
                for one in buffer.tenants
            ]
            yield Tenancy(buffer.nbytes, is_tile, tuple(tenants))


def _rows(program: Program) -> Rows:
    """The lines of the operations of a program; those of a loop go from its head to the last line in it."""
    rows = _rows_of(program.graph.operations, program)
    texts, loops = program.listing.text.splitlines(), iter(program.listing.loops)
    for at, each in enumerate(program.graph.operations):
        if each.body:
            inside = _rows_of(next(loops).tile.operations, program)
            head = next(row for row in range(rows[at][0], len(texts)) if texts[row].lstrip().startswith("for "))
            rows[at] = head, inside[-2][1]
    return rows


def _rows_of(operations: tuple[Operation, ...], program: Program) -> Rows:
    """One without a line of its own, such as a view that is made once, has the first of the next one."""
    found: dict[int, tuple[int, int]] = {}
    for at, owner in enumerate(program.listing.owners):
        if owner is not None:
            found[id(owner)] = found.get(id(owner), (at, at))[0], at
    following = len(program.listing.owners) - 1
    rows = [(following, following)]
    for each in reversed(operations):
        rows.append(found.get(id(each), (following, following)))
        following = rows[-1][0]
    return rows[::-1]


# --- how much -------------------------------------------------------------------------------------------------------


def live(graph: Graph, elsewhere: Container[Value] = ()) -> Iterator[int]:
    """The bytes in use when each operation has run, if each array goes after its last use.

    Inputs do not count, nor do arrays that are `elsewhere`.
    """
    roots = roots_of(graph)
    last = last_uses(graph, roots) | {roots[one]: len(graph.operations) for one in graph.outputs if one is not None}
    leaving: dict[int, int] = {}
    now = 0
    for step, operation in enumerate(graph.operations):
        for value in operation.results:
            if roots[value] is value and value not in elsewhere:
                now += value.nbytes
                end = last.get(value, step)
                leaving[end] = leaving.get(end, 0) + value.nbytes
        yield now
        now -= leaving.pop(step, 0)


def kept(forward: Graph, backward: Graph) -> dict[Value, int]:
    """What backward takes of forward, with the bytes that are kept by that: all of what a view is of, once."""
    roots = roots_of(forward)
    own = set(forward.inputs)
    sizes: dict[Value, int] = {}
    for one in backward.inputs:
        if one in roots:  # and is no gradient
            sizes[one] = 0 if roots[one] in own or isinstance(roots[one], Constant) else roots[one].nbytes
            own.add(roots[one])
    return sizes


def memory_of(program: Program) -> tuple[int, int]:
    """The bytes that are there all the time (buffers and constants), and the most that a run needs besides."""
    graph, plan, loops = program.graph, program.plan, program.listing.loops
    standing = plan.nbytes + sum(loop.plan.nbytes for loop in loops)
    standing += sum(one.nbytes for loop in loops for one in loop.spread.values())
    standing += sum(array.nbytes for array in program.listing.names.values() if isinstance(array, np.ndarray))
    return standing, max(live(graph, {*plan.homes, *plan.onto}), default=0)
