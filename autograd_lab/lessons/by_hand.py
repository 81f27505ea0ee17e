"""Four nodes on which a learner tries a walk by hand: each tells when it runs, with what, and what it sends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from inspect import isfunction
from typing import Any

Walk = Callable[[Any, Mapping[Any, int]], Any]


class Stop:
    """A node that `sends` g to each of its targets, times the slope beside it."""

    def __init__(self, name: str, sends: list[tuple[Stop, float]], heard: list[tuple[Stop, float]]) -> None:
        self.name, self.sends, self.one, self._heard = name, sends, 1.0, heard

    @property
    def targets(self) -> list[Stop]:
        return [target for target, _ in self.sends]

    def run(self, g: float) -> list[tuple[Stop, float]]:
        """Pairs of a target and the gradient for it."""
        self._heard.append((self, g))
        return [(target, g * slope) for target, slope in self.sends]

    def __repr__(self) -> str:
        return f"the node of {self.name}"


def _four(heard: list[tuple[Stop, float]]) -> Stop:
    """The root of `w = u * s`, with `u = x * x` and `s = u + x`, at x = 3."""
    x = Stop("x", [], heard)
    u = Stop("u", [(x, 3.0), (x, 3.0)], heard)
    s = Stop("s", [(u, 1.0), (x, 1.0)], heard)
    return Stop("w", [(u, 12.0), (s, 9.0)], heard)


EXPECTED = {"s": 1, "u": 2, "x": 3}
"""How many edges lead to each node of the four; none to the root."""


def _walked(walk: Walk) -> tuple[list[tuple[Stop, float]], str]:
    """What ran, with what, and what the first of them did wrong."""
    heard: list[tuple[Stop, float]] = []
    root = _four(heard)
    u, s = root.targets
    walk(root, Counter({each: EXPECTED[each.name] for each in (s, u, u.targets[0])}))
    return heard, _first_wrong(heard, root)


def _first_wrong(heard: list[tuple[Stop, float]], root: Stop) -> str:
    come: dict[Stop, list[float]] = {root: [root.one]}
    for place, (node, g) in enumerate(heard):
        if node in [each for each, _ in heard[:place]]:
            return f"{node.name} runs a second time. A node may run once only, when all it expects has arrived."
        got, wanted = come.get(node, []), EXPECTED.get(node.name, 1)
        if len(got) < wanted:
            return f"{node.name} runs with {g:g}, but has been sent {len(got)} of the {wanted} gradients it expects."
        if g != sum(got):
            return f"{node.name} runs with {g:g}, and what has arrived there is {_sum(got)}."
        for target, slope in node.sends:
            come.setdefault(target, []).append(g * slope)
    ran = {node for node, _ in heard}
    for node in come.keys() - ran if ran else ():
        if len(come[node]) == EXPECTED[node.name]:
            return f"{node.name} does not run, though all that it expects has arrived."
    return ""


def _sum(got: list[float]) -> str:
    return f"{' + '.join(f'{each:g}' for each in got)} = {sum(got):g}" if len(got) > 1 else f"{got[0]:g}"


def try_by_hand(walk: Walk) -> None:
    """Walk over the nodes of `w = u * s`, with `u = x * x`, `s = u + x`, x = 3, and print what each of them does."""
    heard, wrong = _walked(walk)
    for node, g in heard:
        sent = ", ".join(f"{g * slope:g} to {target.name}" for target, slope in node.sends)
        print(f"{node.name} runs with {g:g}" + (f" and sends {sent}" if sent else ": its .grad"))
    print(wrong or ("All four have run, each once." if heard else "No node has run yet."))


def wrong_walk(walk: Walk) -> str:
    """What is wrong with a walk on these four; nothing if it is right.

    Raises NotImplementedError for a function that runs no node: the frame of a loop alone is no answer yet.
    """
    heard, wrong = _walked(walk)
    if not heard and isfunction(walk):
        raise NotImplementedError
    if not heard:
        return "No node runs."
    return f"In u * s, with u = x * x and s = u + x, {wrong}" if wrong else ""
