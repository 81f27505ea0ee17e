"""Warnings that PyTorch gives once in a process, whatever Python's filters say."""

from __future__ import annotations

import warnings

from autograd_lab.whose import users_level

_always = False
_given: set[str] = set()


def warn_once(text: str, place: str = "") -> None:
    """Warn at the user's line, unless that was done before; `place` is what texts have in common that come once."""
    if _always or (place or text) not in _given:
        _given.add(place or text)
        warnings.warn(text, UserWarning, stacklevel=users_level())


def set_warn_always(b: bool) -> None:
    """Have warnings that come once come each time, as far as Python's filters let them."""
    global _always
    _always = bool(b)


def is_warn_always_enabled() -> bool:
    """What was set last."""
    return _always
