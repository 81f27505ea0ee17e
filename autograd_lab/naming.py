"""What the tensors of a recording are called: after the variables of the user's program.

`y = a * b` promises the name `y` to what the product gives. The promise holds until the function that made it is seen
to mean something else by `y`: all ops inside of `y = mse_loss(p, t)` are promised the name, and only the last keeps it.
"""

from __future__ import annotations

from types import CodeType, FrameType
from typing import Any

from autograd_lab.source import Site, look_up, name_of

_NOT_PROMISED = (None, None)


class Names:
    """Names by the ids of tensors, in `given`."""

    def __init__(self) -> None:
        self.given: dict[str, str] = {}
        self._promised: dict[str, tuple[str, CodeType | None]] = {}

    def promise(self, made: tuple[str, ...], targets: tuple[str, ...], code: CodeType | None) -> None:
        """Name what an expression gave after what it is assigned to, in the function of this code."""
        if targets and (len(made) == len(targets) or len(targets) == 1):
            for identity, target in zip(made, targets, strict=False):
                if identity not in self.given or identity in self._promised:
                    self.given[identity] = target
                    self._promised[identity] = target, code

    def confirm(self, tensor: Any, identity: str, site: Site, frame: FrameType | None) -> None:
        """Settle the name of a tensor that is used here, by looking which of the names used here does mean it."""
        promised, promiser = self._promised.get(identity, _NOT_PROMISED)
        if promised is None and identity in self.given:
            return
        if frame is None or (promised is not None and frame.f_code is not promiser):
            return
        self._promised.pop(identity, None)
        for name in (promised, *site.operands):
            if name is not None and look_up(name, frame) is tensor:
                self.given[identity] = name
                return
        if promised is not None and promised in site.targets:
            del self.given[identity]

    def settle(self, identity: str, name: str) -> None:
        """Name a tensor after its place in a module, unless it has a name for good."""
        if identity not in self.given or identity in self._promised:
            self.given[identity] = name
            self._promised.pop(identity, None)

    def search(self, tensor: Any, identity: str, frame: FrameType | None) -> None:
        """Name a tensor from before the recording after any variable that means it."""
        if identity not in self.given:
            name = name_of(tensor, frame)
            if name is not None:
                self.given[identity] = name


class Steps:
    """Tells which ops are steps of one call, of `linear(x)` say, of which only the last gives what that means.

    Between two of them the program has gone on inside the call, so in some frame below the user's a later instruction
    runs. The next turn of a loop calls anew, from earlier instructions.
    """

    def __init__(self) -> None:
        self._last: tuple[Site | None, int, tuple[int, ...]] = (None, 0, ())

    def goes_on(self, site: Site, users: FrameType | None, deepest: FrameType | None) -> bool:
        """Whether this op is a further step of the call that the op before it was a step of."""
        chain: list[int] = []
        frame: FrameType | None = deepest
        while frame is not None and frame is not users:
            chain.append(frame.f_lasti)
            frame = frame.f_back
        before, self._last = self._last, (site, id(users), tuple(chain[::-1]))
        return before[0] is site and before[1] == id(users) and before[2] < self._last[2]
