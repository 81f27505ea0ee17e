"""Lesson 4, Fan-out: paths add up, and why a node waits until all its gradients have arrived."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from autograd_lab.events import GradAccumulated, NodeVisited
from autograd_lab.lessons.building import build
from autograd_lab.lessons.exercise import exercise
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.graphs import shape_of
from autograd_lab.lessons.moments import after, after_forward, before, leaf, program
from autograd_lab.lessons.picking import legal_backward_order, pick
from autograd_lab.lessons.question import Choice, question
from autograd_lab.trace import Trace


@question(
    "L4.P1",
    "`y = x ** 2 + x ** 3` at `x` = 3. What is `x.grad` after `y.backward()`?",
    [
        Choice("6", "the first path counts, and the second comes too late", "The cube brings 27 more."),
        Choice("27", "the last gradient replaces the one before", "Nothing is replaced: the 6 of the square stays."),
        Choice("33", "what comes along several paths is added", "6 through the square, 27 through the cube."),
        Choice(
            "162", "what comes along several paths is multiplied", "Along one path one multiplies. Paths are added."
        ),
    ],
    shows=after(GradAccumulated),
    drawn="""
x = torch.tensor(3.0, requires_grad=True)
y = x**2 + x**3
y.backward()
""",
)
def square_and_cube(torch: Any) -> float:
    x = leaf(torch, 3.0)
    (x**2 + x**3).backward()
    return float(x.grad.item())


@question(
    "L4.P2",
    "`p = x * 2`, `q = x * 3`, `z = p + q`. How often does the AccumulateGrad of `x` run in `z.backward()`?",
    [
        Choice(
            "1",
            "a node runs once, when all that it waits for has arrived",
            "2 and 3 meet before it, and it stores 5 in one go.",
        ),
        Choice(
            "2",
            "a node runs each time that something arrives",
            "Then all that lies behind it would have to run twice as well. It waits, and runs once.",
        ),
        Choice(
            "3",
            "it runs once for every operation of the graph",
            "Each node of the graph runs once. That of `x` is one of them.",
        ),
    ],
    at=before(NodeVisited, 2),
)
def visits_of_the_leaf(torch: Any) -> int:
    x = leaf(torch, 2.0)
    runs: list[float] = []
    x.register_hook(lambda gradient: runs.append(gradient.item()))  # runs when the AccumulateGrad of `x` does
    (x * 2 + x * 3).backward()
    assert runs == [5.0]
    return len(runs)


@question(
    "L4.P3",
    "`y = x * x` at `x` = 5. How many gradients arrive at `x`?",
    [
        Choice(
            "1",
            "`x` is one tensor, so one gradient comes",
            "Each use is an edge of its own. The product has two operands, and both are `x`.",
        ),
        Choice("2", "each use is an edge, and each edge brings a gradient", "5 and 5, together 10, which is 2x."),
        Choice("10", "the number of gradients is their sum", "10 is what they add up to."),
    ],
    drawn="""
x = torch.tensor(5.0, requires_grad=True)
y = x * x
y.backward()
""",
)
def gradients_of_the_square(torch: Any) -> int:
    x = leaf(torch, 5.0)
    y = x * x
    return sum(node is not None for node, _ in y.grad_fn.next_functions)


@question(
    "L4.P4",
    "Now `z = p - q`, with `p = x * 2` and `q = x * 3` as before. What is `x.grad`?",
    [
        Choice("5", "gradients that meet are always added, so the minus is lost",
               "They are added. But the subtraction sends -1 to `q`, so that -3 is one of the two."),
        Choice("-1", "the minus turns round what goes to `q`, and then both are added", "2 and -3."),
        Choice("1", "the smaller is taken from the larger", "2 comes along one path and -3 along the other."),
        Choice("-6", "along both paths everything is multiplied", "Each path has its product; the paths are added."),
    ],
    drawn="""
