"""Lesson 19, Leaks: who keeps a graph in memory, and how to let go of it."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.graphs import shape_of
from autograd_lab.lessons.moments import leaf
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.world import world_of


class Mark:
    """Hangs on a node, and goes when the node goes."""


class Graphs:
    """Counts the graphs that are still in memory. It holds none of them itself."""

    def __init__(self) -> None:
        self._marks: WeakSet[Mark] = WeakSet()

    def watch(self, loss: Any) -> None:
        """Count the graph behind a loss, as long as its last node lives."""
        loss.grad_fn.metadata["mark"] = mark = Mark()
        self._marks.add(mark)

    @property
    def alive(self) -> int:
        return len(self._marks)


KEEPING = ("losses.append(loss)", "losses.append(loss.item())", "total += loss", "total += loss.detach()")
TURNS = 5


def graphs_kept(torch: Any, line: str) -> int:
    """How many graphs are in memory after `TURNS` turns of a loop that logs its losses by a line."""
    graphs = Graphs()
    names: dict[str, Any] = {"losses": [], "total": 0.0}
    w = leaf(torch, 3.0)
    for turn in range(TURNS):
        names["loss"] = (w - float(turn)) ** 2
        graphs.watch(names["loss"])
        names["loss"].backward()
        exec(line, names)
    return graphs.alive


@question(
    "L19.P1",
    "`loss = (w - 1.0) ** 2`, then `kept = loss.detach()`, then `del loss`. Is the graph of the loss still in memory?",
    [
        Choice(
            "yes", "a detached tensor still leads to its past", "It has the value and no `grad_fn`: it leads nowhere."
        ),
        Choice("no", "nobody holds a node any more", "The value lives on in `kept`; the nodes are gone with `loss`."),
    ],
)
def detached_and_deleted(torch: Any) -> str:
    graphs, w = Graphs(), leaf(torch, 3.0)
    loss = (w - 1.0) ** 2
    graphs.watch(loss)
    kept = loss.detach()
    del loss
    assert kept.item() == 4
    return "yes" if graphs.alive else "no"


@question(
    "L19.P2",
    "Five turns. Each computes a `loss`, calls `loss.backward()` and then `total += loss`. How many of the five losses "
    "still have their nodes in memory at the end?",
    [
        Choice("0", "backward frees the graph",
               "It frees what nodes had saved. The nodes wait until nobody holds them."),
        Choice("1", "the name `loss` moves on, so only the last one is held",
               "`total` is a tensor with a history: each sum leads to the loss that went in."),
        Choice("5", "`total` leads to every loss that was added to it",
               "`total += loss.item()` adds a number, which leads nowhere."),
    ],
)  # fmt: skip
def a_total_that_remembers(torch: Any) -> int:
    return graphs_kept(torch, "total += loss")


@question(
    "L19.P3",
    "A state is handed on: `h = torch.tanh(w * x + h)` in each of three turns, and each turn ends with "
    "`(h * h).backward(retain_graph=True)`. How many nodes does the third backward go through?",
    [
        Choice("5", "each turn has a graph of its own",
               "The third `h` was made from the second, and that from the first."),
        Choice("11", "the chain grows with each turn", "5, then 8, then 11: the whole past is walked again."),
        Choice("3", "one node a turn",
               "Each turn has a product, a sum and a tanh; then there are the loss and the leaf."),
    ],
)  # fmt: skip
def a_growing_past(torch: Any) -> int:
    return nodes_by_turn(torch, detached=False)[-1]


def nodes_by_turn(torch: Any, *, detached: bool) -> list[int]:
    """How many nodes there are behind the loss of each of three turns, which hand on a state."""
    w, h, found = leaf(torch, 0.5), torch.tensor(0.0), []
    for x in (1.0, 2.0, 3.0):
        if detached:
            h = h.detach()
        h = torch.tanh(w * x + h)
        loss = h * h
        found.append(len(shape_of(loss).nodes))
        loss.backward(retain_graph=not detached)
    return found


@question(
    "L19.P4",
    "Five turns; each ends with `history = [*history, loss][-2:]`, which keeps the last two losses. How many graphs "
    "are in memory after the loop?",
    [
        Choice("1", "only the newest loss has its graph", "The list holds two losses, and each holds its own nodes."),
        Choice(
            "2", "a graph lives as long as somebody holds it, and two are held", "The name `loss` holds one of these."
        ),
        Choice(
            "3", "two in the list, and one more by the name `loss`", "The name and the list hold the same last loss."
        ),
        Choice("5", "what was once in a list stays", "The old list is gone, and with it what it alone held."),
    ],
)
def short_list(torch: Any) -> int:
    graphs, w = Graphs(), leaf(torch, 3.0)
    history: list[Any] = []
    for turn in range(TURNS):
        loss = (w - float(turn)) ** 2
        graphs.watch(loss)
        history = [*history, loss][-2:]
    return graphs.alive


@question(
    "L19.P5",
    "Exit ticket. An evaluation runs in `with torch.no_grad():`, and keeps `losses.append(loss)` for 100 batches. How "
    "many graphs does the list hold?",
    [
        Choice("100", "each loss in a list holds its graph", "If there is one. Under `no_grad` none is recorded."),
        Choice("1", "the last graph stays", "There is not even that: no loss there has a `grad_fn`."),
        Choice("0", "where nothing is recorded, nothing can leak", "The list holds 100 small tensors, and no node."),
    ],
)
def evaluation_without_graphs(torch: Any) -> int:
    w = leaf(torch, 3.0)
    with torch.no_grad():
        losses = [(w - float(batch)) ** 2 for batch in range(100)]
    return sum(each.grad_fn is not None for each in losses)


@question(
    "L19.P6",
    "Exit ticket, from lesson 7. `y = x * x`, and `y.backward()` has run. Which of these is still there: the node of "
    "`y`; the `x` that it saved?",
    [
        Choice(
            "the node",
            "backward frees what was saved; the node lives as long as `y`",
            "Ask for `y.grad_fn`: it is there.",
        ),
        Choice("what it saved", "values outlive the graph", "`x` itself lives, but the node has let go of it."),
        Choice("both", "backward only reads", "It reads, and lets go of what was saved, unless it retains."),
        Choice("neither", "backward deletes the graph", "`y` still holds its node."),
    ],
)
def what_is_left(torch: Any) -> str:
    y = leaf(torch, 3.0)
    y = y * y
    y.backward()
    try:
        saved = y.grad_fn._saved_self is not None
    except RuntimeError:
        saved = False
    return {(True, True): "both", (True, False): "the node"}[y.grad_fn is not None, saved]


fill(
    "L19.F1",
    f"A loop of {TURNS} turns computes a loss, calls loss.backward() and logs it. How many of the {TURNS} graphs still "
    "have nodes in memory at the end, with each of these lines? The name loss is still there.",
    lambda torch: {line: graphs_kept(torch, line) for line in KEEPING},
    mistakes=[
        Mistake({"losses.append(loss)": 0}, "backward frees the nodes",
                "It frees what they saved. The list holds the losses."),
        Mistake({"losses.append(loss)": 1}, "only the last loss has nodes", "The list holds the others as well."),
        Mistake({"losses.append(loss.item())": 0}, "the number is all that is left", "Who still holds the last loss?"),
        Mistake({"losses.append(loss.item())": 5}, "a number leads to what it came from",
                "It is a float, and leads nowhere."),
        Mistake({"total += loss": 1}, "a total is one tensor, so it holds one graph",
                "What leads from total to each loss?"),
        Mistake({"total += loss": 0}, "backward frees the nodes", "It frees what they saved, and total leads to them."),
        Mistake({"total += loss.detach()": 0}, "nothing holds a loss here", "Who still holds the last loss?"),
        Mistake({"total += loss.detach()": 5}, "a detached tensor still leads to its past", "It has no grad_fn."),
    ],
    hints=[
        "A loss holds its node. Who holds the losses?",
        "`.item()` and `.detach()` give something without a grad_fn. The name `loss` holds the last one in any case.",
    ],
)  # fmt: skip


@exercise(
    "L19.D1",
    "Mend `train(loss_of, batches)`: it should return the mean loss, and never hold more than one graph. "
    "`loss_of(batch)` computes a loss.",
    hints=[
        "What is the type of `total` after the first turn? Has it a grad_fn?",
        "For a log one needs a number, not a tensor with a history.",
        "total += loss.item()",
    ],
    after="This leak is in many a training script: the memory grows by one graph a turn.",
)
def a_loop_that_lets_go(train: Any) -> str:
    if not callable(train):
        return "The answer should be a function of loss_of and batches."
    torch, graphs = world_of(train), Graphs()
    w, most = leaf(torch, 3.0), 0

    def loss_of(batch: float) -> Any:
        nonlocal most
        most = max(most, graphs.alive)
        loss = (w - batch) ** 2
        graphs.watch(loss)
        return loss

    batches = [0.0, 1.0, 2.0, 3.0]
    try:
        mean = train(loss_of, batches)
    except Exception as error:
        return f"It stops: {type(error).__name__}: {first_line(error)}"
    if abs(float(mean.detach() if hasattr(mean, "detach") else mean) - 3.5) > 1e-4:
        return "That is not the mean of the losses of these batches."
    if w.grad is None or abs(w.grad.item() - 12) > 1e-4:
        return "Backward should have run once for each loss: w.grad is not the sum of their gradients."
    most = max(most, graphs.alive)
    if most > 1:
        return f"It held {most} graphs at once."
    return "What it returns still has a history." if getattr(mean, "grad_fn", None) is not None else ""
