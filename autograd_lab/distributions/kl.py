"""`kl_divergence`: how far one distribution is from another, as the mean of log p - log q over draws of p."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import total_ordering
from typing import Any

from autograd_lab.distributions.distribution import Distribution
from autograd_lab.whose import users_level

__all__ = ["kl_divergence", "register_kl"]

Rule = Callable[[Any, Any], Any]
RULES: dict[tuple[type, type], Rule] = {}


def register_kl(type_p: Any, type_q: Any) -> Callable[[Rule], Rule]:
    """Have a function tell the divergence of distributions of two kinds, and of those derived from them."""
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type) and issubclass(kind, Distribution):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def registered(rule: Rule) -> Rule:
        RULES[type_p, type_q] = rule
        return rule

    return registered


def register_all(kinds: tuple[type, ...], others: tuple[type, ...], rule: Rule) -> None:
    """The same rule for all pairs of two lists of kinds."""
    for kind in kinds:
        for other in others:
            register_kl(kind, other)(rule)


@total_ordering
class _Match:
    """Two kinds, of which the more special come first: the first decides, and if they are the same, the second."""

    def __init__(self, *types: type) -> None:
        self.types = types

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Match) and self.types == other.types

    def __le__(self, other: _Match) -> bool:
        for kind, than in zip(self.types, other.types, strict=True):
            if not issubclass(kind, than):
                return False
            if kind is not than:
                break
        return True


def _rule(type_p: type, type_q: type) -> Rule | None:
    """The rule for the most special kinds that these are of; None if there is none."""
    known = [(p, q) for p, q in RULES if issubclass(type_p, p) and issubclass(type_q, q)]
    if not known:
        return None
    left, right = (min(_Match(*pair[::step]) for pair in known).types[::step] for step in (1, -1))
    found: Rule = RULES[left[0], left[1]]
    if found is not RULES[right[0], right[1]]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({left[0].__name__}, {right[1].__name__})",
            RuntimeWarning,
            stacklevel=users_level(),
        )
    return found


def kl_divergence(p: Any, q: Any) -> Any:
    """KL(p || q), for each of the batch. Raises NotImplementedError for a pair that has no rule."""
    rule = _rule(type(p), type(q))
    if rule is None:
        kinds = f"p type {type(p).__name__} and q type {type(q).__name__}"
        raise NotImplementedError(f"No KL(p || q) is implemented for {kinds}")
    return rule(p, q)
