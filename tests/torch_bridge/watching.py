"""What a program does without a recording and inside of one: both are to be the same to the last bit."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from typing import Any

import torch

from autograd_lab import record
from autograd_lab.recording import recorder


@contextmanager
def strictly() -> Iterator[None]:
    """Mistakes of the recorder are errors of the program, and torch gives its warnings each time."""
    strict, recorder.STRICT = recorder.STRICT, True
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        yield
    finally:
        recorder.STRICT = strict
        torch.set_warn_always(always)


def plain(thing: Any) -> Any:
    """A thing in words that are the same if it is the same: tensors by their bits, all else by its text."""
    if isinstance(thing, torch.Tensor):
        return _of_tensor(thing)
    if isinstance(thing, dict):
        return {str(key): plain(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple | set):
        return [type(thing).__name__, *map(plain, thing)]
    return re.sub("0x[0-9a-f]+", "0x", repr(thing))


def _of_tensor(tensor: Any) -> Any:
    facts = [type(tensor).__name__, tuple(tensor.shape), str(tensor.dtype), str(tensor.layout), str(tensor.device)]
    facts += [tensor.requires_grad, tensor.is_leaf, str(tensor.grad_fn and tensor.grad_fn.name())]
    facts += [repr(vars(tensor)) if hasattr(tensor, "__dict__") else ""]
    if tensor.layout is torch.strided and not tensor.is_meta and not tensor.is_quantized and not tensor.is_nested:
        bits = tensor.detach().resolve_conj().resolve_neg().contiguous().view(-1).view(torch.uint8)
        return [*facts, tensor.stride(), bits.numpy().tobytes()]
    return [*facts, re.sub(r"0x\w+", "0x", repr(tensor))]


def modes() -> list[Any]:
    """The modes that are on, and how many hooks hang on all modules and optimizers."""
    from torch.nn.modules import module
    from torch.optim import optimizer

    hooks = [len(value) for space in (module, optimizer) for name, value in sorted(vars(space).items())
             if name.startswith("_global_") and isinstance(value, dict)]  # fmt: skip
    return [
        torch.is_grad_enabled(), torch.is_inference_mode_enabled(), torch._C._len_torch_function_stack(),
        torch._C._len_torch_dispatch_stack(), torch.get_default_dtype(), torch.is_autocast_enabled("cpu"), hooks,
    ]  # fmt: skip


def outcome(program: Callable[[], Any], watched: bool) -> dict[str, Any]:
    """All that a program does that can be told: what it returns, prints, warns of and raises, and what it leaves."""
    torch.manual_seed(0)
    before, printed, raised, result = modes(), io.StringIO(), "", None
    with warnings.catch_warnings(record=True) as caught, redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            with record() if watched else nullcontext():
                result = plain(program())
        except Exception as error:
            raised = f"{type(error).__name__}: {error}"
    warned = [f"{one.category.__name__}: {one.message}" for one in caught]
    return {
        "raised": re.sub("0x[0-9a-f]+", "0x", raised), "returned": result, "printed": printed.getvalue(),
        "warned": [re.sub("0x[0-9a-f]+", "0x", text) for text in warned], "random": torch.rand(1).item(),
        "left": modes() == before,
    }  # fmt: skip


def assert_unchanged(program: Callable[[], Any]) -> dict[str, Any]:
    """Run a program without and inside of a recording. Raises AssertionError if that makes any difference."""
    with strictly():
        outcome(program, False)  # what torch does and says the first time only, is no part of it
        without, within = [outcome(program, watched) for watched in (False, True)]
    found = difference(without, within)
    assert found is None and without["left"], found
    return within


def difference(one: Any, other: Any, path: str = "") -> str | None:
    """Where two outcomes part, in words; None if they do not."""
    if isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        return next((at for key in one if (at := difference(one[key], other[key], f"{path}.{key}"))), None)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return next((at for k, (a, b) in pairs if (at := difference(a, b, f"{path}[{k}]"))), None)
    return None if one == other else f"{path}\n    without: {one!r}\n    within:  {other!r}"
