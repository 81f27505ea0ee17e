"""Lesson 9, In-place and versions: which writes are refused, which are caught, which do no harm, and which lie."""

from __future__ import annotations

from typing import Any

from autograd_lab.events import BackwardStarted, OpApplied, TensorModified, TensorSaved
from autograd_lab.lessons.building import agrees_with_differences, debug, graph_holds, runs
from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.moments import before, leaf, program
from autograd_lab.lessons.picking import ALL_SAVED, names_of, pick
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.world import world_of
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import history_of

SNIPPETS = {
    "a": "y = x * x\nx.add_(1)",
    "b": "h = x + 1\ny = h * h\nh.add_(1)",
    "c": "h = x + 1\ny = h + 3\nh.add_(1)",
    "d": "y = x ** 2\ny.add_(1)",
    "e": "y = torch.exp(x)\ny.add_(1)",
    "f": "y = x * x\nx.data.add_(1)",
    "g": "y = x * x\nx.detach().add_(1)",
    "h": "y = x * x\nwith torch.no_grad():\n    x.add_(1)",
    "i": "y = x * 2\nwith torch.no_grad():\n    x.add_(1)",
    "j": "h = x * 2\nh.add_(1)\ny = h * h",
}
"""Ten programs that write to a tensor. Before each `x` is a leaf that requires grad; `y.backward()` comes after."""
STEP = 1e-3
ENDINGS = {
    "at once": "an error at the line that writes",
    "at backward": "an error at `y.backward()`",
    "fine": "no error, and the right gradient",
    "wrong": "no error, and a wrong gradient",
}


def ending(torch: Any, text: str) -> str:
    """Which of the `ENDINGS` a snippet comes to, at x = 2. Right is a gradient that finite differences confirm."""
    try:
        x, y = _run(torch, text, 2.0)
    except RuntimeError:
        return "at once"
    try:
        y.backward()
    except RuntimeError:
        return "at backward"
    quotient = (_run(torch, text, 2 + STEP)[1].item() - _run(torch, text, 2 - STEP)[1].item()) / (2 * STEP)
    return "fine" if abs(x.grad.item() - quotient) < STEP else "wrong"


def _run(torch: Any, text: str, value: float) -> tuple[Any, Any]:
    names = {"torch": torch, "x": torch.tensor(value, dtype=torch.float64, requires_grad=True)}
    x = names["x"]
    exec(text, names)
    return x, names["y"]


WHEN = [
    Choice("an error at the line that writes", "a tensor that was used may not be written to",
           "A leaf that requires grad refuses so early; `h` is a result. Nobody knows yet whether backward will run."),
    Choice("an error at `y.backward()`", "backward compares the version of each saved value with the one noted then",
           "The product noted v0 for `h`, and `h` is at v1. So it will not compute with that value."),
    Choice("no error, and the right gradient", "the product kept a copy of what it needs",
           "It keeps the tensor itself, and a note of its version. The old value is gone."),
    Choice("no error, and a wrong gradient", "nobody watches what happens to a saved value",
           "The version counter does. There are ways past it, but `add_` is none of them."),
]  # fmt: skip


@question("L9.P1", "`h = x + 1`, `y = h * h`, then `h.add_(1)`, then `y.backward()`. What happens?", WHEN,
          at=before(OpApplied, 3))  # fmt: skip
def a_saved_value_is_overwritten(torch: Any) -> str:
    return ENDINGS[ending(torch, SNIPPETS["b"])]


@question(
    "L9.P2",
    "`x` is a leaf that requires grad, and nothing has been computed from it. `x.add_(1)` stands by itself, outside of "
    "`no_grad`. What happens?",
    [
        Choice("it works", "a write can do harm only if somebody has used the tensor",
               "The rule does not ask whether it was used: outside of `no_grad`, a leaf that requires grad refuses."),
        Choice("an error, and x is changed", "PyTorch writes first and checks then",
               "It checks first: value and version stay what they were."),
        Choice("an error, and x is unchanged", "a leaf that requires grad refuses writes while operations are recorded",
               "If it took the write, `x` would be the result of a recorded operation: no leaf any more."),
    ],
)  # fmt: skip
def a_leaf_refuses(torch: Any) -> str:
    x = leaf(torch, 2.0)
    try:
        x.add_(1)
    except RuntimeError:
        return "an error, and x is unchanged" if x.item() == 2 and x._version == 0 else "an error, and x is changed"
    return "it works"


