"""Functions that saturate, sigmoid and tanh: where a pass goes through them, and what one takes in their place."""

from __future__ import annotations

import ast
from collections import defaultdict

from autograd_lab.events import Where
from autograd_lab.findings.case import Call, Case, Pass
from autograd_lab.findings.finding import Place
from autograd_lab.findings.noted import spoken
from autograd_lab.findings.text import nodes, place

SLOPES = {"sigmoid": "a slope of 1/4 at most", "tanh": "a slope of 1 at most, and far less away from 0"}
SEVERAL = 2
"""Fewer on a line do not stack up."""
REMEDY = "`{other}` in the place of {code}, with `{norm}` before it"


def saturating(case: Case, each: Pass) -> tuple[list[Place], str]:
    """The lines of what saturates and that a pass goes back through, the most first; and what to write there."""
    groups: dict[tuple[str, Where | None, str], list[Call]] = defaultdict(list)
    for call in (case.call_of[node] for node in each.ran if node in case.call_of):
        if (name := spoken(call.name)) in SLOPES:
            groups[name, *_written(case, call, name)].append(call)
    found = sorted((one for one in groups.items() if len(one[1]) >= SEVERAL), key=lambda one: -len(one[1]))
    places, remedies = [], []
    for (name, where, code), calls in found:
        places.append(Place(words=f"{len(calls)} {name.capitalize()}s, each with {SLOPES[name]}", where=where))
        other = "nn.GELU()" if code.endswith("()") else "F.gelu(...)"
        is_there = where is not None and code.removeprefix("nn.").rstrip(".)") in where.text
        told = f"`{code}` on line {where.number}" if where is not None and is_there else f"each `{code}`"
        remedies.append(REMEDY.format(other=other, code=told, norm=_norm(calls)))
    return places, f"Take {'; '.join(remedies)}." if remedies else ""


def _written(case: Case, call: Call, name: str) -> tuple[Where | None, str]:
    """Where a function is chosen, and how that is written: its module, if a single line makes all."""
    if call.where is not None and f"{name}(" in call.where.text:
        return call.where, f"{name}(...)"
    modules = ((file, text, n) for file, text in case.files.items() for n in nodes(text, ast.Call))
    made = [each for each in modules if ast.unparse(each[2].func).rpartition(".")[2] == name.capitalize()]
    if len({(file, n.lineno) for file, _, n in made}) != 1:
        return call.where, f"nn.{name.capitalize()}()"
    return place(*made[0]), f"nn.{name.capitalize()}()"


def _norm(calls: list[Call]) -> str:
    """What keeps gradients at one size from layer to layer. Over a batch where that is a matrix: to normalise a few
    features among themselves takes two directions out of a gradient in each layer."""
    shapes = [call.outputs[0].shape for call in calls if call.outputs]
    widths = {shape[-1] if len(shape) in (2, 3) else 0 for shape in shapes}  # of images channels do not come last
    if len(widths) != 1 or 0 in widths:
        return "nn.LayerNorm(...)"
    kind = "BatchNorm1d" if all(len(shape) == 2 for shape in shapes) else "LayerNorm"
    return f"nn.{kind}({widths.pop()})"
