"""What a command draws: the run of a script, or of a trace that was recorded before, and its scene."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograd_lab.commands.exits import FAILED, complain
from autograd_lab.commands.terminal import say
from autograd_lab.display.cut import cut_told
from autograd_lab.display.script import INTERRUPTED, Run, TorchMissing, find_script, run_script, with_arguments
from autograd_lab.display.target import Misuse, writing
from autograd_lab.events import RecordingStopped
from autograd_lab.findings.diagnosis import aside
from autograd_lab.findings.errors.raised import KIND
from autograd_lab.findings.finding import ERROR, WARNING
from autograd_lab.recording.iterations.wanted import ASKED, LAST, Choice, choice_of
from autograd_lab.trace import Trace, is_trace
from autograd_lab.view.languages.speaking import translated
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.subject import NothingToDraw

HINT = """PyTorch is not installed here. Install it, or write autograd_lab for torch in the imports of the script:
    import autograd_lab as torch
    from autograd_lab import nn
    import autograd_lab.nn.functional as F"""


def program_of(text: str) -> tuple[str, list[str]]:
    """A program and its arguments, from one text. Raises Misuse for quotes that are not closed."""
    try:
        return with_arguments(text)
    except ValueError as error:
        raise Misuse(f"{text}: {error}") from None


def choice_from(iteration: str | None, every: int | None) -> Choice | None:
    """The iterations that are asked for; None for the whole run. Raises Misuse for wishes that cannot be."""
    if iteration is not None and every is not None:
        raise Misuse("--iteration and --every exclude each other")
    try:
        return Choice(every=every) if every is not None else choice_of(iteration or "last")
    except ValueError:
        raise Misuse(f"--iteration takes {ASKED}, not {iteration!r}") from None


def run_of(
    program: str,
    arguments: list[str],
    torch: bool = False,
    choice: Choice | None = LAST,
    runner: Callable[..., Run] = run_script,
    is_warned: bool = True,
    title: str = "",
) -> Run:
    """What the script did, as `runner` ran it; its traceback, if it left one, is shown at once.

    Unless the caller does so, one line warns of what is wrong that nobody has told of; of one run among several it
    says of which, by its `title`.
    """
    if is_trace(program):
        if arguments or torch:
            raise Misuse(f"{program} is a trace, which takes {'no arguments' if arguments else 'no --torch'}")
        if not Path(program).is_file():
            raise Misuse(f"there is no file {program}")
        return _honest(Run(Trace.load(program), 0))
    script = script_of(program)
    try:
        run = runner(script, arguments, torch, choice, complain)
    except TorchMissing as error:
        raise Misuse(str(error)) from None
    told = told_of(run, choice, is_helped=is_warned)
    if is_warned:  # of a span by its last iteration: what was between its iterations is not in it
        is_span = choice is not None and choice.span is not None
        _warn(told.trace.iterations()[-1] if is_span else told.trace, program, title)
    return told


def _warn(trace: Trace, program: str, title: str) -> None:
    """Say in a line what is wrong with a run that went on all the same."""
    silent = [finding for finding in aside(trace) if finding.severity == WARNING]
    if silent:
        count = worded("1 warning") if len(silent) == 1 else worded("{} warnings", len(silent))
        found = translated(silent[0].sentence)
        said = f"{worded('{} in {}', count, title)}: {found}" if title else f"{count}: {found}"
        complain(said if title else f"{said} (autograd-lab diagnose {program})")


def script_of(program: str) -> Path:
    """The file of a script. Raises Misuse if there is none, or it is a trace, which cannot be run again."""
    if is_trace(program):
        raise Misuse(f"{program} is a trace, which cannot be run again; give the script that it is of")
    try:
        return find_script(program)
    except FileNotFoundError as error:
        raise Misuse(str(error)) from None


def told_of(run: Run, choice: Choice | None, is_helped: bool = True) -> Run:
    """The run, after what there is to be said of it; unless it `is_helped`, without what a finding says again."""
    sys.stdout.flush()
    again = not is_helped and any(each.severity == ERROR and each.kind != KIND for each in aside(run.trace))
    say(run.complaint.removesuffix(run.help) if again else run.complaint, err=True, nl=False)
    hint_at_imports(run)
    _shown(run, choice)
    return _honest(run)


def hint_at_imports(run: Run) -> None:
    """Say what to write in the place of PyTorch, if that is what a script did not find."""
    if "No module named 'torch'" in run.complaint:
        complain(HINT)


def _shown(run: Run, choice: Choice | None) -> None:
    """Say which iterations of how many are shown. Raises Misuse for one that there was not."""
    course = run.trace.course
    if course is None:
        if run.code == INTERRUPTED and run.trace.events:
            complain(
                "stopped by Ctrl-C before the first iteration of a loop was over: shown is all that ran until then"
            )
        is_asked = choice is not None and (choice.number is not None or choice.every is not None)
        if is_asked and not run.complaint:
            raise Misuse("this run has no training loop, so there are no iterations to choose from")
        return
    if not course.shown:
        raise Misuse(f"this run has {course.seen:,} iterations, and none of them is {_called(choice)}")
    if choice is None or not choice.is_last:
        return
    failed = bool(run.complaint) and run.code != INTERRUPTED
    if said := cut_told(run.trace, failed, f". To see it: --iteration {course.seen + 1}, or all"):
        complain(said)


def _called(choice: Choice | None) -> str:
    if choice is not None and choice.span is not None:
        return f"from {choice.span[0]:,} to {choice.span[1]:,}"
    if choice is None or choice.number is None:
        return f"a multiple of {choice.every if choice else 1}"
    return f"iteration {choice.number:,}"


def _honest(run: Run) -> Run:
    """The run; if its recording broke off, that is said, and the exit code tells of it."""
    last = run.trace.events[-1] if run.trace.is_torn else None
    if not isinstance(last, RecordingStopped):
        return run
    complain(f"the recording breaks off after step {len(run.trace) - 1:,}. {last.reason} Not shown: {last.lost}.")
    return replace(run, code=run.code or FAILED)


def each_iteration(run: Run, target: Path) -> Iterator[tuple[Run, Path]]:
    """The run, and where its picture goes; of several iterations each by itself, in a file with its number."""
    parts = run.trace.iterations()
    for part in parts:
        number = part.course.shown[0] if part.course is not None else 0
        place = target.with_stem(f"{target.stem}-iteration-{number}") if len(parts) > 1 else target
        yield replace(run, trace=part), place


def scene_of(run: Run, *options: Any) -> Scene:
    try:
        return make_scene(run.trace, *options)
    except NothingToDraw as error:
        if not run.complaint:
            raise
        raise NothingToDraw("the script stopped before it had a graph, so there is no picture") from error
    except ValueError as error:  # such as a root that no tensor is called
        raise Misuse(str(error)) from None


def save(trace: Trace, target: Path) -> None:
    with writing(target):
        trace.save(target)
    say(f"{target}  {len(trace):,} event{'s' * (len(trace) != 1)}")
