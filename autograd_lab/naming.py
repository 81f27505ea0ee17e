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

    def promise(self, made: tuple[str, ...], targets: tuple[str, ...], frame: FrameType | None) -> None:
        """Name what an expression gave after what it is assigned to."""
        if targets and (len(made) == len(targets) or len(targets) == 1):
            for identity, target in zip(made, targets, strict=False):
                if identity not in self.given or identity in self._promised:
                    self.given[identity] = target
                    self._promised[identity] = target, None if frame is None else frame.f_code

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


class Modules:
    """The modules that are being called, and their paths within the outermost one."""

    def __init__(self) -> None:
        self.inside: list[tuple[str, str, str | None]] = []
        self._root: str | None = None
        self._paths: dict[Any, str] = {}

    def begin(self, module: Any, root: str | None) -> None:
        """An outermost module is about to be called; `root` is the variable that means it."""
        self._root = root
        self._paths = {found: path for path, found in module.named_modules()}

    def enter(self, module: Any) -> tuple[str, str, str | None]:
        """The path of a module that is called now, its class, and the root; the class if it is nowhere below it."""
        kind = type(module).__name__
        self.inside.append((self._paths.get(module, kind), kind, self._root))
        return self.inside[-1]

    def leave(self) -> tuple[str, str, str | None]:
        """What `enter` said of the module whose call ends."""
        return self.inside.pop()
