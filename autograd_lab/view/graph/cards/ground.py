"""The ground: how the ops of a window hang together, before anything is folded.

The edges of nodes are the truth here, not operands: an own Function has taken its operand through other ops, without a
gradient, and a write in place to a view makes nodes that no operand tells of.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from autograd_lab.events import Edge, NodeMet, TensorDetached
from autograd_lab.view.graph.cards.skips import Feed, Skips
from autograd_lab.view.graph.cards.window import Window
from autograd_lab.view.graph.facts.call import Call
from autograd_lab.view.graph.facts.history import Box, History, Op, Use
from autograd_lab.view.kit.signs import base_of

VIEWS = frozenset(
    re.findall(
        r"\w+",
        """t view reshape unsafeview unsafe_view transpose permute flatten expand unsqueeze squeeze select slice split
        unbind alias viewas view_as clone aliasbackward unsafesplit reshapealias splitwithsizes chunk asstrided
        contiguous swapaxes backwardhookfunction""",
    )
)
"""Ops that only show a tensor in another form, by what their nodes are called or they themselves."""
RANDOM = re.compile(r"\b(randn?|normal|bernoulli|poisson)(_like)?\(")
"""A call that draws numbers at random."""
ENTERED = ("add", "mul")
"""Ops by which noise enters."""
MOST_PASSED = 8
"""So many ops at most are looked at on the way back to a `detach()`."""


@dataclass(frozen=True, slots=True)
class Arc:
    """What one op gives to another, by their places in the window: a box, and the edge that brings its gradient back.

    There is no `node` where `detach()` cuts off the gradient.
    """

    source: int
    target: int
    box: str
    node: str
    edge: int


@dataclass(frozen=True, slots=True)
class LeafUse:
    """A leaf that an op uses; `leaf` is one box for all lives of its tensor, the first that the window uses."""

    leaf: str
    target: int
    box: str
    node: str
    edge: int


@dataclass(slots=True)
class Ground:
    """The ops of a window by their places, and what is between them; `idle` are the uses of each that bring no
    gradient here: most have none, some come from outside of the window."""

    history: History
    window: Window
    ops: tuple[Op, ...]
    places: dict[str, int]
    bases: list[str]
    """What each op is called, without what PyTorch appends to it."""
    around: list[tuple[Call, ...]]
    """The module calls that each op ran in, innermost first. Nodes from before the recording ran in none."""
    sizes: dict[int, int]
    """How many ops of the window each call has, if any."""
    arcs: list[Arc] = field(default_factory=list)
    leaf_uses: list[LeafUse] = field(default_factory=list)
    idle: list[list[Use]] = field(default_factory=list)
    skips: Skips = field(init=False)
    """Which groups of ops hide one."""
    hops: list[tuple[int, int, bool]] = field(default_factory=list)
    """From op to op, each pair once for arcs that bring a gradient back and once for those that do not."""
    noises: list[tuple[int, str]] = field(default_factory=list)
    """The random numbers that enter at ops, without gradient: by places, in order, with their boxes."""
    found: dict[Hashable, Any] = field(default_factory=dict, repr=False)
    """What was found of groups of its ops, once for all foldings: by who found it, and the group."""
    _outputs: dict[int, Box] = field(default_factory=dict, repr=False)
    _own: dict[str, bool] = field(default_factory=dict, repr=False)
    """Of leaves whether they are a module's own: all foldings ask for each of them, and of each op for its output."""
    _named: list[Box] = field(default_factory=list, repr=False)
    _seen: dict[str, str] = field(default_factory=dict, repr=False)

    def output(self, place: int) -> Box:
        """What an op gives on: its last output that wants a gradient."""
        if place not in self._outputs:
            made = [self.history.boxes[box] for box in self.ops[place].outputs]
            self._outputs[place] = next((box for box in reversed(made) if box.facts.requires_grad), made[-1])
        return self._outputs[place]

    def is_parameter(self, leaf: str) -> bool:
        """Whether a leaf is a module's own, and not a variable of the program."""
        if leaf not in self._own:
            self._own[leaf] = is_parameter(self.history.boxes[leaf])
        return self._own[leaf]

    def seen_from(self, box: str) -> str:
        """Of a tensor without gradient that only shows another in some form, that other: one with a name, if any."""
        if box not in self._seen:
            self._seen[box] = self._seen_from(box)
        return self._seen[box]

    def _seen_from(self, box: str) -> str:
        found = box
        while not is_said(self.history.boxes[found]):
            made = self.history.ops.get(self.history.boxes[found].op or "")
            sources = [use.box for use in made.uses if use.box is not None] if made is not None else []
            if made is None or made.node is not None or len(sources) != 1 or base_of(made.name) not in VIEWS:
                break
            found = sources[0]
        return found

    @property
    def named(self) -> list[Box]:
        """What the ops make or use and the user has a word for, in order; the same in all foldings."""
        if not self._named:
            boxes = {box for op in self.ops for box in (*op.outputs, *(use.box for use in op.uses)) if box is not None}
            known = [box for name in boxes if word_of(box := self.history.boxes[name])]
            self._named = sorted(known, key=in_order)
        return self._named

    def word(self, place: int) -> str:
        """The user's word for what an op gives on, if there is one."""
        return word_of(self.output(place))


def in_order(box: Box) -> tuple[int, int]:
    """What boxes are sorted by: when they were made and, of those that one op made, in its order."""
    return box.born, int(box.id[1:])


def word_of(box: Box) -> str:
    """The variable that a tensor was assigned to; nothing for one without, or for a module's parameter."""
    name = box.facts.name or ""
    return name if name.isidentifier() else ""


