"""What a note on an error says beside PyTorch's message: tensors by their names in the user's program, the lines that
did it, and what to write instead.

Nodes know where they were made, version counters where they were written to, freed nodes which pass freed them; a name
is a variable that means the very tensor. What is not known is left out. None of it costs anything before the error.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, TypeAlias

from autograd_lab import listening
from autograd_lab.engine.errors import is_tensor, noted, or_no_help
from autograd_lab.engine.numbers.dtypes import dtype_of
from autograd_lab.whose import place, users_frame

if TYPE_CHECKING:  # what reads the user's program is imported when there is an error, and not before
    from autograd_lab.events import Where
    from autograd_lab.recording.program.source import Site

Place = tuple[CodeType, int]
Row: TypeAlias = "tuple[str, Where | None]"
"""Words, and the line of the user's program that they are about."""

IN_PLACE = "a leaf Variable that requires grad is being used in an in-place operation."
IN_PLACE_ON_A_VIEW = "a view of a leaf Variable that requires grad is being used in an in-place operation."
NO_HISTORY = "does not require grad and does not have a grad_fn"

SECOND_TIME = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)
MODIFIED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[{kind} {shape}]{producer} is at version {now}; expected version {then} instead. Hint: {hint}"
)
HINT = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
HINT_IN_ANOMALY_MODE = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!"
)


def help_of(rows: list[Row], advice: str = "") -> str:
    """What happened: words, file and line, the text of the line, below each other; then advice."""
    found = [(words, *(("", "") if at is None else (str(at), at.text))) for words, at in rows]
    widths = [max((len(row[column]) for row in found if row[1]), default=0) for column in (0, 1)]
    lines = [f"  {row[0]:{widths[0]}}    {row[1]:{widths[1]}}    {row[2]}".rstrip() for row in found]
    if advice:
        lines.append(f"  {advice}")
    return "\n".join(lines)


# --- names ---------------------------------------------------------------------------------------------------------


def _frames() -> Iterator[FrameType]:
    """The frames of the user's program that are running, innermost first."""
    frame = users_frame(sys._getframe(1))
    while frame is not None:
        yield frame
        frame = users_frame(frame.f_back)


def name_where(holds: Callable[[Any], bool]) -> str | None:
    """The variable of the user's program, or the parameter of one of its modules, for which `holds` is true."""
    for frame in _frames():
        for scope in (frame.f_locals, frame.f_globals):
            found = _named(dict(scope), holds)
            if found is not None:
                return found
    return None


def _named(scope: dict[str, Any], holds: Callable[[Any], bool]) -> str | None:
    for name, value in scope.items():
        if is_tensor(value) and holds(value):
            return name
    waiting = list(scope.items())
    seen = set()
    for path, value in waiting:
        inner = getattr(value, "__dict__", None)  # of modules, and of objects that have some; none of their code runs
        if not isinstance(inner, dict) or "_parameters" not in inner or id(value) in seen:
            continue
        seen.add(id(value))
        for name, parameter in inner["_parameters"].items():
            if is_tensor(parameter) and holds(parameter):
                return f"{path}.{name}"
        waiting += [(f"{path}.{name}", module) for name, module in inner.get("_modules", {}).items()]
    return None


def name_of(tensor: Any) -> str | None:
    """What the user's program calls a tensor."""
    return name_where(lambda value: value is tensor)


def _target(place: Place | None) -> str | None:
    """The one variable that the line at a place assigns its result to."""
    targets = () if place is None else _site(place).targets
    return targets[0] if len(targets) == 1 else None


def _where(place: Place | None) -> Where | None:
    return None if place is None else _site(place).where


def _site(place: Place) -> Site:
    from autograd_lab.recording.program.source import Sites

    return Sites().at(*place)


def _place_of(node: Any) -> Place | None:
    """Where in the user's program a node was made, if that is known."""
    code = getattr(node, "code", None)
    return (code, node.at) if isinstance(code, CodeType) else None


# --- backward ------------------------------------------------------------------------------------------------------


@or_no_help
def modified(node: Any, source: Any, cell: list[Any], then: int) -> str:
    """Which tensor was written over between forward and backward: who saved it, and who wrote last."""
    is_input = is_tensor(source)
    array, base = (source._array, _base(source)) if is_input else (source, None)
    made, written = _place_of(node), _where((cell[1], cell[2]) if len(cell) == 3 else None)
    name = name_of(source) if is_input else name_where(lambda value: value._array is array) or _target(made)
    if name is None and base is not None and base is not source and (of := name_of(base)) is not None:
        name = f"a view of {of}"
    shown = name or f"a tensor of shape {list(array.shape)}"
    rows = [(f"{shown} was saved by {node.op} for its backward", _where(made))]
    if written is not None:
        times = cell[0] - then
        rows.append(("and overwritten" if times == 1 else f"and overwritten {times} times, last here", written))
    if base is not None and base._needs and base._edge is None:
        return help_of(rows, "Call backward before the leaf changes, or run the forward pass again after it.")
    if written is not None and made is not None and written == _where(made):
        return help_of(rows, _instead_of(written.text))
    copy = f"`{name} = {name}.clone()`" if name and name.isidentifier() else "`.clone()`"
    if cell[0] - then > 1:
        return help_of(rows, f"Use out-of-place ops, or write to a copy that is made before the first write: {copy}.")
    line = "" if written is None else f" before line {written.number}"
    return help_of(rows, f"Use the out-of-place op there, or write to a copy: {copy}{line}.")


