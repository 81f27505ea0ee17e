"""Lesson 7, Lifetime and memory: what backward frees, and what stays."""

from __future__ import annotations

from typing import Any

from autograd_lab.events import BackwardStarted, ErrorRaised
from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.moments import before, leaf, program
from autograd_lab.lessons.picking import called, node_named, pick
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.world import world_of
from autograd_lab.recording.iterations.record import record
from autograd_lab.trace import Trace
from autograd_lab.view.charts.strip import bytes_kept
from autograd_lab.view.graph.facts.history import history_of

EXPRESSIONS = ("x + x", "x * x", "3 * x", "x - 1", "x ** 2", "torch.exp(x)", "x.sum()")
"""Does backward run a second time through these, if the first did not retain?"""


def runs_twice(torch: Any, expression: str) -> bool:
    """Whether a second backward runs through the sum of an expression in `x`, after one that did not retain."""
    y = eval(expression, {"torch": torch, "x": torch.tensor([1.0, 2.0], requires_grad=True)}).sum()
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        return False
    return True


@question(
    "L7.P1",
    "`y = x + x`, then `y.backward()` twice, without `retain_graph`. What happens at the second one?",
    [
        Choice("RuntimeError", "the first backward has freed the graph",
               "It frees what nodes have *saved*. A sum saves no tensor, so nothing is missing."),
        Choice("it runs, and x.grad is 2", "the second backward replaces what the first one left",
               "It runs. But backward adds to `.grad`."),
        Choice("it runs, and x.grad is 4", "only saved tensors are freed, and a sum has saved none", "2, and 2 more."),
        Choice("it runs, and x.grad is 0", "a graph that was used up gives gradients of 0",
               "Nothing was used up here: the nodes are all there."),
    ],
    at=before(BackwardStarted, 2),
)  # fmt: skip
def a_sum_runs_twice(torch: Any) -> str:
    x = leaf(torch, 1.0)
    y = x + x
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        return "RuntimeError"
    return f"it runs, and x.grad is {x.grad.item():g}"


@question(
    "L7.P2",
    "`y = x * x`, and `y.backward()` has run. What is `y.grad_fn` now?",
    [
        Choice("None", "backward takes the graph apart",
               "`y` still holds its node, and the node those before it. Only what they had saved is gone."),
        Choice("MulBackward0", "the nodes live as long as somebody holds them", "And `y` holds this one."),
        Choice("an error when one asks", "what is freed must not be touched",
               "That is so for `y.grad_fn._saved_self`. The node itself may be asked."),
    ],
    drawn="""
x = torch.tensor(2.0, requires_grad=True)
y = x * x
y.backward()
""",
)  # fmt: skip
def what_is_left_of_the_graph(torch: Any) -> str:
    x = leaf(torch, 2.0)
    y = x * x
    y.backward()
    return "None" if y.grad_fn is None else str(y.grad_fn.name())


@question(
    "L7.P3",
    "`y = x * x`. First `y.backward()`, then `y.backward(retain_graph=True)`. What happens at the second line?",
    [
        Choice("RuntimeError", "`retain_graph` says what the pass itself leaves behind",
               "It belongs on every pass but the last. Here the first one has freed what the second needs."),
        Choice("it runs", "`retain_graph` gives access to a graph once more",
               "It brings nothing back. Each pass frees or keeps what the nodes saved when it comes by."),
        Choice("it runs, and computes forward again", "PyTorch can compute what is missing again",
               "It does not know your program, only the nodes. What they saved is gone."),
    ],
)  # fmt: skip
def too_late(torch: Any) -> str:
    x = leaf(torch, 2.0)
    y = x * x
    y.backward()
    try:
        y.backward(retain_graph=True)
    except RuntimeError:
        return "RuntimeError"
    return "it runs"


@question(
    "L7.P8",
    "The same eight tanh over 1,024 numbers, with `backward(retain_graph=True)`. How many KiB are held in the end?",
    [
        Choice("0", "backward empties every pocket that it has used", "That is what `retain_graph=True` prevents."),
        Choice("4", "what is used is let go of, but for the last",
               "The option is for the whole pass: no node lets go of anything."),
        Choice("32", "a pass that retains leaves each pocket as it was", "All eight stairs are still there."),
    ],
)  # fmt: skip
def kept_by_a_pass(torch: Any) -> int:
    with record() as run:
        y = torch.ones(1024, requires_grad=True)
        for _ in range(8):
            y = torch.tanh(y)
        y.sum().backward(retain_graph=True)
    return bytes_kept(run)[-1] // 1024


@question(
    "L7.P6",
    "Exit ticket. Two losses share the node of `h = torch.exp(x)`: `a = h * 2` and `b = h * 3`. Which lines need no "
    "`retain_graph`?",
    [
        Choice("a.backward(); b.backward()", "each loss has a graph of its own",
               "They share the node of exp. The first pass frees what it saved, and the second stops there."),
        Choice("(a + b).backward()", "one pass goes through the shared part once, with the sum of both gradients",
               "The same gradient as two passes would leave, and less work."),
        Choice("both", "backward frees only what no other loss needs",
               "It knows of no other loss. Each node that runs lets go of what it saved, unless the pass retains."),
    ],
)  # fmt: skip
def one_pass_for_two_losses(torch: Any) -> str:
    def fails(*together: bool) -> bool:
        h = torch.exp(leaf(torch, 1.0))
        a, b = h * 2, h * 3
        try:
            for loss in [a + b] if together else [a, b]:
                loss.backward()
        except RuntimeError:
            return True
        return False

    assert not fails(True)
    return "(a + b).backward()" if fails() else "both"


