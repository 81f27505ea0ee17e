"""Lesson 13, Higher order: backward that records itself, curvature, and its product with a direction."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from autograd_lab.events import BackwardStarted
from autograd_lab.lessons.building import agrees_with_differences, debug, runs
from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.moments import before, leaf
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.world import world_of
from autograd_lab.recording.iterations.record import record


@question(
    "L13.P1",
    "`y = x ** 3`, and `g, = torch.autograd.grad(y, x, retain_graph=True)`. What is `g.requires_grad`?",
    [
        Choice(
            "False",
            "retain_graph keeps what the old nodes saved, and records nothing new",
            "`g` is plain data to autograd: nothing says how it was computed.",
        ),
        Choice(
            "True",
            "with the graph retained, the gradient belongs to it",
            "The graph of `y` is still there, but `g` was computed beside it, unrecorded. That takes "
            "`create_graph=True`.",
        ),
    ],
)
def gradient_with_the_graph_retained(torch: Any) -> str:
    x = leaf(torch, 2.0)
    (g,) = torch.autograd.grad(x**3, x, retain_graph=True)
    return str(g.requires_grad)


@question(
    "L13.P2",
    "`y = x ** 3` at `x` = 2, and the first derivative was taken with `create_graph=True`. What does the second "
    "backward give?",
    [
        Choice(
            "6",
            "the second derivative of a cube is the number 6",
            "It is 6x, and `x` is 2. The third derivative is 6.",
        ),
        Choice(
            "8", "the second backward repeats the first on the value", "8 is the value. The slope of 3x² is asked for."
        ),
        Choice(
            "12", "the slope of 3x² is 6x", "By chance the first derivative is 12 at 2 as well: 3x² and 6x meet there."
        ),
        Choice(
            "144", "both derivatives are multiplied", "The second one is the derivative *of the first*, not a factor."
        ),
    ],
    at=before(BackwardStarted, 2),
)
def second_derivative_of_the_cube(torch: Any) -> float:
    x = leaf(torch, 2.0)
    (g,) = torch.autograd.grad(x**3, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x)
    return float(h.item())


@question(
    "L13.P3",
    "`y = x * x`. The first derivative `g` and the second one `h` were both taken with `create_graph=True`. What "
    "happens if one asks for the third?",
    [
        Choice(
            "it is 0",
            "autograd knows that a constant has the derivative 0",
            "`h` is 2, computed from two ones of the seed: no path leads from it to `x`. Where there is no path, there "
            "is an error, not a 0.",
        ),
        Choice(
            "an error",
            "no path leads from the second derivative to x any more",
            "1 + 1 needs no `x`. So `h` does not require grad, and PyTorch says just that.",
        ),
        Choice("it is 2", "a derivative of a constant is the constant", "The slope of a constant is 0."),
    ],
)
def third_derivative_of_the_square(torch: Any) -> str:
    x = leaf(torch, 2.0)
    (g,) = torch.autograd.grad(x * x, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x, create_graph=True)
    try:
        (k,) = torch.autograd.grad(h, x)
    except RuntimeError:
        return "an error"
    return f"it is {k.item():g}"


@question(
    "L13.P4",
    "`f` has a million inputs and one output. You want its Hessian (all second derivatives) times one direction `v`. "
    "How many backward passes does it take, without forward mode?",
    [
        Choice(
            "2",
            "one for the gradient, one for the gradient of (gradient · v)",
            "The Hessian itself, a million by a million numbers, is never there.",
        ),
        Choice(
            "1000001",
            "one has to build the Hessian first, row by row",
            "For the whole Hessian that is so. Its product with one direction is the slope of one number.",
        ),
        Choice("1", "one backward gives everything", "It gives the gradient. Its slope along `v` takes another."),
    ],
)
def passes_of_a_product(torch: Any) -> int:
    def product() -> None:
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        torch.autograd.grad((g * torch.tensor([1.0, 0.0, 2.0])).sum(), x)

    return _counted(product)[1]


@question(
    "L13.P5",
    "Exit ticket. Which of these uses of `retain_graph=True` does *not* do what its author hopes?",
    [
        Choice(
            "to run backward twice from one result with different seeds",
            "the nodes' saved values are freed anyway",
            "It works: the second pass finds what the nodes saved.",
        ),
        Choice(
            "to take a derivative of a gradient",
            "what is kept is the old graph; the gradient has none of its own",
            "That takes `create_graph=True`, which keeps the old graph too.",
        ),
        Choice(
            "to run backward from two losses that share a part",
            "each loss needs a graph of its own",
            "It works, although one backward from their sum is simpler.",
        ),
    ],
)
def a_use_that_fails(torch: Any) -> str:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x

    def seeds() -> None:
        y.backward(torch.ones(2), retain_graph=True)
        y.backward(torch.zeros(2), retain_graph=True)

    def losses() -> None:
        y.sum().backward(retain_graph=True)
        (3 * y).sum().backward(retain_graph=True)

    def slope() -> None:
        (g,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
        torch.autograd.grad(g.sum(), x)

    uses = {
        "to run backward twice from one result with different seeds": seeds,
        "to run backward from two losses that share a part": losses,
        "to take a derivative of a gradient": slope,
    }
    return next(name for name, use in uses.items() if not _runs(use))


def _runs(use: Callable[[], None]) -> bool:
    try:
        use()
    except RuntimeError:
        return False
    return True


@question(
    "L13.P6",
    "Exit ticket, from lesson 7. `y = x + x`, then twice `y.backward()`, without `retain_graph`. What happens?",
    [
        Choice("an error", "backward throws the graph away", "Nodes stay. What is freed is what they saved."),
        Choice("it works", "a sum has saved no tensor, so nothing is missing", "`x.grad` is 4 in the end."),
        Choice(
            "nothing the second time",
            "a graph can be used once and is silent after that",
            "Where something is missing there is an error, never silence. Here nothing is missing.",
        ),
    ],
)
def a_sum_twice(torch: Any) -> str:
    x = leaf(torch, 1.0)
    y = x + x
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        return "an error"
    return "it works" if x.grad.item() == 4 else "nothing the second time"


def derivatives(torch: Any) -> dict[str, float]:
    """The first three derivatives of x⁴ at 2."""
    x = leaf(torch, 2.0)
    found, y = {}, x**4
    for name in ("first", "second", "third"):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        found[name] = y.item()
    return found


fill(
    "L13.F1",
    "Now y = x⁴ at x = 2: its first, second and third derivative.",
    derivatives,
    mistakes=[
        Mistake({"second": 12}, "the second derivative of x⁴ is 12", "It is 12x²; at 2 that is more."),
        Mistake({"first": 16}, "the first derivative is the value", "16 is 2⁴. The slope is 4x³."),
        Mistake({"third": 0}, "a third derivative is always 0", "12x² still grows with x."),
    ],
    hints=["4x³, then the slope of that, then the slope of that.", "4x³, 12x², and one more; then put 2 for x."],
)


def product_with_direction(torch: Any) -> list[float]:
    """Hessian of a²b + b³ at (1, 2), times (1, -1)."""
    a, b = leaf(torch, 1.0), leaf(torch, 2.0)
    first_a, first_b = torch.autograd.grad(a * a * b + b**3, (a, b), create_graph=True)
    return [each.item() for each in torch.autograd.grad(first_a - first_b, (a, b))]


fill(
    "L13.F2",
    "f = a²b + b³ at a = 1, b = 2. The Hessian holds the four second derivatives; multiply it by the direction (1, "
    "-1).",
    product_with_direction,
    mistakes=[
        Mistake([4, -13], "the gradient is what is multiplied", "The gradient is (4, 13). Take its slopes first."),
        Mistake([6, 14], "a direction has no signs", "The second entry of the direction is -1: subtract that column."),
        Mistake([4, -12], "only the second derivatives by one variable count", "The mixed one, 2a, counts as well."),
    ],
    hints=[
        "The gradient is (2ab, a² + 3b²). Each second derivative is a slope of one of these.",
        "The rows of the Hessian are (2b, 2a) and (2a, 6b).",
        "At (1, 2) the rows are (4, 2) and (2, 12). For each, first entry minus second.",
    ],
    after="One number, gradient · v, was all that had to be differentiated again.",
)

debug(
    "L13.D1",
    "Mend `penalty(x)`: it should be the square of the slope of sin(x)·x, and backward should reach x through it.",
    runs(1.2),
    agrees_with_differences(1.2, of=lambda x: (math.sin(x) + x * math.cos(x)) ** 2),
    hints=[
        "What is `slope.requires_grad`?",
        "The gradient was computed beside the graph. Which argument of `torch.autograd.grad` has it recorded?",
        "create_graph=True. It keeps the old graph, too, so retain_graph is not needed beside it.",
    ],
    after="Such a term keeps slopes small; it is called a gradient penalty.",
)


def _counted(work: Callable[[], Any]) -> tuple[Any, int]:
    """What some work gives, and how many backward passes it took."""
    with record() as run:
        found = work()
    return found, sum(isinstance(event, BackwardStarted) for event in run)


@exercise(
    "L13.M1",
    "Write `hvp(f, x, v)`: the Hessian of `f` at `x` times `v`, for any number of entries, by two backward passes.",
    hints=[
        "First the gradient of f(x), recorded.",
        "The gradient times v, summed up, is one number. What is its gradient?",
        "g, = torch.autograd.grad(f(x), x, create_graph=True); then torch.autograd.grad of (g * v).sum().",
    ],
    after="So curvature along a direction costs about as much as two or three gradients, however many inputs there "
    "are.",
)
def hessian_vector_product(hvp: Any) -> str:
    if not callable(hvp):
        return "The answer should be a function of f, x and v."
    torch = world_of(hvp)

    def f(x: Any) -> Any:
        return (x**3).sum() + x[0] * x[1] * x[2]

    at, v, small = [0.5, -1.0, 2.0], torch.tensor([1.0, 2.0, -1.0], dtype=torch.float64), 1e-5
    x = torch.tensor(at, requires_grad=True, dtype=torch.float64)
    try:
        found, passes = _counted(lambda: hvp(f, x, v))
    except Exception as error:
        return f"It stops: {type(error).__name__}: {first_line(error)}"
    if not torch.is_tensor(found) or tuple(found.shape) != (3,):
        return "It should return a tensor with as many entries as x."

    def gradient(step: float) -> Any:
        moved = torch.tensor(at, dtype=torch.float64) + step * v
        moved.requires_grad_()
        return torch.autograd.grad(f(moved), moved)[0]

    measured = (gradient(small) - gradient(-small)) / (2 * small)
    if not torch.allclose(found.detach(), measured, rtol=1e-4, atol=1e-4):
        return "It differs from the slope of the gradient along v, as finite differences measure it."
    return "" if passes == 2 else f"It is right, and took {passes} backward passes; two are enough."
