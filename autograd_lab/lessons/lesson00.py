"""Lesson 0, Reading the picture: the words of the machine, found in one graph."""

from __future__ import annotations

from typing import Any

from autograd_lab.lessons.building import build
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.graphs import shape_of
from autograd_lab.lessons.moments import after_forward, forward, leaf
from autograd_lab.lessons.picking import pick
from autograd_lab.lessons.question import Choice, question
from autograd_lab.trace import Trace


def result(torch: Any) -> Any:
    """`y = (a + b) * (b + 1)` at 2 and 3."""
    a, b = leaf(torch, 2.0), leaf(torch, 3.0)
    return (a + b) * (b + 1)


@question(
    "L0.P1",
    "`a` and `b` are leaves that require grad, and `y = (a + b) * (b + 1)`. How many nodes does the graph "
    "behind `y` have?",
    [
        Choice(
            "3",
            "only operations are nodes",
            "The three operations are nodes. But each leaf that asks for a gradient has a node, too: its "
            "AccumulateGrad, which will put the gradient into `.grad`.",
        ),
        Choice(
            "4",
            "two additions are one node, since they do the same",
            "Each time an operation runs, it records a node of its own: one for `a + b`, another for `b + 1`.",
        ),
        Choice(
            "5",
            "each operation that ran is a node, and each leaf that asks for a gradient has one",
            "MulBackward0, two AddBackward0, and one AccumulateGrad each for `a` and `b`.",
        ),
        Choice(
            "7",
            "whatever stands in the formula is a node each time it stands there",
            "`b` stands there twice and still has one AccumulateGrad, with two lines to it. And the number 1 asks for "
            "no gradient, so it has no node.",
        ),
    ],
)
def nodes_of_the_expression(torch: Any) -> int:
    return len(shape_of(result(torch)).names)


@question(
    "L0.P2",
    "`c = a + b`; `a` = 2 is a leaf that requires grad. Where does the first edge of the node of `c` lead?",
    [
        Choice(
            "to the tensor `a`",
            "lines in the recorded graph lead to the tensors that went in",
            "They lead to nodes. A node keeps a tensor only if it will need its value, and an addition needs none.",
        ),
        Choice(
            "to the AccumulateGrad of `a`",
            "lines in the recorded graph lead from node to node, and a leaf is reached at its AccumulateGrad",
            "That node knows its tensor: it is the last one on the path to `a.grad`.",
        ),
        Choice(
            "to None",
            "a leaf was made by nothing, so nothing is recorded for it",
            "`a.grad_fn` is indeed None. But a gradient has to get to `a`, and AccumulateGrad is where it arrives.",
        ),
        Choice(
            "to the number 2",
            "the graph is made of the values that were computed",
            "Values are not what is linked: the graph says which node sends its gradient to which.",
        ),
    ],
)
def first_next_function(torch: Any) -> str:
    a = leaf(torch, 2.0)
    node = (a + leaf(torch, 3.0)).grad_fn.next_functions[0][0]
    return f"to the {node.name().rpartition('::')[2]} of `a`" if node.variable is a else "to the tensor `a`"


@question(
    "L0.P3",
    "`a` is a leaf that requires grad, `y` was computed from it, and `backward` has not been called. What is `a.grad`?",
    [
        Choice(
            "None",
            "there is no gradient before backward has run",
            "In the picture the drawer of its card says none. That is not the same as 0.",
        ),
        Choice(
            "tensor(0.)",
            "a gradient starts at 0",
            "There is nothing there yet, and PyTorch says so: None. A 0 would be an answer: that `y` does not move "
            "with `a`.",
        ),
        Choice(
            "tensor(1.)",
            "the gradient is there as soon as the graph is, and begins with 1",
            "A 1 does come, at `y`, when backward begins. Forward computes values only.",
        ),
        Choice(
            "tensor(4.)",
            "gradients are computed together with the values",
            "Forward records what backward will need, and computes no gradient.",
        ),
    ],
)
def grad_before_backward(torch: Any) -> str:
    a = leaf(torch, 2.0)
    y = (a + 3) * 4
    assert y.grad_fn is not None
    return str(a.grad)


@question(
    "L0.P4",
    "`c = a + b` has just been made; then `c.add_(10)` writes into it. What does `c._version` say?",
    [
        Choice(
            "0",
            "a version changes only if the tensor is made anew",
            "It counts writes into this very tensor, and `add_` is one.",
        ),
        Choice("1", "a version counts how often a tensor was written to", "One write, whatever was written."),
        Choice("10", "a version keeps what was added", "It counts writes; what they wrote does not matter."),
        Choice("15", "a version is the value that the tensor has now", "That is its value. The version counts writes."),
    ],
)
def version_after_one_write(torch: Any) -> int:
    c = leaf(torch, 2.0) + leaf(torch, 3.0)
    c.add_(10)
    return int(c._version)


