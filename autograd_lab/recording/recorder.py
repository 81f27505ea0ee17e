"""`Recording`: watch a program; and the `Recorder` that takes down what an engine says.

The engine asks one question on its way, `if listening.active is not None`, and calls the methods below with its own
objects. They write raw tuples (an event's class, the place in the program, its fields), since a frozen dataclass costs
more than the op that it tells of; `decode.py` makes the events when somebody reads the trace. A recorder keeps numbers
and ids, and no tensor or node alive.

What it reads of a tensor: `_array`, `_cell`, `_grad`, `grad_fn`, `is_leaf`, `output_nr`, `requires_grad`; it leaves
`_uid` there. Of a node: `next_functions`, `_saved`, `saved_slots()`, `attributes()`, `name()`, `op`, `shape`,
`_sequence_nr()`; of an AccumulateGrad `variable`, its leaf. `examples/miniature.py` is an engine that has no more.
"""

from __future__ import annotations

import os
import sys
import warnings
import weakref
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

from autograd_lab import events
from autograd_lab.recording.backward import Backward
from autograd_lab.recording.decode import Decoder
from autograd_lab.recording.first_sight import FirstSight
from autograd_lab.recording.ids import Ids, Numbers, version_of
from autograd_lab.recording.modules import Modules
from autograd_lab.recording.naming import Names, Steps
from autograd_lab.recording.notices import Notices
from autograd_lab.recording.results import Results
from autograd_lab.recording.source import NOWHERE, Site, Sites, entered, makes_for_itself
from autograd_lab.recording.values import is_same
from autograd_lab.trace import Trace
from autograd_lab.whose import place_in_package, users_frame

STRICT = bool(os.environ.get("AUTOGRAD_LAB_STRICT"))
"""Whether a mistake in the recording is an error of the program's; so in tests."""


class RecordingWarning(RuntimeWarning):
    """A recording broke off, or cannot show all that a program does; the program itself is unharmed."""


def _said(error: BaseException) -> tuple[str, str]:
    """The type of an error and its message, without what an engine adds for whoever sees no picture."""
    return type(error).__name__, str(error).partition("\n\n  ")[0]


def said_of_failure(error: BaseException) -> str:
    """A mistake in this package, as it is told to whoever can report it."""
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"autograd_lab failed ({what}, at {place_in_package(error)}); your program went on."


