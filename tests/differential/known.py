"""Where the engine is known to differ from PyTorch: the table of docs/internals/deviations.md, with rules."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.differential import messages, proofs, rules
from tests.differential.compare import Difference


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
        rules.aspect("grad.version"),
        "a = torch.ones(2, requires_grad=True)\na.backward(a)",
        ends=False,
    ),
    Deviation(
        "no writes are counted from before a result was returned",
        rules.counted_on_the_way,
        "a = torch.ones(2, requires_grad=True)\nb = a * a\nc, = torch.autograd.grad(b.sum(), a)",
    ),
    Deviation(
        "memory layout is numpy's",
        lambda difference: (
            re.search("layout|strides?$|storage_offset", difference.aspect) is not None
            or (difference.aspect == "warns" and "layout contract" in str(difference.theirs))
            or messages.overlaps_in_one(difference)
            or messages.needs_other_memory(difference)
            or messages.written_to_itself(difference)
            or rules.viewed_otherwise(difference)
            or ("rms_norm(" in difference.made and "CloneBackward0" in str(difference.theirs))
            or (
                not difference.errors[0] and messages.raised_there("view size is not compatible with input")(difference)
            )
        ),
        "a = torch.ones(2, 3).t()\nb = a.expand(1, 3, 2) / torch.ones(3, 2)",
    ),
    Deviation(
        "an op on what leads nowhere saves what only that would need",
        rules.unneeded,
        "a = torch.ones(2, requires_grad=True)\nwith torch.no_grad(): b = a[:]\nc = b * 2",
    ),
    Deviation(
        "a write that fails leaves what was there, and one to memory that is shared or read takes it as it was",
        rules.left_by_chance,
        "a = torch.tensor([-2, -2, 0, 1])\na.remainder_(a)",
    ),
    Deviation(
        "answers written to integers have no history",
        lambda difference: (
            (
                any(re.search(r"\b(eq|ne|lt|le|gt|ge)_\(|\] = ", line) for line in difference.lines)
                and (difference.aspect, difference.ours, difference.theirs) == ("requires_grad", False, True)
            )
            or messages.raised_there("Autograd not support dtype")(difference)
        ),
        "a = torch.tensor([1, 2])\na.eq_(torch.ones(2, requires_grad=True))",
    ),
    Deviation(
        "of equal elements it is the first",
        rules.other_of_equal,
        "a = (torch.arange(40.0) % 3).sort()",
    ),
    Deviation(
        "factorizations are done again",
        rules.aspect("_saved_LU", "_saved_pivots"),
        "a = torch.eye(2, requires_grad=True)\nb = torch.linalg.det(a)",
        ends=False,
    ),
    Deviation(
        "which element of a singular matrix is zero hangs on rounding",
        messages.same_but_for(r"(?<=diagonal element )\d+|(?<=Batch element )\d+"),
        "a = torch.linalg.inv(torch.diag(torch.arange(3.0).roll(int('lab' in torch.__name__))))",
    ),
    Deviation(
        "whether a matrix that is singular but for rounding is found to be, hangs on rounding",
        messages.singular_in_one,
        "a = torch.linalg.inv(torch.ones(2, 2) + torch.eye(2) * (1e-9 if 'lab' in torch.__name__ else 1.0))",
    ),
    Deviation(
        "what is no number spreads through a system as the library has it",
        rules.no_number_in_a_system,
        "a = torch.tensor([[-1.2, 2.1], [2.1, 0.0]])\nb = a ** -1\nb.addcdiv_(a.exp(), b)\n"
        "c = torch.cholesky_solve(a / a, b)",
    ),
    Deviation(
        "least squares are as exact as their condition",
        rules.as_exact_as_its_system,
        "a = torch.linalg.lstsq(torch.eye(2), torch.ones(2, 1))[0] * (1 + 1e-4 * ('lab' in torch.__name__))",
    ),
    Deviation(
        "the gradient of a running extreme of nothing is the input itself only where it is recorded",
        rules.input_of_nothing,
        "a = torch.ones(0, requires_grad=True)\nb = a.cummax(0)[0]\nc = torch.autograd.grad(b.sum(), a)",
    ),
    Deviation(
        "an op without a derivative has no edges that lead nowhere",
        rules.leads_nowhere,
        "a = torch.ones(2, requires_grad=True)\nwith torch.no_grad(): b = a[:]\nc = torch.heaviside(b, b)",
    ),
    Deviation(
        "the mean of what has infinities is infinite",
        rules.mean_of_infinities,
        "a = torch.tensor([[float('inf'), 1.0]], dtype=torch.float64, requires_grad=True)\n"
        "b = torch.nn.functional.layer_norm(a, (2,))",
    ),
    Deviation(
        "the median of repeated memory is the one of its elements",
        proofs.repeated_memory,
        "a = torch.tensor([1.0]).expand(3, 2)\nb = a.median(-1)",
    ),
    Deviation(
        "messages show tensors as Python does",
        messages.same_but_for(r"(?<=torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ).*"),
        "a = torch.ones(2, 2)\nb = torch.meshgrid(a, a, indexing='ij')",
        ends=False,
    ),
    Deviation(
        "a position where there is nothing is an IndexError",
        messages.nothing_to_fill,
        "a = torch.ones(0).index_fill(0, torch.tensor([0]), 1)",
    ),
    Deviation(
        "`set_` keeps the history",
        lambda difference: (
            any(".set_(" in line for line in difference.lines)
            and (
                difference.aspect != "raises"
                or messages.raised_there("derivative for aten::set_|not implemented")(difference)
            )
        ),
        "a = torch.ones(2, requires_grad=True)\nb = a * 1\nb.set_(b.detach())",
    ),
    Deviation(
        "gradients are no views",
        rules.view_of_gradient,
        "a = torch.tensor(-2.3, requires_grad=True)\nd = a.sum(-1)\n"
        "e, f = torch.autograd.grad(d, [d, a], allow_unused=True)",
    ),
    Deviation(
        "a tensor that requires grad, made in inference mode, is recorded as any other",
        messages.of_a_stuck_tensor,
        "with torch.inference_mode(): a = torch.ones(2, requires_grad=True)\nb = a.sigmoid()",
    ),
    Deviation(
        "a gradient of zeros is made of zeros",
        messages.raised_there("ZeroTensors are immutable"),
        "a = torch.ones(2, requires_grad=True)\na.sgn().sum().backward()\na.sum().backward()",
    ),
    Deviation(
        "of two mistakes, shapes and dtypes are told before what cannot be saved",
        messages.asked_later,
        "with torch.inference_mode(): a = torch.ones(2, 3)\nb = a @ torch.ones(2, 3, requires_grad=True)",
    ),
    Deviation(
        "that a view has lost its history is told after what does not fit it",
        messages.lost_later,
        "a = torch.ones(2, requires_grad=True) * 1\nwith torch.no_grad(): b = a[:]\na.zero_()\nc = b.expand(3)",
    ),
    Deviation(
        "slopes at what is no number are others",
        rules.at_no_number,
        "a = torch.tensor([float('nan'), 0.0], requires_grad=True)\na.abs().sum().backward()",
    ),
    Deviation(
        "which output was written to is told as it is when the error is raised",
        messages.output_it_was,
        "a = torch.ones(2, requires_grad=True)\nb = a.sum()\nc = b.std()\nb.erf_()\nb.detach_()",
        ends=False,
    ),
    Deviation(
        "a position that is not there is told as one of its dimension",
        lambda difference: all(difference.errors) and messages.raised_there("index out of range in self")(difference),
        "a = torch.zeros(3, 1, 2).index_add(1, torch.tensor([5]), torch.ones(3, 1, 2))",
    ),
    Deviation(
        "whether a deviation that is divided by 0 is infinite, or no number, hangs on rounding",
        rules.without_freedom,
        "a = torch.full((3,), -0.9)\nb = a.std(correction=4)",
    ),
    Deviation(
        "what is no number has the sign that the machine gave it",
        rules.sign_of_no_number,
        "a = torch.tensor([-1.0])\nb = torch.ones(1).copysign(a.sqrt() * (-1 if 'lab' in torch.__name__ else 1))",
    ),
    Deviation(
        "some graphs of gradients have other nodes",
        lambda difference: rules.other_graph_of_gradients(difference) or proofs.graph_of_singular(difference),
        "a = torch.ones(2, requires_grad=True)\nb = torch.special.i1(a)\nb.sum().backward(create_graph=True)",
    ),
    Deviation(
        "what was written over a view is known by its op",
        rules.history_of_a_view,
        "a = torch.ones(1, 1, requires_grad=True)\nb = torch.inner(a, a)\nb.tanh_()\n"
        "b.sum().backward(create_graph=True)",
    ),
    Deviation(
        "float64 that was float32 on the way, or float32 that was half, is as exact as that",
        lambda difference: any(
            rule(difference) for rule in (rules.as_exact_as_float32, proofs.as_exact_as_single, proofs.as_exact_as_half)
        ),
        "a = torch.ones(1, dtype=torch.float64) + torch.tensor(1e-7) * ('lab' in torch.__name__)",
    ),
    Deviation(
        "the inverse of a matrix that is nearly singular hangs on rounding",
        proofs.nearly_singular,
        "a = torch.ones(2, 2)\na[0, 0] += 1e-5\nb = torch.linalg.inv(a) * (1 + 1e-2 * ('lab' in torch.__name__))",
    ),
    Deviation(
        "correlations are cut off at 1, or divided by nearly nothing, as rounding has it",
        proofs.correlation_on_its_edge,
        "a = torch.tensor([[1.0, 1.0, 1.0], [1.0, 2.0, 3.0]])\n"
        "b = torch.corrcoef(a).nan_to_num(float('lab' in torch.__name__))",
    ),
    Deviation(
        "`hardsigmoid` and `cdist` have second gradients",
        rules.more_derivatives,
        "a = torch.ones(2, requires_grad=True)\nb = torch.nn.functional.hardsigmoid(a)\n"
        "b.sum().backward(create_graph=True)",
    ),
    Deviation(
        "which solution of a system of low rank is found hangs on the rank that the library sees",
        rules.of_low_rank,
        "a = torch.linalg.lstsq(torch.tensor([[1.0, 2.0], [2.0, 4.0]]), torch.ones(2, 1), driver='gels')[0]",
    ),
    Deviation(
        "a node whose gradient is refused by where it goes has freed what it saved",
        messages.after_a_refusal,
        "a = torch.ones(3, 1, requires_grad=True)\nb = a * 1\nwith torch.no_grad(): b.t_()\nc = b.exp()\n"
        "c.sum().backward()",
    ),
    Deviation(
        "a gradient that is kept stays that of its output when another one is written to",
        rules.kept_of_another,
        "a = torch.ones(2, requires_grad=True)\nb, c = torch.var_mean(a)\nb.retain_grad()\nc.retain_grad()\n"
        "c /= c\nc.backward()",
    ),
    Deviation(
        "nodes of one line may be in another order",
        rules.order_in_a_line,
        "a = torch.ones(2, requires_grad=True)\n"
        "b = torch.nn.functional.binary_cross_entropy(a.sigmoid(), a.sigmoid())\nb.backward(create_graph=True)",
    ),
    Deviation(
        "a product whose factor's module was cast since has gradients",
        messages.of_a_cast_module,
        "a = linear(1, 2)\nb = a.weight @ torch.ones(1, 2, requires_grad=True)\na.double()\nb.sum().backward()",
    ),
    Deviation(
        "a gradient that leads nowhere is not looked at, also where `.data` was exchanged since",
        messages.of_exchanged_data,
        "a = torch.ones(2, 3, requires_grad=True)\nb = a * 1\nb.data = torch.ones(2, 1)\nc = a * 1\n"
        "d = torch.autograd.grad(b, c, torch.ones(2, 1), allow_unused=True)",
    ),
    Deviation(
        "which kernel tells that sizes do not fit hangs on the strides of single rows",
        messages.which_kernel_tells,
        "a = torch.ones(3, 1, 2, requires_grad=True).rot90()\nb = torch.nn.functional.linear(a, torch.ones(3))",
    ),
    Deviation(
        "triangles of a batch, and places, whose memory is repeated may be written to",
        messages.repeated_triangle,
        "a = torch.ones(3, 1, 1).expand(2, 3, 1, 2)\na.tril_()",
    ),
    Deviation(
        "what is added to a product with nothing has the product's size",
        messages.resized_sum,
        "a = torch.ones(1).addmv(torch.ones(2, 0), torch.ones(0))",
    ),
    Deviation(
        "the gradient that a running extreme of nothing sends back is not its input",
        rules.counted_for_its_input,
        "a = torch.ones(0, requires_grad=True)\nb, c = a.view_as(a).cummax(0)\nb.backward(torch.ones(0))\n"
        "a.sum().backward()",
    ),
    Deviation(
        "in inference mode gradients are added to in place, whatever graph they were to have",
        rules.graph_of_a_sum,
        "a = torch.ones(1, requires_grad=True)\nb = a * 2\nwith torch.no_grad(): a.grad = b\n"
        "with torch.inference_mode(): b.backward(create_graph=True)",
    ),
    Deviation(
        "an inference tensor whose `.data` was exchanged can be printed",
        messages.of_exchanged_inference,
        "with torch.inference_mode(): a = torch.ones(2) * 2\na.data = torch.ones(2)",
    ),
    Deviation(
        "why singular values were not found is told in one way",
        messages.same_but_for(r"(?<=failed to converge because the input matrix ).*"),
        "a = torch.tensor([[-0.7, 2.0, 0.9], [-0.7, 0.3, 0.9], [-0.7, 0.3, 1.0]], requires_grad=True) / 0\n"
        "b = torch.nuclear_norm(a)",
    ),
    Deviation(
        "a gradient does not fit a leaf whose `.data` was exchanged for a smaller tensor",
        messages.of_another_shape,
        "a = torch.tensor([0.5, 1.1], requires_grad=True)\nb, c = a.unbind()\na.data = b\nc.backward()",
    ),
    Deviation(
        "whether infinite matrices have singular values, and which vectors, is LAPACK's matter",
        proofs.infinite_singular,
        "a = torch.full((3, 3), float('inf'))\nb = torch.nuclear_norm(a)",
    ),
    Deviation(
        "whether a batch is folded into one matrix hangs on the strides of single rows",
        proofs.folded_otherwise,
        "a = torch.ones(3, 1, 2, requires_grad=True).rot90()\nb = a @ torch.ones(2, 3)",
    ),
    Deviation(
        "singular vectors may point the other way",
        proofs.turned_round,
        "a = torch.tensor([[-0.4, 0.0], [1.1, -2.3], [-0.4, 0.5]]).t().requires_grad_()\nb = torch.nuclear_norm(a)",
        ends=False,
    ),
    Deviation(
        "what `ldexp_` gives, and integers cannot hold, is named by its dtype",
        messages.same_but_for(r"(?<=RuntimeError: )(result type Float|ldexp)(?= can't be cast)"),
        "a = torch.arange(3)\na.ldexp_(a)",
    ),
    Deviation(
        "an accumulator whose leaf a function has rewritten still names it",
        rules.rewritten_leaf,
        "a = torch.ones(2, requires_grad=True)\nb = a * a\na.requires_grad_(False)\na.add_(b)\nc = Doubled_.apply(a)",
    ),
]


def excused(difference: Difference) -> Deviation | None:
    """The deviation that a difference is a case of, if it is."""
    return next((known for known in KNOWN if known.covers(difference)), None)