def hunted(names: list[str], trace: Trace) -> str:
    """Whether a leaf, the node of y and one of its pockets were found, in any order."""
    found = set(names)
    if not found & {"a", "b"}:
        return "There is no leaf among them yet: a tensor that no recorded operation made."
    if "y.grad_fn" not in found:
        return "The node of `y` is missing: click the card of `y`."
    if not any(name.startswith("y.grad_fn._saved_") for name in found):
        return "A saved value is missing: a pocket below the card that will need it for backward."
    spare = len(names) - 3
    return f"All three are there, and {spare} more; take these away." if spare else ""


pick(
    "L0.T1",
    "Click three things, in any order: a leaf; the node of `y`; a value that this node saved.",
    forward,
    hunted,
    step=after_forward,
    hints=[
        "Leaves are the blue cards with a drawer for `.grad`. The program made them; no operation did.",
        "A node is on the card of its tensor. That of `y` is at the end of all lines.",
        "Below that card hang pockets, such as `c v0`. Click one, whatever it says.",
    ],
    after="In PyTorch these are `b` (or `a`), `y.grad_fn`, and `y.grad_fn._saved_self` (or `_saved_other`).",
)


def _lines_to(leaf: Any, *results: Any) -> int:
    """How many edges of the nodes of results lead to a leaf."""
    reached = [node for each in results for node, _ in each.grad_fn.next_functions]
    return sum(getattr(node, "variable", None) is leaf for node in reached)


def facts(torch: Any) -> dict[str, Any]:
    """What the picture would show after forward at 2 and 7."""
    a, b = leaf(torch, 2.0), leaf(torch, 7.0)
    c, d = a + b, b + 1
    y = c * d
    saved = [name for node in shape_of(y).nodes for name in ("_saved_self", "_saved_other") if hasattr(node, name)]
    return {"c": c.item(), "d": d.item(), "y": y.item(), "saved": len(saved), "lines from b": _lines_to(b, c, d)}


fill(
    "L0.F1",
    "The same program with `b` = 7. What would the picture show after forward: the values of `c`, `d` and `y`, how "
    "many saved values, and how many lines at `b`? Write a number for each `...`.",
    facts,
    mistakes=[
        *(
            Mistake(
                each, "values belong to the program", "They belong to a run: with another `b` they are computed anew."
            )
            for each in ({"c": 5}, {"d": 4}, {"y": 20})
        ),
        Mistake({"c": 14}, "`a` and `b` are multiplied", "`c = a + b` is a sum."),
        Mistake({"d": 7}, "adding a plain number changes nothing", "`d = b + 1` is one more than `b`."),
        Mistake({"y": 17}, "`c` and `d` are added", "`y = c * d` is a product."),
        Mistake(
            {"saved": 6},
            "each operation saves what went into it",
            "Only what backward will need is saved. The gradient of a sum does not depend on what was added: look "
            "below the cards.",
        ),
        Mistake(
            {"saved": 3},
            "each operation saves something",
            "The gradient of a sum is the same whatever was added, so a sum saves nothing.",
        ),
        Mistake(
            {"saved": 1},
            "a node has one thing to save",
            "One factor is the derivative for the other one. Look below the card of `y`.",
        ),
        Mistake(
            {"lines from b": 1},
            "a tensor has one line",
            "It has one for each use, and `b` is used in two places.",
        ),
    ],
    hints=[
        "Another number changes values, and nothing else: take the picture above, and compute `c`, `d` and `y` anew.",
        "Saved values hang below a card.",
        "An addition saves nothing. How many values does the product save?",
    ],
)

build(
    "L0.B1",
    "Write a function of two tensors whose graph is this: the result has a MulBackward0. One of its edges leads to the "
    "AccumulateGrad of `a`, the other to an AddBackward0. The AddBackward0 has two edges: to that same AccumulateGrad, "
    "and to that of `b`.",
    lambda torch, a, b: a * (a + b),
    inputs=(2.0, 3.0),
    hints=[
        "The result is what was computed last: a product.",
        "One factor of that product is `a` itself. What is the other one made of?",
        "The AddBackward0 has edges to both leaves, so it adds both of them.",
    ],
    after="One leaf, one AccumulateGrad, two lines to it: it stands for the tensor, not for a place in the formula.",
)
