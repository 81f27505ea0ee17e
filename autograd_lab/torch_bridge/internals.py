"""All that is read of PyTorch's internals, in one place: each is probed by what it does, never by a version number.

What a PyTorch lacks costs one feature, not the recording. `lacking` has a sentence for each; `python -m tests.torches`
prints which versions lack what.
"""

from __future__ import annotations

import functools
import gc
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import CodeType, FrameType
from typing import Any, NamedTuple

import torch
from torch._ops import OpOverload
from torch.autograd import graph
from torch.overrides import TorchFunctionMode, handle_torch_function

from autograd_lab import listening

__all__ = ["OpOverload", "lacking"]

_C = torch._C
TRIED = "2.4", "2.15"
"""The versions of PyTorch that have been tried with this package, from the oldest to the newest."""
lacking: dict[str, str] = {}
"""What this PyTorch does not let be seen: a feature, and a sentence about it."""


def _probe(feature: str, sentence: str, works: Callable[[], object]) -> bool:
    """Whether something works; if not, it is lacking from now on."""
    try:
        if works():
            return True
    except Exception:  # whatever it is that this PyTorch does instead
        pass
    lacking[feature] = sentence
    return False


class Shared:
    """A change of torch's that several recordings want at a time: made by the first, undone by the last to go."""

    def __init__(self, make: Callable[[], Callable[[], None]]) -> None:
        self._make, self._wanted = make, 0
        self._undo: Callable[[], None] = lambda: None

    def __enter__(self) -> None:
        self._wanted += 1
        if self._wanted == 1:
            self._undo = self._make()

    def __exit__(self, *_: object) -> None:
        self._wanted -= 1
        if not self._wanted:
            self._undo()


def untried() -> str | None:
    """A sentence about a PyTorch that nobody has tried with this package; None about one that has been."""
    version = str(torch.__version__).partition("+")[0]
    found, oldest, newest = (tuple(map(int, re.findall(r"\d+", each)[:2])) for each in (version, *TRIED))
    if oldest <= found <= newest:
        return None
    return f"PyTorch {version} has not been tried with this autograd_lab; {TRIED[0]} to {TRIED[1]} have"


# --- being unseen, and where we are ------------------------------------------------------------------------------

no_dispatch = _C._DisableTorchDispatch
"""A context in which no dispatch mode sees an op, also none of the program's own."""
no_functions = _C.DisableTorchFunction
"""A context in which no function mode and no subclass sees a call."""
SET_GRAD_ENABLED = _C._set_grad_enabled


def is_traced() -> bool:
    """Whether `torch.jit` traces the program."""
    return _C._get_tracing_state() is not None


def sequence_number() -> int:
    """The sequence number of the next node that the thread makes."""
    return int(_C._autograd._get_sequence_nr())


ENGINE: CodeType = graph._engine_run_backward.__code__
"""The last Python code before the C++ code of a backward pass."""
PARAMETER: CodeType = torch.nn.Parameter.__new__.__code__


class Stack(NamedTuple):
    """The modes that are on, of one kind."""

    size: Callable[[], int]
    at: Callable[[int], Any]
    pop: Callable[[], Any]
    push: Callable[[Any], None]

    def has(self, mode: Any) -> bool:
        """Whether a mode is on, in this thread."""
        return any(each is mode for each in self.all())

    def all(self) -> list[Any]:
        """Those that are on in this thread, the one that was first beneath all."""
        return [self.at(place) for place in range(self.size())]

    @contextmanager
    def beneath(self, mode: Any = None) -> Iterator[None]:
        """Take the modes off that are above one, by default all, and put them back: a program's `with` ends by taking
        off what is on top, whatever that is."""
        above = []
        while self.size() and self.at(self.size() - 1) is not mode:
            above.append(self.pop())
        try:
            yield
        finally:
            while above:
                self.push(above.pop())


FUNCTION_MODES = Stack(
    _C._len_torch_function_stack, _C._get_function_stack_at, _C._pop_torch_function_stack,
    _C._push_on_torch_function_stack,
)  # fmt: skip
DISPATCH_MODES = Stack(
    _C._len_torch_dispatch_stack, _C._get_dispatch_stack_at, lambda: _C._pop_torch_dispatch_stack(None),
    _C._push_on_torch_dispatch_stack,
)  # fmt: skip


def take_off_what_is_over() -> None:
    """Take off the modes that are `over`, in this thread: while torch asks a mode it is aside, and is put back then."""
    for stack in (DISPATCH_MODES, FUNCTION_MODES):
        while over := next((mode for mode in stack.all() if getattr(mode, "over", False)), None):
            with stack.beneath(over):
                stack.pop()


# --- memory ------------------------------------------------------------------------------------------------------


def address_of(tensor: Any) -> int:
    """Where the storage of a tensor is. Raises RuntimeError or NotImplementedError if it has none.

    To ask for the storage itself would keep the engine from adding gradients in place.
    """
    return int(_C._storage_address(tensor))


# --- ops ---------------------------------------------------------------------------------------------------------

