"""A sentence for each fact of compiling, with its numbers, and a name for each stage."""

from __future__ import annotations

from autograd_lab import events as e
from autograd_lab.view.compiled.look import called, kind_of
from autograd_lab.view.compiled.state import CAPTURED, Compilation
from autograd_lab.view.kit.numeral import bytes_text
from autograd_lab.view.kit.signs import base_of

CAPTURE, DONE = "capture", "compiled"
PASSES = {
    "dead": ("dead code", "what leads to nothing that is asked for is left out"),
    "constants": ("constants", "what depends on no input is computed once, now"),
    "algebra": ("algebra", "what can be had for less is, as long as every bit of the results stays as it was"),
    "duplicates": ("duplicates", "what is computed twice is computed once (common subexpressions)"),
    "halves": ("halves", "forward runs at each call, backward when gradients come, with what was kept for it"),
    "fusion": ("fusion", "elementwise operations on large arrays become loops over small tiles"),
    "schedule": ("schedule", "operations may run in another order, if that needs less memory at a time"),
    "program": ("program", "the graph becomes Python, with one numpy call in a line"),
    "buffers": ("buffers", "arrays that are never needed together can lie in the same memory, one after the other"),
}
"""What each pass is called, and what it does."""


def moment(state: Compilation) -> str:
    """The stage that a compilation is in."""
    if state.stage in ("", CAPTURED):
        return CAPTURE
    if state.stage == "buffers" and not state.is_running:
        return DONE
    return title_of(state.stage)


def title_of(stage: str) -> str:
    """What a pass is called."""
    return PASSES.get(stage, (stage, ""))[0]


def sentence(event: e.CompilingEvent, state: Compilation) -> str:
    """What a fact says, in the state that it led to."""
    match event:
        case e.FunctionCaptured(function=name, of=of):
            return f"{name} runs once, with stand-ins in the place of arrays, which take down each {of}."
        case e.InputDeclared(array=array, is_gradient=is_gradient):
            what = f"{array.name}, {kind_of(array.dtype, array.shape)}"
            return f"Backward begins with the gradient {what}." if is_gradient else f"{state.function} takes {what}."
        case e.OperationCaptured(operation=facts):
            return _captured(facts)
        case e.OutputNamed(array=array, purpose=purpose):
            return f"{'A constant' if array is None else _name(array, state)} {_used(purpose)}."
        case e.PassStarted(name=name):
            title, does = PASSES.get(name, (name, "a pass of your own"))
            return f"{title[:1].upper()}{title[1:]}: {does}."
        case e.PassFinished():
            return _finished(event, state)
        case e.GraphBroken(reason=reason, where=where):
            line = "" if where is None else f" ({where}: {where.text})"
            return f"The graph breaks here, and what follows is another one: {reason}{line}"
        case e.CallsTimed():
            return timed(event)
        case _:
            return _passed(event, state) or _arranged(event, state)


def _captured(facts: e.OperationFacts) -> str:
    if facts.is_check:
        return f"{facts.title}: where it sees anything else, this graph does not hold, and another is captured."
    made = ", ".join(f"{one.name}, {kind_of(one.dtype, one.shape)}" for one in facts.results)
    told = f"{facts.title} makes {made or 'nothing'}, {_bytes(facts)}"
    whose = f"the formula of {facts.node}" if facts.backward else f"the op {base_of(facts.node)}"
    return f"{told}; it is part of {whose}." if facts.node else f"{told}."


def _bytes(facts: e.OperationFacts) -> str:
    size = sum(one.nbytes for one in facts.results)
    return bytes_text(size) if size else "a view: no memory of its own"


def _passed(event: e.CompilingEvent, state: Compilation) -> str:
    match event:
        case e.OperationDropped(operation=name, reason=reason, rewired=rewired):
            facts = state.operations[name].facts
            users = f"; {', '.join(map(_called, rewired[:3]))} go{'es' * (len(rewired) == 1)} on without it"
            return f"{_called(facts)} is left out: {reason}{users if rewired else ''}."
        case e.OperationRewritten(operation=facts, reason=reason):
            was = state.operations[facts.id].was
            becomes = f"{was} becomes " if was != facts.title else ""
            return f"{becomes}{_called(facts)}: {reason or 'it takes something else now'}."
        case e.OperationAdded(operation=facts, reason=reason):
            return f"{_called(facts)} is added: {reason}."
    return ""


def _arranged(event: e.CompilingEvent, state: Compilation) -> str:
    match event:
        case e.ArrayKept(array=array, nbytes=nbytes):
            size = bytes_text(nbytes) if nbytes else "no memory of its own"
            return f"{_name(array, state)} is kept from forward to backward ({size})."
        case e.OperationRepeated(operation=name):
            return f"{_called(state.operations[name].facts)} runs again in backward: that is cheaper than to keep it."
        case e.OperationMoved(operation=name):
            return f"{_called(state.operations[name].facts)} runs in backward only: nothing else needs it."
        case e.OperationsFused(operations=names, tiles=tiles, half=half):
            count = f"{tiles:,} tiles" if tiles > 1 else "one tile"
            return f"{_in(half, state)}{len(names)} operations become loop {state.loops}, over {count}."
        case e.OperationsOrdered(half=half):
            return f"{program_name(half, state)} runs in another order than it was captured in."
        case e.ProgramWritten(half=half, text=text):
            return f"{program_name(half, state)} is {len(text.splitlines())} lines of Python."
        case e.ViewsMade(operations=names):
            views = "one is a view" if len(names) == 1 else f"{len(names)} are views"
            return f"Of the operations, {views} of a buffer, made once for all calls."
    return _located(event, state)


