"""`torch.tensor([a * a, b])`: a new tensor of numbers alone, which leads back to nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lab.findings.case import Case, Tensor
from autograd_lab.findings.finding import WARNING, Finding, Place

KIND = "tensor-of-tensors"
MAKERS = ("tensor", "as_tensor", "Tensor", "FloatTensor")


def find(case: Case) -> Iterator[Finding]:
    """Such tensors on the way to a loss, or to what was to be one."""
    ends = [case.call_of[root] for each in case.passes for root in each.roots if root in case.call_of]
    for _, event in case.errors:
        known = case.tensors.get(event.tensor or "")
        ends += [case.calls[known.maker]] if known is not None and known.maker is not None else []
    taken = {name for end in ends for call in case.ancestors(end) for name in call.operands}
    lines = set()
    for name in taken:
        tensor = case.tensors.get(name)
        if tensor is not None and tensor.where not in lines and (copied := copied_from(case, tensor)):
            lines.add(tensor.where)
            yield _finding(case, name, tensor, copied)


def copied(case: Case) -> set[str]:
    """The names of all tensors whose numbers were copied into another, and their history was not."""
    makers = (tensor for tensor in case.tensors.values() if "tensor(" in (tensor.facts.expression or ""))
    return {name for tensor in makers for name in copied_from(case, tensor)}


def copied_from(case: Case, tensor: Tensor) -> list[str]:
    """The tensors that ask for a gradient, by their names, whose numbers a tensor was made of."""
    if tensor.first_maker is not None or tensor.where is None:
        return []
    try:
        tree = ast.parse(tensor.facts.expression or "", mode="eval")
    except (SyntaxError, ValueError):
        return []
    made = next((n for n in ast.walk(tree) if isinstance(n, ast.Call) and _name(n.func) in MAKERS and n.args), None)
    names = set() if made is None else set(_bare(made.args[0]))
    asking = [t for t in case.tensors.values() if t.facts.name in names and t.step < tensor.step]
    return sorted({t.facts.name or "" for t in asking if t.facts.requires_grad})


def _name(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _bare(node: ast.expr) -> Iterator[str]:
    """The names in lists and in sums and products, not those of which something is called, as of `.item()`."""
    match node:
        case ast.Name(id=name):
            yield name
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from _bare(part)
        case ast.BinOp(left=left, right=right):
            yield from _bare(left)
            yield from _bare(right)
        case ast.UnaryOp(operand=inner):
            yield from _bare(inner)


def _finding(case: Case, name: str, tensor: Tensor, copied: list[str]) -> Finding:
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"{case.name(name)} has the numbers of {' and '.join(copied)}, and leads no gradient back to them.",
        cause=(Place(words="tensor() copies numbers, and no history", where=tensor.where),),
        remedy="Join tensors instead: `torch.stack([...])`, or `torch.cat([...])`.",
        steps=(tensor.step,), parts=(name,),
    )  # fmt: skip
