"""Lesson 6, Tensors: seeds for results of many numbers, and gradients that fit what was spread out."""

from __future__ import annotations

from typing import Any

from autograd_lab.events import BackwardStarted, NodeEvaluated
from autograd_lab.lessons.exercise import exercise
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.moments import before
from autograd_lab.lessons.picking import pick
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.stretched import spread_out, wrong_leaves, wrong_mse, wrong_unbroadcast
from autograd_lab.recording.iterations.record import record


def two_results(torch: Any) -> tuple[Any, Any, Any]:
    """`z = x * y + sum(x)`, two numbers, and the leaves it is made of."""
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = torch.tensor([4.0, 5.0], requires_grad=True)
    return x, y, x * y + torch.sum(x)


@question(
    "L6.P1",
    "`x` = [2, 3] and `y` = [4, 5] require grad, `z = x * y + torch.sum(x)`, which is [13, 20]. What does "
    "`z.backward()` do?",
    [
        Choice(
            "x.grad becomes [6, 7]",
            "backward adds the results up by itself",
            "That is what `z.sum().backward()` gives. PyTorch does not choose the sum for you.",
        ),
        Choice(
            "x.grad becomes a table of 2 × 2",
            "backward gives every slope of every result",
            "There are four slopes, but a gradient has the shape of its tensor: two numbers.",
        ),
        Choice(
            "an error",
            "backward needs one number, or a seed that says how much each result counts",
            "The seed 1 is chosen by itself only for a result of one number.",
        ),
    ],
)
def backward_from_two(torch: Any) -> str:
    x, _, z = two_results(torch)
    try:
        z.backward()
    except RuntimeError:
        return "an error"
    return f"x.grad becomes {x.grad.tolist()}"


@question(
    "L6.P2",
    "`x` = [2, 3], `y` = [4, 5], `z = x * y + torch.sum(x)`, and `z.backward(torch.tensor([1.0, 0.0]))`: only the "
    "first result counts. What is `x.grad`?",
    [
        Choice(
            "[5.0, 1.0]",
            "z₁ = x₁y₁ + x₁ + x₂: it grows with both entries of `x`",
            "4 + 1 for the first, and 1 through the sum for the second.",
        ),
        Choice(
            "[5.0, 0.0]",
            "result 1 depends on entry 1 only",
            "The sum reaches all entries: `x`'s second one moves the first result, too.",
        ),
        Choice("[4.0, 0.0]", "only the product counts", "`torch.sum(x)` is part of `z`, and brings 1 for each entry."),
        Choice("[6.0, 7.0]", "a seed changes nothing", "That is the seed [1, 1]: both results count."),
    ],
    at=before(NodeEvaluated),
)
def first_result_alone(torch: Any) -> str:
    x, _, z = two_results(torch)
    z.backward(torch.tensor([1.0, 0.0]))
    return str(x.grad.tolist())


@question(
    "L6.P3",
    "`h` is a table of 4 rows with 3 numbers each, of the shape (4, 3). `h + b` adds `b`, of the shape (3,), to each "
    "of the rows. Backward starts from one number. What is the shape of `b.grad`?",
    [
        Choice(
            "(4, 3)",
            "the gradient looks like the result of the operation",
            "A gradient of that shape arrives. It is added up over the four rows before it is stored.",
        ),
        Choice("(3,)", "a gradient always has the shape of its own tensor", "What comes from the rows is added up."),
        Choice("(1, 3)", "the summed direction stays as a 1", "`b` has one dimension, and so has its gradient."),
        Choice("()", "the loss is one number, so its gradient is one", "It is one number *for each entry* of `b`."),
    ],
)
def shape_of_the_bias_gradient(torch: Any) -> str:
    b = torch.zeros(3, requires_grad=True)
    (torch.ones(4, 3) + b).sum().backward()
    return str(tuple(b.grad.shape))


@question(
    "L6.P4",
    "`y` has 2 entries and `x` has 100. One wants all 200 slopes. How many backward passes does it take, one seed in "
    "each?",
    [
        Choice("1", "one backward gives everything", "One pass gives one row: 100 slopes of one weighted result."),
        Choice("2", "each backward gives one row, the slopes of one result", "One seed for each result."),
        Choice(
            "100",
            "each input needs a pass of its own",
            "That is forward mode, which moves one input at a time. Backward has all inputs at once.",
        ),
        Choice("200", "each slope has to be asked for", "One pass gives the slopes for all the inputs together."),
    ],
)
def passes_of_a_jacobian(torch: Any) -> int:
    x = torch.tensor([0.1 * number for number in range(100)], requires_grad=True)
    y = torch.stack([(x**2).sum(), (3 * x).sum()])
    with record() as run:
        rows = [torch.autograd.grad(y, x, seed, retain_graph=True)[0] for seed in torch.eye(2)]
    assert torch.allclose(torch.stack(rows), torch.stack([2 * x.detach(), torch.full((100,), 3.0)]))
    return sum(isinstance(event, BackwardStarted) for event in run)


