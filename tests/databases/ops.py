"""PyTorch's `op_db`: each op with its samples, as a function, as a method, in place, into `out`; and its errors."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import torch

import autograd_lab as lab
from autograd_lab.nn.three_dimensions import REFUSED
from tests.databases.observed import Facts, differences, observed, said, seen
from tests.databases.theirs import database
from tests.databases.twins import Absent, Twins, tensors_in

STANDING_IN = ("torch.fft", "autograd_lab.engine.numbers.unheld", "autograd_lab.elsewhere.absent")
"""Modules of what libraries import, and few programs call."""
DTYPES = (torch.float64, torch.float32, torch.int64, torch.bool)
RANDOM = {
    "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty_strided", "new_empty",
}  # fmt: skip
"""Whose numbers are drawn, or not set: all but those are compared."""


@dataclass
class Compared:
    """What came of comparing: how many facts agree, and which do not."""

    agree: int = 0
    differ: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, name: str, ours: Facts, theirs: Facts, way: str = "", drawn: bool = False) -> None:
        """Compare two observations of the thing of this name."""
        if drawn:
            ours, theirs = ({**each} for each in (ours, theirs))
            for kind in ("values", "gradient", "second gradient"):
                ours.pop(kind, None)
                theirs.pop(kind, None)
        if "error" in ours and "error" not in theirs:
            self.differ.append((name, f"{way}error", ours["error"]))
            return
        found = differences(ours, theirs)
        self.agree += len(theirs) - len(found.keys() & theirs.keys())
        self.differ += [(name, f"{way}{kind}", words) for kind, words in found.items()]


def resolved(m: Any, name: str) -> Any:
    """The function of that name in a world, or the method; None if there is neither."""
    found = m
    for part in name.split("."):
        found = getattr(found, part, None)
        if found is None:
            break
    return found if callable(found) else getattr(m.Tensor, name, None)  # and no module, as `view` once it is imported


def present() -> list[Any]:
    """The entries of the database whose op exists here."""
    named = [op for op in database("methods_invocations", "op_db") if op.name.rpartition(".")[2] not in REFUSED]
    return [op for op in named if is_here(resolved(lab, op.name)) and resolved(torch, op.name) is not None]


def is_here(found: Any) -> bool:
    """Whether this is a function, and not what can be imported, and refuses to be called."""
    return found is not None and getattr(found, "__module__", "") not in STANDING_IN


def compare(op: Any, most: int | None = None, dtypes: tuple[Any, ...] = DTYPES) -> Compared:
    """Call an op as its samples say, in both worlds; at most so many samples of each dtype."""
    found = Compared()
    for dtype in dtypes:
        if dtype in op.supported_dtypes("cpu"):
            for sample in islice(_samples(op, dtype), most):
                _compare_sample(found, op, sample)
    for error_input in islice(_error_inputs(op), most):
        _compare_error(found, op, error_input)
    return found


def _samples(op: Any, dtype: Any) -> Iterator[Any]:
    floats = dtype.is_floating_point and op.supports_autograd
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from op.sample_inputs("cpu", dtype, requires_grad=floats)


def _error_inputs(op: Any) -> Iterator[Any]:
    if op.error_inputs_func is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield from op.error_inputs("cpu")


def _compare_sample(found: Compared, op: Any, sample: Any) -> None:
    arguments = [sample.input, *sample.args]
    try:
        twins = Twins()
        given = [twins.of(arguments), twins.of(sample.kwargs)]
    except Absent:
        return
    both = ((lab, *given), (torch, arguments, sample.kwargs))
    drawn = op.name in RANDOM
    for way, make in WAYS.items():
        if way == "in place: " and (op.inplace_variant is None or not op.supports_inplace_autograd):
            continue
        if way == "into out: " and not op.supports_out:
            continue
        calls = [make(m, op, args, named) for m, args, named in both]
        if calls[1] is None:
            continue
        theirs = observed(torch, calls[1], _leaves(both[1]))
        if "error" in theirs and way != "":
            continue
        ours = {"error": f"no {way}{op.name}"} if calls[0] is None else observed(lab, calls[0], _leaves(both[0]))
        if "error" in theirs and "error" in ours:
            continue  # the name is called in another way there: by a wrapper
        found.add(op.name, ours, theirs, way, drawn)


def _leaves(world: tuple[Any, ...]) -> list[Any]:
    return [one for one in tensors_in(list(world[1:])) if one.requires_grad]


def _as_function(m: Any, op: Any, args: Any, named: Any) -> Any:
    function = resolved(m, op.name)
    return lambda: function(*args, **named)


def _as_method(m: Any, op: Any, args: Any, named: Any) -> Any:
    method = getattr(m.Tensor, op.name, None)
    if op.method_variant is None or method is None or not isinstance(args[0], m.Tensor):
        return None
    return lambda: method(*args, **named)


def _in_place(m: Any, op: Any, args: Any, named: Any) -> Any:
    method = getattr(m.Tensor, getattr(op.inplace_variant, "__name__", ""), None)
    if method is None or not isinstance(args[0], m.Tensor):
        return None
    return lambda: method(args[0].clone(), *args[1:], **named)


def _into_out(m: Any, op: Any, args: Any, named: Any) -> Any:
    """Into a tensor of the right shape that holds other numbers."""
    function = resolved(m, op.name)

    def call() -> Any:
        with m.no_grad():
            plain = [one.detach() if isinstance(one, m.Tensor) else one for one in args]
            result = function(*plain, **named)
            if isinstance(result, m.Tensor):
                out = m.ones_like(result)
                given = function(*plain, **named, out=out)
                return [given, out, given is out]
            out = tuple(m.ones_like(one) for one in result)
            function(*plain, **named, out=out)
            return list(out)

    return call


WAYS = {"": _as_function, "as a method: ": _as_method, "in place: ": _in_place, "into out: ": _into_out}


def _compare_error(found: Compared, op: Any, error_input: Any) -> None:
    sample = error_input.sample_input
    arguments = [sample.input, *sample.args]
    try:
        twins = Twins()
        given, named = twins.of(arguments), twins.of(sample.kwargs)
    except Absent:
        return
    theirs = raised(lambda: resolved(torch, op.name)(*arguments, **sample.kwargs))
    ours = raised(lambda: resolved(lab, op.name)(*given, **named))
    if theirs:
        mine, yours = (one.partition(":")[0] for one in (ours, theirs))
        found.add(op.name, {"wrong input": mine}, {"wrong input": yours})
        if mine == yours:
            found.add(op.name, {"words": ours}, {"words": theirs})


def raised(call: Any) -> str:
    """What a call raises, in one line; nothing if it does not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seen(call())
    except Exception as error:
        return said(error)
    return ""
