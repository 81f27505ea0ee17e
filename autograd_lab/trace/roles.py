"""Which ids an event brings into the world, refers to and is about: read off the types of its fields, once a class.

>>> from autograd_lab.events import TensorSaved
>>> touches(TensorSaved(node="n0", slot="self", tensor="t0", version=0, nbytes=4))
['n0', 't0']
"""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from autograd_lab.events import Event, Role

MAKES, TOUCHES, LEADS = Role.MAKES, Role.TOUCHES, Role.LEADS


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


class _Ids(NamedTuple):
    made: list[str]
    touched: list[str]
    taken: list[str]


class _Field(NamedTuple):
    """A field that has ids, or many: by themselves, in a role, or in facts, of which these are the fields."""

    name: str
    is_many: bool
    role: Role | None
    fields: tuple[_Field, ...]


def _ids(event: Event) -> _Ids:
    found = _Ids([], [], [])
    cls: Any = type(event)
    _collect(event, _fields(cls), found)
    return found


def _collect(item: Any, fields: tuple[_Field, ...], found: _Ids) -> None:
    made, touched, taken = found
    for name, is_many, role, inner in fields:
        value = getattr(item, name)
        if value is None:
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
        kind, role, is_many = _parsed(hint)
        inner = _fields(kind, is_touched or role is Role.TOUCHES)
        if role is Role.MAKES and is_touched:
            role = Role.TOUCHES
        if inner or role not in (None, Role.NAMES):
            found.append(_Field(name, is_many, role, inner))
    return tuple(found)


def _parsed(hint: Any) -> tuple[Any, Role | None, bool]:
    """What a field has, in which role, and whether it has many of it."""
    role: Role | None = None
    is_many = False
    while arguments := get_args(hint):
        if get_origin(hint) is Annotated:
            role = arguments[1]
        is_many |= get_origin(hint) is tuple
        hint = arguments[0]
    return hint, role, is_many
