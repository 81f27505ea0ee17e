"""The deck: the cards and wires of one folding."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from autograd_lab.view.graph.cards.card import Card, Cards, Edges, Wire
from autograd_lab.view.graph.cards.ground import Ground, LeafUse, is_noise, is_said
from autograd_lab.view.graph.cards.groups import Groups, Piece
from autograd_lab.view.graph.cards.sharing import share_out
from autograd_lab.view.graph.facts.history import Box, Use

CLOSED = ("module", "stack", "turn")
"""Kinds of cards in which weights are drawn."""
SHARED = 3
"""So many turns of a loop that use a leaf make it a bar; of groups of turns two do."""

CROWD = 8
"""More leaves than these that go into one card are drawn inside of it."""
ENTERED = ("add", "mul")
"""Ops by which noise enters."""

Key = tuple[str, ...]
Line = tuple[Key, str, str, str, tuple[str, int]]


class Deck:
    """Makes the cards of one folding; its length is how many there will be."""

    def __init__(self, ground: Ground, pieces: Sequence[Piece]) -> None:
        self._ground, self._pieces = ground, pieces
        self._of = {place: number for number, piece in enumerate(pieces) for place in piece.places}
        self._uses: dict[str, dict[int, list[LeafUse]]] = defaultdict(lambda: defaultdict(list))
        for use in ground.leaf_uses:
            self._uses[use.leaf][self._of[use.target]].append(use)
        self.bars = tuple(leaf for leaf, users in self._uses.items() if self._is_bar(users))
        self._params = {leaf for leaf, users in self._uses.items() if self._is_param(leaf, users)} - set(self.bars)
        self._params |= set(self._crowd())
        self._leaves = [leaf for leaf in self._uses if leaf not in self._params and leaf not in self.bars]
        self._starts = self._starting()
        self._noise = list(self._noises())

    def __len__(self) -> int:
        shown = len(self._leaves) + len(self._ground.window.leaves)
        return len(self._pieces) + shown + len(self._given)

    @property
    def _given(self) -> list[str]:
        """The tensors without gradient that are drawn."""
        boxes = [*self._starts.values(), *(box for _, box in self._noise)]
        return list(dict.fromkeys(map(self._ground.seen_from, boxes)))

    def cards(self, note: str = "") -> Cards:
        """All of it, in order."""
        history, groups = self._ground.history, Groups(self._ground, self._pieces)
        made = [self._card(number, groups) for number in range(len(self._pieces))]
        cards = {card.id: card for card in made}
        for leaf in [*self._leaves, *self._ground.window.leaves]:
            cards[leaf] = Card(leaf, "leaf", box=history.boxes[leaf])
        for box in self._given:
            cards[f"d:{box}"] = Card(f"d:{box}", "data", box=history.boxes[box])
        wires = _wires(self._lines(made))
        uses = {
            (made[number].id, leaf): tuple((use.node, use.edge) for use in each)
            for leaf in (*self._params, *self.bars)
            for number, each in self._uses[leaf].items()
        }
        share_out(made)
        drawn = _ordered(cards, wires, self._ground)
        window = self._ground.window
        return Cards(
            drawn, wires, history, self._ground, self.bars, uses, note, window.aside, window.recorded, window.update,
            tuple(self._pieces),
        )  # fmt: skip

    def _card(self, number: int, groups: Groups) -> Card:
        piece, group, ground = self._pieces[number], groups.all[number], self._ground
        ops = tuple(ground.ops[place] for place in piece.places)
        call = ground.history.calls[piece.first] if piece.kind == "stack" and piece.first is not None else group.call
        kind = piece.kind
        params = tuple(ground.history.boxes[leaf] for leaf in self._uses if self._takes(number, leaf))
        if kind == "op" and (params if call is None else call.parameters > 0 or len(ops) > 1):
            kind = "module"
        name = f"turn{piece.turn}" if kind == "turn" else f"m{call.number}" if call and kind in CLOSED else ops[-1].id
        operands = tuple(self._operands(number))
        return Card(
            name, kind, ops, ground.output(piece.places[-1]), call, params, operands,
            piece.turn, piece.turns, piece.times, None, group.second, ground.skips.within(piece.places),
            self._parts(piece),
        )  # fmt: skip

    def _parts(self, piece: Piece) -> tuple[Box, ...]:
        """What an op makes that gives on several tensors, as `unbind` does."""
        boxes = map(self._ground.history.boxes.__getitem__, self._ground.ops[piece.places[-1]].outputs)
        wanting = tuple(box for box in boxes if box.facts.requires_grad)
        return wanting if len(wanting) > 1 and piece.kind == "op" else ()

    def _takes(self, number: int, leaf: str) -> bool:
        """Whether a leaf is drawn inside of a piece."""
        return leaf in self._params and number in self._uses[leaf]

    def _is_bar(self, users: Iterable[int]) -> bool:
        turns = [self._pieces[number].turns for number in users if self._pieces[number].kind == "turn"]
        return len(turns) >= (SHARED if max(turns, default=1) == 1 else 2)

    def _is_param(self, leaf: str, users: Iterable[int]) -> bool:
        """Whether a leaf is a module's own, and used by nothing but what is closed."""
        closed = all(self._pieces[number].kind in CLOSED for number in users)
        return closed and self._ground.is_parameter(leaf)

    def _crowd(self) -> Iterator[str]:
        """Leaves that one piece alone takes, together with many others: as the weights of a module they are its own."""
        own: dict[int, list[str]] = defaultdict(list)
        for leaf, users in self._uses.items():
            if len(users) == 1 and leaf not in self._params and leaf not in self.bars:
                own[next(iter(users))].append(leaf)
        return (leaf for leaves in own.values() if len(leaves) > CROWD for leaf in leaves)

    def _starting(self) -> dict[int, str]:
        """For each piece that takes nothing from another the tensor without gradient that it starts with, if any."""
        fed = {self._of[arc.target] for arc in self._ground.arcs if self._of[arc.source] != self._of[arc.target]}
        led = {number for leaf in self._leaves for number in self._uses[leaf]}
        starts: dict[int, str] = {}
        for number, piece in enumerate(self._pieces):
            if number in fed:
                continue
            boxes = [use.box for place in piece.places for use in self._ground.idle[place] if use.box is not None]
            boxes = [box for box in boxes if self._of.get(self._made_at(box), -1) != number]
            said = [box for box in boxes if is_said(self._ground.history.boxes[self._ground.seen_from(box)])]
            large = [box for box in boxes if self._ground.history.boxes[box].facts.shape]
            found = said or ([] if number in led else large)
            if found:
                starts[number] = found[0]
        return starts

    def _noises(self) -> Iterator[tuple[int, str]]:
        """The random numbers that enter on the way: a piece, and the tensor without gradient that holds them.

        What is subtracted is a target, and no noise.
        """
        ground = self._ground
        for number, piece in enumerate(self._pieces):
            if piece.kind != "op" or piece.weighted:
                continue
            entered = (place for place in piece.places if ground.bases[place] in ENTERED)
            idle = (use.box for place in entered for use in ground.idle[place] if use.box is not None)
            for box in dict.fromkeys(idle):
                if box != self._starts.get(number) and is_noise(ground.history.boxes[ground.seen_from(box)]):
                    yield number, box

    def _made_at(self, box: str) -> int:
        """The place of the op that made a box; -1 if that is not in the window."""
        return self._ground.places.get(self._ground.history.boxes[box].op or "", -1)

    def _operands(self, number: int) -> Iterator[Use]:
        places, seen = self._pieces[number].places, {self._starts.get(number)}
        seen |= {box for user, box in self._noise if user == number}
        for place in places:
            for use in self._ground.idle[place]:
                if use.box is None:
                    if use.operand.number is not None and len(places) == 1:
                        yield use
                elif use.box not in seen and self._of.get(self._made_at(use.box), -1) != number:
                    seen.add(use.box)
                    yield use

    def _lines(self, made: Sequence[Card]) -> Iterator[Line]:
        """All that goes from card to card: what it has in common with others of its wire, ends, box, and edge.

        Data come before what an update changes, whose arrows find their way below.
        """
        if self._ground.window.update is not None:
            yield from self._given_lines(made)
        yield from self._bound_lines(made)
        if self._ground.window.update is None:
            yield from self._given_lines(made)

    def _bound_lines(self, made: Sequence[Card]) -> Iterator[Line]:
        """The lines along which gradients come back."""
        ground = self._ground
        for arc in ground.arcs:
            source, target = made[self._of[arc.source]], made[self._of[arc.target]]
            if source is not target:
                yield _key(target, arc.box, arc.node, arc.edge), source.id, target.id, arc.box, (arc.node, arc.edge)
        for leaf in self._leaves:
            for number, uses in self._uses[leaf].items():
                for use in uses:
                    edge = (use.node, use.edge)
                    yield _key(made[number], use.box, *edge), leaf, made[number].id, use.box, edge

    def _given_lines(self, made: Sequence[Card]) -> Iterator[Line]:
        """The lines from data."""
        for number, box in (*self._starts.items(), *self._noise):
            yield (box,), f"d:{self._ground.seen_from(box)}", made[number].id, box, ("", 0)


