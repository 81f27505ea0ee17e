"""What has come about and is still to be told, now that something else happens."""

from __future__ import annotations

from autograd_lab.recording.whereabouts import Whereabouts
from autograd_lab.torch_bridge.ops.custom_functions import CustomFunctions
from autograd_lab.torch_bridge.ops.new_parameters import NewParameters
from autograd_lab.torch_bridge.ops.ops import Ops
from autograd_lab.torch_bridge.ops.quiet_writes import QuietWrites
from autograd_lab.torch_bridge.underway import Call


class Due:
    """Has told what is due: an op that ran, what torch has written to, a custom Function, Parameters."""

    def __init__(
        self, whereabouts: Whereabouts, call: Call, ops: Ops, writes: QuietWrites, functions: CustomFunctions,
        parameters: NewParameters,
    ) -> None:  # fmt: skip
        self._here, self._call, self._ops, self._writes = whereabouts.now, call, ops, writes
        self._functions, self._parameters = functions, parameters

    def __bool__(self) -> bool:
        waiting = self._ops.pending, self._functions.running
        return bool(waiting != (None, None) or self._writes.waiting or self._parameters.waiting)

    def settle(self) -> None:
        """Tell all of it."""
        pending = self._ops.pending
        self._ops.settle()
        if self._writes.waiting and not self._call.quiet:
            self._writes.tell()
        self._functions.settle(pending)
        if self._parameters.waiting:
            self._parameters.look_for(self._here()[1])
