"""`autograd-lab diagnose`: what is wrong with a script or a trace, and why."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from enum import StrEnum
from typing import Annotated

import typer

from autograd_lab.commands.exits import FAILED, complaints
from autograd_lab.commands.held import held_text
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.options import EveryNth, Language, Program, RealTorch, ScriptArguments
from autograd_lab.commands.program import choice_from, run_of
from autograd_lab.commands.terminal import say
from autograd_lab.display.script import Run
from autograd_lab.events import BackwardStarted
from autograd_lab.findings.alive import Holding, holding
from autograd_lab.findings.diagnosis import diagnose as findings_of
from autograd_lab.findings.diagnosis import unchecked
from autograd_lab.findings.enumeration import together
from autograd_lab.findings.finding import SEVERITIES, Finding, told
from autograd_lab.recording.iterations.wanted import Choice
from autograd_lab.trace.course import BEGINNING
from autograd_lab.view.languages.speaking import translated
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.pages.film_findings import in_words

MOST = 20_000
"""So many events are looked at, unless other iterations are asked for: mistakes of a loop show in its first turns."""


class FailOn(StrEnum):
    error = "error"
    warning = "warning"
    note = "note"
    never = "never"


EPILOG = """\b
Examples:
  autograd-lab diagnose train.py                        run it once, watch, and say what is wrong
  autograd-lab diagnose train.py -- --epochs 1          what follows -- goes to the script
  autograd-lab diagnose train.py --iteration 300        of a training loop the 300th iteration, where it went wrong
  autograd-lab diagnose trace.jsonl                     a trace that was recorded before
  autograd-lab diagnose train.py --json > found.json    for programs; the script's own output goes to stderr
  autograd-lab diagnose train.py --fail-on error        in CI: only errors fail
  autograd-lab diagnose train.py --held                 also which graphs are alive at the end, and what they keep
\b
In brackets stands the kind of a finding. The guide has a page for each, mistakes/KIND.html, with a small program that
has the mistake, a picture of the moment, and the mended program; python3 start.py site builds it.
\b
An error stopped the program; a warning is a mistake that nobody told you of, such as gradients that are never cleared,
a NaN, or a parameter that gets no gradient; a note may be meant so, such as a frozen layer.
The exit code is 0 if nothing as bad as --fail-on was found, 1 if something was, 2 for misuse."""
app = command_file()


@app.command(epilog=EPILOG)
def diagnose(
    program: Program,
    arguments: ScriptArguments = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    fail_on: Annotated[
        FailOn, typer.Option(help="Exit with 1 if there is a finding that is as bad as this, or worse.")
    ] = FailOn.warning,
    iteration: Annotated[
        str | None,
        typer.Option(
            metavar="K", help="Look at this iteration: a number, first, last or all.  [default: the first ones]"
        ),
    ] = None,
    every: EveryNth = None,
    held: Annotated[
        bool,
        typer.Option("--held", help="Say also which graphs are alive at the end, who holds them, and what they keep."),
    ] = False,
    torch: RealTorch = False,
    language: Language = None,
) -> None:
    """Say what is wrong with a script of autograd_lab or PyTorch, which line did it, and what to write instead."""
    with complaints():
        wanted = Choice(most=MOST) if iteration is None and every is None else choice_from(iteration, every)
        with redirect_stdout(sys.stderr) if as_json else nullcontext():
            run = run_of(program, arguments or [], torch, wanted, is_warned=False)
        found = findings_of(run.trace)
        holds = holding(run.trace) if held else None
        say(_as_json(program, run, found, holds) if as_json else _as_text(run, found))
        if holds is not None and not as_json:
            say("\n" + held_text(holds))
        raise typer.Exit(_code(run, found, fail_on))


def _as_text(run: Run, found: list[Finding]) -> str:
    """The findings, one below the other, and how many there are."""
    counts = [_counted(severity, sum(each.severity == severity for each in found)) for severity in SEVERITIES]
    summary = ", ".join(filter(None, counts)) or worded("Nothing wrong was found")
    blocks = [told(_in_words(each)).replace("\n", f"  [{each.kind}]\n", 1) for each in found]
    return "\n\n".join([*blocks, f"{summary} {_seen(run)}{_left_out(run)}." + _rest(run)])


def _in_words(finding: Finding) -> Finding:
    said = {"error": worded("error"), "warning": worded("warning"), "note": worded("note")}
    return replace(in_words(finding), severity=said[finding.severity])


def _counted(severity: str, count: int) -> str:
    """How many there are of a severity; nothing for none."""
    if count < 2:
        return {"error": worded("1 error"), "warning": worded("1 warning"), "note": worded("1 note")}[severity] * count
    said = {"error": worded("{} errors", count), "warning": worded("{} warnings", count)}
    return said.get(severity, worded("{} notes", count))


def _seen(run: Run) -> str:
    """What was looked at."""
    count, events = sum(isinstance(event, BackwardStarted) for event in run.trace), f"{len(run.trace):,}"
    passes = worded("1 backward pass") if count == 1 else worded("{} backward passes", f"{count:,}")
    if any(note.startswith(BEGINNING) for note in run.trace.notes):
        return worded("in the first {} and {} events", passes, events)
    if not count:
        return worded("in {} events; no backward pass was run, so no gradient could be checked", events)
    return worded("in {} and {} events", passes, events)


def _left_out(run: Run) -> str:
    """What was not checked, since a part of the run does not tell of it."""
    left = unchecked(run.trace)
    if not left:
        return ""
    said = translated(together(left))
    return worded("; {} was not checked", said) if len(left) == 1 else worded("; {} were not checked", said)


def _rest(run: Run) -> str:
    """What is to be said of the recording as a whole, and how one looks at what was left out."""
    later = worded(" To look at a later iteration K of a loop: --iteration K.")
    notes = [(translated(f"{note[:1].upper()}{note[1:]}."), note.startswith(BEGINNING)) for note in run.trace.notes]
    return "".join(f"\n{said}{later * is_beginning}" for said, is_beginning in notes)


def _as_json(program: str, run: Run, found: list[Finding], holds: Holding | None) -> str:
    content = {"program": program, "engine": run.trace.engine, "events": len(run.trace), "notes": run.trace.notes}
    content |= {"unchecked": unchecked(run.trace)}
    told = {**content, "findings": [each.to_json() for each in found]}
    return json.dumps(told if holds is None else told | {"held": holds.to_json()}, indent=2, ensure_ascii=False)


def _code(run: Run, found: list[Finding], fail_on: FailOn) -> int:
    if fail_on == FailOn.never:
        return 0
    worse = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    return FAILED if any(each.severity in worse for each in found) else run.code
