"""`python -m tests.differential`: run random programs here and in PyTorch for as long as you like."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from ctypes import c_longlong
from dataclasses import dataclass, field
from importlib.util import find_spec
from multiprocessing import Pipe, Process, Value
from multiprocessing.connection import Connection, wait
from random import Random
from typing import Annotated, Any, cast

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

if find_spec("torch") is None:
    raise SystemExit("Real PyTorch is what this compares with, and it is not installed: pip install torch==2.13.0")

from tests.differential.grammar import program_of
from tests.differential.known import excused
from tests.differential.program import Program, disagreements, shrunk

CHUNK = 100
Piece = tuple[int, int]
"""The number of a first program, and of the one after the last."""
out = Console(highlight=False, markup=False, soft_wrap=True)
"""Programs are never markup."""

HELP = """Run random programs in autograd_lab and in real PyTorch, and show where the two disagree.

A program is some lines of Python. After each line everything is compared that can be seen: values, dtypes, versions,
names, edges and saved values of the graph, gradients, hooks, warnings, errors. Each kind of disagreement is shown
once, as the smallest program found that has it.

To keep one: mend the engine, and put the program into tests/differential/kept.py under a name that states what is
the same now. Where the difference is meant, it goes into tests/differential/known.py and, with its reason, into the
table of known deviations in docs/internals/deviations.md.

    python -m tests.differential --programs 100000 --jobs 2
    python -m tests.differential --first 100000 --programs 5000      (a share of a long run)
    python -m tests.differential --seed 7 --only 1234       (one program again, with all its differences)
"""


@dataclass
class Found:
    """How often each kind of disagreement was met, and the shortest program that has it."""

    counts: Counter[str] = field(default_factory=Counter)
    shortest: dict[str, tuple[int, Program]] = field(default_factory=dict)
    crashed: list[int] = field(default_factory=list)

    def add(self, signature: str, number: int, program: Program, times: int = 1) -> None:
        """Note a disagreement."""
        self.counts[signature] += times
        if signature not in self.shortest or len(program.lines) < len(self.shortest[signature][1].lines):
            self.shortest[signature] = number, program

    def take(self, piece: Found) -> None:
        """Add what was found in a piece."""
        for signature, (number, program) in piece.shortest.items():
            self.add(signature, number, program, piece.counts[signature])
        self.crashed += piece.crashed


def look_at(seed: int, number: int, found: Found) -> None:
    """Run the program with this number, and note how it disagrees."""
    program = numbered(seed, number)
    if differ := disagreements(program, excused):
        found.add(differ[0].signature, number, program)


def numbered(seed: int, number: int) -> Program:
    """The program with this number, the same each time."""
    return program_of(Random(f"{seed}:{number}"))


@dataclass
class Pieces:
    """Runs of programs, in processes of their own: a program that crashes PyTorch takes its process with it.

    A process notes the number of each program before it runs it. So it is known which one crashed; what came before it
    in its piece is run again, and what comes after it goes on.
    """

    seed: int
    jobs: int
    look: Callable[[int, int, Found], None] = look_at

    def results(self, first: int, last: int) -> Iterator[tuple[int, Found]]:
        """How many programs were run, and what was found in them, piece by piece."""
        waiting = [(start, min(start + CHUNK, last)) for start in range(first, last, CHUNK)][::-1]
        idle = [Runner(self.seed, self.look) for _ in range(self.jobs)]
        busy: dict[Any, Runner] = {}
        try:
            while waiting or busy:
                while waiting and idle:
                    runner = idle.pop()
                    runner.begin(waiting.pop())
                    busy[runner.line] = runner
                for line in wait(list(busy)):
                    runner = busy.pop(line)
                    found = runner.found()
                    idle.append(runner if found is not None else Runner(self.seed, self.look))
                    if found is None:
                        waiting += runner.rest()
                    yield (1, self.crashed(runner)) if found is None else (runner.piece[1] - runner.piece[0], found)
        finally:
            for runner in (*idle, *busy.values()):
                runner.end()

    def crashed(self, runner: Runner) -> Found:
        """What is known of a program that ended its process, and told."""
        runner.end()
        number = runner.at.value
        out.print(f"PyTorch itself crashed in program {number}  (--seed {self.seed} --only {number})")
        return Found(crashed=[number])


class Runner:
    """A process that runs a piece after the other, until one of its programs ends it."""

    def __init__(self, seed: int, look: Callable[[int, int, Found], None]) -> None:
        self.at = Value("q", lock=False)
        self.piece = 0, 0
        self.line, theirs = Pipe()
        self.process = Process(target=answer, args=(theirs, self.at, seed, look), daemon=True)
        self.process.start()
        theirs.close()  # so that this end hears of the other's end

    def begin(self, piece: Piece) -> None:
        """Have the process run these."""
        self.piece = piece
        self.line.send(piece)

    def found(self) -> Found | None:
        """What was found in the piece; None if the process has ended."""
        try:
            return cast(Found, self.line.recv())
        except (EOFError, ConnectionError):
            return None

    def rest(self) -> list[Piece]:
        """What is left of the piece when one of its programs has ended the process: what comes after, and before."""
        number = self.at.value
        return [(number + 1, self.piece[1]), (self.piece[0], number)]

    def end(self) -> None:
        """End the process, if it has not ended itself."""
        self.process.terminate()
        self.process.join()
        self.line.close()


def answer(line: Connection, at: c_longlong, seed: int, look: Callable[[int, int, Found], None]) -> None:
    """What a runner's process does: pieces come along the line, and what was found in each goes back."""
    while True:
        found = Found()
        for number in range(*line.recv()):
            at.value = number
            look(seed, number, found)
        line.send(found)


