"""All that watches torch for a recording, put together of its parts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from autograd_lab.recording.recorder import Recorder
from autograd_lab.torch_bridge.calls import Calls
from autograd_lab.torch_bridge.grad_mode import GradMode
from autograd_lab.torch_bridge.guard import Guard
from autograd_lab.torch_bridge.internals import applied_in_frames, told_passes, untried
from autograd_lab.torch_bridge.look import Look
from autograd_lab.torch_bridge.modes import Modes
from autograd_lab.torch_bridge.module_calls import ModuleCalls
from autograd_lab.torch_bridge.ops.custom_functions import CustomFunctions
from autograd_lab.torch_bridge.ops.dispatch import Dispatch
from autograd_lab.torch_bridge.ops.due import Due
from autograd_lab.torch_bridge.ops.made import Made
from autograd_lab.torch_bridge.ops.new_parameters import NewParameters
from autograd_lab.torch_bridge.ops.operands import Operands
from autograd_lab.torch_bridge.ops.ops import Ops
from autograd_lab.torch_bridge.ops.quiet_writes import QuietWrites
from autograd_lab.torch_bridge.optimizers import OptimizerSteps
from autograd_lab.torch_bridge.passes.hook_calls import HookCalls
from autograd_lab.torch_bridge.passes.kept import KeptGradients
from autograd_lab.torch_bridge.passes.node_hooks import NodeHooks
from autograd_lab.torch_bridge.passes.nodes_run import NodesRun
from autograd_lab.torch_bridge.passes.passes import Passes
from autograd_lab.torch_bridge.passes.routes import Routes
from autograd_lab.torch_bridge.passes.sending import Sending
from autograd_lab.torch_bridge.reading.tensors import far
from autograd_lab.torch_bridge.shards import Shards
from autograd_lab.torch_bridge.special_calls import SPECIAL
from autograd_lab.torch_bridge.torch_recorder import TorchRecorder
from autograd_lab.torch_bridge.underway import Call, Underway


class Watcher:
    """Watches torch, and tells a trace beside another recorder."""

    def __init__(self, beside: Recorder) -> None:
        self._beside, self._recorder = beside, TorchRecorder(beside)
        self._look, self._modes = Look(self._recorder.failed), Modes()
        self._call, self._underway = Call(), Underway()
        self._watch_ops()
        self._watch_passes()
        self._watch_modules()
        self._watch_calls()

    def _watch_ops(self) -> None:
        """What comes of an op, or of what no mode sees."""
        tape, parts = self._recorder.tape, self._recorder.parts
        here, forward = parts.whereabouts, parts.forward
        self._grad_mode, self._kept = GradMode(parts.settings), KeptGradients(tape)
        self._made = Made(tape, here, forward, self._kept)
        operands = Operands(tape, self._underway, parts.notices, parts.first_sight)
        self._ops = Ops(tape, parts, self._call, operands, self._made)
        self._writes = QuietWrites(tape, self._look, parts.writes)
        self._functions = CustomFunctions(tape, here, forward, parts.writes, self._grad_mode, operands, self._made)
        self._parameters = NewParameters(tape)
        self._due = Due(here, self._call, self._ops, self._writes, self._functions, self._parameters)

    def _watch_passes(self) -> None:
        """Backward passes."""
        tape, parts, look, due = self._recorder.tape, self._recorder.parts, self._look, self._due
        savers = parts.first_sight.savers
        self._sending = Sending(tape, look, parts.way, parts.releases, self._underway, due, savers)
        nodes_run = NodesRun(tape, parts, self._modes, self._underway, self._kept, due, self._sending)
        self._passes = Passes(
            tape, parts, look, self._modes.kernels, self._call, self._underway, self._grad_mode, due, self._sending,
            NodeHooks(look, self._underway, nodes_run), nodes_run,
        )  # fmt: skip
        self._hooks = HookCalls(tape, look, parts.hooks, self._modes, self._underway, due, self._sending, nodes_run)

    def _watch_modules(self) -> None:
        """Calls of modules, and steps of optimizers."""
        tape, parts = self._recorder.tape, self._recorder.parts
        guard, shards = Guard(self._look, self._underway, self._due), Shards(tape, parts.modules, parts.writes)
        self._module_calls = ModuleCalls(
            tape.ids, guard, self._modes.functions, self._grad_mode, parts.modules, parts.new_parts, self._parameters,
            shards,
        )  # fmt: skip
        self._steps = OptimizerSteps(guard, parts.modules, parts.writes, self._writes)
        before_met = shards.before_met, self._parameters.before_met, self._made.before_met
        parts.first_sight.before_met, parts.first_sight.before_described = before_met, (shards.before_described,)

    def _watch_calls(self) -> None:
        """What the program calls of torch's, and what that calls of its kernels."""
        tape, parts, call, due = self._recorder.tape, self._recorder.parts, self._call, self._due
        self._modes.kernels.heard = Dispatch(
            tape.ids, self._look, parts.whereabouts, call, self._underway, self._ops, self._writes, self._functions,
            self._parameters, due, self._sending, self._steps,
        ).dispatched  # fmt: skip
        self._modes.functions.heard = Calls(
            tape, parts, self._look, call, due, self._grad_mode, self._ops, self._writes,
            Routes(tape, parts.whereabouts), self._passes, self._kept, self._hooks, SPECIAL,
        ).called  # fmt: skip

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch torch in this thread, and take off in the end what lies on the user's things."""
        try:
            with self._module_calls.heard(), applied_in_frames, told_passes, self._steps.heard(), self._modes.on():
                yield
        finally:
            self._finish()

    def _finish(self) -> None:
        """Tell what is left to tell."""
        with self._look:
            self._due.settle()
            self._look_at_all()
            far.fetch()
            self._recorder.close()
            if self._recorder.tape.ids.described:
                both = "autograd_lab, " if self._beside.tape.ids.described else ""
                self._recorder.trace.engine = f"{both}torch {str(torch.__version__).partition('+')[0]}"
        self._look.busy = True
        first_sight = self._recorder.parts.first_sight
        first_sight.before_met = first_sight.before_described = ()  # who is asked there asks it, too

    def _look_at_all(self) -> None:
        """Tell what has changed unseen of all that is still there."""
        tape = self._recorder.tape
        for tensor in tape.ids.living():
            if (identity := tape.id(tensor)) in tape.ids.described:
                self._recorder.parts.notices.look_again(tensor, identity)


@contextmanager
def watch(recorder: Recorder) -> Iterator[None]:
    """Watch torch in this thread, and tell a trace beside another recorder."""
    watcher = Watcher(recorder)
    if (sentence := untried()) is not None:
        recorder.trace.note(sentence)
    with watcher.watching():
        yield
