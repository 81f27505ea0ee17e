"""Lesson 10, Dynamic graphs: the graph is what has run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.graphs import same_shape, shape_of
from autograd_lab.lessons.moments import leaf
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.world import world_of


def doubled_or_squared(x: Any) -> Any:
    """`2x` where the entries of x add up to more than 0, `x²` elsewhere."""
    return x * 2 if x.sum() > 0 else x * x


@question(
    "L10.P1",
    "`f(x)` returns `x * 2` if `x.sum() > 0`, and `x * x` otherwise. Which root do the graphs of f([1, 2]) and "
    "f([-1, -2]) have?",
    [
        Choice(
            "both MulBackward0, but with other edges",
            "only the branch that ran is recorded, and both branches multiply",
            "The first one leads to `x` once, and to None for the 2. The second one leads to `x` twice.",
        ),
        Choice(
            "both an IfBackward0",
            "the graph holds both branches and a switch",
            "`if` is Python's. Autograd sees operations on tensors, and nothing of what was not run.",
        ),
        Choice(
            "MulBackward0 and PowBackward0",
            "autograd knows that x * x is a square",
            "It records what was called, and that was a product.",
        ),
    ],
)
def roots_of_both_branches(torch: Any) -> str:
    made = [doubled_or_squared(torch.tensor(v, requires_grad=True)) for v in ([1.0, 2.0], [-1.0, -2.0])]
    names = {each.grad_fn.name() for each in made}
    differ = not same_shape(*(shape_of(each) for each in made))
    return "both MulBackward0, but with other edges" if names == {"MulBackward0"} and differ else str(names)


@question(
    "L10.P2",
    "`y = x`, then five times `y = y * 2`, with `x` = 1. What is `x.grad` after `y.backward()`?",
    [
        Choice("2", "a loop is one operation", "It ran five times, and left five products in the graph."),
        Choice(
            "5", "the turns of a loop add up", "They lie in a row, not side by side: along one path one multiplies."
        ),
        Choice("10", "each of five turns brings 2", "In a row one multiplies: 2 · 2 · 2 · 2 · 2."),
        Choice("32", "five products in a row, each with the slope 2", "2 to the power of 5. The loop itself is gone."),
    ],
)
def five_doublings(torch: Any) -> float:
    x = y = leaf(torch, 1.0)
    for _ in range(5):
        y = y * 2
    y.backward()
    return float(x.grad.item())


@question(
    "L10.P3",
    "In that `f`, what does the condition `x.sum() > 0` leave in the graph behind the result?",
    [
        Choice(
            "nothing",
            "the result was not computed from the condition, it only depends on which line ran",
            "The sum did get a node of its own. No path leads from the result to it.",
        ),
        Choice(
            "a SumBackward0",
            "whatever is computed on the way belongs to the graph",
            "To the graph of a result belongs what its value was computed from.",
        ),
        Choice("a GtBackward0", "comparing has a derivative as well", "It jumps from False to True: no slope there."),
    ],
)
def trace_of_the_condition(torch: Any) -> str:
    shape = shape_of(doubled_or_squared(torch.tensor([1.0, 2.0], requires_grad=True)))
    left = [name for name in shape.names if name not in ("MulBackward0", "AccumulateGrad")]
    return f"a {left[0]}" if left else "nothing"


def grown(x: Any) -> Any:
    """`x` times itself until 50 is reached."""
    y = x
    while y.item() < 50:
        y = y * x
    return y


@question(
    "L10.P4",
    "`y = x`, then `while y.item() < 50: y = y * x`, with `x` = 3. What is `x.grad` after `y.backward()`?",
    [
        Choice("an error", "a loop whose end is not known cannot be differentiated", "By then it has ended."),
        Choice("1", "`.item()` cuts `y` off, so only `y = x` counts", "It reads a number. `y` itself stays as it is."),
        Choice("81", "the gradient is the value", "81 is `y`."),
        Choice("108", "for this `x`, `y` is x⁴, whose slope is 4x³", "Three turns ran. Another `x` may take more."),
    ],
)
def slope_of_a_while_loop(torch: Any) -> str:
    x = leaf(torch, 3.0)
    try:
        grown(x).backward()
    except RuntimeError:
        return "an error"
    return f"{x.grad.item():g}"


@question(
    "L10.P5",
    "`y = x`, then `while y.item() < 20: y = y * x`, with `x` = 3. What is `x.grad` after `y.backward()`?",
    [
        Choice(
            "27",
            "the slope is that of the cube, for two products have run",
            "3 · 3 · 3 = 27 is enough; 3x² is 27, too.",
        ),
        Choice(
            "108", "the graph of the earlier run is used again", "Each run records anew. Two products now, not three."
        ),
        Choice("6", "the loop stops at 9", "9 is less than 20, so there is one product more."),
        Choice("0", "the condition has no slope", "The condition is not in the graph; what ran is."),
    ],
)
def a_loop_that_stops_sooner(torch: Any) -> float:
    x = leaf(torch, 3.0)
    y = x
    while y.item() < 20:
        y = y * x
    y.backward()
    return float(x.grad.item())


def power_by_hand(x: Any, n: int) -> Any:
    """`x` to the power of `n`, by recursion."""
    return x if n == 1 else x * power_by_hand(x, n - 1)


@question(
    "L10.P6",
    "Exit ticket. `def power(x, n): return x if n == 1 else x * power(x, n - 1)`. How many nodes are in the graph of "
    "`power(x, 4)`, AccumulateGrad included?",
    [
        Choice("1", "a function is a node", "Functions leave nothing, only the operations that run in them."),
        Choice("4", "three products, and the leaf", "The last call returns `x` itself, which makes no node."),
        Choice("5", "each of four calls makes a node", "The last one returns `x` as it is."),
    ],
)
def nodes_of_a_recursion(torch: Any) -> int:
    return len(shape_of(power_by_hand(leaf(torch, 2.0), 4)).nodes)


@question(
    "L10.P7",
    "Exit ticket, from lesson 8. `if x.item() > 0: y = x * 2`, with `x` = 3, then `y.backward()`. What is `x.grad`?",
    [
        Choice("None", "`.item()` takes `x` out of the graph", "It gives a number and leaves `x` alone."),
        Choice("2", "what `.item()` gave was used for the question only", "`y` was computed from `x` itself."),
        Choice(
            "an error",
            "after `.item()` backward is not possible",
            "What `.item()` gave has none, being a plain number. `y` is another matter.",
        ),
    ],
)
def item_in_a_condition(torch: Any) -> str:
    x = leaf(torch, 3.0)
    y = x * 2 if x.item() > 0 else x
    y.backward()
    return "None" if x.grad is None else f"{x.grad.item():g}"


def _rows(x: Any) -> Any:
    total = x[0] * 0
    for row in x:
        total = total + row * row
    return total.sum()


def _until_large(x: Any) -> Any:
    y = x.sum()
    while y.item() < 100:
        y = y * 2
    return y


def _five_times(x: Any) -> Any:
    for _ in range(5):
        x = x * 2
    return x.sum()


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "line": lambda x: (x * 2 + 1).sum(),
    "relu": lambda x: x.relu().sum(),
    "rows": _rows,
    "five": _five_times,
    "while": _until_large,
    "if": doubled_or_squared,
}


def dependence(torch: Any) -> dict[str, str]:
    """For each program what its graph depends on, found by running it for several inputs."""
    inputs = [[1.0, 2.0, 4.0], [-1.0, 9.0, 12.0], [-3.0, -2.0, 8.0], [40.0, 50.0, 60.0], [-9.0, 2.0, -1.0]]
    found = {}
    for name, program in PROGRAMS.items():
        usable = [each for each in inputs if sum(each) > 0 or name != "while"]  # a negative sum never grows to 100
        shapes = [shape_of(program(torch.tensor(each, requires_grad=True))) for each in usable]
        longer = shape_of(program(torch.tensor([*usable[0], 0.0], requires_grad=True)))
        if not all(same_shape(shapes[0], each) for each in shapes):
            found[name] = "values"
        else:
            found[name] = "nothing" if same_shape(shapes[0], longer) else "shape"
    return found


fill(
    "L10.F1",
    "Six programs. Does the graph depend on the values of x, only on its shape, or on nothing? Answer 'values', "
    "'shape' or 'nothing'.",
    dependence,
    mistakes=[
        Mistake(
            {"relu": "values"},
            "a ReLU has two branches in the graph",
            "What comes out depends on the values. The graph is one ReluBackward0, whatever they are.",
        ),
        Mistake({"five": "values"}, "every loop depends on data", "This one always takes five turns."),
        Mistake({"rows": "nothing"}, "a for loop is always the same", "It takes as many turns as x has rows."),
        Mistake(
            {"rows": "values"}, "every loop depends on values", "It asks how many rows there are, not what they are."
        ),
        Mistake({"while": "shape"}, "a loop depends on how long x is", "It asks for a value in each turn."),
        Mistake({"while": "nothing"}, "the same lines leave the same graph", "How many turns do they take?"),
        Mistake({"if": "nothing"}, "the graph holds both branches", "It holds what ran, and that is one of them."),
        Mistake({"if": "shape"}, "a sum over x asks how long x is", "It asks what the entries add up to."),
        Mistake({"five": "shape"}, "every loop goes over x", "This one counts to five, whatever x is."),
        *(
            Mistake({each: "shape"}, "each entry of x has a node of its own", "One node does the whole tensor.")
            for each in ("line", "relu")
        ),
        Mistake({"line": "values"}, "other values make other nodes", "The same operations run for all values."),
    ],
    hints=[
        "Look for questions that Python asks: if, while, for.",
        "What does each question look at: numbers in x, its shape, or neither?",
        "Two programs ask nothing at all; one asks something that has always the same answer.",
    ],
    after="Where it is 'values', a plan that is made beforehand has to keep a question in it.",
)


@exercise(
    "L10.M1",
    "Write `halved(x)`: multiply `x` by 0.5 until it is at most 1. The graph should have as many products as it takes, "
    "and no other operation.",
    hints=[
        "How often is not known beforehand: a while loop, or a recursion.",
        "The question needs a number, the product a tensor: ask `.item()`, multiply the tensor itself.",
        "while x.item() > 1: the rest is one line.",
    ],
    after="For an x of at most 1 there was no operation, so you returned the leaf itself.",
)
def as_deep_as_needed(halved: Any) -> str:
    if not callable(halved):
        return "The answer should be a function of x."
    torch = world_of(halved)
    for value, turns in ((3.0, 2), (0.5, 0), (1.0, 0), (100.0, 7)):
        x = leaf(torch, value)
        try:
            made = halved(x)
        except Exception as error:
            return f"For {value:g} it stops: {type(error).__name__}: {first_line(error)}"
        if not torch.is_tensor(made) or abs(made.item() - value * 0.5**turns) > 1e-6:
            return f"For {value:g} it does not give the first result that is at most 1."
        if turns == 0:
            if made is not x:
                return f"For {value:g} there is nothing to do, and yet it does not return x itself."
        elif made.grad_fn is None:
            return f"For {value:g} no path leads from the result to x."
        elif shape_of(made).names != ["MulBackward0"] * turns + ["AccumulateGrad"]:
            return f"For {value:g} the graph is not {turns} products in a row."
    return ""


@exercise(
    "L10.B1",
    "Write `power(x, n)` by recursion, for whole n from 1, with few products: x¹⁶ takes four, since 16 is twice 8, "
    "which is twice 4 ... At most 2 log₂ n products, and nothing but products.",
    hints=[
        "What helps if n is even? And if it is odd?",
        "Compute the power of n // 2 once, give it a name, and use it twice.",
        "For odd n: x times the power of n - 1, which is even.",
    ],
    after="The tensor with a name is used twice: so paths fan out (lesson 4), and the graph stays small.",
)
def a_power_with_few_products(power: Any) -> str:
    if not callable(power):
        return "The answer should be a function of x and n."
    torch = world_of(power)
    for n in (1, 2, 3, 7, 13, 16):
        x = torch.tensor(1.25, requires_grad=True, dtype=torch.float64)
        try:
            made = power(x, n)
        except (Exception, RecursionError) as error:
            return f"For n = {n} it stops: {type(error).__name__}: {first_line(error)}"
        if not torch.is_tensor(made) or abs(made.item() - 1.25**n) > 1e-9:
            return f"For n = {n} the value is not that power."
        if n == 1:
            continue
        if made.grad_fn is None:
            return f"For n = {n} no path leads from the result to x."
        kinds = shape_of(made).counts()
        if others := kinds.keys() - {"MulBackward0", "AccumulateGrad"}:
            return f"There is a {min(others)} in its graph; products alone were asked for."
        if 2 ** kinds["MulBackward0"] > n * n:
            return f"For n = {n} it takes {kinds['MulBackward0']} products."
        made.backward()
        if abs(x.grad.item() - n * 1.25 ** (n - 1)) > 1e-9:
            return f"For n = {n} backward does not give the slope of that power."
    return ""
