"""Twelve questions before and after the lessons. Their wrong answers are what people believe most often."""

from __future__ import annotations

from typing import Any

from autograd_lab.lessons.moments import leaf
from autograd_lab.lessons.question import Choice, question

WORKS, FAILS = "it works", "it raises an error"


def raises(function: Any) -> bool:
    """Whether a call raises what PyTorch raises when backward cannot go on."""
    try:
        function()
    except RuntimeError:
        return True
    return False


@question(
    "Q.P1",
    "`y = (x + x)` for a leaf `x`. `y.backward()` has run. What does a second `y.backward()` do?",
    [
        Choice(
            FAILS, "backward destroys the graph", "It frees what nodes saved. A sum saves no tensor: none is missing."
        ),
        Choice(WORKS, "only saved tensors are freed, and a sum saves none", "The second pass adds to `x.grad`."),
        Choice("nothing happens", "a gradient is computed once", "The second pass runs, and adds to `x.grad`."),
    ],
)
def sum_twice(torch: Any) -> str:
    y = leaf(torch, 2.0)
    y = y + y
    y.backward()
    return FAILS if raises(y.backward) else WORKS


@question(
    "Q.P2",
    "`y = x * 2` for a leaf `x`; then `y.add_(1)`, an operation in place; then `y.backward()`. What happens?",
    [
        Choice(
            "an error at add_",
            "operations in place are forbidden once gradients are wanted",
            "Only leaves that want a gradient refuse them.",
        ),
        Choice(
            "an error at backward",
            "any operation in place breaks backward",
            "It breaks where a node saved what was overwritten. `x * 2` did not save `y`.",
        ),
        Choice(
            "a wrong gradient",
            "autograd does not notice operations in place",
            "It records them, like all others, and counts versions to see what was overwritten.",
        ),
        Choice("the right gradient, 2", "nobody needs the old value of `y`", "So nothing is lost by overwriting it."),
    ],
)
def harmless_write(torch: Any) -> str:
    x = leaf(torch, 3.0)
    y = x * 2
    y.add_(1)
    y.backward()
    return f"the right gradient, {x.grad.item():g}"


@question(
    "Q.P3",
    "`(3 * x).backward()` is called twice, each time on a new graph, and nothing is reset between. What is `x.grad`?",
    [
        Choice(
            "3", "each backward starts with an empty `.grad`", "It adds to what is there, until somebody resets it."
        ),
        Choice("6", "gradients are added to what is there", "That is what `zero_grad` is for."),
        Choice("9", "the second pass differentiates the first", "It is a graph of its own, and brings 3 more."),
    ],
)
def two_passes(torch: Any) -> float:
    x = leaf(torch, 2.0)
    for _ in range(2):
        (3 * x).backward()
    return float(x.grad.item())


@question(
    "Q.P4",
    "`w` is a leaf that requires grad. `loss = torch.tensor((w * 2).item())`. What does `loss.backward()` do?",
    [
        Choice("w.grad becomes 2", "what was computed from `w` stays joined to it", "`.item()` gives a plain number."),
        Choice("w.grad becomes 0", "without a way the gradient is 0", "Nothing is computed: there is no graph at all."),
        Choice(FAILS, "no graph leads from `loss` to `w`", "A tensor made of a plain number has no history."),
        Choice("nothing happens", "without a way backward is silent", "It complains: loss does not require grad."),
    ],
)
def cut_by_item(torch: Any) -> str:
    loss = torch.tensor((leaf(torch, 3.0) * 2).item())
    return FAILS if raises(loss.backward) else "nothing happens"


@question(
    "Q.P5",
    "`h = x * 2` and `y = h * h` for a leaf `x`. After `y.backward()`, what does `h.grad` give?",
    [
        Choice("None", "the gradient of a tensor in between is passed on and not kept", "`h.retain_grad()` keeps it."),
        Choice("0", "no gradient went through `h`", "It went through: `x.grad` got it. It was not kept at `h`."),
        Choice("12", "each tensor keeps its gradient", "Leaves do. Others only after `retain_grad()`."),
    ],
)
def between(torch: Any) -> str:
    import warnings

    x = leaf(torch, 3.0)
    h = x * 2
    (h * h).backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(h.grad)


