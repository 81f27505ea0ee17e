"""A program is lines of Python; to run one is to run it line by line in both worlds, and to compare what is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import torch

import autograd_lab
from autograd_lab.engine.modes import handles
from tests.differential.compare import Difference, Scale, differences
from tests.differential.observe import Facts, Numbers, Observer, outcome_facts
from tests.differential.rounding import arrays_in, is_of_numbers, is_theirs_of_ours
from tests.differential.world import DEFINITIONS, World, definitions_for

torch.set_num_threads(1)
for world in (torch, autograd_lab):
    world.set_warn_always(True)  # else some warnings are given to the first program alone


@dataclass(frozen=True)
class Program:
    """Lines to run. What they did is looked at after each line, or only at the `end`: to look is to touch."""

    lines: tuple[str, ...]
    end: bool = False

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def pasted(self, module: str = "torch") -> str:
        """The program as a script."""
        definitions = [DEFINITIONS[name].strip() for name in definitions_for(str(self))]
        return "\n".join([f"import {module}" + " as torch" * (module != "torch"), "log = []", *definitions, str(self)])


def seen(world: World, line: str, look: bool) -> Facts:
    """Run a line in a world and say what is to be seen then."""
    facts = outcome_facts(world.run(line))
    return facts | Observer(world).look() if look else facts


def disagreements(program: Program, excused: Callable[[Difference], Any] = lambda _: None) -> list[Difference]:
    """What differs after the first line after which anything differs that is not excused; nothing if all is the same.

    A program that differs in an excused way ends there if what follows would differ too; also if that is seen only
    where it is looked at after each line.
    """
    found = first_difference(program, excused)
    if found and program.end and first_difference(Program(program.lines), excused) is None:
        return []
    return found or []


def first_difference(program: Program, excused: Callable[[Difference], Any]) -> list[Difference] | None:
    """What differs after the first line after which anything differs; None if that is excused."""
    here, there = World(autograd_lab), World(torch)
    handles.ever_used = handles.asked = False  # as in a process of its own
    scale = Scale()
    stuck: frozenset[str] = frozenset()
    for number, line in enumerate(program.lines, 1):
        if "inference_mode" in str(program):  # also what this line gives another value
            stuck |= stuck_in(there)
        look = not program.end or number == len(program.lines)
        before = {} if scale.same_bits else arrays_in(here)
        theirs = seen(there, line, look)
        if "INTERNAL ASSERT FAILED" in str(theirs["line", "message"]):
            return None  # PyTorch itself says that this is a bug of its own
        found = differences(program.lines[:number], seen(here, line, look), theirs, scale)
        found = [replace(one, stuck=stuck | stuck_in(there)) for one in found]
        found = [one for one in found if (known := excused(one)) is None or known.ends]
        if found:
            if excused(found[0]) or on_an_edge(found[0], scale) or is_theirs_of_ours(found[0], before, scale):
                return None
            if program.end and is_of_numbers(found[0]):  # how large they were on the way tells how exact they are
                return first_difference(Program(program.lines), excused)
            return found
    return []


def on_an_edge(difference: Difference, scale: Scale) -> bool:
    """Whether a comparison was of numbers whose last bits are not the same: each machine's BLAS rounds its own way."""
    ours = difference.ours
    counted = difference.aspect == "shape" and re.search(r"\b(unique|nonzero)\(", difference.made) is not None
    compared = type(ours) is bool or (isinstance(ours, Numbers) and ours.array.dtype == bool)
    return not scale.same_bits and (counted or (difference.aspect == "value" and compared))


def stuck_in(world: World) -> frozenset[str]:
    """The tensors that require grad, but were made in inference mode."""
    return frozenset(name for name, one in world.tensors().items() if one.is_inference() and one.requires_grad)


def smallest(program: Program, still: Callable[[Program], bool]) -> Program:
    """The program with as few lines as can be had while `still` holds, by leaving out runs of lines."""
    lines = list(program.lines)
    run = len(lines) // 2
    while run:
        at = 0
        while at < len(lines):
            shorter = Program(tuple(lines[:at] + lines[at + run :]), program.end)
            if shorter.lines and still(shorter):
                lines = list(shorter.lines)
            else:
                at += run
        run //= 2
    return Program(tuple(lines), program.end)


def shrunk(program: Program, signature: str) -> Program:
    """The smallest program found that disagrees in the same way."""

    def disagrees(shorter: Program) -> bool:
        return signature in signatures(disagreements(shorter)[:1])

    return smallest(program, disagrees)


def signatures(found: Iterable[Difference]) -> list[str]:
    return [one.signature for one in found]
