"""`compile`: a function that is captured at its first call, and replayed from then on while its guards hold."""

from __future__ import annotations

import functools
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from autograd_lab import listening
from autograd_lab.compiler.capture.capture import captured
from autograd_lab.compiler.capture.guards import Guard
from autograd_lab.compiler.capture.symbol import Filled, Unsupported
from autograd_lab.compiler.entry import Entry
from autograd_lab.compiler.kernel import CHECK, Departed
from autograd_lab.compiler.passes import ON_ALL, ON_HALVES, Pass
from autograd_lab.compiler.telling import trace_of
from autograd_lab.engine.core import seams
from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.engine.exact import autocast
from autograd_lab.engine.exact import levels as forward
from autograd_lab.engine.modes import grad_mode as modes
from autograd_lab.engine.modes import inference
from autograd_lab.engine.numbers import dtypes
from autograd_lab.nn.module import Module
from autograd_lab.trace import Trace
from autograd_lab.whose import users_frame

MOST_CAPTURES = 8
"""After so many captures of one function, other calls of it run as written; PyTorch's limit, too."""
PATIENCE = 8
"""After so many refusals, one after another, the next capture is tried as many calls later, then twice as many, ..."""
on_compiled: Callable[[Compiled], Compiled] | None = None
"""Called with each function that is to be compiled; what it returns is taken in its place. For those who watch."""
WRITTEN = "{name} runs as it is written: {reason}"


@dataclass(frozen=True)
class Break:
    """A place where Python looked at a value: what was captured holds where that is `found` again."""

    line: int
    text: str
    found: Any

    def __str__(self) -> str:
        return f"line {self.line}, `{self.text}`: Python sees {self.found!r}; another value is another graph"


