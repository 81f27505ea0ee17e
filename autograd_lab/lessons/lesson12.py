"""Lesson 12, Your own operator: forward and backward by hand, what to save, and how to know that it is right."""

from __future__ import annotations

import importlib
import math
from types import ModuleType
from typing import Any

from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.moments import leaf, program
from autograd_lab.lessons.picking import pick
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.world import world_of
from autograd_lab.trace import Trace


@question(
    "L12.P1",
    "`W` and `b` require grad, and `y = torch.mm(x, W.t()) + b`. Somebody then writes `swish(x).sum().backward()`, "
    "with the data `x`, which does not require grad. What happens?",
    [
        Choice(
            "W.grad is filled",
            "whoever has computed with W before gets its gradient",
            "`swish(x)` does not depend on `W`. From its result no path leads to `y`, nor to `W`.",
        ),
        Choice(
            "W.grad is 0",
            "what has no influence gets the gradient 0",
            "There would have to be a path, with 0 on it. Here there is no graph at all.",
        ),
        Choice(
            "an error",
            "nothing behind the result requires grad, so there is nothing to differentiate",
            "It names element 0, the result itself.",
        ),
    ],
)
def the_missing_wire(torch: Any) -> str:
    weight, data = torch.ones((5, 3), requires_grad=True), torch.ones((10, 3))
    torch.mm(data, weight.t())
    try:
        swish(torch)(data).sum().backward()
    except RuntimeError:
        return "an error"
    return "W.grad is filled" if weight.grad is not None and bool((weight.grad != 0).any()) else "W.grad is 0"


@question(
    "L12.P2",
    "A Function keeps its input as `ctx.z = z` instead of `ctx.save_for_backward(z)`. Between forward and backward, "
    "`z` is overwritten in place. What happens in backward?",
    [
        Choice(
            "an error, as always",
            "PyTorch watches whatever a Function keeps",
            "It watches what was given to `save_for_backward`. An attribute is your own affair.",
        ),
        Choice(
            "a wrong gradient, silently",
            "an attribute is kept without its version",
            "The formula finds the new value and nobody complains.",
        ),
        Choice("the right gradient", "an attribute is a copy", "It is a second name for the same tensor."),
    ],
)
def kept_as_an_attribute(torch: Any) -> str:
    t = leaf(torch, 3.0)
    u = t * 1
    out = keeping(torch).apply(u)
    with torch.no_grad():
        u += 1
    try:
        out.backward()
    except RuntimeError:
        return "an error, as always"
    return "the right gradient" if t.grad.item() == 2 * 3.0 else "a wrong gradient, silently"


@question(
    "L12.P3",
    "`forward(ctx, x, k)` multiplies a tensor by a plain number `k`. How many things has `backward` to return?",
    [
        Choice(
            "1", "only tensors that require grad count", "Then PyTorch complains: it expected one for each argument."
        ),
        Choice("2", "one for each argument of forward, None for those without a gradient", "`return g * ctx.k, None`."),
        Choice("3", "the context counts, too", "`ctx` is handed in by PyTorch; the arguments are `x` and `k`."),
    ],
)
def how_many_gradients(torch: Any) -> int:
    for count in (1, 2, 3):

        class Scale(torch.autograd.Function):  # type: ignore[misc]  # the world is chosen at run time
            number = count

            @staticmethod
            def forward(ctx: Any, x: Any, k: float) -> Any:
                ctx.k = k
                return x * k

            @classmethod
            def backward(cls, ctx: Any, gradient: Any) -> Any:
                return (gradient * ctx.k, None, gradient)[: cls.number]

        try:
            Scale.apply(leaf(torch, 2.0), 3.0).backward()
        except RuntimeError:
            continue
        return count
    raise AssertionError("no number of gradients was accepted")


@question(
    "L12.P4",
    "Your `backward` returns the gradient with the wrong sign. What does PyTorch say in training?",
    [
        Choice(
            "it raises an error",
            "PyTorch compares with the true derivative",
            "It does not know it. That is what `gradcheck` is for.",
        ),
        Choice(
            "nothing at all",
            "what backward returns is believed",
            "The loss goes up instead of down, if one is lucky enough to look.",
        ),
        Choice(
            "it uses finite differences instead",
            "PyTorch can always differentiate by itself",
            "It calls your backward, and nothing else.",
        ),
    ],
)
def a_wrong_sign(torch: Any) -> str:
    class Wrong(torch.autograd.Function):  # type: ignore[misc]  # likewise
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return -2 * gradient

    x = leaf(torch, 1.0)
    try:
        Wrong.apply(x).backward()
    except RuntimeError:
        return "it raises an error"
    return "nothing at all" if x.grad.item() == -2 else "it uses finite differences instead"


