"""Cells: what is drawn as one piece, with the places of its parts, before it is known where it will stand.

A tensor of its own is a cell: its box, the AccumulateGrad docked to it, its `.grad` box. An op is a cell: the pill with
its name, the tabs of what it saved, and under them the boxes of the tensors it made. Numbers, and leaves that are used
so often that lines to them would cover the picture, stand as chips at the op that uses them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from autograd_lab.events import TensorDetached, Value
from autograd_lab.view.font import fit, text_width
from autograd_lab.view.history import Box, History, Op, Use
from autograd_lab.view.numeral import ROWS, heat, is_table, numeral, table
from autograd_lab.view.symbol import symbol_of

NAME, SIGN, VALUE, SMALL, TABLE = 16.0, 21.0, 15.0, 12.0, 13.0
"""Font sizes, px."""
PAD, LINE, TABLE_LINE, HEAT = 9.0, 17.0, 16.0, 9.0
"""Inner margin, height of a line of small text, of a row of numbers, and side of a heat cell, px."""
PILL, TAB, DOCK = 46.0, 23.0, 46.0
"""Heights of a pill, of a slot's tab and of a docked AccumulateGrad, px."""
PORT = 24.0
"""Distance between two lines that arrive at one pill, so that the numbers on them stay apart, px."""
HEADING = 25.0
"""Height of what says which module begins, px."""
OUTPUTS = 8
"""Of an op that makes more than so many tensors, half as many are drawn."""
LABEL = 170.0
"""Widest label, px; a longer one is shortened."""


@dataclass(frozen=True, slots=True)
class Part:
    """A drawn element: `kind` says how, `of` whose state it shows, `index` which slot, output or operand it is."""

    id: str
    kind: str
    of: str
    x: float
    y: float
    width: float
    height: float
    index: int = 0
    text: str = ""

    def moved(self, dx: float, dy: float) -> Part:
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(slots=True)
class Cell:
    """A piece of the picture; `arrive` has the port of each drawn operand, `leave` that of each box, in px.

    A fold has no operands, but ports in `meets`, each for all lines from one other cell.
    """

    id: str
    born: int
    width: float = 0
    height: float = 0
    parts: list[Part] = field(default_factory=list)
    arrive: dict[int, tuple[float, float]] = field(default_factory=dict)
    leave: dict[str, tuple[float, float]] = field(default_factory=dict)
    meets: dict[str, tuple[float, float]] = field(default_factory=dict)


def tensor_cell(box: Box, view: str) -> Cell:
    """A tensor that no drawn op made."""
    cell = Cell(box.id, box.born)
    _stack_box(cell, box, view, 0, 0, box_width(box, view))
    first = cell.parts[0]
    cell.leave[box.id] = (first.width / 2, min(first.height / 2, PAD + NAME / 2 + 2))
    cell.width = first.width
    return cell


