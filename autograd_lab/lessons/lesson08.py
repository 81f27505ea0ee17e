"""Lesson 8, Stopping gradients: detach, no_grad, eval, and what each of them does not do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.events import BackwardStarted, TensorDetached
from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.graphs import shape_of
from autograd_lab.lessons.moments import after_forward, before, leaf, program, visited
from autograd_lab.lessons.picking import node_named, pick
from autograd_lab.lessons.question import Choice, question
from autograd_lab.lessons.world import world_of
from autograd_lab.trace import Trace


@question(
    "L8.P1",
    "`x` requires grad. `y = x * 2`, `z = y.detach()`, `w = z * 3`. What is `requires_grad` of `y`, `z` and `w`?",
    [
        Choice("True, True, True", "a tensor that came from `x` leads to `x`, whatever was done to it",
               "A detached tensor has no `grad_fn`: no path leads back from it."),
        Choice("True, False, False", "detach gives a new tensor without a past, and what is made of it has none either",
               "The cut is between `y` and `z`; `y` itself is as it was."),
        Choice("True, False, True", "the next operation records again",
               "It would, if one of its operands required grad. `z` and 3 do not."),
        Choice("False, False, False", "detach cuts `y` off", "It leaves `y` alone, and gives another tensor."),
    ],
    at=before(TensorDetached),
)  # fmt: skip
def behind_the_cut(torch: Any) -> str:
    y = torch.tensor([2.0, 3.0], requires_grad=True) * 2
    z = y.detach()
    w = z * 3
    return f"{y.requires_grad}, {z.requires_grad}, {w.requires_grad}"


@question(
    "L8.P2",
    "A model of a Linear and a Dropout. What does `model.eval()` switch off?",
    [
        Choice("recording", "eval means: no gradients now",
               "The result still has a `grad_fn`. To record nothing one needs `no_grad` or `inference_mode`."),
        Choice("dropout", "eval tells layers that behave otherwise in training to stop that",
               "BatchNorm is another one."),
        Choice("both", "eval is all that evaluation needs",
               "Values come out as they should, but a whole graph is built and kept for nothing."),
        Choice("the weights' requires_grad", "eval freezes the model",
               "`model.requires_grad_(False)` does that. `eval` touches no tensor."),
    ],
)  # fmt: skip
def what_eval_does(torch: Any) -> str:
    model = _model(torch)
    model.eval()
    if not all(each.requires_grad for each in model.parameters()):
        return "the weights' requires_grad"
    inputs = torch.ones(64)
    result = model(inputs)
    still = torch.equal(result, model(inputs))
    return {(True, True): "dropout", (True, False): "both", (False, False): "recording"}[still, result.requires_grad]


def _model(torch: Any) -> Any:
    return torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Dropout(0.5))


@question(
    "L8.P3",
    "Inside of `with torch.no_grad():` stands `w = torch.tensor(1.0, requires_grad=True)`. After it: `y = w * 2`. "
    "What is `requires_grad` of `w` and of `y`?",
    [
        Choice("False and False", "whatever is made inside of no_grad can have no gradient",
               "*Operations* are not recorded there. `w` is no result; it is what its line says."),
        Choice("True and False", "a tensor from inside of no_grad stays out of every graph",
               "It bears no mark. What is done with it later is recorded as usual."),
        Choice("True and True", "no_grad stops the recording of operations, and only while it lasts",
               "`w` is a leaf like any other."),
    ],
)  # fmt: skip
def a_leaf_from_inside(torch: Any) -> str:
    with torch.no_grad():
        w = torch.tensor(1.0, requires_grad=True)
    return f"{w.requires_grad} and {(w * 2).requires_grad}"


@question(
    "L8.P4",
    "`y = x * x.detach()` at `x` = 3, then `y.backward()`. What is `x.grad`?",
    [
        Choice("6", "the value is x², so the gradient is 2x",
               "The value is. But one of the two factors counts as a constant now."),
        Choice("3", "one factor counts as a constant, so its value is the gradient", "One path instead of two."),
        Choice("9", "the gradient is the value", "9 is `y`."),
        Choice("None", "detach cuts off `x`", "It cuts one of two paths. The other factor is `x` itself."),
    ],
    at=before(BackwardStarted),
)  # fmt: skip
def half_a_square(torch: Any) -> float:
    x = leaf(torch, 3.0)
    (x * x.detach()).backward()
    return float(x.grad.item())


@question(
    "L8.P5",
    "Now `y = (x * x).detach()`, and again `y.backward()`. What happens?",
    [
        Choice("x.grad is 0", "where no path leads, the gradient is 0",
               "Backward does not even begin: `y` has no node at which it could."),
        Choice("x.grad stays None, without an error", "backward quietly does nothing where there is nothing to do",
               "It refuses. A loss without a history is almost always a mistake."),
        Choice("RuntimeError", "backward needs a root that has a history or asks for a gradient",
               "`element 0 of tensors does not require grad and does not have a grad_fn`."),
        Choice("x.grad is 6", "detach takes effect at the next operation", "`y` itself is the detached one."),
    ],
)  # fmt: skip
def nothing_to_begin_at(torch: Any) -> str:
    x = leaf(torch, 3.0)
    try:
        (x * x).detach().backward()
    except RuntimeError:
        return "RuntimeError"
    return "x.grad stays None, without an error" if x.grad is None else f"x.grad is {x.grad.item():g}"


@question(
    "L8.P6",
    "Exit ticket. `q` was made inside of `torch.inference_mode()`, and `x` requires grad. Now, outside: `y = x * q`. "
    "What happens?",
    [
        Choice("it works, and q counts as a constant", "inference_mode is another name for no_grad",
               "After no_grad it would. An inference tensor has no version counter, so it cannot be saved."),
        Choice("an error at this line", "a tensor from inference_mode may never be saved for backward",
               "The product wants to save it, for the gradient of `x`. `q.clone()` helps."),
        Choice("an error at backward", "nobody looks at what is saved before backward",
               "Here one does: what cannot be watched is not saved."),
    ],
)  # fmt: skip
def an_inference_tensor_is_used(torch: Any) -> str:
    x = leaf(torch, 3.0)
    with torch.inference_mode():
        q = torch.ones(1) * 2
    try:
        y = x * q
    except RuntimeError:
        return "an error at this line"
    try:
        y.backward()
    except RuntimeError:
        return "an error at backward"
    return "it works, and q counts as a constant"


@question(
    "L8.P7",
    "Exit ticket, from lesson 4. `y = x * x + x`. How many gradients arrive at `x` in one backward?",
    [
        Choice("1", "one tensor gets one gradient", "Each use brings one. `.grad` holds their sum."),
        Choice("2", "two operations use `x`", "The product uses it twice."),
        Choice("3", "each use is an edge, and each edge brings one", "With `x.detach() * x + x` it would be two."),
    ],
)  # fmt: skip
def arrivals(torch: Any) -> int:
    x = leaf(torch, 3.0)
    return shape_of(x * x + x).paths()


TOOLS: dict[str, Callable[[Any, Any], Any]] = {
    "y.detach()": lambda torch, y: y.detach(),
    "y.data": lambda torch, y: y.data,
    "y.clone()": lambda torch, y: y.clone(),
    "no_grad: y * 1": lambda torch, y: _unrecorded(torch, y),
}


def _unrecorded(torch: Any, y: Any) -> Any:
    with torch.no_grad():
        return y * 1


def tile(torch: Any, tool: str) -> list[bool]:
    """What a tool's result has in common with what it came from: memory, version counter, history."""
    y = leaf(torch, 2.0) * 3
    made = TOOLS[tool](torch, y)
    history = made.requires_grad
    with torch.no_grad():
        made.add_(1)
    return [y.item() == made.item(), y._version == 1, history]


