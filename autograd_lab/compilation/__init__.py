"""What `compile` did to a function, as pictures: what was captured, what passes made of it, and the Python that runs.

`told_of(entry)` puts a compiled entry into the words of `view.compiled`, which draws it; `command.py` is
`autograd-lab compile`.
"""

from __future__ import annotations

from collections.abc import Iterable

from autograd_lab.compilation.facts import facts_of
from autograd_lab.compilation.sheets import sheet_of
from autograd_lab.compilation.stages import captured, compiled, in_order, passed
from autograd_lab.compilation.teller import Teller
from autograd_lab.compiler.entry import Entry
from autograd_lab.view.compiled.told import Compilation


def told_of(entry: Entry, title: str, facts: Iterable[str] = ()) -> Compilation:
    """A captured call in the words of the view: its stages, its listings, and what is gained."""
    teller = Teller.of(entry)
    between = [passed(stage, entry, teller) for stage in entry.stages]
    last = compiled(entry, teller)
    stages = (captured(entry, teller, between[0], last), *between[1:], last)
    programs = [("forward", entry.forward), *([("backward", entry.backward)] if entry.backward else [])]
    sheets = tuple(sheet_of(name, program) for name, program in programs)
    return Compilation(title, (*facts_of(entry), *facts), in_order(teller, [*between, last]), stages, sheets)
