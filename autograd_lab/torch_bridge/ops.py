"""Ops as they run: what reaches torch's dispatcher, told of as soon as autograd has given the result its node."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import CodeType, FrameType
from typing import Any

import torch

from autograd_lab.events import TensorCreated, Value
from autograd_lab.recording.recorder import Recorder
from autograd_lab.recording.source import COMPOSING, FOR_ITSELF, MODULES, Site
from autograd_lab.torch_bridge.internals import OpOverload, is_traced, sequence_number
from autograd_lab.torch_bridge.kernels import run
from autograd_lab.torch_bridge.schema import HIDES, Plan, listed, plan_of
from autograd_lab.torch_bridge.stack import TORCH, Whose, asks
from autograd_lab.torch_bridge.tensors import may_be_asked, node_of
from autograd_lab.torch_bridge.writes import Writes

COMPOSING.update({os.path.join(TORCH, "autograd", "functional.py"), os.path.join(TORCH, "_functorch", "")})
MODULES.add(os.path.join(TORCH, "nn", "modules", "module.py"))
FOR_ITSELF.update({*COMPOSING, *(os.path.join(TORCH, name, "") for name in ("nn", "utils", "distributions"))})

Edge = tuple[str, int]
"""A node's id, or a leaf's, and the number of the output."""
Operand = tuple[str | None, Any, Edge | None]
"""A tensor's id or a number; and where the tensor's gradient would have gone before the op."""


@dataclass(slots=True)
class Pending:
    """An op that has run, but whose result may not have its node yet."""

    name: str
    operands: tuple[Operand, ...]
    outputs: tuple[Any, ...]
    written: Any
    statistics: tuple[Any, ...]
    recording: bool
    site: Site
    code: CodeType | None
    goes_on: bool


class Ops(Writes):
    """What happens between the user's call and torch's kernels."""

    def __init__(self, beside: Recorder) -> None:
        super().__init__(beside)
        self._pending: Pending | None = None
        self._depth = self._calls = 0
        self._last_call: Any = None
        self._returned: set[int] = set()
        self._steps_made: dict[int, tuple[int, Site, CodeType | None]] = {}
        self._creates = False
        self._since = sequence_number()

    def dispatched(self, op: Any, args: Any, kwargs: Any, frame: FrameType | None) -> Any:
        """Run an op for the dispatcher, called at a frame, and take it down if it is of the user's doing."""
        if self.busy or not isinstance(op, OpOverload) or is_traced():
            return run(op, args, kwargs)
        if plan_of(op).is_each:
            return _each(partial(self._dispatched, op, args, kwargs, frame), args[0])
        return self._dispatched(op, args, kwargs, frame)

    def _dispatched(self, op: Any, args: Any, kwargs: Any, frame: FrameType | None) -> Any:
        asker = self._quiet or asks(frame)
        if asker is Whose.QUIET or asker is Whose.RUNNERS:
            return self._unasked(op, args, kwargs, frame, asker)
        packs = asker is Whose.USERS and self._depth
        in_engine = asker is Whose.ENGINE
        unseen = packs or (asker is Whose.OURS and not self._depth) or (in_engine and not self.in_recorded_pass())
        plan = plan_of(op)
        moves = plan.name == "set_" and asker is Whose.USERS and not self._depth  # which is no function of torch's
        if moves:
            with self.look:
                self._ids.keep_counter(args[0])
        told = plan.is_told or moves  # of what is untold, some is how an op saves its result
        if unseen or not told or _has_nested(args):
            result = run(op, args, kwargs)
        else:
            result = self._observed(op, args, kwargs, frame)
        if in_engine:
            self.in_engine(op, result)
        return result

    def _unasked(self, op: Any, args: Any, kwargs: Any, frame: FrameType | None, asker: Whose) -> Any:
        """Run an op that is none of the user's program."""
        if asker is Whose.RUNNERS:
            plan = plan_of(op)
            self.note_sharing(plan.written_first(args), plan.name, frame)
        outer, self._quiet = self._quiet, asker
        try:
            result = run(op, args, kwargs)
        finally:
            self._quiet = outer
        if asker is Whose.QUIET:
            self.note_write(op, args, frame)
        return result

    def _observed(self, op: Any, args: Any, kwargs: Any, frame: FrameType | None) -> Any:
        pending = None
        with self.look:
            self.settle()
            if self._steps_now:
                self.tell_steps()
            self.before_op()
            pending = self._begun(plan_of(op), args, kwargs, frame)
        result = run(op, args, kwargs)
        if pending is not None:
            pending.outputs = listed(result)
            self._pending = pending
        return result

    def _begun(self, plan: Plan, args: Any, kwargs: Any, deepest: FrameType | None) -> Pending | None:
        """What can be said of an op before it runs, called at a frame; None if there is nothing to tell."""
        if self._parts:
            self._tell_parts()
        site, frame = self._sites.here(deepest)
        if frame is not None and id(frame.f_code) in self._awaited:
            self._look_at_names(frame)
        self.in_frame(frame, deepest)
        values, written = plan.split(args, kwargs)
        tensors = [one for one in values if isinstance(one, torch.Tensor)]
        if written is None and not tensors:
            self._creates = True
            return None  # a new tensor, of which is told when the call returns it
        recording = torch.is_grad_enabled() and True in [one.requires_grad for one in tensors]
        if written is not None and not recording:
            values = []  # what is told is that it was written to
        operands = tuple(
            [self._operand(one, site, frame, recording, one is written, written is not None) for one in values]
        )
        goes_on = self._steps.goes_on(site, frame, deepest) or self._is_same_call(site)
        goes_on = self._in_same_call(site) or goes_on
        if self._is_by_the_way(site):
            site = site.step(plan.name.strip("_"))
        code, statistics = None if frame is None else frame.f_code, plan.statistics(args, kwargs)
        return Pending(plan.name, operands, (), written, statistics, recording, site, code, goes_on)

    def _is_same_call(self, site: Site) -> bool:
        before, self._last_call = self._last_call, (self._calls, site)
        return bool(self._depth) and before == self._last_call

    def _operand(
        self, value: Any, site: Site, frame: Any, recording: bool, is_written: bool, in_place: bool = False
    ) -> Operand:
        if not isinstance(value, torch.Tensor):
            return None, value, None
        new = is_written and not self._ids.knows(value) and self.in_recorded_pass()
        identity = self._met(value, site, frame)
        if not in_place:
            self._look_again(value, identity)
        if new and self._raw and self._raw[-1][0] == TensorCreated.kind:  # memory for a gradient, still to be filled
            *told, facts = self._raw[-1]
            self._raw[-1] = (*told, (*facts[:-1], Value()))
        edge = None
        if recording and value.requires_grad and may_be_asked(value):
            edge = (identity, 0) if value.is_leaf else (self._node(value.grad_fn), value.output_nr)
        return identity, None, edge

    def _met(self, tensor: Any, site: Site, frame: Any, is_written: bool = False) -> str:
        """As for any engine; but its node may have been made unseen, in a custom Function or for a view."""
        if tensor.requires_grad and (torch.is_grad_enabled() or not tensor._is_view()):
            self._caught_up(tensor)
        return super()._met(tensor, site, frame, is_written)

    def _caught_up(self, tensor: Any) -> None:
        """Tell of a tensor's node, if that was made since the recording began, but where no op could be seen.

        It was not made by what the program does now.
        """
        node = node_of(tensor)
        if node is None or not self._ids.is_new(node) or node._sequence_nr() < self._since:
            return
        sources = [self._source(edge) for edge in node.next_functions]
        taken = tuple((self._id(one), None, at) for at, one in enumerate(sources) if one is not None)
        site, frame = self._here()
        site = site.step(self._op_of(node, ""))
        self._applied(node, node.name(), taken, (tensor,), False, site, None if frame is None else frame.f_code, False)
        self._note_made(node, (tensor,))

    def _made_as(self, node: Any, number: int) -> str | None:
        made = self._ids.made.get((self._node(node), number))
        return None if made is None else made.id

    def _note_made(self, node: Any, outputs: tuple[Any, ...]) -> None:
        identity = self._node(node)
        for output in outputs:
            self._ids.made[identity, output.output_nr] = self._ids.ref(output)

    def _source(self, edge: Any) -> Any:
        """The tensor whose gradient an edge carries, if it is known and alive."""
        node, number = edge
        if node is None:
            return None
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            return leaf
        made = self._ids.made.get((self._node(node), number))
        return None if made is None else made()

    # --- what has run ------------------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Tell of the op that ran last, now that its result has its node."""
        pending, self._pending = self._pending, None
        if pending is not None:
            self._tell(pending)
        if self._quiet_writes and not self._quiet:
            self.tell_quiet_writes()

    def _tell(self, op: Pending) -> None:
        subject, written = op.outputs, op.written
        if written is not None:
            base = written._base if written._is_view() else None
            subject = (written if base is None else base,)
        node = self._new_node(subject) if op.recording else None
        if written is not None and node is None and self._creates and self._depth and not self._ids.knows(written):
            self._made_on_the_way(written, op)
        elif written is not None and node is None:
            if self._id(written) not in self._grads:
                super()._met(written, op.site, None, is_written=True)
            self._modified(written, op.name, op.site)
        elif subject:
            self._tell_applied(op, node, subject, written)
        for tensor in op.statistics:
            super()._met(tensor, op.site, None, is_written=True)
            self._modified(tensor, "batch_norm", op.site)

    def _made_on_the_way(self, tensor: Any, op: Pending) -> None:
        """This very call made a tensor, and filled it: maybe its result, mostly something that it needs."""
        self._steps_made[id(tensor)] = len(self._raw), op.site, op.code
        self._describe(tensor, op.site.step(op.name.strip("_")))

    def made_by_steps(self, tensor: Any) -> None:
        """A tensor is what the call gave; so what the program calls it is known, if it was told of as a step."""
        at, site, code = self._steps_made.get(id(tensor), (0, None, None))
        if site is not None and at < len(self._raw):
            kind, number, facts = self._raw[at]
            self._raw[at] = kind, number, (facts[0], site.expression, *facts[2:])
            self._names.promise(facts[:1], site, code)

    def _tell_applied(self, op: Pending, node: Any, outputs: tuple[Any, ...], written: Any) -> None:
        if op.name in HIDES:
            outputs = tuple(one for at, one in enumerate(outputs) if at == 0 or id(one) in self._returned)
        operands = op.operands
        if written is not None and outputs[0] is not written:  # through a view: the write is to its base
            operands = ((self._id(outputs[0]), None, self._key(node.next_functions[0])), *operands[1:])
        taken = self._with_edges(node, operands)
        name = op.name.lstrip("_") if node is None else node.name()
        if op.name == "_unsafe_view":  # of a copy that nobody has
            self._ids.renew(outputs[0])
        if op.name.startswith("unsafe_split"):
            for output in outputs:
                self._ids.part(output)
        self._applied(node, name, taken, outputs, written is not None, op.site, op.code, op.goes_on)
        if node is not None:
            self._note_made(node, outputs)
        if written is not None and outputs[0] is not written:
            self._caught_up(written)

    def _new_node(self, outputs: tuple[Any, ...]) -> Any:
        """The node that was made for some of the outputs just now."""
        for output in outputs:
            node = output.grad_fn if output.requires_grad and not output.is_leaf else None
            if node is not None and self._ids.is_new(node):
                return node
        return None

    def _with_edges(self, node: Any, operands: tuple[Operand, ...]) -> tuple[Any, ...]:
        """The operands with the numbers of the edges that their gradients take."""
        if node is None:
            return tuple([(identity, number, None) for identity, number, _ in operands])
        left = [self._key(edge) for edge in node.next_functions]
        taken = []
        for identity, number, key in operands:
            edge = None if key is None or key not in left else left.index(key)
            if edge is not None:
                left[edge] = None
            taken.append((identity, number, edge))
        return tuple(taken)

    def _key(self, edge: Any) -> Edge | None:
        target, number = edge
        if target is None:
            return None
        leaf = getattr(target, "variable", None)
        return (self._node(target), number) if leaf is None else (self._id(leaf), 0)

    # --- what the other half knows -----------------------------------------------------------------------------------

    def in_frame(self, users: FrameType | None, deepest: FrameType | None) -> None:
        """An op is about to run in a frame of the user's, called at another below."""
        raise NotImplementedError

    def in_recorded_pass(self) -> bool:
        """Whether a backward pass runs whose own ops are recorded, by `create_graph`."""
        raise NotImplementedError

    def tell_steps(self) -> None:
        """The user's code runs in the middle of an optimizer's step."""
        raise NotImplementedError

    def before_op(self) -> None:
        """An op is about to run; what is due before it has to be told."""
        raise NotImplementedError

    def in_engine(self, op: Any, result: Any) -> None:
        """Something ran inside a backward pass, between or in its nodes."""
        raise NotImplementedError


def _has_nested(args: Any) -> bool:
    """Whether there are nested tensors among arguments, which cannot be asked much."""
    return True in [one.is_nested for one in args if isinstance(one, torch.Tensor)]


def _each(call: Callable[[], Any], tensors: Any) -> Any:
    """Call an op on a list of tensors; what it writes to counts that, which a dispatch mode keeps torch from doing."""
    before = [one._version for one in tensors]
    result = call()
    if result is None:  # it wrote
        for tensor, version in zip(tensors, before, strict=True):
            if tensor._version == version:
                torch.autograd.graph.increment_version(tensor)
    return result
