"""Where recording was switched off for more than a block: by a decorator, or by `set_grad_enabled(False)`."""

from __future__ import annotations

import ast

from autograd_lab.events import Where
from autograd_lab.findings.case import Case
from autograd_lab.findings.text import nodes, place

OF_DECORATOR = "Leave `@{}` out, or compute in another function what leads to the loss."
OF_SWITCH = "Switch it off for a block alone, `with torch.no_grad():`, after which it is on again."

Switch = tuple[str, str, Where]
"""What happened, what to do, and the line."""


def switched_off(case: Case, at: Where | None) -> Switch | None:
    """What switched recording off at a line, if that is to be seen there, or nothing else in its file does."""
    if at is None or "grad" not in (text := case.files.get(at.file, "")):
        return None
    for function in (n for n in nodes(text, ast.FunctionDef) if n.lineno <= at.line <= (n.end_lineno or 0)):
        for decorator in function.decorator_list:
            if (written := ast.unparse(decorator)).endswith("no_grad()"):
                words = f"`@{written}`: nothing is recorded of {function.name}()"
                return words, OF_DECORATOR.format(written), place(at.file, text, decorator)
    for file, other in case.files.items():
        if "set_grad_enabled(True" not in other and not _is_within(text, at.line):
            for node in (n.value for n in nodes(other, ast.Expr) if isinstance(n.value, ast.Call)):
                if ast.unparse(node).endswith("set_grad_enabled(False)"):
                    return "recording was switched off here, and never on again", OF_SWITCH, place(file, other, node)
    return None


def _is_within(text: str, line: int) -> bool:
    """Whether a line is in a block that records nothing."""
    blocks = (n for n in nodes(text, ast.With) if any("no_grad" in ast.unparse(i.context_expr) for i in n.items))
    return any(n.lineno <= line <= (n.end_lineno or 0) for n in blocks)
