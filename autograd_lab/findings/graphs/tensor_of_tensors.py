"""`torch.tensor([a * a, b])`: a new tensor of numbers alone, which leads back to nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lab.events import Where
from autograd_lab.findings.case import Call, Case, Tensor
from autograd_lab.findings.enumeration import listed
from autograd_lab.findings.finding import WARNING, Finding, Place

KIND = "tensor-of-tensors"
MAKERS = ("tensor", "as_tensor", "Tensor", "FloatTensor")
NUMBERS = ("item", "tolist", "detach", "numpy", "cpu", "data", "grad", "shape", "size", "dim", "numel")
"""What is asked of a tensor by who knows that numbers alone come of it."""
NUMBER = r"(?!.*\.(?:item|detach|tolist)\(\))"
"""What does not follow where a list is filled with results, and not with their numbers."""
ITEM = re.compile(r"\.(?:item|detach|tolist)\(\)")
WORDS = "tensor() copies numbers, and no history"
REMEDY = "Join tensors instead: `torch.stack([...])`, or `torch.cat([...])`."


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
        if tensor is not None and tensor.where not in lines and (names := copied_from(case, tensor)):
            lines.add(tensor.where)
            yield _finding(case, name, tensor, names)


def copied(case: Case) -> set[str]:
    """The names of all tensors whose numbers were copied into another, and their history was not."""
    makers = (tensor for tensor in case.tensors.values() if "ensor(" in (tensor.facts.expression or ""))
    found = {tensor.facts.id: copied_from(case, tensor) for tensor in makers}
    leaves = {leaf for made, names in found.items() for leaf in _behind_lists(case, case.tensors[made], names)}
    return {name for names in found.values() for name in names} | leaves


def _behind_lists(case: Case, tensor: Tensor, names: list[str]) -> Iterator[str]:
    """What was computed of to fill these lists."""
    for call in (call for name in names for call in _is_filled_with_results(case, tensor, name)):
        ids = {operand for each in case.ancestors(call) for operand in each.operands if operand in case.tensors}
        yield from (name for each in ids if (name := case.tensors[each].facts.name))


def copied_from(case: Case, tensor: Tensor) -> list[str]:
    """What asks for a gradient, by its names, and gave a tensor its numbers alone: tensors, or a list of them."""
    if tensor.first_maker is not None or tensor.where is None:
        return []
    if (made := _maker(tensor)) is None:
        return []
    names = set(_bare(made.args[0]))
    asking = {t.facts.name or "" for t in case.tensors.values() if t.facts.name in names and t.step < tensor.step
              and t.facts.requires_grad and t.where != tensor.where}  # fmt: skip
    lists = {name for name in names - asking if any(_is_filled_with_results(case, tensor, name))}
    return sorted(asking | lists)


def _maker(tensor: Tensor) -> ast.Call | None:
    """The call in an expression that makes a tensor of numbers."""
    try:
        tree = ast.parse(tensor.facts.expression or "", mode="eval")
    except (SyntaxError, ValueError):
        return None
    return next((n for n in ast.walk(tree) if isinstance(n, ast.Call) and _name(n.func) in MAKERS and n.args), None)


def _is_filled_with_results(case: Case, tensor: Tensor, name: str) -> Iterator[Call]:
    """The recorded calls on lines that put something into a list of this name; also what is put there as a number, if
    the tensor asks for the gradient that the number does not lead back."""
    numbers = "" if tensor.facts.requires_grad else NUMBER
    put = re.compile(rf"\b{re.escape(name)}\s*(?:=\s*\[|\.append\(|\.insert\(|\+=\s*\[){numbers}")
    for call in case.calls:
        where = call.where
        if call.step < tensor.step and call.node is not None and where is not None and put.search(where.text):
            yield call


def _name(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _bare(node: ast.expr) -> Iterator[str]:
    """The names in lists, sums, products and calls of functions, not those of which numbers are asked."""
    match node:
        case ast.Name(id=name):
            yield name
        case ast.Attribute(attr=what) if what not in NUMBERS:
            yield ast.unparse(node)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from _bare(part)
        case ast.BinOp(left=left, right=right):
            yield from _bare(left)
            yield from _bare(right)
        case ast.UnaryOp(operand=inner) | ast.Subscript(value=inner):
            yield from _bare(inner)
        case ast.Call(func=ast.Attribute(value=inner, attr=what), args=given) if what not in NUMBERS:
            for part in (inner, *given):
                yield from _bare(part)


def place_of_copy(case: Case, made: Call) -> Where | None:
    """The line at which a result lost its history since tensors were copied into a new one, if that is so."""
    taken = (case.tensors[name] for call in case.ancestors(made) for name in call.operands if name in case.tensors)
    return next((tensor.where for tensor in taken if copied_from(case, tensor)), None)


def _joined(tensor: Tensor, filled: Where | None) -> str:
    """What joins what the tensor was made of, in the words of the program: a list of tensors, or a name of one."""
    made = _maker(tensor)
    given = ast.unparse(made.args[0]) if made is not None else ""
    if made is None or not isinstance(made.args[0], ast.Name | ast.List | ast.Attribute):
        return REMEDY
    if filled is not None:
        kept = ITEM.sub("", filled.text.partition("  #")[0])
        return f"Keep the tensors, `{kept}`, and join them: `torch.stack({given})`."
    return f"Join tensors instead: `torch.stack({given})`, or `torch.cat` of what has dimensions."


def _finding(case: Case, name: str, tensor: Tensor, names: list[str]) -> Finding:
    mine = case.name(name)
    of = [f"the list {each}" if each == mine else each for each in names]
    fills = (call.where for each in names for call in _is_filled_with_results(case, tensor, each))
    filled = next((where for where in fills if where is not None and ITEM.search(where.text)), None)
    places = (Place(words=WORDS, where=tensor.where), Place(words="these are numbers already", where=filled))
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"{mine} has the numbers of {listed(of)}, and leads no gradient back to them.",
        cause=places if filled is not None else places[:1], remedy=_joined(tensor, filled),
        steps=(tensor.step,), parts=(name,),
    )  # fmt: skip
