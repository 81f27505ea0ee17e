"""Which ids an event brings into the world, refers to and is about: read off the types of its fields, once a class.

>>> from autograd_lab.events import TensorSaved
>>> touches(TensorSaved(node="n0", slot="self", tensor="t0", version=0, nbytes=4))
['n0', 't0']
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from autograd_lab.events import Event, Role

MAKES, TOUCHES, LEADS, NAMES = Role.MAKES, Role.TOUCHES, Role.LEADS, Role.NAMES


def introduces(event: Event) -> list[str]:
    """Ids that stand for something from this event on."""
    return _ids(event).made


def mentions(event: Event) -> list[str]:
    """Ids that an event refers to."""
    found = _ids(event)
    return found.touched + found.taken


def touches(event: Event) -> list[str]:
    """Ids of what an event is about: what it makes, and what it says something of that was there."""
    found = _ids(event)
    return found.made + found.touched


def spelled(event: Event) -> Iterator[tuple[str, str]]:
    """Each id in an event, after the letter that ids of its kind begin with."""
    cls: Any = type(event)
    return _spelled(event, _fields(cls))


def _spelled(item: Any, fields: tuple[_Field, ...]) -> Iterator[tuple[str, str]]:
    for name, is_many, _, letter, inner in fields:
        value = getattr(item, name)
        for each in value if is_many else (value,):
            if each is None:
                continue
            if inner:
                yield from _spelled(each, inner)
            else:
                yield letter, each


class _Ids(NamedTuple):
    made: list[str]
    touched: list[str]
    taken: list[str]


class _Field(NamedTuple):
    """A field that has ids, or many: by themselves, in a role and with a letter, or in facts, of which these are the
    fields.
    """

    name: str
    is_many: bool
    role: Role | None
    letter: str
    fields: tuple[_Field, ...]


def _ids(event: Event) -> _Ids:
    found = _Ids([], [], [])
    cls: Any = type(event)
    _collect(event, _fields(cls), found)
    return found


def _collect(item: Any, fields: tuple[_Field, ...], found: _Ids) -> None:
    made, touched, taken = found
    for name, is_many, role, _, inner in fields:
        value = getattr(item, name)
        if value is None or role is NAMES:
            continue
        if inner:
            for each in value if is_many else (value,):
                if each is not None:
                    _collect(each, inner, found)
            continue
        put = touched if role is TOUCHES else made if role is MAKES else taken
        put += value if is_many else (value,)
        if role is LEADS and item.leaf is not None:
            made.append(value)


@cache
def _fields(cls: Any, is_touched: bool = False) -> tuple[_Field, ...]:
    """The fields of a class that have ids; nothing is made in what itself `is_touched`."""
    if not is_dataclass(cls):
        return ()
    found = []
    for name, hint in get_type_hints(cls, include_extras=True).items():
        kind, role, letter, is_many = _parsed(hint)
        inner = _fields(kind, is_touched or role is Role.TOUCHES)
        if role is Role.MAKES and is_touched:
            role = Role.TOUCHES
        if inner or role is not None:
            found.append(_Field(name, is_many, role, letter, inner))
    return tuple(found)


def _parsed(hint: Any) -> tuple[Any, Role | None, str, bool]:
    """What a field has, in which role, with which letter, and whether it has many of it."""
    role: Role | None = None
    letter = ""
    is_many = False
    while arguments := get_args(hint):
        if get_origin(hint) is Annotated:
            role = next((each for each in arguments if isinstance(each, Role)), role)
            letter = next((each for each in arguments if isinstance(each, str)), letter)
        is_many |= get_origin(hint) is tuple
        hint = arguments[0]
    return hint, role, letter, is_many
