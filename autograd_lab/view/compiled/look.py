"""How the parts of a compilation look in a state: class names, and texts by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from autograd_lab import events as e
from autograd_lab.trace import touches
from autograd_lab.view.compiled.state import Compilation, Operation
from autograd_lab.view.kit.numeral import bytes_text
from autograd_lab.view.kit.part import Part
from autograd_lab.view.languages.speaking import translated

Texts = tuple[tuple[str, str], ...]
Said = tuple[tuple[str, ...], Texts]
HIDDEN: Said = (("hidden",), ())
GONE, CHANGED, LOOP, KEPT = "gone", "changed", "loop", "kept"
AGAIN, ONCE, TAKES, LEAVES = "again", "once", "takes", "leaves"
"""Marks: left out; done in another way; part of a loop; kept for backward; runs there, too, or only there; made once
for all calls; takes from the other row; leaves the function."""
SAYS = "Beside each line: what is in buffers then. A notch: written over the one before."
WORDS = ("detail", GONE, CHANGED, LOOP, KEPT, AGAIN, ONCE, TAKES, LEAVES)
"""The texts that are words, and no name."""
SIGNS = {GONE: "✗", CHANGED: "→", LOOP: "▤", KEPT: "▣", AGAIN: "↻", ONCE: "⊙", TAKES: "←", LEAVES: "⇒"}


def subjects(event: e.Event | None, state: Compilation) -> Iterator[str]:
    """The operations, inputs, buffers and halves that a fact is about; it is about an array by whose it is."""
    if isinstance(event, e.CallsTimed) or (isinstance(event, e.PassFinished) and event.name == "buffers"):
        yield from (program.half for program in state.programs)
    if isinstance(event, e.ProgramWritten):
        yield event.half
    for name in touches(event) if event is not None else ():
        yield state.owner(name) if name in state.arrays else name
        if name in state.buffers:
            yield state.buffers[name].facts.half


def at(part: Part, state: Compilation, event: e.Event | None) -> Said:
    """How a part looks in a state that an event led to."""
    classes, texts = _KINDS[part.kind](part, state, event)
    return classes, tuple((role, translated(text) if role in WORDS else text) for role, text in texts)


def _input(part: Part, state: Compilation, event: e.Event | None) -> Said:
    if part.of not in state.arrays:
        return HIDDEN
    array = state.arrays[part.of]
    facts = array.facts
    marks = [(KEPT, "backward takes it")] if array.kept is not None else []
    classes = ["tangent" if array.is_gradient else "input", *_now(part.of, state, event)]
    marks += [(LEAVES, purpose) for purpose in state.purposes(part.of)]
    return tuple(classes), (("title", facts.name), ("detail", kind_of(facts.dtype, facts.shape)), *marks)


def _call(part: Part, state: Compilation, event: e.Event | None) -> Said:
    if part.of not in state.operations:
        return HIDDEN
    operation = state.operations[part.of]
    facts = operation.facts
    title = ("title", facts.title)
    if operation.gone and not state.is_fresh(operation):
        return ("absent",), (title,)
    marks = list(marks_of(part.of, operation, state))
    made = ", ".join(f"{one.name}: {kind_of(one.dtype, one.shape)}" for one in facts.results if one.dtype != "object")
    detail = "another value, another graph" if facts.is_check else made
    side = "check" if facts.is_check else "backward" if facts.backward else "forward"
    classes = (side, *dict.fromkeys(sort for sort, _ in marks if sort not in (ONCE, TAKES, LEAVES)))
    return (*classes, *_now(part.of, state, event)), (title, ("detail", detail), *marks)


def card_texts(kind: str, name: str, state: Compilation) -> Texts:
    """The texts of an input or an operation."""
    return at(Part(name, kind, name, 0, 0, 0, 0), state, None)[1]


def marks_of(name: str, operation: Operation, state: Compilation) -> Iterator[tuple[str, str]]:
    """What is to be known of an operation: a sort of mark, and a few words."""
    fresh = state.is_fresh(operation)
    if operation.gone:
        yield GONE, operation.gone
    elif operation.changed and fresh:
        yield CHANGED, operation.changed
    if operation.loops:
        yield LOOP, "loop " + " and ".join(map(str, operation.loops))
    if any(state.arrays[one.id].kept is not None for one in operation.facts.results):
        yield KEPT, "kept for backward"
    if operation.is_repeated:
        yield AGAIN, "again in backward"
    if operation.is_moved:
        yield AGAIN, "in backward only"
    if operation.made_once:
        yield ONCE, "made once for all calls"
    if taken := taken_by(operation, state):
        yield TAKES, ", ".join(taken)
    yield from ((LEAVES, purpose) for purpose in state.purposes(name))


def taken_by(operation: Operation, state: Compilation) -> list[str]:
    """What an operation takes from the other row, by name: no line is drawn for that."""
    backward, arrays = operation.facts.backward, [state.arrays[one] for one in operation.facts.operands]
    return list(dict.fromkeys(one.facts.name for one in arrays if _is_backward(one.owner, state) is not backward))


def _is_backward(owner: str, state: Compilation) -> bool:
    if owner in state.operations:
        return state.operations[owner].facts.backward
    return state.arrays[owner].is_gradient


def _wire(part: Part, state: Compilation, event: e.Event | None) -> Said:
    """A line from what makes an array, whose id is the part's text, to the operation that takes it."""
    if part.of not in state.operations:
        return HIDDEN
    operation = state.operations[part.of]
    sources = {state.owner(one) for one in operation.facts.operands}
    maker = state.operations.get(part.text)
    cut = [one for one in (operation, maker) if one is not None and one.gone]
    if part.text not in sources or not all(map(state.is_fresh, cut)):
        return HIDDEN
    classes = ["back" if operation.facts.backward else "ahead", *["gone"] * bool(cut)]
    return (*classes, *_now(part.of, state, event)), ()


