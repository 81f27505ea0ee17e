"""The modules that lie beside a script, imported with their loops marked."""

from __future__ import annotations

import builtins
import importlib.machinery
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, ModuleType
from typing import Any

from autograd_lab.recording.iterations.loops import Loops
from autograd_lab.recording.iterations.marking import NAME


@contextmanager
def marked_loops(folder: str, wanted: bool) -> Iterator[Loops]:
    """Loops that know what the marked ones of a script and of the modules in its folder go over."""
    loops = Loops()
    if not wanted:
        yield loops
        return
    setattr(builtins, NAME, loops.over)
    finder = _Beside(folder, loops)
    sys.meta_path.insert(0, finder)
    try:
        yield loops
    finally:
        sys.meta_path.remove(finder)
        setattr(builtins, NAME, _plain)  # functions of the program may still be called


def _plain(data: Any, _: int) -> Iterator[Any]:
    return iter(data)


class _Beside:
    """Finds the modules in a folder and below it, but for what is installed there."""

    def __init__(self, folder: str, loops: Loops) -> None:
        self._folder, self._loops = os.path.join(folder, ""), loops

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        origin = "" if spec is None else os.path.abspath(spec.origin or "")
        if spec is None or type(spec.loader) is not importlib.machinery.SourceFileLoader:
            return None
        if not origin.startswith(self._folder) or "-packages" in origin:
            return None
        spec.loader = _Marking(name, origin, self._loops)
        return spec


class _Marking(importlib.machinery.SourceFileLoader):
    """Loads a module with its loops marked, never from a cache of what it was compiled to before."""

    def __init__(self, name: str, path: str, loops: Loops) -> None:
        super().__init__(name, path)
        self._loops = loops

    def get_code(self, fullname: str) -> CodeType:
        return self._loops.compiled(self.get_data(self.path), self.path, "exec", dont_inherit=True)
