"""The author of random programs, who runs each line in PyTorch before writing the next, and so knows what is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

import torch

import autograd_lab
from tests.differential.program import Program
from tests.differential.surface import CORE, DONE, MADE, MODES, PAIRS, VIEWS, names_in
from tests.differential.world import DEFINITIONS, World, definitions_for

MOST_ELEMENTS = 60
MOST_VARIABLES = 9
WILD = 0.02
"""How often a hole is filled with what does not fit."""

NUMBERS = ["2", "0.5", "-1", "3", "1.5", "0", "-0.7", "1", "True", "2.25"]
ELEMENTS = [0.3, -1.2, 0.7, 2.1, -0.4, 1.6, -2.3, 0.9, 1.1, -0.8, 0.0, 1.0, 2.0, -1.0, 0.5]
DTYPES = ["torch.float32", "torch.float64", "torch.float16", "torch.int64", "torch.bool", "torch.int32"]
SIZES = [
    (),
    (1,),
    (2,),
    (3,),
    (2, 3),
    (3, 2),
    (2, 2),
    (3, 3),
    (1, 3),
    (2, 1),
    (2, 2, 3),
    (2, 3, 2),
    (0,),
    (2, 0),
    (3, 1, 2),
]

Tensor = torch.Tensor


Table = list[tuple[list[str], int]]


@cache
def tables(core: bool) -> tuple[Table, Table, list[str], list[str], list[str]]:
    """Lines that give a variable, and lines that change what is there, by kind and weight; pairs, views, modes."""
    made, done = (
        [([line for line in lines if usable(line, core)], weight) for lines, weight in kinds.values()]
        for kinds in (MADE, DONE)
    )
    pairs, views, modes = ([line for line in lines if usable(line, core)] for lines in (PAIRS, VIEWS, MODES))
    return [kind for kind in made if kind[0]], [kind for kind in done if kind[0]], pairs, views, modes


def usable(line: str, core: bool) -> bool:
    """Whether the engine has the names that a line uses, and they are core if need be."""
    return is_there(line) and (not core or CORE.issuperset(names_in(line)))


def is_there(line: str) -> bool:
    """Whether the engine has the names that a line uses."""
    for path in re.findall(
        r"torch((?:\.[a-zA-Z]\w*)+)", line + "".join(DEFINITIONS[name] for name in definitions_for(line))
    ):
        place: Any = autograd_lab
        for name in path[1:].split("."):
            place = getattr(place, name, None)
        if place is None:
            return False
    methods = re.findall(r"\{(?!model|optimizer)\w+\}\.([a-zA-Z]\w*)", line)
    return all(hasattr(autograd_lab.Tensor, name) for name in methods)


class Author:
    """Writes one program."""

    def __init__(self, random: Random, core: bool = False) -> None:
        self.random = random
        self.made, self.done, self.pairs, self.views, self.modes = tables(core)
        self.world = World(torch)
        self.count = 0
        self.subject: Tensor = torch.zeros(())
        self.name = ""

    def program(self, length: int) -> Program:
        """A program of so many lines."""
        lines = [self.write(f"{self.new()} = {self.random.choice(MADE['creation'][0][:7])}") for _ in range(2)]
        lines += [self.write() for _ in range(length)]
        return Program(tuple(lines), end=self.random.random() < 0.25)

    def write(self, line: str = "") -> str:
        """One more line, which is run at once."""
        line = self.fill(line) if line else self.any_line()
        self.world.run(line)
        for name, tensor in self.world.tensors().items():
            if tensor.numel() > MOST_ELEMENTS and name in self.world.names:
                line += f"; del {name}"
                del self.world.names[name]
        return line

    def any_line(self) -> str:
        mode = self.random.choice(self.modes) if self.random.random() < 0.08 else ""
        chance = self.random.random()
        if chance < 0.04:
            return mode + f"{self.new()}, {self.new()} = " + self.fill(self.random.choice(self.pairs))
        if chance < 0.62:
            line = self.fill(self.one_of(self.made))  # before the variable has a name
            return f"{mode}{self.new()} = {line}"
        return mode + self.fill(self.one_of(self.done))

    def one_of(self, kinds: Sequence[tuple[list[str], int]]) -> str:
        lines = self.random.choices([lines for lines, _ in kinds], [weight for _, weight in kinds])[0]
        return self.random.choice(lines)

    def new(self) -> str:
        """A new variable, or now and then an old one again."""
        if self.random.random() < 0.07 and self.world.tensors():
            return self.random.choice(list(self.world.tensors()))
        self.count += 1
        return f"{'abcdefghijklmnopqrstuvwyz'[(self.count - 1) % 25]}{'' if self.count <= 25 else self.count // 25}"

    def fill(self, line: str) -> str:
        """The line with its holes filled, from left to right."""
        return re.sub(r"\{(\w+)\}", lambda hole: getattr(self, f"_{hole[1]}")(), line)

    # --- tensors ---------------------------------------------------------------------------------------------------

    def choose(self, fits: Callable[[Tensor], Any], otherwise: str, wild: float = WILD) -> str:
        """The name of a tensor that fits, the youngest more often; it becomes the subject."""
        tensors = list(self.world.tensors().items())[-MOST_VARIABLES:]
        if self.random.random() >= wild:
            tensors = [(name, tensor) for name, tensor in tensors if is_so(fits, tensor)]
        if not tensors:
            self.world.run(f"_chosen = {otherwise}")
            self.subject = self.world.names.pop("_chosen", self.subject)
            return otherwise
        name, self.subject = tensors[max(self.random.randrange(len(tensors)), self.random.randrange(len(tensors)))]
        self.name = name
        return name

    def _x(self) -> str:
        return self.choose(lambda t: True, "torch.ones(2, 3)")

    def _f(self) -> str:
        return self.choose(lambda t: t.is_floating_point(), "torch.ones(3, requires_grad=True)")

    def _needy(self) -> str:
        return self.choose(lambda t: t.requires_grad, "torch.ones(3, requires_grad=True)")

    def _leaf(self) -> str:
        return self.choose(lambda t: t.requires_grad and t.is_leaf, "torch.ones(3, requires_grad=True)")

    def _made(self) -> str:
        return self.choose(lambda t: t.requires_grad and not t.is_leaf, "(torch.ones(3, requires_grad=True) * 2)")

    def _hooked(self) -> str:
        """Not a view made under `no_grad`: PyTorch crashes when a hook is to be put where no gradient ever comes."""
        fits = "torch.ones(3, requires_grad=True)"
        return self.choose(lambda t: t.requires_grad and (t.grad_fn is not None or not t._is_view()), fits, wild=0)

    def _root(self) -> str:
        name = self._made()
        return name if self.subject.numel() == 1 and self.random.random() < 0.7 else f"{name}.sum()"

    def _w(self) -> str:
        may = self.random.random() < 0.9
        return self.choose(lambda t: not (may and t.requires_grad and t.is_leaf), "torch.ones(2, 3)")

    def _view(self) -> str:
        name, subject = self._w(), self.subject
        line = self.random.choice(self.views).replace("{x}", "{same}", 1)
        self.same = name
        filled = self.fill(line)
        self.subject = subject
        return filled

    def _same(self) -> str:
        return self.same

    def _y(self) -> str:
        """A tensor that broadcasts with the subject, or a number."""
        subject = self.subject
        if self.random.random() < 0.12:
            return self._n()
        name = self.choose(lambda t: broadcasts(t.shape, subject.shape), self._n())
        self.subject = subject
        return name

    def _like(self) -> str:
        subject = self.subject
        name = self.choose(lambda t: t.shape == subject.shape and t.dtype == subject.dtype, "")
        self.subject = subject
        return name or f"torch.full({tuple(subject.shape)}, 0.5, dtype={subject.dtype})"

    def _m(self) -> str:
        subject = self.subject
        inner = subject.shape[-1] if subject.ndim else 1
        name = self.choose(
            lambda t: t.ndim and t.shape[-2 if t.ndim > 1 else -1] == inner and t.dtype == subject.dtype,
            f"torch.full(({inner}, 2), 0.5, dtype={subject.dtype}, requires_grad=True)",
        )
        self.subject = subject
        return name

    # --- what is no tensor -----------------------------------------------------------------------------------------

    def _model(self) -> str:
        models = [name for name, value in self.world.variables().items() if isinstance(value, torch.nn.Module)]
        return self.random.choice(models) if models else f"linear({self._last()}, 2)"

    def _optimizer(self) -> str:
        made = [name for name, value in self.world.variables().items() if isinstance(value, torch.optim.Optimizer)]
        return self.random.choice(made) if made else f"torch.optim.SGD([{self._leaf()}], lr=0.1)"

    def _last(self) -> str:
        return str(self.subject.shape[-1] if self.subject.ndim else 1)

    # --- what goes with the subject --------------------------------------------------------------------------------

    def _name(self) -> str:
        return self.name

    def _n(self) -> str:
        return self.random.choice(NUMBERS)

    def _bool(self) -> str:
        return self.random.choice(["True", "False"])

    def _dtype(self) -> str:
        return self.random.choice(DTYPES)

    def _count(self) -> str:
        return str(self.random.choice([1, 2, 3, 4, 6]))

    def _size(self) -> str:
        return str(self.random.choice(SIZES))

    def _literal(self) -> str:
        size = self.random.choice(SIZES)
        return str(nested([self.random.choice(ELEMENTS) for _ in range(torch.Size(size).numel())], size))

    def _dim(self) -> str:
        n = self.subject.ndim if self.random.random() >= WILD else self.subject.ndim + 1
        return str(self.random.randint(-n, n - 1) if n else self.random.choice([0, -1]))

    def _dims(self) -> str:
        return str(tuple(self.random.sample(range(self.subject.ndim), self.subject.ndim)))

    def _at(self) -> str:
        return str(self.random.choice([0, 0, -1, 1]))

    def _shape(self) -> str:
        n = self.subject.numel()
        some = [(n,), (1, n), (n, 1), (-1, 1), (-1,), *[(d, n // d) for d in (2, 3) if n % d == 0], (2, -1), (1, -1, 1)]
        return str(self.random.choice(some))

    def _wide(self) -> str:
        shape = [self.random.choice([2, -1]) if size == 1 else size for size in self.subject.shape]
        return str(tuple(self.random.choice([[], [2]]) + shape))

    def _index(self) -> str:
        parts = ["0", "-1", "1:", ":1", "...", "None", ":", "::2", "1", "-2:"]
        few = self.random.choice([1, 1, 1, 2]) if self.subject.ndim else 1
        return ", ".join(self.random.choice(parts if self.subject.ndim else ["...", "None", "()"]) for _ in range(few))

    def _lists(self) -> str:
        return self.random.choice(
            ["[0, 0]", "[0, -1]", ":, [0]", "[0], [0]", "..., [-1]", "[True]", "[[0], [0]]", "0, [0]"]
        )

    def _mask(self) -> str:
        subject = self.subject
        name = self.choose(lambda t: t.shape == subject.shape and t.dtype == torch.bool, "")
        self.subject = subject
        return name or f"torch.tensor({nested([i % 3 == 0 for i in range(subject.numel())], subject.shape)})"

    def _positions(self) -> str:
        return f"torch.zeros({tuple(self.subject.shape)}, dtype=torch.int64)"

    def _at1(self) -> str:
        return f"torch.tensor({self.random.choice(['[0]', '[0, 0]', '[0, 1]', '[-1]', '[1]'])})"

    def _classes(self) -> str:
        size = self.subject.shape[0] if self.subject.ndim > 1 else ()
        return f"torch.zeros({size}, dtype=torch.int64)"


def is_so(fits: Callable[[Tensor], Any], tensor: Tensor) -> bool:
    """Whether a tensor fits; one whose history cannot be told does not."""
    try:
        return bool(fits(tensor))
    except RuntimeError:
        return False


def broadcasts(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether shapes go together."""
    return all(a == b or 1 in (a, b) for a, b in zip(reversed(one), reversed(other), strict=False))


def nested(flat: list[Any], size: Sequence[int]) -> Any:
    """A flat list as nested lists of a shape."""
    if not size:
        return flat[0]
    step = len(flat) // size[0] if size[0] else 0
    return [nested(flat[at * step : (at + 1) * step], size[1:]) for at in range(size[0])]


def program_of(random: Random, core: bool = False) -> Program:
    """A random program; of `core` names alone, or over the whole surface."""
    return Author(random, core).program(random.choice([2, 4, 6, 8, 10, 14]))
