"""Lesson 20, Compiling: a plan of a program, the guards that go with it, and what is left out."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import autograd_lab
from autograd_lab.lessons.exercise import exercise, first_line
from autograd_lab.lessons.fill import Mistake, fill
from autograd_lab.lessons.lesson10 import doubled_or_squared
from autograd_lab.lessons.moments import leaf
from autograd_lab.lessons.question import Choice, question


class Plan:
    """What a function did for one input, as a fixed list of steps that can be done for others: a static graph.

    Comparisons are answered for that one input, once and for all.
    """

    def __init__(self, function: Callable[[Any], Any], example: Any) -> None:
        self.steps: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
        self.result = function(Followed(self, 0, example)).place

    def __call__(self, x: Any) -> Any:
        made = [x]
        for work, operands in self.steps:
            made.append(work(*(made[each.place] if isinstance(each, Followed) else each for each in operands)))
        return made[self.result]

    def names(self) -> list[str]:
        """The steps, by what they do."""
        return [work.__name__ for work, _ in self.steps]


class Followed:
    """A tensor whose operations are noted down in a plan; `place` is where its value stands there."""

    def __init__(self, plan: Plan, place: int, value: Any) -> None:
        self.plan, self.place, self.value = plan, place, value

    def _then(self, work: Callable[..., Any], *operands: Any) -> Followed:
        values = [each.value if isinstance(each, Followed) else each for each in operands]
        self.plan.steps.append((work, operands))
        return Followed(self.plan, len(self.plan.steps), work(*values))

    def __add__(self, other: Any) -> Followed:
        return self._then(operator.add, self, other)

    def __mul__(self, other: Any) -> Followed:
        return self._then(operator.mul, self, other)

    def sum(self) -> Followed:
        return self._then(total, self)

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > other)


def total(x: Any) -> Any:
    """The sum of all entries, under a name for plans."""
    return x.sum()


@question(
    "L20.P1",
    "A plan of `f` was made by watching what it does for [1, 2]. Now the plan is run for [-1, -2]. What comes out?",
    [
        Choice(
            "[1.0, 4.0]",
            "a plan contains the condition",
            "That is what `f` gives. In the plan the question was answered once, when it was made.",
        ),
        Choice(
            "[-2.0, -4.0]",
            "a plan repeats the steps that it saw",
            "Wrong, and without any complaint. `torch.jit.trace` makes such plans; it warns while it makes them.",
        ),
        Choice("an error", "a plan notices that another branch is due", "It would have to check: that is a guard."),
    ],
)
def a_plan_for_other_values(torch: Any) -> str:
    plan = Plan(doubled_or_squared, torch.tensor([1.0, 2.0]))
    return str(plan(torch.tensor([-1.0, -2.0])).tolist())


def slow(x: Any) -> Any:
    """What lesson 20 compiles: with a line too many, and the same twice."""
    x.exp()
    return (x * 2 + 1) * (x * 2 + 1)


@question(
    "L20.P2",
    "`quick` was called with 3 entries, and has a plan for them. Now it is called with 4. What happens?",
    [
        Choice(
            "the plan runs, and gives 3 entries",
            "once there is a plan, nobody looks any more",
            "That would be a trace without guards. Here a guard asks for the shape before each run.",
        ),
        Choice("an error", "a compiled function is made for one shape", "A guard that fails is no error."),
        Choice(
            "a second plan is made",
            "a guard notices the other shape, and the function is captured once more",
            "The first plan stays, for the next 3 entries. PyTorch makes its second one for any number of entries.",
        ),
    ],
)
def a_compiled_function_with_another_shape(torch: Any) -> str:
    quick = autograd_lab.compile(slow)
    quick(autograd_lab.ones(3))
    try:
        given = quick(autograd_lab.ones(4))
    except RuntimeError:
        return "an error"
    if len(quick.entries) == 2 and given.shape == (4,):
        return "a second plan is made"
    return f"the plan runs, and gives {len(given)} entries"


def used(x: Any) -> Any:
    """As `slow`, and what was of no use there is returned."""
    return (x * 2 + 1) * (x * 2 + 1) + x.exp()


def exps_in(function: Callable[[Any], Any]) -> int:
    """How many times a compiled function computes exp."""
    quick = autograd_lab.compile(function)
    quick(autograd_lab.ones(3))
    return quick.listing.count("exp(")


@question(
    "L20.P3",
    "`slow` computed `x.exp()` and used it nowhere; its plan had no exp. `used` is the same, but it adds `x.exp()` to "
    "the result. How often does its plan compute exp?",
    [
        Choice("0", "a compiler leaves out what is slow", "It leaves out what nobody asks for. Somebody does, now."),
        Choice("1", "what is asked for stays, and is computed once", "Leaving it out would change the result."),
        Choice(
            "2", "each line becomes two, forward and backward", "Its slope is its own result: that is there already."
        ),
    ],
)
def exp_that_is_used(torch: Any) -> int:
    assert exps_in(slow) == 0
    return exps_in(used)


@question(
    "L20.P4",
    "Exit ticket. A plan was made for 3 entries, all positive. Which of these calls does a guard for shapes *not* "
    "notice?",
    [
        Choice("one with 4 entries", "a guard looks at values", "It looks at the shape, and that is another one."),
        Choice("one with a negative entry", "the shape is the same, and values are not looked at", "If a value decides "
               "in the program, the plan has to end before that question."),
        Choice("one with 3 rows of 3", "only the first dimension counts", "A shape is all of its dimensions."),
    ],
)  # fmt: skip
def unseen_by_the_guard(torch: Any) -> str:
    calls = {
        "one with 4 entries": [1.0, 1.0, 1.0, 1.0],
        "one with a negative entry": [-1.0, 1.0, 1.0],
        "one with 3 rows of 3": [[1.0, 1.0, 1.0]] * 3,
    }
    [unseen] = [name for name, numbers in calls.items() if torch.tensor(numbers).shape == torch.ones(3).shape]
    return unseen


@question(
    "L20.P5",
    "Exit ticket, from lesson 10. `y = x * 2 if x.item() > 0 else x * x`, at `x` = -3. What is `x.grad` after "
    "`y.backward()`?",
    [
        Choice("2", "the first branch is what is written first", "It did not run. What ran is the square."),
        Choice("-6", "the branch that ran has the slope 2x", "And nothing of the other one is in the graph."),
        Choice("-4", "both branches count", "Only what has run is in the graph."),
        Choice("None", "a question in between cuts the graph", "It asks for a number, and leaves `x` as it is."),
    ],
)
def branch_that_ran(torch: Any) -> float:
    x = leaf(torch, -3.0)
    y = x * 2 if x.item() > 0 else x * x
    y.backward()
    return float(x.grad.item())


def plans_for(sizes: str) -> int:
    """How many plans `slow` has after calls with so many entries."""
    quick = autograd_lab.compile(slow)
    for size in sizes.split(", "):
        quick(autograd_lab.ones(int(size)))
    return len(quick.entries)


fill(
    "L20.F1",
    "`quick = autograd_lab.compile(slow)`, new each time, is called three times. The tensors have so many entries: how "
    "many plans are there in the end? (PyTorch would need fewer: its second plan is for any number of entries.)",
    lambda torch: {sizes: plans_for(sizes) for sizes in ("3, 3, 3", "3, 4, 3", "3, 4, 5")},
    mistakes=[
        Mistake({"3, 3, 3": 3}, "each call makes a plan", "The guard is asked first: the shape is the same."),
        Mistake(
            {"3, 4, 3": 3}, "a new plan takes the place of the old one", "The first plan stays, for the next 3 entries."
        ),
        Mistake(
            {"3, 4, 3": 1, "3, 4, 5": 1}, "one plan is for all", "It was made for a shape, and a guard looks at that."
        ),
    ],
    hints=["A plan is made when no guard holds.", "Plans stay. How many different shapes are there?"],
)


@exercise(
    "L20.M1",
    "Write `compiler(plan_for, guard)`. It returns a function of `x`. `guard(x)` says what a plan depends on, and "
    "`plan_for(x)` makes a plan, a function of `x`, which takes long. For each answer of the guard make a plan once.",
    hints=[
        "Keep plans in a dict. Where must it stand, so that it is there at the next call?",
        "The key is what the guard says. Make a plan only if the key is not there yet.",
    ],
)
def plans_by_guard(compiler: Any) -> str:
    made: list[int] = []

    def plan_for(x: list[float]) -> Callable[[list[float]], float]:
        size = len(x)
        made.append(size)
        return lambda given: sum(given) if len(given) == size else float("nan")

    try:
        quick = compiler(plan_for, len)
        found = [quick([1.0] * size) for size in (3, 4, 3, 3, 4)]
    except Exception as error:
        return f"It stops: {type(error).__name__}: {first_line(error)}"
    if found != [3, 4, 3, 3, 4]:
        return "Some call used a plan that was made for another size."
    return "" if len(made) == 2 else f"Five calls, two sizes, and {len(made)} plans were made."
