"""The deck: the cards and wires of one folding."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from autograd_lab.view.graph.cards.card import Card, Cards, Edges, Wire
from autograd_lab.view.graph.cards.ground import Ground, LeafUse, is_said
from autograd_lab.view.graph.cards.groups import Piece, group_of
from autograd_lab.view.graph.cards.sharing import share_out
from autograd_lab.view.graph.facts.history import Box, Use

CLOSED = ("module", "stack", "turn")
"""Kinds of cards in which weights are drawn."""
SHARED = 3
"""So many turns of a loop that use a leaf make it a bar; of groups of turns two do."""

CROWD = 8
"""More leaves than these that go into one card are drawn inside of it."""

Key = tuple[str, ...]
Line = tuple[Key, str, str, str, tuple[str, int]]


class Deck:
    """Makes the cards of one folding; its length is how many there will be."""

    def __init__(self, ground: Ground, pieces: Sequence[Piece]) -> None:
        self._ground, self._pieces = ground, pieces
        self._of: dict[int, int] = {}
        for number, piece in enumerate(pieces):
            self._of.update(dict.fromkeys(piece.places, number))
        self._uses: dict[str, dict[int, list[LeafUse]]] = {}
        for use in ground.leaf_uses:
            self._uses.setdefault(use.leaf, {}).setdefault(self._of[use.target], []).append(use)
        turns = {number: piece.turns for number, piece in enumerate(pieces) if piece.kind == "turn"}
        self.bars = tuple(leaf for leaf, users in self._uses.items() if turns and _is_bar(users, turns))
        self._params, self._leaves = self._parted()
        self._inside: dict[int, list[str]] = defaultdict(list)
        for leaf in self._params:
            for number in self._uses[leaf]:
                self._inside[number].append(leaf)
        self._starts = self._starting()
        self._noise = self._noises()

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
        history = self._ground.history
        made = share_out([self._card(number, piece) for number, piece in enumerate(self._pieces)], self._ground.found)
        cards = {card.id: card for card in made}
        for leaf in [*self._leaves, *self._ground.window.leaves]:
            cards[leaf] = self._of_box(leaf, "leaf", leaf)
        for box in self._given:
            cards[f"d:{box}"] = self._of_box(f"d:{box}", "data", box)
        wires = _wires(self._lines(made))
        uses = {
            (made[number].id, leaf): tuple((use.node, use.edge) for use in each)
            for leaf in (*self._params, *self.bars)
            for number, each in self._uses[leaf].items()
        }
        drawn = _ordered(cards, wires, self._ground)
        window = self._ground.window
        return Cards(
            drawn, wires, history, self._ground, self.bars, uses, note, window.aside, window.recorded, window.update,
            tuple(self._pieces),
        )  # fmt: skip

    def _of_box(self, name: str, kind: str, box: str) -> Card:
        """The card of a leaf or of data, the same in all foldings."""
        if (Card, name) not in self._ground.found:
            self._ground.found[Card, name] = Card(name, kind, box=self._ground.history.boxes[box])
        card: Card = self._ground.found[Card, name]
        return card

    def _card(self, number: int, piece: Piece) -> Card:
        """The card of a piece, the same in all foldings in which it has the same weights and operands."""
        inside, noise = tuple(self._inside.get(number, ())), tuple(box for user, box in self._noise if user == number)
        key = Card, piece, inside, self._starts.get(number), noise
        card: Card | None = self._ground.found.get(key)
        if card is None:
            card = self._ground.found[key] = self._made(piece, inside, {self._starts.get(number), *noise})
        return card

    def _made(self, piece: Piece, inside: Sequence[str], seen: set[str | None]) -> Card:
        """The card of a piece with these weights; operands that are `seen` are drawn as cards."""
        ground, group = self._ground, group_of(self._ground, piece)
        ops = tuple(ground.ops[place] for place in piece.places)
        call = ground.history.calls[piece.first] if piece.kind == "stack" and piece.first is not None else group.call
        kind = piece.kind
        if kind == "op" and (inside if call is None else call.parameters > 0 or len(ops) > 1):
            kind = "module"
        name = f"turn{piece.turn}" if kind == "turn" else f"m{call.number}" if call and kind in CLOSED else ops[-1].id
        params = tuple(ground.history.boxes[leaf] for leaf in inside)
        return Card(
            name, kind, ops, ground.output(piece.places[-1]), call, params, tuple(self._operands(piece, seen)),
            piece.turn, piece.turns, piece.times, None, group.second, piece.places, ground.skips, self._parts(piece),
        )  # fmt: skip

    def _parts(self, piece: Piece) -> tuple[Box, ...]:
        """What an op makes that gives on several tensors, as `unbind` does."""
        boxes = map(self._ground.history.boxes.__getitem__, self._ground.ops[piece.places[-1]].outputs)
        wanting = tuple(box for box in boxes if box.facts.requires_grad)
        return wanting if len(wanting) > 1 and piece.kind == "op" else ()

    def _parted(self) -> tuple[list[str], list[str]]:
        """Leaves that are drawn inside of what uses them, a module's own, used by nothing but what is closed; and those
        that have cards."""
        open_ = {number for number, piece in enumerate(self._pieces) if piece.kind not in CLOSED}
        bars, params, leaves = set(self.bars), [], []
        for leaf, users in self._uses.items():
            if open_.isdisjoint(users) and self._ground.is_parameter(leaf):
                params += [leaf] * (leaf not in bars)
            elif leaf not in bars:
                leaves.append(leaf)
        crowd = set(self._crowd(leaves))
        return [*params, *(leaf for leaf in leaves if leaf in crowd)], [leaf for leaf in leaves if leaf not in crowd]

    def _crowd(self, leaves: Iterable[str]) -> Iterator[str]:
        """Leaves that one piece alone takes, together with many others: as the weights of a module they are its own."""
        own: dict[int, list[str]] = defaultdict(list)
        for leaf in leaves:
            if len(self._uses[leaf]) == 1:
                own[next(iter(self._uses[leaf]))].append(leaf)
        return (leaf for crowd in own.values() if len(crowd) > CROWD for leaf in crowd)

    def _starting(self) -> dict[int, str]:
        """For each piece that takes nothing from another the tensor without gradient that it starts with, if any."""
        of, starts = self._of, {}  # type: dict[int, int], dict[int, str]
        fed = {of[target] for source, target, _ in self._ground.hops if of[source] != of[target]}
        led = {number for leaf in self._leaves for number in self._uses[leaf]}
        for number, piece in enumerate(self._pieces):
            if number in fed:
                continue
            boxes = [use.box for use in self._outer(piece) if use.box is not None]
            said = [box for box in boxes if is_said(self._ground.history.boxes[self._ground.seen_from(box)])]
            large = [box for box in boxes if self._ground.history.boxes[box].facts.shape]
            found = said or ([] if number in led else large)
            if found:
                starts[number] = found[0]
        return starts

    def _noises(self) -> list[tuple[int, str]]:
        """The random numbers that enter on the way: a piece, and the tensor without gradient that holds them.

        What is subtracted is a target, and no noise.
        """
        entered: dict[tuple[int, str], None] = {}
        for place, box in self._ground.noises:
            number = self._of[place]
            piece = self._pieces[number]
            if piece.kind == "op" and not piece.weighted and box != self._starts.get(number):
                entered[number, box] = None
        return sorted(entered, key=lambda pair: pair[0])

    def _outer(self, piece: Piece) -> list[Use]:
        """What the ops of a piece take without gradient and have not made themselves."""
        key, ground = (Use, piece.places), self._ground
        if key not in ground.found:
            idle = [use for place in piece.places for use in ground.idle[place]]
            inside = set(piece.places) if idle else set()
            ground.found[key] = [use for use in idle if use.box is None or self._made_at(use.box) not in inside]
        found: list[Use] = ground.found[key]
        return found

    def _made_at(self, box: str) -> int:
        """The place of the op that made a box; -1 if that is not in the window."""
        return self._ground.places.get(self._ground.history.boxes[box].op or "", -1)

    def _operands(self, piece: Piece, seen: set[str | None]) -> Iterator[Use]:
        for use in self._outer(piece):
            if use.box is None:
                if use.operand.number is not None and len(piece.places) == 1:
                    yield use
            elif use.box not in seen:
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


def _is_bar(users: Iterable[int], turns: Mapping[int, int]) -> bool:
    """Whether a leaf that these pieces use is a bar; those that are turns have so many each."""
    sizes = [turns[number] for number in users if number in turns]
    return len(sizes) >= (SHARED if max(sizes, default=1) == 1 else 2)


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