@question(
    "L7.P7",
    "Exit ticket, from lesson 5. `y = x * x` at `x` = 2; `y.backward(retain_graph=True)`, then `x.grad.zero_()`, then "
    "`y.backward()`. What is `x.grad`?",
    [
        Choice("4", "zero_ empties the drawer, and the second pass fills it again",
               "Retained values, an empty drawer, and 4."),
        Choice("8", "retain_graph keeps the gradients, too", "It keeps what nodes saved. `zero_` emptied `.grad`."),
        Choice("0", "a second pass finds nothing to do",
               "The saved values were kept, so it does all that the first did."),
    ],
)  # fmt: skip
def emptied_in_between(torch: Any) -> float:
    x = leaf(torch, 2.0)
    y = x * x
    y.backward(retain_graph=True)
    x.grad.zero_()
    y.backward()
    return float(x.grad.item())


fill(
    "L7.F1",
    "x is a vector. Of each expression the sum is taken, and backward called twice without retain_graph. Does the "
    "second one run?",
    lambda torch: {each: runs_twice(torch, each) for each in EXPRESSIONS},
    mistakes=[
        Mistake(dict.fromkeys(EXPRESSIONS, False), "a first backward frees the whole graph",
                "It frees saved values. Which of these save none?"),
        Mistake({"3 * x": True}, "only tensors are saved",
                "The product needs the 3, and saves it as a tensor of one number."),
        Mistake({"torch.exp(x)": True}, "exp needs nothing but what arrives",
                "Its derivative is its result: it saved that."),
        *(Mistake({each: True}, "`x` is still there, so nothing is missing",
                  "`x` is, but the node has let go of it, and looks for no other.") for each in ("x * x", "x ** 2")),
        *(Mistake({each: False}, "each operation saves what went into it",
                  "Which number would its derivative need? It is 1, whatever went in.") for each in ("x + x", "x - 1")),
        Mistake({"x.sum()": False}, "a sum of entries saves the entries",
                "It needs to know how many there are. That is a shape, no tensor, and it is not freed."),
    ],
    hints=["Ask of each: does its derivative need any value?", "Three of the seven save no tensor."],
    after="What is freed is what was saved. Where no tensor was saved, nothing is missing.",
)  # fmt: skip

TWICE = """\
x = torch.tensor(2.0, requires_grad=True)
u = x * x
v = u + x
w = v + u
w.backward()
try:
    w.backward()
except RuntimeError as error:
    print(error)
"""


def second_attempt() -> Trace:
    """A run whose second backward gets past two sums, and stops at a product."""
    return program(TWICE.replace("print(error)", "pass"))


def _where_it_stopped(names: list[str], trace: Trace) -> str:
    stop = next(event.node for event in trace if isinstance(event, ErrorRaised) and event.node)
    given = {node_named(name) for name in names}
    if len(given) != 1:
        return "It stops at one node; click that."
    return "" if given == {called(stop, history_of(trace.events))} else "That node has what it needs."


pick(
    "L7.T1",
    "The first backward is done, and a second one is about to begin. Click the node at which it will stop.",
    second_attempt,
    _where_it_stopped,
    step=before(BackwardStarted, 2),
    hints=["It begins at w. Which nodes had saved something?", "A sum has no pocket, and lets it through."],
    after="Two sums let it through. It stops where the first saved value is missing.",
)


@exercise(
    "L7.D2",
    "Mend `learn(body, x)`: two losses, `h * h` and `h * 3`, share `h = body(x)`. Backward should go through the "
    "shared part once, and nothing should be retained.",
    hints=[
        "Run it: where does the second backward stop?",
        "retain_graph=True would let it pass, and go through `body` a second time. Can both gradients come together?",
        "Add the losses, and call backward on their sum.",
    ],
    after="Gradients add, so the gradient of a sum is the sum of the gradients; and one pass is cheaper than two.",
)
def one_pass(learn: Any) -> str:
    if not callable(learn):
        return "The answer should be a function of body and x."
    torch = world_of(learn)
    x, walks, made = leaf(torch, 1.5), [], []

    def body(tensor: Any) -> Any:
        h = torch.exp(tensor)
        h.register_hook(lambda _: walks.append(1))
        made.append(h)
        return h

    try:
        learn(body, x)
    except Exception as error:
        return f"It stops: {type(error).__name__}: {first_line(error)}"
    if x.grad is None or not made:
        return "After it x has no .grad."
    h = made[0].item()
    if abs(x.grad.item() - (2 * h + 3) * h) > 1e-3 * h * h:
        return "x.grad is not the gradient of both losses together."
    if len(walks) != 1 or len(made) != 1:
        return f"Forward went through the shared part {len(made)} times, and backward {len(walks)} times."
    return "The shared part still holds what it saved." if _still_saved(made[0]) else ""


def _still_saved(tensor: Any) -> bool:
    try:
        return tensor.grad_fn._saved_result is not None
    except RuntimeError:  # freed
        return False
