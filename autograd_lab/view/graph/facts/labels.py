"""What boxes are called: a name that several bear is numbered, what one op gave at once is told apart by its place."""

from __future__ import annotations

from autograd_lab.events import TensorFacts

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def numbered(name: str, count: int) -> str:
    """A name, numbered from its second bearer on.

    >>> numbered("x", 1), numbered("x", 12), numbered("x (anchor)", 2)
    ('x', 'x₁₂', 'x₂ (anchor)')
    """
    word, space, caller = name.partition(" ")
    return name if count == 1 else word + str(count).translate(SUBSCRIPTS) + space + caller


def in_call(facts: TensorFacts, caller: str) -> str:
    """The name of a tensor that one of several calls of a module made, with the caller's word for that: `x (anchor)`;
    that word alone for what the call gives back."""
    name = facts.name or ""
    if not name or caller in ("", name):
        return name
    return caller if facts.later == caller else f"{name} ({caller})"


def label_of(facts: TensorFacts, count: int, caller: str = "") -> str:
    """A tensor's name, if it is the `count`-th to bear it; else the expression that gave it; else nothing."""
    if facts.name is None:
        return facts.expression or ""
    name = numbered(in_call(facts, caller), count)
    return name if facts.later in (None, caller) else f"{name} (later {facts.later})"


def placed(labels: list[str], facts: list[TensorFacts]) -> list[str]:
    """The labels of all that one op gave; of those that go by its expression alone each says which it is.

    >>> value = {"shape": (), "dtype": "", "nbytes": 4, "requires_grad": True, "is_leaf": False, "version": 0}
    >>> from dataclasses import replace
    >>> from autograd_lab.events import Value
    >>> value |= {"id": "t0", "name": None, "storage": "s0", "counter": "c0", "value": Value()}
    >>> given = TensorFacts(expression="lstm(…)", **value)
    >>> placed(["out", "lstm(…)", "lstm(…)"], [replace(given, name="out"), given, given])
    ['out', 'lstm(…)[1]', 'lstm(…)[2]']
    """
    shared = len(labels) > 1
    return [
        f"{label}[{place}]" if shared and each.name is None and label and label == each.expression else label
        for place, (label, each) in enumerate(zip(labels, facts, strict=True))
    ]
