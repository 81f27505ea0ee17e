"""A sentence for each fact of compiling, with its numbers, and a name for each stage."""

from __future__ import annotations

from autograd_lab.events import (
    ArrayKept,
    ArrayPlaced,
    BufferPlanned,
    CallsTimed,
    CompilingEvent,
    FunctionCaptured,
    InputDeclared,
    OperationAdded,
    OperationCaptured,
    OperationDropped,
    OperationFacts,
    OperationRepeated,
    OperationRewritten,
    OperationsFused,
    OperationsOrdered,
    OutputNamed,
    PassFinished,
    PassStarted,
    ProgramWritten,
)
from autograd_lab.view.compiled.look import called, kind_of
from autograd_lab.view.compiled.state import Compilation
from autograd_lab.view.numeral import bytes_text

CAPTURE, DONE = "capture", "compiled"
PASSES = {
    "dead": ("dead code", "what leads to nothing that is asked for is left out"),
    "constants": ("constant folding", "what depends on no input is computed once, now"),
    "algebra": ("algebra", "what can be had for less is, as long as every bit of the results stays as it was"),
    "duplicates": ("common subexpressions", "what is computed twice is computed once"),
    "halves": ("two halves", "forward runs at each call, backward when gradients come, with what was kept for it"),
    "fusion": ("fusion", "elementwise operations on large arrays become loops over tiles that stay in the cache"),
    "schedule": ("schedule", "operations may run in another order, if that needs less memory at a time"),
    "program": ("Python", "each half becomes a function of numpy calls, one in a line"),
    "buffers": ("buffers", "arrays that are never needed together can lie in the same memory, one after the other"),
}
"""What each pass is called, and what it does."""


def moment(state: Compilation) -> str:
    """The stage that a compilation is in."""
    if not state.stage:
        return CAPTURE
    if state.stage == "buffers" and not state.is_running:
        return DONE
    return PASSES.get(state.stage, (state.stage,))[0]


def sentence(event: CompilingEvent, state: Compilation) -> str:
    """What a fact says, in the state that it led to."""
    match event:
        case FunctionCaptured(function=name):
            return f"{name} runs once, on stand-ins that take down each numpy call; no number is looked at."
        case InputDeclared(array=array, is_gradient=is_gradient):
            what = f"{array.name}, {kind_of(array.dtype, array.shape)}"
            return f"Backward begins with the gradient {what}." if is_gradient else f"It is given {what}."
        case OperationCaptured(operation=facts):
            return _captured(facts, state)
        case OutputNamed(array=array, purpose=purpose):
            return f"{'A constant' if array is None else _name(array, state)} {_used(purpose)}."
        case PassStarted(name=name):
            title, does = PASSES.get(name, (name, "a pass of your own"))
            return f"{title[0].upper()}{title[1:]}: {does}."
        case PassFinished():
            return _finished(event, state)
        case CallsTimed():
            return timed(event, state)
        case _:
            return _passed(event, state) or _arranged(event, state)


def _captured(facts: OperationFacts, state: Compilation) -> str:
    if facts.is_check:
        return f"{facts.title}: where it sees anything else, this graph does not hold, and another is captured."
    made = ", ".join(f"{one.name}, {kind_of(one.dtype, one.shape)}" for one in facts.results)
    told = f"{facts.title} makes {made or 'nothing'}, {_bytes(facts)}"
    whose = f"the formula of {facts.node}" if facts.backward else f"the op that leaves {facts.node} in eager mode"
    return f"{told}; it is part of {whose}." if facts.node else f"{told}."


def _bytes(facts: OperationFacts) -> str:
    size = sum(one.nbytes for one in facts.results)
    return bytes_text(size) if size else "a view: no memory of its own"


def _passed(event: CompilingEvent, state: Compilation) -> str:
    match event:
        case OperationDropped(operation=name, reason=reason, rewired=rewired):
            facts = state.operations[name].facts
            users = f"; {', '.join(map(_called, rewired[:3]))} no longer wait{'s' * (len(rewired) == 1)} for it"
            return f"{_called(facts)} is left out: {reason}{users if rewired else ''}."
        case OperationRewritten(operation=facts, reason=reason):
            return f"{_called(facts)}: {reason or 'it takes something else now'}."
        case OperationAdded(operation=facts, reason=reason):
            return f"{_called(facts)} is added: {reason}."
    return ""