def _instead_of(text: str) -> str:
    """What to write for a line that saves a value and writes to it: to copy it before would not help."""
    by_index = re.match(r"([\w.]+)\[.*\]\s*[-+*/]?=(?!=)", text)
    if by_index is None:
        return "Use the out-of-place op there: it makes a new tensor."
    whole = by_index[1]
    return (
        f"Keep the parts in a list and join them, `{whole} = torch.stack(parts)`; or compute of a copy of what is "
        f"read: `{whole}[...].clone()`."
    )


def _base(tensor: Any) -> Any:
    return tensor if tensor._extra is None or tensor._extra.base is None else tensor._extra.base


@or_no_help
def second_time(node: Any) -> str:
    """Which node has nothing left to go back through, and which pass freed it."""
    freed = _where(getattr(node, "freed", None))
    rows = [(f"{node.op} saved for its backward", _where(_place_of(node))), ("and that was freed by", freed)]
    interactive = freed is not None and freed.file == "<stdin>" and not freed.text  # there, each line is line 1
    line = "in the first backward" if freed is None or interactive else f"in line {freed.number}"
    advice = "Run the forward pass again before this one; losses that share a part go back as one, "
    advice += f"`(one + two).backward()`; for the very same loss twice pass `retain_graph=True` {line}."
    if getattr(node, "freed", None) == place():  # the same line, in an earlier turn of a loop
        advice = (
            "Detach what is carried over from the turn before, as in `state = state.detach()`; compute anew in each "
        )
        advice += "turn what was computed before the loop."
    return help_of([row for row in rows if row[1] is not None], advice)


@or_no_help
def no_history(tensor: Any) -> str:
    """Why a tensor cannot be differentiated, as far as it shows."""
    from autograd_lab.engine.errors import lineage

    frame = next(_frames(), None)
    if not is_tensor(tensor) or frame is None:
        return ""
    name = name_of(tensor) or "the tensor"
    if tensor._needs:
        return help_of([(f"{name} is a view made under no_grad, which leads nowhere", None)])
    reason = lineage.lost(frame)
    if reason is not None:
        words = reason[0]
        if not words:
            return help_of([(f"{name} was computed by what records nothing", None)])
        if "copies numbers" in words:
            return help_of([reason], "Join tensors instead: `torch.stack([...])`, or `torch.cat([...])`.")
        advice = "" if "unless" in words else "Gradients go only through what was recorded: leave that out of the path."
        return help_of([reason], advice)
    leaves = lineage.leaves_without(frame)
    rows: list[Row] = [(f"{name} was computed from tensors none of which requires grad", None)]
    made = ", ".join(leaves) or "the leaves"
    return help_of(rows, f"Make {made} with `requires_grad=True`, and compute anew.")


@or_no_help
def not_scalar(tensor: Any) -> str:
    """Which tensor has several elements, and what can be done."""
    if not is_tensor(tensor):
        return ""
    name = name_of(tensor)
    shown = name or "the tensor"
    rows: list[Row] = [(f"{shown} has shape {list(tensor._array.shape)}", _where(_place_of(_node(tensor))))]
    call = f"`{name or 't'}.sum().backward()`, or `{name or 't'}.backward(gradient)`"
    return help_of(rows, f"Call {call} with a gradient of this shape.")


def _node(tensor: Any) -> Any:
    edge = tensor._edge or (tensor._extra and tensor._extra.edge)
    return edge[0] if edge else None


# --- forward -------------------------------------------------------------------------------------------------------


@or_no_help
def leaf_written(tensor: Any) -> str:
    """Which leaf must not be written to."""
    base = _base(tensor)
    name = name_of(base)
    shown = name or f"the leaf of shape {list(base._array.shape)}"
    rows: list[Row] = [(f"{shown} is a leaf that requires grad: its value is what gradients are taken at", None)]
    advice = f"Update it under `torch.no_grad()`, or write to a copy: `{name or 'leaf'}.clone()`."
    return help_of(rows, advice)


@or_no_help
def to_array(tensor: Any) -> str:
    """Which tensor would lose its history."""
    name = name_of(tensor)
    if name is None:
        return ""
    made = _where(_place_of(_node(tensor)))
    what = "is a leaf that requires grad" if made is None else "requires grad, for it was computed here"
    return help_of([(f"{name} {what}", made)])


