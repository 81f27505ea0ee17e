"""Parameters and buffers that have just been made: told of when the next thing happens, once they are filled."""

from __future__ import annotations

import sys
import weakref
from types import CodeType
from typing import Any

from autograd_lab.recording.first_sight import FirstSight
from autograd_lab.recording.program.source import Site, code_of
from autograd_lab.recording.tape import Tape


class NewParts:
    """Remembers new parts of modules until something else happens; `waiting` has them by their addresses."""

    def __init__(self, tape: Tape, first_sight: FirstSight) -> None:
        self._tape, self._first_sight = tape, first_sight
        self.waiting: dict[int, tuple[weakref.ref[Any], Site, CodeType | None]] = {}

    def part_created(self, tensor: Any) -> None:
        """A parameter or buffer was made for a module."""
        site, frame = self._tape.sites.here(sys._getframe(1))
        self.waiting[id(tensor)] = weakref.ref(tensor), site, code_of(frame)

    def is_made_at(self, tensor: Any, site: Site) -> bool:
        """Whether a tensor is still being made at a site."""
        return id(tensor) in self.waiting and site is self.waiting[id(tensor)][1]

    def tell(self, written: Any = None, switched: Any = None) -> None:
        """Tell of all new parts; of one that was just written to, or whose `requires_grad` was, as it was before."""
        tape = self._tape
        parts, self.waiting = self.waiting, {}
        for ref, site, code in parts.values():
            tensor = ref()
            if tensor is not None and tape.id(tensor) not in tape.ids.described:
                self._first_sight.describe(tensor, site.step(type(tensor).__name__), tensor is written)
                tape.names.promise((tape.id(tensor),), site.assignment(), code)
                if tensor is switched:
                    kind, number, facts = tape.raw.pop()
                    tape.push((kind, number, (*facts[:5], not facts[5], *facts[6:])))
