"""Lesson 1, Building forward: the graph appears line by line, while values are computed."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.lessons.building import build
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.graphs import shape_of
from autograd_lab.lessons.moments import FORWARD, forward, leaf
from autograd_lab.lessons.picking import node_named, pick
from autograd_lab.lessons.question import Choice, question
from autograd_lab.trace import Trace


@question(
    "L1.P1",
    "Five lines: `a = …`, `b = …`, `c = a + b`, `d = b + 1`, `y = c * d`. After which of them is there the first node?",
    [
        Choice(
            "a = …",
            "every tensor has a node as soon as it is there",
            "`a.grad_fn` is None. The AccumulateGrad of `a`, too, is made only when `a` is first used.",
        ),
        Choice(
            "c = a + b",
            "an operation records a node when it runs",
            "The addition computes 5, and records AddBackward0.",
        ),
        Choice(
            "y = c * d",
            "the graph is built when the result is there",
            "By then the two sums have left a node each.",
        ),
        Choice(
            "none of them", "the graph is built by backward", "Backward walks a graph that forward has left behind."
        ),
    ],
)
def first_node(torch: Any) -> str:
    text = {"a": "a = …", "b": "b = …", "c": "c = a + b", "d": "d = b + 1", "y": "y = c * d"}
    names: dict[str, Any] = {"torch": torch}
    for line in FORWARD.splitlines():
        exec(line, names)
        name = line[0]
        if names[name].grad_fn is not None:
            return text[name]
    return "none of them"


@question(
    "L1.P2",
    "`y = x * x + 3 * x + 1`, and `x` is a leaf that requires grad. How many *operations* are recorded?",
    [
        Choice(
            "3",
            "the two plus signs make one sum of three things",
            "A plus joins two things. There are two of them.",
        ),
        Choice("4", "each operator of the line is an operation", "Two products, two sums."),
        Choice(
            "6", "numbers are operations, too", "3 and 1 are plain numbers: nothing has to be differentiated for them."
        ),
        Choice(
            "7",
            "whatever stands in the line counts once: operators, numbers, and `x`",
            "No operation made `x`: it is a leaf. And numbers have no node.",
        ),
    ],
)
def operations_of_the_polynomial(torch: Any) -> int:
    x = leaf(torch, 2.0)
    return sum(name != "AccumulateGrad" for name in shape_of(x * x + 3 * x + 1).names)


@question(
    "L1.P3",
    "In the graph of `y = x * x`, how is the square drawn?",
    [
        Choice(
            "one node with one line to `x`",
            "`x` is one input",
            "The product takes two operands, and each has a line of its own.",
        ),
        Choice(
            "one node with two lines to `x`", "each use of a tensor is an edge", "Both lead to the same AccumulateGrad."
        ),
        Choice(
            "a node that is called square",
            "PyTorch sees that it is a square",
            "It records what you wrote: MulBackward0. `x ** 2` is PowBackward0.",
        ),
        Choice(
            "two nodes, one for each `x`",
            "each time a name is written is a node",
            "A node stands for an operation that ran.",
        ),
    ],
)
def drawing_of_a_square(torch: Any) -> str:
    x = leaf(torch, 2.0)
    shape = shape_of(x * x)
    lines = len([edge for edge in shape.edges[0] if edge is not None])
    return {1: "one node with one line to `x`", 2: "one node with two lines to `x`"}[lines]


@question(
    "L1.P4",
    "Now `a = torch.tensor(2.0)` without `requires_grad`, and `b` as before. What is `(a + b).requires_grad`?",
    [
        Choice(
            "False",
            "all inputs have to require grad",
            "One is enough: the result depends on `b`, which asks for a gradient.",
        ),
        Choice(
            "True",
            "one input that requires grad is enough",
            "Only the path to `a` ends at once: among the next functions None stands for it.",
        ),
        Choice(
            "an error",
            "tensors of both kinds must not be mixed",
            "They may. Data and weights are mixed in every network.",
        ),
    ],
)
def one_input_is_enough(torch: Any) -> str:
    return str((torch.tensor(2.0) + leaf(torch, 3.0)).requires_grad)


@question(
    "L1.P5",
    "Exit ticket. `f = torch.sin(x2) - x1 * x2 + torch.log(x1)`. Which node is the root of the graph, the `grad_fn` of "
    "`f`?",
    [
        Choice(
            "one that is called `f`",
            "the result is a node of its own behind the last operation",
            "A name makes no node. The last operation does.",
        ),
        Choice(
            "AddBackward0",
            "the last operation that ran made `f`",
            "Python works from left to right: first the difference, then the sum.",
        ),
        Choice(
            "SinBackward0",
            "the operation that was written first is the root",
            "It ran first. The root is what ran last.",
        ),
        Choice(
            "SubBackward0",
            "the minus takes away all that comes after it",
            "The difference is made before the sum, which takes it as its first operand.",
        ),
    ],
)
def root_of_the_expression(torch: Any) -> str:
    x1, x2 = leaf(torch, 2.0), leaf(torch, 5.0)
    name: str = (torch.sin(x2) - x1 * x2 + torch.log(x1)).grad_fn.name()
    return name


@question(
    "L1.P6",
    "Exit ticket, from lesson 0. What is kept in the pockets of the product `y = c * d`?",
    [
        Choice(
            "its result `y`", "an operation saves what it made", "Some do, `exp` for one. A product needs its factors."
        ),
        Choice("`c` and `d`", "backward of a product needs the other factor", "So it saved both."),
        Choice(
            "the gradients of `c` and `d`", "gradients are there from the beginning", "There are none before backward."
        ),
    ],
)
def slots_of_the_product(torch: Any) -> str:
    c, d = leaf(torch, 2.0) + 3, leaf(torch, 3.0) + 1
    node = (c * d).grad_fn
    return "`c` and `d`" if (node._saved_self.item(), node._saved_other.item()) == (5, 4) else "its result `y`"


for _id, _words, _target, _hints in (
    (
        "L1.B1",
        "a product of two products: `a` with itself, and `b` with itself; no sum",
        lambda torch, a, b: (a * a) * (b * b),
        ["Make the two inner products first, each with `*`.", "The product of these two products is the root."],
    ),
    (
        "L1.B2",
        "a sum whose two operands are a product of both inputs and the sine of the second",
        lambda torch, a, b: a * b + torch.sin(b),
        ["Three operations: a product, a sine, a sum.", "`torch.sin(b)` is the sine; the sum joins it with `a * b`."],
    ),
    (
        "L1.B3",
        "a chain: the second input is added to the first, the result is squared by `** 2`, and the exponential of "
        "that is taken",
        lambda torch, a, b: torch.exp((a + b) ** 2),
        [
            "Each line of the chain uses what the line before made.",
            "`(a + b)` is raised to the power 2, and `torch.exp` is last.",
        ],
    ),
):
    build(_id, f"Write a function of `a` and `b` whose graph is {_words}.", _target, inputs=(0.5, -0.25), hints=_hints)


def values(torch: Any) -> dict[str, float]:
    """Every value of `ln(x1) + x1 x2 - sin(x2)` at 4 and 2."""
    x1, x2 = leaf(torch, 4.0), leaf(torch, 2.0)
    log, product, sine = torch.log(x1), x1 * x2, torch.sin(x2)
    found = {"ln": log, "product": product, "sum": log + product, "sine": sine, "f": log + product - sine}
    return {name: each.item() for name, each in found.items()}


fill(
    "L1.F1",
    "The same `f` = ln(`x1`) + `x1` · `x2` − sin(`x2`), now at `x1` = 4, `x2` = 2, in radians: the value after each "
    "operation. ln is `math.log`, sin is `math.sin`. Give at least three decimals.",
    values,
    mistakes=[
        Mistake({"sine": math.sin(math.radians(2))}, "2 means degrees", "`torch.sin`, like `math.sin`, takes radians."),
        Mistake(
            {"product": 10}, "the values of the run above stay", "Now `x1` is 4 and `x2` is 2: all is computed anew."
        ),
        Mistake(
            {"product": 2 * math.log(4)},
            "an operation takes what the one before it gives",
            "It takes its own operands: the product takes `x1`, and not the logarithm of it.",
        ),
        Mistake(
            {"sum": math.log(4) + 8 - math.sin(2)},
            "one operation joins all three terms",
            "Each operation has two operands: the sum is of ln and the product, and the sine is taken away after it.",
        ),
        Mistake({"ln": math.log10(4)}, "ln is the logarithm to base ten", "ln is the natural one: `math.log(4)`."),
        Mistake({"f": math.log(4) + 8 + math.sin(2)}, "all three terms are added", "The last one is taken away."),
    ],
    hints=[
        "Compute one operation after the other: `math.log(4)`, then `4 * 2`.",
        "The sum is of these two. At last `math.sin(2)` is taken away from it.",
    ],
)


def _nodes_with_none(names: list[str], trace: Trace) -> str:
    nodes = [node_named(name) for name in names]
    if nodes == ["d"]:
        return ""
    if nodes not in (["c"], ["y"]):
        return "Click one node, and nothing else: the node of an operation is on the card of its result."
    return "That node's operands both require grad. Look for an operand that does not."


pick(
    "L1.T1",
    "One of the three operations has an operand that backward need not reach. Click its node.",
    forward,
    _nodes_with_none,
    hints=["Which line uses a plain number?", "In the picture the number stands on the card, and no line leads to it."],
    after="The 1 of `b + 1` is a plain number: it asks for no gradient.",
)