_VIEWS = _C.DispatchKey.ADInplaceOrView


def tracking_views() -> Any:
    """A context in which views are tracked that the dispatcher would not have tracked."""
    return _C._SetExcludeDispatchKeyGuard(_VIEWS, False)


@cache
def is_composite(op: Any) -> bool:
    """Whether an op is made of others; in inference mode it reaches a mode in one piece."""
    return bool(_C._dispatch_has_kernel_for_dispatch_key(op.name(), "CompositeImplicitAutograd"))


# --- what nodes keep ---------------------------------------------------------------------------------------------

FREED, PACKED, STALE, HELD = "freed", "packed", "stale", "held"


class Kept(NamedTuple):
    """What lies in a slot: the tensor, unless that cannot be had, and the version that was saved."""

    state: str
    tensor: Any = None
    version: int | None = None


def _shows_what_it_keeps() -> bool:
    node = torch.ones(1, requires_grad=True).exp().grad_fn
    return node._raw_saved_result.unpack_hook is None and node._raw_saved_result.data is not None


SLOTS_ARE_OPEN = _probe(
    "packed slots",
    "what a saved-tensor hook keeps in the place of a tensor cannot be seen, nor can which slot went stale of a node "
    "from before the recording",
    _shows_what_it_keeps,
)


def made_by(node: Any) -> tuple[Any, ...]:
    """Shape, dtype and device of each output of a node, as far as torch can tell: of nested tensors it cannot."""
    try:
        return tuple((tuple(one.shape), one.dtype, str(one.device)) for one in node._input_metadata)
    except (AttributeError, RuntimeError):
        return ()


_probe(
    "shapes of lost outputs",
    "the shape of a tensor that the program had let go of before the recording began is not known",
    lambda: torch.ones(1, requires_grad=True).exp().grad_fn._input_metadata[0].shape,
)


def raw(node: Any, name: str) -> Any:
    """What is saved in a slot, as torch keeps it: one, or a tuple of them; None if that was freed."""
    try:
        return getattr(node, f"_raw_saved_{name}", None)
    except RuntimeError:
        return None


def kept(node: Any, name: str, custom: bool) -> list[Kept]:
    """What lies in a slot, or in each place of a slot of several. No unpack hook of the user's runs."""
    found = raw(node, name)
    if found is None:
        return []
    return (_kept_openly if SLOTS_ARE_OPEN else _kept_closed)(node, name, found, custom)


def _kept_openly(node: Any, name: str, found: Any, custom: bool) -> list[Kept]:
    if not isinstance(found, tuple | list):
        return [_opened(found, node, f"_saved_{name}")]
    if all(one.unpack_hook is None for one in found):
        there = _read(node, "saved_tensors" if custom else f"_saved_{name}")
        if not isinstance(there, Kept):
            return [Kept(FREED if one is None else HELD, one) for one in there]
        if there.state is FREED:
            return []
    return [_opened(one) for one in found]


def is_held(node: Any, name: str, custom: bool) -> bool:
    """Whether a slot still has a tensor, other than what a hook keeps."""
    if not SLOTS_ARE_OPEN:
        return any(one.state in (HELD, STALE) for one in kept(node, name, custom))
    found = raw(node, name)
    each = found if isinstance(found, tuple | list) else (found,)
    return any(one is not None and one.unpack_hook is None and one.data is not None for one in each)


def _opened(one: Any, node: Any = None, name: str = "") -> Kept:
    if one.unpack_hook is not None:
        inside = one.data
        return Kept(PACKED, inside if isinstance(inside, torch.Tensor) else None)
    if one.data is None:
        return Kept(FREED)
    if node is None and not hasattr(one, "unpack"):  # one of many, before 2.11
        return Kept(HELD, one.data)
    there = _read(one, "unpack", called=True) if node is None else _read(node, name)
    if isinstance(there, Kept):  # it was written to since
        return Kept(STALE, one.data, there.version)
    return Kept(FREED if there is None else HELD, there)


def _kept_closed(node: Any, name: str, found: Any, custom: bool) -> list[Kept]:
    there = _read(node, "saved_tensors" if custom else f"_saved_{name}")
    if isinstance(there, Kept):
        return [there] * (len(found) if isinstance(found, tuple | list) else 1)
    tensors = there if isinstance(there, tuple | list) else (there,)
    return [Kept(FREED) if one is None else Kept(HELD, one) for one in tensors]


def _read(thing: Any, name: str, called: bool = False) -> Any:
    """What a slot gives, or a `Kept` that says why it gives nothing.

    An older PyTorch does not say whether a slot has a hook. So there a profiler is on meanwhile that stops any function
    of Python's before its first line.
    """
    try:
        found = getattr(thing, name) if SLOTS_ARE_OPEN else _without_python(getattr, thing, name)
        return found() if called else found
    except _WouldRun:
        return Kept(PACKED)
    except RuntimeError as error:
        stale = re.search(r"expected version (\d+)", str(error))
        if stale is None and "modified by an inplace operation" not in str(error):
            return Kept(FREED)
        return Kept(STALE, None, int(stale[1]) if stale else None)