@question(
    "L6.P5",
    "Exit ticket. `u` has the shape (5, 1) and `v` the shape (3,). What is the shape of `u - v`?",
    [
        Choice("(3,)", "the fewer dimensions decide", "Nothing is dropped: a dimension of `u` stays in the result."),
        Choice(
            "(5, 1)", "the first operand decides", "Both are stretched: `v` counts as (1, 3), so a table comes out."
        ),
        Choice(
            "(5, 3)",
            "both are stretched until they fit, (5, 1) and (1, 3)",
            "Each entry of `u` meets each entry of `v`. If that is not meant, it is a slip that makes no noise.",
        ),
        Choice("an error", "shapes that differ cannot be combined", "They fit by the rules: a 1 is stretched."),
    ],
)
def silent_table(torch: Any) -> str:
    return str(tuple((torch.zeros(5, 1) - torch.zeros(3)).shape))


@question(
    "L6.P6",
    "`u` has the shape (3, 1), `v` the shape (1, 4), all entries are 1, and `(u * v).sum().backward()` "
    "has run. What is each entry of `u.grad`?",
    [
        Choice("1", "each entry of `u` is used once", "It was stretched along a row of four."),
        Choice("3", "`u` has three entries", "Each of them went into one row of the table, which is four long."),
        Choice("4", "each entry went into four products, and what comes back is added", "One from each of the four."),
        Choice("12", "all products count for each entry", "Only those of its own row depend on it."),
    ],
)
def outer_product(torch: Any) -> float:
    u, v = torch.ones(3, 1, requires_grad=True), torch.ones(1, 4)
    (u * v).sum().backward()
    return float(u.grad[0, 0].item())


@question(
    "L6.P7",
    "Exit ticket, with lesson 5. `b = torch.zeros(3, requires_grad=True)`; `loss = (torch.ones(4, 3) + b).sum()` is "
    "computed and differentiated twice; nobody empties anything. What is each entry of `b.grad`?",
    [
        Choice("1", "an entry of `b` is added once", "It is added in each of four rows, in each of two passes."),
        Choice("2", "only passes pile up", "Within each pass the four rows add up, too."),
        Choice("4", "the second pass replaces the first", "It adds to what is there."),
        Choice("8", "four rows add up in a pass, and two passes pile up", "4 + 4."),
    ],
)
def rows_and_passes(torch: Any) -> float:
    b = torch.zeros(3, requires_grad=True)
    for _ in range(2):
        (torch.ones(4, 3) + b).sum().backward()
    return float(b.grad[0].item())


@question(
    "L6.P8",
    "Two rows, (1, 2) and (0, 1), go through the same weights `w` = [3, 4] and the same bias 5: `y1 = 1·3 + 2·4 + 5`, "
    "`y2 = 0·3 + 1·4 + 5`. Backward starts from `y1 + y2`. What is `w.grad`?",
    [
        Choice("[1.0, 2.0]", "the first row counts, and the second comes too late", "The second row brings 0 and 1."),
        Choice(
            "[1.0, 3.0]",
            "each row brings the numbers that the weights were multiplied by, and paths add",
            "1 and 2 come from the first row, 0 and 1 from the second.",
        ),
        Choice("[3.0, 4.0]", "a weight gets its own value", "It gets what it was multiplied by, the other factor."),
        Choice(
            "[0.5, 1.5]",
            "the mean over the rows is taken",
            "What comes on several paths is added. Only a loss that is a mean divides by the number of rows.",
        ),
    ],
    drawn="""
x = torch.tensor([[1.0, 2.0], [0.0, 1.0]])
w = torch.tensor([3.0, 4.0], requires_grad=True)
b = torch.tensor(5.0, requires_grad=True)
y = (x * w).sum(1) + b
y.sum().backward()
""",
)
def weights_of_two_rows(torch: Any) -> str:
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    b = torch.tensor(5.0, requires_grad=True)
    y = (torch.tensor([[1.0, 2.0], [0.0, 1.0]]) * w).sum(1) + b
    y.sum().backward()
    return str(w.grad.tolist())