@question(
    "L9.P3",
    "`x` = [1, 2, 3] is a leaf, `y = (x ** 2).sum()`, then `x.data += 1`, then `y.backward()`. What comes of it?",
    [
        Choice("RuntimeError", "every write is counted",
               "`.data` gives a tensor with a counter of its own. That of `x` does not move, so nothing looks amiss."),
        Choice("[2, 4, 6]", "the power kept the values as they were",
               "It kept the tensor, not a copy. There now stand 2, 3 and 4."),
        Choice("[4, 6, 8]", "backward computes with what stands in memory now, and `.data` hides the write",
               "Twice 2, 3 and 4. But `y` was computed from 1, 2 and 3: its gradient is [2, 4, 6]."),
    ],
    at=before(BackwardStarted),
)  # fmt: skip
def the_write_past_the_counter(torch: Any) -> str:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (x**2).sum()
    x.data += 1
    try:
        y.backward()
    except RuntimeError:
        return "RuntimeError"
    return str([int(each) for each in x.grad.tolist()])


@question(
    "L9.P4",
    "`y = x * 2`. Under `no_grad`, `x.add_(1)`. Then `y.backward()`. What happens?",
    [
        Choice("an error at `y.backward()`", "any tensor that was used must stay as it was",
               "Only what was *saved* must. The derivative of `x * 2` is 2, whatever `x` is: `x` was not saved."),
        Choice("no error, and the right gradient", "a write does no harm to an operation that did not save the tensor",
               "The product saved the number 2, for that is all it needs."),
        Choice("no error, and a wrong gradient", "in `no_grad` writes are not counted",
               "They are counted: `x._version` is 1. But nobody has saved `x`, and 2 is right."),
    ],
)  # fmt: skip
def a_harmless_write(torch: Any) -> str:
    return ENDINGS[ending(torch, SNIPPETS["i"])]


@question(
    "L9.P5",
    "`x` = [1, 2, 3] is a leaf. `h = x * 2`, then `h[0] = 10`, then `h.sum().backward()`. What is `x.grad`?",
    [
        Choice("[2, 2, 2]", "a write to one place leaves no trace in the graph",
               "It was recorded. What stands in `h[0]` now does not depend on `x` any more."),
        Choice("[0, 2, 2]", "the write is a node, which lets nothing through at the place that was overwritten",
               "`h.grad_fn` is CopySlices now. At `h[0]` the gradient ends."),
        Choice("[10, 2, 2]", "the value that was written is the gradient there",
               "10 is a value. Change `x[0]` a little: `y` does not change at all."),
        Choice("RuntimeError", "a part of a tensor may not be written to once it has a history",
               "It may: nobody has saved `h`, and the write is recorded as an operation like any other."),
    ],
)  # fmt: skip
def a_part_is_overwritten(torch: Any) -> str:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    h = x * 2
    h[0] = 10
    h.sum().backward()
    return str([int(each) for each in x.grad.tolist()])


@question(
    "L9.P6",
    "Exit ticket. Which program makes backward raise an error? Each ends with `y.add_(1)` and `y.backward()`.",
    [
        Choice("y = x ** 2", "a power needs its result again", "It saved `x`, and `y` may be written to."),
        Choice("y = torch.exp(x)", "exp saved its result, and that is what was written to",
               "The derivative of exp is its own result, so that is what it saved."),
        Choice("y = x * 2", "a product saves all that it touches", "It saved the 2, for it needs nothing else."),
        Choice("all three", "a result may not be written to", "It may, unless somebody saved it."),
    ],
)  # fmt: skip
def results_that_were_saved(torch: Any) -> str:
    starts = ["y = x ** 2", "y = torch.exp(x)", "y = x * 2"]
    found = [start for start in starts if ending(torch, f"{start}\ny.add_(1)") == "at backward"]
    return found[0] if len(found) == 1 else "all three"


@question(
    "L9.P7",
    "Exit ticket, from lesson 5. `w` is a leaf and `w.grad` is 4. After `with torch.no_grad(): w -= 0.1 * w.grad`, "
    "what is `w.grad`?",
    [
        Choice("4", "`.grad` changes only by a backward, or when somebody empties it",
               "It is now the gradient of a place where `w` no longer is. Empty it before the next backward."),
        Choice("0", "an update uses the gradient up", "It reads it. Nothing is taken away."),
        Choice("None", "a write to `w` throws its gradient away", "The box hangs on the tensor, and stays there."),
    ],
)  # fmt: skip
def grad_after_an_update(torch: Any) -> float:
    w = leaf(torch, 2.0)
    (w * w).backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return float(w.grad.item())


