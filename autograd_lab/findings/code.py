"""Code for remedies, made of what the program itself says."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from autograd_lab.findings.text import nodes


def bracketed(text: str) -> str:
    """An expression as one can go on after it: in parentheses, unless it is a name, a number or a call.

    >>> bracketed("a - b"), bracketed("model(x).y[0]")
    ('(a - b)', 'model(x).y[0]')
    """
    try:
        body = ast.parse(text, mode="eval").body
    except SyntaxError:
        return "x"
    plain = isinstance(body, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant)
    return text if plain else f"({text})"


def complete(line: str) -> bool:
    """Whether a line is a statement by itself, which can be pasted.

    >>> complete("y = x.detach() + 1"), complete("for x in xs:"), complete("f(a,")
    (True, False, False)
    """
    try:
        return bool(line) and len(ast.parse(line.strip()).body) == 1
    except SyntaxError:
        return False


def indexed(path: str) -> str:
    """The path of a module or parameter as one writes it.

    >>> indexed("model.0.weight"), indexed("net.blocks.1.fc")
    ('model[0].weight', 'net.blocks[1].fc')
    """
    return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", path)


AUGMENTED = re.compile(r"(\w+)\s*(\+|-|\*|/)=\s*([^#;]+)")


def out_of_place(line: str) -> str | None:
    """What does the same as a line that writes in place, and makes a new tensor.

    >>> out_of_place("y += 1"), out_of_place("y *= a - b  # scaled"), out_of_place("y.add_(1)")
    ('y = y + 1', 'y = y * (a - b)', None)
    """
    found = AUGMENTED.match(line.strip())
    return None if found is None else f"{found[1]} = {found[1]} {found[2]} {bracketed(found[3].strip())}"


def parameter_last(line: str) -> str | None:
    """A line that computes something of a Parameter, as one that makes a Parameter of what it computes.

    >>> parameter_last("self.A = nn.Parameter(torch.randn(4)) * 0.02  # small"), parameter_last("w = a * b")
    ('self.A = nn.Parameter(torch.randn(4) * 0.02)', None)
    """
    match next(iter(nodes(line.strip(), ast.Assign)), None):
        case ast.Assign(
            targets=[target], value=ast.BinOp(left=ast.Call(func=func, args=[inner, *_]), op=by, right=right)
        ) if ast.unparse(func).rpartition(".")[2] == "Parameter":
            return f"{ast.unparse(target)} = {ast.unparse(func)}({ast.unparse(ast.BinOp(inner, by, right))})"
    return None


def quotient(text: str) -> tuple[str, str]:
    """What is divided by what in an expression, the first time; `a` by `b`, if that is not to be seen.

    >>> quotient("w / counts.sum()"), quotient("torch.div(x, y)"), quotient("model(x)")
    (('w', 'counts.sum()'), ('x', 'y'), ('a', 'b'))
    """
    for node in (*nodes(text, ast.BinOp), *nodes(text, ast.Call)):
        match node:
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return bracketed(ast.unparse(left)), bracketed(ast.unparse(right))
            case ast.Call(func=ast.Attribute(attr="div" | "divide"), args=[left, right]):
                return bracketed(ast.unparse(left)), bracketed(ast.unparse(right))
    return "a", "b"


def condition(text: str) -> str:
    """By what a line chooses with `where`; `ok`, if that is not to be seen.

    >>> condition("y = torch.where(x > 0, x.sqrt(), 0)"), condition("y = x.where(mask, a)"), condition("y = f(x)")
    ('x > 0', 'mask', 'ok')
    """
    calls = [n for n in nodes(text.strip(), ast.Call) if n.args]
    found = next((n for n in calls if ast.unparse(n.func).rpartition(".")[2] == "where"), None)
    return "ok" if found is None else ast.unparse(found.args[0])


def clipped(names: Iterable[str]) -> str:
    """How one clips the gradients of parameters with these names.

    >>> clipped(["W"]), clipped(["net.0.weight", "net.0.bias"])
    ('torch.nn.utils.clip_grad_norm_([W], 1.0)', 'torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)')
    >>> clipped(["a.weight", "W"]), clipped(["a parameter of shape [2]"])
    ('torch.nn.utils.clip_grad_norm_([*a.parameters(), W], 1.0)', 'torch.nn.utils.clip_grad_norm_([...], 1.0)')
    """
    owners = dict.fromkeys(name.partition(".")[:2] for name in names)
    if any(not name.isidentifier() for name, _ in owners):
        return "torch.nn.utils.clip_grad_norm_([...], 1.0)"
    given = [f"*{name}.parameters()" if dot else name for name, dot in owners]
    listed = given[0][1:] if len(given) == 1 and given[0].startswith("*") else f"[{', '.join(given)}]"
    return f"torch.nn.utils.clip_grad_norm_({listed}, 1.0)"


def slower(kind: str, rates: tuple[float, ...], by: float = 0.1) -> str:
    """An optimizer with smaller learning rates: by this factor, to one digit.

    >>> slower("SGD", (0.5,)), slower("Adam", (3.0,), by=0.012), slower("SGD", ())
    ('`SGD(..., lr=0.05)`', '`Adam(..., lr=0.04)`', '`SGD(..., lr=...)`')
    """
    less = ", ".join(f"{float(f'{rate * by:.0e}'):g}" for rate in sorted(set(rates)))
    return f"`{kind}(..., lr={less or '...'})`"