def seeded(torch: Any) -> dict[str, Any]:
    """Gradients of `two_results` with the seed [1, 2]."""
    x, y, z = two_results(torch)
    z.backward(torch.tensor([1.0, 2.0]))
    return {"x.grad": x.grad, "y.grad": y.grad}


fill(
    "L6.F1",
    "x = [2, 3], y = [4, 5], z = x * y + torch.sum(x), and z.backward(torch.tensor([1.0, 2.0])). Both gradients.",
    seeded,
    mistakes=[
        Mistake(
            {"x.grad": [6, 7]}, "the seed does not matter", "The second result counts twice, in all that it touches."
        ),
        Mistake(
            {"x.grad": [4, 10]}, "only the product counts", "Each result contains the whole sum: 1 + 2 for each entry."
        ),
        Mistake(
            {"x.grad": [5, 12]},
            "the sum sends each entry its own seed",
            "Both results contain both entries of x: seeds 1 and 2 arrive at the sum together.",
        ),
        Mistake({"y.grad": [2, 3]}, "the seed does not reach y", "What arrives at y's second entry is 2, times x₂."),
    ],
    hints=[
        "Write one number: w = 1 · z₁ + 2 · z₂. Its gradient is what is asked for.",
        "w = x₁y₁ + 2 x₂y₂ + 3 (x₁ + x₂).",
        "For x₁: y₁ + 3. For y₂: 2 x₂.",
    ],
    after="A seed is nothing but weights in a sum.",
)


def shapes_of_a_layer(torch: Any) -> dict[str, list[int]]:
    """Shapes in a linear layer, four numbers in and two out, and a batch of five rows."""
    x = torch.ones(5, 4, requires_grad=True)
    layer = torch.nn.Linear(4, 2)
    y = layer(x)
    y.sum().backward()
    found = {"y": y, "x.grad": x.grad, "W.grad": layer.weight.grad, "b.grad": layer.bias.grad}
    return {name: list(each.shape) for name, each in found.items()}


fill(
    "L6.F2",
    "layer = nn.Linear(4, 2), x of the shape (5, 4), y = layer(x), backward from y.sum(). W is the layer's table of "
    "weights, b its bias. Four shapes.",
    shapes_of_a_layer,
    mistakes=[
        Mistake(
            {"W.grad": [4, 2]},
            "a weight is stored as (in, out)",
            "PyTorch stores (out, in), and transposes it in y = x Wᵀ + b.",
        ),
        Mistake(
            {"b.grad": [5, 2]}, "each row of a batch has a bias", "One bias serves all rows; their gradients are added."
        ),
        Mistake({"y": [4, 2]}, "the layer's shape is that of its result", "Five rows go in, five come out."),
        Mistake({"x.grad": [4]}, "gradients are summed over the batch", "Only for what all rows share; x has rows."),
    ],
    hints=["A gradient has the shape of its tensor.", "x is (rows, in), y is (rows, out), W is (out, in), b is (out)."],
)

pick(
    "L6.T1",
    "`y = x * s + b`. Some leaves were stretched in forward. So in backward many entries of a gradient had to be added "
    "up to fit their shape. Click these leaves.",
    spread_out,
    wrong_leaves,
    hints=[
        "`y` is a table of 2 by 2.",
        "Look at the shape of each leaf. Which are smaller than the table?",
    ],
)

exercise(
    "L6.M1",
    "Write `unbroadcast(gradient, shape)`: add up a gradient until it has the shape of the operand that was stretched.",
    hints=[
        "There are two kinds of stretching: dimensions put in front, and dimensions of length 1.",
        "While there are too many dimensions: sum over the first, gradient.sum(0).",
        "Then, wherever `shape` has a 1: gradient.sum(place, keepdim=True).",
    ],
    after="Every engine has this function somewhere; each sum and product of different shapes goes through it.",
)(wrong_unbroadcast)

exercise(
    "L6.D1",
    "Mend `mse(pred, target)`, the mean squared error: the mean of the squares of n differences, one for each example. "
    "`pred` has the shape (n, 1), as a layer gives it, and `target` the shape (n,).",
    hints=[
        "Print the shape of `pred - target`.",
        "Give both the same shape first: drop the 1 of `pred`, or give `target` one.",
        "pred.squeeze(1) or target.unsqueeze(1) or a reshape.",
    ],
    after="nn.functional.mse_loss warns of this slip; plain arithmetic does not.",
)(wrong_mse)
