"""What is folded into what, gently first. Values that the user has named are folded last."""

from __future__ import annotations

from autograd_lab.view.graph.cards.groups import Group, Rule

FEW = 3
"""Ops of a piece that goes along with a layer, at most."""


def _loses(a: Group, b: Group) -> bool:
    """Whether a word of the user's would no longer be seen: `x = relu(x)` is the same word again."""
    return bool(a.word) and a.word != b.word


def _only(a: Group, b: Group) -> bool:
    """Whether nothing else takes what a makes; b takes it."""
    return len(a.users) == 1


def _straight(a: Group, b: Group) -> bool:
    return len(a.users) == 1 and len(b.sources) == 1


def _both_plain(a: Group, b: Group) -> bool:
    return a.plain and b.plain


def sums(a: Group, b: Group) -> bool:
    """Sums of sums: one + of all that is added."""
    return a.sums and b.sums and _only(a, b) and not a.word


def views(a: Group, b: Group) -> bool:
    """What only looks at a tensor in another shape, and what takes it; or what it looks at."""
    into_user = a.views and _only(a, b)
    into_source = b.views and _straight(a, b)
    return (into_user or into_source) and not _loses(a, b)


def runs(a: Group, b: Group) -> bool:
    """One step after the other, without a name between."""
    return _both_plain(a, b) and _straight(a, b) and not a.word


def same_words(a: Group, b: Group) -> bool:
    """One step after the other, with one name for both: `x = relu(x)`."""
    return _both_plain(a, b) and _straight(a, b) and not _loses(a, b)


def acts(a: Group, b: Group) -> bool:
    """An activation, into the layer before it."""
    small = b.plain and len(b.places) < FEW and not b.scalar and b.inputs == 0
    return a.weighted and small and _straight(a, b)


def glue(a: Group, b: Group) -> bool:
    """What makes ready, into the layer after it; not the sum of a block, which the branches lead to."""
    return a.plain and b.weighted and not a.gathers and _only(a, b) and not _loses(a, b)


def bodies(a: Group, b: Group) -> bool:
    """A normalisation, into the part of the same module that it is for."""
    if a.call is None or b.call is None or not _straight(a, b):
        return False
    norm = a.weighted and "Norm" in a.call.type and len(a.places) < FEW + 1
    return norm and b.weighted and a.call.parent == b.call.parent


def trees(a: Group, b: Group) -> bool:
    """Whatever only one takes, without a name between."""
    return _both_plain(a, b) and _only(a, b) and not _loses(a, b)


def named_runs(a: Group, b: Group) -> bool:
    """One step after the other, with names between."""
    return _both_plain(a, b) and _straight(a, b)


def all_glue(a: Group, b: Group) -> bool:
    """Whatever only one takes, but for what brings branches together before a layer, as the sum of a block does."""
    return a.plain and (b.plain or (b.weighted and len(a.sources) < 2)) and _only(a, b)


STEPS: dict[str, Rule] = {
    "sums": sums,
    "views": views,
    "runs": runs,
    "same words": same_words,
    "activations": acts,
    "glue": glue,
    "bodies": bodies,
    "trees": trees,
    "named runs": named_runs,
    "all glue": all_glue,
}
"""In this order, each upon those before it."""
