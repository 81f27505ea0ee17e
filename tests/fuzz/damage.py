"""What can happen to a trace on its way: damaged bytes, lines that are gone or moved, fields that hold other things."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, -2, 7, 2**31, -(2**63), 10**30, 0.5, -0.0, 1e308, 1e-320, "nan", "inf", "-inf", "",
    "x", "t0", "n0", "t1", "s0", "c0", "../x", "\u0000", "\u001b[31m", "\u202e", "\ud800", "<script>alert(1)</script>",
    "\"'&<>]]>", "a" * 5000, [], [[]], [None], [0], [1, 2, 3], [[1.0, 2.0], [3.0]], ["x"], {}, {"x": 1}, [-1], [10**12],
    [0] * 70,
)  # fmt: skip
"""What may stand in any place, though it means nothing there."""


def damaged(lines: list[str], rng: random.Random) -> bytes:
    """A trace with one to three things wrong."""
    lines = list(lines)
    for _ in range(rng.choice((1, 1, 2, 3))):
        rng.choice(WAYS)(lines, rng)
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    return rng.choice(OF_BYTES)(content, rng) if rng.random() < 0.1 else content


def _leave_out(lines: list[str], rng: random.Random) -> None:
    if len(lines) > 1:
        del lines[rng.randrange(len(lines))]


def _repeat(lines: list[str], rng: random.Random) -> None:
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))


def _exchange(lines: list[str], rng: random.Random) -> None:
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def _cut_off(lines: list[str], rng: random.Random) -> None:
    del lines[rng.randrange(1, len(lines) + 1) :]


def _in_data(change: Callable[[list[Any], random.Random], None]) -> Callable[[list[str], random.Random], None]:
    """A change to the data of a line: to what stands at a random place in it."""

    def on_lines(lines: list[str], rng: random.Random) -> None:
        if not lines:
            return
        at = rng.randrange(len(lines))
        try:
            data = json.loads(lines[at])
        except (ValueError, RecursionError):
            return
        if places := list(_places(data)):
            change([rng.choice(places)], rng)
        lines[at] = json.dumps(data, ensure_ascii=False)

    return on_lines


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every entry of what is nested, as its container and its key."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in pairs:
        yield data, key
        yield from _places(value)


def _put_odd(places: list[Any], rng: random.Random) -> None:
    container, key = places[0]
    container[key] = rng.choice(ODD)


def _put_like(places: list[Any], rng: random.Random) -> None:
    """Another value of the same type."""
    container, key = places[0]
    value = container[key]
    if isinstance(value, bool):
        container[key] = not value
    elif isinstance(value, int | float):
        container[key] = rng.choice((0, -1, value + 1, value - 1, -value, 2 * value, 10**6, 1e300, "nan"))
    elif isinstance(value, str):
        tail = str(rng.randrange(12))
        container[key] = rng.choice((value[:-1] + tail, rng.choice("tnscm") + tail, value[:1], value * 2))
    elif isinstance(value, list):
        container[key] = rng.choice((value[:-1], value + value[-1:], value[::-1], [value], []))


def _take_away(places: list[Any], rng: random.Random) -> None:
    container, key = places[0]
    del container[key]


def _add(places: list[Any], rng: random.Random) -> None:
    container, _ = places[0]
    if isinstance(container, dict):
        container[rng.choice(("x", "kind", "id", "where", "value", "numbers", "course", "notes"))] = rng.choice(ODD)
    else:
        container.append(rng.choice(ODD))


def _nest(places: list[Any], rng: random.Random) -> None:
    container, key = places[0]
    for _ in range(rng.choice((3, 40, 400))):
        container[key] = [container[key]]


def _as_other_kind(lines: list[str], rng: random.Random) -> None:
    """Two events become each other's kind."""
    if len(lines) < 3:
        return
    one, other = (rng.randrange(1, len(lines)) for _ in range(2))
    try:
        here, there = json.loads(lines[one]), json.loads(lines[other])
        here["kind"] = there["kind"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return
    lines[one] = json.dumps(here, ensure_ascii=False)


def _huge(lines: list[str], rng: random.Random) -> None:
    """A number of more digits than Python reads, or brackets deeper than it goes."""
    at = rng.randrange(len(lines)) if lines else None
    if at is not None:
        lines[at] = rng.choice((str(HUGE_DIGITS), "[" * 100_000, lines[at].replace("0", HUGE_DIGITS, 1)))


HUGE_DIGITS = "1" + "0" * 4400

WAYS: tuple[Callable[[list[str], random.Random], None], ...] = (
    _leave_out, _repeat, _exchange, _cut_off, _as_other_kind, _huge, *map(_in_data, (
        _put_odd, _put_odd, _put_odd, _put_odd, _put_like, _put_like, _put_like, _put_like, _take_away, _add, _nest,
    )),
)  # fmt: skip


def _flip(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content)) if content else 0
    return content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]


def _cut(content: bytes, rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _double(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + content[at // 2 :]


OF_BYTES = (_flip, _cut, _double)