@question(
    "Q.P6",
    "`y = x * x`. `y.backward()` has run, and `y.backward()` raises an error. Which change alone mends it?",
    [
        Choice(
            "retain_graph=True in the first call",
            "whoever goes first has to leave what the next one needs",
            "It keeps what nodes saved.",
        ),
        Choice(
            "retain_graph=True in the second call",
            "the call that fails has to ask for the graph",
            "By then the first one has freed what was saved.",
        ),
        Choice("x.grad = None in between", "a gradient that is there is in the way", "It would be added to."),
    ],
)
def where_to_retain(torch: Any) -> str:
    def second_fails(*retain: bool) -> bool:
        y = leaf(torch, 3.0)
        y = y * y
        y.backward(retain_graph=retain[0])
        return raises(lambda: y.backward(retain_graph=retain[1]))

    assert second_fails(False, True)
    return "the error stays" if second_fails(True, False) else "retain_graph=True in the first call"


@question(
    "Q.P7",
    "A loop computes a loss, calls `loss.backward()`, and then `history.append(loss)`. How many graphs are alive after "
    "5 turns?",
    [
        Choice(
            "0",
            "backward deletes the graph",
            "It frees what nodes saved. The nodes live as long as somebody holds them.",
        ),
        Choice("1", "a new graph takes the place of the old one", "Each loss in the list holds its own."),
        Choice("5", "each loss in the list holds its graph", "`history.append(loss.item())` would hold numbers only."),
    ],
)
def kept_graphs(torch: Any) -> int:
    x, history = leaf(torch, 3.0), []
    for _ in range(5):
        loss = x * x
        loss.backward()
        history.append(loss)
    return len({id(each.grad_fn) for each in history})


@question(
    "Q.P8",
    "`x = torch.tensor(1.0, requires_grad=True)`. What does `x += 1` do?",
    [
        Choice(
            "x becomes 2", "`+=` is just an addition", "It writes into `x`, and a leaf that wants a gradient refuses."
        ),
        Choice(FAILS, "a leaf that wants a gradient must not be overwritten", "Inside `torch.no_grad()` it may be."),
        Choice("backward fails later", "the write is noticed when its value is needed", "It is refused on the spot."),
    ],
)
def write_to_a_leaf(torch: Any) -> str:
    x = leaf(torch, 1.0)

    def write() -> None:
        nonlocal x
        x += 1

    return FAILS if raises(write) else "x becomes 2"


@question(
    "Q.P9",
    "`x = torch.tensor([1.0, 2.0], requires_grad=True)` and `y = x * x`. What does `y.backward()` do?",
    [
        Choice(
            "x.grad becomes [2., 4.]", "each element has its own derivative", "That is what `y.sum().backward()` gives."
        ),
        Choice("x.grad becomes 6", "derivatives are added up to one number", "A gradient has the shape of its tensor."),
        Choice(FAILS, "there is no seed for more than one number", "`y.backward(v)` says how to weigh them."),
    ],
)
def vector_backward(torch: Any) -> str:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return FAILS if raises((x * x).backward) else f"x.grad becomes {x.grad.tolist()}"


@question(
    "Q.P10",
    "`y = x ** 2 + x ** 3` at `x` = 3. What is `x.grad` after `y.backward()`?",
    [
        Choice("6", "the first way to `x` counts", "27 more come through the cube."),
        Choice("27", "the last way to `x` counts", "6 more come through the square."),
        Choice("33", "what comes on several ways is added", "6 through the square, 27 through the cube."),
        Choice("36", "the gradient is the value", "36 is `y`."),
    ],
)
def two_ways(torch: Any) -> float:
    x = leaf(torch, 3.0)
    (x**2 + x**3).backward()
    return float(x.grad.item())


@question(
    "Q.P11",
    "`x` has the shape (4, 3), the bias `b` the shape (3,). After `(x + b).sum().backward()`, what is `b.grad`?",
    [
        Choice("1 in each of 3 places", "each element of `b` was added once", "It was added in each of the 4 rows."),
        Choice(
            "4 in each of 3 places", "what was spread out is summed on the way back", "Each element went to 4 rows."
        ),
        Choice("1 in each of 4 × 3 places", "a gradient has the shape of the result", "It has that of its own tensor."),
    ],
)
def bias_gradient(torch: Any) -> str:
    b = torch.zeros(3, requires_grad=True)
    (torch.ones(4, 3) + b).sum().backward()
    return f"{b.grad[0].item():g} in each of {' × '.join(map(str, b.grad.shape))} places"


@question(
    "Q.P12",
    "`y = x * x` has just run, and `backward` has not been called. Is there a graph?",
    [
        Choice("yes", "each operation records its node when it runs", "`y.grad_fn` is there already."),
        Choice("no", "backward builds the graph", "Backward goes through the graph that forward has recorded."),
    ],
)
def graph_before_backward(torch: Any) -> str:
    x = leaf(torch, 3.0)
    return "yes" if (x * x).grad_fn is not None else "no"
