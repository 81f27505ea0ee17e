"""What to draw of a history: which cells, docked and folded how, and the lines between them, before any is placed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from autograd_lab.events import Value
from autograd_lab.view import layout
from autograd_lab.view.cell import SMALL, Cell, Part, head, op_cell, tensor_cell
from autograd_lab.view.fold import Fold, Folding, folded, notices_of
from autograd_lab.view.fold_cell import flow_text, fold_cell
from autograd_lab.view.font import text_width
from autograd_lab.view.history import SUBSCRIPTS, Box, History, Op
from autograd_lab.view.numeral import EDGE, brief

DOCK_AT = 3
"""A leaf with more uses than this is docked at them, save for the first: lines to all would cover the picture."""

FAR = 8
"""So many ops or folds after its first use, a leaf is drawn again as a chip: a line would run around the picture."""

CROWD = 8
"""So many leaves that one fold alone uses are still drawn."""

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


def plan_of(
    history: History, view: str, direction: str, root: str | None, folding: Folding, culprits: frozenset[str]
) -> Plan:
    """Choose cells and links; `culprits` are ops that are not folded.

    Raises ValueError when no tensor is called `root`, or no module as `folding` has it.
    """
    ops = _wanted(history, root)
    drawn, opened = folded(history, ops, folding, culprits)
    users = users_of(history, drawn)
    few = len(history.boxes) <= FEW
    boxes = [box for box in history.boxes.values() if box.op is None and _is_drawn(box, users.get(box.id), root, few)]
    drawn, crowd = _without_crowds(drawn, users, {box.id for box in boxes})
    boxes = [box for box in boxes if box.id not in crowd]
    docked = _docked(history, drawn)
    plan = Plan(folds=[item for item in drawn if isinstance(item, Fold)])
    owner: dict[str, Cell] = {}
    _cells(plan, history, view, in_order(boxes, drawn, users), docked, owner)
    for cell in plan.cells:
        if cell.id in opened:
            head(cell, f"{opened[cell.id].name} ({opened[cell.id].type})")
    _links(plan, history, ops, docked, owner, direction)
    plan.notices += notices_of(plan.folds, len(ops))
    alone = sum(box.op is None and box.id not in owner for box in history.boxes.values())
    if alone and root is None:
        what = "tensor is" if alone == 1 else "tensors are"
        why = "only folded ops use them, or nothing does" if plan.folds else "no op uses them"
        plan.notices.append(f"{alone:,} {what} not drawn: {why}")
    return plan


Users = list[Op | Fold]
"""What is drawn and uses a leaf."""


def users_of(history: History, drawn: Iterable[Op | Fold]) -> dict[str, Users]:
    """Who uses each leaf."""
    users: dict[str, Users] = {}
    for item in drawn:
        ops = [item] if isinstance(item, Op) else [history.ops[op] for op in item.ops]
        leaves = dict.fromkeys(use.box for op in ops for use in op.uses if use.box is not None)
        for box in leaves:
            if history.boxes[box].op is None:
                users.setdefault(box, []).append(item)
    return users


def _without_crowds(
    drawn: Sequence[Op | Fold], users: dict[str, Users], boxes: set[str]
) -> tuple[list[Op | Fold], set[str]]:
    """Leaves that only one fold uses, which has many such, are no boxes, but are counted at the fold."""
    alone: dict[str, list[str]] = {}
    for box, items in users.items():
        if box in boxes and len(items) == 1 and isinstance(items[0], Fold):
            alone.setdefault(items[0].id, []).append(box)
    crowds = {fold: leaves for fold, leaves in alone.items() if len(leaves) > CROWD}
    kept = [
        replace(item, details=(*item.details, f"{len(crowds[item.id]):,} tensors from outside, not drawn"))
        if isinstance(item, Fold) and item.id in crowds
        else item
        for item in drawn
    ]
    return kept, {box for leaves in crowds.values() for box in leaves}


def in_order(boxes: Iterable[Box], drawn: Sequence[Op | Fold], users: dict[str, Users]) -> list[Box | Op | Fold]:
    """Everything in an order in which no line leads back: leaves as they come to be, but before all that use them."""
    latest: dict[str, float] = {}
    born = math.inf
    for item in reversed(drawn):  # what a fold uses may have come to be after the first of its ops
        born = latest[item.id] = min(born, item.born)
    keys = {box.id: min([box.born, *(latest[user.id] for user in users.get(box.id, ()))]) for box in boxes}
    items: list[tuple[float, int, Box | Op | Fold]] = [(keys[box.id], 0, box) for box in boxes]
    items += [(latest[item.id], 1, item) for item in drawn]
    return [item for _, _, item in sorted(items, key=lambda entry: entry[:2])]


def _is_drawn(box: Box, users: Users | None, root: str | None, few: bool) -> bool:
    if users is None:
        return root is None and box.uses == 0 and box.rewrite == 0 and (few or box.facts.requires_grad)
    return not all(isinstance(user, Fold) and user.keeps(box.facts.name, box.made) for user in users)


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


def _docked(history: History, drawn: Sequence[Op | Fold]) -> Chips:
    """The uses of leaves that are drawn as chips: all but the first of one that is used often, and those far from it.

    At a fold of a loop, all leaves are that are used outside of it too.
    """
    first: dict[str, int] = {}
    docked: Chips = set()
    for place, item in enumerate(drawn):
        uses = [use for use in _uses(item, history) if use[2].label]
        inside = Counter(box.id for _, _, box in uses)
        for op, number, box in uses:
            again = box.id in first and (isinstance(item, Op) or first[box.id] < place)
            far = place - first.setdefault(box.id, place) >= FAR
            if isinstance(item, Fold) and not item.calls:
                again = far = box.uses > inside[box.id]
            if again and (far or box.uses > DOCK_AT):
                docked.add((op.id, number))
    return docked


def _uses(item: Op | Fold, history: History) -> Iterator[tuple[Op, int, Box]]:
    """Each use of a leaf: the op, which of its operands, and the leaf."""
    for op in [item] if isinstance(item, Op) else [history.ops[name] for name in item.ops]:
        for number, use in enumerate(op.uses):
            if use.box is not None and history.boxes[use.box].is_leaf:
                yield op, number, history.boxes[use.box]


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
            chips = [box for box in _chips(item, history, docked) if box.id in owner]
            met = _sources(item, history, owner, {box.id for box in chips})
            cell = fold_cell(item, met, chips, _results(item, history))
            owner |= {output: cell for op in item.ops for output in history.ops[op].outputs}
        plan.cells.append(cell)


def _chips(fold: Fold, history: History, docked: Chips) -> list[Box]:
    """The leaves that stand as chips at a fold."""
    return list({box.id: box for op, number, box in _uses(fold, history) if (op.id, number) in docked}.values())


def _sources(fold: Fold, history: History, owner: dict[str, Cell], chips: set[str]) -> dict[str, None]:
    """The cells that lines come from to a fold."""
    used = (use.box for op in fold.ops for use in history.ops[op].uses if use.box is not None)
    return dict.fromkeys(owner[box].id for box in used if box in owner and box not in chips)


def _results(fold: Fold, history: History) -> list[str]:
    """The boxes that a fold makes for ops outside of it, or for nobody."""
    inside = Counter(use.box for op in fold.ops for use in history.ops[op].uses)
    made = (box for op in fold.ops for box in history.ops[op].outputs)
    return [box for box in made if history.boxes[box].uses > inside[box]]


def _links(plan: Plan, history: History, ops: list[Op], chips: Chips, owner: dict[str, Cell], direction: str) -> None:
    """The lines into ops; between a fold and another cell there is one, however many it stands for."""
    folds = {fold.id for fold in plan.folds}
    flows: dict[str, dict[str, Box]] = {}
    for op in ops:
        target = owner[op.outputs[0]]
        for number, use in enumerate(op.uses):
            source = owner.get(use.box or "")
            if source is None or source is target or (op.id, number) in chips:
                continue
            part, at = _link(op, number, source, target, direction)
            if part.kind == "fold-link":
                plan.bundles.setdefault(part.id, []).append((op.id, number))
            if use.box is not None and folds & {source.id, target.id}:
                flows.setdefault(part.id, {})[use.box] = history.boxes[use.box]
            if part.id not in plan.reach:
                plan.reach[part.id] = at[1]
                plan.link_parts.append(part)
                leave = _leave(source, use.box, direction)
                plan.links.append(layout.Link(part.id, source.id, target.id, leave, at[0]))
    _write_on(plan, history, {name: flow_text(boxes.values()) for name, boxes in flows.items()})


def _write_on(plan: Plan, history: History, texts: dict[str, str]) -> None:
    """Write these shapes at lines, and make room for them and for the gradients that ever travel along the lines."""
    plan.link_parts = [replace(part, text=texts.get(part.id, "")) for part in plan.link_parts]
    sent = [value for part in plan.link_parts for value in _sent(part, history)]
    room = 18 + 7.4 * max([4, *(len(brief(value, EDGE)) for value in sent)])
    widths = {name: text_width(text, SMALL) + 24 for name, text in texts.items()}
    plan.links = [replace(link, room=max(room, widths.get(link.id, 0.0))) for link in plan.links]


def _sent(part: Part, history: History) -> list[Value]:
    op = history.ops[part.of]
    edge = op.uses[part.index].operand.edge if part.kind == "link" else None
    return [] if op.node is None or edge is None else history.sent.get((op.node, edge), [])


def _link(op: Op, number: int, source: Cell, target: Cell, direction: str) -> tuple[Part, tuple[float, float]]:
    """The line for an operand, where it arrives, and how far inside of the target's cell."""
    if number in target.arrive and target.id == op.id:
        link = Part(f"{op.id}.u{number}", "link", op.id, 0, 0, 0, 0, number)
        at = _along(target, number, len(op.uses), direction), target.arrive[number][0]
    else:
        link = Part(f"{source.id}-{target.id}", "fold-link", op.id, 0, 0, 0, 0, max(source.born, target.born))
        at = _meeting(source, target, direction), target.parts[0].x
    return link, at if direction == "LR" else (at[0], 0.0)


def _leave(cell: Cell, box: str | None, direction: str) -> float:
    if box is None or box not in cell.leave:
        return _middle(cell, direction)
    return cell.leave[box][1 if direction == "LR" else 0]


def _along(cell: Cell, number: int, count: int, direction: str) -> float:
    x, y = cell.arrive[number]
    return y if direction == "LR" else x + (cell.width - x) * (number + 1) / (count + 1)


def _meeting(source: Cell, target: Cell, direction: str) -> float:
    """Where lines from a cell arrive at a fold."""
    x, y = target.meets[source.id]
    place = list(target.meets).index(source.id) + 0.5
    return y if direction == "LR" else x + (target.width - x) * place / len(target.meets)


def _middle(cell: Cell, direction: str) -> float:
    return (cell.height if direction == "LR" else cell.width) / 2
