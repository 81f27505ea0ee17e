"""How long a class waits for its votes to be counted: phones that ask once a second, and vote all in one moment."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import statistics
import threading
import time
from typing import Any

import httpx

from autograd_lab.classroom.demos.demo import load
from autograd_lab.classroom.vote.poll import Poll
from autograd_lab.classroom.vote.room import Room
from autograd_lab.classroom.vote.serve import address_of, listen, serve

SECONDS = 10
"""How long the phones ask before and after they vote."""


def run(options: argparse.Namespace) -> None:
    """Print the times of all votes and of all other requests; server and phones share this machine."""
    phones = options.phones
    room = Room(Poll(load("arriving-at-b").questions))
    listening = listen("127.0.0.1", 0)
    servers: list[Any] = []
    thread = threading.Thread(target=serve, args=(room, listening, servers.append))
    thread.start()
    try:
        asked, voted = asyncio.run(_class(f"{address_of(listening)}/{room.students}/", room, phones))
    finally:
        servers[0].should_exit = True
        thread.join()
    for what, times in (("state", asked), ("vote", voted)):
        ranks = statistics.quantiles(times, n=100)
        print(f"{what:6} {len(times):6} answers, median {ranks[49]:.0f} ms, of 99 % below {ranks[98]:.0f} ms")
    print(f"counted {sum(room.poll.now.counts())} of {phones}")


async def _class(address: str, room: Room, phones: int) -> tuple[list[float], list[float]]:
    asked: list[float] = []
    voted: list[float] = []
    bell = asyncio.Event()

    async def phone(number: int) -> None:
        me = secrets.token_hex(16)
        await asyncio.sleep(number / phones)
        async with httpx.AsyncClient(base_url=address, timeout=60, verify=False, trust_env=False) as line:
            for turn in range(2 * SECONDS):
                if turn == SECONDS:
                    await bell.wait()
                    vote = {"voter": me, "number": 0, "round": 1, "choice": number % 4}
                    voted.append(await _timed(line.post("vote", json=vote)))
                asked.append(await _timed(line.get("state", params={"voter": me})))
                await asyncio.sleep(1)

    async def ring() -> None:
        await asyncio.sleep(SECONDS + 3)
        room.poll.do("open")
        bell.set()

    await asyncio.gather(ring(), *map(phone, range(phones)))
    return asked, voted


async def _timed(request: Any) -> float:
    start = time.perf_counter()
    (await request).raise_for_status()
    return 1000 * (time.perf_counter() - start)
