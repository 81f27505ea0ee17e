"""A company: recordings that are laid out as one graph, each with those cards of it that it has.

Some are there at the same time, to be compared; others come one after the other, as runs of a function do, and find
the room that those before them needed. Where the gaps that others leave would cost one of them cards, or room on its
cards, each has only its own spots, which are as large as any of them needs; those who have the same share them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from autograd_lab.view.graph.cards.card import Cards
from autograd_lab.view.graph.faces.choice import Choice
from autograd_lab.view.graph.faces.face import Face, Style
from autograd_lab.view.graph.faces.forms import Forms, Pane
from autograd_lab.view.graph.pictured import Choices, best_of
from autograd_lab.view.graph.together.guest import Guest
from autograd_lab.view.graph.together.own_picture import gaps_in, own_picture
from autograd_lab.view.graph.together.sizes import CommonForms, Sizes
from autograd_lab.view.graph.together.spots import Called, Common, Seats, Spots
from autograd_lab.view.subject import NothingToDraw

FEW = 0.5
"""So many gaps for each card are few: recordings with more have little in common."""
MOST = 400
"""So many spots are remembered of one folding."""


@dataclass
class Company:
    """All that is known of recordings in one view: their spots, and how large these are."""

    _here: tuple[Guest, ...] = ()
    _past: tuple[Guest, ...] = ()
    """Those who are not here any more, the latest first."""
    _spots: dict[int, Spots] = field(default_factory=dict)
    _sizes: dict[tuple[int, Style], Sizes] = field(default_factory=dict)
    _seats: dict[tuple[Guest, int], Seats] = field(default_factory=dict)
    _measured: set[tuple[Guest, int, Style]] = field(default_factory=set)
    _found: dict[tuple[Pane, str, int | None], list[Choice]] = field(default_factory=dict)
    _alike: dict[tuple[Guest, ...], Company] = field(default_factory=dict)
    """Some of those who are here, by themselves."""

    def welcome(self, choices: Sequence[Choices], called: Sequence[Called]) -> list[Choices]:
        """What may be drawn of recordings that are here at the same time; of those before them places are kept."""
        self._forget()
        self._here = tuple(Guest(*each) for each in zip(choices, called, strict=True))
        return [
            ChoicesInCompany(each.history, each.window, each.asked, each.faces, each.traffic, each.found, self, guest)
            for guest, each in zip(self._here, choices, strict=True)
        ]

    def _forget(self) -> None:
        """Of those who were here, keep who was the last to have a spot; of foldings with very many spots, nothing."""
        self._found, self._alike = {}, {}
        self._spots = {number: spots for number, spots in self._spots.items() if len(spots) <= MOST}
        self._sizes = {key: sizes for key, sizes in self._sizes.items() if key[0] in self._spots}
        covered: set[tuple[int, str]] = set()
        past: list[Guest] = []
        for guest in (*self._here, *self._past):
            had = {(n, spot) for n in self._spots if (guest, n) in self._seats for spot in self._seats[guest, n].own}
            past += [guest] * (not had <= covered)
            covered |= had
        self._past = tuple(past)
        self._seats = {key: seats for key, seats in self._seats.items() if key[0] in past and key[1] in self._spots}
        self._measured = {key for key in self._measured if key[0] in past and key[1] in self._spots}

    def best(self, guest: Guest, pane: Pane, form: str, only: Cards | None) -> Choice | None:
        """The best picture of a guest for a pane; None if it is not here any more, or `only` is no folding of it."""
        folding = None if only is None else guest.number_of(only)
        if guest not in self._here or (folding is None and only is not None):
            return None
        key = pane, form, folding
        if key not in self._found:
            self._found[key] = self._chosen(pane, form, folding)
        return self._found[key][self._here.index(guest)]

    def _chosen(self, pane: Pane, form: str, only: int | None) -> list[Choice]:
        """The best pictures of all who are here: with all spots, if that is as good as with one's own."""
        try:
            whole = self._together(pane, form, only, whole=True)
        except NothingToDraw:  # they cannot be put in one order
            whole = []
        if whole and not any(map(gaps_in, whole)):
            return whole
        is_alone = len(self._here) == 1  # with the room that those before it needed
        alone = self._together(pane, form, only, whole=False) if is_alone else self._apart(pane, form, only)
        return whole if whole and self._is_as_good(whole, alone) else alone

    def _apart(self, pane: Pane, form: str, only: int | None) -> list[Choice]:
        """The best pictures of each who is here, but those who have the same spots together."""
        kinds: dict[frozenset[str], list[Guest]] = defaultdict(list)
        for guest in self._here:
            seats = self._seated(guest, 0)
            kinds[frozenset(seats.own if seats else ())].append(guest)
        found: dict[Guest, Choice] = {}
        for alike in map(tuple, kinds.values()):
            if len(alike) == 1 or len(kinds) == 1:
                found |= {guest: guest.best(pane, form, only) for guest in alike}
            else:
                company = self._alike.setdefault(alike, Company(alike))
                found |= zip(alike, company._chosen(pane, form, only), strict=True)
        return _beside_each_other([found[guest] for guest in self._here])

    def _is_as_good(self, whole: Sequence[Choice], alone: Sequence[Choice]) -> bool:
        """Whether gaps are few, and with them cards are no coarser and no smaller than some of them are anyway."""
        if any(gaps_in(each) > FEW * len(each.cards.cards) for each in whole):
            return False
        return self._quality(whole) >= self._quality(alone)

    def _quality(self, choices: Sequence[Choice]) -> tuple[bool, int, bool]:
        """Whether all fit, how fine the coarsest is, and whether all have full cards."""
        fine = (guest.number_of(each.cards) or 0 for guest, each in zip(self._here, choices, strict=True))
        return all(each.fits for each in choices), -max(fine), all(each.style.full for each in choices)

    def _together(self, pane: Pane, form: str, only: int | None, *, whole: bool) -> list[Choice]:
        """The best picture in common, as each who is here has it."""
        found = best_of(self._commons(only, whole=whole), self._forms, pane, form)
        return _beside_each_other([replace(self._own(found, guest), is_common=True) for guest in self._here])

    def _commons(self, only: int | None, *, whole: bool) -> Iterator[Common]:
        """What all have in common in each folding, as far as they have so many and these can be put in one order."""
        for number in count() if only is None else (only,):
            seats = [self._seated(guest, number) for guest in self._here]
            cards = self._here[0].folding(number)
            if cards is None or None in seats:
                return
            common = self._spots[number].common(cards, filter(None, seats), whole=whole)
            if common is None:
                return
            yield common

    def _seated(self, guest: Guest, number: int) -> Seats | None:
        """The spots of a guest's cards in a folding; None if it has not so many."""
        cards = guest.folding(number)
        if cards is not None and (guest, number) not in self._seats:
            spots = self._spots.setdefault(number, Spots(number))
            self._seats[guest, number] = spots.seat(cards, guest.called)
        return self._seats.get((guest, number))

    def _forms(self, cards: Cards, style: Style) -> Forms:
        """Spots in a style, with room for all who are here or were."""
        assert isinstance(cards, Common)
        own = self._here[0].folding(cards.number)
        is_whole = own is not None and len(own.cards) == len(cards.cards)
        host = self._here[0].forms(cards.number, style) if is_whole else None
        return CommonForms(cards, style, lambda: self._room(cards.number, style), host)

    def _room(self, number: int, style: Style) -> Sizes:
        """The room of spots in a style, measured of all who are here or were."""
        sizes = self._sizes.setdefault((number, style), Sizes())
        keys = [(guest, number, style) for guest in (*self._here, *self._past) if (guest, number) in self._seats]
        new = {key[0]: self._seats[key[0], number] for key in keys if key not in self._measured}
        for guest, seats in new.items():
            faces = guest.forms(number, style).faces
            sizes.spelt_out |= {spot for name, spot in seats.cards.items() if not faces[name].is_joint}
        for guest, seats in new.items():
            sizes.measure(guest.forms(number, style), self._faces(guest, number, style), seats)
        self._measured.update(keys)
        return sizes

    def _faces(self, guest: Guest, number: int, style: Style) -> dict[str, Face]:
        """The faces of a guest's cards: all is spelt out that is more than a sign anywhere."""
        seats, spelt_out = self._seats[guest, number], self._sizes[number, style].spelt_out
        return {
            name: guest.spelt_out(number, style, name) if face.is_joint and seats.cards[name] in spelt_out else face
            for name, face in guest.forms(number, style).faces.items()
        }

    def _own(self, found: Choice, guest: Guest) -> Choice:
        """What a guest has of a picture in common."""
        assert isinstance(found.cards, Common)
        number, style = found.cards.number, found.style
        faces, labels = self._faces(guest, number, style), self._sizes[number, style].labels
        seats, forms = self._seats[guest, number], guest.forms(number, style)
        return own_picture(found, forms, faces, seats, labels, found.cards.ways)


@dataclass(frozen=True)
class ChoicesInCompany(Choices):
    """What may be drawn of a recording that is laid out together with others."""

    company: Company
    guest: Guest

    def best(self, pane: Pane, form: str = "auto", only: Cards | None = None) -> Choice:
        return self.company.best(self.guest, pane, form, only) or super().best(pane, form, only)


def _beside_each_other(choices: Sequence[Choice]) -> list[Choice]:
    """Pictures that know of each other."""
    return [replace(each, beside=tuple(other for other in choices if other is not each)) for each in choices]