def op_cell(op: Op, history: History, view: str, docked: set[tuple[str, int]]) -> Cell:
    """An op with its chips, its slots and the boxes of what it made. `docked` has the (op, operand) drawn as chips."""
    boxes = [history.boxes[output] for output in op.outputs]
    if len(boxes) > OUTPUTS:
        boxes = boxes[: OUTPUTS // 2]
    chips = [
        (number, chip_text(use, history))
        for number, use in enumerate(op.uses)
        if use.box is None or (op.id, number) in docked
    ]
    indent = max((text_width(text, SMALL + 1) + 14 for _, text in chips), default=-8) + 8
    slots = op.slots if view == "engine" else []
    tabs = [slot_width(op, number, history) for number in range(len(slots))]
    width = max([pill_width(op, view), *tabs, *(box_width(box, view) for box in boxes)])
    height = max(PILL, PORT * len(op.uses) + 8)
    cell = Cell(op.id, op.born, width=indent + width)
    cell.parts.append(Part(op.id, "pill", op.id, indent, 0, width, height))
    _ports(cell, op, chips, indent, height)
    y = _tabs(cell, op, len(tabs), indent, height + 5, width)
    for number, box in enumerate(boxes):
        y = _stack_box(cell, box, view, indent, y, width)
        cell.leave[box.id] = (indent + width / 2, height * (number + 1) / (len(boxes) + 1))
    if len(boxes) < len(op.outputs):
        text = f"and {len(op.outputs) - len(boxes):,} more"
        cell.parts.append(Part(f"{op.id}.more", "more", op.id, indent, y, width, LINE, op.born, text))
        y += LINE + 4
    cell.height = max(cell.height, y)
    return cell


def head(cell: Cell, text: str) -> None:
    """Write above a cell which module begins there."""
    main = cell.parts[0]
    cell.parts = [part.moved(0, HEADING) for part in cell.parts]
    for ports in (cell.arrive, cell.leave, cell.meets):
        for name, (x, y) in list(ports.items()):
            ports[name] = x, y + HEADING  # type: ignore[index]  # the names are those of this very dict
    cell.height += HEADING
    text = fit(text, cell.width - main.x - 16, SMALL, bold=True)
    width = text_width(text, SMALL, bold=True) + 16
    cell.parts.append(Part(f"{cell.id}.head", "module", cell.id, main.x, 0, width, HEADING - 5, cell.born, text))


def chip_text(use: Use, history: History) -> str:
    """What a docked operand is called."""
    if use.box is None:
        return numeral(use.operand.number)
    return history.boxes[use.box].label or "·"


def title_of(op: Op, view: str) -> str:
    """The name on a pill: PyTorch's in the engine view, the mathematical sign in the maths view."""
    return op.name if view == "engine" else symbol_of(op.name)


def number_of(op: Op) -> str:
    """The node's number in the order of execution, or why there is none."""
    if isinstance(op.event, TensorDetached):
        return "history cut ✂"
    return f"#{op.number}" if op.number is not None else "not recorded"


def pill_width(op: Op, view: str) -> float:
    """Wide enough for the title and, under it, the number with the longest word for how far the node has come."""
    title = text_width(title_of(op, view), NAME if view == "engine" else SIGN, bold=True)
    shown = f"{number_of(op)} · " if view == "engine" else ""
    number = f"{shown}ran in pass 9" if op.node is not None else "not recorded"
    return max(title, text_width(number, SMALL)) + 2 * 16


def slot_title(slot: str, tensor: str | None, number: Any, history: History) -> str:
    """What a slot holds, in PyTorch's name for it: `other = d`."""
    box = history.box_of(tensor) if tensor else None
    what = numeral(number) if tensor is None else history.boxes[box].label if box else ""
    return f"{slot} = {fit(what or 'unnamed', 80, SMALL)}"


def slot_width(op: Op, number: int, history: History) -> float:
    """Wide enough for the longest that the tab ever says."""
    slot = op.slots[number]
    title = slot_title(slot.slot, slot.tensor, slot.number, history)
    state = "kept · 8 B" if slot.tensor is None else f"saved v{slot.version}, now v{slot.version + 1}"
    return text_width(title, SMALL) + text_width(state, SMALL, bold=True) + 30


def box_width(box: Box, view: str) -> float:
    """Wide enough for all that the box will ever say."""
    name = min(text_width(box.label or "·", NAME, bold=True), LABEL) + (38 if box.versioned or box.rewrite else 0)
    meta = max(text_width(meta_of(box, needs), SMALL) for needs in (True, False)) + (95 if box.versioned else 0)
    value = value_size(box, widest(box.values, box))[0]
    grad = value_size(box, widest(box.grads, box))[0] + 44 if box.has_grad else 0
    flow = 138 if box.leaf_node and view == "engine" else 120 if _gets_gradient(box) else 60
    return max(name, meta, value, grad, flow) + 2 * PAD


def meta_of(box: Box, needs_grad: bool) -> str:
    """Shape and dtype, what kind of tensor it is, and in whose memory it lies if not in its own."""
    facts = box.facts
    shape = "scalar" if not facts.shape else str(list(facts.shape))
    kind = "no grad" if not needs_grad else "leaf" if box.is_leaf else ""
    dtype = "" if facts.dtype == "float32" else facts.dtype
    alias = f"memory of {fit(box.shares_with, 90, SMALL)}" if box.shares_with else ""
    return " · ".join(part for part in (kind, shape, dtype, alias) if part)


def widest(values: list[Value], box: Box) -> int:
    """The longest line, in characters, of the tables of these values of a box."""
    shape = box.facts.shape
    return max((len(line) for value in values for line in table(value, shape)), default=0) if is_table(shape) else 0


def value_size(box: Box, characters: int = 0) -> tuple[float, float]:
    """Width and height of the area for a value: a table of numbers, or heat cells over a line of statistics."""
    shape = box.facts.shape
    if not shape:
        return max(characters, 4) * VALUE * 0.61, LINE + 3
    if is_table(shape):
        rows = shape[-2] if len(shape) > 1 else 1
        return max(characters, 3) * (VALUE if rows == 1 else TABLE) * 0.61, rows * TABLE_LINE + 4
    cells = heat(box.facts.value)
    width = max(8 * HEAT, text_width("-1.23e-05 … -1.23e-05, mean -1.23", SMALL))
    return width, max(1, min(len(cells), 2 * ROWS)) * HEAT + LINE + 4


def _gets_gradient(box: Box) -> bool:
    return box.facts.requires_grad or box.leaf_node is not None


def _stack_box(cell: Cell, box: Box, view: str, x: float, y: float, width: float) -> float:
    """Add a box and what is docked under it at (x, y); returns where the next thing may begin."""
    height = PAD + NAME + 4 + value_size(box)[1] + LINE + 2
    docked = box.leaf_node is not None and view == "engine"
    flow = LINE + 2 if _gets_gradient(box) and not docked else 0
    cell.parts.append(Part(box.id, "box", box.id, x, y, width, height + flow))
    y += height
    if docked:
        cell.parts.append(Part(f"{box.id}.flow", "dock", box.id, x, y, width, DOCK))
        y += DOCK
    elif flow:
        cell.parts.append(Part(f"{box.id}.flow", "flow", box.id, x + 2, y - 2, width - 4, flow))
        y += flow
    if box.has_grad:
        tall = value_size(box)[1] + 8
        cell.parts.append(Part(f"{box.id}.grad", "grad", box.id, x, y, width, tall))
        y += tall
    cell.height = max(cell.height, y)
    return y + 6


def _ports(cell: Cell, op: Op, chips: list[tuple[int, str]], indent: float, height: float) -> None:
    """Where operands arrive, top to bottom in the order of the call; chips stand at their own port."""
    texts = dict(chips)
    for number in range(len(op.uses)):
        y = height * (number + 1) / (len(op.uses) + 1) if len(op.uses) < 2 else 4 + PORT * (number + 0.5)
        if number in texts:
            kind = "number" if op.uses[number].box is None else "docked"
            part = Part(f"{op.id}.c{number}", kind, op.id, 0, y - 9, indent - 8, 18, number, texts[number])
            cell.parts.append(part)
        else:
            cell.arrive[number] = (indent, y)


def _tabs(cell: Cell, op: Op, count: int, x: float, y: float, width: float) -> float:
    for number in range(count):
        cell.parts.append(Part(f"{op.id}.s{number}", "slot", op.id, x, y, width, TAB, number))
        y += TAB + 3
    return y + (2 if count else 0)
