"""Real PyTorch as a source of the same events: `record()` takes down what torch does, too, on torch's own hooks.

This file never imports torch. If the program has it, each recording watches it; if the program imports it while
it is being recorded, from then on.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograd_lab.recording.recorder import Recorder

DYNAMO = "torch._dynamo.decorators"
"""What runs compiled functions."""


@contextmanager
def watching(recorder: Recorder) -> Iterator[None]:
    """Have torch watched on behalf of a recorder, as soon as the program has torch.

    Compiled functions run as they are written meanwhile: Dynamo would compile what watches them, too.
    """
    with ExitStack() as until:

        def begin() -> None:
            from autograd_lab.torch_bridge.watch import watch

            until.enter_context(watch(recorder))

        def run_uncompiled() -> None:
            from autograd_lab.torch_bridge.internals import uncompiled

            until.enter_context(uncompiled)

        _once_there("torch", _guarded(begin, recorder, "what PyTorch did"), until)
        _once_there(DYNAMO, _guarded(run_uncompiled, recorder, "what compiled functions of PyTorch did"), until)
        yield


@contextmanager
def pacing(failed: Callable[[Exception], None]) -> Iterator[None]:
    """Have torch tell of its milestones, as soon as the program has torch; `failed` hears if that cannot be."""
    with ExitStack() as until:

        def begin() -> None:
            try:
                from autograd_lab.torch_bridge.pacing import paced

                until.enter_context(paced())
            except Exception as error:
                failed(error)

        _once_there("torch", begin, until)
        yield


def _guarded(begin: Callable[[], None], recorder: Recorder, lost: str) -> Callable[[], None]:
    def call() -> None:
        try:
            begin()
        except Exception as error:  # of a PyTorch that is unlike all that have been tried
            recorder.failed(error, lost)

    return call


def _once_there(name: str, then: Callable[[], None], until: ExitStack) -> None:
    """Do something as soon as the program has a module, unless that is too late for it."""
    if sys.modules.get(name) is not None:  # None stands there where torch is not to be had
        then()
    else:
        waiting = _Waiting(name, then)
        sys.meta_path.insert(0, waiting)
        until.callback(waiting.leave)


class _Waiting:
    """Stands first among Python's finders until the program imports a module; finds nothing itself."""

    def __init__(self, name: str, then: Callable[[], None]) -> None:
        self._name, self._then = name, then

    def leave(self) -> None:
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        self.leave()
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            self._then()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]  # the loader is this import's own
        return spec