@or_no_help
def not_a_leaf(tensor: Any) -> str:
    """Which computed tensor was asked for its gradient."""
    name, where = name_of(tensor), _where(_place_of(_node(tensor)))
    rows = [(f"{name or 'it'} was computed here", where)]
    if name and where is not None and re.search(r"=.*\brequires_grad(?:=True|_\(\))", where.text):
        return help_of(rows, f"Leave `requires_grad=True` out there, and call `{name}.requires_grad_()` after it.")
    if name and where is not None and f"{name}.grad" in where.text and not where.text.startswith(f"{name} "):
        return help_of(rows, f"It is no leaf. Update leaves themselves: `with torch.no_grad(): {name} -= ...`.")
    if name and where is not None and re.match(rf"{re.escape(name)}\s*=[^=].*\b{re.escape(name)}\b", where.text):
        advice = f"It is no leaf any more. Update the leaf itself: `with torch.no_grad(): {name} -= ...`."
        return help_of(rows, advice)  # to retain its gradient would keep the graphs of all updates
    return help_of(rows, f"Call `{name or 'tensor'}.retain_grad()` before backward.")


@or_no_help
def shapes(*operands: Any) -> str:
    """The names of the operands whose shapes do not fit, as the running line has them, and that line.

    An operand that a layer made of its parameter goes by the parameter's name and shape.
    """
    from autograd_lab.recording.program.variables import look_up

    frame = next(_frames(), None)
    if frame is None:
        return ""
    place = (frame.f_code, frame.f_lasti)
    left = dict.fromkeys(_site(place).operands)
    words = []
    for operand in operands:
        size = operand._array.shape if is_tensor(operand) else operand
        name = next((one for one in left if _shape(look_up(one, frame)) == size), None)
        if name is not None:
            del left[name]
        elif is_tensor(operand) and (name := name_of(base := _base(operand))) is not None:
            size = base._array.shape
        words.append(f"{name or 'an operand'} has shape {list(size)}")
    return help_of([(", ".join(words), _where(place))])


@or_no_help
def dtypes(tensors: Iterable[Any], advice: str = "") -> str:
    """Which tensors have the types that do not fit; in the advice, {} stands for the name of the last."""
    named = [(name, str(one.dtype)) for one in tensors if (name := name_of(_base(one))) is not None]
    if not named:
        return ""
    rows: list[Row] = [(", ".join(f"{name} has dtype {dtype}" for name, dtype in named), None)]
    return help_of(rows, advice.format(named[-1][0]))


@or_no_help
def classes(target: Any, number: int) -> str:
    """Which labels name a class that there is not."""
    name = name_of(_base(target)) or "the target"
    return help_of([(f"{name} may hold 0 to {number - 1}, for the input has {number} classes", None)])


def _shape(thing: Any) -> tuple[int, ...] | None:
    return thing._array.shape if is_tensor(thing) else None


def is_view_of_needy(tensor: Any) -> bool:
    """Whether a tensor is a view of one that requires grad."""
    extra = tensor._extra
    return extra is not None and extra.base is not None and bool(extra.base._needs)


def short_name(node: Any) -> str:
    """The node's name as error messages give it: `Mul` for MulBackward0, `Max1` for MaxBackward1."""
    return re.sub(r"Backward0?(?=\d*$)", "", node.name())


# --- what nodes saved ----------------------------------------------------------------------------------------------


def was_modified(node: Any, position: int, in_anomaly_mode: bool) -> RuntimeError:
    """PyTorch's error that a saved tensor was written over before backward had it."""
    source, cell, then = node._saved[3 * position : 3 * position + 3]
    is_input = is_tensor(source)
    array = source._array if is_input else source
    made = (
        (source._edge or (source._extra and source._extra.edge)) if is_input else (node, node.output_number(position))
    )
    if made and is_input:
        made = made[0], 0  # of operands PyTorch keeps no number
    producer = "" if not made or made[0] is None else f", which is output {made[1]} of {short_name(made[0])},"
    if is_input and is_view_of_needy(source):
        with listening.paused():
            source.grad_fn  # a view of what changed has its history made anew, if that can be  # noqa: B018
        producer = ", which is output 0 of AsStrided,"
    kind = "CPUBoolType" if array.dtype == bool else f"torch.{dtype_of(array).title}Tensor"
    hint = HINT_IN_ANOMALY_MODE if in_anomaly_mode else HINT
    shape = f"[{', '.join(map(str, array.shape))}]"
    message = MODIFIED.format(kind=kind, shape=shape, producer=producer, now=cell[0], then=then, hint=hint)
    return noted(RuntimeError(message), modified(node, source, cell, then))


def was_freed(node: Any) -> RuntimeError:
    """PyTorch's error that saved tensors are wanted a second time."""
    return noted(RuntimeError(SECOND_TIME), second_time(node))


def invalid_gradient(node: Any, gradients: Sequence[Any], g: Any, shape: Any, wanted: Any) -> RuntimeError:
    """The error that a formula gave a gradient which does not broadcast to what it is the gradient of."""
    what = "" if node is None else f"Function {node.name()} returned an "
    index = next(position for position, one in enumerate(gradients) if one is g)
    return RuntimeError(
        f"{what}invalid gradient at index {index} - got {list(shape)} but expected shape compatible with {list(wanted)}"
    )
