"""Which modules are being called, and when an optimizer steps: the part of a recorder that takes that down."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any
from weakref import WeakKeyDictionary

from autograd_lab import events
from autograd_lab.recording.naming import Names
from autograd_lab.recording.source import Site, name_of

Place = tuple[str, str, str | None]
"""A module's path within the outermost one, its class, and what the outermost one is called."""


class Modules:
    """The modules that are being called, outermost first; a `Recorder` has the rest of what is needed."""

    _push: Callable[[tuple[Any, ...]], None]
    _id: Callable[[Any], str]
    _here: Callable[[], tuple[Site, FrameType | None]]
    call_begins: Callable[..., None]
    call_ends: Callable[[Any], None]
    _names: Names

    def __init__(self) -> None:
        self._inside: list[Place] = []
        self._call_sites: list[Site] = []
        self._is_first = False
        self._root: str | None = None
        self._paths: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        self._places: dict[str, tuple[weakref.ref[Any], str, str]] = {}
        self._sizes: WeakKeyDictionary[Any, int] = WeakKeyDictionary()

    def module_entered(self, module: Any) -> None:
        site, frame = self._here()
        if not self._call_sites or self._call_sites[-1] is not site:
            self._is_first = True
        self._call_sites.append(site)
        self.call_begins(site)
        if not self._inside:
            self._begin(module, name_of(module, frame))
        kind = type(module).__name__
        self._inside.append((self._paths.get(module, kind), kind, self._root))
        self._push((events.ModuleEntered.kind, site.number, *self._inside[-1], self._size(module)))

    def module_left(self, module: Any, output: Any) -> None:
        """A module's call is over, and gave this, or None if it raised."""
        self._call_sites.pop()
        self.call_ends(output)
        self._push((events.ModuleLeft.kind, self._here()[0].number, *self._inside.pop()))

    def _in_same_call(self, site: Site) -> bool:
        """Whether an op is a further step of a module's call, of all of whose ops only the last gives its result."""
        if not self._call_sites or self._call_sites[-1] is not site:
            return False
        first, self._is_first = self._is_first, False
        return not first

    def optimizer_entered(self, optimizer: Any) -> None:
        self._push((events.OptimizerEntered.kind, self._here()[0].number, type(optimizer).__name__))

    def optimizer_left(self, optimizer: Any) -> None:
        self._push((events.OptimizerLeft.kind, self._here()[0].number, type(optimizer).__name__))

    def _begin(self, module: Any, root: str | None) -> None:
        """Learn the paths below an outermost module, and call its parameters and buffers after theirs."""
        self._root = root
        self._paths = WeakKeyDictionary({found: path for path, found in module.named_modules()})
        for path, part in (*module.named_parameters(), *module.named_buffers()):
            if root is None:
                self._names.propose(self._id(part), path)
            elif self._stays(part):
                self._settle(module, part, f"{root}.{path}", path)

    def _stays(self, part: Any) -> bool:
        """Whether a parameter or buffer is its module's own, not lent for a call."""
        return True

    def _settle(self, module: Any, part: Any, name: str, path: str) -> None:
        """Name a part after its place, and, if it was taken from another place, after this one, too."""
        identity = self._id(part)
        before = self._places.get(identity)
        if before is None:
            self._names.settle(identity, name)
        elif before[1:] != (name, path) and not _is_at(before, part):
            self._names.later[identity] = name
        else:
            return
        self._places[identity] = weakref.ref(module), name, path

    def _size(self, module: Any) -> int:
        """How many elements the parameters of a module have; counted at its first call, since most are called often."""
        size = self._sizes.get(module)
        if size is None:
            parameters = list(module.parameters())
            sized = [parameter for parameter in parameters if not hasattr(parameter, "materialize")]
            size = sum(parameter.numel() for parameter in sized)
            if len(sized) == len(parameters):  # PyTorch's lazy modules learn their shapes in their first call
                self._sizes[module] = size
        return size


def _is_at(place: tuple[weakref.ref[Any], str, str], part: Any) -> bool:
    """Whether a part is where it was found before."""
    module, (*inner, last) = place[0](), place[2].split(".")
    for name in inner:
        module = None if module is None else module._modules.get(name)
    return module is not None and any(own.get(last) is part for own in (module._parameters, module._buffers))
