"""Lesson 16, Your own autograd: an engine in pieces, each held against this engine, and a network that it trains."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from autograd_lab.lessons.by_hand import wrong_walk
from autograd_lab.lessons.exercise import Exercise, verdict
from autograd_lab.lessons.first_look import wrong_counts, wrong_edges, wrong_sine_slope, wrong_slopes, wrong_tanh_slope
from autograd_lab.lessons.moments import leaf
from autograd_lab.lessons.own_engine import assemble
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.registry import declare, tasks_of
from autograd_lab.lessons.trial import differs


def piece(id: str, name: str, text: str, *, hints: list[str], after: str = "", first: Any = None) -> None:
    """Declare an exercise: a piece of the engine, looked at by itself `first`, and then tried in an engine whose other
    pieces are given.
    """

    def judge(answer: Any) -> str:
        if not callable(answer):
            return "The answer should be a function."
        return (first(answer) if first else "") or differs(name, answer)

    declare(Exercise(id, text, judge, tuple(hints), after))


piece(
    "L16.M1",
    "product_slopes",
    "`product_slopes(g, x, y)` belongs to z = x · y. `g` says how fast the end result grows with z. Return two "
    "numbers: how fast it grows with x, and with y.",
    hints=[
        "If x grows by a little, z grows by that little times what?",
        "Hold y still: z = x · y is then a straight line over x. How steep is it?",
        "The chain rule: g times that.",
    ],
    after="All that an engine knows of mathematics is a line like this for each operation.",
    first=wrong_slopes,
)
piece(
    "L16.M2",
    "tanh_slope",
    "`tanh_slope(g, z)` belongs to z = tanh(x), a curve like a flat S: it takes every number to one between −1 and 1. "
    "Its derivative is 1 − z²: 1 in the middle, where z is 0, and nearly 0 at the flat ends. The node has saved the "
    "result z and not x. Return how fast the end result grows with x.",
    hints=["The derivative is given, and by z alone: x is not needed.", "The chain rule: g times the derivative."],
    after="Since the result is enough, the node need not keep x.",
    first=wrong_tanh_slope,
)

piece(
    "L16.M7",
    "sin_slope",
    "`sin_slope(g, x)` belongs to z = sin(x), and its node has saved x. Change your `tanh_slope` until it fits: return "
    "how fast the end result grows with x. The derivative of sin is cos. Both g and x are numbers of numpy here, no "
    "tensors.",
    hints=["What of `tanh_slope` stays as it is? g times the derivative.", "numpy has the cosine: `np.cos(x)`."],
    after="A forward, what is saved, a slope: with these three, an engine has learnt an operation.",
    first=wrong_sine_slope,
)
piece(
    "L16.M3",
    "edges",
    "`edges(operands)` gives the edges of a new node: a list with one entry for each operand (each tensor that it "
    "computes with), its target: the node to which its gradient will be sent. An operand knows it: "
    "`operand.gradient_goes_to` (None if it asks for no gradient).",
    hints=[
        "The list is as long as `operands`.",
        "You need not tell leaves from results: each operand answers for itself.",
    ],
    after="That is the whole graph: nobody keeps a list of nodes.",
    first=wrong_edges,
)


piece(
    "L16.M4",
    "waits",
    "`waits(root)` says how many gradients will come to each node: a Counter from nodes to numbers, one for "
    "each edge that leads "
    "there. `node.edges` is what `edges` gave for a node: its targets, with None among them. The last program has 32 "
    "doublings: four billion paths, and 33 nodes.",
    hints=[
        "Go through the graph from the root; keep a list of nodes that are still to be looked at. Leave out None.",
        "Count at every edge, but put a node on the list only the first time you meet it.",
        "`for node in todo:` goes on while you append to `todo`.",
    ],
    after="PyTorch, too, counts before it begins.",
    first=wrong_counts,
)
piece(
    "L16.M5",
    "backward",
    "`backward(root, expected)`. Its frame is given: it takes a node that is ready, as long as there is one. You write "
    "what is done with that node. `node.run(g)` gives a list of pairs (target, gradient) to be sent on; of a leaf's "
    "AccumulateGrad, which stores the gradient in `.grad`, the list is empty. `total` has the sum of what has arrived "
    "at each node, `arrived` has how many. A node is ready as soon as `expected[node]` have arrived.",
    hints=[
        "Run the node with its sum: `node.run(total[node])`. Go through the pairs that come out.",
        "Of each pair: add the gradient to the target's sum (`total.get(target, 0)` is 0 at first), count it in "
        "`arrived`.",
        "Then compare what has arrived with what is expected; if they are equal, append the target to `ready`.",
    ],
    after="A topological order, though nobody has sorted anything.",
    first=wrong_walk,
)


def _adds_to_what_is_there(answer: Any) -> str:
    row = np.array([1.0, 2.0])
    try:
        found = answer(row.copy(), row.copy())  # which may be written to, as PyTorch does
        adds = found is not None and bool((found == 2 * row).all())
    except ValueError:
        return "A gradient may be a row of numbers, which is neither true nor false as a whole: ask `old is None`."
    if not adds or answer(None, row) is not row:
        return "Try it by hand: `accumulate(None, 3)` should be 3, and `accumulate(2, 3)` should be 5."
    engine = assemble(accumulate=answer)
    x = engine.tensor(3.0, requires_grad=True)
    for _ in range(2):
        (x * x).backward()
    return "" if x.grad.item() == 12 else "After a second backward, on a new graph, `.grad` is not what PyTorch has."


piece(
    "L16.M6",
    "accumulate",
    "`accumulate(old, gradient)` says what stands in `.grad` when a gradient has come. `old` is None before the "
    "first one.",
    hints=["Two cases: there is something already, or there is None.", "Think of two backwards with no zero_grad."],
    after="So `.grad` is the sum of all that has come since it was last empty.",
    first=_adds_to_what_is_there,
)


@question(
    "L16.P1",
    "An engine runs a node as soon as *anything* has arrived. Each time the node sends on the sum of all that has come "
    "so far, also of what it has sent before. What does it leave in `x.grad` for `w = u * (u + x)` with `u = x * x`, "
    "at `x` = 3?",
    [
        Choice(
            "the right gradient", "the order does not matter, since all is added", "What had been sent is sent again."
        ),
        Choice("too much", "what arrived first is sent on a second time with the rest", "So a node has to wait."),
        Choice("too little", "what arrives late is lost", "It is added and sent on, together with what went before."),
    ],
)
def impatient(torch: Any) -> str:
    from autograd_lab.lessons.lesson04 import naive, small_graph

    x = leaf(torch, 3.0)
    u = x * x
    (u * (u + x)).backward()
    nodes = small_graph()
    naive(nodes[0], 1.0)
    found, right = nodes[-1].gradient, x.grad.item()
    return "too much" if found > right else "too little" if found < right else "the right gradient"


@question(
    "L16.P2",
    "Your engine knows sum, difference, product, matrix product and tanh. You need the value and the gradient of x³, "
    "written in any way you like. What must be added to the engine?",
    [
        Choice(
            "a new walk for backward",
            "each operation has a backward pass of its own",
            "`x * x * x` leaves a graph like any other, and backward goes through it like any other.",
        ),
        Choice(
            "nothing",
            "operations that it has can be joined",
            "`x * x * x` is two products.",
        ),
        Choice(
            "a formula for its derivative",
            "without it nothing can be differentiated",
            "x³ is `x * x * x`: two products, and what they send comes to 3x². A formula of its own would only save a "
            "little time.",
        ),
    ],
)
def cube(torch: Any) -> str:
    x = assemble().tensor(2.0, requires_grad=True)
    (x * x * x).backward()
    y = leaf(torch, 2.0)
    (y**3).backward()
    return "nothing" if x.grad.item() == y.grad.item() else "a formula for its derivative"


@question(
    "L16.P3",
    "Exit ticket, with lesson 7. In your engine a node lets go of what it saved when it has run. For `y = x + x` you "
    "call `y.backward()` twice. What happens the second time?",
    [
        Choice("an error", "after one pass the graph is gone", "A sum saves nothing, so nothing is missing."),
        Choice("`x.grad` grows", "only saved values are freed, and a sum has none", "The second pass adds to `.grad`."),
        Choice(
            "`x.grad` stays as it is",
            "a graph that has been used sends nothing more",
            "Its nodes and edges are all there, so the same gradients are sent again.",
        ),
    ],
)
def sum_twice(torch: Any) -> str:
    try:
        for engine in (assemble(), torch):
            x = leaf(engine, 2.0)
            y = x + x
            y.backward()
            once = x.grad.item()
            y.backward()
    except RuntimeError:
        return "an error"
    return "`x.grad` grows" if x.grad.item() > once else "`x.grad` stays as it is"


@question(
    "L16.P4",
    "Exit ticket. By a slip, `waits` says 3 for a node to which 2 gradients come. Every path to `x` leads through that "
    "node. What becomes of `x.grad`?",
    [
        Choice(
            "it stays None",
            "the node waits for a gradient that never comes",
            "Nothing is ready any more, so the loop ends. No error tells of it.",
        ),
        Choice(
            "it gets too large",
            "what is counted too often is added too often",
            "A count adds nothing. It says how long a node waits.",
        ),
        Choice(
            "it is right all the same",
            "in the end the node runs with what it has",
            "Only a gradient that arrives makes a node ready, and the third never does.",
        ),
    ],
)
def counted_too_often(torch: Any) -> str:
    from autograd_lab.lessons.own_engine import waits

    def three_for_two(root: Any) -> Any:
        return Counter({node: 3 if number == 2 else number for node, number in waits(root).items()})

    found, right = (_through_one_node(engine) for engine in (assemble(waits=three_for_two), torch))
    if found is None:
        return "it stays None"
    return "it is right all the same" if found.item() == right.item() else "it gets too large"


def _through_one_node(engine: Any) -> Any:
    """The gradient of `x`, to which all paths lead through `u`, which is used twice."""
    x = leaf(engine, 2.0)
    u = x.tanh()
    (u * u).backward()
    return x.grad


@question(
    "L16.P6",
    "Your training loop makes new leaves in every turn. Say it made them once, before the loop, and each turn wrote "
    "the new numbers into them. What would be in a leaf's `.grad` after turn 3?",
    [
        Choice(
            "the gradient of turn 3",
            "each backward begins with an empty `.grad`",
            "`accumulate` adds to what is there. New leaves have nothing there: that is why the loop makes them.",
        ),
        Choice(
            "the sum of three gradients",
            "`accumulate` adds, and nobody empties `.grad`",
            "So one makes new leaves, or empties `.grad` in every turn.",
        ),
        Choice(
            "None",
            "the graph of turn 3 does not know a leaf of turn 1",
            "An edge leads to the node of that same leaf. It does not matter when the leaf was made.",
        ),
    ],
)
def leaves_made_once(torch: Any) -> str:
    x = leaf(assemble(), 1.0)
    for number in (1.0, 2.0, 3.0):
        x.numpy()[...] = number
        (x * x).backward()
    if x.grad is None:
        return "None"
    return "the gradient of turn 3" if x.grad.item() == 2 * 3.0 else "the sum of three gradients"


@question(
    "L16.P5",
    "Several nodes are ready. Say your loop takes the last in its list, and PyTorch the one that was made last. What "
    "does that do to the gradients?",
    [
        Choice(
            "they may lack a part",
            "there is one right order",
            "Nodes that are ready do not depend on each other: any of them may be next.",
        ),
        Choice(
            "they may come twice",
            "who comes early sends again later",
            "Whatever the order, each node runs once, when all has arrived.",
        ),
        Choice(
            "a last digit may change, no more",
            "in every order in which nodes wait for all gradients the same numbers are added",
            "A sum that is rounded can depend on the order in which it is added up.",
        ),
    ],
)
def any_legal_order(torch: Any) -> str:
    def first_come(root: Any, expected: Any) -> None:
        ready, arrived, total = [root], Counter[Any](), {root: root.one}
        while ready:
            node = ready.pop(0)
            for target, gradient in node.run(total[node]):
                total[target] = total.get(target, 0) + gradient
                arrived[target] += 1
                ready += [target] if arrived[target] == expected[target] else []

    return "they may lack a part" if differs("backward", first_come) else "a last digit may change, no more"


def weights(hidden: int = 8) -> list[Any]:
    """What a small network begins with: numbers without chance, so that everybody sees the same."""
    wave = np.sin(np.arange(1, 4 * hidden + 1) * 1.7)
    first, bias, second = wave[: 2 * hidden], wave[2 * hidden : 3 * hidden], wave[3 * hidden :]
    return [first.reshape(2, hidden) * 1.5, bias, second.reshape(hidden, 1)]


def right_ones(*pieces: Any) -> dict[str, Any]:
    """Those of a learner's pieces that agree with PyTorch, by their names."""
    found = {}
    for each in pieces:
        if verdict(_exercise_of(each.__name__), each).right:
            found[each.__name__] = each
    return found


def _exercise_of(name: str) -> Exercise:
    return next(
        it for it in tasks_of("lesson16").values() if isinstance(it, Exercise) and it.text.startswith(f"`{name}(")
    )
