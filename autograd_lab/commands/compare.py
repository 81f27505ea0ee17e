"""`autograd-lab compare`: two runs side by side, and what differs."""

from __future__ import annotations

import re
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from autograd_lab.commands.browser import Opened, hand_over, page_alone
from autograd_lab.commands.changed_lines import changed_lines
from autograd_lab.commands.exits import FAILED, complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.options import Depth, Language, RealTorch, Unfold
from autograd_lab.commands.program import choice_from, program_of, run_of, scene_of, script_of
from autograd_lab.commands.revisions import of_both
from autograd_lab.commands.search import EARLY, MOST, ROOM, Search
from autograd_lab.commands.terminal import say
from autograd_lab.display.alone import run_alone
from autograd_lab.display.script import Run
from autograd_lab.display.side_by_side import SUFFIXES, Comparison, titles_of
from autograd_lab.display.target import Misuse, file_target, stem_of
from autograd_lab.recording.iterations.wanted import Choice
from autograd_lab.trace import is_trace
from autograd_lab.view.compare.both import Both, both_of
from autograd_lab.view.compare.first_apart import measured_apart
from autograd_lab.view.kit.numeral import bytes_text
from autograd_lab.view.languages.texts import worded

EPILOG = f"""\b
Examples:
  autograd-lab compare positive negative                two bundled examples become positive-negative.html
  autograd-lab compare before.py after.py --open        the page opens in your browser
  autograd-lab compare "experts 3" "experts -3"         with arguments: another input, another graph
  autograd-lab compare before.py after.py -o both.png   both graphs at their ends, and what differs
  autograd-lab compare monday.jsonl train.py            a trace that was recorded before, and a script
  autograd-lab compare train.py --git HEAD~3..HEAD      as it was, and as it is, in its git repository
  autograd-lab compare train.py --git HEAD              as it was committed, and as it is now
  autograd-lab compare expression --worlds              what imports autograd_lab, here and under real PyTorch
  autograd-lab compare train.py --seeds 0,1             with two seeds, whatever seed it sets itself
What differs is listed here, too: first the line from which on it does, last the few lines of text that only one program
has. Numbers count as equal that differ by rounding alone. With --exit-code the command exits with 1 if anything
differs. Each script runs in a process of its own.
\b
Of two training loops the first iteration that differs is searched for, and shown. For that the first ones are recorded,
{MOST} at most and until they have {ROOM:,} events, which takes some seconds more than to record one. Of later ones the
losses, gradients and updates are compared, as far as they are measured; if these differ later, both scripts run once
more. --iteration K shows that one, without a search; they are counted from 1."""
app = command_file()


@app.command(epilog=EPILOG)
def compare(
    one: Annotated[
        str,
        typer.Argument(
            metavar="A", help='A script, a .jsonl trace or a bundled example; in quotes with arguments: "train.py 3".'
        ),
    ],
    other: Annotated[str | None, typer.Argument(metavar="B", help="What to compare it with.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where to: .html, .png, .svg by suffix.  [default: A-B.html]")
    ] = None,
    depth: Depth = None,
    unfold: Unfold = False,
    iteration: Annotated[
        str | None,
        typer.Option(
            metavar="K",
            help="Of training loops, this iteration: a number, first, last or all.  [default: the first that differs]",
        ),
    ] = None,
    git: Annotated[
        str | None,
        typer.Option(metavar="A..B", help="Compare A as it is in two revisions; with one, then and as it is now."),
    ] = None,
    worlds: Annotated[bool, typer.Option("--worlds", help="Compare A under autograd_lab and under PyTorch.")] = False,
    exit_code: Annotated[bool, typer.Option("--exit-code", help="Exit with 1 if anything differs.")] = False,
    seeds: Annotated[
        str | None, typer.Option(metavar="A,B", help="Compare A with two seeds, in place of those that it sets.")
    ] = None,
    torch: RealTorch = False,
    opened: Opened = False,
    language: Language = None,
) -> None:
    """Play two runs side by side, in step with each other, and say what differs."""
    with complaints(), ExitStack() as stack:
        sides, titles = _sides(stack, one, other, git, worlds, seeds, torch)
        target = file_target(output or Path(f"{_stem(titles)}.html"), SUFFIXES)
        page_alone(target, opened)
        is_searched = iteration is None and not any(is_trace(side.program[0]) for side in sides)
        runs = _runs(sides, titles, EARLY if is_searched else choice_from(iteration, None))
        search = Search(runs, titles, partial(_runs, sides, titles, is_warned=False)) if is_searched else None
        shown = runs if search is None else search.runs
        first, second = (scene_of(run, "engine", "LR", "auto", None, not unfold, depth).trace for run in shown)
        earlier = ([], []) if search is None else search.earlier
        both = both_of(first, second, titles, earlier, fold=not unfold, depth=depth)
        Comparison(both).save(target)
        said = [worded("what differs:"), _where_they_part(both, search), *both.told, *changed_lines(both)]
        if not both.told:
            said = [_nothing_differs(both) if search is None else search.nothing()]
        say("\n  ".join([f"{target}  {bytes_text(target.stat().st_size)}; {said[0]}", *said[1:]]))
        hand_over(target, opened)
        differs = bool(both.told or (search is not None and search.lengths))
        raise typer.Exit(max(*(run.code for run in runs), FAILED if exit_code and differs else 0))


