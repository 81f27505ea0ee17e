"""The author of any program: as for `tests.differential`, but of everything, and with no wish that it goes well."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

import torch

from tests.any_program import lines as own
from tests.differential.grammar import Author, Table
from tests.differential.surface import BACKWARD, BINARY, GRADS, POINTWISE, REDUCTION, STATE, VIEWS, WRITES
from tests.differential.world import DEFINITIONS, definitions_for
from tests.stories.random_programs import HOOKS, LEAVES, kept

WILD_MADE: Table = [
    (own.ODD, 14), (own.RESULTS, 4), (own.MODULES, 10), (own.BUILT, 4), (own.GROWN, 3), (own.KEPT, 4),
]  # fmt: skip
WILD_DONE: Table = [(own.RESHAPED, 30), (own.HELD, 3), (own.LOOPS, 8), (own.ACTING, 10), (own.PASSES, 14)]
FLOWING_MADE = kept([(POINTWISE, 16), (BINARY, 24), (REDUCTION, 8), (VIEWS, 12), (GRADS, 6)])
FLOWING_MADE += [(LEAVES, 4), (own.MODULES, 6), (own.KEPT, 3), (own.GROWN, 1)]
FLOWING_DONE = kept([(WRITES, 20), (STATE, 6), (HOOKS, 12), (BACKWARD, 24)])
FLOWING_DONE += [(own.RESHAPED, 10), (own.ACTING, 8), (own.PASSES, 8), (own.LOOPS, 3)]
LENGTHS = [0, 1, 2, 4, 6, 8, 12]

CAUGHT = """try:
    {line}
except Exception:
    pass"""


@dataclass(frozen=True)
class AnyProgram:
    """What a program defines, what it does before anybody looks, and what it does then: three texts."""

    definitions: str
    before: str
    text: str

    def __str__(self) -> str:
        """It as one text."""
        return "\n# ---\n".join((self.definitions, self.before, self.text))


class AnyAuthor(Author):
    """Writes a program that needs nothing but a `torch`; it knows what there is, having run each line in PyTorch.

    In some gradients flow often, since there are only small tensors that go together; in others everything may happen.
    """

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.flows = random.random() < 0.5
        if self.flows:
            self.made, self.done = FLOWING_MADE, FLOWING_DONE
        else:
            self.made, self.done = [*self.made, *WILD_MADE], [*self.done, *WILD_DONE]
            self.modes = [*self.modes, *own.PACKING]
        for name, text in own.DEFINITIONS.items():
            exec(text, self.world.names)
            self.world.own.add(name)

    def program(self, length: int) -> AnyProgram:  # type: ignore[override]  # another kind of program
        """A program of about so many lines, of which some may run before it is looked at."""
        written = [self.told(f"{self.new()} = {self.any_leaf()}") for _ in range(min(length, 2))]
        written += [self.told(self.any_line()) for _ in range(length)]
        if self.flows and self.random.random() < 0.8:
            written.append(self.told(self.fill("{root}.backward()")))
        if self.random.random() < 0.3:
            last = self.fill(self.random.choice(own.LAST))
            written.append(last if is_python(last) else "raise ValueError")
        early = self.random.randrange(len(written)) if written and self.random.random() < 0.15 else 0
        before, text = ("\n".join([*some, ""]) for some in (written[:early], written[early:]))
        return AnyProgram(definitions(before + text), before, text)

    def any_leaf(self) -> str:
        return self.fill(self.random.choice(LEAVES if self.flows or self.random.random() < 0.5 else own.ODD))

    def new(self) -> str:
        if self.random.random() < 0.04:
            return self.random.choice(own.NAMES)
        return super().new()

    def told(self, line: str) -> str:
        """A line as it stands in the program, after it was run: what fails is caught, but not always."""
        error = self.world.run(line).error
        if isinstance(error, SyntaxError):  # a new tensor cannot be assigned to
            return ""
        for name, tensor in self.world.tensors().items():
            if tensor.numel() > 400 and name in self.world.names:
                line += f"; del {name}" if error is None and not line.startswith(("for", "with")) else ""
                del self.world.names[name]
        return line if error is None or self.random.random() < 0.04 else CAUGHT.format(line=line)

    def _many(self) -> str:
        return str(self.random.choice([2, 5, 30, 70]))


def any_program(seed: int) -> AnyProgram:
    """The program with this number; the same each time."""
    random = Random(seed)
    torch.manual_seed(seed)
    try:
        return AnyAuthor(random).program(random.choice(LENGTHS))
    finally:
        leave(torch)


def leave(torch: Any) -> None:
    """End the modes that a program has left on."""
    torch.set_grad_enabled(True)
    torch.autograd.set_detect_anomaly(False)
    with suppress(Exception):
        while torch.autograd.forward_ad._current_level >= 0:
            torch.autograd.forward_ad.exit_dual_level()


def is_python(line: str) -> bool:
    """Whether a line can be read; what is no variable cannot be deleted."""
    try:
        return bool(compile(line, "line", "exec"))
    except SyntaxError:
        return False


def definitions(program: str) -> str:
    """What a program uses beside torch."""
    ours = [name for name in own.DEFINITIONS if name + "(" in program or name + ".apply" in program]
    names = dict.fromkeys(need for name in ours for need in (*own.NEEDED_BY.get(name, ()), name))
    theirs = [DEFINITIONS[name] for name in definitions_for(program)]
    return "".join(("log = []\n", *theirs, *(own.DEFINITIONS[name] for name in names)))
