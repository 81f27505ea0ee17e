"""Lesson 5, Leaves and .grad: who keeps a gradient, how it piles up, and what empties it."""

from __future__ import annotations

from typing import Any

from autograd_lab.events import BackwardStarted
from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.moments import after, after_forward, leaf
from autograd_lab.lessons.picking import pick, tensor_named
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.world import world_of
from autograd_lab.trace import Trace


@question(
    "L5.P1",
    "`x` is a leaf that requires grad. Twice in a row: `y = x * x` is computed anew at `x` = 2, and `y.backward()` "
    "runs. What is `x.grad` at the end?",
    [
        Choice(
            "4", "each backward replaces what `.grad` held", "It adds to it. Nobody has emptied the drawer in between."
        ),
        Choice("8", "each backward adds to what is there", "4 and 4. To begin anew one has to empty it oneself."),
        Choice("16", "gradients of two runs are multiplied", "Two runs are like two paths: they add."),
        Choice("None", "backward empties `.grad` again", "Backward fills `.grad` and never empties it."),
    ],
    at=after(BackwardStarted, 2),
)
def two_backwards(torch: Any) -> float:
    x = leaf(torch, 2.0)
    for _ in range(2):
        (x * x).backward()
    return float(x.grad.item())


@question(
    "L5.P2",
    "`x` is a leaf that requires grad, `y = x * x`, `z = y * 3`, and `z.backward()` has run. What is `y.grad`?",
    [
        Choice(
            "None",
            "a gradient passes through an intermediate tensor and is kept at leaves only",
            "3 did arrive at `y`. The node of `y` used it, sent on what follows from it, and nobody kept it.",
        ),
        Choice(
            "tensor(0.)",
            "a gradient that is not kept is 0",
            "0 would say that `z` does not depend on `y`. None says that nobody kept it.",
        ),
        Choice(
            "tensor(3.)",
            "every tensor on the way keeps its gradient",
            "3 is what came by. To keep it, call `y.retain_grad()` before backward.",
        ),
        Choice(
            "tensor(12.)",
            "what is stored at `y` is the gradient of the leaf",
            "12 is `x.grad`, stored at `x`.",
        ),
    ],
    drawn="""
x = torch.tensor(2.0, requires_grad=True)
y = x * x
z = y * 3
z.backward()
""",
)
def grad_of_an_intermediate(torch: Any) -> str:
    import warnings

    y = leaf(torch, 2.0) ** 2
    (y * 3).backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns whoever asks
        return str(y.grad)


@question(
    "L5.P3",
    "An optimizer holds `w`, and `w.grad` is 4. You have seen two ways to empty a drawer: `w.grad.zero_()` and "
    "`w.grad = None`. Which does `optimizer.zero_grad()` take: what is `w.grad` after it?",
    [
        Choice(
            "None",
            "the drawer is taken away, and the next backward puts a new one there",
            "That has been so since PyTorch 2.0. `zero_grad(set_to_none=False)` fills it with 0 instead.",
        ),
        Choice("tensor(0.)", "zero_grad writes zeros", "It did, long ago. Now it takes the tensor away."),
        Choice("tensor(4.)", "zero_grad takes effect at the next backward", "It takes effect at once."),
    ],
)
def after_zero_grad(torch: Any) -> str:
    w = leaf(torch, 2.0)
    optimizer = torch.optim.SGD([w], lr=0.1)
    (w * w).backward()
    optimizer.zero_grad()
    return str(w.grad)


@question(
    "L5.P4",
    "`d = b * 2`, and `b` asks for no gradient. What is `d.is_leaf`?",
    [
        Choice(
            "True",
            "whatever no recorded operation made is a leaf",
            "No input asks for a gradient, so the product was not recorded. `d` gets no `.grad`, for it asks for none.",
        ),
        Choice(
            "False",
            "whatever an operation made is no leaf",
            "Only what a *recorded* operation made is none. No input asks for a gradient, so nothing was recorded.",
        ),
        Choice(
            "None",
            "only a tensor that asks for a gradient can be a leaf or not",
            "`is_leaf` is True or False for each tensor: it says how the tensor came about. Whether it asks for a "
            "gradient is another matter, which `requires_grad` says.",
        ),
    ],
)
def a_result_that_is_a_leaf(torch: Any) -> str:
    d = torch.tensor([3.0, 4.0]) * 2
    return str(d.is_leaf)