def _arranged(event: CompilingEvent, state: Compilation) -> str:
    match event:
        case ArrayKept(array=array, nbytes=nbytes):
            return f"{_name(array, state)} is kept from forward to backward ({bytes_text(nbytes)})."
        case OperationRepeated(operation=name):
            return f"{_called(state.operations[name].facts)} runs again in backward: that is cheaper than to keep it."
        case OperationsFused(operations=names, tiles=tiles, half=half):
            count = f"{tiles:,} tiles" if tiles > 1 else "one tile"
            return f"In {half}, {len(names)} operations become loop {state.loops}, over {count} that fit the cache."
        case OperationsOrdered(half=half):
            return f"{half.capitalize()} runs in another order than it was captured in."
        case ProgramWritten(half=half, text=text):
            return f"{half.capitalize()} is {len(text.splitlines())} lines of Python; they run in the function's place."
        case BufferPlanned(half=half, buffer=buffer, nbytes=nbytes, is_tile=is_tile):
            of = f"a loop of {half}" if is_tile else half
            return f"{called(buffer).capitalize()}, of {bytes_text(nbytes)}, for {of}: it is there for all calls."
        case ArrayPlaced(array=array, buffer=buffer, first=first, last=last, is_written_over=over):
            lines = f"in lines {first} to {last}" if last > first else f"in line {first}"
            how = ", written over what was there before" if over else ""
            return f"{_name(array, state)} is in {called(buffer)} {lines}{how}."
    return event.kind.replace("_", " ")


def _finished(event: PassFinished, state: Compilation) -> str:
    """What a pass has come to, in numbers."""
    name = PASSES.get(event.name, (event.name,))[0]
    name = name[0].upper() + name[1:]
    match event.name:
        case "buffers":
            return memory(state)
        case "program":
            return "Both are written; where their arrays lie is still to be planned."
        case "halves":
            return f"{name}: {_between(state)}."
    count, nbytes = state.before
    less = f", {bytes_text(nbytes - state.nbytes)} less" if nbytes > state.nbytes else ""
    operations = state.operations.values()
    changed = sum(state.is_fresh(one) for one in operations)
    if state.count != count:
        return f"{name} is done: {count} → {state.count} operations{less}."
    if event.name == "fusion" and state.loops:
        inside = sum(bool(one.loops) for one in operations)
        return f"{name} is done: {inside} operations are in {_count(state.loops, 'loop')}{less}."
    return f"{name} is done: {_count(changed, 'operation')} changed." if changed else f"{name}: nothing to do here."


def _between(state: Compilation) -> str:
    """What forward leaves for backward."""
    kept = [array.facts.nbytes for array in state.arrays.values() if array.is_kept]
    again = sum(one.is_repeated for one in state.operations.values())
    said = (
        f"{_count(len(kept), 'array')} kept for backward, {bytes_text(sum(kept))}" if kept else "inputs only are kept"
    )
    return said + f"; {_count(again, 'operation')} of forward will run again there" * bool(again)


def memory(state: Compilation) -> str:
    """How many arrays share how many buffers, what that saves, and what a call takes in all."""
    own = [buffer for buffer in state.buffers.values() if not buffer.facts.is_tile]
    tiles = [buffer.facts.nbytes for buffer in state.buffers.values() if buffer.facts.is_tile]
    held = [tenant.array for buffer in own for tenant in buffer.tenants]
    room = bytes_text(sum(buffer.facts.nbytes for buffer in own))
    without = bytes_text(sum(state.arrays[array].facts.nbytes for array in held))
    said = []
    if held:
        shared = f"{_count(len(held), 'array')} in {_count(len(own), 'buffer')}"
        said.append(f"{shared}: {room} instead of {without}" if room != without else f"{shared}, {room}")
    if tiles:
        said.append(
            f"what the loops make in between is in {_count(len(tiles), 'small buffer')}, {bytes_text(sum(tiles))}"
        )
    apart = bytes_text(state.captured[1])
    said.append(f"with what leaves, {bytes_text(state.nbytes)} in all; each captured array apart, {apart}")
    told = "; ".join(said)
    return f"{told[0].upper()}{told[1:]}."


def timed(event: CallsTimed, state: Compilation) -> str:
    """How long calls take."""
    calls = f"CPU time, medians of {event.compiled_calls} and {event.written_calls} calls"
    apart = ", backward not counted" * state.has_backward
    return f"A call takes {_seconds(event.compiled)}; as it is written, {_seconds(event.written)} ({calls}{apart})."


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e6:,.1f} µs" if seconds < 1e-3 else f"{seconds * 1e3:,.2f} ms"


def _count(count: int, word: str) -> str:
    return f"one {word}" if count == 1 else f"{count} {word}s"


def _name(array: str, state: Compilation) -> str:
    return state.arrays[array].facts.name


def _called(facts: OperationFacts) -> str:
    """An operation by what it does and what it makes: several may be called alike."""
    return f"{facts.title} ({', '.join(one.name for one in facts.results)})" if facts.results else facts.title


def _used(purpose: str) -> str:
    if purpose.startswith("into "):
        return f"goes {purpose} at the end"
    return f"becomes {purpose[3:]}" if purpose.startswith("is ") else f"is the {purpose}"
