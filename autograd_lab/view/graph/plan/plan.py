"""What to draw of a history: which cells, docked and folded how, and the lines between them, before any is placed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from autograd_lab.view.graph.facts.history import Box, History, Op
from autograd_lab.view.graph.facts.labels import SUBSCRIPTS
from autograd_lab.view.graph.plan.cell import SMALL, Cell, Port, head, op_cell, tensor_cell
from autograd_lab.view.graph.plan.fold import Fold, Folding, Opened, folded, inside_of, notices_of
from autograd_lab.view.graph.plan.fold_cell import flow_text, fold_cell
from autograd_lab.view.graph.plan.leaves import (
    Chips,
    docked_uses,
    in_order,
    leaves_of,
    users_of,
    uses_of,
    without_crowds,
)
from autograd_lab.view.graph.plan.same_places import Steady
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.numeral import EDGE, Shape, brief
from autograd_lab.view.kit.part import Part
from autograd_lab.view.layout import boxes as layout

ROOM_ABOVE = (24.0, 38.0)
"""Height of what is written beside the end of a line from above, and the same with a shape, px."""


@dataclass
class Plan:
    """Cells and links to lay out; `reach` is how deep inside of its two cells a line ends, `notices` what is not drawn.

    `bundles` has the (op, operand) pairs that one line to or from a fold stands for.
    """

    cells: list[Cell] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)
    links: list[layout.Link] = field(default_factory=list)
    link_parts: list[Part] = field(default_factory=list)
    reach: dict[str, tuple[float, float]] = field(default_factory=dict)
    bundles: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    @property
    def boxes(self) -> list[layout.Box]:
        return [layout.Box(cell.id, cell.width, cell.height) for cell in self.cells]


def plan_of(history: History, direction: str, root: str | None, folding: Folding, steady: Steady | None = None) -> Plan:
    """Choose cells and links; cells that `steady` remembers are as wide as they were.

    Raises ValueError when no tensor is called `root`, or no module as `folding` has it.
    """
    end = None if root is None else _called(root, history)
    ops = _wanted(history, end)
    drawn, opened = folded(history, ops, folding)
    users = users_of(history, drawn)
    leaves = [end] if end is not None and not ops else leaves_of(history, drawn, users, idle=end is None)
    drawn, crowd = without_crowds(drawn, users, {box.id for box in leaves})
    leaves = [box for box in leaves if box.id not in crowd]
    plan = Plan(folds=[item for item in drawn if isinstance(item, Fold)])
    owner = _fill(plan, history, in_order(leaves, drawn, users), docked_uses(history, drawn), direction, opened, steady)
    plan.notices += notices_of(plan.folds, len(ops))
    alone = sum(box.op is None and box.id not in owner for box in history.boxes.values())
    if alone and root is None:
        what = "tensor is" if alone == 1 else "tensors are"
        why = "only folded ops use them, or nothing does" if plan.folds else "no op uses them"
        plan.notices.append(f"{alone:,} {what} not drawn: {why}")
    return plan


def plan_inside(fold: Fold, history: History, direction: str, shown: frozenset[str]) -> Plan:
    """What a fold hides, if there is a way to draw it; tensors from outside of it, as are those `shown`, are chips."""
    drawn, opened = inside_of(fold, history)
    users = users_of(history, drawn)
    leaves = [box for box in leaves_of(history, drawn, users, idle=False) if box.id not in shown]
    drawn, crowd = without_crowds(drawn, users, {box.id for box in leaves})
    leaves = [box for box in leaves if box.id not in crowd]
    own = {box.id for box in leaves} | {box for op in fold.ops for box in history.ops[op].outputs}
    uses = ((op, number, use.box) for op in fold.ops for number, use in enumerate(history.ops[op].uses))
    chips = {(op, number) for op, number, box in uses if box is not None and box not in own}
    plan = Plan(folds=[item for item in drawn if isinstance(item, Fold)])
    _fill(plan, history, in_order(leaves, drawn, users), docked_uses(history, drawn) | chips, direction, opened)
    return plan


def _fill(
    plan: Plan,
    history: History,
    items: list[Box | Op | Fold],
    docked: Chips,
    direction: str,
    opened: Opened,
    steady: Steady | None = None,
) -> dict[str, Cell]:
    """Cells for these items, and the lines between them; gives the cell of each tensor."""
    owner: dict[str, Cell] = {}
    _cells(plan, history, direction, items, docked, owner)
    for cell in plan.cells:
        if cell.id in opened:
            head(cell, f"{opened[cell.id].name} ({opened[cell.id].type})")
    if steady is not None:
        steady.settle(plan.cells, history)
    _links(plan, history, docked, owner, direction)
    return owner


def _called(root: str, history: History) -> Box:
    """The last tensor that is called so."""
    asked = root.replace("_", "").translate(SUBSCRIPTS)
    exact = [box for box in history.boxes.values() if root == box.label]
    near = (box for box in history.boxes.values() if asked == box.label.replace("_", "") or root == box.facts.name)
    names = exact or list(near)
    if not names:
        known = list(dict.fromkeys(box.label for box in history.boxes.values() if box.label))
        raise ValueError(f"no tensor is called {root!r}; there are {', '.join(known[:12])}{', …' * (len(known) > 12)}")
    return names[-1]


def _wanted(history: History, end: Box | None) -> list[Op]:
    """All ops, or those that the tensor at the `end` was made of."""
    if end is None:
        return list(history.ops.values())
    wanted: set[str] = set()
    todo = [end.id]
    while todo:
        made_by = history.boxes[todo.pop()].op
        if made_by is not None and made_by not in wanted:
            wanted.add(made_by)
            todo += [use.box for use in history.ops[made_by].uses if use.box is not None]
    return [op for op in history.ops.values() if op.id in wanted]


def _cells(
    plan: Plan,
    history: History,
    direction: str,
    items: list[Box | Op | Fold],
    docked: Chips,
    owner: dict[str, Cell],
) -> None:
    for item in items:
        if isinstance(item, Box):
            cell = tensor_cell(item, direction)
            owner[item.id] = cell
        elif isinstance(item, Op):
            cell = op_cell(item, history, direction, docked)
            owner |= dict.fromkeys(item.outputs, cell)
        else:
            chips = [box for box in _chips(item, history, docked) if box.id in owner]
            met = _sources(item, history, owner, {box.id for box in chips})
            cell = fold_cell(item, met, chips, _results(item, history), direction)
            owner |= {output: cell for op in item.ops for output in history.ops[op].outputs}
        plan.cells.append(cell)


def _chips(fold: Fold, history: History, docked: Chips) -> list[Box]:
    """The leaves that stand as chips at a fold."""
    return list({box.id: box for op, number, box in uses_of(fold, history) if (op.id, number) in docked}.values())


def _sources(fold: Fold, history: History, owner: dict[str, Cell], chips: set[str]) -> dict[str, None]:
    """The cells that lines come from to a fold."""
    used = (use.box for op in fold.ops for use in history.ops[op].uses if use.box is not None)
    return dict.fromkeys(owner[box].id for box in used if box in owner and box not in chips)


def _results(fold: Fold, history: History) -> list[str]:
    """The boxes that a fold makes for ops outside of it, or for nobody."""
    inside = Counter(use.box for op in fold.ops for use in history.ops[op].uses)
    made = (box for op in fold.ops for box in history.ops[op].outputs)
    return [box for box in made if history.boxes[box].uses > inside[box]]


def _links(plan: Plan, history: History, chips: Chips, owner: dict[str, Cell], direction: str) -> None:
    """The lines into what is drawn; between a fold and another cell there is one, however many it stands for."""
    folds = {fold.id for fold in plan.folds}
    flows: dict[str, dict[str, Shape]] = {}
    for op in history.ops.values():
        target = owner.get(op.outputs[0])
        if target is None:
            continue
        for number, use in enumerate(op.uses):
            source = owner.get(use.box or "")
            if source is None or source is target or (op.id, number) in chips:
                continue
            part, (arrive, after) = _link(op, number, source, target)
            if part.kind == "fold-link":
                plan.bundles.setdefault(part.id, []).append((op.id, number))
            if use.box is not None and folds & {source.id, target.id}:
                flows.setdefault(part.id, {})[use.box] = history.boxes[use.box].at(op.born).shape
            if part.id not in plan.reach:
                leave, before = source.leave.get(use.box or "", source.otherwise)
                plan.reach[part.id] = before, after
                plan.link_parts.append(part)
                plan.links.append(layout.Link(part.id, source.id, target.id, leave, arrive))
    _write_on(plan, history, {name: flow_text(shapes.values()) for name, shapes in flows.items()}, direction)


def _write_on(plan: Plan, history: History, texts: dict[str, str], direction: str) -> None:
    """Write these shapes at lines, and make room for them and for the gradients that ever travel along the lines."""
    plan.link_parts = [replace(part, text=texts.get(part.id, "")) for part in plan.link_parts]
    if direction == "TB":  # beside the lines
        plan.links = [replace(link, room=ROOM_ABOVE[link.id in texts]) for link in plan.links]
        return
    sent = [text for part in plan.link_parts for text in _sent(part, plan, history)]
    room = 18 + 7.4 * max([4, *map(len, sent)])
    widths = {name: text_width(text, SMALL) + 24 for name, text in texts.items()}
    plan.links = [replace(link, room=max(room, widths.get(link.id, 0.0))) for link in plan.links]


def _sent(part: Part, plan: Plan, history: History) -> list[str]:
    """What is ever written at a line: the gradient that goes there, or how many do together."""
    used = plan.bundles.get(part.id, [(part.of, part.index)])
    edges = [(history.ops[op].node, history.ops[op].uses[number].operand.edge) for op, number in used]
    sent = [history.sent.get((node, edge), []) for node, edge in edges if node is not None and edge is not None]
    if len(used) == 1:
        return [brief(value, EDGE) for values in sent for value in values]
    return [f"{len(used):,} gradients"] if any(sent) else []


def _link(op: Op, number: int, source: Cell, target: Cell) -> tuple[Part, Port]:
    """The line for an operand, and where it arrives."""
    if number in target.arrive and target.id == op.id:
        return Part(f"{op.id}.u{number}", "link", op.id, 0, 0, 0, 0, number), target.arrive[number]
    link = Part(f"{source.id}-{target.id}", "fold-link", op.id, 0, 0, 0, 0, max(source.born, target.born))
    return link, target.arrive[source.id]
