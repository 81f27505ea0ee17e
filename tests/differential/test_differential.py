"""The same programs say the same here and in real PyTorch, line by line, in everything that can be seen."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import active_children
from random import Random

import pytest

pytest.importorskip("torch")

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.differential.__main__ import Found, Pieces
from tests.differential.compare import Difference
from tests.differential.grammar import program_of, usable
from tests.differential.kept import KEPT
from tests.differential.kept_edges import KEPT_EDGES
from tests.differential.kept_errors import KEPT_ERRORS
from tests.differential.kept_graphs import KEPT_GRAPHS
from tests.differential.kept_numbers import KEPT_NUMBERS
from tests.differential.known import KNOWN, Deviation, excused
from tests.differential.program import Program, disagreements, smallest
from tests.differential.rules import aspect
from tests.differential.surface import DONE, MADE, NEVER, SHEET, names_in
from tests.engine.test_ops import EXPRESSIONS

QUICK = 600


def agrees(program: Program, excuse: Callable[[Difference], object] = excused) -> None:
    if found := disagreements(program, excuse):
        program = smallest(program, lambda shorter: bool(disagreements(shorter, excuse)))
        found = disagreements(program, excuse)
        differences = "\n".join(map(str, found[:8]))
        pytest.fail(f"\n{program.pasted()}\n\nafter {found[0].line!r}\n{differences}", pytrace=False)


WORDED = Deviation("the text of a mistake is another", aspect("message"), "")


def excused_or_worded(difference: Difference) -> Deviation | None:
    """Texts of mistakes are for the long runs; their types are not."""
    return excused(difference) or (WORDED if WORDED.covers(difference) else None)


PROGRAMS = KEPT | KEPT_EDGES | KEPT_ERRORS | KEPT_GRAPHS | KEPT_NUMBERS


@settings(max_examples=QUICK, derandomize=True, database=None, deadline=None)
@given(st.integers(0, 10**9))
def test_random_programs_say_the_same(seed: int) -> None:
    agrees(program_of(Random(seed), core=True), excused_or_worded)


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.parametrize("end", [False, True], ids=["each line", "at the end"])
def test_programs_that_once_differed_say_the_same(text: str, end: bool) -> None:
    agrees(Program(tuple(text.strip().splitlines()), end))


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.reason)
def test_known_deviations_still_occur(known: Deviation) -> None:
    found = disagreements(Program(tuple(known.program.strip().splitlines())))
    assert found and excused(found[0]) is known, found[:1]


def test_a_program_is_the_same_for_the_same_seed() -> None:
    assert program_of(Random("1:1")) == program_of(Random("1:1")) != program_of(Random("1:2"))


def test_a_disagreement_is_found_and_shrunk_to_the_lines_that_make_it() -> None:
    text = ["a = torch.ones(2)", "b = a * 2", "c = 'lab' in torch.__name__", "d = b + 1"]
    program = Program(tuple(text))
    found = disagreements(program)
    assert [(one.line, one.subject, one.ours, one.theirs) for one in found] == [(text[2], "c", True, False)]
    assert smallest(program, lambda shorter: bool(disagreements(shorter))) == Program((text[2],))


def test_a_comparison_of_numbers_that_were_rounded_differently_is_no_disagreement() -> None:
    rounded = "a = torch.tensor(0.1 + 1e-7 * ('lab' in torch.__name__))"
    assert not disagreements(Program((rounded, "b = a > 0.1")))
    assert disagreements(Program(("b = torch.tensor(True) & ('lab' in torch.__name__)",)))


def test_differences_are_grouped_by_what_they_are_about() -> None:
    first = Difference("c = a.sum()", "c", "shape", (1,), ())
    second = Difference("with torch.no_grad(): z = (x * 2).sum(0)", "z", "shape", (2,), (3,))
    assert first.signature == second.signature != Difference("c = a.mean()", "c", "shape", (1,), ()).signature


@pytest.mark.parametrize("core", [False, True], ids=["all", "core"])
def test_most_lines_of_the_surface_are_in_use_and_nearly_half_in_the_quick_test(core: bool) -> None:
    lines = [line for kinds in (MADE, DONE) for some, _ in kinds.values() for line in some]
    used = [line for line in lines if usable(line, core)]
    assert len(used) > (0.45 if core else 0.9) * len(lines), sorted(set(lines) - set(used))


def test_each_op_of_the_sheet_is_in_some_program_or_it_is_said_why_not() -> None:
    written = {
        name for kinds in (MADE, DONE) for lines, _ in kinds.values() for line in lines for name in names_in(line)
    }
    never = {name for names in NEVER for name in names.split()}
    ops = {name for expression in EXPRESSIONS for name in names_in(expression)}
    assert ops - written - never == set()
    assert never <= ops and not never & {name for line in SHEET for name in names_in(line)}


def look_and_end_at_the_137th(_: int, number: int, found: Found) -> None:
    """Programs that disagree, each in a way of its own, of which one ends the process."""
    if number == 137:
        os._exit(1)
    found.add(str(number), number, Program(()))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_crash_of_pytorch_is_named_and_the_run_goes_on(jobs: int, capfd: pytest.CaptureFixture[str]) -> None:
    found = Found()
    counts = []
    for count, piece in Pieces(0, jobs, look_and_end_at_the_137th).results(10, 420):
        counts.append(count)
        found.take(piece)
    assert (sum(counts), found.crashed) == (410, [137])
    assert found.counts == {str(number): 1 for number in range(10, 420) if number != 137}
    assert "crashed in program 137 " in capfd.readouterr().out
    assert active_children() == []