fill(
    "L9.F1",
    "Each of the ten programs starts with a leaf `x`, and is followed by `y.backward()`. What happens: an error "
    "`at once`, an error `at backward`, all is `fine`, or the gradient is `wrong` without a word?",
    lambda torch: {name: ending(torch, text) for name, text in SNIPPETS.items()},
    mistakes=[
        Mistake({"f": "at backward"}, "every write is counted", "Whose counter does a write through `.data` move?"),
        Mistake({"g": "wrong"}, "`detach()` hides a write as `.data` does",
                "A detached tensor shares the memory and also the version counter."),
        Mistake({"h": "fine"}, "what is done in `no_grad` does not count", "Recording is off. Counting is not."),
        *(Mistake({each: "at once"}, "a leaf refuses every write", "It refuses while operations are recorded.")
          for each in "hi"),
        *(Mistake({each: "at backward"}, "a tensor that was used must not be written to",
                  f"It matters whether its value was saved. Look again at {each}: what does each node need?")
          for each in "cdi"),
        *(Mistake({"a": each}, "a write to a leaf is a write like any other",
                  "`x` requires grad, and operations are recorded: in `a` it refuses.")
          for each in ("at backward", "fine", "wrong")),
        *(Mistake({each: "at once"}, "what was saved or used refuses writes",
                  f"Only a leaf that requires grad refuses. In {each} something else is written to.")
          for each in "bcdefgj"),
        *(Mistake({each: "fine"}, "a node keeps a copy of what it needs",
                  f"It keeps the memory. Which tensor did the node in {each} save, and is it written to?")
          for each in "befg"),
        *(Mistake({each: "wrong"}, "nobody watches what was saved",
                  f"Versions are watched, and what was not saved needs no watching. Look again at {each}.")
          for each in "bcdehij"),
        Mistake({"j": "at backward"}, "a write before the product harms it as one after it does",
                "Which version did the product note?"),
    ],
    hints=[
        "Three questions, in this order. Is a leaf written to while operations are recorded? Did a node save what is "
        "written to? Does the write move the counter?",
        "A sum saves no tensor, `x ** 2` saves `x`, exp saves its result, `x * 2` saves the number.",
        "One program errs at once, four at backward, and one is wrong without a word.",
    ],
    after="The only silent one went through .data.",
)  # fmt: skip


VERSIONS = """\
h = torch.ones(3)
h += 1
twin = h.detach()
twin.mul_(2)
copy = h.clone()
copy.zero_()
raw = h.data
raw.fill_(7)
new = h + 1"""


def _versions(torch: Any) -> dict[str, int]:
    names: dict[str, Any] = {"torch": torch}
    exec(VERSIONS, names)
    return {name: names[name]._version for name in ("h", "twin", "copy", "raw", "new")}


fill(
    "L9.F2",
    "The version of each tensor at the end of this program.",
    _versions,
    shown=VERSIONS,
    mistakes=[
        *(Mistake({each: 1}, "a detached tensor counts for itself",
                  "It shares memory and counter with `h`: a write to one is a write to both.")
          for each in ("twin", "h")),
        *(Mistake({each: 0}, "only `+=` writes", "A name that ends in an underscore writes, too.")
          for each in ("twin", "copy", "raw")),
        Mistake({"h": 3}, "every write to the same memory is counted together",
                "`.data` shares the memory and begins a counter of its own."),
        Mistake({"copy": 3}, "a copy goes on counting where the original was", "It is a new tensor, and begins at 0."),
        *(Mistake({"new": each}, "a new result carries on the count of its operands",
                  "It is a new tensor, and nobody has written to it.") for each in (2, 3)),
        *(Mistake({each: 3}, "every write to the same memory is counted together",
                  "`.data` shares the memory and begins a counter of its own.") for each in ("twin", "raw")),
        *(Mistake({each: wrong}, "to be made is a write, too", "A new tensor begins at 0.")
          for each, wrong in (("copy", 2), ("new", 1), ("raw", 2))),
    ],
    hints=[
        "Who shares a counter? A clone and a result are new tensors, and begin at 0.",
        "`h.detach()` shares the counter of `h`; `h.data` does not.",
    ],
    after="And h holds three sevens, which its counter knows nothing of.",
)  # fmt: skip

