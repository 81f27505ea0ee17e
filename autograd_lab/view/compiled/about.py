"""What stays true of a card or a buffer, in rows of a word and what it says, with the step at which that came about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from autograd_lab import events as e
from autograd_lab.view.compiled.look import called, kind_of
from autograd_lab.view.compiled.sentences import program_name, title_of
from autograd_lab.view.compiled.state import Array, Compilation, after
from autograd_lab.view.kit.numeral import bytes_text
from autograd_lab.view.kit.signs import base_of

Row = list[Any]


def about_compilation(events: Iterable[e.Event]) -> dict[str, list[Row]]:
    """Rows for each input, operation, buffer and line of a program, by id."""
    found: dict[str, list[Row]] = {}
    state = Compilation()
    for step, event in enumerate(events, 1):
        if isinstance(event, e.CompilingEvent):
            state = after(state, event)
            for name, *row in _rows(event, state):
                found.setdefault(name, []).append([*row, step])
    return found | dict(_of_lines(state))


def _of_lines(state: Compilation) -> Iterator[tuple[str, list[Row]]]:
    """What each line of the programs says, and what the arrays in it are."""
    arrays = {array.facts.name: array for array in state.arrays.values()}
    for program in state.programs:
        whose = program_name(program.half, state)
        for number, text in enumerate(program.text.splitlines(), 1):
            names = dict.fromkeys(re.findall(r"\w+", text.partition("#")[0]))
            rows = [[name, _of_array(arrays[name], state)] for name in names if name in arrays]
            yield f"{program.half}.{number}", [["line", f"{number} of {whose}"], ["Python", text.strip()], *rows]


def _of_array(array: Array, state: Compilation) -> str:
    kind = kind_of(array.facts.dtype, array.facts.shape)
    maker = state.operations.get(array.owner)
    return f"{kind}, {f'of {maker.facts.title}' if maker else 'given'}"


def _rows(event: e.CompilingEvent, state: Compilation) -> Iterator[Row]:
    """What a fact adds: whom it is about, a word, what it says."""
    match event:
        case e.InputDeclared(array=array, is_gradient=is_gradient):
            yield [array.id, "gradient that comes in" if is_gradient else "input", array.name]
            yield [array.id, "is", f"{kind_of(array.dtype, array.shape)}, {bytes_text(array.nbytes)}"]
        case e.OperationCaptured(operation=facts, where=where) | e.OperationAdded(operation=facts, where=where):
            yield from _of_operation(facts, where, state)
        case e.OutputNamed(array=array, purpose=purpose) if array is not None:
            yield [state.owner(array), "leaves as", purpose]
        case e.OperationDropped(operation=name, reason=reason):
            yield [name, "left out", f"by {title_of(state.stage)}: {reason}"]
        case e.OperationRewritten(operation=facts, reason=reason):
            yield [facts.id, f"by {title_of(state.stage)}", f"{facts.title}{f': {reason}' if reason else ''}"]
        case _:
            yield from _of_memory(event, state)


def _of_operation(facts: e.OperationFacts, where: e.Where | None, state: Compilation) -> Iterator[Row]:
    yield [facts.id, state.of, facts.title]
    for array in facts.results:
        size = bytes_text(array.nbytes) if array.nbytes else "a view"
        yield [facts.id, "makes", f"{array.name}: {kind_of(array.dtype, array.shape)}, {size}"]
    if facts.operands:
        yield [facts.id, "takes", ", ".join(state.arrays[one].facts.name for one in facts.operands)]
    if facts.node:
        whose = f"the formula of {facts.node}" if facts.backward else f"the op {base_of(facts.node)}"
        yield [facts.id, "part of", whose]
    if where is not None:
        yield [facts.id, "line", f"{where.line}: {where.text.strip()}"]


def _of_memory(event: e.CompilingEvent, state: Compilation) -> Iterator[Row]:
    match event:
        case e.ArrayKept(array=array, nbytes=nbytes):
            size = bytes_text(nbytes) if nbytes else "no memory of its own"
            yield [state.owner(array), "kept", f"for backward, {size}"]
        case e.OperationRepeated(operation=name):
            yield [name, "again", "in backward, so that what it makes need not be kept"]
        case e.OperationMoved(operation=name):
            yield [name, "runs", "in backward only"]
        case e.ViewsMade(operations=names):
            yield from ([name, "made", "once for all calls"] for name in names)
        case e.ArrayPutInto(array=array, target=target):
            yield [state.owner(array), "lies", f"in {state.arrays[target].facts.name}, straight away"]
        case e.OperationsFused(operations=names, half=half, tiles=tiles):
            for name in names:
                yield [name, "fused", f"into loop {state.loops}, of {half}, over {tiles:,} tile{'s' * (tiles > 1)}"]
        case e.BufferPlanned(buffer=buffer, nbytes=nbytes, half=half, is_tile=is_tile):
            yield [buffer, *called(buffer).split()]
            yield [buffer, "is", f"{bytes_text(nbytes)}, for {'a loop of ' * is_tile}{half}"]
        case e.ArrayPlaced(array=array, buffer=buffer, first=first, last=last, is_written_over=over):
            lines = f"lines {first} to {last}" if last > first else f"line {first}"
            name = state.arrays[array].facts.name
            yield [buffer, name, f"{lines}{', over the one before' * over}"]
            yield [state.owner(array), "lies", f"{name} in {called(buffer)}, {lines}"]