@question(
    "L12.P5",
    "Exit ticket. `torch.argmax(x)` and `torch.round(x)`: `x` requires grad. Which of the two results can be sent "
    "backward?",
    [
        Choice(
            "both",
            "every operator has a derivative",
            "`argmax` gives a position, a whole number: it does not require grad.",
        ),
        Choice(
            "only round",
            "its derivative is 0 almost everywhere, and PyTorch says 0",
            "A gradient of 0 arrives: true, and useless.",
        ),
        Choice(
            "only argmax",
            "it picks an element, and sends the gradient there",
            "That is `max`. `argmax` gives the place, not the value.",
        ),
        Choice("neither", "steps have no slope", "Between its steps `round` is flat: slope 0."),
    ],
)
def with_and_without_slope(torch: Any) -> str:
    x = torch.tensor([1.2, 2.4], requires_grad=True)
    able = {"round": torch.round(x).requires_grad, "argmax": torch.argmax(x).requires_grad}
    names = [name for name, each in able.items() if each]
    return {2: "both", 0: "neither"}.get(len(names)) or f"only {names[0]}"


@question(
    "L12.P6",
    "Exit ticket, from lesson 7. A Function has saved its input with `save_for_backward`. Backward runs a second "
    "time, without `retain_graph`. What happens?",
    [
        Choice(
            "an error", "what was saved was freed after the first pass", "For your own Function just as for a product."
        ),
        Choice(
            "it works",
            "your own Functions are not part of the memory rules",
            "What `save_for_backward` keeps goes as everything that nodes save.",
        ),
        Choice("the gradient is 0", "what was freed counts as 0", "Nothing is guessed: PyTorch refuses."),
    ],
)
def a_function_twice(torch: Any) -> str:
    x = leaf(torch, 2.0)
    out = swish(torch)(x)
    out.backward()
    first = x.grad.item()
    try:
        out.backward()
    except RuntimeError:
        return "an error"
    return "the gradient is 0" if x.grad.item() == first else "it works"


def swish(torch: Any) -> Any:
    """`z · sigmoid(z)` as a Function of a world, with the derivative `s (1 + z (1 - s))`, where `s = sigmoid(z)`."""

    class Swish(torch.autograd.Function):  # type: ignore[misc]  # likewise
        @staticmethod
        def forward(ctx: Any, z: Any) -> Any:
            ctx.save_for_backward(z)
            return z * torch.sigmoid(z)

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (z,) = ctx.saved_tensors
            s = torch.sigmoid(z)
            return gradient * (s * (1 + z * (1 - s)))

    return Swish.apply


def keeping(torch: Any) -> Any:
    """A square that keeps its input as an attribute, where nobody watches its version."""

    class Keeping(torch.autograd.Function):  # type: ignore[misc]  # likewise
        @staticmethod
        def forward(ctx: Any, z: Any) -> Any:
            ctx.z = z
            return z * z

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return 2 * ctx.z * gradient

    return Keeping


def nn_of(torch: Any) -> ModuleType:
    """The layers of a world."""
    return importlib.import_module(f"{torch.__name__}.nn")


def mini_network() -> Trace:
    """A run of ReLU after a convolution of one small picture."""
    return program(
        "picture = torch.ones((1, 1, 3, 3))\nW = torch.full((1, 1, 2, 2), 0.5, requires_grad=True)\nb = torch.zeros(1, "
        "requires_grad=True)\nz = torch.nn.functional.conv2d(picture, W, b)\ny = torch.relu(z)\n"
    )


def _without_a_node(names: list[str], trace: Trace) -> str:
    if [name.partition(".")[0] for name in names] == ["picture"]:
        return ""
    if len(names) != 1 or names[0].partition(".")[0] not in ("W", "b"):
        return "Click one of the three inputs, and nothing else."
    return "That one asks for a gradient, so backward has a path to it."


pick(
    "L12.T1",
    "A convolution has three inputs. Click the one to which backward will send nothing.",
    mini_network,
    _without_a_node,
    hints=[
        "Which of them was made without `requires_grad`?",
        "Data asks for no gradient; weights and biases ask for one.",
    ],
)


