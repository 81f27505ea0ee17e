"""By what one recognises the differences from PyTorch that are known: predicates of a difference."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tests.differential.compare import Difference
from tests.differential.messages import raised_there
from tests.differential.proofs import (
    jumps_by_rounding,
    mode_of_no_numbers,
    numbers,
    rounded_apart,
    writes_what_it_reads,
)


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
    line = difference.made or difference.line
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    if mode_of_no_numbers(difference) or rounded_apart(difference) or jumps_by_rounding(difference):
        return True
    if re.search(r"\b(arg)?sort\(", line):
        return len(ours) == len(theirs) > 0 and all(map(np.array_equal, map(np.sort, ours), map(np.sort, theirs)))
    if not re.search(r"\b(topk|kthvalue|median|nanmedian|quantile|nanquantile|mode)\(", line):
        return False
    floats = [[one for one in some if one.dtype.kind == "f"] for some in (ours, theirs)]
    return len(ours) == len(theirs) > len(floats[1]) and all(
        one.shape == other.shape and np.allclose(one, other, rtol=1e-6, atol=1e-7, equal_nan=True)
        for one, other in zip(*floats, strict=True)
    )


def left_by_chance(difference: Difference) -> bool:
    """What PyTorch has written before it saw that it cannot, or in what order where memory is written to twice."""
    line = difference.line
    twice = any("unfold(" in one for one in difference.lines) and re.search(r"\w_\(|[-+*/%&|^]= |apply\(", line)
    if difference.aspect == "warns":  # of what it then begins to write
        return difference.failed
    if difference.aspect not in ("value", "grad.value"):
        return False
    return bool(difference.failed or twice or writes_what_it_reads(difference))


def unneeded(difference: Difference) -> bool:
    """What nobody will need is saved all the same, or refused because it cannot be."""
    ours, theirs = difference.errors
    if not theirs and "Inference tensors cannot be saved for backward" in ours:
        nowhere = re.compile(r"no_grad|set_grad_enabled\(False\)|\bnextafter\(")
        return any(map(nowhere.search, difference.lines))
    return difference.aspect.startswith("_saved_") and difference.theirs is None


def kept_of_another(difference: Difference) -> bool:
    """Whose gradient is kept once one of a node's outputs was written to: PyTorch takes the first output's instead."""
    made = re.match(r"(\w+), (\w+) = ", difference.made)
    if made is None or difference.aspect != "has grad" or difference.subject != made[1]:
        return False
    return any(re.match(rf"{made[2]}( [-+*/%]+= |\.\w+_\()", line) for line in difference.lines)


def view_of_gradient(difference: Difference) -> bool:
    """PyTorch's gradients may be views: of each other, or of what has no name, which refuses some writes."""
    gives = re.compile(r"\bgrad\(").search
    if difference.aspect == "base":
        return difference.theirs is None or any(map(gives, difference.lines))
    if difference.aspect == "name of":
        return gives(difference.made) is not None
    refused = raised_there(
        r"A view was created in no_grad mode|more than one element of the written-to tensor|Can't detach views in-place"
    )
    refuses = not difference.errors[1] and "A view was created in no_grad mode" in difference.errors[0]
    return (refuses or refused(difference)) and any(map(gives, difference.lines))


SOLVERS = re.compile(r"\b(\w*solve\w*|lstsq|inv|inverse|pinv|det|matmul|mm|tensordot|linear)\(| @ ")


def no_number_in_a_system(difference: Difference) -> bool:
    """Of what is solved with NaN: which numbers of the solution a library still finds."""
    if not SOLVERS.search(difference.made or difference.line):
        return False
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    return len(ours) == len(theirs) > 0 and all(
        one.shape == other.shape and bool(np.all((one == other) | np.isnan(one) | np.isnan(other)))
        for one, other in zip(ours, theirs, strict=True)
    )


def as_exact_as_its_system(difference: Difference) -> bool:
    """Numbers of a least squares problem, which loses as many digits as its condition has."""
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    return (
        any("lstsq(" in line for line in difference.lines)
        and len(ours) == len(theirs) > 0
        and all(one.shape == other.shape and one.dtype == other.dtype for one, other in zip(ours, theirs, strict=True))
        and all(
            not other.any()
            or np.allclose(
                one, other, rtol=1e-3, atol=5e-3 if one.dtype == np.float32 else 1e-8, equal_nan=True
            )  # all zeros: MKL refused the system
            for one, other in zip(ours, theirs, strict=True)
        )
    )