fill(
    "L8.F1",
    "y is a result with a history. What has each of the four new tensors in common with y: its memory, its version "
    "counter, its history? Three of True and False for each, in this order.",
    lambda torch: {tool: tile(torch, tool) for tool in TOOLS},
    mistakes=[
        Mistake({"y.detach()": [False, False, False]}, "a detached tensor is a copy", "Write to it, and look at y."),
        Mistake({"y.data": [True, True, False]}, "`.data` and `detach()` do the same",
                "Both share the memory. Whose writes does y's counter see?"),
        Mistake({"y.clone()": [False, False, False]}, "a copy has no past",
                "A clone is an operation. It was recorded."),
        Mistake({"y.detach()": [True, False, False]}, "a new tensor counts its own writes",
                "Write to it, and look at y._version."),
        Mistake({"y.data": [False, False, False]}, "`.data` is a copy", "Write to it, and look at y."),
        Mistake({"no_grad: y * 1": [False, False, True]}, "what is computed from y leads back to y",
                "If it was recorded. Here recording was off."),
        Mistake({"no_grad: y * 1": [True, True, False]}, "times 1 changes nothing, so y itself comes back",
                "An operation ran, and its result is a new tensor with memory of its own."),
    ],
    hints=[
        "Try it: make one, write to it under no_grad, and look at y and y._version.",
        "Two of them share the memory, and only one of those shares the counter.",
    ],
    after="No two of the four are alike.",
)  # fmt: skip


def with_a_cut() -> Trace:
    """A run in which one path from the loss is cut."""
    return program(
        "a = torch.tensor(2.0, requires_grad=True)\n"
        "b = torch.tensor(3.0, requires_grad=True)\n"
        "u = a * b\n"
        "v = u.detach()\n"
        "w = v * b\n"
        "y = w + a\n"
        "y.backward()\n"
    )


def _all_visited(names: list[str], trace: Trace) -> str:
    given, wanted = {node_named(name) for name in names}, set(visited(trace))
    if spare := sorted(given - wanted):
        return f"Backward from y never comes to {spare[0]}."
    return "" if given == wanted else f"So far it is right; {len(wanted - given)} missing."


