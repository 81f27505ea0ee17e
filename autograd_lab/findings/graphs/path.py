"""Where the path from a tensor to a loss is cut: which call lets no gradient past, and why."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from autograd_lab import events as e
from autograd_lab.findings.case import PARAMETER, Call, Case
from autograd_lab.findings.code import complete
from autograd_lab.findings.finding import Place
from autograd_lab.findings.graphs.switched_off import switched_off
from autograd_lab.findings.noted import spoken
from autograd_lab.findings.text import nodes, place

WHOLE = ("bool", "int", "uint")
"""How dtypes begin that carry no gradient."""
COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@dataclass(frozen=True, slots=True)
class Cut:
    """A call at which a path ends; `kind` tells causes apart that have different remedies."""

    kind: str
    words: str
    call: Call
    remedy: str = ""
    """What to do, if it is not what one does about all of this kind."""
    declared: e.Where | None = None
    """The line that makes the call cut, if it is another one."""

    @property
    def places(self) -> tuple[Place, ...]:
        """What happened, the decisive line first."""
        if self.declared is None:
            return (Place(words=self.words, where=self.call.where),)
        return Place(words=self.words, where=self.declared), Place(words="it is used here", where=self.call.where)


def cut_at(case: Case, call: Call, tensor: str) -> Cut | None:
    """Why no gradient gets from a call to one of its operands; None if it does."""
    if isinstance(call.event, e.NodeMet):
        return None
    if call.name == PARAMETER:
        return Cut("detached", "`Parameter()` makes a new leaf of numbers alone", call, OF_PARAMETER)
    if call.is_detach:
        how = call.name if call.name == "data" else f"{call.name}()"
        return Cut("detached", f"`.{how}` cuts the history off", call, _without(call, how))
    if call.node is not None:
        edges = (
            [o.edge for o in call.event.operands if o.tensor == tensor] if isinstance(call.event, e.OpApplied) else []
        )
        if edges and all(edge is None for edge in edges):
            return Cut("unrecorded", f"`{spoken(call.name)}` leads no gradient back to it", call)
        if any(facts.requires_grad or facts.dtype.startswith(WHOLE) for facts in call.outputs):
            return None
    if all(facts.dtype.startswith(WHOLE) for facts in call.outputs):
        name = COMPARISONS.get(spoken(call.name), spoken(call.name))
        return Cut("whole-numbers", f"`{name}` gives {_given(call)}, which carry no gradient", call, _smooth(call))
    if call.node is None and (special := _unrecorded(case, call)) is not None:
        return special
    if not call.with_grad:
        if (switch := switched_off(case, call.where)) is not None:
            return Cut("no-grad", switch[0], call, *switch[1:])
        return Cut("no-grad", "nothing is recorded under no_grad", call)
    return _without_history(case, call)


def _unrecorded(case: Case, call: Call) -> Cut | None:
    """A call that records nothing for a reason of its own."""
    if is_reentrant_checkpoint(call.where):
        return Cut("unrecorded", "this checkpoint records only if an input asks for a gradient", call, OF_CHECKPOINT)
    if call.where is not None and is_once_differentiable(case.files.get(call.where.file, ""), call.where.line):
        return Cut("unrecorded", "`once_differentiable` records nothing of this backward()", call, OF_ONCE)
    if is_sample(call):
        return Cut("no-grad", "`.sample()` draws numbers, and records nothing", call, of_sample(call))
    return None


def _without_history(case: Case, call: Call) -> Cut:
    """A call that leaves nothing to go back through, though it was to be recorded."""
    for file, text in case.files.items():
        if (found := _marking(text, call.name)) is not None:
            name, mark = found
            words, remedy = f"`{name}` marks its result as non-differentiable", OF_MARK.format(ast.unparse(mark))
            return Cut("unrecorded", words, call, remedy, place(file, text, mark))
    if (checkpoint := _reentrant(case)) is not None:
        words = "this checkpoint records only if an input asks for a gradient"
        return Cut("unrecorded", words, call, OF_CHECKPOINT, checkpoint)
    return Cut("unrecorded", f"the result of `{spoken(call.name)}` has no history", call)


def _reentrant(case: Case) -> e.Where | None:
    """The first line of a program that calls a checkpoint which needs an input with a gradient."""
    for file, text in case.files.items():
        calls = nodes(text, ast.Call) if "checkpoint" in text else ()
        lines = (place(file, text, n) for n in calls if CHECKPOINT.match(ast.unparse(n.func).rpartition(".")[2] + "("))
        if (found := next((line for line in lines if is_reentrant_checkpoint(line)), None)) is not None:
            return found
    return None


def _without(call: Call, how: str) -> str:
    """What to do about a detach: its line without it, if it is there once and the line says all."""
    line = "" if call.where is None else call.where.text
    if BY_NUMPY.search(line):
        return OF_NUMPY
    whole = complete(line) and line.count(f".{how}") == 1 and not line.startswith("return")
    code = f"`{line.partition('  #')[0].replace(f'.{how}', '')}`" if whole else ""
    return OF_DETACH.format(how) + (f": {code}." if code else ": gradients go only through what was recorded.")


OF_MARK = "Leave `{}` out, and return a gradient in backward()."


@lru_cache(maxsize=256)
def _marking(text: str, name: str) -> tuple[str, ast.Call] | None:
    """The class of a custom Function of this name, as PyTorch calls it, and where its forward() marks results."""
    if "mark_non_differentiable(" not in text:
        return None
    named = (n for n in nodes(text, ast.ClassDef) if n.name.lower() == name.removesuffix("Backward").lower())
    calls = ((made.name, n) for made in named for n in ast.walk(made) if isinstance(n, ast.Call))
    return next((each for each in calls if ast.unparse(each[1].func).endswith(".mark_non_differentiable")), None)


def is_sample(call: Call) -> bool:
    """Whether a distribution draws by a call, or is about to, what it could draw so that gradients get through."""
    is_one = spoken(call.name) in ("normal", "expand") and not call.with_grad
    return is_one and call.where is not None and ".sample(" in call.where.text


def of_sample(call: Call) -> str:
    """What to do about it: its line, or the method alone."""
    line = "" if call.where is None else call.where.text.partition("  #")[0]
    code = line.replace(".sample(", ".rsample(") if complete(line) and line.count(".sample(") == 1 else "rsample()"
    return f"Draw so that gradients get through: `{code}`; or go back from `log_prob()` of what was drawn."


CHECKPOINT = re.compile(r"\bcheckpoint(_sequential)?\(")
OF_DETACH = "Leave `.{}` out of the path to the loss"
BY_NUMPY = re.compile(r"\.(?:detach\(\)|data)(?:\.cpu\(\))?\.(?:numpy|tolist)\(\)")
OF_NUMPY = "Compute it by functions of `torch` in the place of NumPy's: numpy() and tolist() give numbers alone."
OF_PARAMETER = "Use what was computed as it is; make Parameters once, in `__init__`."
OF_CHECKPOINT = "Pass `use_reentrant=False` to it."
OF_ONCE = "Leave `@once_differentiable` out, and use in backward() only what autograd can record."


def is_reentrant_checkpoint(where: e.Where | None) -> bool:
    """Whether a line calls a checkpoint that needs an input with a gradient."""
    return where is not None and bool(CHECKPOINT.search(where.text)) and "use_reentrant=False" not in where.text


@lru_cache(maxsize=256)
def is_once_differentiable(text: str, line: int) -> bool:
    """Whether a line is in a function under this decorator."""
    if "once_differentiable" not in text:
        return False
    functions = nodes(text, ast.FunctionDef)
    marked = [n for n in functions if any("once_differentiable" in ast.unparse(d) for d in n.decorator_list)]
    return any(n.lineno <= line <= (n.end_lineno or 0) for n in marked)


def _smooth(call: Call) -> str:
    """What one takes in the place of what gives whole numbers or truth values, if that is known."""
    name = spoken(call.name)
    if name in COMPARISONS:
        return (
            "Use something smooth in its place: sigmoid for a comparison, as `torch.sigmoid(10 * (a - b))` for `a > b`."
        )
    is_best = name.startswith("argm")
    return (
        "Use something smooth in its place: softmax for argmax, as `(scores.softmax(-1) * values).sum(-1)`."
        if is_best
        else ""
    )


def _given(call: Call) -> str:
    return "truth values" if call.outputs[0].dtype == "bool" else "whole numbers"


def cuts_behind(case: Case, call: Call) -> list[Cut]:
    """All places at which gradients, on their way back from a call, are cut off from tensors that ask for them."""
    found: list[Cut] = []
    for each in case.ancestors(call):
        for tensor in each.operands:
            if tensor in case.tensors and asks_at(case, tensor, each) and (cut := cut_at(case, each, tensor)):
                found.append(cut)
                break
        if each.node is not None and _gives_whole_numbers(case, each):
            words = f"the indices that `{spoken(each.name)}` gives are whole numbers, which carry no gradient"
            found.append(Cut("whole-numbers", words, each))
    return found


def _gives_whole_numbers(case: Case, call: Call) -> bool:
    """Whether of a recorded call with several results only those are used that are whole numbers."""
    used = {name for number in call.users for name in case.calls[number].operands}
    taken = [facts.dtype for facts in call.outputs if facts.id in used]
    return len(call.outputs) > 1 and bool(taken) and all(dtype.startswith(WHOLE) for dtype in taken)


def asks_at(case: Case, tensor: str, call: Call) -> bool:
    """Whether a tensor asked for a gradient when a call took it."""
    made = dict(zip((t for t in call.operands if t in case.tensors), call.sources, strict=False)).get(tensor)
    if made is not None:
        return any(facts.id == tensor and facts.requires_grad for facts in case.calls[made].outputs)
    known = case.tensors[tensor]
    if known.switched is not None and known.switched[1] > call.step:
        return not known.asks
    return known.asks or (known.facts.requires_grad and known.switched is None)


def first_cut(case: Case, tensor: str, uses: Iterable[int], roots: set[str]) -> tuple[Cut | None, bool]:
    """Going on from a tensor by the calls that took it: where the path ends; and whether one path leads to a root."""
    waiting: list[tuple[int, str]] = [(number, tensor) for number in uses]
    seen, cuts = set(), []
    for number, via in waiting:
        call = case.calls[number]
        if (number, via) in seen:
            continue
        seen.add((number, via))
        if (cut := cut_at(case, call, via)) is not None:
            cuts.append(cut)
            continue
        if call.node in roots:
            return None, True
        made = {facts.id for facts in call.outputs}
        for user in call.users:
            waiting += [(user, operand) for operand in case.calls[user].operands if operand in made]
    telling = [cut for cut in cuts if leads_to(case, cut.call, roots)]
    others = [cut for cut in cuts if not _is_a_check(case, cut.call)]
    return next(iter(telling or others), None), False


def _is_a_check(case: Case, call: Call) -> bool:
    """Whether a call compares numbers, and nothing but truth values comes of it: that is on the path to nothing."""
    if spoken(call.name) not in COMPARISONS:
        return False
    waiting, seen = [call.number], {call.number}
    for number in waiting:
        if not all(facts.dtype.startswith(WHOLE) for facts in case.calls[number].outputs):
            return False
        waiting += [user for user in case.calls[number].users if user not in seen]
        seen |= set(waiting)
    return True


def leads_to(case: Case, call: Call, roots: set[str]) -> bool:
    """Whether anything that is made of what a call gave is gone back from, or was to be."""
    waiting, seen = [call.number], set()
    for number in waiting:
        if number not in seen:
            seen.add(number)
            if case.calls[number].node in roots:
                return True
            waiting += case.calls[number].users
    return False
