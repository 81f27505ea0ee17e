"""What is tried with one PyTorch, in an environment that has it; the last line printed is what came of it, as JSON."""

from __future__ import annotations

import io
import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from typing import Any

import torch

import autograd_lab
from autograd_lab.display.script import examples, find_script, run_script
from autograd_lab.recording.iterations.wanted import LAST
from autograd_lab.torch_bridge.internals import lacking
from autograd_lab.trace import Trace
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from autograd_lab.view.svg import to_svg
from tests.recording.iterations.loops import CLOSURE, LOOPS, script
from tests.stories import PROGRAMS
from tests.stories.random_programs import random_program
from tests.story import first_difference, recorded, story
from tests.torches.parting import MAY_PART

RANDOM = 60
"""How many random programs are recorded and drawn."""


def main() -> None:
    found: dict[str, Any] = {"torch": torch.__version__.partition("+")[0], "wrong": []}
    warnings.simplefilter("ignore")
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        check_stories(found)
        check_random_programs(found)
        check_examples(found)
        check_loops(found)
    found["lacking"] = list(lacking.values())
    print(json.dumps(found))


def check_stories(found: dict[str, Any]) -> None:
    """Each story is told as here, unless PyTorch itself was otherwise at the time; none breaks off."""
    found["stories"] = found["parted"] = 0
    for name, program in PROGRAMS.items():
        trace = recorded(program, torch)
        difference = first_difference(story(recorded(program, autograd_lab)), story(trace))
        if difference is None:
            found["stories"] += 1  # and is drawn as it is here, which other tests try
        else:
            found["parted"] += 1
            found["wrong"] += broken(name, trace)
            if name not in MAY_PART:
                found["wrong"].append(f"the story {name} parts: {difference[:400]}")


def check_random_programs(found: dict[str, Any]) -> None:
    """Random programs are recorded to their ends, and drawn."""
    found["random"] = 0
    for seed in range(RANDOM):
        code = compile(random_program(Random(seed)), "program.py", "exec")

        def run(world: Any, code: Any = code) -> dict[str, Any]:
            names = {"torch": world}
            exec(code, names)
            return names

        wrong = [*broken(f"random program {seed}", recorded(run, torch))]
        found["random"] += not wrong
        found["wrong"] += wrong


def check_examples(found: dict[str, Any]) -> None:
    """The bundled examples run with PyTorch, are recorded to their ends, and drawn."""
    found["examples"] = 0
    for name in sorted({*examples()} - {"miniature"}):  # which is an engine itself
        done = run_script(find_script(name), torch=True, choice=LAST)
        wrong = list(broken(f"example {name}", done.trace))
        found["examples"] += not wrong
        found["wrong"] += wrong


def check_loops(found: dict[str, Any]) -> None:
    """Training loops of every kind become their last iteration."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (count, body) in {**LOOPS, "a closure": (5, CLOSURE)}.items():
            path = Path(folder, "program.py")
            path.write_text(script("torch", body))
            done = run_script(path, choice=LAST)
            wrong += [f"the loop {name}: {done.complaint}"] if done.complaint else []
            wrong += broken(f"the loop {name}", done.trace)
            course = done.trace.course
            if course is None or (course.shown, course.seen) != ((count,), count):
                wrong.append(f"the loop {name} shows {course}")
    found["training"] = not wrong
    found["wrong"] += wrong


def broken(name: str, trace: Trace) -> Iterator[str]:
    """What is wrong with a recording and its picture; what a page shows beside it hangs on no version of PyTorch."""
    if trace.is_torn:
        yield f"{name} breaks off: {trace[-1]}"
    try:
        to_svg(make_scene(trace))
    except NothingToDraw:
        return
    except Exception as error:
        yield f"{name} cannot be drawn: {type(error).__name__}: {error}"


if __name__ == "__main__":
    sys.setrecursionlimit(5000)
    main()
