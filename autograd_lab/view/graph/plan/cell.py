"""Cells: what is drawn as one piece, with the places of its parts, before it is known where it will stand.

A tensor of its own is a cell: its box, its `.grad` box, the AccumulateGrad docked to it. An op is a cell: the pill with
its name, and under it the boxes of the tensors it made. Numbers, and leaves that are used so often that lines to them
would cover the picture, stand as chips at the op that uses them.

What only the engine view shows, the tabs of what an op saved and AccumulateGrad, stands outside of all that: on the
sides to which no line leads. So the maths view leaves it out, and nothing else has to move.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import ceil

from autograd_lab.events import TensorDetached, TensorFacts, TensorSaved, Value
from autograd_lab.view.graph.facts.history import Box, History, Op, Use
from autograd_lab.view.graph.facts.state import Slot
from autograd_lab.view.kit.font import fit, text_width
from autograd_lab.view.kit.numeral import ROWS, Shape, heat_height, is_table, numeral, shape_of, table
from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.signs import symbol_of

NAME, SIGN, VALUE, SMALL, TABLE = 16.0, 21.0, 15.0, 12.0, 13.0
"""Font sizes, px."""
PAD, LINE, TABLE_LINE, HEAT = 9.0, 17.0, 16.0, 9.0
"""Inner margin, height of a line of small text, of a row of numbers, and side of a heat cell, px."""
PILL, TAB, DOCK, DOCK_WIDTH = 46.0, 23.0, 30.0, 138.0
"""Heights of a pill, of a slot's tab and of a docked AccumulateGrad, and its width where it stands alone, px."""
PORT, WIDE_PORT = 24.0, 84.0
"""Distance between two lines that arrive at one pill, so that the numbers on them stay apart: below each other, and
beside each other, px."""
ABREAST = 4
"""Lines that arrive at a pill from above are no farther apart than so many of them are."""
HEADING, FLAG = 25.0, 20.0
"""Height for what says which module begins, and of the flag alone, px."""
OUTPUTS = 8
"""Of an op that makes more than so many tensors, half as many are drawn."""
LABEL, TITLE = 170.0, 130.0
"""Widest label of a tensor, and of a slot beside its state, px; longer ones are shortened."""
UNNAMED = "unnamed"
"""What a tensor is called for which the program has no words."""


@dataclass(slots=True)
class Cell:
    """A piece of the picture, with ports where lines arrive and where they leave.

    Lines arrive for each drawn operand by its number, or for all that one other cell gives by that cell's id; they
    leave by the id of the box, or `otherwise`.
    """

    id: str
    born: int
    direction: str
    width: float = 0
    height: float = 0
    parts: list[Part] = field(default_factory=list)
    arrive: dict[int | str, Port] = field(default_factory=dict)
    leave: dict[str, Port] = field(default_factory=dict)
    otherwise: Port = (0.0, 0.0)

    def lower(self, by: float) -> None:
        """Make room above all that is there. Lines from above then end above that room."""
        self.parts = [part.moved(0, by) for part in self.parts]
        self.height += by
        if self.direction == "LR":
            self.arrive = {name: (across + by, depth) for name, (across, depth) in self.arrive.items()}
            self.leave = {name: (across + by, depth) for name, (across, depth) in self.leave.items()}
            self.otherwise = self.otherwise[0] + by, self.otherwise[1]


Port = tuple[float, float]
"""How far across the ranks from a cell's top or left edge, and how deep inside of the cell a line ends, px."""


def tensor_cell(box: Box, direction: str) -> Cell:
    """A tensor that no drawn op made."""
    cell = Cell(box.id, box.born, direction)
    below = _stack_box(cell, box, 0, 0, ceil(box_width(box)))
    first = cell.parts[0]
    if direction == "LR":
        cell.leave[box.id] = min(first.height / 2, PAD + NAME / 2 + 2), cell.width - first.width
    else:
        cell.leave[box.id] = first.width / 2, cell.height - below
    return cell


