"""Exercises: what is asked, a judge that says what is wrong with an answer, and a ladder of hints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import CodeType, EllipsisType
from typing import Any

from autograd_lab.lessons.edition import of_another
from autograd_lab.lessons.patience import NeverEnds, patience
from autograd_lab.lessons.registry import chapter_of, declare
from autograd_lab.lessons.worded import worded, worded_sentence

Judge = Callable[[Any], str]
"""Says what is wrong with an answer, in a sentence that does not give the right one; nothing if it is right."""


PATIENCE = 10_000_000
"""Steps, each a bytecode, that a learner's function may run before it counts as one that never ends."""


@dataclass(frozen=True)
class Exercise:
    """`hints` go from a nudge to a worked step; `after` is said once it is right; `shown` is what to work on."""

    id: str
    text: str
    judge: Judge
    hints: tuple[str, ...]
    after: str = ""
    shown: str = ""


@dataclass(frozen=True)
class Verdict:
    """What came of a check; true if the answer is right. In a notebook it shows nothing: `check` has said it."""

    id: str
    right: bool
    attempted: bool
    text: str

    def __bool__(self) -> bool:
        return self.right

    def _ipython_display_(self) -> None:
        pass


def exercise(id: str, text: str, *, hints: Sequence[str], after: str = "") -> Callable[[Judge], Judge]:
    """Declare an exercise whose answers the decorated function judges."""

    def declared(judge: Judge) -> Judge:
        declare(Exercise(id, text, judge, tuple(hints), after))
        return judge

    return declared


def verdict(task: Exercise, answer: Any) -> Verdict:
    """Judge an answer; nothing that a learner's code raises comes out of here."""
    if not attempted(answer):
        return Verdict(task.id, False, False, worded("not attempted yet. Put your answer where the `...` stands."))
    if older := of_another(task.id, answer):
        return Verdict(task.id, False, False, older)
    try:
        with patience(file_of(answer), PATIENCE):
            wrong = task.judge(answer)
    except NeverEnds:
        wrong = worded("It never comes to an end: ten million of its steps have run. What should stop its loop?")
    except NotImplementedError:
        return Verdict(task.id, False, False, worded("not attempted yet."))
    except Exception as error:
        wrong = worded("Your answer could not be used: {error}", error=told(error))
    if wrong:
        return Verdict(task.id, False, True, worded_sentence(wrong, chapter_of(task.id)))
    return Verdict(task.id, True, True, f"{worded('right.')} {worded(task.after)}".strip())


def file_of(answer: Any) -> str:
    """Where a function was written, in a notebook its cell; nowhere for anything else."""
    code = getattr(answer, "__code__", None)
    return code.co_filename if code is not None else ""


def told(error: BaseException) -> str:
    """An error in a line: its kind, what it says first, and what to write instead where that is a slip of the pen."""
    said = f"{type(error).__name__}: {first_line(error)}"
    if "bitwise_xor" in said or "for ^:" in said:
        return f"{said}. {worded('In Python a power is written `**`, as in `z**2`; `^` means something else.')}"
    if "'list' object has no attribute" in said or "'tuple' object has no attribute" in said:
        return f"{said}. {worded('Take what is in it one by one: `for each in ...`.')}"
    if "object is not callable" in said:
        return f"{said}. {worded('Is a `*` missing before a bracket?')}"
    return said


def first_line(error: BaseException) -> str:
    """What an error says first; the rest of an engine's message is for a traceback, and hints are the lesson's own."""
    return (str(error).strip().splitlines() or [worded("it says nothing")])[0].partition(" Hint: ")[0]


def attempted(answer: Any) -> bool:
    """Whether something stands in the place of the stub.

    >>> attempted(...), attempted({"a": 1, "b": ...}), attempted([]), attempted({"a": 1, "b": None})
    (False, False, False, True)
    """
    match answer:
        case EllipsisType():
            return False
        case dict():
            return attempted(list(answer.values()))
        case list() | tuple() | set():
            return len(answer) > 0 and all(attempted(each) for each in _parts(answer))
        case str():
            return bool(answer.strip(" ."))
        case _:
            code = getattr(answer, "__code__", None)
            return not (isinstance(code, CodeType) and _is_stub(code))


def _parts(answer: Iterable[Any]) -> list[Any]:
    """The parts of an answer; an empty list in it is a part like any other."""
    return [each if each not in ([], ()) else 0 for each in answer]


def _is_stub(code: CodeType) -> bool:
    """Whether a function does nothing at all, as `...` and `pass` do."""
    from dis import get_instructions

    idle = {"RESUME", "RETURN_CONST", "LOAD_CONST", "RETURN_VALUE", "NOP", "POP_TOP", "COPY_FREE_VARS"}
    consts = {const for const in code.co_consts if not isinstance(const, str)}
    return consts <= {None, ...} and all(each.opname in idle for each in get_instructions(code))
