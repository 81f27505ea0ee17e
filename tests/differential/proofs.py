"""Rules that prove a known difference: they run the program again, up to the line, and look at what it had there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch

import autograd_lab
from tests.differential.compare import TOLERANCE, Difference
from tests.differential.observe import Numbers
from tests.differential.world import World

Array = np.ndarray[Any, Any]


def world_before(difference: Difference, module: Any) -> World:
    """The world as it was before the line."""
    world = World(module)
    for line in difference.lines[:-1]:
        world.run(line)
    return world


def operand(difference: Difference, ops: str) -> torch.Tensor | None:
    """What the op that the line is about was called on or with first, in PyTorch; an expression, too."""
    line = difference.made or difference.line
    found = re.search(rf"\btorch[.\w]*\.(?:{ops})\(([\w.]+(?:\(\))?)", line)
    found = found or re.search(rf"\b(\w+)\.(?:{ops})\(", line)
    if found is None:
        return None
    world = world_before(difference, torch)
    if world.run(f"operand_ = {found[1]}").error is not None:
        return None
    value = world.names["operand_"]
    return value if isinstance(value, torch.Tensor) else None


def numbers(value: Any) -> list[Array]:
    """All arrays in what was seen."""
    if isinstance(value, Numbers):
        return [value.array]
    return [array for one in value for array in numbers(one)] if isinstance(value, list | tuple) else []


def but_for_numbers(value: Any) -> Any:
    """What was seen, without its numbers, but with their dtypes and shapes."""
    if isinstance(value, Numbers):
        return str(value.array.dtype), value.array.shape
    return [but_for_numbers(one) for one in value] if isinstance(value, list | tuple) else value


def only_numbers(difference: Difference, close: Callable[[Array, Array], bool]) -> bool:
    """Whether all that differs is numbers, and these are `close`."""
    ours, theirs = difference.ours, difference.theirs
    if but_for_numbers(ours) != but_for_numbers(theirs):
        return False
    pairs = list(zip(numbers(ours), numbers(theirs), strict=True))
    return bool(pairs) and all(one.tobytes() == other.tobytes() or close(one, other) for one, other in pairs)


def repeated_memory(difference: Difference) -> bool:
    """Medians of memory that is repeated, where PyTorch reads what lies behind it."""
    read = operand(difference, "median|nanmedian")
    return (
        difference.aspect in ("value", "_saved_indices")
        and read is not None
        and any(step == 0 and size > 1 for step, size in zip(read.stride(), read.shape, strict=True))
    )


def mode_of_no_numbers(difference: Difference) -> bool:
    """The most frequent of what is no number in part: which PyTorch finds hangs on how it sorts."""
    read = operand(difference, "mode")
    return read is not None and read.is_floating_point() and bool(read.isnan().any())


def nearly_singular(difference: Difference) -> bool:
    """An inverse or a solution by a matrix so near to a singular one that rounding alone moves it as far; gradients
    that have come through one."""
    inverted = "inv|inverse|matrix_power|solve"
    if difference.aspect == "grad.value":
        inverted += "|det"
        return any(_moved_as_far(difference, operand(look, inverted)) for look in _each_line(difference))
    return _moved_as_far(difference, operand(difference, inverted))


def _moved_as_far(difference: Difference, matrix: torch.Tensor | None) -> bool:
    if matrix is None or matrix.ndim < 2 or not bool(matrix.isfinite().all()):
        return False
    exact = matrix.detach().double().numpy()
    reach = 10 * float(np.max(np.linalg.cond(exact))) * torch.finfo(matrix.dtype).eps
    return reach > TOLERANCE["float32"] and only_numbers(
        difference, lambda one, other: float(np.abs(one - other).max()) <= reach * float(np.abs([one, other]).max())
    )


def _each_line(difference: Difference) -> list[Difference]:
    """The same difference, as if it were about each line that calls something."""
    lines = list(enumerate(difference.lines))
    return [
        replace(difference, line=line, made="", lines=difference.lines[: at + 1]) for at, line in lines if "(" in line
    ]


def graph_of_singular(difference: Difference) -> bool:
    """What the gradient of a determinant that is 0 is made of, which has a formula of its own."""
    if difference.aspect not in ("edges", "rank", "grad_fn") or "create_graph=True" not in "".join(difference.lines):
        return False
    matrices = [operand(look, "det") for look in _each_line(difference)]
    return any(one is not None and one.ndim > 1 and bool((one.detach().det() == 0).any()) for one in matrices)


def infinite_singular(difference: Difference) -> bool:
    """Singular vectors of what is infinite, which are what LAPACK leaves, or none; values alone are no numbers."""
    read = operand(difference, "nuclear_norm|svd|svdvals|matrix_norm|norm|cond|matrix_rank|pinv")
    if read is None or not read.is_floating_point() or not bool(read.isinf().any()):
        return False
    refused = difference.aspect in ("raises", "message") and "linalg.svd: " in difference.errors[0]
    return refused or re.match(r"value|_saved_(U|S|Vh)$", difference.aspect) is not None


def as_exact_as_half(difference: Difference) -> bool:
    """Numbers that were half precision on the way: as exact as that, relative to the largest, which may cancel."""
    if not any("float16" in line or ".half()" in line for line in difference.lines):
        return False
    arrays = [one.detach().double().numpy() for one in world_before(difference, torch).tensors().values()]
    largest = max([1.0, *(float(np.abs(one[np.isfinite(one)]).max(initial=0)) for one in arrays)])
    near = TOLERANCE["float16"]
    return only_numbers(
        difference,
        lambda one, other: one.dtype.kind == "f" and np.allclose(one, other, near, near * largest, equal_nan=True),
    )


def as_exact_as_single(difference: Difference) -> bool:
    """What hooks saw in float64, made of float32."""
    single = re.compile(r"float32|torch\.(tensor|ones|zeros|full|linspace|eye)\((?!.*dtype=)|linear\(")
    near = TOLERANCE["float32"]
    return any(map(single.search, difference.lines)) and only_numbers(
        difference, lambda one, other: one.dtype == np.float64 and np.allclose(one, other, near, 0, equal_nan=True)
    )


def correlation_on_its_edge(difference: Difference) -> bool:
    """Correlations of what hardly varies, and the slopes of any: they are cut off at 1, which rounding may exceed."""
    if not any("corrcoef(" in line for line in difference.lines):
        return False
    if re.match(r"_saved_|grad\.|logs", difference.aspect):
        return but_for_numbers(difference.ours) == but_for_numbers(difference.theirs)
    read = operand(difference, "corrcoef")
    if read is None or "corrcoef(" not in (difference.made or difference.line):
        return False
    rows = np.atleast_2d(read.detach().double().numpy())
    spread = rows.max(-1) - rows.min(-1)
    return bool(np.any(~np.isfinite(spread) | (spread <= 1e-6 * np.abs(rows).max(-1))))


def writes_what_it_reads(difference: Difference) -> bool:
    """A write to memory that the same line reads in another way: what it reads may have changed meanwhile."""
    line = difference.line
    write = re.search(r"\.(\w+_)\(|(?<=\w|\]) (?:[-+*/%&|^]|\*\*|//)= ", line)
    if write is None or difference.failed:
        return False
    tensors = world_before(difference, torch).tensors()
    left, right = re.sub(r"^(with .*?: )?(\w+ = )?", "", line[: write.start()]), line[write.end() :]
    to, read = (re.findall(r"\b[a-z]\b", part) for part in (left, right))
    rest = {tensors[name] for name in read if name in tensors}
    target = tensors.get(to[0]) if to else None
    turned = write[1] == "masked_scatter_" or re.search(r"\b[a-z]\.", left) is not None
    return target is not None and any(
        one.untyped_storage().data_ptr() == target.untyped_storage().data_ptr() and (turned or not _alike(one, target))
        for one in rest
    )


def _alike(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors are one in memory, element by element."""
    return (one.shape, one.stride(), one.storage_offset()) == (other.shape, other.stride(), other.storage_offset())


