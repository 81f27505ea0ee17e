"""What is asked once before the lessons and once after them: six questions in plain words, and their twins.

Their wrong answers are what people believe most often. After the lessons come twins of the six, other
programs about the same beliefs, and four programs that no lesson shows.
"""

from __future__ import annotations

from typing import Any

from autograd_lab.lessons.moments import leaf
from autograd_lab.lessons.question import Choice, question

WORKS, FAILS = "it works", "it raises an error"
OPENING = "Q.P0"
"""What the index asks before anything else."""
BEFORE = ("Q.P1", "Q.P2", "Q.P3", "Q.P4", "Q.P5", "Q.P6")
TWINS = ("Q.P11", "Q.P12", "Q.P13", "Q.P14", "Q.P15", "Q.P16")
TRANSFER = ("Q.P21", "Q.P22", "Q.P23", "Q.P24")
FORMS = {"before": BEFORE, "after": TWINS + TRANSFER}
"""The ids of the questions of each moment, in their order."""


def raises(function: Any) -> bool:
    """Whether a call raises what PyTorch raises when backward cannot go on."""
    try:
        function()
    except RuntimeError:
        return True
    return False


def quietly(function: Any) -> Any:
    """What a call gives, without the warnings that come with it."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function()


@question(
    OPENING,
    "`y = (a + b) * (b + 1)`, with `a` = 1 and `b` = 2, so `y` is 9. Push `b` up a little, from 2 to 2.1. By about how "
    "much does `y` grow?",
    [
        Choice("0.1", "a push comes out as large as it went in", "Each bracket grows by 0.1, and then they multiply."),
        Choice(
            "0.2",
            "`b` stands in two places, so a push counts twice",
            "So it would be in a sum. Here each push is multiplied by the other 3.",
        ),
        Choice("0.3", "one bracket grows, and is multiplied by 3", "The other bracket grows, too: `b` is in both."),
        Choice(
            "0.6",
            "each bracket grows by 0.1, and counts 3 times, for the other bracket is 3",
            "0.3 from each bracket. So `y` grows 6 times as fast as `b`. That 6 is the *gradient* of `b`. Go to "
            "the last step of the picture with the key End: it stands in the drawer `.grad` of `b`.",
        ),
    ],
)
def little_push(torch: Any) -> float:
    def y(b: float) -> float:
        return float(((torch.tensor(1.0) + b) * (torch.tensor(b) + 1)).item())

    return round(y(2.1) - y(2.0), 1)


@question(
    BEFORE[0],
    "A program computes `y = x * x`, where `x` asks for a gradient, and stops there. It has not called backward. Has "
    "PyTorch noted down anything for backward?",
    [
        Choice("yes", "each operation makes its node when it runs", "`y.grad_fn` is there already."),
        Choice("no", "backward makes the notes", "Backward reads the notes. They are made while values are computed."),
    ],
)
def noted_before_backward(torch: Any) -> str:
    x = leaf(torch, 3.0)
    return "yes" if (x * x).grad_fn is not None else "no"


@question(
    BEFORE[1],
    "`x` is used twice: `y = 5 * x + 2 * x`. What is `x.grad` after `y.backward()`?",
    [
        Choice("5", "the first use of a number counts", "The second use brings 2 more."),
        Choice("2", "the last use of a number counts", "The first use brings 5 more."),
        Choice("7", "what comes back by two paths is added", "5 by one path and 2 by the other."),
        Choice("10", "what comes back by two paths is multiplied", "Along one path slopes multiply; two paths add up."),
    ],
)
def used_twice(torch: Any) -> float:
    x = leaf(torch, 3.0)
    (5 * x + 2 * x).backward()
    return float(x.grad.item())


@question(
    BEFORE[2],
    "A program does this twice, and nothing else: it computes `loss = 4 * x` and calls `loss.backward()`. What does "
    "`x.grad` say in the end?",
    [
        Choice(
            "4", "each backward begins with an empty `.grad`", "It adds to what is there, until somebody empties it."
        ),
        Choice("8", "each backward adds to `.grad`", "That is why training programs empty it in each turn."),
        Choice("16", "the second backward multiplies", "It brings 4 more, and they are added."),
    ],
)
def two_passes(torch: Any) -> float:
    x = leaf(torch, 2.0)
    for _ in range(2):
        (4 * x).backward()
    return float(x.grad.item())


@question(
    BEFORE[3],
    "`h = x * 2` and `y = h * h`, where `x` is a leaf with value 3. After `y.backward()`, what does `h.grad` say?",
    [
        Choice("None", "only leaves keep their gradient", "It went through `h` on its way to `x`, and was not kept."),
        Choice("0", "no gradient came through `h`", "It came through, or `x` would have got none. It was not kept."),
        Choice(
            "12", "each tensor keeps the gradient that comes through it", "Leaves do. Others are asked to beforehand."
        ),
    ],
)
def between(torch: Any) -> str:
    h = leaf(torch, 3.0) * 2
    (h * h).backward()
    return str(quietly(lambda: h.grad))


@question(
    BEFORE[4],
    "`y = x * x`. The program calls `y.backward()`, and then `y.backward()` once more. What does the second call do?",
    [
        Choice(
            WORKS, "a graph can be used as often as one likes", "The first call has emptied what the product saved."
        ),
        Choice(
            FAILS, "the first call frees what the nodes have saved", "`retain_graph=True` in the first call keeps it."
        ),
        Choice(
            "nothing happens", "a gradient is computed once", "A second call is a second pass. It misses something."
        ),
    ],
)
def twice_through_a_product(torch: Any) -> str:
    x = leaf(torch, 3.0)
    y = x * x
    y.backward()
    return FAILS if raises(y.backward) else WORKS


@question(
    BEFORE[5],
    "`h = x * 2` and `y = h * h`. Then `h.add_(1)` writes a new value into `h`. What does `y.backward()` do now?",
    [
        Choice("it uses the new value", "backward takes what it finds", "It would be the gradient of another formula."),
        Choice("it uses the old value", "a node keeps a copy", "It keeps no copy: it keeps `h`, and its version."),
        Choice(FAILS, "a node notices that what it saved was overwritten", "It saved version 0, and finds version 1."),
    ],
)
def overwritten(torch: Any) -> str:
    x = leaf(torch, 3.0)
    h = x * 2
    y = h * h
    h.add_(1)
    if raises(y.backward):
        return FAILS
    return "it uses the old value" if x.grad.item() == 24 else "it uses the new value"


@question(
    TWINS[0],
    "`y = x * x` at `x` = 3. Then, inside of `with torch.no_grad():`, comes `y.backward()`. What is `x.grad`?",
    [
        Choice("6", "the graph was recorded when `y` was computed", "`no_grad` switches recording off, not backward."),
        Choice("None", "under `no_grad` no graph is built, so nothing arrives", "It was built a line before."),
        Choice(
            FAILS, "backward needs recording to be on", "Backward reads what was recorded. It records nothing here."
        ),
    ],
)
def backward_under_no_grad(torch: Any) -> str:
    x = leaf(torch, 3.0)
    y = x * x
    with torch.no_grad():
        if raises(y.backward):
            return FAILS
    return "None" if x.grad is None else f"{x.grad.item():g}"


@question(
    TWINS[1],
    "One weight is used in two layers: `y = w * (w * x)` with `w` = 2 and `x` = 5. What is `w.grad`?",
    [
        Choice("10", "a shared weight gets the gradient of one of its layers", "10 come from either layer."),
        Choice(
            "20", "a shared weight gets the sum over all of its uses", "10 from the outer layer, 10 from the inner."
        ),
        Choice(
            "100", "the gradients of two layers are multiplied", "Paths add up; only along one path slopes multiply."
        ),
        Choice("5", "a weight's gradient is its input", "In the inner layer, yes; then comes the outer one, times 2."),
    ],
)
def shared_weight(torch: Any) -> float:
    w = leaf(torch, 2.0)
    (w * (w * 5)).backward()
    return float(w.grad.item())


@question(
    TWINS[2],
    "Four turns of a loop; each computes `loss = 3 * x` and calls `loss.backward()`. Only the third turn begins with "
    "`x.grad = None`. What does `x.grad` say in the end?",
    [
        Choice("3", "the last turn counts", "Turn 4 adds to what turn 3 left there."),
        Choice("6", "gradients add up from the last time they were emptied", "That was before turn 3: two turns of 3."),
        Choice("9", "three of four turns add up", "What turns 1 and 2 had brought is gone with the reset."),
        Choice("12", "a reset empties nothing that was computed", "It throws away what turns 1 and 2 had brought."),
    ],
)
def one_reset(torch: Any) -> float:
    x = leaf(torch, 2.0)
    for turn in range(1, 5):
        if turn == 3:
            x.grad = None
        (3 * x).backward()
    return float(x.grad.item())


@question(
    TWINS[3],
    "`h = x * 2`, `y = h * h` and `y.backward()`, at `x` = 3. Only now the program calls `h.retain_grad()`. What does "
    "`h.grad` say?",
    [
        Choice(
            "None", "whoever wants to keep a gradient has to say so before it comes through", "It has come and gone."
        ),
        Choice(
            "12", "the gradient is somewhere, and can be asked for later", "Nobody kept it. Only a new pass brings it."
        ),
        Choice(FAILS, "after backward a tensor takes no orders", "The call is allowed; it counts for the next pass."),
    ],
)
def retained_too_late(torch: Any) -> str:
    h = leaf(torch, 3.0) * 2
    (h * h).backward()
    if quietly(lambda: raises(h.retain_grad)):
        return FAILS
    return str(quietly(lambda: h.grad))


@question(
    TWINS[4],
    "`h = x * x`; `one = h + 1` and `two = h * 5`. First `one.backward()`, then `two.backward()`. What does the second "
    "call do?",
    [
        Choice(WORKS, "two results have two graphs", "They share the node of `h`, which the first pass has emptied."),
        Choice(FAILS, "what two results share is freed by the first pass", "`(one + two).backward()` needs no second."),
        Choice(
            "x.grad keeps the first gradient", "a leaf is served once", "The second pass does not get as far as `x`."
        ),
    ],
)
def shared_part(torch: Any) -> str:
    x = leaf(torch, 3.0)
    h = x * x
    one, two = h + 1, h * 5
    one.backward()
    return FAILS if raises(two.backward) else WORKS


@question(
    TWINS[5],
    "`s = torch.sigmoid(x)`, then `s.mul_(100)` to have percent, then `s.backward()`. What happens?",
    [
        Choice(
            "the gradient is 100 times as large",
            "a write in place is an operation like any other",
            "It is recorded. But the sigmoid had saved its result: its slope is computed from that.",
        ),
        Choice(FAILS, "the sigmoid had saved its result, and that was overwritten", "`s = s * 100` writes nothing."),
        Choice(
            "the gradient is that of the sigmoid alone",
            "a write in place is not recorded",
            "It is recorded, with a node of its own.",
        ),
    ],
)
def result_overwritten(torch: Any) -> str:
    s = torch.sigmoid(leaf(torch, 0.0))
    s.mul_(100)
    return FAILS if raises(s.backward) else "the gradient is 100 times as large"


@question(
    TRANSFER[0],
    "A loop of five turns keeps `history.append(loss)` after each `loss.backward()`. How many graphs are alive then?",
    [
        Choice(
            "0", "backward deletes the graph", "It frees what nodes saved. Nodes live as long as somebody holds them."
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
    TRANSFER[1],
    "In the very first turn of a training, somebody has swapped two lines: `optimizer.step()` comes before "
    "`loss.backward()`. What has become of the weight `w` = 2 after this turn?",
    [
        Choice(
            "it is still 2",
            "a step uses the gradients that are there, and there were none",
            "They come a line later, too late for this turn.",
        ),
        Choice(
            "it has moved as it should", "the step finds out what it needs", "A step reads `.grad` and nothing else."
        ),
        Choice(FAILS, "a step without gradients is refused", "What has no gradient is passed over in silence."),
    ],
)
def step_too_early(torch: Any) -> str:
    w = leaf(torch, 2.0)
    optimizer = torch.optim.SGD([w], lr=0.1)
    loss = w * w
    if raises(optimizer.step):
        return FAILS
    loss.backward()
    return "it is still 2" if w.item() == 2 else "it has moved as it should"


@question(
    TRANSFER[2],
    "Three layers, `y = c * (b * (a * x))`. Before, somebody froze the middle one: `b.requires_grad_(False)`. After "
    "`y.backward()`, which of the three has a gradient?",
    [
        Choice("c only", "the path ends at a frozen weight", "What ends is the path to `b`. That to `a` goes past it."),
        Choice("a and c", "frozen means: none for this weight; others get theirs", "To cut the path one detaches."),
        Choice("all three", "freezing concerns the optimizer", "It concerns recording: nothing leads to `b`."),
        Choice(
            "none of them", "one frozen weight freezes the network", "The others still ask, so a graph is recorded."
        ),
    ],
)
def frozen_in_the_middle(torch: Any) -> str:
    a, b, c = (leaf(torch, value) for value in (2.0, 3.0, 4.0))
    b.requires_grad_(False)
    (c * (b * (a * 5))).backward()
    found = "".join(name for name, it in (("a", a), ("b", b), ("c", c)) if it.grad is not None)
    return {"c": "c only", "ac": "a and c", "abc": "all three", "": "none of them"}[found]


@question(
    TRANSFER[3],
    "A batch `x` of shape (5, 2) gets a bias `b` of shape (2,), and the loss is `(x + b).mean()`. What does each of "
    "the two places of `b.grad` say?",
    [
        Choice("0.1", "each place of `b` counts once", "Each of them was added in all 5 rows."),
        Choice(
            "0.5", "each place was added in 5 rows, and the mean divides by 10", "What was spread out is summed up."
        ),
        Choice("1", "a bias has slope 1", "So it has in each row; but the mean divides, and the rows add up."),
        Choice("5", "the rows add up", "They do, and each brings a tenth, for the mean divides by 10."),
    ],
)
def bias_of_a_mean(torch: Any) -> float:
    b = torch.zeros(2, requires_grad=True)
    (torch.ones(5, 2) + b).mean().backward()
    return round(float(b.grad[0].item()), 6)
