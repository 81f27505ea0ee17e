"""Ops as they run: what reaches torch's dispatcher, and by whose doing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

import torch

from autograd_lab.recording.whereabouts import Whereabouts
from autograd_lab.torch_bridge.internals import OpOverload, is_traced
from autograd_lab.torch_bridge.look import Look
from autograd_lab.torch_bridge.ops.custom_functions import CustomFunctions
from autograd_lab.torch_bridge.ops.due import Due
from autograd_lab.torch_bridge.ops.kernels import run
from autograd_lab.torch_bridge.ops.new_parameters import NewParameters
from autograd_lab.torch_bridge.ops.ops import Ops, Pending
from autograd_lab.torch_bridge.ops.quiet_writes import QuietWrites
from autograd_lab.torch_bridge.ops.schema import Plan, plan_of, tensor_tuple
from autograd_lab.torch_bridge.optimizers import OptimizerSteps
from autograd_lab.torch_bridge.passes.sending import Sending
from autograd_lab.torch_bridge.reading.torch_ids import TorchIds
from autograd_lab.torch_bridge.stack import Whose, asks
from autograd_lab.torch_bridge.underway import Call, Underway
from autograd_lab.whose import way_to


class Dispatch:
    """What happens between the user's call and torch's kernels."""

    def __init__(
        self, ids: TorchIds, look: Look, whereabouts: Whereabouts, call: Call, underway: Underway, ops: Ops,
        writes: QuietWrites, functions: CustomFunctions, parameters: NewParameters, due: Due, sending: Sending,
        steps: OptimizerSteps,
    ) -> None:  # fmt: skip
        self._ids, self._look, self._whereabouts, self._call, self._underway = ids, look, whereabouts, call, underway
        self._ops, self._writes, self._functions, self._parameters = ops, writes, functions, parameters
        self._due, self._sending, self._steps = due, sending, steps

    def dispatched(self, op: Any, args: Any, kwargs: Any, frame: FrameType | None) -> Any:
        """Run an op for the dispatcher, called at a frame, and take it down if it is of the user's doing."""
        if self._look.busy or not isinstance(op, OpOverload) or is_traced():
            return run(op, args, kwargs)
        if plan_of(op).is_each:
            return _each(partial(self._dispatched, op, args, kwargs, frame), args[0])
        return self._dispatched(op, args, kwargs, frame)

    def _dispatched(self, op: Any, args: Any, kwargs: Any, frame: FrameType | None) -> Any:
        asker = self._call.quiet or asks(frame)
        if asker is Whose.QUIET or asker is Whose.RUNNERS:
            return self._unasked(op, args, kwargs, frame, asker)
        depth, plan = self._call.depth, plan_of(op)
        packs = asker is Whose.USERS and depth
        by_another = asker is Whose.OURS and not depth  # in a recorded pass: a recording that heard of the op before
        in_engine = asker is Whose.ENGINE or (by_another and self._underway.is_recorded())
        unseen = packs or (by_another and not in_engine) or (in_engine and not self._underway.is_recorded())
        moves = plan.name == "set_" and asker is Whose.USERS and not depth  # which is no function of torch's
        if moves:
            with self._look:
                self._ids.keep_counter(args[0])
        told = plan.is_told or moves  # of what is untold, some is how an op saves its result
        if unseen or not told or _has_nested(args):
            result = run(op, args, kwargs)
        else:
            result = self._observed(op, plan, args, kwargs, frame)
        if in_engine:
            self._sending.added(op, result)
        return result

    def _unasked(self, op: Any, args: Any, kwargs: Any, frame: FrameType | None, asker: Whose) -> Any:
        """Run an op that is none of the user's program."""
        if asker is Whose.RUNNERS:
            plan = plan_of(op)
            self._writes.note_sharing(plan.written_first(args), plan.name, frame)
        outer, self._call.quiet = self._call.quiet, asker
        try:
            result = run(op, args, kwargs)
        finally:
            self._call.quiet = outer
        if asker is Whose.QUIET:
            self._writes.note(op, args, frame)
            self._parameters.note_write(args, frame)
        return result

    def _observed(self, op: Any, plan: Plan, args: Any, kwargs: Any, frame: FrameType | None) -> Any:
        pending = None
        with self._look:
            self._due.settle()
            if self._writes.in_step:
                self._steps.tell()
            self._sending.before_op()
            pending = self._begin(plan, args, kwargs, frame)
        result = run(op, args, kwargs)
        if pending is not None:
            pending.outputs = tensor_tuple(result)
            self._ops.pending = pending
        return result

    def _begin(self, plan: Plan, args: Any, kwargs: Any, deepest: FrameType | None) -> Pending | None:
        users, way = way_to(deepest)
        site, frame = self._whereabouts.of(users)
        self._functions.in_frame(frame, deepest)
        return self._ops.begin(plan, args, kwargs, site, frame, way)


def _has_nested(args: Any) -> bool:
    """Whether there are nested tensors among arguments, which cannot be asked much."""
    return True in [each.is_nested for each in args if isinstance(each, torch.Tensor)]


def _each(call: Callable[[], Any], tensors: Any) -> Any:
    """Call an op on a list of tensors; what it writes to counts that, which a dispatch mode keeps torch from doing."""
    before = [tensor._version for tensor in tensors]
    result = call()
    if result is None:  # it wrote
        for tensor, version in zip(tensors, before, strict=True):
            if tensor._version == version:
                torch.autograd.graph.increment_version(tensor)
    return result
