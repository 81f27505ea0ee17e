"""Rules on errors: which of two mistakes is told, in which words, and where only one world tells one."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.differential.compare import Difference


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


def needs_other_memory(difference: Difference) -> bool:
    """How much memory `as_strided_scatter` misses, or whether it does."""
    ours, theirs = difference.errors
    told = "setStorage" in ours and ("setStorage" in theirs or "src to have a size equal" in theirs)
    return "as_strided_scatter(" in difference.line and told


def overlaps_in_one(difference: Difference) -> bool:
    """Memory that is read and written in another order: that of a tensor which was turned has other strides here."""
    ours, theirs = ("the input tensor and the written-to tensor" in one for one in difference.errors)
    turns = re.compile(r"\bt\(|\.m?[TH]\b|transpose|permute|movedim|moveaxis|swap")
    if "first two dimensions of batch2" in difference.errors[0]:  # folded into one matrix there
        return "mat1 and mat2 shapes cannot be multiplied" in difference.errors[1]
    return (ours and not difference.errors[1]) or (theirs and not ours and any(map(turns.search, difference.lines)))


def asked_later(difference: Difference) -> bool:
    """Of two mistakes the other one: PyTorch asks what can be saved, and what histories views have, before shapes."""
    first = (
        r"Inference tensors cannot be saved|Output \d of \w+ is a view(?! of a view)|mat1 and mat2 must have the same|"
        r"output with shape|Integers to negative integer powers"
    )
    if difference.aspect.startswith("_saved_"):
        return all("Error: " in str(one) for one in (difference.ours, difference.theirs)) and bool(
            re.search(first, str(difference.theirs))
        )
    return all(difference.errors) and raised_there(first)(difference)


def lost_later(difference: Difference) -> bool:
    """Of two mistakes the other one: what does not fit a view that has lost its history, which PyTorch tells first."""
    ours, theirs = difference.errors
    lost = r"and its base or another view of its base has been modified inplace"
    return bool(ours and re.search(lost, theirs)) and re.search(lost, ours) is None


def of_a_stuck_tensor(difference: Difference) -> bool:
    """What comes of a tensor that requires grad, but was made in inference mode."""
    names = "|".join({re.escape(name.partition(".")[0]) for name in difference.stuck})
    return bool(names) and any(
        re.search(rf"\b({names})\b", line) and "inference_mode" not in line
        for line in (difference.line, difference.made)
    )


def output_it_was(difference: Difference) -> bool:
    """Which tensor was written to, in the error that says so: of several the other; of which op it is, then or now."""
    which = re.compile(r", which is output \d+ of \w+,| \[torch\.\w+Tensor \[[\d, ]*\]\]|version \d+")
    ours, theirs = (which.sub("", str(one)) for one in (difference.ours, difference.theirs))
    return "modified by an inplace operation" in theirs and ours == theirs


def singular_in_one(difference: Difference) -> bool:
    """A matrix that is singular but for rounding: whether the library comes upon a zero."""
    told = re.compile("the input matrix is singular")
    return difference.aspect in ("raises", "message") and any(
        told.search(one) is not None and not other for one, other in (difference.errors, difference.errors[::-1])
    )


def after_a_refusal(difference: Difference) -> bool:
    """What a node has saved whose gradient was refused by where it goes: freed here, kept there."""
    return (
        difference.aspect.startswith("_saved_")
        and difference.failed
        and "backward through the graph a second time" in str(difference.ours)
    )


def of_a_cast_module(difference: Difference) -> bool:
    """A product of two dtypes, since a module has been cast after it: computed here, refused there."""
    cast = any(re.fullmatch(r"\w+\.(double|half|float)\(\)", line) for line in difference.lines)
    return cast and raised_there("expected m1 and m2 to have the same dtype|self.dtype to be equal to src.dtype")(
        difference
    )


def of_exchanged_data(difference: Difference) -> bool:
    """A gradient that does not fit what a tensor was before its `.data` was exchanged."""
    exchanged = any(re.search(r"\w\.data = ", line) for line in difference.lines)
    return exchanged and raised_there("invalid gradient at index")(difference)


def of_another_shape(difference: Difference) -> bool:
    """The gradient of what a leaf was before its `.data` was exchanged for a smaller one: refused here."""
    exchanged = any(re.search(r"\w\.data = ", line) for line in difference.lines)
    return exchanged and not difference.errors[1] and "doesn't match the broadcast shape" in difference.errors[0]


def which_kernel_tells(difference: Difference) -> bool:
    """Sizes that do not fit, told by the kernel of a matrix and a vector, or by that of batches."""
    ours, theirs = difference.errors
    return ours.startswith("RuntimeError: size mismatch, got input") and "dimensions of batch2" in theirs


def repeated_triangle(difference: Difference) -> bool:
    """A triangle of a batch, or places, whose memory is repeated: some such writes are refused there."""
    written = re.search(r"\b(tri[lu]|index_put)_\(", difference.line) is not None
    refused = "more than one element of the written-to tensor|some elements of the input tensor and the written-to"
    return written and raised_there(refused)(difference)


def resized_sum(difference: Difference) -> bool:
    """What is added to the product with a matrix of nothing: PyTorch keeps its size, and warns of it."""
    resized = "An output with one or more elements was resized" in str(difference.theirs)
    return "addmv(" in difference.line and difference.aspect == "warns" and resized


def of_exchanged_inference(difference: Difference) -> bool:
    """What asks for the version of an inference tensor whose `.data` was exchanged: refused there."""
    exchanged = any(re.search(r"\w\.data = ", line) for line in difference.lines)
    return exchanged and "Inference tensors do not track version" in str(difference.theirs)


def written_to_itself(difference: Difference) -> bool:
    """`x[None] = x`, for PyTorch two ways to see memory where dimensions of one element have other strides."""
    itself = re.search(r"^(\w+)\[.*\] = \1$", difference.line) is not None
    return itself and not difference.errors[0] and raised_there("refer to a single memory location")(difference)