class Recorder(FirstSight, Notices, Modules, Backward, Results):
    """Takes down what an engine does, by ids of its own.

    A recorder `beside` another one, for another engine, writes into the same trace.
    """

    _version_of = staticmethod(version_of)
    _is_same = staticmethod(is_same)
    _sites: Sites
    _told: set[tuple[int, str]]
    trace: Trace

    def __init__(self, beside: Recorder | None = None, numbers: Numbers | None = None) -> None:
        Notices.__init__(self)
        Modules.__init__(self)
        Backward.__init__(self)
        Results.__init__(self)
        self._beside = beside
        self._neighbours: list[Recorder] = []
        if beside is not None:
            beside._neighbours.append(self)
        self.names: dict[str, Any] = {}
        self._sites = beside._sites if beside else Sites()
        self._raw: list[tuple[Any, ...]] = beside._raw if beside else []
        self._push = self._raw.append
        self._names = beside._names if beside else Names()
        self._steps = Steps()
        self._ids = self._counted(beside._ids.numbers if beside else numbers or Numbers())
        self._id, self._node = self._ids.tensor, self._ids.node
        self._told = beside._told if beside else set[tuple[int, str]]()  # errors: to keep one is to keep its frames
        self._parts: dict[int, tuple[weakref.ref[Any], Site, CodeType | None]] = {}
        self.trace = beside.trace if beside else Trace(files=self._sites.texts)
        if not beside:
            decoder = Decoder(self._raw, self._names.given, self._names.later, self._sites.wheres)
            self.trace.follow(decoder.new_events, self._raw)

    def _counted(self, numbers: Numbers) -> Ids:
        return Ids(self._released, numbers)

    def close(self) -> None:
        """Tell what is left to tell, and stop listening for nodes to be released."""
        self._tell_parts()
        self._look_at_shared()
        self._ids.close()

    def name(self, tensor: Any, name: str) -> None:
        """Call a tensor by `name` in this trace, whatever its variable is called."""
        self._names.given[self._id(tensor)] = name

    def failed(self, error: BaseException, lost: str) -> None:
        """A mistake in this package ends the recording here, and says so; the program goes on."""
        self.stopped(said_of_failure(error), lost)

    def stopped(self, reason: str, lost: str) -> None:
        """The recording breaks off: nothing is told after this, also not by the recorder beside."""
        told = self._push
        for recorder in filter(None, (self, self._beside)):
            recorder._push = _not_told
        told((events.RecordingStopped.kind, NOWHERE.number, reason, lost))
        warnings.warn(f"the recording breaks off here. {reason} Not shown: {lost}.", RecordingWarning, stacklevel=3)

    # --- what a session asks, that records some iterations of a run ---------------------------------------------------

    def before_each(self, notice: Callable[[FrameType | None], None] | None) -> None:
        """Have something called with the program's frame whenever anything is about to be told."""
        self._sites.notice = notice

    def name_given(self, tensor: Any) -> str | None:
        """What a tensor is called so far, by this recorder or one beside it."""
        whose = next((each for each in (self, *self._neighbours) if each.is_tensor(tensor)), None)
        return None if whose is None else self._names.given.get(whose._id(tensor))

    # --- forward ---------------------------------------------------------------------------------------------------

    def tensor_created(self, tensor: Any, maker: str) -> None:
        """A tensor was made by a function of this name."""
        site, frame = self._here()
        if makes_for_itself(entered(sys._getframe(1), frame)):
            site = site.step(maker)
        self._describe(tensor, site)
        self._names.promise((self._id(tensor),), site, _code(frame))

    def part_created(self, tensor: Any) -> None:
        """A parameter or buffer was made for a module; it is told of when the next thing happens, once it is filled."""
        site, frame = self._sites.here(sys._getframe(1))
        self._parts[id(tensor)] = weakref.ref(tensor), site, _code(frame)

    def _tell_parts(self, written: Any = None, switched: Any = None) -> None:
        """Tell of all new parts; of one that was just written to, or whose `requires_grad` was, as it was before."""
        parts, self._parts = self._parts, {}
        for ref, site, code in parts.values():
            tensor = ref()
            if tensor is not None and self._id(tensor) not in self._ids.described:
                self._describe(tensor, site.step(type(tensor).__name__), tensor is written)
                self._names.promise((self._id(tensor),), site.assigned(), code)
                if tensor is switched:
                    kind, number, facts = self._raw.pop()
                    self._push((kind, number, (*facts[:5], not facts[5], *facts[6:])))

    def op_applied(
        self, node: Any, name: str, operands: tuple[Any, ...], outputs: tuple[Any, ...], in_place: bool = False
    ) -> None:
        site, frame = self._here()
        taken = self._operands(node, operands, site, frame, outputs[0] if in_place else None)
        goes_on = self._steps.goes_on(site, frame, sys._getframe(1))
        goes_on = self._in_same_call(site) or goes_on
        if self._is_by_the_way(site):
            site = site.step(self._op_of(node, name))
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
            self._ids.introduced.add(node_id)
        self._note_step(site, taken, goes_on)
        inside = site is self._pass  # what `y.backward()` computes on its way is not what it means
        expression = f"{self._op_of(node, name)}(…)" if inside else site.expression
        facts = tuple([self._ids.facts(output, expression) for output in outputs])
        made = tuple([fact[0] for fact in facts])
        if node_id is not None:
            self._made_by[node_id] = made
        if site.targets:
            self._names.promise(made, site, code)
        told = events.OpApplied.kind, site.number, node_id, name, taken, facts, edges, sequence, attributes, in_place
        self._note_result((len(self._raw), told, self._op_of(node, name)), site, code)
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

    def _is_number(self, saved: Any) -> bool:
        """Whether what is saved is no more than a number."""
        return not saved.ndim

    def _number_in(self, saved: Any) -> Any:
        return saved.item()

    def _nbytes_of(self, saved: Any) -> int:
        return int(saved.nbytes)

    def _op_of(self, node: Any, name: str) -> str:
        return str(getattr(node, "op", name))

    def tensor_modified(self, tensor: Any, op: str, source: Any = None) -> None:
        """A tensor was written to, or was given the memory of its `source`."""
        self.written_at(tensor, op, self._sites.here(sys._getframe(1))[0], source)

    def written_at(self, tensor: Any, op: str, site: Site, source: Any = None) -> None:
        """The same, at a site."""
        if id(tensor) in self._parts and site is self._parts[id(tensor)][1]:
            return  # it is still being made
        if self._parts:
            self._tell_parts(written=tensor)
        storage = None if source is None else self._ids.move(tensor, source)
        if self._id(tensor) not in self._grads:
            self._met(tensor, site, None, is_written=True)
        self._modified(tensor, op, site, storage)

    def detached(self, out: Any, source: Any, how: str) -> None:
        site, frame = self._here()
        if makes_for_itself(entered(sys._getframe(1), frame)):
            site = site.step(how)
        self._look_again(source, self._met(source, site, frame))
        facts = self._ids.facts(out, site.expression, storage=self._ids.storage(source))
        self._names.promise(facts[:1], site, _code(frame))
        self._push((events.TensorDetached.kind, site.number, facts, self._id(source), how))

    def grad_mode_changed(self, enabled: bool) -> None:
        self._push((events.GradModeChanged.kind, self._here()[0].number, enabled))

    def requires_grad_changed(self, tensor: Any) -> None:
        if id(tensor) in self._parts:
            self._tell_parts(switched=tensor)
        site, frame = self._here()
        if self._id(tensor) in self._ids.described:
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
        self._keeps(self._id(tensor), grad, taken[1])
        self._push((events.GradAssigned.kind, site.number, self._id(tensor), *taken, False))

    def hook_registered(self, kind: str, tensor: Any, node: Any) -> None:
        site, frame = self._here()
        if node is not None and self._ids.is_new(node):
            self._introduce(node)
        elif node is not None and hasattr(node, "variable") and self._node(node) not in self._ids.ends:
            tensor, node = node.variable, None  # no edge to this AccumulateGrad has been told yet
        if tensor is not None:
            self._met(tensor, site, frame)
        self._push((events.HookRegistered.kind, site.number, kind, self._maybe(tensor), self._maybe_node(node)))

    def hook_called(self, kind: str, tensor: Any, node: Any, before: Sequence[Any], after: Sequence[Any]) -> None:
        """A hook ran, `before` which there were these gradients, in copies, and `after` it these.

        Told of is the first one that it changed, or else the first that there is.
        """
        pairs = [(g, new) for g, new in zip(before, after, strict=False) if g is not None and new is not None]
        changed = next((pair for pair in pairs if not self._is_same(*pair)), None)
        was, now = changed or (pairs[0][0] if pairs else None, None)
        if changed is not None:
            self.forget_sent()
        told = tuple([None if g is None else self._snapshot(g) for g in (was, now)])
        tensor_id = self._maybe(tensor) if tensor is None or self._id(tensor) in self._ids.described else None
        self._push((events.HookCalled.kind, self._pass.number, kind, tensor_id, self._maybe_node(node), *told))

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
        site, frame = self._sites.here(sys._getframe(2))
        if frame is not None and id(frame.f_code) in self._awaited:
            self._look_at_names(frame)
        return site, frame

    def _maybe(self, tensor: Any) -> str | None:
        return None if tensor is None else self._id(tensor)

    def _maybe_node(self, node: Any) -> str | None:
        return None if node is None else self._node(node)

    def _released(self, node: str) -> None:
        """Nodes that go one after the other, with nothing between, go together; who was never told of goes untold."""
        if node not in self._ids.introduced and node not in self._ids.ends:
            return
        last = self._raw[-1] if self._raw else (None,)
        if last[0] is events.GraphReleased.kind:
            last[2].append(node)
        else:
            self._push((events.GraphReleased.kind, self._here()[0].number, [node]))

    def _modified(self, tensor: Any, op: str, site: Site, storage: str | None = None) -> None:
        identity, version, value = self._id(tensor), self._version_of(tensor), self._snapshot(tensor)
        self.forget_sent()
        changes = self._ids.changes(tensor, storage)
        self._ids.ledger.wrote(identity, version, value)
        if changes[3] is not None:
            self._ids.ledger.note(identity, changes[3], version, value)
        if op == "data =":
            self.opened(tensor)  # what it lies in now may have another id, by which it may be written to
        self._push((events.TensorModified.kind, site.number, identity, op, version, value, *changes))


def _not_told(_: tuple[Any, ...]) -> None:
    """In the place of what appends to the trace, once that has broken off."""


def _code(frame: FrameType | None) -> CodeType | None:
    return None if frame is None else frame.f_code
