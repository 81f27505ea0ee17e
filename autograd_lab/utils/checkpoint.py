"""Checkpointing: a part of the program saves its inputs only, and is run again when backward needs what it computed."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from enum import Enum
from typing import Any, NoReturn

from autograd_lab.autograd.function import BackwardCFunction, Function
from autograd_lab.autograd.graph import saved_tensors_hooks
from autograd_lab.engine.core import hooks, seams
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.draws.generator import numbers_of
from autograd_lab.engine.exact import autocast, gradients
from autograd_lab.engine.modes.grad_mode import enable_grad, is_grad_enabled, no_grad
from autograd_lab.whose import users_level

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "DefaultDeviceType",
    "GraphExecGroup",
    "SelectiveCheckpointContext",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]


class CheckpointPolicy(Enum):
    """What PyTorch may do with a result inside of a checkpoint; here all are computed again."""

    MUST_SAVE, PREFER_SAVE, MUST_RECOMPUTE, PREFER_RECOMPUTE, MUST_CPU_OFFLOAD, PREFER_CPU_OFFLOAD = range(6)


class SelectiveCheckpointContext:
    """What PyTorch tells a policy of: whether the program runs again."""

    is_recompute: bool


def create_selective_checkpoint_contexts(policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False) -> NoReturn:
    """What would keep some results of a checkpoint. Raises NotImplementedError: all are computed again here."""
    raise NotImplementedError("create_selective_checkpoint_contexts: a checkpoint computes all its results again here")


class DefaultDeviceType:
    """Whose random numbers a checkpoint of no tensors keeps: there is one device."""

    _kind = "cpu"

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Note it."""
        DefaultDeviceType._kind = device

    @staticmethod
    def get_device_type() -> str:
        """What was noted last; "cpu" to begin with."""
        return DefaultDeviceType._kind


CHOOSE = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
    "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
    "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
    "the differences between the two variants."
)
CHOOSE_SEQUENTIAL = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In version "
    "2.9 we will raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you "
    "need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on "
    "the differences between the two variants."
)
NOT_WHOLE = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
    "the `inputs` argument."
)
TAKEN = (
    "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. {}If you are "
    "calling ctx.saved_tensors in backward, make sure to do so only once. Otherwise please open an issue with details "
    "on your use case."
)
OVERLAPPING = (
    "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute gradients) "
    "is not allowed while under the torch.utils.checkpoint.GraphExecGroup context. "
)

_early_stop: bool | None = None
_debug: bool | None = None


class CheckpointError(RuntimeError):
    """The second run did not do what the first one did."""


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether second runs inside end as soon as all is there that is needed, whatever `checkpoint` was told."""
    global _early_stop
    before, _early_stop = _early_stop, enable
    try:
        yield
    finally:
        _early_stop = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Accepted as in PyTorch; which ops ran is for a recording to tell."""
    global _debug
    before, _debug = _debug, enabled
    try:
        yield
    finally:
        _debug = before


_group: ContextVar[Any] = ContextVar("graph_exec_group", default=None)


class GraphExecGroup:
    """Inside, several backward passes run a checkpointed function again once; they are not to need the same of it."""

    def __enter__(self) -> GraphExecGroup:
        if (outer := _group.get()) is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {outer}")
        _group.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _group.set(None)