STALE = """\
x = torch.tensor(2.0, requires_grad=True)
h = x + 1
p = h * x
h.add_(1)
q = h * x
y = p + q
"""


def two_products() -> Trace:
    """A run in which `h` was saved twice, and written to in between."""
    return program(STALE)


def _stale_slots(trace: Trace) -> set[str]:
    """The names of the saved values whose tensor has moved on since."""
    current = {event.tensor: event.version for event in trace if isinstance(event, TensorModified)}
    parts, ops = names_of(trace), history_of(trace.events).ops
    stale = {
        (event.node, event.slot)
        for event in trace
        if isinstance(event, TensorSaved) and event.tensor in current and event.version != current[event.tensor]
    }
    return {f"{parts[op.id]}._saved_{slot}" for op in ops.values() for node, slot in stale if op.node == node}


def _meant(name: str, stale: set[str]) -> set[str]:
    """The saved values that a name is about: of all that a node saved those that are stale, if there are any."""
    all_of = name.removesuffix(ALL_SAVED)
    return {slot for slot in stale if slot.startswith(all_of)} or {name} if all_of != name else {name}


def _only_the_stale(names: list[str], trace: Trace) -> str:
    wanted = _stale_slots(trace)
    given = {slot for name in names for slot in _meant(name, wanted)}
    if any("_saved_" not in name for name in given):
        return "Saved values are the pockets below the cards."
    if sound := sorted(given - wanted):
        return f"{sound[0]} has the version that its tensor has now."
    return "" if given == wanted else "There is another one."


pick(
    "L9.T1",
    "Forward is done. Click the saved value that will stop backward.",
    two_products,
    _only_the_stale,
    hints=[
        "Both products saved h. Which of them did so before the write?",
        "The program stands beside the graph. Which product ran before the line that writes h?",
    ],
)


def _backward_works(answer: Any) -> str:
    try:
        answer(leaf(world_of(answer), 0.5)).backward()
    except RuntimeError as error:
        return f"It runs, but backward stops: {first_line(error)}"
    return ""


debug(
    "L9.D1",
    "Mend a function that gives (eˣ + 1)² + eˣ, so that backward works. Two of its writes do harm. The exponential "
    "should still be computed only once.",
    runs(0.5),
    _backward_works,
    agrees_with_differences(0.5, of=lambda x: (2.718281828459045**x + 1) ** 2 + 2.718281828459045**x),
    graph_holds(
        "There should be one ExpBackward0 in its graph.", lambda graph: graph.names.count("ExpBackward0") == 1, 0.5
    ),
    hints=[
        "Which nodes saved `e`, and at which version?",
        "exp saved its result, and the product its operands. Whatever they saved has to stay as it was.",
        "Give e + 1 a name of its own instead of writing it into e.",
    ],
    after="Only writes into what somebody had saved had to go.",
)


@exercise(
    "L9.D2",
    "Mend `step(w, rate)`: it should move the leaf `w` against its gradient, in place, and return a copy of the old "
    "value. The write has to be counted.",
    hints=[
        "Run it: the leaf refuses. Where does a leaf accept a write?",
        "Print what it returns before and after the next write to w. Is it a copy?",
        "with torch.no_grad(): around the write; and .clone() after .detach().",
    ],
    after="Optimizers write in the same way, and their writes are counted, too.",
)
def a_step_that_remembers(step: Any) -> str:
    if not callable(step):
        return "The answer should be a function of w and rate."
    w = leaf(world_of(step), 2.0)
    (w * w).backward()
    try:
        old = step(w, 0.25)
    except Exception as error:
        return f"It stops: {type(error).__name__}: {first_line(error)}"
    if w.item() != 2 - 0.25 * 4:
        return f"At 2, with the gradient 4 and the rate 0.25, w should become 1. It is {w.item():g}."
    if w._version == 0:
        return "The write was not counted: w is still at version 0. A backward that saved w would not notice."
    if not hasattr(old, "item") or old.item() != 2:
        return "What it returns should still be the old value, 2, after the write."
    return "What it returns should have no history." if old.requires_grad else ""