def rounded_apart(difference: Difference) -> bool:
    """The greatest or least of numbers that rounding has told apart in one of the worlds."""
    if not re.search(r"\b(max|min|aminmax|argmax|argmin)\(", difference.made or difference.line):
        return False
    pairs = list(zip(numbers(difference.ours), numbers(difference.theirs), strict=False))
    floats = [(one, other) for one, other in pairs if one.dtype.kind == "f" and one.shape == other.shape]
    near = TOLERANCE["float32"]
    return any(one.tobytes() != other.tobytes() for one, other in floats) and all(
        np.allclose(one, other, near, near) for one, other in floats
    )


def turned_round(difference: Difference) -> bool:
    """Singular vectors, each of which may point the other way, and those of equal lengths in between."""

    def are_of_length_one(found: Array) -> bool:
        rows = found if difference.aspect == "_saved_Vh" else found.swapaxes(-1, -2)
        return np.allclose(rows @ rows.swapaxes(-1, -2), np.eye(rows.shape[-2]), atol=1e-3)

    return difference.aspect in ("_saved_U", "_saved_Vh") and only_numbers(
        difference, lambda one, other: are_of_length_one(one) and are_of_length_one(other)
    )


JUMPS = re.compile(
    r" //=? | %=? |\b(a?sort|argsort|msort|median|nanmedian|kthvalue|topk|cummax|cummin|floor\w*|remainder|fmod)_?\("
)


def jumps_by_rounding(difference: Difference) -> bool:
    """What jumps from one value to another where its operands differ by no more than rounding."""
    jumping = [line for line in (difference.made, difference.line) if line in difference.lines and JUMPS.search(line)]
    if not jumping:
        return False
    line = jumping[0]
    before = Difference(line, "", "", None, None, lines=difference.lines[: difference.lines.index(line) + 1])
    ours, theirs = (world_before(before, module).tensors() for module in (autograd_lab, torch))
    pairs = [
        (ours[name].detach().double().numpy(), theirs[name].detach().double().numpy())
        for name in re.findall(r"\b[a-z]\b", line.partition(" = ")[2] or line)
        if name in ours and name in theirs and theirs[name].is_floating_point()
    ]
    near = TOLERANCE["float32"]
    return any(one.tobytes() != other.tobytes() for one, other in pairs) and all(
        np.allclose(one, other, near, near * np.abs(other).max(initial=1), equal_nan=True) for one, other in pairs
    )


def folded_otherwise(difference: Difference) -> bool:
    """Products of a batch that has single rows, done as one matrix here, and there batch by batch, or the other way."""
    if not re.search(r" @ |matmul\(|linear\(", difference.made or difference.line):
        return False
    nodes = {"MmBackward0", "BmmBackward0", "UnsafeViewBackward0", "ViewBackward0", "ReshapeAliasBackward0"}
    told = {*re.findall(r"\w+Backward0", f"{difference.subject} {difference.ours} {difference.theirs}")}
    tensors = world_before(difference, torch).tensors().values()
    return bool(told & nodes) and any(one.ndim > 2 and 1 in one.shape for one in tensors)