def input_of_nothing(difference: Difference) -> bool:
    """PyTorch's gradient of a running extreme of nothing: the input itself, with its history."""
    empty = any(re.search(r"\bcum(max|min)\(", line) for line in difference.lines)
    of_nothing = "create_graph=True" not in difference.line and "[]" in str(difference.ours)
    return empty and (difference.aspect == "logs" or (difference.aspect in ("value", "requires_grad") and of_nothing))


def leads_nowhere(difference: Difference) -> bool:
    """Edges of an op without a derivative to what requires grad, but leads nowhere."""
    return (
        difference.aspect == "edges"
        and difference.subject.endswith("NotImplemented")
        and isinstance(difference.theirs, list)
        and difference.ours == [edge for edge in difference.theirs if edge is not None]
    )


def mean_of_infinities(difference: Difference) -> bool:
    """The mean that a normalisation saves where there are infinite numbers."""
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    return difference.aspect == "_saved_result1" and all(
        np.array_equal(np.where(np.isinf(one), np.nan, one), other, equal_nan=True)
        for one, other in zip(ours, theirs, strict=True)
    )


SIGNS = re.compile(r"\b(abs|norm|dist|l1_loss|hardtanh|hardshrink|sgn|sign)_?\(")


def at_no_number(difference: Difference) -> bool:
    """Slopes of what PyTorch computes by a sign, where there is no number: equal, but for NaN in one of the worlds."""
    if not any(map(SIGNS.search, difference.lines)):
        return False
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    return len(ours) == len(theirs) > 0 and all(
        one.shape == other.shape and bool(np.all(np.isclose(one, other, 2e-5) | np.isnan(one) | np.isnan(other)))
        for one, other in zip(ours, theirs, strict=True)
        if one.dtype.kind == other.dtype.kind == "f"
    )


def without_freedom(difference: Difference) -> bool:
    """Deviations divided by 0: infinite if rounding left a distance from the mean, no number if it left none."""
    if not re.search(r"\b(std|var)\w*\(.*(correction|unbiased)", difference.made or difference.line):
        return False
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    return len(ours) == len(theirs) > 0 and all(
        one.shape == other.shape and bool(np.all((one == other) | ~(np.isfinite(one) | np.isfinite(other))))
        for one, other in zip(ours, theirs, strict=True)
    )


def sign_of_no_number(difference: Difference) -> bool:
    """Numbers that have the sign of NaN, which each machine chooses."""
    if "copysign" not in difference.made + difference.line:
        return False
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    return len(ours) == len(theirs) > 0 and all(map(np.array_equal, map(np.abs, ours), map(np.abs, theirs)))


OTHER_STEPS = re.compile(
    r"\b(cumprod|prod|norm|dist|trace|i0e|i1|i1e|logcumsumexp|masked_scatter|put|scatter_reduce|baddbmm|addbmm|addmv|"
    r"block_diag|nuclear_norm|lu_factor|lu_unpack|cholesky_inverse|renorm|index_reduce|nextafter|lstsq|"
    r"trapezoid|cumulative_trapezoid|gradient|einsum|addcdiv|celu|logsigmoid|amax|amin|multigammaln|mvlgamma)_?\("
)
"""Ops whose gradients are computed by other nodes: those of tests/engine/test_second_order.py, mostly."""


def other_graph_of_gradients(difference: Difference) -> bool:
    """Nodes that gradients made, of ops whose formulas take other steps: they are there after that very line."""
    if difference.aspect.startswith("_saved_") and difference.subject.endswith("BackwardBackward0"):
        return True
    return (
        re.search("edges|rank|grad_fn|^_saved_", difference.aspect) is not None
        and "create_graph=True" in difference.line
        and any(OTHER_STEPS.search(line) for line in difference.lines)
    )