def _located(event: e.CompilingEvent, state: Compilation) -> str:
    match event:
        case e.BufferPlanned(half=half, buffer=buffer, nbytes=nbytes, is_tile=is_tile):
            of = f"a loop of {_for(half, state)}" if is_tile else _for(half, state)
            return f"{called(buffer).capitalize()}, of {bytes_text(nbytes)}, for {of}: it is there for all calls."
        case e.ArrayPlaced(array=array, buffer=buffer, first=first, last=last, is_written_over=over):
            lines = f"lines {first} to {last}" if last > first else f"line {first}"
            whose = f"{_for(state.buffers[buffer].facts.half, state)}'s Python"
            run = f"{lines} of {whose} run{'s' * (first == last)}"
            return f"{_name(array, state)} is in {called(buffer)} while {run}{', over the array before' * over}."
        case e.ArrayPutInto(array=array, target=target):
            return f"{_name(array, state)} is put straight into {_name(target, state)}: it takes no memory."
    return event.kind.replace("_", " ")


def program_name(half: str, state: Compilation) -> str:
    """What the program of a half is called: the function itself, if there is one only."""
    return half.capitalize() if state.has_backward else state.function


def _for(half: str, state: Compilation) -> str:
    return half if state.has_backward else state.function


def _in(half: str, state: Compilation) -> str:
    return f"In {half}, " if state.has_backward else ""


def _finished(event: e.PassFinished, state: Compilation) -> str:
    """What a pass has come to, in numbers."""
    most = f"at most {bytes_text(event.nbytes)} are in use at a time"
    if event.name == CAPTURED:
        return f"{_count(event.operations, state.of)} were captured; {most}, if each array goes after its last use."
    if event.name == "buffers":
        return f"{memory(state)}."
    name = title_of(event.name)
    if not state.has_started:
        return f"{name[:1].upper()}{name[1:]}: nothing to do here."
    if event.name == "halves":
        return f"Forward and backward are apart; {between(state)}."
    count, nbytes = state.before
    operations = f"{count} → {state.count} operations, " if count != state.count else ""
    return f"The end of {name}: {operations}{most}{f', {bytes_text(nbytes)} before' if nbytes != event.nbytes else ''}."


def between(state: Compilation) -> str:
    """What forward leaves for backward."""
    kept = [array.kept for array in state.arrays.values() if array.kept]
    inputs = any(array.kept is not None for name, array in state.arrays.items() if array.owner == name)
    said = f"{_count(len(kept), 'array')}, {bytes_text(sum(kept))}" if kept else ""
    return f"kept for backward: {' and '.join(filter(None, (said, 'inputs' * inputs))) or 'nothing'}"


def memory(state: Compilation) -> str:
    """How many arrays share how many buffers, what that saves, and the most that is in use at a time."""
    own = [buffer for buffer in state.buffers.values() if not buffer.facts.is_tile]
    tiles = [buffer.facts.nbytes for buffer in state.buffers.values() if buffer.facts.is_tile]
    held = [tenant.array for buffer in own for tenant in buffer.tenants]
    room = bytes_text(sum(buffer.facts.nbytes for buffer in own))
    without = bytes_text(sum(state.arrays[array].facts.nbytes for array in held))
    said = [f"At most {bytes_text(state.nbytes)} are in use at a time; as captured, {bytes_text(state.captured[1])}"]
    if held:
        shared = f"{_count(len(held), 'array')} share {_count(len(own), 'buffer')}"
        said.append(f"{shared}, {room} instead of {without}" if room != without else f"{shared}, {room}")
    if tiles:
        said.append(f"what loops make in between is in {_count(len(tiles), 'small buffer')}, {bytes_text(sum(tiles))}")
    return "; ".join(said)


def timed(event: e.CallsTimed) -> str:
    """How long calls take."""
    what = "A call with its backward takes" if event.with_backward else "A call takes"
    how = f"CPU time, medians of {event.calls} calls each, with the arguments of the last one"
    return f"{what} {_seconds(event.compiled)}; as it is written, {_seconds(event.written)} ({how})."


def _seconds(seconds: float) -> str:
    return f"{seconds * 1e6:,.1f} µs" if seconds < 1e-3 else f"{seconds * 1e3:,.2f} ms"


def _count(count: int, word: str) -> str:
    return f"one {word}" if count == 1 else f"{count} {word}s"


def _name(array: str, state: Compilation) -> str:
    return state.arrays[array].facts.name


def _called(facts: e.OperationFacts) -> str:
    """An operation by what it does and what it makes: several may be called alike."""
    return f"{facts.title} ({', '.join(one.name for one in facts.results)})" if facts.results else facts.title


def _used(purpose: str) -> str:
    if purpose.startswith("into "):
        return f"goes {purpose} at the end"
    if purpose.startswith("is "):
        return f"becomes {purpose[3:]}"
    return f"is {purpose}" if purpose[-1:].isdigit() and purpose.startswith("result") else f"is the {purpose}"