def _key(target: Card, box: str, node: str, edge: int) -> Key:
    """One wire for each use of an op; for all uses of a box by what hides them."""
    return (box,) if target.kind in CLOSED or not node else (box, node, str(edge))


def _wires(lines: Iterable[Line]) -> list[Wire]:
    wires: dict[tuple[Key, str, str], Wire] = {}
    edges: dict[str, list[tuple[str, int]]] = {}
    count: dict[tuple[str, str], int] = {}
    for key, source, target, box, edge in lines:
        wire = wires.get((key, source, target))
        if wire is None:
            which = count[source, target] = count.get((source, target), 0) + 1
            name = f"{source}-{target}" + (f".{which}" if which > 1 else "")
            wire = wires[key, source, target] = Wire(name, source, target, (), box)
            edges[name] = []
        if edge[0]:
            edges[wire.id].append(edge)
    for wire in wires.values():
        wire.edges = _told(edges[wire.id])
    return list(wires.values())


def _told(edges: Iterable[tuple[str, int]]) -> Edges:
    return tuple(dict.fromkeys(edges))


def _ordered(cards: dict[str, Card], wires: Iterable[Wire], ground: Ground) -> dict[str, Card]:
    """Topologically; in program order where that is free, leaves and data right before their first user."""
    users: dict[str, list[str]] = defaultdict(list)
    missing = dict.fromkeys(cards, 0)
    for wire in wires:
        users[wire.source].append(wire.target)
        missing[wire.target] += 1
    at = {name: float(ground.places[card.ops[-1].id]) for name, card in cards.items() if card.ops}
    end = float(len(ground.ops))
    at |= {name: min((at[user] for user in users[name]), default=end) - 0.5 for name in cards if name not in at}
    ready = [(at[name], name) for name, count in missing.items() if not count]
    heapq.heapify(ready)
    done: dict[str, Card] = {}
    while ready:
        _, name = heapq.heappop(ready)
        done[name] = cards[name]
        for user in users[name]:
            missing[user] -= 1
            if not missing[user]:
                heapq.heappush(ready, (at[user], user))
    assert len(done) == len(cards), "a fold closed a cycle"
    return done
