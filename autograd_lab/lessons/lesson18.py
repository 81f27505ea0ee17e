"""Lesson 18, Gates and rates: sum, product, max and copy as gates; softmax with cross-entropy, by hand."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.lessons.exercise import exercise
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.moments import leaf
from autograd_lab.lessons.question import Choice, question

LOGITS = (2.0, 1.0, 0.0)
"""The scores of the three classes that the exercise is about; the second one is right."""
RIGHT = 1


@question(
    "L18.P1",
    "When `x` grows, `u` grows 3 times as fast. When `u` grows, `y` grows 2 times as fast. When `x` grows, how fast "
    "does `y` grow?",
    [
        Choice(
            "2 times as fast", "only the last wheel counts", "The last one turns 2 times as fast as `u`, and `u` turns."
        ),
        Choice(
            "5 times as fast",
            "rates along one path are added",
            "Where two paths meet, they are. Along one they multiply.",
        ),
        Choice("6 times as fast", "rates along one path are multiplied", "That is the whole chain rule: 3 · 2."),
    ],
)
def two_wheels(torch: Any) -> str:
    x = leaf(torch, 1.0)
    ((x * 3) * 2).backward()
    return f"{x.grad.item():g} times as fast"


@question(
    "L18.P2",
    "A gradient of 5 arrives at `s = a + b`, with `a` = 100 and `b` = 1. What does the sum send back?",
    [
        Choice(
            "5 to each", "a sum distributes: everybody gets all of it", "However large what was added: its slope is 1."
        ),
        Choice("2.5 to each", "a sum shares out what comes", "It copies. If `a` grows by 1, so does the sum."),
        Choice(
            "500 and 5", "who brings more gets more", "That is what a product does, crosswise. A sum asks for no value."
        ),
    ],
)
def sum_distributes(torch: Any) -> str:
    a, b = leaf(torch, 100.0), leaf(torch, 1.0)
    (5 * (a + b)).backward()
    return (
        f"{a.grad.item():g} to each" if a.grad.item() == b.grad.item() else f"{a.grad.item():g} and {b.grad.item():g}"
    )


@question(
    "L18.P3",
    "`y = a * b`, with `a` = 100 and `b` = 0.5. Whose gradient is larger?",
    [
        Choice(
            "a gets more",
            "the larger factor gets the larger gradient",
            "Crosswise: `a` gets 0.5, the value of the other.",
        ),
        Choice(
            "b gets more",
            "a product switches: each factor gets the value of the other",
            "`b` gets 100: its push moves `y` a lot.",
        ),
        Choice(
            "both get the same",
            "a product treats its factors alike",
            "It does: to each it sends the value of the other.",
        ),
    ],
)
def product_switches(torch: Any) -> str:
    a, b = leaf(torch, 100.0), leaf(torch, 0.5)
    (a * b).backward()
    return "a gets more" if a.grad.item() > b.grad.item() else "b gets more"


@question(
    "L18.P4",
    "`m = torch.maximum(a, b)` with `a` = 3 and `b` = 7. A gradient of 5 arrives at `m`. What do `a` and `b` get?",
    [
        Choice(
            "5 and 5", "both went in, so both get it", "Push `a` a little: the maximum stays 7. So nothing for `a`."
        ),
        Choice("0 and 5", "a max routes: all goes to the one that was taken", "Push `b`, and the maximum follows."),
        Choice("15 and 35", "each gets its value times what came", "Values do not count here, only who was larger."),
        Choice("None and 5", "the one that was not taken leaves the graph", "It is in the graph, and it gets a 0."),
    ],
)
def max_routes(torch: Any) -> str:
    a, b = leaf(torch, 3.0), leaf(torch, 7.0)
    (5 * torch.maximum(a, b)).backward()
    return " and ".join("None" if it.grad is None else f"{it.grad.item():g}" for it in (a, b))


@question(
    "L18.P5",
    "Now `a` and `b` are both 3, and a gradient of 1 arrives at `torch.maximum(a, b)`. What do they get in PyTorch?",
    [
        Choice(
            "1 and 0", "the first one wins", "So it is where a max returns a place, too, as `x.max(dim=0)`. Not here."
        ),
        Choice("1 and 1", "both are the maximum", "Then both pushed together would count twice. Together it is 1."),
        Choice(
            "0.5 and 0.5", "PyTorch shares out between equals", "A kink has no slope; this is a choice in the middle."
        ),
        Choice("0 and 0", "where there is no slope, it is 0", "relu does so at 0. maximum shares out."),
    ],
)
def equals_share(torch: Any) -> str:
    a, b = leaf(torch, 3.0), leaf(torch, 3.0)
    torch.maximum(a, b).backward()
    return f"{a.grad.item():g} and {b.grad.item():g}"


@question(
    "L18.P6",
    "Exit ticket. Softmax gives the right class the probability 0.9. What is the gradient of the cross-entropy for the "
    "score of that class?",
    [
        Choice(
            "0.9", "the gradient is the probability", "So it is for each wrong class. The right one has 1 taken off."
        ),
        Choice(
            "-0.1", "the gradient is probability minus 1 for the right class", "Nearly right: nearly nothing to learn."
        ),
        Choice(
            "0", "it is the largest already, so nothing changes", "Softmax never gets to 1, so a little always stays."
        ),
        Choice("-1", "the right class is pulled with all force", "So it would be at probability 0."),
    ],
)
def nearly_right(torch: Any) -> str:
    scores = torch.tensor([[math.log(9.0), 0.0]], requires_grad=True)
    torch.nn.functional.cross_entropy(scores, torch.tensor([0])).backward()
    return f"{round(scores.grad[0, 0].item(), 4):g}"


@question(
    "L18.P7",
    "Exit ticket, from lesson 4. `b` is copied to three places, and the gradients 2, 3 and -1 come back. What is "
    "`b.grad`?",
    [
        Choice("4", "a copy adds: what comes back from all places is summed up", "2 + 3 - 1."),
        Choice("-1", "the last one counts", "None replaces another. AccumulateGrad waits for all three."),
        Choice("-6", "what comes back is multiplied", "Along one path rates multiply. Here three paths meet."),
        Choice("3", "the largest counts", "That is what forward does in a max. Gradients that meet are added."),
    ],
)
def copy_adds(torch: Any) -> float:
    b = leaf(torch, 1.0)
    (2 * b + 3 * b - b).backward()
    return float(b.grad.item())


def gates(torch: Any) -> dict[str, float]:
    """The gradients of `y = maximum(a * b, c) + a` at 4, 2 and 5."""
    a, b, c = leaf(torch, 4.0), leaf(torch, 2.0), leaf(torch, 5.0)
    (torch.maximum(a * b, c) + a).backward()
    return {"a": a.grad.item(), "b": b.grad.item(), "c": c.grad.item()}


fill(
    "L18.F1",
    "`y = torch.maximum(a * b, c) + a`, with `a` = 4, `b` = 2, `c` = 5. Go back from 1 at `y`, gate by gate, without a "
    "formula. Which gradients get to a, b and c?",
    gates,
    mistakes=[
        Mistake(
            {"a": 2}, "the sum at the end sends nothing to its second operand", "It distributes: 1 goes to `a`, too."
        ),
        Mistake(
            {"a": 1},
            "the first path that comes to `a` counts",
            "A copy adds: 1 from the sum, and what the product sends.",
        ),
        Mistake(
            {"c": 1}, "a max sends to everybody", "It routes: the product is 8 and was taken, `c` is 5 and was not."
        ),
        Mistake({"a": 5, "b": 2}, "each factor gets its own value", "A product switches: each gets the other's."),
    ],
    hints=[
        "The sum at the end hands its 1 to both sides.",
        "Which of the two was larger, the product or `c`? That one gets all of it.",
        "The product switches: `a` gets the value of `b`, and `b` that of `a`. And `a` is used in two places.",
    ],
)


def terms(torch: Any) -> dict[str, Any]:
    """What softmax and cross-entropy give term by term, and what comes back at each: by autograd."""
    z = torch.tensor(LOGITS, requires_grad=True)
    e = z.exp()
    s = e.sum()
    p = e / s
    loss = -p[RIGHT].log()
    for each in (e, s, p):
        each.retain_grad()
    loss.backward()
    return {"p": p.grad, "s": s.grad, "e": e.grad, "z": z.grad}


LINES = """\
z = torch.tensor([2.0, 1.0, 0.0], requires_grad=True)
e = z.exp()            # one for each class
s = e.sum()            # one number
p = e / s              # softmax: probabilities
loss = -p[1].log()     # cross-entropy, if class 1 is right"""