@question(
    "L5.P5",
    "`w` is a leaf that requires grad. After `w = w - 0.1 * w.grad`, what is `w.is_leaf`?",
    [
        Choice(
            "True",
            "a name keeps what it once stood for",
            "The name `w` now stands for another tensor: the result of a subtraction, which was recorded.",
        ),
        Choice(
            "False",
            "the name now stands for the result of a recorded operation",
            "Its `.grad` will stay None, so the next such update stops with an error. `with torch.no_grad(): w -= …` "
            "writes into the leaf itself.",
        ),
    ],
)
def an_update_that_loses_the_leaf(torch: Any) -> str:
    w = leaf(torch, 2.0)
    (w * w).backward()
    w = w - 0.1 * w.grad
    return str(w.is_leaf)


@question(
    "L5.P6",
    "Exit ticket. `x` = 2 is a leaf, `y = x * x`, `z = y * 3`, and `z.backward()` has run. Only now somebody calls "
    "`y.retain_grad()`. What is `y.grad`?",
    [
        Choice(
            "tensor(3.)",
            "a gradient that went through can still be fetched",
            "It went through `y` in backward, and nobody kept it. It would have to be asked for before.",
        ),
        Choice("None", "retain_grad is a wish for gradients that are still to come", "What has gone by is gone."),
        Choice(
            "an error",
            "after backward nothing can be asked of a graph",
            "`y` and its node are there. What backward freed are saved values.",
        ),
    ],
)
def retain_grad_after_backward(torch: Any) -> str:
    x = leaf(torch, 2.0)
    y = x * x
    (y * 3).backward()
    try:
        y.retain_grad()
    except RuntimeError:
        return "an error"
    return str(y.grad)


@question(
    "L5.P7",
    "Exit ticket, from lesson 4. `y = x * x * x` at `x` = 2, as Python multiplies it: `(x * x) * x`. How many "
    "gradients arrive at `x`?",
    [
        Choice("1", "one tensor gets one gradient", "Each use of `x` is an edge, and each edge brings one."),
        Choice("2", "there are two products, so two gradients", "The inner product uses `x` twice."),
        Choice("3", "each use is an edge, and each edge brings a gradient", "4, 4 and 4: together 12, which is 3x²."),
    ],
    drawn="""
x = torch.tensor(2.0, requires_grad=True)
y = x * x * x
y.backward()
""",
)
def arrivals_of_the_cube(torch: Any) -> int:
    from autograd_lab.lessons.graphs import shape_of

    x = leaf(torch, 2.0)
    return shape_of(x * x * x).paths()


def eight(torch: Any) -> dict[str, Any]:
    """Eight tensors, some of them leaves."""
    a = torch.tensor(1.0, requires_grad=True)
    b = torch.tensor(2.0)
    made = {"a": a, "b": b, "c": a * 2, "d": b * 2, "e": a.double(), "f": a.detach()}
    with torch.no_grad():
        made["g"] = a * 3
    made["h"] = torch.nn.Parameter(torch.zeros(2))
    return made


fill(
    "L5.F1",
    "Eight tensors: for each, is it a leaf? Answer True or False.",
    lambda torch: {name: each.is_leaf for name, each in eight(torch).items()},
    mistakes=[
        Mistake(
            {"d": False},
            "whatever an operation made is no leaf",
            "Only what a *recorded* operation made is none. b asks for no gradient, so `b * 2` was not recorded.",
        ),
        Mistake(
            {"b": False}, "only what asks for a gradient is a leaf", "Nothing recorded made b: that is all it takes."
        ),
        Mistake(
            {"e": True},
            "the same number in 64 bits is still a leaf",
            "`.double()` is an operation, and it was recorded.",
        ),
        Mistake(
            {"f": False}, "detach leaves the tensor in the graph", "It gives a tensor that nothing recorded has made."
        ),
        Mistake({"g": False}, "whatever is computed from a is no leaf", "Under no_grad nothing was recorded."),
        Mistake(
            {"h": False}, "a Parameter is no plain tensor, so it is no leaf", "Nothing recorded made it; it is a leaf."
        ),
        Mistake({"c": True}, "what is computed from a leaf is a leaf", "a requires grad, so `a * 2` was recorded."),
        Mistake(
            {"a": False},
            "what asks for a gradient stands inside the graph",
            "It stands where the graph begins: nothing recorded made it.",
        ),
    ],
    hints=[
        "Ask of each: was it made by an operation that was recorded?",
        "An operation is recorded if one of its inputs requires grad and recording is on.",
        "Two of the eight were made by a recorded operation.",
    ],
    after="What makes a leaf is where it comes from. Whether it gets a .grad is said by requires_grad.",
)