x = torch.tensor(2.0, requires_grad=True)
p = x * 2
q = x * 3
z = p - q
z.backward()
""",
)  # fmt: skip
def difference_of_branches(torch: Any) -> float:
    x = leaf(torch, 2.0)
    (x * 2 - x * 3).backward()
    return float(x.grad.item())


@question(
    "L4.P5",
    "Exit ticket. `a = x * 2`, `b = x * 3`, then four times `a, b = a + b, a - b`, and at last `y = a * b`. How many "
    "nodes does `y.backward()` run, the AccumulateGrad included?",
    [
        Choice("11", "only operations are nodes", "The leaf has a node, too: its AccumulateGrad."),
        Choice(
            "12",
            "each node runs once, however many paths lead through it",
            "Two products, four sums, four differences, the last product, and one AccumulateGrad.",
        ),
        Choice("20", "each edge is walked by a run of its own", "A sum sends along two edges in one run."),
        Choice(
            "32",
            "each path from the end to the leaf is walked by itself",
            "There are that many paths. Waiting for all gradients makes one run for each node enough.",
        ),
    ],
)
def nodes_of_a_braid(torch: Any) -> int:
    x = leaf(torch, 1.0)
    a, b = x * 2, x * 3
    for _ in range(4):
        a, b = a + b, a - b
    return len(shape_of(a * b).nodes)


@question(
    "L4.P6",
    "Exit ticket, from lesson 3. An edge leads back to a tensor. What travels along it?",
    [
        Choice(
            "the value that the tensor got in forward",
            "values travel both ways",
            "Values went forward. What comes back says how fast the result changes.",
        ),
        Choice(
            "a share of how fast the result grows with it",
            "what travels is a gradient of the one result",
            "What comes along other edges is added to it.",
        ),
        Choice(
            "the local derivative of the node that sends it",
            "the node sends its own derivative, and somebody else multiplies",
            "The node has multiplied it by what arrived, before anything is sent.",
        ),
    ],
)
def what_travels(torch: Any) -> str:
    x = leaf(torch, 3.0)
    y = x * 2
    (y * 5).backward()
    choices = {
        3.0: "the value that the tensor got in forward",
        2.0: "the local derivative of the node that sends it",
        10.0: "a share of how fast the result grows with it",
    }
    return choices[x.grad.item()]  # to which one edge leads, that of `y`


DIAMONDS = """\
x = torch.tensor(3.0, requires_grad=True)
u = x * x
v = u + x
w = u * v
w.backward()
"""


def diamonds() -> Trace:
    """A run of `w = u * v` with `u = x²` and `v = u + x`: `u` and `x` both have several users."""
    return program(DIAMONDS)


pick(
    "L4.T1",
    "Click the four nodes in an order in which backward may run them. Is there more than one?",
    diamonds,
    legal_backward_order,
    step=after_forward,
    hints=[
        "A node may run when every node that will send it a gradient has run.",
        "`u` is used by two nodes. Both have to run before the node of `u`.",
        "Begin with `w`. Of `u` and `v` only one is then free of waiting: the one that just one node uses.",
    ],
    after="Here there is only one order: `u` waits for `w` and `v`, and `x` waits for `v` and `u`.",
)


def gradients_of_diamonds(torch: Any) -> dict[str, float]:
    """The gradient of every tensor of `DIAMONDS` at 2."""
    x = leaf(torch, 2.0)
    u = x * x
    v = u + x
    w = u * v
    for each in (u, v):
        each.retain_grad()
    w.backward()
    return {"v": v.grad.item(), "u": u.grad.item(), "x": x.grad.item()}


fill(
    "L4.F1",
    "The same `u = x * x`, `v = u + x`, `w = u * v`, now at `x` = 2. What is the gradient of `w` with respect to "
    "`v`, `u` and `x`?",
    gradients_of_diamonds,
    mistakes=[
        Mistake({"v": 6}, "each factor gets its own value", "`v` gets the other factor, the value of `u`."),
        Mistake(
            {"v": 1}, "the seed comes to `v` as it is", "On the way the product multiplies it by the value of `u`."
        ),
        Mistake({"u": 6}, "only the product sends something to `u`", "`v = u + x` is another path from `w` to `u`."),
        Mistake({"u": 4}, "what arrives last replaces the rest", "6 comes from the product, 4 through `v`: add them."),
        Mistake({"x": 40}, "only the path through `u` counts", "`v = u + x` leads straight to `x` as well."),
        *(
            Mistake({"x": each}, "`x` is one tensor, so `x * x` sends it one gradient", "It sends one for each factor.")
            for each in (20, 24)
        ),
        Mistake(
            {"x": 28}, "`u` sends on what the product gave it, without waiting", "`u` got 6, and 4 more through `v`."
        ),
    ],
    hints=[
        "`u` is 4 and `v` is 6. The product sends the value of `u` to `v`, and that of `v` to `u`.",
        "`v` hands what it got on to `u` and to `x`. So `u` gets two gradients: add them before you go on.",
        "`u = x * x` sends (what `u` got) times 2, twice. Add what came to `x` through `v`.",
    ],
)


@dataclass
class Node:
    """A node of a small graph: where its gradients go, and by what they are multiplied."""

    name: str
    edges: list[tuple[Node, float]] = field(default_factory=list)
    gradient: float = 0.0
    runs: int = 0


def small_graph() -> list[Node]:
    """The graph of `DIAMONDS` at 3: the nodes of w, v, u and x, root first."""
    x = Node("x")
    u = Node("u", [(x, 3.0), (x, 3.0)])
    v = Node("v", [(u, 1.0), (x, 1.0)])
    return [Node("w", [(u, 12.0), (v, 9.0)]), v, u, x]


def naive(node: Node, arrived: float) -> None:
    """Backward by plain recursion: run on as soon as anything arrives, with what has arrived so far.

    The mistake is that of many a first engine: a node that has got two gradients hands the first one on twice.
    """
    node.gradient += arrived
    node.runs += 1
    for target, derivative in node.edges:
        naive(target, node.gradient * derivative)


def all_paths(node: Node, arrived: float) -> None:
    """Backward along every path by itself: right, but a node runs as often as there are paths to it."""
    node.gradient += arrived
    node.runs += 1
    for target, derivative in node.edges:
        all_paths(target, arrived * derivative)


def tower(height: int) -> list[Node]:
    """The graph of `x = x + x`, `height` times over, root first: 2 to the power of `height` paths lead to the leaf."""
    nodes = [Node("x")]
    for level in range(height):
        nodes.append(Node(f"x{level + 1}", [(nodes[-1], 1.0), (nodes[-1], 1.0)]))
    return nodes[::-1]


def _outcome(backward: Callable[..., Any], nodes: list[Node]) -> dict[str, float]:
    backward(nodes[0], nodes)
    return {node.name: node.gradient for node in nodes}


@exercise(
    "L4.D1",
    "Write `backward(root, nodes)` for graphs of small nodes. `nodes` is in an order in which users come first. Each "
    "node has `edges`, pairs of target and local derivative, a `gradient` and `runs`, both 0 so far. Backward begins "
    "with 1.0 as the gradient of `root`. Raise `runs` by one whenever a node runs. It has to leave the right "
    "gradients, and no node may run twice.",
    hints=[
        "Users come first in `nodes`: so when you come to a node, everything that was to arrive there has arrived.",
        "Set the root's gradient to 1. Then one loop over `nodes`, and in it one over `node.edges`.",
        "In the inner loop: `target.gradient += node.gradient * derivative`. No recursion is needed.",
    ],
    after="That list is what an engine has to find first: an order in which users come first, a topological order.",
)
def one_run_each(backward: Any) -> str:
    if not callable(backward):
        return "The answer should be a function of root and nodes."
    found, wanted = _outcome(backward, small_graph()), _right(small_graph())
    if found == _outcome(lambda root, _: naive(root, 1.0), small_graph()):
        return (
            "That answer often comes from the idea that a node may hand on what it has as soon as something "
            f"arrives. So {found['x']:g} comes to x: some of it was handed on twice."
        )
    if wrong := [name for name in wanted if abs(found[name] - wanted[name]) > 1e-9]:
        return f"It leaves {found[wrong[0]]:g} as the gradient of {wrong[0]}: not what all paths to it bring together."
    nodes = tower(8)  # one that goes along each path by itself would run 511 times
    found = _outcome(backward, nodes)
    if found["x"] != 2.0**8:
        return f"In a tower of eight doublings it leaves {found['x']:g} in the leaf."
    often = max(node.runs for node in nodes)
    if often == 0:
        return "The gradients are right, but it counts no `runs`: raise it by one whenever a node runs."
    if often != 1:
        return (
            "That answer often comes from the idea that each path has to be walked by itself. The gradients "
            f"are right, but a node ran {often} times; each should run once."
        )
    return ""


def _right(nodes: list[Node]) -> dict[str, float]:
    all_paths(nodes[0], 1.0)
    return {node.name: node.gradient for node in nodes}


def _has_paths(number: int) -> Callable[[Any], str]:
    def judge(answer: Any) -> str:
        import autograd_lab

        if not callable(answer):
            return "The answer should be a function of x."
        made = answer(leaf(autograd_lab, 1.5))
        if getattr(made, "grad_fn", None) is None:
            return "What it returns has no grad_fn: no path leads to x."
        shape = shape_of(made)
        if shape.paths() != number:
            return f"The number of paths from the result to x should be {number}; it is {shape.paths()}."
        sums = len(shape.nodes) - 1
        return "" if sums <= 3 else f"It takes {sums} operations; three are enough."

    return judge


exercise(
    "L4.M1",
    "Write a function of `x` whose graph has six paths from the result to `x`, with at most three operations.",
    hints=[
        "`x + x` has two paths. What does the number of paths do if you add such a result to itself?",
        "Paths add where two results meet. 2 + 4 is 6.",
        "Make one tensor with two paths, then one with four from it, then let the two meet.",
    ],
)(_has_paths(6))

build(
    "L4.B1",
    "Write a function of `x` that gives x² + x³ by three operations: two powers, each with `**`, and their sum.",
    lambda torch, x: x**2 + x**3,
    inputs=(3.0,),
    hints=["`x` is used twice, by two powers.", "`x ** 2` is one operation, `x ** 3` another."],
)
