"""Random stories: source texts in which gradients flow often, and something is often done to the graph before.

They are written by the author of the random programs in `tests.differential`, over fewer kinds of lines: no half
precision, whose last bits differ, no modules and no functions of one's own.
"""

from __future__ import annotations

import re
from math import prod
from random import Random

from tests.differential.grammar import ELEMENTS, Author, Table, nested, usable
from tests.differential.surface import (
    BACKWARD,
    BINARY,
    GRADS,
    MADE,
    MODES,
    POINTWISE,
    PRODUCTS,
    REDUCTION,
    SHAPES,
    STATE,
    VIEWS,
    WRITES,
)

LEAVES = ["torch.tensor({literal}, requires_grad=True)", "torch.ones({size}, requires_grad=True)"]
HOOKS = [
    "{hooked}.register_hook(lambda grad: grad * {n})",
    "{hooked}.register_hook(lambda grad: None)",
    "{hooked}.register_hook(lambda grad: grad.clamp(-1, 1))",
    "{leaf}.register_post_accumulate_grad_hook(lambda leaf: leaf.grad.mul_({n}) and None)",
    "{hooked}.register_hook(lambda grad: grad * 2).remove()",
]
KINDS_MADE = [
    (MADE["creation"][0], 3),
    (LEAVES, 5),
    (POINTWISE, 16),
    (BINARY, 24),
    (REDUCTION, 10),
    (SHAPES, 8),
    (VIEWS, 12),
    (PRODUCTS, 4),
    (GRADS, 8),
]
KINDS_DONE = [(WRITES, 20), (STATE, 6), (HOOKS, 8), (BACKWARD, 30)]

SIZES = [(), (2,), (3,), (2, 2), (2, 3), (3, 1)]
ASSIGNS = re.compile(r"(with .*: )?\w+(, \w+)* = ")
GOES_BACK = re.compile(r"backward\(|autograd\.grad\(")

CAUGHT = """try:
    {line}
except Exception as error:
    print(type(error).__name__)"""


def random_program(random: Random) -> str:
    """The text of a program that wants nothing but a `torch`; lines that fail are caught, save sometimes the last."""
    return Storyteller(random).text(random.choice([4, 6, 8, 10, 12]))


def kept(kinds: list[tuple[list[str], int]]) -> Table:
    """The kinds of lines without what these stories leave out."""
    left_out = re.compile("float16|half|dtype}|note|metadata|set_")
    return [([line for line in lines if usable(line, True) and not left_out.search(line)], n) for lines, n in kinds]


class Storyteller(Author):
    """Writes one text; it has run each line before it writes the next."""

    def __init__(self, random: Random) -> None:
        super().__init__(random, core=True)
        self.made, self.done = kept(KINDS_MADE), kept(KINDS_DONE)
        self.pairs = [line for line in self.pairs if "apply" not in line]

    def text(self, length: int) -> str:
        """About so many lines, after two leaves and a product, before a last backward pass if there was none."""
        written = [self.told(f"{self.new()} = {self.fill(LEAVES[0])}") for _ in range(2)]
        written.append(self.told(f"{self.new()} = {self.fill('{leaf} * {n}')}"))
        written += [told for _ in range(length) if (told := self.told(self.any_line()))]
        went_back = [place for place, one in enumerate(written) if self.has_gone_back(one)]
        failed = [place for place, one in enumerate(written) if one.startswith("try:")]
        if not went_back:
            written.append(self.told(f"{self.fill('{root}')}.backward()"))
        elif failed and failed[-1] > went_back[0] and self.random.random() < 0.3:
            written = [*written[: failed[-1]], written[failed[-1]].splitlines()[1].strip()]
        return "\n".join([*written, ""])

    def told(self, line: str) -> str:
        """A line as it stands in the text, after it was run; nothing for one that failed before it did anything."""
        error = self.world.run(line).error
        if isinstance(error, SyntaxError):  # a new tensor has no name to assign to
            return ""
        if error is not None:
            return CAUGHT.format(line=line) if "grad" in line or not ASSIGNS.match(line) else ""
        line = self.on_two_lines(line)
        for name, tensor in self.world.tensors().items():
            if tensor.numel() > 16:
                line += f"\ndel {name}"
                del self.world.names[name]
        return line

    @staticmethod
    def on_two_lines(line: str) -> str:
        """`with` and what it is for, as people write it."""
        for mode in MODES:
            if line.startswith(mode):
                return f"{mode.rstrip()}\n    {line.removeprefix(mode)}"
        return line

    @staticmethod
    def has_gone_back(text: str) -> bool:
        """Whether gradients flowed without an error."""
        return GOES_BACK.search(text) is not None and not text.startswith("try:")

    def _size(self) -> str:
        return str(self.random.choice(SIZES))

    def _hooked(self) -> str:
        """No view and nothing that keeps its gradient: PyTorch crashes on some of these that were written to."""
        otherwise = "torch.ones(3, requires_grad=True)"
        return self.choose(lambda t: t.requires_grad and not t._is_view() and not t.retains_grad, otherwise, wild=0)

    def _literal(self) -> str:
        size = self.random.choice(SIZES)
        return str(nested(self.random.sample(ELEMENTS, prod(size)), size))