def _runs(sides: list[Side], titles: tuple[str, str], choice: Choice | None, is_warned: bool = True) -> list[Run]:
    """What both sides did, each in a process of its own."""
    return [
        run_of(*side.program, side.torch, choice, partial(run_alone, seed=side.seed), is_warned, title)
        for side, title in zip(sides, titles, strict=True)
    ]


def _where_they_part(both: Both, search: Search | None) -> str:
    """Up to where both are the same; and how to see that, if only a late iteration was looked at."""
    if search is not None:
        return search.found(both.parting)
    course, there = (scene.trace.course for scene in both.scenes)
    apart = None if course is None or there is None else measured_apart(course, there)
    if both.is_parted_from_the_beginning and course is not None and apart is not None and apart[1] < course.shown[0]:
        return worded(
            "{} of iteration {}; what was measured of all differs from iteration {} on: look at --iteration {}",
            *(both.parting, f"{course.shown[0]:,}", f"{apart[1]:,}", apart[1]),
        )
    if both.is_parted_from_the_beginning and course is not None and course.shown[0] != 1:
        number = f"{course.shown[0]:,}"
        return worded(
            "{} of iteration {}; of two scripts the first one that differs is looked for without --iteration",
            both.parting,
            number,
        )
    return both.parting


def _nothing_differs(both: Both) -> str:
    """That, and how to see more, where only some iterations of a loop were looked at."""
    course = both.scenes[0].trace.course
    if course is None or not course.shown or course.shown[-1] >= course.seen:
        return worded("nothing differs")
    return worded("nothing differs in what was recorded; a later iteration may: --iteration {}", course.shown[-1] + 1)


class Side(NamedTuple):
    """A program with its arguments, whether it runs real PyTorch where it imports autograd_lab, and its seed."""

    program: tuple[str, list[str]]
    torch: bool
    seed: int | None = None


def _sides(
    stack: ExitStack, one: str, other: str | None, git: str | None, worlds: bool, seeds: str | None, torch: bool
) -> tuple[list[Side], tuple[str, str]]:
    """What is compared, and what each side is called. Raises Misuse for wishes that contradict each other."""
    if sum((other is not None, git is not None, worlds, seeds is not None)) != 1:
        raise Misuse("name two programs, or one with --git A..B, --worlds or --seeds A,B")
    program, arguments = program_of(one)
    name = stem_of(program)
    if git is not None:
        paths, titles = stack.enter_context(of_both(script_of(program), git))
        return [Side((str(path), arguments), torch) for path in paths], titles
    if worlds:
        titles = worded("{} in {}", name, "autograd_lab"), worded("{} in {}", name, "torch")
        return [Side((program, arguments), world) for world in (False, True)], titles
    if seeds is not None:
        script_of(program)  # a trace has no seed any more
        first, second = _numbers(seeds)
        titles = worded("{} with seed {}", name, first), worded("{} with seed {}", name, second)
        return [Side((program, arguments), torch, seed) for seed in (first, second)], titles
    assert other is not None
    return [Side(each, torch) for each in ((program, arguments), program_of(other))], titles_of(one, other)


def _numbers(seeds: str) -> tuple[int, int]:
    """Two seeds. Raises Misuse for anything else; numpy takes none above 2³² - 1."""
    words = seeds.split(",")
    if len(words) != 2 or not all(word.strip().isdecimal() and int(word) < 2**32 for word in words):
        raise Misuse(f"--seeds takes two numbers from 0 to 4294967295, as 0,1; not {seeds}")
    first, second = map(int, words)
    return first, second


def _stem(titles: tuple[str, str]) -> str:
    """The name of a file for both."""
    return re.sub(r"[^\w.-]+", "-", "-".join(title.replace(".py", "") for title in titles)).strip("-")[:100]
