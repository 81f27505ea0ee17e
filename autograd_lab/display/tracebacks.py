"""Tracebacks of a program that was recorded, as Python prints them where nobody records."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, TracebackType
from typing import TypeVar

from autograd_lab.whose import EXAMPLES, PACKAGE

Frame = TypeVar("Frame")


def users_traceback(error: BaseException) -> str:
    """The traceback as Python prints it where nobody records, without Python's import machinery."""
    report = traceback.TracebackException.from_exception(error)
    todo: list[traceback.TracebackException | None] = [report]
    while todo:
        if (part := todo.pop()) is not None:
            shown = _users(part.stack, lambda frame: (frame.filename, frame.name))
            part.stack = traceback.StackSummary.from_list(shown)
            todo += [part.__cause__, part.__context__, *(part.exceptions or ())]
    return "".join(report.format())


def users_frames(trace: TracebackType | None) -> TracebackType | None:
    """The frames of a traceback where nobody records, without those of Python's import machinery."""
    frames = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    after = None
    for each in reversed(_users(frames, lambda each: _function_of(each.tb_frame.f_code))):
        after = TracebackType(after, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return after


def _users(frames: Iterable[Frame], function_of: Callable[[Frame], tuple[str, str]]) -> list[Frame]:
    """Of the frames of a traceback those that are not of this package, nor there on its account.

    A function of PyTorch that is written in Python asks a mode that records, which then calls that function again: it
    stands twice on the way, where without a mode it stands once.
    """
    kept: list[Frame] = []
    for frame in frames:
        if _is_users(function_of(frame)[0]):
            kept.append(frame)
        elif kept and _asks_modes(*function_of(kept[-1])):
            del kept[-2:]
    return kept


def _function_of(code: CodeType) -> tuple[str, str]:
    return code.co_filename, code.co_name


def _asks_modes(file: str, function: str) -> bool:
    return function == "handle_torch_function" and Path(file).parts[-2:] == ("torch", "overrides.py")


def _is_users(file: str) -> bool:
    return not file.startswith(("<frozen ", PACKAGE)) or file.startswith(EXAMPLES)