def _without_python(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of C's. Raises _WouldRun where that would have called one of Python's."""
    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()  # callbacks of what it collects are Python's, too
    sys.setprofile(_refuse)
    try:
        return function(*args)
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()


class _WouldRun(Exception):
    """A function of the user's was about to be called."""


def _refuse(frame: FrameType, event: str, _: Any) -> None:
    if event == "call":
        raise _WouldRun


# --- custom Functions --------------------------------------------------------------------------------------------

_APPLY = torch.autograd.Function.__dict__["apply"]


def _apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
    """In the place of an `apply` that is no Python function, so that there is a frame to be found on the stack."""
    return _APPLY.__get__(None, cls)(*args, **kwargs)


def _code_of_apply() -> CodeType | None:
    code = getattr(getattr(torch.autograd.Function.apply, "__func__", None), "__code__", None)
    return code if isinstance(code, CodeType) else None


IS_FRAMELESS = _code_of_apply() is None
APPLY: CodeType = _code_of_apply() or _apply.__code__
"""The code of the frame in which a custom Function is applied; its locals have `cls` and `args`."""


def _apply_in_frames() -> Callable[[], None]:
    if not IS_FRAMELESS:
        return lambda: None
    torch.autograd.Function.apply = classmethod(_apply)

    def undo() -> None:
        torch.autograd.Function.apply = _APPLY

    return undo


applied_in_frames = Shared(_apply_in_frames)
"""Have custom Functions applied in a frame of Python's, as all PyTorch's before 2.14 do of their own."""


# --- backward ----------------------------------------------------------------------------------------------------

TENSOR_BACKWARD, BACKWARD, GRAD = torch.Tensor.backward, torch.autograd.backward, torch.autograd.grad
_ENTRIES = ((torch.Tensor, "backward"), (torch.autograd, "backward"), (torch.autograd, "grad"))


class _Depth(threading.local):
    """How many calls of a thread are inside of each other."""

    calls = 0


_inside = _Depth()


_GRAD = torch.autograd.grad


def _is_recorded(*args: Any, create_graph: Any = False, **_: Any) -> bool:
    """Whether a call of `autograd.grad` makes a graph of its pass; it is the fifth of its parameters."""
    return bool(args[4] if len(args) > 4 else create_graph)


def _told(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function that runs a pass as `original` does, is seen by function modes, and tells that it is over."""
    unseen = original is BACKWARD and not _is_backward_seen()

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        function = original
        if unseen and torch._C._is_torch_function_mode_enabled():
            function = functools.partial(handle_torch_function, BACKWARD, ())
        if _inside.calls:
            return function(*args, **kwargs)
        _inside.calls += 1
        try:
            result = function(*args, **kwargs)
        finally:
            _inside.calls -= 1
            take_off_what_is_over()
        if listening.listeners:
            is_inner = original is _GRAD and _is_recorded(*args, **kwargs)
            listening.passed("recorded backward" if is_inner else "backward", (args or tuple(kwargs.values()))[0])
        return result

    return call


def plain(function: Any) -> Any:
    """A function of torch's, given what stands in its place meanwhile."""
    return _originals.get(function, function)


_originals: dict[Any, Any] = {}


def _tell_of_passes() -> Callable[[], None]:
    originals = [owner.__dict__[name] for owner, name in _ENTRIES]
    for (owner, name), original in zip(_ENTRIES, originals, strict=True):
        instead = _told(original)
        _originals[instead] = original
        setattr(owner, name, instead)

    def undo() -> None:
        for (owner, name), original in zip(_ENTRIES, originals, strict=True):
            setattr(owner, name, original)

    return undo


told_passes = Shared(_tell_of_passes)
"""Have passes tell when they are over, and `torch.autograd.backward` seen by function modes, also before 2.12."""


class _Witness(TorchFunctionMode):  # type: ignore[misc]  # torch is not typed everywhere
    """Notes which functions it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append(func)
        return func(*args, **(kwargs or {}))


@cache
def _is_backward_seen() -> bool:
    """Whether function modes see `torch.autograd.backward` of a list of tensors."""
    root = torch.ones((), requires_grad=True)
    with no_dispatch(), _Witness() as witness:
        BACKWARD([root])
    return BACKWARD in witness.seen


# --- compiled functions ------------------------------------------------------------------------------------------


def _run_uncompiled() -> Callable[[], None]:
    dynamo = sys.modules["torch._dynamo.decorators"]
    if hasattr(dynamo, "set_stance"):
        stance = dynamo.set_stance("force_eager")
        stance.__enter__()
        return lambda: stance.__exit__(None, None, None)
    from torch._dynamo import config  # before 2.6: nothing is compiled anew

    before, config.disable = config.disable, True

    def undo() -> None:
        config.disable = before

    return undo


uncompiled = Shared(_run_uncompiled)
"""Have compiled functions run as they are written: Dynamo, once it is imported, would compile what watches them."""