def slopes_of_swish(torch: Any) -> dict[str, float]:
    """Value and slope of swish at 1 and at -2."""
    found: dict[str, float] = {}
    for at in (1.0, -2.0):
        z = leaf(torch, at)
        out = swish(torch)(z)
        out.backward()
        found |= {f"swish({at:g})": out.item(), f"slope({at:g})": z.grad.item()}
    return found


_S = 1 / (1 + math.exp(-1.0))
fill(
    "L12.F1",
    "swish(z) = z · s with s = sigmoid(z) = 1 / (1 + exp(-z)). Its slope is s · (1 + z · (1 - s)). Value and slope at "
    "1 and at -2.",
    slopes_of_swish,
    mistakes=[
        *(
            Mistake(each, "exp(z) stands below the line", "It is exp(-z): s is more than a half where z is positive.")
            for each in ({"swish(1)": 1 - _S}, {"swish(-2)": -2 / (1 + math.exp(-2.0))})
        ),
        Mistake({"swish(-2)": 1 / (1 + math.exp(2.0))}, "swish is the sigmoid", "That is s. It is multiplied by z."),
        Mistake({"slope(-2)": 0.0908}, "swish never falls", "Far to the left it falls before it rises: mind the sign."),
        Mistake(
            {"slope(1)": _S},
            "the sigmoid is a plain factor, without a slope of its own",
            "That is the slope of z alone, times s. But s grows with z as well: product rule.",
        ),
        Mistake({"slope(1)": _S * (1 - _S)}, "only the sigmoid has a slope", "z has one as well: product rule."),
    ],
    hints=["sigmoid(1) is about 0.73; sigmoid(-2) is about 0.12.", "Put s into the two formulas, with math.exp."],
)


def _checked(function: Any, torch: Any) -> str:
    """Whether an `apply` passes gradcheck at a few points."""
    points = torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
    try:
        torch.autograd.gradcheck(function, (points,))
    except Exception as error:
        return f"gradcheck is not content: {first_line(error)}"
    return ""


def _has_its_own_node(function: Any, torch: Any) -> str:
    node = function(torch.tensor([0.5], requires_grad=True)).grad_fn
    if not isinstance(node, torch.autograd.function.BackwardCFunction):
        return "Its result should come from a Function of yours."
    return ""


@exercise(
    "L12.D1",
    "Mend `Cube`: x³ as a Function. It runs, and gives a wrong gradient. What it needs in backward should be given to "
    "`save_for_backward`.",
    hints=[
        "The slope of x³ is 3x². What arrives has to be multiplied by it.",
        "An attribute of ctx is not watched. ctx.save_for_backward(x), and in backward ctx.saved_tensors.",
    ],
    after="gradcheck compared it with finite differences, and the pocket is one that PyTorch watches.",
)
def a_cube(cube: Any) -> str:
    if not hasattr(cube, "apply"):
        return "The answer should be the class itself."
    torch = world_of(cube.forward)
    if wrong := _checked(cube.apply, torch):
        return wrong
    x = torch.tensor([2.0], requires_grad=True)
    out = cube.apply(x * 1)
    if not any(torch.is_tensor(each) for each in out.grad_fn.saved_tensors):
        return "The gradient is right, but nothing was given to save_for_backward."
    return ""


@exercise(
    "L12.M1",
    "Write `Softplus`: log(1 + exp(x)) as a Function of your own, which passes gradcheck. Its slope is sigmoid(x).",
    hints=[
        "forward(ctx, x): compute, and save what backward will need.",
        "backward(ctx, gradient): what arrives, times sigmoid(x).",
        "Compute with tensors: torch.log(1 + torch.exp(x)), torch.sigmoid(x).",
    ],
    after="Your node stands in the graph by the name SoftplusBackward, with its pocket, like any other.",
)
def a_softplus(softplus: Any) -> str:
    if not hasattr(softplus, "apply"):
        return "The answer should be the class itself."
    torch = world_of(softplus.forward)
    points = torch.tensor([0.5, -1.0])
    found = softplus.apply(points)
    if found is None or not torch.is_tensor(found):
        return "forward should return a tensor."
    if not torch.allclose(found, torch.log(1 + torch.exp(points))):
        return "Its value is another one than log(1 + exp(x))."
    return _has_its_own_node(softplus.apply, torch) or _checked(softplus.apply, torch)
