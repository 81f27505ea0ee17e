"""Run a script as `python SCRIPT.py` would, while taking down what its tensors do."""

from __future__ import annotations

import importlib
import linecache
import os
import shlex
import sys
import warnings
from ast import Module
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from autograd_lab.display.tracebacks import users_traceback
from autograd_lab.recording.iterations.imports import marked_loops
from autograd_lab.recording.iterations.record import record, record_script, say_nothing
from autograd_lab.recording.iterations.wanted import Choice
from autograd_lab.recording.recorder import RecordingWarning
from autograd_lab.recording.recording import INDENT
from autograd_lab.trace import Trace
from autograd_lab.whose import EXAMPLES

ROOMS = (
    "", ".amp", ".autograd", ".autograd.forward_ad", ".autograd.function", ".autograd.functional", ".autograd.graph",
    ".distributions", ".distributions.categorical", ".distributions.normal", ".func", ".linalg", ".nn", ".nn.attention",
    ".nn.functional", ".nn.init", ".nn.parameter", ".nn.utils", ".nn.utils.parametrizations", ".nn.utils.rnn", ".optim",
    ".optim.lr_scheduler", ".optim.swa_utils", ".utils", ".utils.checkpoint", ".utils.data",
)  # fmt: skip
"""What of PyTorch a script may import by the name of autograd_lab."""

INTERRUPTED = 130
"""What a shell reports for a program that was stopped by Ctrl-C."""


@dataclass(frozen=True)
class Run:
    """What a script left behind: its trace, its exit code and, if it failed, what Python has to say about it.

    `help` is the end of that: what this package has found out about the error.
    """

    trace: Trace
    code: int
    complaint: str = ""
    help: str = ""


class TorchMissing(ImportError):
    """PyTorch was asked for, and is not installed."""


def run_script(
    path: Path,
    arguments: Sequence[str] = (),
    torch: bool = False,
    choice: Choice | None = None,
    say: Callable[[str], None] = say_nothing,
) -> Run:
    """Run the file as `__main__`, with its own `sys.argv` and its own folder first on `sys.path`; record it.

    Of a training loop, only the iterations of a `choice` are recorded; `say` hears how far a long run has come. With
    `torch`, what it imports as autograd_lab is PyTorch. It may raise what it wants: the trace then tells what led
    there. Raises OSError when the file cannot be read, TorchMissing.
    """
    return run_source(path.read_bytes(), os.path.abspath(path), [str(path), *arguments], torch, choice=choice, say=say)


def run_source(
    source: bytes | str | Module,
    file: str,
    argv: list[str],
    torch: bool = False,
    more: Callable[[Trace], Mapping[str, Any]] | None = None,
    recorded: bool = True,
    choice: Choice | None = None,
    say: Callable[[str], None] = say_nothing,
) -> Run:
    """Run a text, or its syntax tree, as the file `file` would be run; `more` names what else it finds built in.

    Unless it is `recorded`, its trace is empty. `choice` and `say` are as for `run_script`.
    """
    module = ModuleType("__main__")
    module.__file__ = file
    code, complaint, help, trace = 0, "", "", Trace()
    world = _torch_as_autograd_lab() if torch else nullcontext()
    try:
        warnings.simplefilter("ignore", RecordingWarning)  # whoever ran it will say so
        with _posing_as(module, argv), world, marked_loops(os.path.dirname(file), choice is not None) as loops:
            code_of = compile if choice is None else loops.compiled
            with record_script(choice, loops, say) if recorded else nullcontext(Trace()) as trace:
                module.__dict__.update(more(trace) if more else {})
                exec(code_of(source, file, "exec", dont_inherit=True), module.__dict__)
    except TorchMissing:
        raise
    except SystemExit as leaving:
        code, complaint = _exit_code(leaving)
    except KeyboardInterrupt:
        code, complaint = INTERRUPTED, "KeyboardInterrupt\n"
    except BaseException as error:
        code, complaint = 1, users_traceback(error)
        help = "".join(f"{note}\n" for note in getattr(error, "__notes__", ()) if note.startswith(INDENT))
    return Run(trace, code, complaint, help)  # `module` has kept the script's graph until here, after the recording


@contextmanager
def read_as(file: str, text: str) -> Iterator[None]:
    """Let whoever looks up the lines of `file` find those of `text`."""
    before = linecache.cache.get(file)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    try:
        yield
    finally:
        del linecache.cache[file]
        if before is not None:
            linecache.cache[file] = before


@contextmanager
def _torch_as_autograd_lab() -> Iterator[None]:
    """Have `import autograd_lab` give PyTorch. Raises TorchMissing; all else of this package stays as it is."""
    try:
        torch = {room: importlib.import_module(f"torch{room}") for room in ROOMS}
    except ImportError as error:
        raise TorchMissing(f"--torch wants PyTorch, which cannot be imported: {error}") from None
    before = {f"autograd_lab{room}": sys.modules.get(f"autograd_lab{room}") for room in ROOMS}
    with record():  # all that watches PyTorch has been imported then
        pass
    sys.modules.update({f"autograd_lab{room}": module for room, module in torch.items()})
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def with_arguments(program: str) -> tuple[str, list[str]]:
    """A script's name and its arguments, from one text, as in "train.py 3"; what is a file's very name has none.

    Raises ValueError for quotes that are not closed.
    """
    if Path(program).is_file() or not program.strip() or len(program.split()) == 1:
        return program, []
    name, *arguments = shlex.split(program)
    return name, arguments


def find_script(name: str) -> Path:
    """The file of this name or, where there is none, the bundled example, with or without `.py`.

    Raises FileNotFoundError, whose text lists the examples.
    """
    path = Path(name)
    if path.is_file():
        return path
    if path.is_dir():
        raise FileNotFoundError(f"{name} is a folder; which script in it?")
    found = Path(EXAMPLES, f"{name.removesuffix('.py')}.py")
    if path.parent == Path() and found.is_file():
        return found
    raise FileNotFoundError(f"there is no file {name}; bundled examples are {', '.join(examples())}")


def examples() -> list[str]:
    """The names of the bundled examples."""
    return sorted(path.stem for path in Path(EXAMPLES).glob("*.py") if path.stem != "__init__")


def _exit_code(leaving: SystemExit) -> tuple[int, str]:
    match leaving.code:
        case None:
            return 0, ""
        case int(code):
            return code, ""
        case text:
            return 1, f"{text}\n"


@contextmanager
def _grad_mode_put_back() -> Iterator[None]:
    """Have gradients recorded afterwards as before, in both worlds, whatever a script has switched off for good."""
    worlds = [sys.modules[name] for name in ("autograd_lab", "torch") if sys.modules.get(name) is not None]
    before = [(each, each.is_grad_enabled()) for each in worlds]
    try:
        yield
    finally:
        for each, enabled in before:
            if each.is_grad_enabled() != enabled:
                each.set_grad_enabled(enabled)


@contextmanager
def _posing_as(module: ModuleType, argv: list[str]) -> Iterator[None]:
    """Let `module` be the running program, and put everything back afterwards."""
    before = sys.modules["__main__"], sys.argv, list(sys.path)
    sys.modules["__main__"], sys.argv = module, argv
    if not sys.flags.safe_path:
        sys.path[:1] = [os.path.dirname(str(module.__file__))]
    try:
        with _grad_mode_put_back():
            yield
    finally:
        sys.modules["__main__"], sys.argv, sys.path[:] = before
