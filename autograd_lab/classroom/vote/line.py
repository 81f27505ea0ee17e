"""A connection of somebody's: it is let go when no whole request comes, and gives way when there are too many.

uvicorn has a cap too, but it answers 503 to whoever comes then, the teacher as well; and it waits for a first request
for ever.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0
"""Seconds for a whole request, and between two of them; phones ask each second."""
ANSWERED = 60.0
"""Seconds in which an answer has to be taken."""


class Line(H11Protocol):
    """One connection. `most` is how many there may be at once."""

    most = 1000

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._deadline: asyncio.TimerHandle | None = None
        self._wait(PATIENCE)
        self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self._wait(PATIENCE)
        super().on_response_complete()

    @property
    def is_idle(self) -> bool:
        """Whether a whole request has yet to come."""
        return self.conn.their_state is not h11.DONE

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self.since = self.loop.time()
        self._deadline = self.loop.call_later(seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()

    def _give_up(self) -> None:
        if self.is_idle or self.loop.time() - self.since > ANSWERED:
            self.transport.abort()
        else:
            self._deadline = self.loop.call_later(ANSWERED, self._give_up)

    def _make_room(self) -> None:
        """Of the address with the most connections the one goes that has said nothing for the longest time."""
        lines: list[Any] = [line for line in self.connections if not line.transport.is_closing()]
        if len(lines) <= self.most:
            return
        crowd = Counter(line.client and line.client[0] for line in lines)
        idle = [line for line in lines if line.is_idle] or lines
        max(idle, key=lambda line: (crowd[line.client and line.client[0]], -line.since)).transport.abort()
