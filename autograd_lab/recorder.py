"""`record()`: watch a program, and the `Recorder` that takes down what an engine says.

The engine asks one question on its way, `if recorder.active is not None`, and calls the methods below with its own
objects. They write raw tuples (an event's class, the place in the program, its fields), since a frozen dataclass costs
more than the op that it tells of; `decode.py` makes the events when somebody reads the trace. A recorder keeps numbers
and ids, and no tensor or node alive.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from types import CodeType, FrameType
from typing import Any

from autograd_lab import events
from autograd_lab.calls import Calls
from autograd_lab.census import Census, Numbers, version_of
from autograd_lab.decode import Decoder
from autograd_lab.meetings import Meetings
from autograd_lab.naming import Names, Steps
from autograd_lab.passes import Passes
from autograd_lab.source import NOWHERE, Site, Sites, users_frame
from autograd_lab.trace import Trace

active: Any = None
"""The recorder that listens, or None: the one thing an engine looks at when nobody does."""


companions: list[Callable[[Recorder], AbstractContextManager[None]]] = []
"""What else is entered with each recording: watchers of engines that know nothing of recorders."""


def _said(error: BaseException) -> tuple[str, str]:
    """The type of an error and its message, without what an engine adds for whoever sees no picture."""
    return type(error).__name__, str(error).partition("\n\n  ")[0]


@contextmanager
def record(**names: Any) -> Iterator[Trace]:
    """Record what happens inside the `with` block; keyword arguments give names to tensors: `record(weights=w)`.

    An exception goes on its way, and the trace tells of it. Recordings nest: the outer one hears all of the inner one.
    """
    global active
    recorder, outer = Recorder(), active
    recorder.names = names
    for name, tensor in names.items():
        if recorder.is_tensor(tensor):
            recorder.name(tensor, name)
    active = recorder if outer is None else _Both(outer, recorder)
    try:
        with ExitStack() as stack:
            for companion in companions:
                stack.enter_context(companion(recorder))
            yield recorder.trace
    except BaseException as error:
        recorder.exception_left(error)
        raise
    finally:
        active = outer
        recorder.close()


@contextmanager
def paused() -> Iterator[None]:
    """Do something that nobody is told of."""
    global active
    listening, active = active, None
    try:
        yield
    finally:
        active = listening


class _Both:
    """Says everything to two recorders."""

    def __init__(self, first: Any, second: Any) -> None:
        self._pair = first, second

    def __getattr__(self, name: str) -> Any:
        first, second = (getattr(recorder, name) for recorder in self._pair)
        return lambda *args, **kwargs: (first(*args, **kwargs), second(*args, **kwargs))


class Recorder(Meetings, Calls, Passes):
    """Takes down what an engine does, by ids of its own.

    A recorder `beside` another one, for another engine, writes into the same trace.
    """

    _version_of = staticmethod(version_of)
    _sites: Sites
    _told: set[tuple[int, str]]
    trace: Trace

    def __init__(self, beside: Recorder | None = None) -> None:
        Calls.__init__(self)
        Passes.__init__(self)
        self.names: dict[str, Any] = {}
        self._sites = beside._sites if beside else Sites()
        self._raw: list[tuple[Any, ...]] = beside._raw if beside else []
        self._push = self._raw.append
        self._names = beside._names if beside else Names()
        self._steps = Steps()
        self._op: tuple[int, Any, str] = (0, None, "")
        self._census = self._counted(beside._census.numbers if beside else Numbers())
        self._id, self._node = self._census.tensor, self._census.node
        self._told = beside._told if beside else set[tuple[int, str]]()  # errors: to keep one is to keep its frames
        self._parts: dict[int, tuple[weakref.ref[Any], Site]] = {}
        self.trace = beside.trace if beside else Trace(files=self._sites.texts)
        if not beside:
            self.trace.follow(Decoder(self._raw, self._names.given, self._sites.wheres).new_events, self._raw)

    def _counted(self, numbers: Numbers) -> Census:
        return Census(self._released, numbers)

    def close(self) -> None:
        """Tell what is left to tell, and stop listening for nodes to be released."""
        self._tell_parts()
        self._census.close()

    def name(self, tensor: Any, name: str) -> None:
        """Call a tensor by `name` in this trace, whatever its variable is called."""
        self._names.given[self._id(tensor)] = name

    # --- forward ---------------------------------------------------------------------------------------------------

    def tensor_created(self, tensor: Any) -> None:
        site, frame = self._here()
        self._describe(tensor, site)
        self._names.promise((self._id(tensor),), site.targets, _code(frame))

    def part_created(self, tensor: Any) -> None:
        """A parameter or buffer was made for a module; it is told of when the next thing happens, once it is filled."""
        site, _ = self._sites.here(sys._getframe(1))
        self._parts[id(tensor)] = weakref.ref(tensor), site

    def _tell_parts(self) -> None:
        parts, self._parts = self._parts, {}
        for ref, site in parts.values():
            tensor = ref()
            if tensor is not None and self._id(tensor) not in self._census.described:
                self._describe(tensor, site)

    def op_applied(
        self, node: Any, name: str, operands: tuple[Any, ...], outputs: tuple[Any, ...], in_place: bool = False
    ) -> None:
        site, frame = self._here()
        taken = self._operands(node, operands, site, frame, outputs[0] if in_place else None)
        goes_on = self._steps.goes_on(site, frame, sys._getframe(1))
        goes_on = self._in_same_call(site) or goes_on
        self._applied(node, name, taken, outputs, in_place, site, _code(frame), goes_on)

    def _applied(
        self, node: Any, name: str, taken: tuple[Any, ...], outputs: tuple[Any, ...], in_place: bool, site: Site,
        code: CodeType | None, goes_on: bool,
    ) -> None:  # fmt: skip
        """An op whose operands are `taken` down, at a site in some code; does it go on with the call before?"""
        node_id, sequence = None, None
        edges: tuple[Any, ...] = ()
        attributes: tuple[Any, ...] = ()
        if node is not None:
            edges = tuple([self._edge(edge) for edge in node.next_functions])
            node_id, attributes, sequence = self._node(node), self._attributes_of(node), node._sequence_nr()
            self._census.introduced.add(node_id)
        if goes_on and self._op[1] is not None and self._op[1][1] == site.number:
            self._nameless()
        inside = site is self._pass  # what `y.backward()` computes on its way is not what it means
        expression = f"{self._op_of(node, name)}(…)" if inside else site.expression
        facts = tuple([self._census.facts(output, expression) for output in outputs])
        if site.targets:
            self._names.promise(tuple([fact[0] for fact in facts]), site.targets, code)
        told = events.OpApplied.kind, site.number, node_id, name, taken, facts, edges, sequence, attributes, in_place
        self._op = len(self._raw), told, self._op_of(node, name)
        self._push(told)
        if node is not None and self._has_slots(node):
            self._saves(node, node_id, outputs, site)
        if in_place:
            self._modified(outputs[0], name, site)

    # --- what an engine's tensors and nodes say of themselves --------------------------------------------------------

    def is_tensor(self, thing: Any) -> bool:
        """Whether a thing is a tensor of the engine that is recorded."""
        return hasattr(thing, "_array")

    def _grad_of(self, tensor: Any) -> Any:
        return tensor._grad

    def _attributes_of(self, node: Any) -> tuple[tuple[str, Any], ...]:
        return tuple(node.attributes().items())

    def _slots_of(self, node: Any) -> list[tuple[str, Any, Any, int]]:
        found: list[tuple[str, Any, Any, int]] = node.saved_slots()
        return found

    def _has_slots(self, node: Any) -> bool:
        return bool(node._saved != ())

    def _number_in(self, saved: Any) -> Any:
        return saved.item()

    def _nbytes_of(self, saved: Any) -> int:
        return int(saved.nbytes)

    def _op_of(self, node: Any, name: str) -> str:
        return str(getattr(node, "op", name))

    def _nameless(self) -> None:
        """Call what the op before gave after that op: it was a step on the way to what the expression means."""
        at, told, op = self._op
        if told is not None and at < len(self._raw) and self._raw[at] is told:
            facts = tuple([(fact[0], f"{op}(…)", *fact[2:]) for fact in told[5]])
            self._raw[at] = (*told[:5], facts, *told[6:])

    def step_applied(self) -> None:
        """The op that was told last is a step of one that follows: its result is not what the expression means."""
        self._nameless()

    def tensor_modified(self, tensor: Any, op: str, source: Any = None) -> None:
        """A tensor was written to, or was given the memory of its `source`."""
        if id(tensor) in self._parts and self._sites.here(sys._getframe(1))[0] is self._parts[id(tensor)][1]:
            return  # it is still being made
        site, _ = self._here()
        storage = None if source is None else self._census.move(tensor, source)
        if self._id(tensor) not in self._grads:
            self._met(tensor, site, None, is_written=True)
        self._modified(tensor, op, site, storage)

    def detached(self, out: Any, source: Any, how: str) -> None:
        site, frame = self._here()
        self._met(source, site, frame)
        facts = self._census.facts(out, site.expression, storage=self._census.storage(source))
        self._names.promise(facts[:1], site.targets, _code(frame))
        self._push((events.TensorDetached.kind, site.number, facts, self._id(source), how))

    def grad_mode_changed(self, enabled: bool) -> None:
        self._push((events.GradModeChanged.kind, self._here()[0].number, enabled))

    def requires_grad_changed(self, tensor: Any) -> None:
        site, frame = self._here()
        if self._id(tensor) in self._census.described:
            self._push((events.RequiresGradChanged.kind, site.number, self._id(tensor), tensor.requires_grad))
        else:
            self._met(tensor, site, frame)

    def grad_retained(self, tensor: Any) -> None:
        site, frame = self._here()
        self._met(tensor, site, frame)
        self._push((events.GradRetained.kind, site.number, self._id(tensor)))

    def grad_assigned(self, tensor: Any) -> None:
        site, frame = self._here()
        self._met(tensor, site, frame)
        grad = self._grad_of(tensor)
        taken = (None, None) if grad is None else (self._id(grad), self._snapshot(grad))
        self._grads.add(taken[0] or "")
        self._push((events.GradAssigned.kind, site.number, self._id(tensor), *taken))

    def hook_registered(self, kind: str, tensor: Any, node: Any) -> None:
        site, frame = self._here()
        if node is not None and self._census.is_new(node):
            self._introduce(node)
        elif node is not None and hasattr(node, "variable") and self._node(node) not in self._census.ends:
            tensor, node = node.variable, None  # no edge to this AccumulateGrad has been told yet
        if tensor is not None:
            self._met(tensor, site, frame)
        self._push((events.HookRegistered.kind, site.number, kind, self._maybe(tensor), self._maybe_node(node)))

    def hook_called(self, kind: str, tensor: Any, node: Any, before: Any, after: Any) -> None:
        before, after = (None if g is None else self._snapshot(g) for g in (before, after))
        tensor_id = self._maybe(tensor) if tensor is None or self._id(tensor) in self._census.described else None
        self._push((events.HookCalled.kind, self._pass.number, kind, tensor_id, self._maybe_node(node), before, after))

    def error_raised(self, error: BaseException, node: Any, slot: str | None, tensor: Any) -> None:
        site, frame = self._here()
        if tensor is not None:
            self._met(tensor, site, frame)
        self._told.add((id(error), str(error)))
        ids = self._maybe_node(node), slot, self._maybe(tensor)
        self._push((events.ErrorRaised.kind, site.number, *_said(error), *ids))

    def exception_left(self, error: BaseException) -> None:
        """The program raised and did not catch it; told once, also when the engine has told of it before."""
        if (id(error), str(error)) in self._told or isinstance(error, SystemExit | KeyboardInterrupt | GeneratorExit):
            return
        self._told.add((id(error), str(error)))
        site, trace = NOWHERE, error.__traceback__
        while trace is not None:
            here = self._sites.at(trace.tb_frame.f_code, trace.tb_lasti)
            site = here if users_frame(trace.tb_frame) is trace.tb_frame else site
            trace = trace.tb_next
        self._push((events.ErrorRaised.kind, site.number, *_said(error), None, None, None))

    # --- meeting tensors and nodes ----------------------------------------------------------------------------------

    def _here(self) -> tuple[Site, FrameType | None]:
        if self._parts:
            self._tell_parts()
        return self._sites.here(sys._getframe(2))

    def _maybe(self, tensor: Any) -> str | None:
        return None if tensor is None else self._id(tensor)

    def _maybe_node(self, node: Any) -> str | None:
        return None if node is None else self._node(node)

    def _released(self, node: str) -> None:
        """Nodes that go one after the other, with nothing between, go together; who was never told of goes untold."""
        if node not in self._census.introduced and node not in self._census.ends:
            return
        last = self._raw[-1] if self._raw else (None,)
        if last[0] is events.GraphReleased.kind:
            last[2].append(node)
        else:
            self._push((events.GraphReleased.kind, self._here()[0].number, [node]))

    def _modified(self, tensor: Any, op: str, site: Site, storage: str | None = None) -> None:
        told = self._id(tensor), op, self._version_of(tensor), self._snapshot(tensor)
        self.forget_sent()
        self._push((events.TensorModified.kind, site.number, *told, *self._census.changes(tensor, storage)))


def _code(frame: FrameType | None) -> CodeType | None:
    return None if frame is None else frame.f_code
