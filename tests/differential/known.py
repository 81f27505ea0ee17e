"""Where the engine is known to differ from PyTorch: the table of docs/internals/deviations.md, with rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.differential.compare import Difference
from tests.differential.proofs import (
    as_exact_as_half,
    as_exact_as_single,
    correlation_on_its_edge,
    nearly_singular,
    repeated_memory,
)
from tests.differential.rules import (
    after_a_refusal,
    as_exact_as_float32,
    as_exact_as_its_system,
    asked_later,
    aspect,
    at_no_number,
    counted_on_the_way,
    history_of_a_view,
    input_of_nothing,
    kept_of_another,
    leads_nowhere,
    left_by_chance,
    lost_later,
    mean_of_infinities,
    more_derivatives,
    no_number_in_a_system,
    nothing_to_fill,
    of_a_stuck_tensor,
    of_low_rank,
    order_in_a_line,
    other_graph_of_gradients,
    other_of_equal,
    output_it_was,
    overlaps_in_one,
    raised_there,
    same_but_for,
    sign_of_no_number,
    singular_in_one,
    unneeded,
    view_of_gradient,
    without_freedom,
)


@dataclass(frozen=True)
class Deviation:
    """A difference that is meant: its `reason`, what it `covers`, and a `program` that shows it.

    A program `ends` at one that has consequences; else all that follows is compared, too.
    """

    reason: str
    covers: Callable[[Difference], bool]
    program: str
    ends: bool = True


KNOWN: list[Deviation] = [
    Deviation(
        "a gradient that reached a leaf unchanged is copied, and counts no write",
        aspect("grad.version"),
        "a = torch.ones(2, requires_grad=True)\na.backward(a)",
        ends=False,
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
            or (difference.aspect == "warns" and "layout contract" in str(difference.theirs))
            or overlaps_in_one(difference)
            or ("rms_norm(" in difference.made and "CloneBackward0" in str(difference.theirs))
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
            (
                any(re.search(r"\b(eq|ne|lt|le|gt|ge)_\(|\] = ", line) for line in difference.lines)
                and (difference.aspect, difference.ours, difference.theirs) == ("requires_grad", False, True)
            )
            or raised_there("Autograd not support dtype")(difference)
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
        ends=False,
    ),
    Deviation(
        "arguments of methods are counted as those of the function",
        same_but_for(r"(?<=\(position )\d(?=\) must be Tensor, not )"),
        "a = torch.ones(2).equal(2)",
        ends=False,
    ),
    Deviation(
        "which element of a singular matrix is zero hangs on rounding",
        same_but_for(r"(?<=diagonal element )\d+|(?<=Batch element )\d+"),
        "a = torch.tensor([-1.0, -0.4, 0.0])\nb = torch.linalg.inv(torch.outer(a, a))",
    ),
    Deviation(
        "whether a matrix that is singular but for rounding is found to be, hangs on rounding",
        singular_in_one,
        "a = torch.linalg.inv(torch.ones(2, 2) + torch.eye(2) * (1e-9 if 'lab' in torch.__name__ else 1.0))",
    ),
    Deviation(
        "what is no number spreads through a system as the library has it",
        no_number_in_a_system,
        "a = torch.tensor([[-1.2, 2.1], [2.1, 0.0]])\nb = a ** -1\nb.addcdiv_(a.exp(), b)\n"
        "c = torch.cholesky_solve(a / a, b)",
    ),
    Deviation(
        "least squares are as exact as their condition",
        as_exact_as_its_system,
        "a = torch.linalg.lstsq(torch.eye(2), torch.ones(2, 1))[0] * (1 + 1e-4 * ('lab' in torch.__name__))",
    ),
    Deviation(
        "the gradient of a running extreme of nothing is the input itself only where it is recorded",
        input_of_nothing,
        "a = torch.ones(0, requires_grad=True)\nb = a.cummax(0)[0]\nc = torch.autograd.grad(b.sum(), a)",
    ),
    Deviation(
        "an op without a derivative has no edges that lead nowhere",
        leads_nowhere,
        "a = torch.ones(2, requires_grad=True)\nwith torch.no_grad(): b = a[:]\nc = torch.heaviside(b, b)",
    ),
    Deviation(
        "the mean of what has infinities is infinite",
        mean_of_infinities,
        "a = torch.tensor([[float('inf'), 1.0]], requires_grad=True)\nb = torch.nn.functional.layer_norm(a, (2,))",
    ),
    Deviation(
        "the median of repeated memory is the one of its elements",
        repeated_memory,
        "a = torch.tensor([1.0]).expand(3, 2)\nb = a.median(-1)",
    ),
    Deviation(
        "messages show tensors as Python does",
        same_but_for(r"(?<=torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ).*"),
        "a = torch.ones(2, 2)\nb = torch.meshgrid(a, a, indexing='ij')",
        ends=False,
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
        "that a view has lost its history is told after what does not fit it",
        lost_later,
        "a = torch.ones(2, requires_grad=True) * 1\nwith torch.no_grad(): b = a[:]\na.zero_()\nc = b.expand(3)",
    ),
    Deviation(
        "slopes at what is no number are others",
        at_no_number,
        "a = torch.tensor([float('nan'), 0.0], requires_grad=True)\na.abs().sum().backward()",
    ),
    Deviation(
        "which output was written to is told as it is when the error is raised",
        output_it_was,
        "a = torch.ones(2, requires_grad=True)\nb = a.sum()\nc = b.std()\nb.erf_()\nb.detach_()",
        ends=False,
    ),
    Deviation(
        "a position that is not there is told as one of its dimension",
        lambda difference: all(difference.errors) and raised_there("index out of range in self")(difference),
        "a = torch.zeros(3, 1, 2).index_add(1, torch.tensor([5]), torch.ones(3, 1, 2))",
    ),
    Deviation(
        "whether a deviation that is divided by 0 is infinite, or no number, hangs on rounding",
        without_freedom,
        "a = torch.tensor([[-0.9, -0.9], [0.4, -0.9], [0.2, -0.9]])\nb = a.std(0, correction=4)",
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
        "float64 that was float32 on the way, or float32 that was half, is as exact as that",
        lambda difference: any(
            rule(difference) for rule in (as_exact_as_float32, as_exact_as_single, as_exact_as_half)
        ),
        "a = torch.ones(1, dtype=torch.float64) + torch.tensor(1e-7) * ('lab' in torch.__name__)",
    ),
    Deviation(
        "the inverse of a matrix that is nearly singular hangs on rounding",
        nearly_singular,
        "a = torch.ones(2, 2)\na[0, 0] += 1e-5\nb = torch.linalg.inv(a) * (1 + 1e-2 * ('lab' in torch.__name__))",
    ),
    Deviation(
        "correlations are cut off at 1, or divided by nearly nothing, as rounding has it",
        correlation_on_its_edge,
        "a = torch.tensor([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0]])\n"
        "b = torch.corrcoef(a).nan_to_num(float('lab' in torch.__name__))",
    ),
    Deviation(
        "`hardsigmoid` and `cdist` have second gradients",
        more_derivatives,
        "a = torch.ones(2, requires_grad=True)\nb = torch.nn.functional.hardsigmoid(a)\n"
        "b.sum().backward(create_graph=True)",
    ),
    Deviation(
        "which solution of a system of low rank is found hangs on the rank that the library sees",
        of_low_rank,
        "a = torch.linalg.lstsq(torch.tensor([[1.0, 2.0], [2.0, 4.0]]), torch.ones(2, 1), driver='gels')[0]",
    ),
    Deviation(
        "a node whose gradient is refused by where it goes has freed what it saved",
        after_a_refusal,
        "a = torch.ones(3, 1, requires_grad=True)\nb = a * 1\nwith torch.no_grad(): b.t_()\nc = b.exp()\n"
        "c.sum().backward()",
    ),
    Deviation(
        "a gradient that is kept stays that of its output when another one is written to",
        kept_of_another,
        "a = torch.ones(2, requires_grad=True)\nb, c = torch.var_mean(a)\nb.retain_grad()\nc.retain_grad()\n"
        "c /= c\nc.backward()",
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
