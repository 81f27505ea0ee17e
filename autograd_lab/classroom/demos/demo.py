"""A demo: a program with its questions, a note for the teacher, and the trace that is played."""

from __future__ import annotations

import ast
import inspect
import json
import os
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from autograd_lab.classroom.demos.questions import Question, asked_of_class
from autograd_lab.classroom.demos.said import said, said_question
from autograd_lab.events import OpApplied
from autograd_lab.trace import Trace, write_whole
from autograd_lab.view.pages.film_question import Asked
from autograd_lab.view.scene import Scene, make_scene

HERE = Path(__file__).parent
SCRIPTS, RECORDED = HERE / "scripts", HERE / "recorded"
STEPS = RECORDED / "steps.json"
"""Of each demo that comes along the steps at which its questions are asked."""

BUNDLED = (
    "arriving-at-b",
    "the-same-backward-twice",
    "three-ways-to-add-one",
    "a-list-of-losses",
    "layer-and-swish",
)
"""The demos that come along, in the order in which a class may see them."""


@dataclass(frozen=True)
class Demo:
    """`steps[i]` is the step before which question `i` is asked."""

    name: str
    source: str
    trace: Trace
    steps: tuple[int, ...]
    complaint: str = ""

    @cached_property
    def questions(self) -> list[Question]:
        """The questions, in the order of the program."""
        return list(map(said_question, asked_of_class(self.source)))

    @property
    def title(self) -> str:
        """The first line of the program's docstring, or the demo's name."""
        return said(self._said.partition("\n")[0]) or self.name

    @property
    def note(self) -> str:
        """What the docstring says to the teacher below its first line."""
        return said(self._said.partition("\n")[2].strip())

    @property
    def asked(self) -> list[Asked]:
        """The questions as a player asks them. Who plays it alone is told what the choice reveals."""
        return [
            Asked(
                f"{self.name}.{number}",
                question.text,
                tuple(choice.text for choice in question.choices),
                step,
                question.answer,
                tuple(choice.told for choice in question.choices),
            )
            for number, (question, step) in enumerate(zip(self.questions, self.steps, strict=True), 1)
        ]

    @cached_property
    def _said(self) -> str:
        try:
            return inspect.cleandoc(ast.get_docstring(ast.parse(self.source)) or "")
        except SyntaxError:
            return ""

    @cached_property
    def scene(self) -> Scene:
        """The trace, laid out. Raises NothingToDraw."""
        return make_scene(self.trace)


def load(name: str) -> Demo:
    """A demo that comes along, as it was recorded; nothing is run, and numpy is not wanted. Raises KeyError."""
    if name not in BUNDLED:
        raise KeyError(f"there is no demo {name!r}; there are {', '.join(BUNDLED)}")
    trace = Trace.load(RECORDED / f"{name}.jsonl")
    return Demo(name, _script(name), trace, tuple(json.loads(STEPS.read_text("utf-8"))[name]))


def title_of(name: str) -> str:
    """The title of a demo that comes along."""
    return Demo(name, _script(name), Trace(), ()).title


def make(path: Path, arguments: Sequence[str] = (), torch: bool = False) -> Demo:
    """Run a program, and take it for a demo. Raises OSError, QuestionError, TorchMissing; SyntaxError for no text."""
    with tokenize.open(path) as file:
        source = file.read()
    return _run(path.stem, source, os.path.abspath(path), arguments, torch)


def run(name: str, torch: bool = False) -> Demo:
    """Run a demo that comes along once more, in this engine or in PyTorch. Raises TorchMissing."""
    return _run(name, _script(name), f"{name}.py", (), torch)


def record_bundled() -> None:
    """Write anew what `load` reads."""
    demos = [run(name) for name in BUNDLED]
    for demo in demos:
        demo.trace.save(RECORDED / f"{demo.name}.jsonl")
    steps = {demo.name: demo.steps for demo in demos}
    write_whole(STEPS, f"{json.dumps(steps, indent=2)}\n".encode())


def _run(name: str, source: str, file: str, arguments: Sequence[str], torch: bool) -> Demo:
    from autograd_lab.classroom.demos.asking import run_asking  # wants the engine, and with it numpy

    done, steps = run_asking(file, source, arguments, torch)
    return Demo(name, source, _numbered_anew(done.trace), tuple(steps), done.complaint)


def _numbered_anew(trace: Trace) -> Trace:
    """The trace with sequence numbers from 0, whatever else has run in this process before."""
    numbers = [event.sequence for event in trace if isinstance(event, OpApplied) and event.sequence is not None]
    first = min(numbers, default=0)
    events = [
        replace(event, sequence=event.sequence - first)
        if isinstance(event, OpApplied) and event.sequence is not None
        else event
        for event in trace
    ]
    return Trace(events, trace.files, trace.engine)


def _script(name: str) -> str:
    return (SCRIPTS / f"{name}.py").read_text("utf-8")
