"""Where the engine is known to differ from PyTorch: the table of docs/internals/deviations.md, as predicates."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.differential.compare import Difference
from tests.differential.observe import Numbers


@dataclass(frozen=True)
class Deviation:
    """A difference that is meant: its `reason`, what it `covers`, and a `program` that shows it."""

    reason: str
    covers: Callable[[Difference], bool]
    program: str


def aspect(*names: str) -> Callable[[Difference], bool]:
    """Whatever differs in one of these aspects alone."""
    return lambda difference: difference.aspect in names


def counted_on_the_way(difference: Difference) -> bool:
    """The version of what PyTorch wrote to itself before anybody had it."""
    if difference.aspect != "version" or not isinstance(difference.theirs, int):
        return False
    made = re.search(r"\bgrad\(|\.grad\b|\b(isclose|one_hot|max_pool1d)\(", difference.made)
    return made is not None or any("inference_mode" in line for line in difference.lines)


def other_of_equal(difference: Difference) -> bool:
    """Which of some equal elements is meant; the elements themselves are the same."""
    if not re.search(r"\b(topk|kthvalue|median|nanmedian)\(", difference.made or difference.line):
        return False
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    floats = [[one for one in some if one.dtype.kind == "f"] for some in (ours, theirs)]
    return len(ours) == len(theirs) > len(floats[1]) and all(map(np.array_equal, *floats))


def left_by_chance(difference: Difference) -> bool:
    """What PyTorch has written before it saw that it cannot, or in what order where memory is written to twice."""
    line = difference.line
    twice = any("unfold(" in one for one in difference.lines) and re.search(r"\w_\(|[-+*/%&|^]= |apply\(", line)
    read = re.search(r"(\w+)\.masked_scatter_\(.*, \1\)", line)
    return difference.aspect == "value" and bool(difference.failed or twice or read)


def numbers(value: Any) -> list[Any]:
    """All arrays in what was seen."""
    if isinstance(value, Numbers):
        return [value.array]
    return [array for one in value for array in numbers(one)] if isinstance(value, list) else []


def unneeded(difference: Difference) -> bool:
    """What nobody will need is saved all the same."""
    return difference.aspect.startswith("_saved_") and difference.theirs is None


def view_of_gradient(difference: Difference) -> bool:
    """PyTorch's gradients may be views: of each other, or of what has no name."""
    return difference.aspect == "base" and (difference.theirs is None or "grad(" in difference.made)


def same_but_for(pattern: str) -> Callable[[Difference], bool]:
    """Messages that are the same but for what the pattern matches."""

    def covers(difference: Difference) -> bool:
        texts = [re.sub(pattern, "", str(text)) for text in (difference.ours, difference.theirs)]
        return difference.aspect == "message" and texts[0] == texts[1]

    return covers


def nothing_to_fill(difference: Difference) -> bool:
    """Positions where there is nothing, to which PyTorch comes only when it looks for their memory."""
    kinds = difference.aspect, difference.ours, difference.theirs
    return "index_fill" in difference.line and kinds == ("raises", "IndexError", "RuntimeError")


KNOWN: list[Deviation] = [
    Deviation(
        "a gradient that reached a leaf unchanged is copied, and counts no write",
        aspect("grad.version"),
        "a = torch.ones(2, requires_grad=True)\na.backward(a)",
    ),
    Deviation(
        "no writes are counted from before a result was returned",
        counted_on_the_way,
        "a = torch.ones(2, requires_grad=True)\nb = a * a\nc, = torch.autograd.grad(b.sum(), a)",
    ),
    Deviation(
        "memory layout is numpy's",
        lambda difference: re.search("layout|strides?$|storage_offset", difference.aspect) is not None,
        "a = torch.ones(2, 3).t()\nb = a.expand(1, 3, 2) / torch.ones(3, 2)",
    ),
    Deviation(
        "an op on what leads nowhere saves what only that would need",
        unneeded,
        "a = torch.ones(2, requires_grad=True)\nwith torch.no_grad(): b = a[:]\nc = b * 2",
    ),
    Deviation(
        "a write that fails leaves what was there, and one to memory that is shared or read takes it as it was",
        left_by_chance,
        "a = torch.tensor([-2, -2, 0, 1])\na.remainder_(a)",
    ),
    Deviation(
        "answers written to integers have no history",
        lambda difference: (
            re.search(r"\b(eq|ne|lt|le|gt|ge)_\(", difference.line) is not None
            and (difference.aspect, difference.ours, difference.theirs) == ("requires_grad", False, True)
        ),
        "a = torch.tensor([1, 2])\na.eq_(torch.ones(2, requires_grad=True))",
    ),
    Deviation(
        "of equal elements it is the first",
        other_of_equal,
        "a = torch.tensor([0.3, 0.7, 2.1, 0.3, 0.7, 2.1]).topk(1)",
    ),
    Deviation(
        "factorizations are done again",
        aspect("_saved_LU", "_saved_pivots"),
        "a = torch.eye(2, requires_grad=True)\nb = torch.linalg.det(a)",
    ),
    Deviation(
        "arguments of methods are counted as those of the function",
        same_but_for(r"(?<=\(position )\d(?=\) must be Tensor, not )"),
        "a = torch.ones(2).equal(2)",
    ),
    Deviation(
        "messages show tensors as Python does",
        same_but_for(r"(?<=torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ).*"),
        "a = torch.ones(2, 2)\nb = torch.meshgrid(a, a, indexing='ij')",
    ),
    Deviation(
        "a position where there is nothing is an IndexError",
        nothing_to_fill,
        "a = torch.ones(0).index_fill(0, torch.tensor([0]), 1)",
    ),
    Deviation(
        "`set_` keeps the history",
        lambda difference: difference.aspect != "raises" and any(".set_(" in line for line in difference.lines),
        "a = torch.ones(2, requires_grad=True)\nb = a * 1\nb.set_(b.detach())",
    ),
    Deviation(
        "gradients are no views",
        view_of_gradient,
        "a = torch.tensor(-2.3, requires_grad=True)\nd = a.sum(-1)\n"
        "e, f = torch.autograd.grad(d, [d, a], allow_unused=True)",
    ),
]


def excused(difference: Difference) -> Deviation | None:
    """The deviation that a difference is a case of, if it is."""
    return next((known for known in KNOWN if known.covers(difference)), None)