def op_cell(op: Op, history: History, direction: str, docked: set[tuple[str, int]]) -> Cell:
    """An op with its chips, its slots and the boxes of what it made. `docked` has the (op, operand) drawn as chips."""
    boxes = [history.boxes[output] for output in op.outputs]
    if len(boxes) > OUTPUTS:
        boxes = boxes[: OUTPUTS // 2]
    chips = {
        number: chip_text(use, history)
        for number, use in enumerate(op.uses)
        if use.box is None or (op.id, number) in docked
    }
    lines = [number for number in range(len(op.uses)) if number not in chips]
    indent = ceil(max((text_width(text, SMALL + 1) + 14 for text in chips.values()), default=-8)) + 8
    tabs = [slot_width(op, number, history) for number in range(len(op.slots))]
    beside = min(len(lines), ABREAST) * WIDE_PORT if direction == "TB" else max(tabs, default=0.0)
    width = ceil(max([pill_width(op), beside, *(box_width(box) for box in boxes)]))
    height = max(PILL, PORT * (len(op.uses) if direction == "LR" else len(chips)) + 8)
    cell = Cell(op.id, op.born, direction, width=indent + width)
    cell.parts.append(Part(op.id, "pill", op.id, indent, 0, width, height))
    _arrivals(cell, op, chips)
    bottom = height
    for box in boxes:
        bottom = _stack_box(cell, box, indent, bottom + 5, width)
    if len(boxes) < len(op.outputs):
        text = f"and {len(op.outputs) - len(boxes):,} more"
        cell.parts.append(Part(f"{op.id}.more", "more", op.id, indent, bottom + 5, width, LINE, op.born, text))
        bottom += LINE + 9
    cell.height = max(cell.height, bottom)
    _tabs(cell, op, tabs)
    _departures(cell, boxes, bottom)
    return cell


def head(cell: Cell, text: str) -> None:
    """Write above a cell which module begins there: a flag whose pole stands on the main part."""
    cell.lower(HEADING)
    main = cell.parts[0]
    text = fit(text, main.width - 16, SMALL, bold=True)
    width = ceil(text_width(text, SMALL, bold=True)) + 16
    cell.parts.append(Part(f"{cell.id}.head", "module", cell.id, main.x, 0, width, main.y, cell.born, text))


def chip_text(use: Use, history: History) -> str:
    """What a docked operand is called."""
    if use.box is None:
        return numeral(use.operand.number)
    return history.boxes[use.box].label or UNNAMED


def number_of(op: Op) -> str:
    """The node's number in the order of execution, or why there is none."""
    if isinstance(op.event, TensorDetached):
        return "history cut ✂"
    if op.number is None:
        return "no node"
    return f"#{op.number} · for backward" if op.unpacks else f"#{op.number}"


def pill_width(op: Op) -> float:
    """Wide enough for the title and, under it, the number with the longest word for how far the node has come."""
    title = max(text_width(op.name, NAME, bold=True), text_width(symbol_of(op.name), SIGN, bold=True))
    number = f"{number_of(op)} · ran in pass 9" if op.node is not None else "history cut ✂"
    return max(title, text_width(number, SMALL)) + 2 * 16


def attribute_of(slot: TensorSaved | Slot) -> str:
    """What a slot is called at its node: `_saved_self`; of a Function `saved_tensors[0]`."""
    name = slot.slot if isinstance(slot, TensorSaved) else slot.name
    return name if name.startswith("saved_tensors") else f"_saved_{name}"


def slot_title(slot: TensorSaved | Slot, history: History) -> str:
    """What a slot holds, in PyTorch's name for it: `other = d`."""
    name = slot.slot if isinstance(slot, TensorSaved) else slot.name
    tensor, number = slot.tensor, slot.number
    if slot.packed:
        return f"{name} ↗"
    box = history.box_of(tensor) if tensor else None
    what = numeral(number) if tensor is None else history.boxes[box].label if box else ""
    return f"{name} = {what or UNNAMED}"


def slot_width(op: Op, number: int, history: History) -> float:
    """Wide enough for the longest that the tab ever says."""
    slot = op.slots[number]
    title = slot_title(slot, history)
    state = "kept · 8 B" if slot.tensor is None else f"saved v{slot.version}, now v{slot.version + 1}"
    state = "packed by a hook" if slot.packed else state
    return min(text_width(title, SMALL), TITLE) + text_width(state, SMALL, bold=True) + 30


def box_width(box: Box) -> float:
    """Wide enough for all that the box, and what is docked to it, will ever say."""
    name = min(text_width(box.label or UNNAMED, NAME, bold=True), LABEL) + (38 if box.versioned or box.rewrite else 0)
    meta = max(text_width(meta_of(box, facts, needs), SMALL) for facts in box.forms for needs in (True, False))
    meta += 95 if box.versioned else 0
    value = value_size(box, box.values)[0]
    value = max([value, *(text_width(f"changed via {label}", VALUE, mono=True) for label in box.strangers)])
    grad = value_size(box, box.grads)[0] + 44 if box.has_grad else 0
    flow = DOCK_WIDTH if box.leaf_node is not None else 120 if gradient_height(box) else 60
    return max(name, meta, value, grad, flow) + 2 * PAD


def meta_of(box: Box, facts: TensorFacts, needs_grad: bool) -> str:
    """Shape and dtype, what kind of tensor it is, where it is if not on the CPU, and in whose memory if not its own."""
    shape = "scalar" if not facts.shape else str(list(facts.shape))
    kind = "no grad" if not needs_grad else "leaf" if box.is_leaf else ""
    dtype = "" if facts.dtype == "float32" else facts.dtype
    owner = box.owners.get(facts.storage)
    alias = f"memory of {fit(owner, 90, SMALL)}" if owner else ""
    device = "" if facts.device == "cpu" else f"on {facts.device}"
    return " · ".join(part for part in (kind, shape, dtype, device, alias) if part)


def value_size(box: Box, values: Iterable[Value]) -> tuple[float, float]:
    """Width and height of the area in which each of these values of a box can be shown, and that it begins with."""
    sizes = [_value_size(value, shape_of(value, box.facts.shape)) for value in values]
    first = _value_size(Value(), shape_of(box.facts.value, box.facts.shape), heat_height(box.facts.value))
    widths, heights = zip(*sizes, first, strict=True)
    return max(widths), max(heights)


def _value_size(value: Value, shape: Shape, high: int = 0) -> tuple[float, float]:
    """The size of a table of numbers, or of heat cells, `high` of them at least, over a line of statistics."""
    characters = max(map(len, table(value)), default=0) if not shape or is_table(shape) else 0
    if not shape:
        return max(characters, 4) * VALUE * 0.61, LINE + 3
    if is_table(shape):
        rows = shape[-2] if len(shape) > 1 else 1
        return max(characters, 3) * (VALUE if rows == 1 else TABLE) * 0.61, rows * TABLE_LINE + 4
    width = max(8 * HEAT, text_width("-0.000123 to -0.000123, mean -0.000123", SMALL))
    return width, max(1, min(max(high, heat_height(value)), 2 * ROWS)) * HEAT + LINE + 4


def gradient_height(box: Box) -> float:
    """Height of the line at the bottom of a box for the gradient on its way, px."""
    return LINE + 2 if box.facts.requires_grad or box.leaf_node is not None else 0


def _stack_box(cell: Cell, box: Box, x: float, y: float, width: float) -> float:
    """Add a box at (x, y) and what is docked to it; returns where what is below it ends."""
    flow = gradient_height(box)
    height = PAD + NAME + 4 + value_size(box, box.values)[1] + LINE + 2 + flow
    cell.parts.append(Part(box.id, "box", box.id, x, y, width, height))
    y += height
    if flow:
        cell.parts.append(Part(f"{box.id}.flow", "flow", box.id, x + 2, y - flow - 2, width - 4, flow))
    if box.has_grad:
        tall = value_size(box, box.grads)[1] + 8
        cell.parts.append(Part(f"{box.id}.grad", "grad", box.id, x, y, width, tall))
        y += tall
    right = x + width
    if box.leaf_node is not None:
        at = (x, y, width) if cell.direction == "LR" else (right + 4, y - DOCK, DOCK_WIDTH)
        cell.parts.append(Part(f"{box.id}.dock", "dock", box.id, *at, DOCK))
        y, right = (y + DOCK, right) if cell.direction == "LR" else (y, right + 4 + DOCK_WIDTH)
    cell.width, cell.height = max(cell.width, right), max(cell.height, y)
    return y


def _arrivals(cell: Cell, op: Op, chips: dict[int, str]) -> None:
    """Where operands arrive, in the order of the call; chips stand left of the pill."""
    pill, across = cell.parts[0], cell.direction == "LR"
    lines = [number for number in range(len(op.uses)) if number not in chips]
    for place, number in enumerate(range(len(op.uses)) if across else chips):
        y = 4 + PORT * (place + 0.5) if len(op.uses) > 1 else pill.height / 2
        if number in chips:
            kind = "number" if op.uses[number].box is None else "docked"
            part = Part(f"{op.id}.c{number}", kind, op.id, 0, y - 9, pill.x - 8, 18, number, chips[number])
            cell.parts.append(part)
        else:
            cell.arrive[number] = y, pill.x
    if not across:
        for place, number in enumerate(lines):
            cell.arrive[number] = round(pill.x + pill.width * (place + 0.5) / len(lines)), 0.0


def _departures(cell: Cell, boxes: list[Box], bottom: float) -> None:
    """Where lines leave for the users of what an op made: beside its pill, or below all that it made."""
    pill, count = cell.parts[0], len(boxes) + 1
    below = pill.x + pill.width / 2, cell.height - bottom
    for number, box in enumerate(boxes, 1):
        cell.leave[box.id] = (round(pill.y + pill.height * number / count), 0.0) if cell.direction == "LR" else below
    cell.otherwise = (pill.y + pill.height / 2, 0.0) if cell.direction == "LR" else below


def _tabs(cell: Cell, op: Op, widths: list[float]) -> None:
    """What the node saved: on top of the pill, or right of it where lines arrive from above."""
    if not widths:
        return
    x, width, tall = cell.parts[0].x, cell.parts[0].width, len(widths) * (TAB + 3)
    if cell.direction == "LR":
        cell.lower(tall + 1)
    else:
        x, width = cell.width + 4, ceil(max(widths))
        cell.width, cell.height = x + width, max(cell.height, tall)
    for number in range(len(widths)):
        cell.parts.append(Part(f"{op.id}.s{number}", "slot", op.id, x, number * (TAB + 3), width, TAB, number))
