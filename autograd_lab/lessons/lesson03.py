"""Lesson 3, Backward, one node at a time: seed, pop a ready node, local derivative, send and sum, store or drop."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.events import NodeEvaluated, NodeVisited
from autograd_lab.lessons.building import agrees_with_differences, debug, graph_holds, runs
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.graphs import shape_of
from autograd_lab.lessons.moments import after, after_forward, before, forward, leaf
from autograd_lab.lessons.picking import legal_backward_order, pick
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.sort_task import sort_lines
from autograd_lab.lessons.tiny_loop import gradients, tiny_graph
from autograd_lab.lessons.world import world, world_of


@question(
    "L3.P1",
    "`y = c * d` with `c` = 5 and `d` = 4. Backward has begun: the seed 1 is at `y`. Which gradient will the product "
    "send to `c`?",
    [
        Choice(
            "1",
            "a gradient is handed on as it is",
            "An addition hands it on as it is. A product multiplies it by the other factor.",
        ),
        Choice(
            "4",
            "the derivative of a product with respect to one factor is the other factor",
            "That is why the product saved both factors: it needs 4 to send to `c`, and 5 to send to `d`.",
        ),
        Choice(
            "5",
            "each factor gets its own value",
            "If `c` grows by a little, `y` grows by that little times `d`. So it is the other factor that counts.",
        ),
        Choice(
            "20",
            "the value of `y` travels back",
            "Values went forward. What travels back says how fast `y` changes, and it begins with 1, not with `y`.",
        ),
    ],
    at=before(NodeEvaluated),
    shows=before(NodeVisited, 2),
)
def gradient_of_c(torch: Any) -> float:
    return gradients(torch)["c"]


@question(
    "L3.P2",
    "4 has come to `c`, and 5 is just arriving at `d`. Which node may run next?",
    [
        Choice(
            "only the node of c",
            "backward takes nodes in the order in which forward made them",
            "The node of `d` has all that it waits for, too. PyTorch even takes that one first, as it was recorded "
            "last.",
        ),
        Choice(
            "the node of c or that of d",
            "a node may run as soon as it has all the gradients that it waits for",
            "Either order gives the same gradients. PyTorch takes the node of `d`, which was recorded last.",
        ),
        Choice(
            "the AccumulateGrad of b",
            "a gradient for `b` can be stored as soon as anything arrives there",
            "Two gradients will come to `b`. Its node is ready when both have arrived.",
        ),
    ],
    at=before(NodeVisited, 2),
    shows=after(NodeVisited, 2),
)
def ready_after_the_first(torch: Any) -> str:
    a, b = leaf(torch, 2.0), leaf(torch, 3.0)
    c, d = a + b, b + 1
    y = c * d
    to_b = c.grad_fn.next_functions[1][0]
    waiting = {node for each in (c, d) for node, _ in each.grad_fn.next_functions}  # for these two, which have not run
    ready = [name for name, node in {"c": c.grad_fn, "d": d.grad_fn}.items() if node not in waiting]
    assert to_b in waiting and {node for node, _ in y.grad_fn.next_functions} == {c.grad_fn, d.grad_fn}
    return f"the node of {' or that of '.join(ready)}"


@question(
    "L3.P3",
    "`y = (a + b) * (b + 1)` at `a` = 2 and `b` = 3. After `y.backward()`, what is `b.grad`?",
    [
        Choice(
            "4",
            "what arrives last replaces what was there",
            "Nothing is replaced: what arrives along several paths is added.",
        ),
        Choice(
            "5",
            "only one path from `y` to `b` counts",
            "There are two paths, one through `a + b` and one through `b + 1`, and each brings a gradient.",
        ),
        Choice(
            "9",
            "`b` gets the sum of what comes along both paths",
            "4 through `a + b`, and 5 through `b + 1`.",
        ),
        Choice(
            "20",
            "what arrives along several paths is multiplied",
            "Along one path derivatives are multiplied; where paths meet, they are added.",
        ),
    ],
    at=before(NodeEvaluated),
)
def gradient_of_b(torch: Any) -> float:
    return gradients(torch)["b"]


@question(
    "L3.P4",
    "Now `y = (a + b) * (b - 1)`, still at `a` = 2 and `b` = 3. What is `b.grad`?",
    [
        Choice(
            "-3",
            "a minus turns the gradient round",
            "It does for what is subtracted. Here 1 is subtracted and `b` is not: `b - 1` grows as fast as `b`.",
        ),
        Choice(
            "2",
            "only the path through the sum counts",
            "That path brings 2, which is `b - 1`. The other path brings 5, which is `a + b`.",
        ),
        Choice("7", "each path brings the other factor, and they add up", "2 through `a + b`, and 5 through `b - 1`."),
        Choice(
            "9",
            "a constant does not matter for a derivative",
            "Not for that of `b - 1` by itself. But its value is a factor of `y`: it is 2 now, not 4.",
        ),
    ],
    drawn="""
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
d = b - 1
y = c * d
y.backward()
""",
)
def gradient_of_b_with_minus(torch: Any) -> float:
    a, b = leaf(torch, 2.0), leaf(torch, 3.0)
    ((a + b) * (b - 1)).backward()
    return float(b.grad.item())


@question(
    "L3.P5",
    "`y = torch.sin(x)` and `z = y ** 2` at `x` = 2. What is the derivative of `z` with respect to `x`?",
    [
        Choice(
            "0.756802",
            "sin² is never negative, so its slope is not either",
            "At 2 the sine falls, and its square falls with it: the slope is negative.",
        ),
        Choice(
            "-0.756802",
            "the local derivatives are multiplied: 2y is positive, and cos 2 is negative",
            "2 · sin 2 · cos 2 = sin 4, and 4 lies between π and 2π, where the sine is negative.",
        ),
        Choice(
            "1.818595",
            "the derivative of a square is all there is",
            "That is 2y, which arrives at `y`. On the way to `x` it is multiplied by cos 2.",
        ),
        Choice(
            "-0.416147",
            "only the last operation before `x` counts",
            "That is cos 2, the local derivative of the sine. What arrived at `y` has to be multiplied by it.",
        ),
    ],
    drawn="""