def history_of_a_view(difference: Difference) -> bool:
    """A result that was written over a view: its node, or the one that the view has since."""
    return (
        difference.aspect == "edges"
        and ("AsStridedBackward" in str(difference.theirs) or difference.subject.endswith("CopySlices"))
        and "AsStridedBackward" not in str(difference.ours)
        and any("create_graph=True" in line for line in difference.lines)
    )


def as_exact_as_float32(difference: Difference) -> bool:
    """Numbers of more digits than what they were on the way: float32, or half precision."""
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    halves = any("float16" in line or ".half()" in line for line in difference.lines)
    single = re.compile(r"float32|torch\.(tensor|ones|zeros|full|linspace|eye)\((?!.*dtype=)|linear\(")
    return (
        len(ours) == len(theirs) == 1
        and ours[0].dtype == theirs[0].dtype
        and (ours[0].dtype == np.float64 or (halves and ours[0].dtype == np.float32))
        and ours[0].shape == theirs[0].shape
        and any(single.search(line) for line in difference.lines)
        and np.allclose(ours[0], theirs[0], rtol=4e-3 if halves else 2e-5, atol=0, equal_nan=True)
    )


def order_in_a_line(difference: Difference) -> bool:
    """The order of the nodes of a loss or a view: of steps of one line, or of a history that is made when asked for.

    Here that is made before the node which asks for it, so the two are the other way round.
    """
    written = any(re.search(r"\w_\(|[-+*/%&|^]= |\] = |apply\(", line) for line in difference.lines)
    in_steps = re.compile(r"\b(binary_cross_entropy|cosine_similarity|i0e|gradient)\(")
    steps = any(map(in_steps.search, difference.lines))
    cast = "create_graph" in difference.line and any("dtype=torch.float" in line for line in difference.lines)
    both = difference.ours, difference.theirs
    neighbours = all(isinstance(one, int) for one in both) and abs(difference.ours - difference.theirs) == 1
    known = steps or cast or "AsStrided" in difference.subject
    return difference.aspect == "rank" and (known or (written and neighbours))


def more_derivatives(difference: Difference) -> bool:
    """Derivatives that PyTorch does not have, or has as a node that refuses."""
    return difference.aspect in ("edges", "grad_fn", "repr") and (
        ("HardsigmoidBackward" in str(difference.ours) and "NotImplemented" in str(difference.theirs))
        or "CdistBackwardBackward0" in str(difference.theirs) + difference.subject
    )


def of_low_rank(difference: Difference) -> bool:
    """Least squares of a matrix of less than full rank, or nearly so: which solution, and whether there is one."""
    line = difference.made or difference.line
    if "lstsq(" not in line:
        return False
    if raised_there("does not have full rank")(difference):
        return True
    ours, theirs = (numbers(one) for one in (difference.ours, difference.theirs))
    return len(ours) == len(theirs) == 1 and (ours[0].shape, ours[0].dtype) == (theirs[0].shape, theirs[0].dtype)


def counted_for_its_input(difference: Difference) -> bool:
    """The version of nothing whose running extreme sent it back as its own gradient, which was then added to."""
    return difference.aspect == "version" and any(re.search(r"\bcumm(ax|in)\(", line) for line in difference.lines)


def graph_of_a_sum(difference: Difference) -> bool:
    """What a gradient is added to in inference mode, where it is to have a graph: in place, as nothing is recorded."""
    made = re.compile(r"inference_mode\(\): .*create_graph=True")
    if difference.aspect in ("raises", "message"):  # what then is an inference tensor there cannot be added to
        later = any(map(made.search, difference.lines)) and "backward(" in difference.line
        return later and "nference tensor" in difference.errors[1]
    return difference.aspect.startswith("grad.") and made.search(difference.line) is not None


def viewed_otherwise(difference: Difference) -> bool:
    """A shape given to what lies otherwise in memory there, so that another node does it."""
    ours, theirs = (
        str(one).replace("ReshapeAliasBackward0", "ViewBackward0") for one in (difference.ours, difference.theirs)
    )
    return difference.aspect in ("edges", "grad_fn") and ours == theirs


def rewritten_leaf(difference: Difference) -> bool:
    """The leaf of an accumulator that a function of the user's has written to: it is none any more."""
    return difference.aspect == "variable" and difference.theirs is None and ".apply(" in difference.line
