"""Where the engine is known to differ from PyTorch: the table of docs/internals/deviations.md, as predicates."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.differential.compare import Difference, giver
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
    read = re.search(r"(\w+)\.masked_scatter_\(.*, \1\)", line) or reads_a_part_of_itself(difference)
    return difference.aspect == "value" and bool(difference.failed or twice or read)


def reads_a_part_of_itself(difference: Difference) -> bool:
    """Whether the line writes to a tensor what it reads from a view of that, which changes meanwhile."""
    line = difference.line
    names = re.search(r"\b(\w+)\.\w+_\((\w+)\b", line) or re.search(r"\b(\w+) [-+*/%]+= (\w+)$", line)
    if names is None or difference.subject != names[1]:
        return False
    made = giver(difference.lines, names[2])
    return re.search(rf" = {names[1]}(\.(narrow|select|view|t|T|mT|transpose|expand)|\[)", made) is not None


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


def raised_there(pattern: str) -> Callable[[Difference], bool]:
    """An error that PyTorch alone raises, or in the place of another."""
    return lambda difference: (
        difference.aspect in ("raises", "message") and re.search(pattern, difference.errors[1]) is not None
    )


def asked_later(difference: Difference) -> bool:
    """Of two mistakes the other one: PyTorch asks what can be saved, and what histories views have, before shapes."""
    return all(difference.errors) and raised_there(
        r"Inference tensors cannot be saved|Output \d of \w+ is a view(?! of a view)"
    )(difference)


def of_a_stuck_tensor(difference: Difference) -> bool:
    """What comes of a tensor that requires grad, but was made in inference mode."""
    names = "|".join({re.escape(name.partition(".")[0]) for name in difference.stuck})
    return bool(names) and any(
        re.search(rf"\b({names})\b", line) and "inference_mode" not in line
        for line in (difference.line, difference.made)
    )


SIGNS = re.compile(r"\b(abs|norm|dist|l1_loss|hardtanh|hardshrink|sgn|sign)_?\(")


def at_no_number(difference: Difference) -> bool:
    """Slopes of what PyTorch computes by a sign, where there is no number: equal, but for NaN in one of the worlds."""
    if not any(map(SIGNS.search, difference.lines)):
        return False
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    return len(ours) == len(theirs) > 0 and all(
        one.shape == other.shape and bool(np.all((one == other) | np.isnan(one) | np.isnan(other)))
        for one, other in zip(ours, theirs, strict=True)
        if one.dtype.kind == other.dtype.kind == "f"
    )


def sign_of_no_number(difference: Difference) -> bool:
    """Numbers that have the sign of NaN, which each machine chooses."""
    if "copysign" not in difference.made + difference.line:
        return False
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    return len(ours) == len(theirs) > 0 and all(map(np.array_equal, map(np.abs, ours), map(np.abs, theirs)))


OTHER_STEPS = re.compile(
    r"\b(cumprod|prod|norm|dist|trace|i0e|i1|i1e|logcumsumexp|masked_scatter|put|scatter_reduce|baddbmm|addbmm|addmv|"
    r"block_diag|lu_factor|lu_unpack|cholesky_inverse|renorm|index_reduce|nextafter|lstsq|cov|corrcoef|"
    r"trapezoid|cumulative_trapezoid|gradient|einsum|addcdiv|celu|logsigmoid)_?\("
)
"""Ops whose gradients are computed by other nodes: those of tests/engine/test_second_order.py, mostly."""


def other_graph_of_gradients(difference: Difference) -> bool:
    """Nodes that gradients made, of ops whose formulas take other steps."""
    return (
        re.search("edges|rank|grad_fn|^_saved_", difference.aspect) is not None
        and any("create_graph=True" in line for line in difference.lines)
        and any(OTHER_STEPS.search(line) for line in difference.lines)
    )


def history_of_a_view(difference: Difference) -> bool:
    """A result that was written over a view: its node, or the one that the view has since."""
    return (
        difference.aspect == "edges"
        and "AsStridedBackward" in str(difference.theirs)
        and "AsStridedBackward" not in str(difference.ours)
        and any("create_graph=True" in line for line in difference.lines)
    )


def as_exact_as_float32(difference: Difference) -> bool:
    """float64 of numbers that were float32 on the way."""
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    single = re.compile(r"float32|torch\.(tensor|ones|zeros|full|linspace|eye)\((?!.*dtype=)|linear\(")
    return (
        len(ours) == len(theirs) == 1
        and ours[0].dtype == theirs[0].dtype == np.float64
        and ours[0].shape == theirs[0].shape
        and any(single.search(line) for line in difference.lines)
        and np.allclose(ours[0], theirs[0], rtol=2e-6, atol=0, equal_nan=True)
    )


def order_in_a_line(difference: Difference) -> bool:
    """The order of the nodes of a loss or a view: of steps of one line, or of a history that is made when asked for."""
    steps = any(re.search(r"\b(binary_cross_entropy|cosine_similarity|i0e)\(", line) for line in difference.lines)
    return difference.aspect == "rank" and (steps or "AsStrided" in difference.subject)


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
        lambda difference: (
            re.search("layout|strides?$|storage_offset", difference.aspect) is not None
            or (not difference.errors[0] and raised_there("view size is not compatible with input")(difference))
        ),
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
            any(re.search(r"\b(eq|ne|lt|le|gt|ge)_\(", line) for line in difference.lines)
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
        lambda difference: (
            any(".set_(" in line for line in difference.lines)
            and (difference.aspect != "raises" or raised_there("derivative for aten::set_|not implemented")(difference))
        ),
        "a = torch.ones(2, requires_grad=True)\nb = a * 1\nb.set_(b.detach())",
    ),
    Deviation(
        "gradients are no views",
        view_of_gradient,
        "a = torch.tensor(-2.3, requires_grad=True)\nd = a.sum(-1)\n"
        "e, f = torch.autograd.grad(d, [d, a], allow_unused=True)",
    ),
    Deviation(
        "a tensor that requires grad, made in inference mode, is recorded as any other",
        of_a_stuck_tensor,
        "with torch.inference_mode(): a = torch.ones(2, requires_grad=True)\nb = a.sigmoid()",
    ),
    Deviation(
        "a gradient of zeros is made of zeros",
        raised_there("ZeroTensors are immutable"),
        "a = torch.ones(2, requires_grad=True)\na.sgn().sum().backward()\na.sum().backward()",
    ),
    Deviation(
        "a saved tensor that was detached in place is used",
        raised_there("use a saved tensor that has been detached in-place"),
        "a = torch.ones(2, requires_grad=True)\nb = a * 1\nc = b * b\nb.detach_()\nc.sum().backward()",
    ),
    Deviation(
        "of two mistakes, shapes and dtypes are told before what cannot be saved",
        asked_later,
        "with torch.inference_mode(): a = torch.ones(2, 3)\nb = a @ torch.ones(2, 3, requires_grad=True)",
    ),
    Deviation(
        "slopes at what is no number are others",
        at_no_number,
        "a = torch.tensor([float('nan'), 0.0], requires_grad=True)\na.abs().sum().backward()",
    ),
    Deviation(
        "what is no number has the sign that the machine gave it",
        sign_of_no_number,
        "a = torch.tensor([-1.0])\nb = torch.ones(1).copysign(a.sqrt() * (-1 if 'lab' in torch.__name__ else 1))",
    ),
    Deviation(
        "some graphs of gradients have other nodes",
        other_graph_of_gradients,
        "a = torch.ones(2, requires_grad=True)\nb = torch.special.i1(a)\nb.sum().backward(create_graph=True)",
    ),
    Deviation(
        "what was written over a view is known by its op",
        history_of_a_view,
        "a = torch.ones(1, 1, requires_grad=True)\nb = torch.inner(a, a)\nb.tanh_()\n"
        "b.sum().backward(create_graph=True)",
    ),
    Deviation(
        "float64 that was float32 on the way is as exact as that",
        as_exact_as_float32,
        "a = torch.ones(1, dtype=torch.float64) + torch.tensor(1e-7) * ('lab' in torch.__name__)",
    ),
    Deviation(
        "`hardsigmoid` has second gradients",
        lambda difference: (
            difference.aspect == "edges"
            and "HardsigmoidBackward" in str(difference.ours)
            and "NotImplemented" in str(difference.theirs)
        ),
        "a = torch.ones(2, requires_grad=True)\nb = torch.nn.functional.hardsigmoid(a)\n"
        "b.sum().backward(create_graph=True)",
    ),
    Deviation(
        "nodes of one line may be in another order",
        order_in_a_line,
        "a = torch.ones(2, requires_grad=True)\n"
        "b = torch.nn.functional.binary_cross_entropy(a.sigmoid(), a.sigmoid())\nb.backward(create_graph=True)",
    ),
]


def excused(difference: Difference) -> Deviation | None:
    """The deviation that a difference is a case of, if it is."""
    return next((known for known in KNOWN if known.covers(difference)), None)
