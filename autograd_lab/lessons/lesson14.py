"""Lesson 14, Clinic: hooks, NaN, cut graphs; eight broken programs, each with a property to restore."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.events import NodeVisited
from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.graphs import shape_of
from autograd_lab.lessons.moments import before, leaf
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.world import world_of


@question(
    "L14.P1",
    "`y = torch.where(x > 0, torch.sqrt(x), 0)` at `x` = 0: the branch with the root is not taken there. What is "
    "`x.grad`?",
    [
        Choice(
            "0",
            "a branch that is not taken sends nothing back",
            "It sends 0, and the root multiplies that by its slope at 0, which is infinite.",
        ),
        Choice(
            "nan",
            "0 comes to the root, whose slope there is infinite, and 0 · ∞ is no number",
            "Both branches are in the graph, whichever was taken.",
        ),
        Choice(
            "inf", "the slope of the root counts alone", "What arrives at the root is 0, since its value was not taken."
        ),
        Choice("None", "a value that was not taken leaves the graph", "`where` is a node with a path to either side."),
    ],
    at=before(NodeVisited, 2),
)
def the_branch_not_taken(torch: Any) -> str:
    x = leaf(torch, 0.0)
    torch.where(x > 0, torch.sqrt(x), torch.tensor(0.0)).backward()
    return f"{x.grad.item():g}"


@question(
    "L14.P2",
    "`y = x * 3`, and `y` has a hook. `z = y * y + y`. How often is the hook called in `z.backward()`?",
    [
        Choice("1", "a hook gets the sum of all that arrives", "Once, when everything for `y` is there."),
        Choice(
            "2",
            "a hook is called for each user of the tensor",
            "There are even three edges to `y`. The hook gets their sum.",
        ),
        Choice("3", "a hook is called for each edge", "What comes along the edges is added first."),
        Choice("0", "hooks are for leaves", "Any tensor that requires grad can have one."),
    ],
)
def calls_of_a_hook(torch: Any) -> int:
    calls: list[float] = []
    y = leaf(torch, 2.0) * 3
    y.register_hook(lambda gradient: calls.append(gradient.item()))
    (y * y + y).backward()
    return len(calls)


@question(
    "L14.P3",
    "A hook on `y` returns ten times what it gets. `y = x * 3` and `z = y * y`, at `x` = 2. What is `x.grad`?",
    [
        Choice("36", "a hook can only look", "What it returns takes the place of the gradient, from there on."),
        Choice(
            "360", "what a hook returns goes on in place of the gradient", "12 arrives at `y`, 120 leaves, times 3."
        ),
        Choice("396", "what a hook returns is added", "It takes the place of what was there."),
        Choice("120", "behind a hook no further slope counts", "The product with 3 still comes."),
    ],
)
def a_hook_that_returns(torch: Any) -> float:
    x = leaf(torch, 2.0)
    y = x * 3
    y.register_hook(lambda gradient: gradient * 10)
    (y * y).backward()
    return float(x.grad.item())


@question(
    "L14.P4",
    "Exit ticket. After `loss.backward()` a weight's `.grad` is None, and there was no error. Which of these can "
    "*not* be the reason?",
    [
        Choice(
            "the weight was replaced by `w = w - …`",
            "a replaced weight still gets its gradient",
            "The new `w` is no leaf: its `.grad` stays None.",
        ),
        Choice(
            "its layer was not used",
            "an unused layer gets the gradient 0",
            "No path leads to it, and nothing is stored.",
        ),
        Choice(
            "the learning rate is 0",
            "a learning rate changes the weights, not their gradients",
            "Backward knows nothing of it.",
        ),
        Choice(
            "something in between was detached",
            "gradients find their way past a detach",
            "It stops gradients: what lies behind gets none, silently if another path needs gradients.",
        ),
    ],
)
def not_a_reason(torch: Any) -> str:
    def replaced() -> Any:
        w = leaf(torch, 2.0)
        w = w - 0.1
        (w * w).backward()
        return w.is_leaf and w.grad

    def unused() -> Any:
        w, other = leaf(torch, 2.0), leaf(torch, 1.0)
        (other * 2).backward()
        return w.grad

    def no_rate() -> Any:
        w = leaf(torch, 2.0)
        optimizer = torch.optim.SGD([w], lr=0.0)
        (w * w).backward()
        optimizer.step()
        return w.grad

    def detached() -> Any:
        w, other = leaf(torch, 2.0), leaf(torch, 1.0)
        ((w * 2).detach() * other).backward()
        return w.grad

    reasons = {
        "the weight was replaced by `w = w - …`": replaced,
        "its layer was not used": unused,
        "the learning rate is 0": no_rate,
        "something in between was detached": detached,
    }
    return next(name for name, trial in reasons.items() if trial() is not None and trial() is not False)


@question(
    "L14.P5",
    "Exit ticket, from lesson 12. Which of these finds a backward that returns a wrong number?",
    [
        Choice(
            "anomaly mode",
            "it compares gradients with the truth",
            "It watches for nan, and remembers which forward line made a node.",
        ),
        Choice(
            "gradcheck", "it compares with finite differences", "So it needs no formula, only the forward function."
        ),
        Choice(
            "a look at the loss",
            "a wrong gradient makes the loss rise",
            "Often it falls all the same, only more slowly.",
        ),
    ],
)
def finder_of_wrong_numbers(torch: Any) -> str:
    class Wrong(torch.autograd.Function):  # type: ignore[misc]  # the world is chosen at run time
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return 1.9 * gradient

    x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    found = not torch.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False)
    return "gradcheck" if found else "anomaly mode"


def _seen(torch: Any) -> dict[str, float]:
    """What hooks on y and on x get, for z = y² + 2y and y = 3x at 1."""
    found: dict[str, float] = {}
    x = leaf(torch, 1.0)
    y = x * 3
    y.register_hook(lambda gradient: found.update(y=gradient.item()))
    x.register_hook(lambda gradient: found.update(x=gradient.item()))
    (y * y + 2 * y).backward()
    return found


fill(
    "L14.F1",
    "Now x = 1, y = 3x, z = y · y + 2y. What do a hook on y and a hook on x get to see?",
    _seen,
    mistakes=[
        Mistake({"y": 6}, "only the square sends something to y", "2y uses it as well: 6 and 2."),
        Mistake({"y": 3}, "a hook sees what comes along one edge", "Three come to y, and it gets what they add up to."),
        Mistake({"y": 5}, "y · y has one edge to y", "It has two, and each brings 3. Then 2y brings 2."),
        Mistake(
            {"x": 8}, "a gradient is the same on both sides of a product", "On its way to x it is multiplied by 3."
        ),
    ],
    hints=["The slope of y² + 2y is 2y + 2.", "y is 3. What gets to x is three times what got to y."],
)


def _trained(answer: Any, *arguments: Any) -> tuple[Any, str]:
    try:
        return answer(*arguments), ""
    except Exception as error:
        return None, f"It stops: {type(error).__name__}: {first_line(error)}"


@exercise(
    "L14.D2",
    "Patient 2, *it does not learn*. `loss_of(w, x, y)` is the squared error of `w * x`. Its value is right; w gets "
    "nothing. Mend it.",
    hints=[
        "Follow the graph from the loss: which node is the last one that you reach?",
        "`.item()` leaves the graph. So does `torch.tensor(...)` of a number.",
    ],
)
def cut_by_item(loss_of: Any) -> str:
    torch = world_of(loss_of)
    w, x, y = leaf(torch, 3.0), torch.tensor(2.0), torch.tensor(5.0)
    loss, wrong = _trained(loss_of, w, x, y)
    if wrong:
        return wrong
    if getattr(loss, "grad_fn", None) is None or shape_of(loss).paths() == 0:
        return "No path leads from the loss to w."
    loss.backward()
    return (
        ""
        if w.grad is not None and w.grad.item() == 4.0
        else f"w.grad is {w.grad}: not the slope of the squared error."
    )


@exercise(
    "L14.D3",
    "Patient 3, *second time an error*. `train(w, steps)` computes the square of w once and runs backward in "
    "each turn. Make each turn compute what it needs. It returns the gradients that it saw.",
    hints=[
        "Which values were saved, and when were they freed?",
        "The line that makes the graph belongs into the loop. And empty w.grad.",
    ],
)
def graph_outside_of_the_loop(train: Any) -> str:
    torch = world_of(train)
    found, wrong = _trained(train, leaf(torch, 2.0), 3)
    if wrong:
        return wrong
    wanted, w = [], 2.0
    for _ in range(3):
        wanted.append(2 * w)
        w -= 0.1 * 2 * w
    close = len(found) == 3 and all(abs(float(a) - b) < 1e-4 for a, b in zip(found, wanted, strict=True))
    return (
        ""
        if close
        else f"The gradients are {[round(float(each), 4) for each in found]}; those of fresh graphs are others."
    )


@exercise(
    "L14.D4",
    "Patient 4, *overwritten*. `scale_and_exp(x)` gives exp(2x) + 1. Backward complains of an operation in place. Same "
    "value, working backward, and x itself untouched.",
    hints=[
        "exp saves its result. What happens to the result afterwards?",
        "y = y + 1 makes a new tensor, y += 1 writes into the saved one.",
    ],
)
def overwritten_result(function: Any) -> str:
    torch = world_of(function)
    x = leaf(torch, 0.5)
    out, wrong = _trained(function, x)
    if wrong:
        return wrong
    if abs(out.item() - (math.exp(1.0) + 1)) > 1e-4:
        return "Its value is another one now."
    try:
        out.backward()
    except RuntimeError as error:
        return f"Backward stops: {first_line(error)}"
    return "" if abs(x.grad.item() - 2 * math.exp(1.0)) < 1e-3 else "x.grad is not the slope of exp(2x)."


@exercise(
    "L14.D5",
    "Patient 5, *memory grows*. `log(losses)` gets losses with their graphs and returns a list for a plot. No "
    "graph may stay alive because of that list.",
    hints=["What does a loss hold on to?", "A plain number holds on to nothing: .item()."],
)
def losses_with_graphs(log: Any) -> str:
    torch = world_of(log)
    w = leaf(torch, 2.0)
    kept, wrong = _trained(log, [(w * n) ** 2 for n in range(3)])
    if wrong:
        return wrong
    if any(getattr(each, "grad_fn", None) is not None for each in kept):
        return f"{sum(getattr(each, 'grad_fn', None) is not None for each in kept)} graphs are still held by the list."
    return "" if [round(float(each)) for each in kept] == [0, 4, 16] else "The values are others now."


@exercise(
    "L14.D1",
    "Patient 1, *nan*. `safe_root(x)` gives the root of x where x > 0, else 0. Values are right; at 0 the gradient is "
    "nan. It should be 0 there, and right elsewhere.",
    hints=[
        "Both branches of `where` are computed, and both get a gradient.",
        "Give the root something harmless where its result will not be taken: an inner `where`.",
    ],
)
def root_at_zero(safe_root: Any) -> str:
    torch = world_of(safe_root)
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    out, wrong = _trained(safe_root, x)
    if wrong:
        return wrong
    if [round(each, 4) for each in out.tolist()] != [0.0, 2.0]:
        return f"Its values are {out.tolist()}."
    out.sum().backward()
    return (
        "" if [round(each, 4) for each in x.grad.tolist()] == [0.0, 0.25] else f"The gradients are {x.grad.tolist()}."
    )


@exercise(
    "L14.D6",
    "Patient 6, *the frozen half*. `frozen_loss(x, w, v)` computes features from `w`, and from them what `v` makes of "
    "them; both under no_grad. The features should stay frozen, and v should learn: v should get a gradient, w should "
    "get none, and w.requires_grad should not be changed.",
    hints=[
        "What is computed inside of the `with` block is not recorded. Which line should be?",
        "Only the features belong into the block.",
    ],
)
def frozen_too_much(loss_of: Any) -> str:
    torch = world_of(loss_of)
    w, v = leaf(torch, 2.0), leaf(torch, 3.0)
    loss, wrong = _trained(loss_of, torch.tensor(1.5), w, v)
    if wrong:
        return wrong
    if getattr(loss, "grad_fn", None) is None:
        return "No path leads from the loss to v."
    loss.backward()
    if w.grad is not None:
        return "w got a gradient: the features are not kept as they are."
    if not w.requires_grad:
        return "w.requires_grad has been changed."
    return "" if v.grad is not None and v.grad.item() == 3.0 else "v.grad is not the slope of the loss for v."


@exercise(
    "L14.D7",
    "Patient 7, *it learns once*. `descend(w, steps)` moves w against its gradient, and returns it. From the second "
    "turn on it stops. w should move in each turn, be the same leaf in the end, and get a new gradient in each turn.",
    hints=[
        "What is `w` after the line that gives that name to something else: a leaf, or a result?",
        "Change the leaf itself, with an operation in place, where nobody records.",
    ],
)
def replaced_leaf(descend: Any) -> str:
    torch = world_of(descend)
    w = leaf(torch, 2.0)
    found, wrong = _trained(descend, w, 3)
    if wrong:
        return wrong
    if found is not w:
        return "What comes back is another tensor, not the leaf that went in."
    wanted = 2.0
    for _ in range(3):
        wanted -= 0.1 * 2 * (wanted - 5)
    return "" if abs(w.item() - wanted) < 1e-4 else f"w is {w.item():.4f} after three turns; it should be {wanted:.4f}."


@exercise(
    "L14.D8",
    "Patient 8, *it learns something else*. `fit(w, x, target)` is the mean squared error of `x @ w`, of shape (n, 1), "
    "against `target`, of shape (n,). No error, a loss that never gets to 0. Mend it.",
    hints=[
        "Print the shape of the difference. How many numbers are in it?",
        "Give both the same shape before they are subtracted: with unsqueeze, squeeze or reshape.",
    ],
)
def broadcast_loss(fit: Any) -> str:
    torch = world_of(fit)
    w, x = torch.tensor([[2.0]], requires_grad=True), torch.tensor([[1.0], [2.0], [3.0]])
    loss, wrong = _trained(fit, w, x, torch.tensor([2.0, 4.0, 7.0]))
    if wrong:
        return wrong
    if abs(loss.item() - 1 / 3) > 1e-4:
        return f"With w = 2 only the last target is missed, by 1: the mean should be 0.3333, and is {loss.item():.4f}."
    loss.backward()
    return "" if abs(w.grad.item() + 2) < 1e-4 else "w.grad is not the slope of that loss."
