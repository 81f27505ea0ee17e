"""Phrases of captions: values, gradients, modules and lines, as a sentence has them."""

from __future__ import annotations

from autograd_lab import events as e
from autograd_lab.view.kit.numeral import brief
from autograd_lab.view.kit.signs import base_of


def in_words(value: e.Value) -> str:
    """A value in a sentence: its numbers, or the Euclidean norm of an array that has too many."""
    text = brief(value, 40)
    return f"an array of {text}" if text.startswith("norm") else "an unknown value" if text == "unknown" else text


def the_gradient(value: e.Value) -> str:
    """A gradient that a hook is called with."""
    text = in_words(value)
    told = text.replace("an array", "a gradient").replace("an unknown value", "a gradient of unknown value")
    return f"the gradient {text}" if told == text else told


def by_call(expression: str | None) -> str:
    """The call that wrote in place; an index, which is what was written to, is none."""
    return f" by {expression}" if expression and expression.endswith(")") and "(…)" not in expression else ""


def writer(op: str) -> str:
    """What wrote; nothing for a node, which takes the gradient back: the step before has told of the write."""
    return "" if base_of(op) != op.rstrip("_") else f" ({op})"


def module(event: e.ModuleEntered | e.ModuleLeft) -> str:
    """A module by its path from the variable that means the outermost one: `model.layers.0 (Linear)`."""
    path = ".".join(filter(None, (event.root, event.module)))
    return f"{path} ({event.type})" if path else f"a module ({event.type})"


def list_of(gradients: tuple[e.Value | None, ...]) -> str:
    given = [in_words(gradient) for gradient in gradients if gradient is not None]
    told = ", ".join(given)
    if told.startswith("an array"):
        return told.replace("an array", "a gradient")
    return f"gradient {told}" if given else "no gradient"


def line_in(where: e.Where, now: e.Where | None) -> str:
    """A line of the program; with its file if that is another than the one that is running."""
    return f"line {where.line}" if now is None or where.file == now.file else str(where)
