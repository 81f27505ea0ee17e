"""Lesson 11, Network and loop: what modules add to a graph, and the five calls that train one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any

from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.graphs import shape_of
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.sort_task import sort_lines
from autograd_lab.lessons.world import world, world_of

POINTS = [[0, 0], [1, 0.5], [0.5, 1], [-1, 0.5], [0.5, -1], [-0.5, -0.5], [1, -1], [-1, 1], [0.2, 0.7], [-0.7, 0.1]]


def points(torch: Any) -> tuple[Any, Any]:
    """Ten points of the plane, and for each of them `|x₁ - x₂|`: something that no straight line fits."""
    x = torch.tensor(POINTS)
    return x, (x[:, :1] - x[:, 1:]).abs()


def settle(torch: Any, net: Any) -> Any:
    """Give a network numbers that do not depend on chance; returns it."""
    with torch.no_grad():
        for place, parameter in enumerate(net.parameters()):
            numbers = torch.sin(torch.arange(float(parameter.numel())) * 1.7 + place + 1)
            parameter.copy_(numbers.reshape(parameter.shape))
    return net


def small(torch: Any) -> Any:
    """Two layers, 2 to 3 to 1, with settled numbers."""
    nn = torch.nn
    return settle(torch, nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)))


def trained(torch: Any, turns: int, rate: float) -> tuple[Any, float]:
    """The small network after some turns of the loop, and its last loss."""
    (x, y), net = points(torch), small(torch)
    optimizer, loss_fn = torch.optim.SGD(net.parameters(), lr=rate), torch.nn.MSELoss()
    for _ in range(turns):
        loss = loss_fn(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return net, loss.item()


def arrows(tensor: Any) -> list[tuple[str, str]]:
    """The graph behind a tensor as torchviz has Graphviz draw it: an arrow from each next function to its node."""
    shape = shape_of(tensor)
    called = [f"{name} ({number})" for number, name in enumerate(shape.names)]
    return [
        (called[edge], called[node]) for node, edges in enumerate(shape.edges) for edge in edges if edge is not None
    ]


@question(
    "L11.P1",
    "`net` is `nn.Linear(2, 3)`, a ReLU and `nn.Linear(3, 1)`; `x` does not require grad. After `net(x).backward()`, "
    "who has a `.grad`?",
    [
        Choice(
            "weights and biases of both layers",
            "a gradient goes wherever a parameter took part",
            "Parameters require grad by themselves. `x` needs none for that.",
        ),
        Choice(
            "those of the last layer only",
            "behind the first layer the graph is cut, since `x` wants nothing",
            "The path to the first layer's weight does not lead through `x`.",
        ),
        Choice(
            "nobody",
            "the input has to require grad, or nothing is recorded",
            "One operand that requires grad is enough, and weights do.",
        ),
    ],
)
def who_gets_gradients(torch: Any) -> str:
    net = small(torch)
    net(torch.tensor([[0.5, 0.3]])).backward()
    first, last = ([p.grad is not None for p in layer.parameters()] for layer in (net[0], net[2]))
    if all(first + last):
        return "weights and biases of both layers"
    return "those of the last layer only" if all(last) else "nobody"


@question(
    "L11.P2",
    "How many nodes does the graph of that `net(x)` have, each AccumulateGrad included?",
    [
        Choice(
            "3",
            "each module is a node",
            "Modules are Python; the graph knows operations. A Linear makes two of them, and has two leaves.",
        ),
        Choice("5", "only operations are nodes", "Each of the four parameters has its AccumulateGrad."),
        Choice(
            "9",
            "two Addmm, two transposes, one Relu, and four AccumulateGrads",
            "`x` asks for no gradient: at its place there is None.",
        ),
        Choice("10", "`x` has a node, too", "Only if it requires grad."),
    ],
)
def nodes_of_the_network(torch: Any) -> int:
    return len(shape_of(small(torch)(torch.tensor([[0.5, 0.3]]))).nodes)


@question(
    "L11.P3",
    "In the very first turn somebody calls `optimizer.step()` *before* `loss.backward()`. What does that step do?",
    [
        Choice(
            "it raises an error",
            "an optimizer notices that no gradient is there",
            "It skips every parameter whose `.grad` is None, silently.",
        ),
        Choice(
            "nothing changes",
            "a step uses what is in `.grad`, and there is nothing",
            "In later turns it would use what the turn before has left there, if anything.",
        ),
        Choice(
            "the weights move",
            "step computes the gradients that it needs",
            "Only backward computes gradients. A step reads them.",
        ),
    ],
)
def step_too_early(torch: Any) -> str:
    (x, y), net = points(torch), small(torch)
    before = [p.detach().clone() for p in net.parameters()]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    loss = torch.nn.MSELoss()(net(x), y)
    try:
        optimizer.step()
    except RuntimeError:
        return "it raises an error"
    assert loss.requires_grad
    return "nothing changes" if _same(before, net) else "the weights move"


@question(
    "L11.P4",
    "Somebody writes `loss.backward()`, then `optimizer.zero_grad()`, then `optimizer.step()`, in every turn. "
    "What comes of it?",
    [
        Choice(
            "it trains as usual",
            "the order within a turn does not matter",
            "It matters: the gradients are thrown away before the step can read them.",
        ),
        Choice(
            "the weights never move",
            "whatever backward brings is gone before the step",
            "No error, no warning, and a loss that stays as it is.",
        ),
        Choice(
            "an error in step",
            "a step complains if there is no gradient",
            "It skips parameters without one. That is useful where some are frozen.",
        ),
        Choice(
            "each step is twice as large",
            "gradients pile up if zero_grad is not called at once",
            "They would without zero_grad. Here it comes in every turn, only too early.",
        ),
    ],
)
def emptied_before_the_step(torch: Any) -> str:
    (x, y), net = points(torch), small(torch)
    before = [p.detach().clone() for p in net.parameters()]
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        torch.nn.MSELoss()(net(x), y).backward()
        optimizer.zero_grad()
        optimizer.step()
    return "the weights never move" if _same(before, net) else "it trains as usual"


def _same(before: list[Any], net: Any) -> bool:
    return all(bool((old == new).all()) for old, new in zip(before, net.parameters(), strict=True))


@question(
    "L11.P5",
    "With `lr=0.2` the loss falls from 3.3 to 0.01 in a hundred turns. What is it after a hundred turns with `lr=3`?",
    [
        Choice("nearly 0", "larger steps arrive sooner", "They jump over the valley, and land higher than they began."),
        Choice("the same", "the rate says only how long training takes", "Steps that are too long never arrive."),
        Choice(
            "nan",
            "each step overshoots by more than the one before, until numbers overflow",
            "Infinity minus infinity is nan, and nan stays.",
        ),
    ],
)
def a_rate_that_is_too_large(torch: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy says that numbers overflow: they are meant to
        last, usual = trained(torch, 100, 3.0)[1], trained(torch, 100, 0.2)[1]
    if math.isnan(last):
        return "nan"
    return "nearly 0" if last < usual else "the same"


@question(
    "L11.P6",
    "Exit ticket. What does `optimizer.step()` do to the `.grad` of the parameters?",
    [
        Choice("it sets it to None", "what has been used is thrown away", "That is `zero_grad`, which you call."),
        Choice("nothing", "a step reads `.grad` and writes to the parameter", "So the next backward adds to it."),
        Choice("it makes it smaller", "the gradient shrinks as the loss does", "The next backward may bring less."),
    ],
)
def what_a_step_does_to_grad(torch: Any) -> str:
    w = torch.tensor([2.0], requires_grad=True)
    (w * w).sum().backward()
    torch.optim.SGD([w], lr=0.1).step()
    if w.grad is None:
        return "it sets it to None"
    return "nothing" if w.grad.item() == 4 else "it makes it smaller"


@question(
    "L11.P7",
    "Exit ticket, from lesson 6. `nn.Linear(4, 2)` gets a batch of the shape (3, 4). What is the shape of `bias.grad`?",
    [
        Choice("(2,)", "rows share the bias, so their gradients are added", "As always, the shape of its own tensor."),
        Choice("(3, 2)", "each row brings a gradient of its own", "It does; then they are added up."),
        Choice("(4,)", "a bias belongs to the inputs", "It is added to the two outputs."),
    ],
)
def shape_of_a_bias_gradient(torch: Any) -> str:
    layer = torch.nn.Linear(4, 2)
    layer(torch.ones(3, 4)).sum().backward()
    return str(tuple(layer.bias.grad.shape))


def counts(torch: Any) -> dict[str, Any]:
    """What there is to learn in the small network."""
    net = small(torch)
    net(torch.tensor([[0.5, 0.3]])).backward()
    parameters = list(net.parameters())
    return {
        "tensors": len(parameters),
        "numbers": sum(p.numel() for p in parameters),
        "first W.grad": list(parameters[0].grad.shape),
    }


fill(
    "L11.F1",
    "nn.Linear(2, 3), a ReLU, nn.Linear(3, 1): how many parameter tensors, how many numbers in them, and the shape of "
    "the first weight's gradient.",
    counts,
    mistakes=[
        Mistake({"tensors": 2}, "a layer has one parameter", "It has a weight and a bias."),
        Mistake({"tensors": 6}, "each module has parameters", "A ReLU has nothing to learn."),
        Mistake({"numbers": 9}, "only weights are learnt", "Biases as well: 3 and 1."),
        Mistake({"first W.grad": [2, 3]}, "a weight is stored as (in, out)", "PyTorch stores (out, in)."),
    ],
    hints=[
        "Each Linear has a weight and a bias.",
        "Linear(a, b) has a · b weights and b biases; its weight is (b, a).",
    ],
)


def ready_to_train() -> Mapping[str, Any]:
    """Names that the lines of the loop use."""
    torch = world("autograd_lab")
    (x, y), net = points(torch), small(torch)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
    return {"net": net, "optimizer": optimizer, "loss_fn": torch.nn.MSELoss(), "x": x, "y": y}


def loop_trains(names: dict[str, Any]) -> str:
    """Whether the network is where 20 turns of the loop lead."""
    torch, net = world("autograd_lab"), names["net"]
    if _same([p.detach() for p in small(torch).parameters()], net):
        return "It runs, but the weights have not moved."
    wanted = trained(torch, 20, 0.2)[0].parameters()
    near = all(torch.allclose(mine, right) for mine, right in zip(net.parameters(), wanted, strict=True))
    return "" if near else "It runs, and the weights move, but not by the gradient of each turn alone."


sort_lines(
    "L11.S1",
    "Sort these lines into a loop of 20 turns that trains `net`. Two lines are too many. There is more than one order "
    "that works.",
    [
        "    optimizer.step()",
        "loss = loss_fn(net(x), y)",
        "for turn in range(20):",
        "    loss.backward()",
        "    net.zero_grad",
        "    optimizer.zero_grad()",
        "    loss = loss_fn(net(x), y)",
    ],
    start=ready_to_train,
    works=loop_trains,
    hints=[
        "Each turn needs a graph of its own. Which of the two lines with `loss =` makes one in each turn?",
        "A name without brackets calls nothing.",
        "A step reads what backward has left. The boxes may be emptied anywhere but between those two.",
    ],
    after="zero_grad may stand first, between forward and backward, or last.",
)


@exercise(
    "L11.D1",
    "Mend the class `Deep`, three layers in a row. An optimizer that is given `net.parameters()` should train all of "
    "them.",
    hints=[
        "Count: len(list(Deep().parameters())). How many should there be?",
        "A module finds its layers among its attributes. It does not look into a plain Python list.",
        "nn.ModuleList([...]) is a list that it does look into.",
    ],
    after="Every leaf of the graph is now known to the optimizer. The plain list ran without any complaint.",
)
def a_layer_that_nobody_knows(deep: Any) -> str:
    if not isinstance(deep, type) or not hasattr(deep, "forward"):
        return "The answer should be a class of modules."
    torch = world_of(deep.forward)
    try:
        net = deep()
        made = net(torch.tensor([[0.5, 0.3]]))
        shape = shape_of(made)
    except Exception as error:
        return f"It does not run: {type(error).__name__}: {first_line(error)}"
    leaves = [node.variable for node in shape.nodes if hasattr(node, "variable")]
    known = {id(parameter) for parameter in net.parameters()}
    if unknown := [leaf for leaf in leaves if id(leaf) not in known]:
        return f"In its graph there are {len(unknown)} leaves that net.parameters() does not give to the optimizer."
    kinds = shape.counts()
    if (kinds["AddmmBackward0"], kinds["ReluBackward0"]) != (3, 2):
        return "It should still have three layers, and a ReLU after each of the first two."
    return ""


ENOUGH, MOST_PASSES = 0.01, 300


@exercise(
    "L11.M1",
    "Write `train(net, x, y)`: it should bring the mean squared error of `net` below 0.01, with at most 300 backward "
    "passes. Choose the optimizer, its rate, and the number of turns yourself.",
    hints=[
        "An optimizer before the loop; in the loop the five calls.",
        "Print the loss in every tenth turn. Does it fall slowly, or does it jump?",
        "torch.optim.SGD(net.parameters(), lr=0.2) arrives within 100 turns or so.",
    ],
    after="Look at the loss that you print: the first turns bring most.",
)
def below_a_threshold(train: Any) -> str:
    if not callable(train):
        return "The answer should be a function of net, x and y."
    torch = world_of(train)
    (x, y), net, passes = points(torch), small(torch), [0]

    def count(_: Any) -> None:
        passes[0] += 1

    net[2].bias.register_hook(count)
    parameters = list(net.parameters())
    try:
        train(net, x, y)
    except Exception as error:
        return f"It stops: {type(error).__name__}: {first_line(error)}"
    if not all(p.is_leaf and mine is p for mine, p in zip(net.parameters(), parameters, strict=True)):
        return "The network's parameters should still be the same leaves."
    loss = torch.nn.MSELoss()(net(x), y).item()
    if passes[0] > MOST_PASSES:
        return f"It took {passes[0]} backward passes."
    return "" if loss < ENOUGH else f"After {passes[0]} backward passes the loss is {loss:.3g}."
