"""Folding: two groups of ops, joined by a wire, become one.

That is allowed for a -> b only if a has no other user, or b no other source. A way around, from a to b through others,
would have to leave a for another user and to enter b from another source; so no fold can close a cycle. Wires without
a gradient, as from `detach()`, count for that, but nothing is folded along them: the cut is to be seen.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from autograd_lab.view.graph.cards.ground import VIEWS, Ground
from autograd_lab.view.graph.facts.call import Call


@dataclass(frozen=True, slots=True)
class Piece:
    """The ops of one group, by their places, in order. A `weighted` one has a module's weights; one that is `fixed` is
    joined to no other. `turn`, `turns` and `times` are those of a card; `first` is the first call of a stack."""

    places: tuple[int, ...]
    kind: str = "op"
    weighted: bool = False
    fixed: bool = False
    turn: int = 0
    turns: int = 1
    times: int = 1
    first: int | None = None


@dataclass(slots=True)
class Group:
    """A piece while it may grow: what the rules ask for, kept up to date. It `adds` if any of it does, and is `sums` if
    all of it is. If backward `begins` in it, no gradient comes to it from those that take what it makes: on a card with
    them it would seem to."""

    piece: Piece
    places: list[int]
    last: int
    word: str
    weighted: bool
    sums: bool
    adds: bool
    views: bool
    scalar: bool
    second: bool
    fixed: bool
    begins: bool
    inputs: int
    counts: dict[int, int] = field(default_factory=dict)
    call: Call | None = None
    users: set[int] = field(default_factory=set)
    bound: set[int] = field(default_factory=set)
    """Those users from which a gradient comes."""
    sources: set[int] = field(default_factory=set)

    @property
    def weight(self) -> int:
        """How much there is to move."""
        return len(self.places) + len(self.users) + len(self.sources)

    @property
    def gathers(self) -> bool:
        """Whether branches come together in it by an addition, as in the sum of a block."""
        return self.adds and len(self.sources) > 1

    @property
    def plain(self) -> bool:
        """Whether there are no weights in it, and it is nothing that stays as it is."""
        return not self.weighted and not self.piece.fixed


Rule = Callable[[Group, Group], bool]
"""Whether a group may be folded into one of its users."""


class Groups:
    """All groups, by numbers that say nothing."""

    def __init__(self, ground: Ground, pieces: Sequence[Piece], *, writes: bool = False) -> None:
        """`writes` in place are joined even to what stays as it is."""
        self.ground, self._writes = ground, writes
        self.all: dict[int, Group] = {}
        of = {place: number for number, piece in enumerate(pieces) for place in piece.places}
        for number, piece in enumerate(pieces):
            self.all[number] = group_of(ground, piece)
        for start, end, is_bound in ground.hops:
            source, target = of[start], of[end]
            if source != target:
                self.all[source].users.add(target)
                self.all[target].sources.add(source)
                if is_bound:
                    self.all[source].bound.add(target)
        for use in ground.leaf_uses:
            self.all[of[use.target]].inputs += 1

    def __len__(self) -> int:
        return len(self.all)

    def pieces(self) -> tuple[Piece, ...]:
        """What there is by now, in the order of first ops."""
        return tuple(sorted(map(_piece, self.all.values()), key=lambda piece: piece.places[0]))

    def finds(self, rule: Rule) -> bool:
        """Whether the rule names anything that may be folded."""
        return any(
            self.allowed(number, user) and rule(group, self.all[user])
            for number, group in self.all.items()
            for user in group.bound
        )

    def contract(self, rule: Rule) -> bool:
        """Fold whatever the rule names, as long as there is any; gives whether there was."""
        before = len(self.all)
        waiting = deque(sorted(self.all, key=lambda number: self.all[number].places[0]))
        while waiting:
            number = waiting.popleft()
            while number in self.all and (pair := self._pair(number, rule)) is not None:
                number = self.join(*pair)
        return len(self.all) < before

    def allowed(self, a: int, b: int) -> bool:
        """Whether a may be folded into its user b without closing a cycle, and both are of a kind."""
        one, other = self.all[a], self.all[b]
        if (
            ((one.piece.fixed or other.piece.fixed) and not self._writes)
            or (one.begins and not self._writes)
            or one.second != other.second
            or b not in one.bound
        ):
            return False
        return len(one.users) == 1 or len(other.sources) == 1

    def join(self, a: int, b: int) -> int:
        """Fold a into b, or b into a: the one that is less to move."""
        one, other = self.all[a], self.all[b]
        if one.weight > other.weight:
            a, b = b, a
        gone, kept = self.all.pop(a), self.all[b]
        for user in gone.users:
            self.all[user].sources.discard(a)
            if user != b:
                self.all[user].sources.add(b)
                kept.users.add(user)
        for source in gone.sources:
            self.all[source].users.discard(a)
            if source != b:
                self.all[source].users.add(b)
                kept.sources.add(source)
            if a in self.all[source].bound:
                self.all[source].bound.discard(a)
                self.all[source].bound.add(b)
        kept.bound = (kept.bound | gone.bound) - {a, b}
        kept.users.discard(a)
        kept.sources.discard(a)
        _absorb(kept, gone, self.ground)
        return b

    def _pair(self, number: int, rule: Rule) -> tuple[int, int] | None:
        """A wire from or to this group that the rule names."""
        group = self.all[number]
        if group.piece.fixed and not self._writes:
            return None
        for user in group.users:
            if self.allowed(number, user) and rule(group, self.all[user]):
                return number, user
        for source in group.sources:
            if self.allowed(source, number) and rule(self.all[source], group):
                return source, number
        return None


def group_of(ground: Ground, piece: Piece) -> Group:
    """A piece by itself, with no neighbours yet: what it is like is found once for all foldings that it is in."""
    key = Group, piece.places, piece.kind, piece.weighted
    known: Group | None = ground.found.get(key)
    if known is None:
        known = ground.found[key] = _group(ground, piece)
    return Group(
        piece, list(piece.places), known.last, known.word, known.weighted, known.sums, known.adds, known.views,
        known.scalar, known.second, piece.fixed, known.begins, 0, known.counts.copy(), known.call,
    )  # fmt: skip


def _group(ground: Ground, piece: Piece) -> Group:
    last = piece.places[-1]
    names = [ground.bases[place] for place in piece.places]
    plain = not piece.weighted and piece.kind == "op"
    group = Group(
        piece, [], last, ground.word(last), piece.weighted,
        plain and all(name == "add" for name in names), "add" in names, plain and all(name in VIEWS for name in names),
        ground.output(last).facts.shape == (), ground.ops[last].id in ground.window.second, piece.fixed,
        any(ground.ops[place].node in ground.history.roots for place in piece.places), 0,
    )  # fmt: skip
    group.counts = Counter([call.number for place in piece.places for call in ground.around[place]])
    for number, count in group.counts.items():
        if count == ground.sizes[number]:
            _name(group, ground.history.calls[number])
    return group


def _absorb(kept: Group, gone: Group, ground: Ground) -> None:
    if gone.last > kept.last:
        kept.last, kept.word, kept.scalar = gone.last, gone.word, gone.scalar
    kept.places += gone.places
    kept.weighted |= gone.weighted
    kept.sums &= gone.sums
    kept.adds |= gone.adds
    kept.views &= gone.views
    kept.inputs += gone.inputs
    kept.fixed |= gone.fixed
    kept.begins |= gone.begins
    if gone.call is not None:
        _name(kept, gone.call)
    for number, count in gone.counts.items():
        _count(kept, ground.history.calls[number], count, ground)


def _count(group: Group, call: Call, count: int, ground: Ground) -> None:
    """So many more ops of a call are here; if that is all of it, it may give the group its name."""
    group.counts[call.number] = total = group.counts.get(call.number, 0) + count
    if total == ground.sizes[call.number]:
        _name(group, call)


def _name(group: Group, call: Call) -> None:
    if group.call is None or (call.parameters, -call.level) > (group.call.parameters, -group.call.level):
        group.call = call


def _piece(group: Group) -> Piece:
    piece, places = group.piece, tuple(sorted(group.places))
    if places == piece.places:
        return piece
    return Piece(places, "module" if group.weighted else "op", group.weighted, group.fixed)


def singly(places: Iterable[int], *, fixed: bool = False) -> list[Piece]:
    """Each op by itself."""
    return [Piece((place,), fixed=fixed) for place in places]