def noop_context_fn() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """What `context_fn` is unless another is given: two contexts that do nothing."""
    return nullcontext(), nullcontext()


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]] | None = None,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """The result of `function(*args, **kwargs)`, which saves nothing and is run again in backward."""
    if use_reentrant is None:
        warnings.warn(CHOOSE, stacklevel=users_level())
        use_reentrant = True
    if kwargs and use_reentrant:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if use_reentrant:
        if context_fn not in (None, noop_context_fn) or debug:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    if context_fn not in (None, noop_context_fn) and (debug if _debug is None else _debug):
        raise ValueError("debug=True is incompatible with non-default context_fn")
    first, second = (context_fn or noop_context_fn)()
    if not is_grad_enabled():
        return function(*args, **kwargs)
    segment = _Segment(function, args, kwargs, preserve_rng_state, second)
    segment.stops_early = early_stop if _early_stop is None else _early_stop
    segment.compares = determinism_check == "default"
    with saved_tensors_hooks(segment.pack, segment.unpack), first:
        result = function(*args, **kwargs)
    segment.is_complete = True
    return result


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """One function after the other, in so many segments, of which all but the last are checkpointed."""
    if use_reentrant is None:
        warnings.warn(CHOOSE_SEQUENTIAL, stacklevel=users_level())
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    parts = list(functions.children() if hasattr(functions, "children") else functions)
    size, start = len(parts) // segments, 0
    for start in range(0, size * (segments - 1), size):
        run = _in_turn(parts[start : start + size])
        input = checkpoint(run, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return _in_turn(parts[size * (segments - 1) :])(input)


def _in_turn(functions: Sequence[Callable[[Any], Any]]) -> Callable[[Any], Any]:
    def run(input: Any) -> Any:
        for function in functions:
            input = function(input)
        return input

    return run


@contextmanager
def _random_numbers_from(state: Any) -> Iterator[None]:
    """Inside, random numbers go on from this state; None leaves them as they are."""
    if state is None:
        yield
        return
    source = numbers_of()
    before, source.state = source.state, state
    try:
        yield
    finally:
        source.state = before


# --- without a second backward pass --------------------------------------------------------------------------------


class _Place:
    """What a node saves inside a checkpoint: which of the saved tensors it would have been."""

    __slots__ = ("__weakref__", "number")

    def __init__(self, number: int) -> None:
        self.number = number


class _Enough(Exception):
    """All tensors that are needed have been computed again."""


class _Segment:
    """One call of a checkpointed function: what it takes to run it again, and what runs again have computed."""

    stops_early = compares = True
    is_complete = False

    def __init__(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], preserve: bool, context: Any
    ) -> None:
        self.function, self.context = function, context
        self.args = [None if isinstance(arg, Variable) else arg for arg in args]
        self.kwargs = kwargs
        self.inputs = BackwardCFunction(args)
        self.inputs.save_for_backward(*[arg if isinstance(arg, Variable) else None for arg in args])
        self.inputs.save({})
        if seams.on_recorded is not None:  # what a checkpoint around this one keeps, too
            seams.on_recorded(self.inputs)
        self.random = numbers_of().state if preserve else None
        self.region = autocast.same_region()
        self.looks: list[tuple[Any, Any]] = []
        self.places: list[weakref.ref[_Place]] = []
        self.computed: weakref.WeakKeyDictionary[Any, dict[int, Any]] = weakref.WeakKeyDictionary()

    @property
    def starts(self) -> tuple[Any, ...]:
        """The tensors that a second run begins with."""
        return self.inputs.saved_tensors

    def pack(self, tensor: Any) -> _Place:
        """Keep nothing but how many tensors were saved, and what they looked like."""
        place = _Place(len(self.looks))
        self.places.append(weakref.ref(place))
        self.looks.append((tensor.shape, tensor.dtype))
        return place

    def unpack(self, place: _Place) -> Any:
        """The tensor, computed again unless this backward pass has done so."""
        group = _group.get()
        now = group or hooks.current.get() or hooks.Pass({}, None, None, None, None, None)
        if now not in self.computed:
            self.computed[now] = {}
            self._compute(self.computed[now])
        if place.number not in self.computed[now]:
            raise CheckpointError(TAKEN.format(OVERLAPPING if group else ""))
        return self.computed[now].pop(place.number)

    def _compute(self, found: dict[int, Any]) -> None:
        count = 0

        def take(tensor: Any) -> Any:
            nonlocal count
            tensor = tensor.detach() if tensor.requires_grad else tensor
            count += 1
            if count <= len(self.looks):
                if self.places[count - 1]() is not None:
                    found[count - 1] = tensor
            elif self.is_complete:
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the "
                    "original forward pass."
                )
            if self.stops_early and count == len(self.looks):
                raise _Enough
            return tensor

        pairs = zip(self.args, self.inputs.saved_tensors, strict=True)
        args = [given if saved is None else saved for given, saved in pairs]
        try:
            taken = saved_tensors_hooks(take, lambda kept: kept)
            with taken, _random_numbers_from(self.random), self.region, self.context, enable_grad():
                self.function(*args, **self.kwargs)
        except _Enough:
            pass
        if self.is_complete and count != len(self.looks):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.looks)}\n"
                f"Number of tensors saved during recomputation: {count}."
            )
        self._compare(found)

    def _compare(self, found: dict[int, Any]) -> None:
        different = ""
        for number, tensor in found.items():
            shape, dtype = self.looks[number]
            if self.compares and (shape, dtype) != (tensor.shape, tensor.dtype):
                different += (
                    f"tensor at position {number}:\n"
                    f"saved metadata: {{'shape': {shape}, 'dtype': {dtype}, 'device': device(type='cpu')}}\n"
                    f"recomputed metadata: {{'shape': {tensor.shape}, 'dtype': {tensor.dtype}, "
                    "'device': device(type='cpu')}\n"
                )
        if different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than "
                f"during the forward pass.\n{different}"
            )


# --- with a second backward pass inside the first ------------------------------------------------------------------


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The inputs as leaves of their own."""
    return tuple(
        each.detach().requires_grad_(each.requires_grad) if isinstance(each, Variable) else each for each in inputs
    )


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn if no input requires a gradient."""
    if not any(isinstance(one, Variable) and one.requires_grad for one in inputs):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=users_level())


class CheckpointFunction(Function):
    """`checkpoint` with `use_reentrant`: one node, whose backward runs the function and a backward pass of its own."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.region = autocast.same_region()
        ctx.random = numbers_of().state if preserve_rng_state else None
        ctx.inputs = [None if isinstance(arg, Variable) else arg for arg in args]
        ctx.save_for_backward(*[arg if isinstance(arg, Variable) else None for arg in args])
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *args: Any) -> Any:
        if hooks.current.get().runs is not None:
            raise RuntimeError(NOT_WHOLE)
        saved = zip(ctx.inputs, ctx.saved_tensors, strict=True)
        inputs = detach_variable(tuple(given if tensor is None else tensor for given, tensor in saved))
        with _random_numbers_from(ctx.random), ctx.region, enable_grad():
            outputs = ctx.run_function(*inputs)
        outputs = (outputs,) if isinstance(outputs, Variable) else outputs
        pairs: list[tuple[Any, Any]] = [
            (out, g) for out, g in zip(outputs, args, strict=True) if isinstance(out, Variable) and out.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        gradients.backward([out for out, _ in pairs], [g for _, g in pairs])
        return None, None, *(each.grad if isinstance(each, Variable) else None for each in inputs)


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """The GPUs that tensors are on, and the states of their random numbers: none, for there is the CPU alone."""
    return [], []


def set_device_states(devices: Sequence[int], states: Sequence[Any], *, device_type: str | None = None) -> None:
    """Go on from what `get_device_states` gave: nothing is to be done."""
