"""Lesson 2, Tracing grad_fn: from the result back to the leaves, node by node, by what Python shows of the graph."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.moments import after_forward, leaf, program
from autograd_lab.lessons.picking import node_named, pick, users_by_name
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.worded import worded
from autograd_lab.lessons.world import world_of
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import history_of


@question(
    "L2.P1",
    "`d = b + 1`, and `b` is a leaf that requires grad. What is `len(d.grad_fn.next_functions)`?",
    [
        Choice(
            "0",
            "a leaf was made by nothing, so nothing follows",
            "The path to `b.grad` leads on: to its AccumulateGrad.",
        ),
        Choice("1", "a number has no place among the operands", "In a sum it has a place, and None stands in it."),
        Choice(
            "2",
            "each operand of a sum has a place, a plain number the place (None, 0)",
            "Backward leaves out the places with None.",
        ),
    ],
)
def places_of_a_sum(torch: Any) -> int:
    return len((leaf(torch, 3.0) + 1).grad_fn.next_functions)


@question(
    "L2.P2",
    "Walk back from the node of `y = (a + b) * (b + 1)`, on every path there is. How many different AccumulateGrad "
    "objects do you come to, and on how many paths?",
    [
        Choice(
            "2, on 2 paths",
            "one path leads to each leaf",
            "Both sums have an edge that leads to `b`. With the path to `a` there are three.",
        ),
        Choice(
            "2, on 3 paths",
            "a leaf has one AccumulateGrad, however often it is used",
            "Both sums point to the same one. There the gradients meet.",
        ),
        Choice(
            "3, on 3 paths",
            "each use makes a node of its own",
            "Then each would put its own gradient into `b.grad`. There is one drawer, and one node before it.",
        ),
    ],
)
def one_accumulator(torch: Any) -> str:
    a, b = leaf(torch, 2.0), leaf(torch, 3.0)
    sums = [node for node, _ in ((a + b) * (b + 1)).grad_fn.next_functions]
    ends = [node for each in sums for node, _ in each.next_functions if node is not None]
    return f"{len(set(ends))}, on {len(ends)} paths"


@question(
    "L2.P3",
    "`a` and `b` were computed from leaves, and `c = a + b`. You hold `c.grad_fn`. Which of these can you reach from "
    "it?",
    [
        Choice(
            "the tensor `c`",
            "a node knows its tensor",
            "The node of an operation does not: the tensor knows its node, not the other way round.",
        ),
        Choice(
            "the tensors `a` and `b`, for a sum saves its operands",
            "a node saves what went in",
            "A sum saves no tensor. It leads to *nodes*.",
        ),
        Choice(
            "the nodes to which its gradients go",
            "`next_functions` leads back, from node to node",
            "At the ends of all paths are AccumulateGrads, and each of them knows its leaf, as its `variable`.",
        ),
    ],
)
def reached_from_a_node(torch: Any) -> str:
    a, b = torch.sin(leaf(torch, 2.0)), torch.sin(leaf(torch, 3.0))
    node = (a + b).grad_fn
    names = [following.name() for following, _ in node.next_functions]
    saved = any(name.startswith("_saved_self") for name in dir(node))
    return (
        "the nodes to which its gradients go"
        if names == ["SinBackward0"] * 2 and not saved
        else "the tensors `a` and `b`, for a sum saves its operands"
    )


@question(
    "L2.P4",
    "`z = 3 * x`. What stands at the place of the 3 in `z.grad_fn.next_functions`, and which place is it?",
    [
        Choice(
            "a node for 3, at the first place",
            "numbers become tensors with nodes",
            "3 becomes a tensor, but one that asks for no gradient, and so has no node.",
        ),
        Choice(
            "None, at the first place",
            "operands stand as they were written",
            "`3 * x` is computed by `x`'s own method, which takes the other one second.",
        ),
        Choice(
            "None, at the second place",
            "`x` computes the product, and takes the number as its other operand",
            "`x * 3` looks just the same.",
        ),
    ],
)
def place_of_a_number(torch: Any) -> str:
    edges = (3 * leaf(torch, 2.0)).grad_fn.next_functions
    place = next(n for n, (node, _) in enumerate(edges) if node is None)
    return f"None, at the {['first', 'second'][place]} place"


@question(
    "L2.P5",
    "Exit ticket. `z = torch.exp(x * torch.sin(x))`. How many nodes lie between the root and the AccumulateGrad of "
    "`x`, on the longest path?",
    [
        Choice("1", "the product alone lies between them", "The sine is an operation, too: one path leads through it."),
        Choice("2", "the product, and the sine that is its second operand", "MulBackward0, then SinBackward0."),
        Choice("3", "the root counts, too", "The exponential is the root itself: it lies at an end of the path."),
    ],
)
def between_root_and_leaf(torch: Any) -> int:
    x = leaf(torch, 2.0)
    node, count = torch.exp(x * torch.sin(x)).grad_fn, -1
    while not node.name().endswith("AccumulateGrad"):
        node, count = node.next_functions[-1][0], count + 1
    return count


@question(
    "L2.P6",
    "Exit ticket, from lesson 1. `x` is a leaf that requires grad. Which of these records no node?",
    [
        Choice(
            "y = x * 1",
            "multiplying by 1 changes nothing, so nothing is recorded",
            "The operation ran, so it is recorded. Values do not matter.",
        ),
        Choice("y = x", "a second name is no operation", "Nothing is computed. Both names mean one tensor."),
        Choice("y = -x", "a sign is no operation", "It is: NegBackward0."),
    ],
)
def no_node(torch: Any) -> str:
    x = leaf(torch, 2.0)
    made = {"y = x * 1": x * 1, "y = x": x, "y = -x": -x}
    return next(text for text, each in made.items() if each.grad_fn is None)


def _names(torch: Any) -> dict[str, Any]:
    a, b = leaf(torch, 2.0), leaf(torch, 3.0)
    root = (a * 2 - (b + a)).grad_fn
    first, second = (node for node, _ in root.next_functions)

    def short(node: Any) -> str:
        return "None" if node is None else str(node.name()).rpartition("::")[2]

    return {
        "root": short(root),
        "first": [short(node) for node, _ in first.next_functions],
        "second": [short(node) for node, _ in second.next_functions],
    }


fill(
    "L2.F1",
    "Another one: `y = a * 2 - (b + a)`. `root` is the node of `y`; `first` are the two targets of the node of "
    "`a * 2`, `second` those of the node of `b + a`. Write full names of nodes as text, such as "
    '"SinBackward0", and "None" for None.',
    _names,
    mistakes=[
        Mistake({"root": "Sub"}, "a node is called as its operation", "Its name is longer, as in SinBackward0."),
        Mistake({"first": ["a", "2"]}, "`next_functions` leads to operands", "It leads to their nodes: name these."),
        Mistake({"second": ["b", "a"]}, "`next_functions` leads to tensors", "It leads to their nodes: name these."),
        Mistake({"first": ["AccumulateGrad"]}, "a number has no place", "It has one, and None stands in it."),
        Mistake(
            {"second": ["None", "None"]}, "leaves have no node", "Each has its AccumulateGrad, which fills `.grad`."
        ),
    ],
    hints=[
        "The operation that ran last is the root.",
        "Look at each operand of the root: what was it made of? A leaf is reached at its AccumulateGrad.",
        "The product has a plain number as its second operand.",
    ],
)


def _used_twice() -> Trace:
    return program(
        "a = torch.tensor(2.0, requires_grad=True)\n"
        "b = torch.tensor(3.0, requires_grad=True)\n"
        "u = a * b\n"
        "s = u + a\n"
        "y = u * s\n"
    )


def _longest(names: list[str], trace: Trace) -> str:
    path = [node_named(name) for name in names]
    if path == ["y", "s", "u", "a"]:
        return ""
    if path[:1] != ["y"]:
        return "Begin at the node of `y`."
    users = users_by_name(history_of(trace.events))
    for number, (node, target) in enumerate(pairwise(path), 2):
        if node not in users.get(target, ()):
            says = "Look again at number {number}: no edge of {node} has {target} as its target."
            return worded(says, number=number, target=target, node=node)
    if path[-1] != "a":
        return "So far it is a path. It should end at the AccumulateGrad of `a`."
    return "It is a path from `y` to `a`, and there is a longer one."


pick(
    "L2.T1",
    "Another graph: `u` is used twice. Walk from `y` to `a` on the *longest* path there is: click its nodes, in the "
    "order in which you meet them.",
    _used_twice,
    _longest,
    step=after_forward,
    hints=[
        "Begin with the node of `y`, and go along a line against its arrow.",
        "Two lines lead from `y`: one straight to `u`, one by way of `s`.",
        "The path ends at the AccumulateGrad of `a`, for which the card of `a` stands.",
    ],
)


def _shapes(torch: Any) -> list[Any]:
    """Results whose graphs are walked: a fan, a chain, a diamond, and a tower with very many paths."""
    a, b = leaf(torch, 2.0), leaf(torch, 3.0)
    chain = a
    for _ in range(30):
        chain = torch.sin(chain)
    tower = a
    for _ in range(25):
        tower = tower + tower
    u = a * b
    return [(a + b) * (b + 1), chain, u * (u + a), tower]


def _all_nodes(root: Any) -> set[Any]:
    found, todo = {root}, [root]
    for node in todo:
        for following, _ in node.next_functions:
            if following is not None and following not in found:
                found.add(following)
                todo.append(following)
    return found


PATIENCE = 20_000
"""So many looks at nodes a walk may take before it counts as going along every path."""


class _Watched:
    """A node that counts how often it was asked for what follows it."""

    def __init__(self, node: Any, count: list[int]) -> None:
        self._node, self._count = node, count

    @property
    def next_functions(self) -> Any:
        self._count[0] += 1
        if self._count[0] > PATIENCE:
            raise TimeoutError("too many steps")
        return tuple(
            (None if node is None else _Watched(node, self._count), n) for node, n in self._node.next_functions
        )

    def name(self) -> str:
        return str(self._node.name())

    def __repr__(self) -> str:
        return repr(self._node)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Watched) and self._node is other._node

    def __hash__(self) -> int:
        return hash(self._node)


@exercise(
    "L2.D1",
    "Write `walk(node)`: a list of every node that can be reached from a node, itself included, each of them once.",
    hints=[
        "A node may be reached by several paths. How do you know that you have been there?",
        "Keep one list of the nodes that you have found; at first it holds `node` alone. Go through it from the front, "
        "and put at its end the targets of each node.",
        "The shape: `found = [node]`, then two loops, one in the other: `for each in found:` and "
        "`for target, number in each.next_functions:`. A `for` goes on to what is put at the end of its list.",
        "Inside both loops is one `if`. `target` goes into the list by `found.append(...)`, unless it is None "
        "(`is not None`) or there already (`not in found`). After the loops: `return found`.",
    ],
    after="The number of paths may be huge where the number of nodes is small, so a walk has to remember where it was.",
)
def a_walk(walk: Any) -> str:
    if not callable(walk):
        return "The answer should be a function of a node."
    torch = world_of(walk)
    for name, result in zip(("y = (a + b) * (b + 1)", "a chain", "a diamond", "a tower"), _shapes(torch), strict=True):
        count, wanted = [0], _all_nodes(result.grad_fn)
        try:
            given = walk(_Watched(result.grad_fn, count))
            found = [] if given is None else list(given)
        except TimeoutError:
            return f"In {name} it goes on and on: it seems to walk along every path anew."
        except Exception as error:
            return f"It stops in {name}: {type(error).__name__}: {first_line(error)}"
        if given is None:
            return "It gives back nothing: `return` the list at its end."
        if any(isinstance(each, tuple) for each in found):
            return "The list holds a pair, a node with its number. Put only the node into it."
        if any(not isinstance(each, _Watched) for each in found):
            return "The list should hold nodes, and no None."
        nodes = [each._node for each in found]
        if len(set(nodes)) < len(nodes):
            return f"In {name} a node is in the list {max(nodes.count(each) for each in nodes)} times."
        if missing := len(wanted - set(nodes)):
            return f"In {name} it misses {missing} of {len(wanted)} nodes."
    return ""