fill(
    "L5.F2",
    "Now x is 5. Three times: y = x * x, y.backward(). The third time x.grad was set to None right before backward. "
    "What is x.grad after each of the three?",
    lambda torch: _three_rounds(torch),
    mistakes=[
        Mistake([10, 10, 10], "each backward begins with an empty drawer", "Nobody emptied it before the second."),
        Mistake([10, 20, 30], "setting `.grad` to None changes nothing", "It takes away what was there."),
        Mistake([10, 20, 0], "setting `.grad` to None comes after backward", "It came before, and backward filled it."),
    ],
    hints=["Each backward brings 2x.", "It is added to what is there; None counts as nothing there."],
)


def _three_rounds(torch: Any) -> list[float]:
    x, found = leaf(torch, 5.0), []
    for turn in range(3):
        y = x * x
        if turn == 2:
            x.grad = None
        y.backward()
        found.append(x.grad.item())
    return found


def kept() -> Trace:
    """A run of `z = 3 x²` in which the gradient of the square will be kept, before backward: nothing tells by whom."""
    from autograd_lab.lessons.moments import program

    run = program(
        "x = torch.tensor(2.0, requires_grad=True)\nk = torch.tensor(3.0)\ny = x * x\ny.retain_grad()\nz = y * "
        "k\nz.backward()\n"
    )
    return Trace(run.events[: after_forward(run)], run.files, run.engine)


def _tensors_with_gradients(names: list[str], trace: Trace) -> str:
    wanted = {"x", "y"}
    given = {tensor_named(name) for name in names}
    if "k" in given:
        return "k does not ask for a gradient."
    if "z" in given:
        return "The seed enters at z, but nobody asked to keep it there."
    if given - wanted:
        return "Not all of these will have a `.grad`."
    return "" if given == wanted else f"{len(wanted - given)} more: who keeps what comes by?"


pick(
    "L5.T1",
    "`z.backward()` comes next. Click every tensor that will have a `.grad` after it.",
    kept,
    _tensors_with_gradients,
    hints=[
        "A leaf that requires grad keeps what arrives.",
        "An intermediate tensor keeps it if `retain_grad` was called on it before backward.",
    ],
    after="12 in `x.grad`, 3 in `y.grad`; the 1 of `z` is dropped.",
)


@exercise(
    "L5.D1",
    "Mend `train(w, xs, ys)`, which fits a line through the origin. It takes one step for each pair: from `w` it takes "
    "0.05 times the slope of the pair's loss. It should return the losses.",
    hints=[
        "Print w.grad in each turn. Does it fit the loss of that turn?",
        "Something that backward never does has to be done once in every turn.",
        "Empty w.grad before backward, or after the update: w.grad = None.",
    ],
    after="An optimizer's zero_grad() does just this, for all its weights.",
)
def a_loop_that_forgets(train: Any) -> str:
    if not callable(train):
        return "The answer should be a function of w, xs and ys."
    torch = world_of(train)
    xs, ys = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0], [2.0, 4.0, 6.0, 2.0, 4.0, 6.0]
    w = leaf(torch, 0.0)
    try:
        losses = [float(loss) for loss in train(w, xs, ys)]
    except Exception as error:
        return f"It stops: {type(error).__name__}: {first_line(error)}"
    wanted = _losses_of_plain_descent(xs, ys)
    if len(losses) != len(wanted):
        return f"It should return {len(wanted)} losses, one for each pair; it returns {len(losses)}."
    for turn, (mine, right) in enumerate(zip(losses, wanted, strict=True), 1):
        if abs(mine - right) > 1e-4 * max(1.0, right):
            return (
                f"In turn {turn} the loss is {mine:.4g}: by calculus, w would be another by then. What did the step "
                "before take from it: the slope of one loss, or more than that?"
            )
    return "" if w.is_leaf else "w should still be the leaf it was."


RATE = 0.05


def _losses_of_plain_descent(xs: list[float], ys: list[float]) -> list[float]:
    """Losses of gradient descent on `(w x - y)²`, with the derivative taken by hand: `2 x (w x - y)`."""
    w, losses = 0.0, []
    for x, y in zip(xs, ys, strict=True):
        losses.append((w * x - y) ** 2)
        w -= RATE * 2 * x * (w * x - y)
    return losses