class Compiled:
    """A function, compiled.

    `entries` are its captured calls, the one used last first; `reasons` say why other calls ran as they are written.
    """

    def __init__(self, function: Callable[..., Any], name: str, fullgraph: bool, passes: tuple[Pass, ...]) -> None:
        self.function, self.name, self.fullgraph, self.passes = function, name, fullgraph, passes
        self.entries: list[Entry] = []
        self.reasons: list[str] = []
        self.attempts = self.refusals = self._pause = 0
        self._said: set[str] = set()
        self._names = list(inspect.signature(function).parameters)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if is_watched():
            return self.function(*args, **kwargs)
        mode = mode_now()
        for at, entry in enumerate(self.entries):
            if entry.mode == mode and (tensors := entry.guard.check(args, kwargs)) is not None:
                before = numbers_of().state if entry.draws else None
                try:
                    result = entry.run(tensors)
                except Departed:
                    if before is not None:
                        numbers_of().state = before
                    continue
                if at:
                    self.entries.insert(0, self.entries.pop(at))
                return result
        return self._anew(args, kwargs)

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        return self if owner is None else functools.partial(self, owner)

    def _anew(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call that no entry holds for: it becomes an entry, or runs as it is written."""
        found: Any = None
        if len(self.entries) == MOST_CAPTURES:
            found = Unsupported(
                f"{MOST_CAPTURES} captures of it were not enough, since what its guards ask keeps changing"
            )
        elif not self._pause or self.fullgraph:
            found = self._captured(args, kwargs)
        else:
            self._pause -= 1
        if type(found) is tuple:
            self.refusals = 0
            self.entries.insert(0, found[0])
            return found[0].run(found[1])
        if found is not None:
            self._refuse(found)
        return self.function(*args, **kwargs)

    def _captured(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """An entry for the call, and the tensors that it is to run with; if there is none, what was raised."""
        self.attempts += 1
        try:
            found = captured(self.function, args, kwargs, self._names)
            guard = Guard(found, len(args), tuple(kwargs))
            tensors = guard.check(args, kwargs)
            if tensors is None:
                raise Unsupported("it changes what it depends on")
        except (Unsupported, Exception) as error:
            self.refusals += 1
            late = self.refusals - PATIENCE
            self._pause = PATIENCE * 2**late if late >= 0 else 0
            return error.with_traceback(None)
        return Entry(found, guard, self.passes, mode_now()), tensors

    def _refuse(self, why: BaseException) -> None:
        """Note why a call runs as written, and warn of it once.

        There is no need to of an error, which comes again if it is the function's own, nor of what is made once. Raises
        RuntimeError if the whole function was to be captured.
        """
        refused = isinstance(why, Unsupported)
        reason = str(why) if refused else f"capturing it raised {type(why).__name__}: {why}"
        again = reason in self.reasons
        self.reasons += [] if again else [reason]
        text = WRITTEN.format(name=self.name, reason=reason)
        if refused and self.fullgraph:
            raise RuntimeError(f"fullgraph=True, but {text}")
        if refused and reason not in self._said and (again or type(why) is not Filled):
            self._said.add(reason)
            warnings.warn(text, UserWarning, stacklevel=_level())

    # --- what can be looked at --------------------------------------------------------------------------------------

    @property
    def listing(self) -> str:
        """What is run in the place of the function, of the entry used last: forward, then backward."""
        return listing_of(self.entries[0]) if self.entries else ""

    @property
    def trace(self) -> Trace:
        """How the entry used last was compiled, as events: what was captured, what each pass did, where arrays lie.

        Raises RuntimeError if nothing was captured, and says why.
        """
        if not self.entries:
            why = self.reasons[0] if self.reasons else "it was never called"
            raise RuntimeError(f"{self.name} was not captured: {why}")
        return trace_of(self.entries[0], self.name)

    @property
    def breaks(self) -> list[Break]:
        """Where Python looked at values, in the entry used last."""
        return breaks_of(self.entries[0]) if self.entries else []

    def explain(self) -> str:
        """What has become of the function so far, in lines."""
        return "\n".join(self._explained())

    def _explained(self) -> Iterator[str]:
        yield f"{self.name}: {len(self.entries)} captured, {self.attempts} attempts"
        for number, entry in enumerate(self.entries):
            yield f"  graph {number}: {', '.join(f'{one} {one.kind}' for one in entry.inputs)}"
            sizes = [f"{stage.name} {len(stage.graph.operations)}" for stage in entry.stages]
            yield f"    operations: {', then '.join(sizes)}"
            for name, program in (("forward", entry.forward), ("backward", entry.backward)):
                if program is not None:
                    plan = program.plan
                    calls, room = len(program.graph.operations), f"{plan.nbytes:,} bytes instead of {plan.without:,}"
                    yield f"    {name}: {calls} operations, buffers of {room}"
        yield from (f"  break: {one}" for one in self.breaks)
        yield from (f"  as written: {reason}" for reason in self.reasons)


def listing_of(entry: Entry) -> str:
    """What an entry runs: forward, then backward."""
    return "\n".join(str(one.listing) for one in (entry.forward, entry.backward) if one is not None)


def breaks_of(entry: Entry) -> list[Break]:
    """Where Python looked at values, as far as an entry holds for what it saw."""
    checks = [one for one in entry.operations if one.kernel is CHECK]
    return [Break(one.origin.line, one.origin.text, one.args[2]) for one in checks]


class OptimizedModule(Module):
    """A module whose calls are compiled. All else is that of the module itself, `_orig_mod`."""

    def __init__(self, module: Module, compiled: Compiled) -> None:
        super().__init__()
        self._orig_mod = module
        self.__dict__["compiled"] = compiled

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.__dict__["compiled"](*args, **kwargs)

    @property
    def _compiled(self) -> Compiled:
        compiled: Compiled = self.__dict__["compiled"]
        return compiled

    @property
    def listing(self) -> str:
        """What is run in the place of its forward, and of the backward pass through it; see `Compiled.listing`."""
        return self._compiled.listing

    @property
    def trace(self) -> Trace:
        """How its calls were compiled; see `Compiled.trace`."""
        return self._compiled.trace

    @property
    def breaks(self) -> list[Break]:
        """Where Python looked at values, in the graph used last."""
        return self._compiled.breaks

    def explain(self) -> str:
        """What has become of its calls so far, in lines."""
        return self._compiled.explain()

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules[name]
        return getattr(self._orig_mod, name)


def _level() -> int:
    """The `stacklevel` at which whoever calls this warns of the nearest line of the user's program."""
    frame: Any = sys._getframe(1)
    users, level = users_frame(frame), 1
    while frame is not users and frame is not None:
        frame, level = frame.f_back, level + 1
    return level


def is_watched() -> bool:
    """Whether somebody wants to hear of each op by itself, or makes of each something else: then nothing is replayed.

    That is a recorder, or a capture around this one; inference, anomaly, forward or autocast mode; saved-tensor hooks.
    """
    told = listening.active is not None or seams.on_recorded is not None or modes.anomaly.enabled
    return bool(told or inference.users or forward.level or autocast.state.enabled)


def mode_now() -> tuple[Any, ...]:
    """What an entry holds for beside its guards: whether ops are recorded, and the dtype of Python floats."""
    return modes.is_grad_enabled(), dtypes.default


def compile(
    model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: str = "numpy",
    mode: str | None = None, options: dict[str, Any] | None = None, disable: bool = False,
) -> Any:  # fmt: skip
    """The function or module, captured at its first call and then replayed as straight-line numpy; a decorator, too.

    A replay holds for arguments of the same shapes and dtypes and for what the function found by names; for anything
    else it is captured again. What cannot be captured runs as it is written, and a warning says why; with `fullgraph`
    that is a RuntimeError. `options={"passes": [...]}` takes some of `autograd_lab.compiler.passes` only. There is one
    backend, and shapes are never dynamic: `backend`, `mode` and `dynamic` are accepted as PyTorch spells them.
    """
    if model is None:
        return functools.partial(
            compile, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, disable=disable
        )
    if not callable(model):
        raise TypeError(f"compile takes a function or a module, not a {type(model).__name__}")
    if disable or backend == "eager":
        return model
    passes = tuple((options or {}).get("passes", (*ON_ALL, *ON_HALVES)))
    compiled = Compiled(model, getattr(model, "__name__", type(model).__name__), fullgraph, passes)
    if on_compiled is not None:
        compiled = on_compiled(compiled)
    if isinstance(model, Module):
        compiled._names = list(inspect.signature(model.forward).parameters)
        return OptimizedModule(model, compiled)
    return functools.update_wrapper(compiled, model)