def run(first: int, last: int, seed: int, jobs: int) -> Found:
    """All programs, with a bar that tells how far they are."""
    found = Found()
    columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), TextColumn("{task.fields[kinds]} disagreements")
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task("", total=last - first, kinds=0)
        for count, piece in Pieces(seed, jobs).results(first, last):
            found.take(piece)
            progress.update(task, advance=count, kinds=len(found.counts))
    return found


def show(program: Program, title: str) -> None:
    """A program and its differences."""
    out.rule(title, characters="─")
    out.print(program.pasted())
    if program.end:
        out.print("# looked at only after the last line")
    for difference in disagreements(program)[:6]:
        out.print(f"\nafter {difference.line!r}\n  {difference}")
    out.print()


def main(
    programs: Annotated[int, typer.Option(help="How many programs to run.")] = 2000,
    first: Annotated[int, typer.Option(help="The number of the first one: long runs may be had in shares.")] = 0,
    seed: Annotated[int, typer.Option(help="Another seed, other programs.")] = 0,
    jobs: Annotated[int, typer.Option(help="In how many processes.")] = 1,
    only: Annotated[int | None, typer.Option(help="Run the program with this number alone.")] = None,
    most: Annotated[int, typer.Option(help="How many kinds of disagreements to show.")] = 20,
) -> None:
    if only is not None:
        show(numbered(seed, only), f"program {only}")
        raise typer.Exit
    start = time.perf_counter()
    found = run(first, first + programs, seed, jobs)
    rate = programs / (time.perf_counter() - start)
    for signature, count in found.counts.most_common(most):
        number, program = found.shortest[signature]
        show(shrunk(program, signature), f"{count} × {signature}  (--seed {seed} --only {number})")
    ran, differ = programs - len(found.crashed), sum(found.counts.values())
    share = f"{differ} disagree ({differ / max(ran, 1):.2%})"
    out.print(f"{ran} programs, {rate:.0f} a second: {share}, in {len(found.counts)} ways")
    if found.crashed:
        out.print(f"{len(found.crashed)} crashed PyTorch itself: {', '.join(map(str, sorted(found.crashed)))}")
    raise typer.Exit(code=1 if found.counts else 0)


main.__doc__ = HELP

if __name__ == "__main__":
    typer.run(main)
