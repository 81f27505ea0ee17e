"""Capturing: the function runs once on stand-ins for all arrays, with the engine as it is, and leaves nothing behind.

What comes of it is everything that a run does: the operations of forward and backward, what is returned, and which
tensors are changed. A function that cannot be captured raises `Unsupported`, before anything has been changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograd_lab.compiler.capture.frames import Frames, with_line
from autograd_lab.compiler.capture.opaque import Method, called_as_they_are, culprit
from autograd_lab.compiler.capture.reach import Place, Reach
from autograd_lab.compiler.capture.stand_ins import Listener, stand_ins
from autograd_lab.compiler.capture.symbol import Symbol, Unsupported
from autograd_lab.compiler.capture.tape import Tape
from autograd_lab.compiler.graph import Operation, Value
from autograd_lab.engine.core import backward
from autograd_lab.engine.core.edges import edge_of
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.errors.reasons import SECOND_TIME
from autograd_lab.engine.modes import grad_mode as modes
from autograd_lab.engine.modes.inference import is_inference
from autograd_lab.engine.numbers import dtypes

GRADIENTS = {"backward", "clip_grad_norm_", "clip_grad_value_", "grad", "step", "zero_grad"}
"""Names by which a function gets to `.grad`."""
KEPT = ("_array", "_cell", "_grad", "_needs", "_edge", "_extra")


@dataclass(frozen=True)
class Output:
    """A tensor among what is returned: an input itself, by its place, or new tensor number so and so, of some value."""

    number: int
    place: int | None
    value: Value | None
    needs: bool


@dataclass(frozen=True)
class Change:
    """What a run does to an input tensor: its new value, how far its version moves, and which gradient it then has.

    `grad` is a value, or None for no gradient, or `...` for the one that it has.
    """

    place: int
    value: Value | None
    writes: int
    grad: Any


@dataclass(frozen=True)
class Captured:
    """One call of a function, with nothing left out. `tree` is what it returns, with an `Output` for each tensor.

    `gradients` has one value or None for each place, and is None if the graph cannot be gone back through. `files` are
    the texts of those that operations are for, by the names in their origins.
    """

    operations: tuple[Operation, ...]
    places: tuple[Place, ...]
    inputs: tuple[Value, ...]
    tree: Any
    outputs: tuple[Output, ...]
    changes: tuple[Change, ...]
    tangents: tuple[Value, ...]
    gradients: tuple[Value | None, ...] | None
    reach: Reach
    reaches_gradients: bool
    files: dict[str, str]


@dataclass
class Lifted:
    """A tensor whose array is a stand-in for the time of the capture, and what it was before."""

    place: Place
    symbol: Symbol
    value: Value
    version: list[Any] = field(init=False)
    before: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        tensor = self.place.tensor
        self.version = list(tensor._cell)
        self.before = {name: getattr(tensor, name) for name in KEPT}
        tensor._array, tensor._edge, tensor._extra = self.symbol, None, None

    @property
    def has_hooks(self) -> bool:
        """Whether somebody would be called when a gradient comes."""
        extra = self.before["_extra"]
        return extra is not None and bool(extra.hooks or extra.post_hooks)

    def restore(self) -> None:
        """Make the tensor what it was."""
        for name, value in self.before.items():
            setattr(self.place.tensor, name, value)
        self.before["_cell"][:] = self.version


def captured(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], names: Sequence[str]
) -> Captured:
    """Capture a call; `names` are those of its parameters.

    An engine's formula that cannot be looked into is called as it is, in another attempt.
    """
    opaque: list[Method] = []
    while True:
        try:
            return Capture().run(function, args, kwargs, names, opaque)
        except (Unsupported, Exception) as error:
            found = culprit(error.__traceback__)
            if found is None or (found[0], "forward") in opaque:
                if isinstance(error, Unsupported):
                    error.args = (with_line(error),)
                raise
            once = found[1] == "backward" and found not in opaque
            opaque = [one for one in opaque if one[0] is not found[0]]
            opaque += [found] if once else [(found[0], "forward"), (found[0], "backward")]


class Capture:
    """One attempt."""

    def __init__(self) -> None:
        self.tape = Tape()
        self.reach = Reach(self._lift)
        self.lifted: dict[int, Lifted] = {}

    def run(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], names: Sequence[str],
        opaque: list[Method],
    ) -> Captured:  # fmt: skip
        """Everything that the call does."""
        mode, default = modes.enabled.get(), dtypes.default
        listener = Listener(self._is_lifted, lambda tensor: self.lifted[id(tensor)].has_hooks)
        try:
            with stand_ins(self.tape, listener), called_as_they_are(self.tape, opaque):
                self._walk(function, args, kwargs, names)
                with Frames(self.reach):
                    result = function(*args, **kwargs)
                    if modes.enabled.get() is not mode or dtypes.default is not default:
                        raise Unsupported("it switches a mode and leaves it switched")
                    found = self._all_of(result)
            if (refusal := self.reach.restore()) is not None:
                raise refusal
            return found
        finally:
            self.reach.restore()
            modes.enabled.set(mode)
            dtypes.default = default
            for one in reversed(self.lifted.values()):
                one.restore()

    def _walk(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], names: Sequence[str]) -> None:
        for at, arg in enumerate(args):
            self.reach.walk(arg, f"args[{at}]", names[at] if at < len(names) else f"arg{at}")
        for name, arg in kwargs.items():
            self.reach.walk(arg, f"kwargs[{name!r}]", name)
        self.reach.begin(function)

    # --- tensors from outside ---------------------------------------------------------------------------------------

    def _is_lifted(self, tensor: Any) -> bool:
        return id(tensor) in self.lifted

    def _lift(self, place: Place) -> None:
        tensor = place.tensor
        if is_inference(tensor):
            raise Unsupported(f"`{place.name}` is an inference tensor")
        if type(tensor._array) is Symbol:
            return  # made while capturing: it is as new in each run
        symbol = self.tape.input(tensor._array, place.name)
        self.lifted[id(tensor)] = Lifted(place, symbol, symbol.value)
        if tensor._grad is not None:
            self._lift(Place(tensor._grad, f"{place.path}._grad", f"{place.name}_grad"))

    # --- what came of it --------------------------------------------------------------------------------------------

    def _all_of(self, result: Any) -> Captured:
        lifted = self._taking_part()
        returned = Returned([one.place.tensor for one in lifted])
        tree = returned.tree(result)
        changes = [change for at, one in enumerate(lifted) if (change := change_of(at, one)) is not None]
        check_apart(lifted, changes)
        tangents, gradients = self._gradients([one for one in returned.tensors if one._needs], lifted)
        return Captured(
            tuple(self.tape.operations), tuple(one.place for one in lifted), tuple(one.value for one in lifted), tree,
            tuple(returned.outputs), tuple(changes), tangents, gradients, self.reach, self._reaches_gradients(),
            self.tape.files,
        )  # fmt: skip

    def _reaches_gradients(self) -> bool:
        return bool(GRADIENTS & self.reach.names)

    def _taking_part(self) -> list[Lifted]:
        """The lifted tensors, without the gradients of others unless the function gets to them."""
        if self._reaches_gradients():
            return list(self.lifted.values())
        grads = {id(one.before["_grad"]) for one in self.lifted.values()}
        return [one for key, one in self.lifted.items() if key not in grads]

    def _gradients(
        self, roots: list[Any], lifted: list[Lifted]
    ) -> tuple[tuple[Value, ...], tuple[Value | None, ...] | None]:
        """Go back through the graph of what is returned: the gradients that it is given, and those of the inputs."""
        needing = [one for one in lifted if one.before["_needs"]]
        if not roots:
            return (), (None,) * len(lifted)
        self.tape.phase, before = "backward", len(self.tape.operations)
        seeds = [self.tape.input(np.ones(one.shape, one._array.dtype), f"g{at or ''}") for at, one in enumerate(roots)]
        edges = [edge_of(one.place.tensor) for one in needing]
        found: dict[Any, Any] = dict.fromkeys(edges)
        try:
            backward.run([edge_of(one) for one in roots], seeds, captured=found)
        except RuntimeError as error:
            if str(error).startswith(SECOND_TIME):
                del self.tape.operations[before:]  # they led nowhere
                return (), None
            raise Unsupported(f"its backward pass raises: {str(error).splitlines()[0]}") from error
        accumulates = [one for one in self.tape.operations[before:] if one.origin.node.endswith("AccumulateGrad")]
        left = set(map(id, accumulates))  # which an AccumulateGrad of each run does itself
        self.tape.operations = [one for one in self.tape.operations if id(one) not in left]
        sent = {id(one): found[edge] for one, edge in zip(needing, edges, strict=True)}
        values = [None if (g := sent.get(id(one))) is None else self.tape.value_of(g) for one in lifted]
        return tuple(seed.value for seed in seeds), tuple(values)


def change_of(at: int, one: Lifted) -> Change | None:
    """What has become of an input tensor; None if it is as it was."""
    tensor, before = one.place.tensor, one.before
    if tensor._array is not one.symbol or tensor._cell is not before["_cell"]:
        raise Unsupported(f"it puts other memory into `{one.place.name}`")
    if tensor._needs is not before["_needs"]:
        raise Unsupported(f"it changes whether `{one.place.name}` requires a gradient")
    extra = tensor._extra
    if tensor._edge is not None or (extra is not None and (extra.hooks or extra.post_hooks or extra.retained)):
        raise Unsupported(f"it gives `{one.place.name}` another history, or a hook")
    value = None if one.symbol.value is one.value else one.symbol.value
    writes = tensor._cell[0] - one.version[0]
    grad = ... if tensor._grad is before["_grad"] else None if tensor._grad is None else tensor._grad._array.value
    if grad is not ... and grad is not None and tensor._grad._needs:
        raise Unsupported(f"it gives `{one.place.name}` a gradient that has a history")
    return None if value is None and not writes and grad is ... else Change(at, value, writes, grad)


def check_apart(lifted: list[Lifted], changes: list[Change]) -> None:
    """Refuse writes to memory that two tensors lie in."""
    for change in changes:
        written = lifted[change.place]
        for other in lifted if change.value is not None else ():
            if other is not written and np.may_share_memory(other.before["_array"], written.before["_array"]):
                name, too = written.place.name, other.place.name
                raise Unsupported(f"it writes to `{name}`, in whose memory `{too}` lies, too")


class Returned:
    """The tensors that a function returns, each once."""

    def __init__(self, inputs: list[Any]) -> None:
        self.inputs = inputs
        self.tensors: list[Any] = []
        self.outputs: list[Output] = []

    def tree(self, thing: Any) -> Any:
        """What is returned, with an `Output` in the place of each tensor."""
        if isinstance(thing, Variable):
            return self._output(thing)
        if type(thing) in (list, tuple):
            return type(thing)([self.tree(one) for one in thing])
        if isinstance(thing, tuple) and hasattr(thing, "_fields"):
            return type(thing)(*[self.tree(one) for one in thing])
        if type(thing) is dict:
            return {key: self.tree(one) for key, one in thing.items()}
        if thing is None or isinstance(thing, bool | int | float | str):
            return thing
        raise Unsupported(f"it returns a {thing.__class__.__name__}")

    def _output(self, tensor: Any) -> Output:
        for known, output in zip(self.tensors, self.outputs, strict=True):
            if known is tensor:
                return output
        for at, one in enumerate(self.inputs):
            if one is tensor:
                return Output(-1, at, None, False)
        self._check(tensor)
        self.tensors.append(tensor)
        self.outputs.append(Output(len(self.outputs), None, tensor._array.value, tensor._needs))
        return self.outputs[-1]

    def _check(self, tensor: Any) -> None:
        if type(tensor._array) is not Symbol or is_inference(tensor):
            raise Unsupported("it returns a tensor that it does not reach by a name, or an inference tensor")
        extra = tensor._extra
        if tensor._needs and tensor.is_leaf:
            raise Unsupported("it returns a new leaf that requires a gradient")
        if extra is not None and extra.retained:
            raise Unsupported("it calls `retain_grad` on what it returns")
        roots = [root_of(one._array) for one in (*self.inputs, *self.tensors)]
        if any(root is root_of(tensor._array) for root in roots):
            raise Unsupported("it returns a view of an input, or two tensors in the same memory")


def root_of(symbol: Symbol) -> Symbol:
    """The stand-in in whose memory another one lies."""
    return symbol if symbol.base is None else symbol.base