x = torch.tensor(2.0, requires_grad=True)
y = torch.sin(x)
z = y ** 2
z.backward()
""",
)
def gradient_of_the_squared_sine(torch: Any) -> str:
    return f"{squared_sine(torch)['dz/dx']:.6f}"


@question(
    "L3.P6",
    "Exit ticket. `y = x * x + 3 * x + 1` at `x` = 2. What is `x.grad` after `y.backward()`?",
    [
        Choice(
            "4",
            "the square is all that counts",
            "It brings 4 on its two lines together; 3 more come through `3 * x`.",
        ),
        Choice(
            "5",
            "`x * x` sends one gradient to `x`",
            "It has two edges to `x`, and sends 2 along each of them. With the 3 of `3 * x` these are 7.",
        ),
        Choice("7", "2 and 2 from the product of `x` with itself, 3 from `3 * x`", "2x + 3 at 2."),
        Choice("11", "the gradient is the value", "11 is `y`. The gradient says how fast `y` grows with `x`."),
    ],
    drawn="""
x = torch.tensor(2.0, requires_grad=True)
y = x * x + 3 * x + 1
y.backward()
""",
)
def gradient_of_the_polynomial(torch: Any) -> float:
    x = leaf(torch, 2.0)
    (x * x + 3 * x + 1).backward()
    return float(x.grad.item())


@question(
    "L3.P7",
    "Exit ticket, from lesson 0. How many tensors did `y = (a + b) * (b + 1)` save for backward?",
    [
        Choice("0", "a graph is only structure", "The product needs its factors again, so it saved both."),
        Choice("2", "only the product needs what went into it", "It saved `c` and `d`; sums save no tensor."),
        Choice(
            "3", "each operation saves its result", "Some do, `exp` for one. A sum needs neither operands nor result."
        ),
        Choice(
            "6",
            "each operation saves its operands",
            "The product does. A sum sends on what it gets, whatever was added.",
        ),
    ],
)
def saved_values(torch: Any) -> int:
    y = (leaf(torch, 2.0) + leaf(torch, 3.0)) * (leaf(torch, 3.0) + 1)
    return sum(hasattr(node, name) for node in shape_of(y).nodes for name in ("_saved_self", "_saved_other"))


pick(
    "L3.T1",
    "Backward is about to begin. Click the five nodes in an order in which they may run; a leaf stands for its "
    "AccumulateGrad. There is more than one order.",
    forward,
    legal_backward_order,
    step=after_forward,
    hints=[
        "A node may run when every node that will send it a gradient has run. To which node does no other send one?",
        "The card of a leaf stands for its node, the AccumulateGrad. Count how many lines lead to `b`.",
        "Begin with the product. Then both sums are free, in either order; a leaf comes when its last line is done.",
    ],
    after="PyTorch takes, of those that are ready, the node that was recorded last, and an AccumulateGrad at once.",
)

fill(
    "L3.F1",
    "Other numbers: `a` = 5 and `b` = 1. Again `c = a + b`, `d = b + 1`, `y = c * d`. What is the gradient of `y` with "
    "respect to each of the five tensors?",
    lambda torch: gradients(torch, (5.0, 1.0)),
    mistakes=[
        Mistake(
            {"c": 6, "d": 2},
            "each factor gets its own value",
            "If `c` grows by a little, `y` grows by that little times `d`: it gets the other factor.",
        ),
        Mistake({"y": 12}, "backward begins with the value of `y`", "`y` grows exactly as fast as `y`: the seed is 1."),
        Mistake(
            {"a": 1}, "a sum sends 1, whatever comes to it", "It sends what came to it, times 1: to `a` what `c` got."
        ),
        Mistake({"b": 2}, "the last gradient replaces the first", "Where two paths meet, what they bring is added."),
        Mistake({"b": 6}, "only one path to `b` counts", "Lines lead to `b` from both sums, and both bring something."),
    ],
    hints=[
        "Begin at `y`, whose gradient is 1. Each node multiplies what it gets by its local derivative.",
        "A product sends the other factor to each of its factors; a sum sends on what it got.",
        "`c` gets the value of `d`, `d` that of `c`. `a` gets what `c` got; `b` gets what `c` and `d` got, added.",
    ],
)


def squared_sine(torch: Any) -> dict[str, float]:
    """Value and derivatives of `z = sin(x) ** 2` at 2."""
    x = leaf(torch, 2.0)
    y = torch.sin(x)
    z = y**2
    y.retain_grad()
    z.backward()
    return {"y": y.item(), "dz/dy": y.grad.item(), "dy/dx": math.cos(2.0), "dz/dx": x.grad.item()}


fill(
    "L3.F2",
    "`z = y ** 2` and `y = torch.sin(x)` at `x` = 2, in radians: `y`, the two local derivatives, and their product. "
    "Give at least three decimals.",
    squared_sine,
    mistakes=[
        Mistake(
            {"y": math.sin(2.0) ** 2}, "`y` is the end result", "`y` is what the sine gives, and `z` is its square."
        ),
        *(
            Mistake({"dz/dy": each}, "the square is one of `x`", "It is one of `y`: its derivative is 2y, at `y`.")
            for each in (4, 2)
        ),
        Mistake(
            {"dz/dx": 0.756802},
            "a slope has no sign",
            "Look at the sign of cos 2: between π/2 and π the cosine is negative.",
        ),
        Mistake(
            {"dy/dx": 0.416147},
            "a cosine is positive",
            "2 radians are more than a right angle, so the cosine is negative there.",
        ),
        Mistake(
            {"dy/dx": math.cos(math.radians(2))},
            "2 means degrees",
            "`torch.sin`, like `math.sin`, takes radians.",
        ),
    ],
    hints=[
        "`y` is `math.sin(2)`. The derivative of y² with respect to `y` is 2y.",
        "The derivative of the sine is the cosine; take it at 2.",
        "Multiply the two local derivatives, signs included.",
    ],
)


def loop_works(names: dict[str, Any]) -> str:
    """Whether the loop left the gradients that backward leaves."""
    wanted = gradients(world("autograd_lab"))
    found = {node.name: node.gradient for node in names["nodes"]}
    if all(value == 0 for value in found.values()):
        return "It runs, but no gradient moves."
    wrong = [name for name in wanted if found[name] != wanted[name]]
    return f"It runs, but leaves {found[wrong[0]]:g} as the gradient of {wrong[0]}." if wrong else ""


sort_lines(
    "L3.S1",
    "Sort these lines into the loop of backward. `root` is the node of `y`; each node has a `gradient`, so far 0, the "
    "number of gradients it is `waiting` for, and `edges`: pairs of target and local derivative. One line is too many.",
    [
        "    for target, derivative in node.edges:",
        "        if target.waiting == 0:",
        "ready = [root]",
        "        target.gradient = node.gradient * derivative",
        "            ready.append(target)",
        "while ready:",
        "root.gradient = 1.0",
        "        target.gradient += node.gradient * derivative",
        "    node = ready.pop()",
        "        target.waiting -= 1",
    ],
    start=tiny_graph,
    works=loop_works,
    hints=[
        "Seed first: the root's gradient is 1, and it is the only node that is ready.",
        "While something is ready: take a node out, then go along its edges.",
        "Two lines write to target.gradient. Which one keeps what arrived before?",
        "For each edge: send and sum, count the arrival, and if it was the last one, the target is ready.",
    ],
    after="These are the first four of the five steps; storing in `.grad` is left to AccumulateGrad.",
)


def still_the_square(answer: Any) -> str:
    """A stage: the value is what it was."""
    found = answer(leaf(world_of(answer), 2.0)).item()
    right = math.isclose(found, math.sin(2.0) ** 2, rel_tol=1e-3)
    return "" if right else f"At 2 it gives {found:.3f}, which is not sin(2)² any more."


debug(
    "L3.D1",
    "Mend a function so that it still gives sin(x)², and backward reaches `x`.",
    runs(2.0),
    still_the_square,
    agrees_with_differences(2.0),
    graph_holds(
        "The sine should be a node of the graph: SinBackward0.", lambda graph: "SinBackward0" in graph.names, 2.0
    ),
    hints=[
        "Look at the graph of what it returns: does any line lead to `x`?",
        "`.item()` gives a plain Python number. What is computed from it is recorded nowhere.",
        "Have torch compute the sine of the tensor, rather than math that of a number.",
    ],
)
