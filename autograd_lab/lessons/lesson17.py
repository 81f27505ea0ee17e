"""Lesson 17, Saving memory: fewer bits, checkpoints, files, several devices; what each saves, and what it costs."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.moments import leaf
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.world import world_of

LONG = 1024
"""So many numbers of 4 bytes each tensor of this lesson has."""


def checkpoint_of(torch: Any) -> ModuleType:
    """`torch.utils.checkpoint` of a world."""
    return importlib.import_module(f"{torch.__name__}.utils.checkpoint")


def held(torch: Any, work: Callable[[], Any]) -> int:
    """Bytes of what the nodes that some work records are given to save, each value as often as it is saved."""
    found = 0

    def pack(tensor: Any) -> Any:
        nonlocal found
        found += tensor.numel() * tensor.element_size()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = work()
    del result
    return found


def tanhs(torch: Any, number: int) -> Callable[[Any], Any]:
    """A function that runs so many tanh in a row."""

    def run(x: Any) -> Any:
        for _ in range(number):
            x = torch.tanh(x)
        return x

    return run


def checkpointed(torch: Any, blocks: list[Callable[[Any], Any]]) -> int:
    """Bytes that are kept if each of some blocks is a checkpoint."""

    def work() -> Any:
        h = torch.ones(LONG, requires_grad=True)
        for block in blocks:
            h = checkpoint_of(torch).checkpoint(block, h, use_reentrant=False)
        return h

    return held(torch, work)


def plain(torch: Any, number: int, dtype: str = "float32") -> int:
    """Bytes that so many tanh in a row keep."""
    return held(torch, lambda: tanhs(torch, number)(torch.ones(LONG, requires_grad=True).to(getattr(torch, dtype))))


@question(
    "L17.P1",
    "Eight tanh in a row, over 1,024 numbers of 4 bytes. Each tanh saves its result. How many bytes do their nodes "
    "keep after forward?",
    [
        Choice("4,096", "only the last result is kept", "Each node needs its own result, to compute its own slope."),
        Choice("32,768", "each node keeps its result until backward", "8 times 4,096: memory grows with depth."),
        Choice(
            "65,536", "each node keeps what goes in and what comes out", "Its result is enough: the slope is 1 − y²."
        ),
        Choice(
            "0", "values are computed anew when they are needed", "Only a checkpoint does so, and only if asked to."
        ),
    ],
)
def bytes_of_eight(torch: Any) -> str:
    return f"{plain(torch, 8):,}"


@question(
    "L17.P2",
    "Two tanh in one checkpoint, forward and then backward. How often does a tanh run, all in all?",
    [
        Choice("2", "backward never computes forward", "It has to: the pockets of both tanh hold nothing."),
        Choice(
            "3",
            "the result is still there, so only the first tanh is needed again",
            "A pocket has what it was given to save. Both gave theirs away.",
        ),
        Choice("4", "what is not kept is computed again", "Both run a second time, when backward comes to them."),
    ],
)
def runs_in_a_checkpoint(torch: Any) -> int:
    runs: list[Any] = []

    def tanh(h: Any) -> Any:
        runs.append(h)
        return torch.tanh(h)

    checkpoint_of(torch).checkpoint(lambda h: tanh(tanh(h)), leaf(torch, 1.0), use_reentrant=False).backward()
    return len(runs)


@question(
    "L17.P3",
    "The same eight tanh, now in four checkpoints of two each. How many bytes are kept after forward?",
    [
        Choice("32,768", "a checkpoint keeps all, and a copy", "It keeps what goes into it, and nothing from inside."),
        Choice(
            "16,384", "each checkpoint keeps what goes into it", "4 times 4,096. Two of four each keep half of that."
        ),
        Choice("8,192", "any checkpoints keep two tensors", "It is one for each checkpoint."),
        Choice("4,096", "only the very first input is kept", "That would be one checkpoint around all eight."),
    ],
)
def four_checkpoints(torch: Any) -> str:
    return f"{checkpointed(torch, [tanhs(torch, 2)] * 4):,}"


@question(
    "L17.P4",
    "Exit ticket. A gradient of 0.00000001 is stored in 16 bits (`float16`). What does it become?",
    [
        Choice(
            "1e-08", "fewer bits mean fewer digits, and small numbers stay small", "Below about 6e-8 there is nothing."
        ),
        Choice(
            "0", "small numbers vanish in 16 bits", "So the loss is made larger first: that is what GradScaler does."
        ),
        Choice("nan", "what cannot be stored is no number", "Too small becomes 0, too large becomes inf."),
    ],
)
def too_small(torch: Any) -> str:
    return f"{torch.tensor(1e-8).to(torch.float16).item():g}"


@question(
    "L17.P5",
    "Exit ticket, from lesson 7. Of these four, which keeps no tensor for backward?",
    [
        Choice("x + y", "the slope of a sum is 1, whatever is added", "So a long chain of sums costs no pockets."),
        Choice("x * y", "a product is as cheap as a sum", "It keeps both factors: each is the slope for the other."),
        Choice("tanh(x)", "a function of one tensor keeps nothing", "It keeps its result."),
        Choice("exp(x)", "exp is its own slope, so it needs nothing", "That is why it keeps its result."),
    ],
)
def keeps_nothing(torch: Any) -> str:
    x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    works = {"x + y": lambda: x + y, "x * y": lambda: x * y, "tanh(x)": x.tanh, "exp(x)": x.exp}
    [found] = [text for text, work in works.items() if not held(torch, work)]
    return found


def _kept(torch: Any) -> dict[str, int]:
    """Bytes of twelve tanh, each way."""
    thirds = [tanhs(torch, 4)] * 3
    return {"plain": plain(torch, 12), "half": plain(torch, 12, "float16"), "three": checkpointed(torch, thirds)}


fill(
    "L17.F1",
    "Twelve tanh in a row over the same 1,024 numbers. How many bytes are kept: plain; in 16 bits; with three "
    "checkpoints of four tanh each?",
    _kept,
    mistakes=[
        Mistake({"plain": 12288}, "a number takes one byte", "In 32 bits it takes four."),
        Mistake({"plain": 4096}, "only the last result is kept", "Each tanh keeps its own result: twelve tensors."),
        Mistake({"half": 49152}, "16 bits change digits, not bytes", "16 bits are 2 bytes a number instead of 4."),
        Mistake({"three": 16384}, "a checkpoint keeps its insides", "It keeps what goes into it: one tensor each."),
        Mistake({"three": 4096}, "all checkpoints share one input", "Each has its own: the result of the one before."),
    ],
    hints=["One result has 1,024 · 4 bytes.", "How many tensors does each way keep? Multiply."],
)


@exercise(
    "L17.M1",
    "`thrifty(blocks, x)` runs one block after the other, as a plain loop would. Let it keep no more than one "
    "tensor for each block, with the same value and the same gradient. `checkpoint` from above is there.",
    hints=[
        "In the loop, `block(x)` is what keeps everything inside of the block.",
        "Hand the block and its input to `checkpoint`, with `use_reentrant=False`.",
    ],
)
def thrifty_loop(thrifty: Any) -> str:
    torch = world_of(thrifty)
    blocks = [tanhs(torch, 3)] * 4
    x, twin = (torch.full((LONG,), 0.5, requires_grad=True) for _ in range(2))
    try:
        y = thrifty(blocks, x)
        y.sum().backward()
        kept = held(torch, lambda: thrifty(blocks, x))
    except Exception as error:
        return f"It stops: {type(error).__name__}: {first_line(error)}"
    expected = tanhs(torch, 12)(twin)
    expected.sum().backward()
    if not torch.equal(y, expected):
        return "Its value is not that of the plain loop."
    if x.grad is None or not torch.allclose(x.grad, twin.grad):
        return "x.grad is not that of the plain loop."
    return "" if kept <= 4 * 4 * LONG else f"{kept:,} bytes are kept: {kept // (4 * LONG)} tensors for 4 blocks."
