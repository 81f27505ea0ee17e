"""Why an op gives what is not finite, and what one writes instead: by the names of ops, in both directions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache

from autograd_lab import events as e
from autograd_lab.findings.case import Call, Case
from autograd_lab.findings.code import bracketed, condition, quotient
from autograd_lab.trace.amounts import flat

FORWARD = {
    "log": ("the logarithm of 0 is infinite, and of a negative number NaN", "`torch.log({x}.clamp(min=1e-12))`"),
    "sqrt": ("the square root of a negative number is NaN", "`torch.sqrt({x}.clamp(min=0))`"),
    "rsqrt": ("1 / sqrt(0) is infinite", "`torch.rsqrt({x} + 1e-12)`"),
    "div": ("it divides by 0", "`{a} / ({b} + 1e-12)`, or `{a} / {b}.clamp(min=1e-12)`"),
    "reciprocal": ("it divides by 0", "`1 / ({x} + 1e-12)`"),
    "exp": (
        "exp overflows: it is infinite",
        "`{x}.clamp(max=80).exp()`; for probabilities `torch.softmax` or `torch.logsumexp`, which cannot overflow",
    ),
    "pow": ("this power is not finite here", "`{x}.clamp(min=1e-12)` before it"),
    "acos": ("acos is NaN beyond 1", "`{x}.clamp(-1 + 1e-6, 1 - 1e-6)`"),
    "asin": ("asin is NaN beyond 1", "`{x}.clamp(-1 + 1e-6, 1 - 1e-6)`"),
    "softmax": (
        "softmax of nothing but -inf is NaN: a row is masked as a whole",
        "leave one entry of each row unmasked",
    ),
    "sub": ("inf - inf is NaN", "keep infinities out of it"),
    "mul": ("the product leaves the range of numbers, or is 0 × inf", "keep its factors small, or use `float32`"),
    "mean": ("the mean of nothing is NaN", "skip what is empty: `if {x}.numel()`"),
    "std": ("the standard deviation of one number is NaN", "`({x}.std(correction=0) + 1e-8)`"),
    "var": ("the variance of one number is NaN", "`{x}.var(correction=0)`"),
}
BACKWARD = {
    "sqrt": ("the slope of sqrt is infinite at 0, and 0 × inf is NaN", "`torch.sqrt({x} + 1e-12)`"),
    "norm": ("the slope of a norm is not defined at 0", "`torch.sqrt(({x} ** 2).sum() + 1e-12)`"),
    "log": ("the slope of log is infinite at 0", "`torch.log({x} + 1e-12)`"),
    "div": ("the slope of a quotient is infinite where it divides by 0", "`{a} / ({b} + 1e-12)`"),
    "reciprocal": ("the slope of 1 / x is infinite at 0", "`1 / ({x} + 1e-12)`"),
    "pow": ("the slope of this power is infinite at 0", "`({x} + 1e-12) ** p`"),
    "std": ("the slope of std is not defined where all numbers are equal", "`torch.sqrt({x}.var() + 1e-12)`"),
    "acos": ("the slope of acos is infinite at 1", "`{x}.clamp(-1 + 1e-6, 1 - 1e-6)`"),
    "asin": ("the slope of asin is infinite at 1", "`{x}.clamp(-1 + 1e-6, 1 - 1e-6)`"),
    "atan2": ("the slope of atan2 is not defined at (0, 0)", "`torch.atan2(y, x + 1e-12)`"),
    "exp": ("exp overflows", "`{x}.clamp(max=80).exp()`"),
}
LIMITS = {"float16": 65504, "bfloat16": 3.4e38}
TINY = {"float16": "6e-8", "bfloat16": "1e-40"}


@cache
def base(name: str) -> str:
    """The bare name of an op.

    >>> base("SqrtBackward0"), base("LinalgVectorNormBackward0"), base("LogSoftmaxBackward0"), base("add_")
    ('sqrt', 'norm', 'log_softmax', 'add')
    """
    bare = name.partition("Backward")[0]
    known = {"LinalgVectorNorm": "norm", "Norm": "norm", "LogSoftmax": "log_softmax", "SafeSoftmax": "softmax"}
    return known.get(bare, bare.lower().rstrip("_"))


def _wider(case: Case, call: Call) -> str:
    """How to compute in float32; a leaf has to be of it itself, for its gradient is of its own type."""
    name = _named(case, call, without=".half()")
    if call.sources[:1] == (None,):
        return f"Make {name} float32, and leave float16 to `torch.autocast`, which takes it only where that is safe."
    return f"Compute this in float32, `{name}.float()`, or scale it down before."


def _named(case: Case, call: Call, without: str = "") -> str:
    """What a call is given first, as code, `without` an ending."""
    name = case.name(call.operands[0]).removesuffix(without) if call.operands else "x"
    return "x" if name.startswith(("a tensor", "a parameter", "a view")) else bracketed(name)


def _said(table: dict[str, tuple[str, str]], case: Case, call: Call, otherwise: str) -> tuple[str, str]:
    words, remedy = table.get(base(call.name), (otherwise, ""))
    name = _named(case, call)
    if not remedy.startswith("`"):
        return words, f"{remedy[:1].upper()}{remedy[1:]}." if remedy else ""
    upper, lower = quotient(call.what)
    return words, f"Write {remedy.format(x=name, a=upper, b=lower)}."


def forward_cause(case: Case, call: Call) -> tuple[str, str]:
    """Why a call gave what is not finite."""
    limit = LIMITS.get(call.outputs[0].dtype) if call.outputs else None
    if limit is not None and _divides_by_zero(case, call):
        words = f"it divides by 0: what is smaller than {TINY[call.outputs[0].dtype]} is 0 in {call.outputs[0].dtype}"
        return words, "Add something larger, such as `1e-4`, or compute this in `float32`."
    if limit is not None and base(call.name) not in ("log", "sqrt"):
        return (
            f"{call.what} leaves the range of {call.outputs[0].dtype}, which ends at {limit:,.0f}"
            if limit < 1e6
            else f"{call.what} leaves the range of {call.outputs[0].dtype}",
            _wider(case, call),
        )
    words, remedy = _said(FORWARD, case, call, f"{call.what} made it of finite numbers")
    if (
        base(call.name) == "div"
        and (taken := list(_taken(case, call)))
        and all(math.isfinite(each) and each == int(each) for each in taken)
    ):
        upper, lower = quotient(call.what)
        return words, f"It divides by a count: write `{upper} / {lower}.clamp(min=1)`, or leave out what is empty."
    if base(call.name) == "softmax" and (filled := _filled(case, call)):
        return words, _unmasked(case, *filled)
    if base(call.name) == "log" and (taken := list(_taken(case, call))):
        words = "the logarithm of a negative number is NaN" if min(taken) < 0 else "the logarithm of 0 is -inf"
    return words, remedy


MASKED = re.compile(r"masked_fill_?\(\s*(?:mask\s*=\s*)?(\w+)\s*,")


def _filled(case: Case, call: Call) -> tuple[str, e.Where] | None:
    """The mask of the line that filled in what a softmax is given, and that line."""
    lines = (each.where for each in case.ancestors(call)[:4] if each.where is not None)
    return next(((found[1], line) for line in lines if (found := MASKED.search(line.text))), None)


DIAGONAL = re.compile(r"tril\((?:.*,)?\s*(?:diagonal\s*=\s*)?-\s*1\s*\)")


def _unmasked(case: Case, mask: str, filled: e.Where) -> str:
    """How no row is masked as a whole: by another mask, or by opening such rows before a line fills them."""
    before = f"before line {filled.number}, `{mask}[{mask}.all(-1)] = False` opens such rows altogether."
    made = (call.where for call in case.calls if call.outputs and call.outputs[0].name == mask)
    leaves_out = next((where for where in made if where is not None and DIAGONAL.search(where.text)), None)
    diagonal = "" if leaves_out is None else f"on line {leaves_out.number}, `tril()` leaves the diagonal in; or "
    return f"Leave one entry of each row unmasked: {diagonal}{before}"


def _divides_by_zero(case: Case, call: Call) -> bool:
    """Whether the last operand of a quotient has a 0."""
    return base(call.name) in ("div", "reciprocal") and 0 in _taken(case, call)


def _taken(case: Case, call: Call) -> Iterator[float]:
    """The numbers of the last operand of a call, as far as they are known."""
    if call.operands:
        source, name = call.sources[-1], call.operands[-1]
        facts = case.tensors[name].facts if source is None else next(
            (each for each in case.calls[source].outputs if each.id == name), case.tensors[name].facts
        )  # fmt: skip
        yield from flat(facts.value.numbers)


OF_INFINITIES = {
    "mul": "0 × inf is NaN",
    "div": "inf / inf is NaN",
    "sub": "inf - inf is NaN",
    "add": "inf - inf is NaN",
}


def of_infinities(call: Call) -> str:
    """How NaN comes of infinities."""
    return OF_INFINITIES.get(base(call.name), "NaN comes of it here")


def backward_cause(case: Case, call: Call, came: tuple[e.Value | None, ...]) -> tuple[str, str]:
    """Why a node gave a gradient that is not finite."""
    words, remedy = _said(BACKWARD, case, call, f"the gradient of {call.what} is not finite here")
    half = next((d for d in (case.tensors[each].facts.dtype for each in call.operands) if d in LIMITS), None)
    if not remedy and half is not None:
        words = f"the gradient of {call.what} leaves the range of {half}"
        remedy = "Scale the loss down before backward(), as `torch.amp.GradScaler` does, or compute this in `float32`."
    if is_masked(case, call, came):
        name = case.tensors[call.operands[0]].facts.name or "x"
        words += "; where() chose the other branch, but backward goes through this one, too"
        chosen = next(u for n in call.users if base((u := case.calls[n]).name) in CHOOSES)
        by = condition("" if chosen.where is None else chosen.where.text)
        remedy = f"Choose before computing, too: `safe = torch.where({by}, {name}, 1.0)`, and compute of that."
    return words, remedy


def is_masked(case: Case, call: Call, came: tuple[e.Value | None, ...]) -> bool:
    """Whether a `where` took the results, and sends zeros back for what it did not choose."""
    users = [base(case.calls[number].name) for number in call.users]
    zeros = any(0 in list(flat(value.numbers)) for value in came if value is not None)
    return zeros and bool(CHOOSES & set(users))


CHOOSES = {"where", "maskedfill", "swhere"}
