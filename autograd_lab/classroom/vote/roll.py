"""The roll of a class: which browsers take part, from which addresses, and who makes room when it is full.

A campus may send a whole class from one address, so an address may have as many voters as the class is large, and all
together twice that: one address never keeps the others out. Whoever makes up voters sends one request for each; a phone
goes on asking. So when there is no room, a newcomer takes the place of a voter that was seen for a moment only.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import monotonic

from autograd_lab.view.languages.texts import worded

CLASS_SIZE = 200
LARGEST = 2000
"""How large a class may be."""
SETTLED = 3.0
"""Who was seen for so many seconds keeps its place."""
AWAY = 15.0
"""A browser that has not asked for so many seconds is closed, or its phone sleeps."""
HOUSES = 2
"""All together may be so many times the class."""


class Refused(ValueError):
    """A vote, or a wish of the teacher's, that does not fit the moment; the message says why."""


@dataclass
class Seen:
    """From where a voter asks, and when it did first and last."""

    address: str
    first: float
    last: float


class Roll:
    """Who takes part. `given` is the size of the class, if somebody has said it; `shut` are the addresses that the
    teacher has shut out."""

    def __init__(self, size: int | None = None, clock: Callable[[], float] = monotonic) -> None:
        self.given = size
        self.shut: set[str] = set()
        self._clock = clock
        self._seen: dict[str, Seen] = {}

    @property
    def size(self) -> int:
        """How many find room."""
        return CLASS_SIZE if self.given is None else self.given

    def __len__(self) -> int:
        return len(self._seen)

    def __contains__(self, voter: str) -> bool:
        return voter in self._seen

    def there(self) -> set[str]:
        """Who has asked a moment ago."""
        now = self._clock()
        return {voter for voter, seen in self._seen.items() if now - seen.last < AWAY}

    def admit(self, voter: str, address: str) -> list[str]:
        """Let a voter in, and say who had to go for it. Raises Refused when all places are taken for good."""
        now = self._clock()
        if voter in self._seen:
            self._seen[voter].last = now
            return []
        if address in self.shut:
            raise Refused(worded("the teacher lets nobody in from this address"))
        gone = self._room_for(address)
        self._seen[voter] = Seen(address, now, now)
        return gone

    def settle(self, voter: str, address: str) -> None:
        """Take down a voter that was there before, as of a file."""
        now = self._clock()
        self._seen[voter] = Seen(address, now - SETTLED, now)

    def resize(self, size: int) -> None:
        """Nobody has to go when the class becomes smaller. Raises Refused."""
        if not 1 <= size <= LARGEST:
            raise Refused(worded("a class has 1 to {}", LARGEST))
        self.given = size

    def shut_out(self, address: str) -> list[str]:
        """Put out all voters of an address, and let nobody in from there."""
        self.shut.add(address)
        return self._put_out([voter for voter, seen in self._seen.items() if seen.address == address])

    def clear(self) -> list[str]:
        """Put out everybody."""
        return self._put_out(self._seen)

    def by_address(self) -> Counter[str]:
        """How many voters there are of each address."""
        return Counter(seen.address for seen in self._seen.values())

    def _room_for(self, address: str) -> list[str]:
        there = [voter for voter, seen in self._seen.items() if seen.address == address]
        if len(there) >= self.size:
            crowd = there
        elif len(self) >= HOUSES * self.size:
            crowd = list(self._seen)
        else:
            return []
        passing = [voter for voter in crowd if self._seen[voter].last - self._seen[voter].first < SETTLED]
        if not passing:
            raise Refused(worded("the class is full; your teacher can make room"))
        return self._put_out([min(passing, key=lambda voter: self._seen[voter].last)])

    def _put_out(self, voters: Iterable[str]) -> list[str]:
        gone = list(voters)
        for voter in gone:
            del self._seen[voter]
        return gone


def household(host: str) -> str:
    """What counts as one address: of IPv6, the network of 64 bits that one connection is given."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))
