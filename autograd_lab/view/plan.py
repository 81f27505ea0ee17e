"""What to draw of a history: which cells, docked and folded how, and the lines between them, before any is placed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from autograd_lab.view import layout
from autograd_lab.view.cell import NAME, PAD, PORT, SMALL, Cell, Part, op_cell, tensor_cell
from autograd_lab.view.fold import Fold, folds_of
from autograd_lab.view.font import text_width
from autograd_lab.view.history import SUBSCRIPTS, Box, History, Op

DOCK_AT = 3
"""A leaf with more uses than this is docked at them, save for the first: lines to all would cover the picture."""

FEW = 24
"""Up to this many tensors, also those are drawn that ask for no gradient and that no op uses."""

Chips = set[tuple[str, int]]
"""The (op, operand) pairs that are drawn as chips at the op."""


@dataclass
class Plan:
    """Cells and links to lay out; `reach` is how far inside its cell a link's port is, `notices` what is not drawn.

    `bundles` has the (op, operand) pairs that one line to or from a fold stands for.
    """

    cells: list[Cell] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)
    links: list[layout.Link] = field(default_factory=list)
    link_parts: list[Part] = field(default_factory=list)
    reach: dict[str, float] = field(default_factory=dict)
    bundles: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    @property
    def boxes(self) -> list[layout.Box]:
        return [layout.Box(cell.id, cell.width, cell.height) for cell in self.cells]


def plan_of(history: History, view: str, direction: str, root: str | None, fold: bool) -> Plan:
    """Choose cells and links. Raises ValueError when no tensor is called `root`."""
    ops = _wanted(history, root)
    folds = folds_of(history) if fold and root is None else []
    folded = {op: item for item in folds for op in item.ops}
    plan = Plan(folds=folds)
    docked = _docked(history, [op for op in ops if op.id not in folded])
    owner: dict[str, Cell] = {}
    drawn = {use.box for op in ops if op.id not in folded for use in op.uses}
    few = len(history.boxes) <= FEW
    boxes = [box for box in history.boxes.values() if box.op is None and _is_drawn(box, drawn, root, few)]
    items: list[Box | Op | Fold] = [*boxes, *(op for op in ops if op.id not in folded), *folds]
    _cells(plan, history, view, sorted(items, key=_born), docked, owner)
    _links(plan, history, ops, docked, owner, direction)
    hidden = sum(len(item.ops) for item in folds)
    alone = sum(box.op is None and box.id not in owner for box in history.boxes.values())
    if hidden:
        plan.notices.append(f"{hidden:,} of {len(history.ops):,} ops are folded; --unfold draws them all")
    if alone and root is None:
        what = "tensor is" if alone == 1 else "tensors are"
        why = "only folded ops use them, or nothing does" if folds else "no op uses them"
        plan.notices.append(f"{alone:,} {what} not drawn: {why}")
    return plan


def _born(item: Box | Op | Fold) -> int:
    return item.born


def _is_drawn(box: Box, drawn: set[str | None], root: str | None, few: bool) -> bool:
    return box.id in drawn or (root is None and box.uses == 0 and box.rewrite == 0 and (few or box.facts.requires_grad))


def _wanted(history: History, root: str | None) -> list[Op]:
    """All ops, or those that the tensor called `root` was made of."""
    if root is None:
        return list(history.ops.values())
    asked = root.replace("_", "").translate(SUBSCRIPTS)
    exact = [box for box in history.boxes.values() if root == box.label]
    near = (box for box in history.boxes.values() if asked == box.label.replace("_", "") or root == box.facts.name)
    names = exact or list(near)
    if not names:
        known = list(dict.fromkeys(box.label for box in history.boxes.values() if box.label))
        raise ValueError(f"no tensor is called {root!r}; there are {', '.join(known[:12])}{', …' * (len(known) > 12)}")
    wanted: set[str] = set()
    todo = [names[-1].id]
    while todo:
        made_by = history.boxes[todo.pop()].op
        if made_by is not None and made_by not in wanted:
            wanted.add(made_by)
            todo += [use.box for use in history.ops[made_by].uses if use.box is not None]
    return [op for op in history.ops.values() if op.id in wanted]


def _docked(history: History, ops: list[Op]) -> Chips:
    seen: dict[str, int] = {}
    docked: Chips = set()
    for op in ops:
        for number, use in enumerate(op.uses):
            if use.box is None or not history.boxes[use.box].is_leaf or history.boxes[use.box].uses <= DOCK_AT:
                continue
            seen[use.box] = seen.get(use.box, 0) + 1
            if seen[use.box] > 1 and history.boxes[use.box].label:
                docked.add((op.id, number))
    return docked


def _cells(
    plan: Plan,
    history: History,
    view: str,
    items: list[Box | Op | Fold],
    docked: Chips,
    owner: dict[str, Cell],
) -> None:
    for item in items:
        if isinstance(item, Box):
            cell = tensor_cell(item, view)
            owner[item.id] = cell
        elif isinstance(item, Op):
            cell = op_cell(item, history, view, docked)
            owner |= dict.fromkeys(item.outputs, cell)
        else:
            cell = _fold_cell(item, history)
            owner |= {output: cell for op in item.ops for output in history.ops[op].outputs}
        plan.cells.append(cell)


def _fold_cell(fold: Fold, history: History) -> Cell:
    """A fold, with a chip for each named leaf that it uses and that is used outside of it too."""
    inside = Counter(use.box for op in fold.ops for use in history.ops[op].uses if use.box is not None)
    leaves = [history.boxes[box] for box, count in inside.items() if history.boxes[box].uses > count]
    leaves = [box for box in leaves if box.is_leaf and box.label]
    indent = max((text_width(box.label, SMALL + 1) + 14 for box in leaves), default=-8) + 8
    texts = [text_width(fold.title, NAME, bold=True), text_width(fold.detail, SMALL), 180.0]
    cell = Cell(fold.id, fold.born, indent + max(texts) + 4 * PAD, max(96.0, PORT * (len(leaves) + 1.5)))
    cell.arrive[0] = (indent, PORT * 0.9 if leaves else cell.height / 2)
    cell.parts.append(Part(fold.id, "fold", fold.id, indent, 0, cell.width - indent - 6, cell.height))
    for number, box in enumerate(leaves):
        y = PORT * (number + 1.5)
        cell.parts.append(Part(f"{fold.id}.c{number}", "fold-chip", box.id, 0, y, indent - 8, 18, fold.born, box.label))
    return cell


def _links(plan: Plan, history: History, ops: list[Op], chips: Chips, owner: dict[str, Cell], direction: str) -> None:
    """The lines into ops; between a fold and another cell there is one, however many it stands for."""
    room = 18 + 7.4 * history.gradient_width
    seen: set[str] = set()
    for op in ops:
        target = owner[op.outputs[0]]
        for number, use in enumerate(op.uses):
            source = owner.get(use.box or "")
            if source is None or source is target or (op.id, number) in chips or _stands_at(target, use.box):
                continue
            if number in target.arrive and target.id == op.id:
                link = Part(f"{op.id}.u{number}", "link", op.id, 0, 0, 0, 0, number)
                arrive = _along(target, number, len(op.uses), direction)
                plan.reach[link.id] = target.arrive[number][0] if direction == "LR" else 0.0
            else:
                link = Part(f"{source.id}-{target.id}", "fold-link", op.id, 0, 0, 0, 0, max(source.born, target.born))
                arrive = _along(target, 0, 1, direction)
                plan.reach[link.id] = target.parts[0].x if direction == "LR" else 0.0
            if link.kind == "fold-link":
                plan.bundles.setdefault(link.id, []).append((op.id, number))
            if link.id not in seen:
                seen.add(link.id)
                leave = _leave(source, use.box, direction)
                plan.links.append(layout.Link(link.id, source.id, target.id, leave, arrive, room))
                plan.link_parts.append(link)


def _leave(cell: Cell, box: str | None, direction: str) -> float:
    if box is None or box not in cell.leave:
        return _middle(cell, direction)
    return cell.leave[box][1 if direction == "LR" else 0]


def _stands_at(cell: Cell, box: str | None) -> bool:
    """Whether a fold has a chip of its own for a leaf."""
    return any(part.kind == "fold-chip" and part.of == box for part in cell.parts[1:])


def _along(cell: Cell, number: int, count: int, direction: str) -> float:
    x, y = cell.arrive[number]
    return y if direction == "LR" else x + (cell.width - x) * (number + 1) / (count + 1)


def _middle(cell: Cell, direction: str) -> float:
    return (cell.height if direction == "LR" else cell.width) / 2