def is_said(box: Box) -> bool:
    """Whether a tensor is called as a user would: by a variable, or as an item or an attribute of one."""
    return bool(word_of(box) or re.fullmatch(r"[A-Za-z_][\w.]*(\[[^\[\]]*\])?", box.label))


def is_noise(box: Box) -> bool:
    """Whether a tensor with a name holds numbers drawn at random, as `eps = torch.randn_like(std)`."""
    return bool(word_of(box) and RANDOM.search(box.facts.expression or ""))


def is_parameter(box: Box) -> bool:
    """Whether a leaf is a module's own, and not a variable of the program."""
    return not word_of(box) and not re.match(r"\w+\[", box.label)


def ground_of(history: History, window: Window) -> Ground:
    """How the ops of a window hang together."""
    places = {op.id: place for place, op in enumerate(window.ops)}
    bases = [base_of(op.name) for op in window.ops]
    ground = Ground(history, window, window.ops, places, bases, calls_around(history, window.ops), {})
    for calls in ground.around:
        for call in calls:
            ground.sizes[call.number] = ground.sizes.get(call.number, 0) + 1
    leaves: dict[str, str] = {}
    for place, op in enumerate(window.ops):
        _connect(ground, place, op, leaves)
    for name, keeper in window.recomputed.items():
        if keeper in places:
            _recomputed(ground, history.ops[name], places[keeper], leaves)
    ground.skips = _skips(ground)
    ground.hops = list(dict.fromkeys((arc.source, arc.target, bool(arc.node)) for arc in ground.arcs))
    ground.noises = list(_noises(ground))
    return ground


def _noises(ground: Ground) -> Iterator[tuple[int, str]]:
    for place, uses in enumerate(ground.idle):
        if uses and ground.bases[place] in ENTERED:
            for box in dict.fromkeys(use.box for use in uses):
                if box is not None and is_noise(ground.history.boxes[ground.seen_from(box)]):
                    yield place, box


def _skips(ground: Ground) -> Skips:
    feeds = [[Feed(-1, ground.seen_from(use.box)) for use in uses if use.box is not None] for uses in ground.idle]
    for arc in ground.arcs:
        feeds[arc.target].append(Feed(arc.source, arc.box))
    return Skips(ground.bases, feeds, frozenset(use.target for use in ground.leaf_uses))


def calls_around(history: History, ops: Sequence[Op]) -> list[tuple[Call, ...]]:
    """The module calls that each op ran in, innermost first. Nodes from before the recording ran in none."""
    around: list[tuple[Call, ...]] = [()] * len(history.ops)
    chains: list[tuple[Call, ...]] = []
    for call in history.calls:
        chains.append((call, *(() if call.parent is None else chains[call.parent])))
        around[call.start : call.end] = [chains[-1]] * (call.end - call.start)
    return [() if isinstance(op.event, NodeMet) else around[int(op.id[1:])] for op in ops]


def _connect(ground: Ground, place: int, op: Op, leaves: dict[str, str]) -> None:
    edges: tuple[Edge | None, ...] = getattr(op.event, "edges", ())
    given = {use.operand.edge: use.box for use in op.uses if use.box is not None}
    live: set[int | None] = set()
    for number, edge in enumerate(edges):
        if edge is None:
            continue
        if edge.leaf is not None:
            live.add(number)
            _use_leaf(ground, place, op, edge.leaf, number, given.get(number), leaves)
        elif (source := ground.places.get(ground.history.op_of_node.get(edge.node, ""))) is not None:
            live.add(number)
            made = ground.ops[source].outputs
            box = given.get(number)
            box = box if box in made and box is not None else made[min(edge.index, len(made) - 1)]
            ground.arcs.append(Arc(source, place, box, op.node or "", number))
    idle = []
    for use in op.uses:
        if use.operand.edge in live:
            continue
        cut = None if use.box is None else _cut_from(ground, op, use.box)
        if cut is not None and use.box is not None:
            ground.arcs.append(Arc(cut, place, use.box, "", 0))
        else:
            idle.append(use)
    ground.idle.append(idle)


def _use_leaf(
    ground: Ground, place: int, op: Op, tensor: str, number: int, given: str | None, leaves: dict[str, str]
) -> None:
    lives = ground.history.lives.get(tensor, [])
    if not lives:
        return
    born = [box for box in lives if ground.history.boxes[box].born <= op.born] or lives[:1]
    box = given if given in lives and given is not None else born[-1]
    ground.leaf_uses.append(LeafUse(leaves.setdefault(tensor, box), place, box, op.node or "", number))


def _recomputed(ground: Ground, op: Op, keeper: int, leaves: dict[str, str]) -> None:
    """What a checkpoint runs again brings the gradients of the leaves that its function used."""
    given = {use.operand.edge: use.box for use in op.uses if use.box is not None}
    for number, edge in enumerate(getattr(op.event, "edges", ())):
        if edge is None or edge.leaf is None or op.node is None:
            continue
        first = ground.history.boxes[ground.history.lives[edge.leaf][0]]
        if first.op is None:  # not what it detached in order to run
            _use_leaf(ground, keeper, op, edge.leaf, number, given.get(number), leaves)


def _cut_from(ground: Ground, user: Op, box: str) -> int | None:
    """The op of the window that made what a tensor was detached from, or all that an op without gradient builds on;
    what came of it since without a gradient is passed over, if that is little."""
    waiting, passed = [(box, user.node is None)], 0
    while waiting and passed < MOST_PASSED:
        name, detached = waiting.pop(0)
        op = ground.history.boxes[name].op
        if op in ground.places and detached:
            return ground.places[op]
        if op is None or op in ground.places:
            continue
        made, passed = ground.history.ops[op], passed + 1
        detached |= isinstance(made.event, TensorDetached)
        if made.node is None:
            waiting += [(use.box, detached) for use in made.uses if use.box is not None]
    return None