pick(
    "L8.T1",
    "Backward is about to begin at y. Click every node that it will run; a leaf stands for its AccumulateGrad.",
    with_a_cut,
    _all_visited,
    step=after_forward,
    hints=[
        "Follow the lines back from y. Where does one end?",
        "The line from u to w is cut, where v was detached: no gradient passes there.",
    ],
    after="u keeps its node and what that saved, and waits in vain.",
)


@exercise(
    "L8.D1",
    "Mend `loss(value, w, now, later)`. The estimate `value(w, now)` should move towards a target "
    "`1 + 0.9 * value(w, later)`, and the target should stand still.",
    hints=[
        "How many paths lead from the loss to w? There should be one.",
        "The target should be a tensor of the same value, without a past.",
        "(1 + 0.9 * value(w, later)).detach()",
    ],
    after="Without the cut each update would move the target, too. Programs that learn games need this.",
)
def a_target_that_stands_still(loss: Any) -> str:
    if not callable(loss):
        return "The answer should be a function of value, w, now and later."
    w = leaf(world_of(loss), 0.5)
    try:
        found = loss(lambda weight, state: weight * state, w, 2.0, 3.0)
    except Exception as error:
        return f"It stops: {type(error).__name__}: {first_line(error)}"
    error_now = 0.5 * 2 - (1 + 0.9 * 0.5 * 3)
    if abs(found.item() - error_now**2) > 1e-4:
        return "The value of the loss is another one now."
    if not found.requires_grad:
        return "No path leads from the loss to w any more."
    if (paths := shape_of(found).paths()) != 1:
        return f"{paths} paths lead from the loss to w; one of them goes through the target."
    found.backward()
    right = abs(w.grad.item() - 2 * error_now * 2) < 1e-3
    return "" if right else "The one path that is left goes through the target."


@exercise(
    "L8.D2",
    "Mend `evaluate(model, inputs)`: dropout off, nothing recorded and nothing saved on the way. After it the model "
    "trains on as before.",
    hints=[
        "Look at requires_grad of what it returns, and at model.training afterwards.",
        "A detach at the end comes too late: everything was saved by then.",
        "with torch.no_grad(): around the call; model.train() after it.",
    ],
    after="eval() for the layers, no_grad() for the graph: one does not replace the other.",
)
def an_evaluation(evaluate: Any) -> str:
    if not callable(evaluate):
        return "The answer should be a function of model and inputs."
    torch, saved = world_of(evaluate), []
    model, inputs = _model(torch), torch.ones(64)

    def pack(tensor: Any) -> Any:
        saved.append(1)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        found = evaluate(model, inputs)
    if not torch.is_tensor(found):
        return "It should return what the model returns."
    training = model.training
    model.eval()
    if not torch.equal(found, model(inputs)):
        return "Dropout was on: that is not what the model returns in evaluation."
    if found.requires_grad or saved:
        if found.requires_grad:
            return "What it did was recorded."
        return "1 tensor was saved on the way." if len(saved) == 1 else f"{len(saved)} tensors were saved on the way."
    return "" if training else "After it the model is still in evaluation: dropout would stay off in training."


JOBS = ("log", "target", "copy", "twin", "freeze")


def _job_done(torch: Any, job: str, tool: Callable[[Any], Any]) -> bool:
    """Whether a function does one of the `JOBS` on the result of a product; for "freeze", on a model."""
    if job == "freeze":
        model = _model(torch)
        tool(model)
        return not any(each.requires_grad for each in model.parameters())
    y = leaf(torch, 2.0) * 3
    made = tool(y)
    if job == "log":
        return type(made) is float and made == 6.0
    same, history = made.item() == 6, made.requires_grad
    with torch.no_grad():
        made.add_(1)
    shares = y.item() == 7 and y._version == 1
    return same and {"target": shares and not history, "copy": y.item() == 6 and not history,
                     "twin": y.item() == 6 and history}[job]  # fmt: skip


@exercise(
    "L8.M1",
    "One line for each of five jobs, as a function of a tensor with a history, or of a model. `log`: a plain number. "
    "`target`: the same memory and counter, no history. `copy`: memory of its own, no history. `twin`: memory of its "
    "own, and gradients still come through. `freeze`: no parameter of the model asks for a gradient any more.",
    hints=[
        "Your tiles say which tool shares what. Two of the jobs need something else.",
        "A plain number: item(). A model has requires_grad_, too.",
        "For `copy` two tools stand one after the other: .detach().clone().",
    ],
)
def five_jobs(answer: Any) -> str:
    if not isinstance(answer, dict) or set(answer) != set(JOBS) or not all(map(callable, answer.values())):
        return f"The answer should be a dict of functions: {', '.join(JOBS)}."
    for job in JOBS:
        try:
            done = _job_done(world_of(answer[job]), job, answer[job])
        except Exception as error:
            return f"{job} stops: {type(error).__name__}: {first_line(error)}"
        if not done:
            return f"Look again at {job}."
    return ""