@exercise(
    "L18.M1",
    "Derive it by hand, term by term. `backward_by_hand(e, s, p)` gets what forward left, as lists and a number of "
    "Python, and returns four gradients: a dict with p (a list of 3), s (a number), e and z (lists of 3). Class 1 "
    "is right.",
    hints=[
        "Begin at the end. Only p[1] is in the loss: the slope of -log(p[1]) is -1 / p[1]. The other two get 0.",
        "p = e / s: to s goes the sum over all i of p.grad[i] · (-e[i] / s²). Only i = 1 counts.",
        "e is used twice, so a copy adds: p.grad[i] / s through the quotient, and s.grad through the sum.",
        "The slope of exp is exp itself: z.grad[i] = e.grad[i] · e[i]. Now compare it with p.",
    ],
    after="And z.grad is p, with 1 taken off at the right class. After all that division, a subtraction is left.",
)
def by_hand(answer: Any) -> str:
    from autograd_lab.lessons.fill import plain, wrong_places
    from autograd_lab.lessons.world import world

    e = [math.exp(each) for each in LOGITS]
    s = sum(e)
    given, wanted = answer(e, s, [each / s for each in e]), plain(terms(world("autograd_lab")))
    if not isinstance(given, dict) or given.keys() != wanted.keys():
        return "It should return a dict with the keys 'p', 's', 'e' and 'z'."
    for name in wanted:
        if wrong_places(plain(given[name]), wanted[name], 1e-3):
            return f"The gradient of {name} is not what autograd gets there. What comes before it is right."
    return ""