def _line(part: Part, state: Compilation, event: e.Event | None) -> Said:
    """A line of a program, lit while something is said of it."""
    if not any(program.half == part.of for program in state.programs):
        return HIDDEN
    number = part.index
    placed = isinstance(event, e.ArrayPlaced) and state.buffers[event.buffer].facts.half == part.of
    lit = placed and isinstance(event, e.ArrayPlaced) and event.first <= number <= event.last
    lit |= isinstance(event, e.ProgramWritten) and event.half == part.of and number == 1
    comment = ["comment"] * part.text.lstrip().startswith("#")
    return ("written", *comment, *["now"] * lit), (("number", str(number)), ("code", part.text))


def _heading(part: Part, state: Compilation, event: e.Event | None) -> Said:
    there = any(program.half == part.of for program in state.programs)
    done = isinstance(event, e.CallsTimed | e.PassFinished) and part.of in subjects(event, state)
    return (("shown", *["now"] * done), (("title", part.text), ("says", SAYS))) if there else HIDDEN


def _rail(part: Part, state: Compilation, event: e.Event | None) -> Said:
    if part.of not in state.buffers:
        return HIDDEN
    facts = state.buffers[part.of].facts
    now = isinstance(event, e.BufferPlanned) and event.buffer == part.of
    size = f"{bytes_text(facts.nbytes)}{', tile' * facts.is_tile}"
    return ("rail", *["now"] * now), (("title", called(part.of)), ("size", size))


def _tenant(part: Part, state: Compilation, event: e.Event | None) -> Said:
    """An array in a buffer."""
    if part.of not in state.buffers or part.index >= len(state.buffers[part.of].tenants):
        return HIDDEN
    tenants = state.buffers[part.of].tenants
    tenant = tenants[part.index]
    given = part.index + 1 < len(tenants) and tenants[part.index + 1].is_written_over
    classes = ["over" if tenant.is_written_over else "lies", *["given"] * given, *["now"] * (tenant is event)]
    return tuple(classes), (("title", state.arrays[tenant.array].facts.name),)


def _now(name: str, state: Compilation, event: e.Event | None) -> list[str]:
    return ["now"] * (name in subjects(event, state))


def called(buffer: str) -> str:
    """What a buffer is called: they are counted from 1."""
    return f"buffer {int(buffer[1:]) + 1}"


def kind_of(dtype: str, shape: tuple[int, ...]) -> str:
    """Dtype and shape in one word: `float32[10, 3]`."""
    return f"{dtype}[{', '.join(map(str, shape))}]" if shape else dtype


_KINDS: dict[str, Callable[[Part, Compilation, e.Event | None], Said]] = {
    "input": _input,
    "call": _call,
    "wire": _wire,
    "program": _heading,
    "program-line": _line,
    "rail": _rail,
    "tenant": _tenant,
}
KINDS = tuple(_KINDS)
"""Kinds of parts that a picture of a compilation is made of."""
