"""Gradients that are clipped in vain: before backward() has brought them, or after step() has used them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lab.events import Where
from autograd_lab.findings.case import Case
from autograd_lab.findings.finding import WARNING, Finding, Place
from autograd_lab.findings.text import nodes
from autograd_lab.findings.training.made_in_text import name_of

EARLY, LATE = "clipping-before-backward", "clipping-after-step"
CLIPS = ("clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_")


def find(case: Case) -> Iterator[Finding]:
    """Blocks of the program's text that clip, go back and step, each once, in another order than that; if they ran."""
    lines = {(w.file, w.line) for w in (*(p.event.where for p in case.passes), *(u.where for u in case.updates)) if w}
    for file, text in case.files.items():
        for block in _blocks(text):
            found = {what: [s for s in block if _calls(s, names)] for what, names in WANTED.items()}
            if any(len(each) != 1 for each in found.values()):
                continue
            clip, back, step = (found[what][0] for what in ("clip", "back", "step"))
            if block.index(back) < block.index(clip) < block.index(step):
                continue
            if {(file, back.lineno), (file, step.lineno)}.isdisjoint(lines):
                continue
            rows = (
                Where(file=file, line=n.lineno, text=text.splitlines()[n.lineno - 1].strip())
                for n in (clip, back, step)
            )
            yield _finding(case, *rows, is_early=block.index(clip) < block.index(back))


WANTED = {"clip": CLIPS, "back": ("backward",), "step": ("step",)}


def _blocks(text: str) -> Iterator[list[ast.stmt]]:
    """The bodies of a program's loops and functions, of those that clip at all."""
    if not any(name in text for name in CLIPS):
        return
    bodies = [n.body for n in nodes(text, ast.For)] + [n.body for n in nodes(text, ast.While)]
    for body in bodies + [n.body for n in nodes(text, ast.FunctionDef)]:
        yield list(_unfolded(body))


def _unfolded(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block one after another, also those that run on a condition, or within a context."""
    for statement in body:
        if isinstance(statement, ast.If | ast.With):
            yield from _unfolded([*statement.body, *getattr(statement, "orelse", [])])
        else:
            yield statement


def _calls(statement: ast.stmt, names: tuple[str, ...]) -> bool:
    """Whether a plain statement calls a function or a method of one of these names."""
    if not isinstance(statement, ast.Expr | ast.Assign):
        return False
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in names and "sched" not in ast.unparse(node.func):
                return True
    return False


def _finding(case: Case, clip: Where, back: Where, step: Where, *, is_early: bool) -> Finding:
    sentence = (
        "Gradients are clipped before backward() brings new ones." if is_early
        else "Gradients are clipped after step() has used them."
    )  # fmt: skip
    other = Place(words="they come here" if is_early else "they were used here", where=back if is_early else step)
    at = next((p.step for p in case.passes if p.event.where and p.event.where.line == back.line), 1)
    return Finding(
        kind=EARLY if is_early else LATE, severity=WARNING, sentence=sentence,
        cause=(Place(words="clipped here, to no effect", where=clip), other),
        remedy=f"Clip between the two: `loss.backward()`, then `clip_grad_norm_(...)`, then `{name_of(step)}.step()`.",
        steps=(at,),
    )  # fmt: skip
