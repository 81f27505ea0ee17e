"""Four nodes on which a learner tries a walk by hand: each tells when it runs, with what, and what it sends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import isfunction
from typing import Any

from autograd_lab.lessons.exercise import PATIENCE, file_of, told
from autograd_lab.lessons.patience import NeverEnds, patience

Walk = Callable[[Any, Mapping[Any, int]], Any]
EXPECTED = {"w": 1, "s": 1, "u": 2, "x": 3}
"""How many gradients come to each node, the seed among them."""


class Slip(BaseException):
    """A node runs as it should not. The walk ends here, whatever it catches and however long it would go on."""


@dataclass(eq=False)
class Stop:
    """A node that `sends` the gradient that it runs with to each of its targets, times the slope beside it."""

    name: str
    sends: list[tuple[Stop, float]]
    ran: list[Stop]
    """All that have run so far, of the four."""
    come: list[float] = field(default_factory=list)
    one = 1.0

    @property
    def edges(self) -> list[Stop]:
        return [target for target, _ in self.sends]

    def run(self, g: float) -> list[tuple[Stop, float]]:
        """Pairs of a target and the gradient for it. Raises Slip."""
        if wrong := self._wrong(g):
            raise Slip(f"{self.name} runs {wrong}")
        self.ran.append(self)
        for target, slope in self.sends:
            target.come.append(g * slope)
        return [(target, g * slope) for target, slope in self.sends]

    def _wrong(self, g: float) -> str:
        come, expected = self.come, EXPECTED[self.name]
        if self in self.ran:
            return "a second time. A node may run once only, when all it expects has arrived."
        if len(come) < expected:
            return f"with {g:g}, but has been sent {len(come)} of the {expected} gradients it expects."
        return "" if g == sum(come) else f"with {g:g}, and what has arrived there is {_sum(come)}."

    def __repr__(self) -> str:
        return f"the node of {self.name}"


def _four() -> tuple[Stop, Mapping[Stop, int]]:
    """The root of `w = u * s`, with `u = x * x` and `s = u + x`, at x = 3, and what is expected where."""
    ran: list[Stop] = []
    x = Stop("x", [], ran)
    u = Stop("u", [(x, 3.0), (x, 3.0)], ran)
    s = Stop("s", [(u, 1.0), (x, 1.0)], ran)
    return Stop("w", [(u, 12.0), (s, 9.0)], ran, [1.0]), Counter({each: EXPECTED[each.name] for each in (s, u, x)})


def _walked(walk: Walk) -> tuple[list[Stop], str]:
    """What ran, and what was wrong first."""
    root, expected = _four()
    try:
        walk(root, expected)
    except Slip as slip:
        return root.ran, str(slip)
    except KeyError as error:
        if not isinstance(error.args[0], Stop):
            raise
        return root.ran, f"there is no entry for {error.args[0]} yet: nothing has come there. What is a sum at first?"
    late = [node for node in expected if node not in root.ran and len(node.come) == expected[node]]
    return root.ran, f"{late[0].name} does not run, though all that it expects has arrived." if late else ""


def _sum(come: list[float]) -> str:
    return f"{' + '.join(f'{each:g}' for each in come)} = {sum(come):g}" if len(come) > 1 else f"{come[0]:g}"


def try_by_hand(walk: Walk) -> None:
    """Walk over the nodes of `w = u * s`, with `u = x * x`, `s = u + x`, x = 3, and print what each of them does."""
    try:
        with patience(file_of(walk), PATIENCE):
            ran, wrong = _walked(walk)
    except NeverEnds:
        print("It never comes to an end. What should stop its loop?")
        return
    except Exception as error:
        print(f"It stops: {told(error)}")
        return
    for node in ran:
        g = sum(node.come)
        sent = ", ".join(f"{g * slope:g} to {target.name}" for target, slope in node.sends)
        print(f"{node.name} runs with {g:g}" + (f" and sends {sent}" if sent else ": its .grad"))
    print(f"Here it goes wrong: {wrong}" if wrong else "All four have run, each once." if ran else "No node runs yet.")


def wrong_walk(walk: Walk) -> str:
    """What is wrong with a walk on these four; nothing if it is right.

    Raises NotImplementedError for a function that runs no node: the frame of a loop alone is no answer yet.
    """
    ran, wrong = _walked(walk)
    if not ran and not wrong:
        if isfunction(walk):
            raise NotImplementedError
        return "No node runs."
    return f"In u * s, with u = x * x and s = u + x, {wrong}" if wrong else ""
