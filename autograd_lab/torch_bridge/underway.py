"""What runs now, of which all parts want to know: the call of a function of torch's, and backward passes."""

from __future__ import annotations

from threading import local

from autograd_lab.torch_bridge.passes.routes import Pass
from autograd_lab.torch_bridge.stack import Whose


class _Quiet(local):
    by: Whose | None = None


_QUIET = _Quiet()
"""Of each thread, and of all recordings in it: of two, one sees in the calls of the other not the program's frames."""


class Call:
    """The call of the user's that runs, the `number`th, at some `depth` of calls that torch makes in it.

    `quiet` says who has made the call that runs, if that is none of the user's, and `unasked` how many such calls run,
    one inside the other; `creates` whether it has made a tensor
    of none; `returned` are the addresses of what the last one gave.
    """

    def __init__(self) -> None:
        self.depth = self.number = self.unasked = 0
        self.creates = False
        self.returned: set[int] = set()

    @property
    def quiet(self) -> Whose | None:
        return _QUIET.by

    @quiet.setter
    def quiet(self, by: Whose | None) -> None:
        _QUIET.by = by


class Underway:
    """The backward `passes` that run, one inside the other."""

    def __init__(self) -> None:
        self.passes: list[Pass] = []

    def __bool__(self) -> bool:
        return bool(self.passes)

    @property
    def now(self) -> Pass:
        """The innermost pass."""
        return self.passes[-1]

    def is_recorded(self) -> bool:
        """Whether a pass runs whose own ops are recorded, by `create_graph`."""
        return bool(self.passes) and self.passes[-1].create_graph
