"""Which place of the user's program runs: the nearest one at or above a frame, and what is there.

Each recording numbers its places, and calls files by names that do not tell where on this machine they lie.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from types import CodeType, FrameType

from autograd_lab.events import CELL, Where
from autograd_lab.recording.program.expressions import read
from autograd_lab.whose import PACKAGE, users_frame


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the user's program: its line, the expression there, the targets it is assigned to, its operands.

    `number` is its place in `Sites.wheres`; what is there may be a call, or what compares with many things, or whose
    result is none of what happens there: `max(a, b)`. `instruction` is where in its function it stands.
    """

    where: Where | None
    expression: str | None = None
    targets: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    number: int = 0
    is_call: bool = False
    is_aside: bool = False
    instruction: int = -1

    def step(self, op: str) -> Site:
        """The same place, for what an op gives there on the way to what the expression means."""
        return replace(self, expression=f"{op}(…)", targets=())

    def assignment(self) -> Site:
        """The same place, where what is written is an attribute that something is assigned to: `m.weight = w`."""
        name = self.expression or ""
        is_path = "." in name and name.replace(".", "").isidentifier()
        return replace(self, targets=(name,) if is_path else ())


NOWHERE = Site(None)

COMPOSING = {os.path.join(PACKAGE, "func", ""), os.path.join(PACKAGE, "autograd", "functional.py")}
"""Files, or folders, of an engine whose functions do several things, of which the last is not what the call means."""
FOR_ITSELF = {os.path.join(PACKAGE, name, "") for name in ("nn", "utils", "distributions")} | COMPOSING
"""Those whose functions make tensors for their own use; save for `nn.Parameter`."""


@cache
def composes(file: str) -> bool:
    """Whether the ops that a call into this file of an engine does are steps on the way of that call."""
    return file.startswith(tuple(COMPOSING))


MODULES = {os.path.join(PACKAGE, "nn", "module.py")}
"""Where what all modules can do is written: `m.double()`, which means the module; and their call itself."""


@cache
def makes_for_itself(file: str) -> bool:
    """Whether the tensors that a call into this file of an engine makes are no result of that call."""
    return file.startswith(tuple(FOR_ITSELF)) and os.path.basename(file) != "parameter.py"


def entered_file(deepest: FrameType, users: FrameType | None) -> str:
    """The file of the function that a user's frame has called, and that has come as deep as this."""
    while deepest.f_back is not None and deepest.f_back is not users:
        deepest = deepest.f_back
    return deepest.f_code.co_filename


def code_of(frame: FrameType | None) -> CodeType | None:
    """The code that a frame runs, if there is one."""
    return None if frame is None else frame.f_code


class Sites:
    """The places a program ran through: `wheres`, and in `texts` the source of each file, by the name shown for it."""

    def __init__(self) -> None:
        self.notice: Callable[[FrameType | None], None] | None = None
        self.texts: dict[str, str] = {}
        self.wheres: list[Where | None] = [None]
        self._names: dict[str, str] = {}
        self._found: dict[tuple[int, int], Site] = {}
        self._codes: dict[int, CodeType] = {}  # kept, so that their ids stay their own

    def here(self, frame: FrameType | None) -> tuple[Site, FrameType | None]:
        """The nearest place at or above `frame` that is not this package's own code, and its frame."""
        users = users_frame(frame)
        return self.of(users), users

    def of(self, frame: FrameType | None) -> Site:
        """The place of a frame of the program; nowhere, if there is none."""
        if self.notice is not None:
            self.notice(frame)
        if frame is None:
            return NOWHERE
        code, instruction = frame.f_code, frame.f_lasti
        return self._found.get((id(code), instruction)) or self.at(code, instruction)

    def at(self, code: CodeType, instruction: int) -> Site:
        """The place of one instruction (a byte offset, as in `frame.f_lasti`)."""
        key = (id(code), instruction)
        found = self._found.get(key)
        if found is None:
            self._codes[id(code)] = code
            found = self._found[key] = self._look(code, instruction)
        return found

    def _look(self, code: CodeType, instruction: int) -> Site:
        lines = linecache.getlines(code.co_filename)
        line, text, columns, expression, targets, operands, is_call, is_aside, at = read(code, instruction, lines)
        where = Where(file=self._shown(code.co_filename, lines), line=line, text=text, columns=columns)
        self.wheres.append(where)
        return Site(where, expression, targets, operands, len(self.wheres) - 1, is_call, is_aside, at)

    def _shown(self, filename: str, lines: list[str]) -> str:
        """A name for the file that does not tell where on this machine it lies, unless two would share it."""
        if filename not in self._names:
            name = _cell(filename) or _path_from_here(filename)
            self._names[filename] = filename if name in self.texts else name
            self.texts[self._names[filename]] = "".join(lines)
        return self._names[filename]


def _cell(filename: str) -> str | None:
    """What a notebook calls the cell that IPython has compiled as this file, if it is one: by its execution count."""
    find = getattr(sys.modules.get("IPython"), "get_ipython", None)
    shell = find() if find is not None else None
    ask = getattr(getattr(shell, "compile", None), "format_code_name", None)
    called = ask(filename) if ask is not None else None  # ("Cell", "In[2]")
    return None if called is None else CELL + called[1].removeprefix("In[")


def _path_from_here(filename: str) -> str:
    """The path as seen from the current folder, if it lies in there; else the file's name alone."""
    relative = os.path.relpath(filename) if os.path.isabs(filename) and _same_drive(filename) else filename
    return (os.path.basename(filename) if relative.startswith("..") else relative).replace(os.sep, "/")


def _same_drive(filename: str) -> bool:
    return os.path.splitdrive(filename)[0] == os.path.splitdrive(os.getcwd())[0]
