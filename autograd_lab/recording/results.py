"""Which result is what an expression means, and which were but steps on the way: the part of a recorder for that."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType, FrameType
from typing import Any

from autograd_lab.recording.program.source import Site
from autograd_lab.recording.program.variables import look_up
from autograd_lab.recording.tape import Tape

Step = tuple[int, tuple[Any, ...], str]
"""An op that was told: where among the raw tuples, as which, and what it is called."""

MOST_AWAITED = 16
"""How many results are remembered of one function until it is seen what its variables mean."""


class Results:
    """Takes names back from what turns out to be a step.

    `last` is the op that was told last; `awaited` has, by the ids of codes, which places keep, the results of which it
    is not known yet what the variables of that function mean.
    """

    def __init__(self, tape: Tape) -> None:
        self._tape, self._names = tape, tape.names
        self.last: Step = (0, (), "")
        self.awaited: dict[int, list[tuple[Step, Site]]] = {}
        self._ops: dict[int, Step] = {}  # the last one at each site
        self._composing: list[tuple[int | None, list[Step]]] = []

    def call_begins(self, site: Site | None = None) -> None:
        """A function of the engine is called that may do several things, or, at a site, a module."""
        self._composing.append((None if site is None else site.number, []))

    def call_ends(self, output: Any) -> None:
        """That call is over, and gave this, or None if it raised: what else its steps gave is not what it means.

        Of the steps of a module, those in its own code have names of their own there.
        """
        site, steps = self._composing.pop()
        if steps and not (site is None and output == ()):  # what gives nothing means what it writes to
            known, is_whole = self._known(output)
            for step in steps:
                if (site is None or step[1][1] == site) and not (is_whole and _gives(step, known)):
                    wrote = site is None and step[1][-1] and step is steps[-1]  # to the base of a view, maybe
                    if not wrote:
                        self._nameless(step)
            if self._composing:
                self._composing[-1][1].extend(steps)

    def step_applied(self) -> None:
        """The op that was told last is a step of one that follows: its result is not what the expression means."""
        self._nameless(self.last)

    def note_result(self, step: Step, site: Site, code: CodeType | None) -> None:
        """An op is about to be told."""
        self.last = self._ops[site.number] = step
        if self._composing:
            self._composing[-1][1].append(step)
        if len(site.targets) == 1 and code is not None:
            waiting = self.awaited.setdefault(id(code), [])
            waiting.append((step, site))
            del waiting[:-MOST_AWAITED]

    def note_step(self, site: Site, taken: tuple[Any, ...], goes_on: bool) -> None:
        """Is what the op before at a site gave a step on the way of one that takes these operands, and may go on?"""
        before = self._ops.get(site.number)
        if before is None or self._is_in_call(before):
            return  # the end of the call will tell
        if goes_on:
            self._nameless(before)
        elif site.is_call:  # Python's `sum` adds one by one
            made = {facts[0] for facts in before[1][5]}
            if any(operand[0] in made and operand[0] not in self._names.given for operand in taken):
                self._nameless(before)

    def _nameless(self, step: Step) -> None:
        """Call what an op gave after that op: it was a step on the way to what the expression means."""
        at, told, op = step
        if told and at < len(self._tape.raw) and self._tape.raw[at] is told:
            facts = tuple([(fact[0], f"{op}(…)", *fact[2:]) for fact in told[5]])
            self._tape.raw[at] = (*told[:5], facts, *told[6:])
            self._names.withdraw([fact[0] for fact in facts], told[1])

    def _is_in_call(self, step: Step) -> bool:
        """Whether a step is the last one of the function that is being called."""
        if not self._composing:
            return False
        site, steps = self._composing[-1]
        return site is None and bool(steps) and steps[-1] is step

    def _known(self, output: Any) -> tuple[set[str], bool]:
        """The ids of the known tensors that a call has given, alone or as a sequence, and whether these are all."""
        given: Sequence[Any] = output if isinstance(output, tuple | list) else (output,)
        known = {self._tape.id(t) for t in given if self._tape.reader.is_tensor(t) and self._tape.ids.knows(t)}
        return known, len(known) == len(given)

    def look_at_names(self, frame: FrameType) -> None:
        """The program has gone on in a function: its variables show which of the results before are theirs."""
        waiting = self.awaited.pop(id(frame.f_code))
        here = [(step, site) for step, site in waiting if site.instruction == frame.f_lasti]
        past = [(step, site) for step, site in waiting if site.instruction < frame.f_lasti]
        if here and not self._known(look_up(here[0][1].targets[0], frame))[0] & _ids_made(here):
            self.awaited[id(frame.f_code)] = here  # it may still be the same call
            here = []
        for step, site in past + here:
            self._compare_meaning(step, look_up(site.targets[0], frame), site, past + here)

    def _compare_meaning(self, step: Step, meant: Any, site: Site, others: list[tuple[Step, Site]]) -> None:
        """Does a variable mean what a step gave? It may mean what another step gave there, or no tensor at all."""
        made = {facts[0] for facts in step[1][5]}
        if self._tape.reader.is_tensor(meant):
            identity = self._tape.id(meant)
            if identity in made:
                self._names.confirmed(identity)
            elif identity in _ids_made([(other, where) for other, where in others if where.number == site.number]):
                self._nameless(step)
        elif len(made) > 1 and made <= self._known(meant)[0]:  # `parts = x.unbind()`
            self._names.withdraw(made, site.number)
        elif meant is not None and not hasattr(meant, "grad_fn"):
            self._nameless(step)


def _gives(step: Step, given: set[str]) -> bool:
    """Whether a step gave all that a call has given, and maybe more."""
    made = {facts[0] for facts in step[1][5]}
    return given <= made if len(given) > 1 else not given.isdisjoint(made)


def _ids_made(steps: list[tuple[Step, Site]]) -> set[str]:
    return {facts[0] for step, _ in steps for facts in step[1][5]}
