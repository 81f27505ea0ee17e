# %% [markdown] id="goals" source="001-34" slide="slide"
# # Lesson 20 · Compiling
#
# **Why.** Eager has a price: Python sends each operation off by itself, and nobody sees the next one coming. With a plan one can *fuse* operations into one, leave Python out, spare
# memory, and arrange the work better. One way to get a plan: watch a run, and repeat its steps. That is a *trace*.
#
# **After this lesson** you can say what a plan of a program gains, what it has to check, and why a compiler sometimes makes a second one.
#
# 55 minutes. You need lesson 10.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="predict" stage="predict"
# ## Predict
#
# The function with two branches from lesson 10.

# %% id="branches" stage="predict"
inputs = {"up": [1.0, 2.0], "down": [-1.0, -2.0]}


def f(x):
    if x.sum() > 0:
        return x * 2
    return x * x


# %% id="once" stage="predict"
with record() as run:
    x = torch.tensor(inputs["up"], requires_grad=True)
    f(x).sum().backward()
figure(run, "At [1, 2] the sum is more than 0, so a product with 2 has run; the other branch left nothing.")

# %% id="p1" source="001-34" stage="predict"
predict("L20.P1")

# %% [markdown] id="run" stage="run" after="L20.P1"
# ## Run
#
# The plan says the same steps again, whatever comes.

# %% id="plan" source="001-34" stage="run" after="L20.P1"
from autograd_lab.lessons.lesson20 import Plan

plan = Plan(f, torch.tensor([1.0, 2.0]))
print("the plan     ", plan.names())
for numbers in inputs.values():
    x = torch.tensor(numbers)
    print(numbers, " f:", f(x).tolist(), " plan:", plan(x).tolist())

# %% [markdown] id="guards" source="001-34" stage="run" after="L20.P1"
# The plan has lost the question. `torch.compile(f)` in PyTorch keeps the advantage and mends that: it makes plans, too, but with each plan come **guards**. These are checks that what it took for granted still holds: shapes,
# dtypes, Python's numbers. If one fails, another plan is made. And where the *values* of a tensor decide, as in our `if`, it ends the plan before the question, lets Python ask it, and goes on with a plan for that
# branch. That is a *graph break*. You go on writing ordinary Python.
#
# Here is the idea of a guard in a few lines: a plan for each answer.

# %% id="guarded" source="001-34" stage="run"
plans = {}


def compiled(x):
    answer = bool(x.sum() > 0)  # the guard: which branch is due?
    if answer not in plans:
        plans[answer] = Plan(f, x)
    return plans[answer](x)


for numbers in [*inputs.values(), [5.0, 1.0]]:
    x = torch.tensor(numbers, requires_grad=True)
    y = compiled(x)
    print(numbers, y.tolist(), " plans:", len(plans), " still recorded:", y.grad_fn.name())
    assert torch.equal(y, f(x))

# %% [markdown] id="investigate" stage="investigate"
# ## Investigate
#
# **A compiler to look into.** `autograd_lab.compile` is called as `torch.compile` is. It runs the function once, takes down each call of numpy, forward and backward, and makes *one* short program of them, which runs from
# then on. What nobody asks for is left out, what is there already is not computed twice, and results share memory. PyTorch's compiler does the same with more art: it writes C++, in which one loop does several operations at once.

# %% id="compiled" source="001-34" stage="investigate"
import autograd_lab


def slow(x):
    x.exp()
    return (x * 2 + 1) * (x * 2 + 1)


quick = autograd_lab.compile(slow)
x = autograd_lab.tensor([1.0, 2.0, 3.0], requires_grad=True)
quick(x).sum().backward()
print(quick(x).tolist(), x.grad.tolist())
figure(
    quick,
    "First, all that was captured: exp, and the second x * 2 + 1, are struck through. Then what runs, and the same as Python.",
)

# %% id="passes" source="001-34" stage="investigate"
passes = quick.trace
figure(
    passes,
    "The same step by step: → does one thing, n goes on to the end of a pass. What a pass leaves out is struck through, and leaves an empty place; at the end, each array lies beside the lines that need it.",
)

# %% id="p2" source="001-34" stage="investigate"
predict("L20.P2")

# %% id="f1-task" stage="investigate"
task("L20.F1")

# %% id="f1" answers="L20.F1" stage="investigate"
plans_made = {"3, 3, 3": ..., "3, 4, 3": ..., "3, 4, 5": ...}
### BEGIN SOLUTION
plans_made = {"3, 3, 3": 1, "3, 4, 3": 2, "3, 4, 5": 3}
### END SOLUTION

# %% id="f1-check" checks="L20.F1" stage="investigate"
check("L20.F1", plans_made)

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# In `slow` a result that nobody uses was left out. Now somebody returns it.

# %% id="p3" stage="modify"
predict("L20.P3")

# %% [markdown] id="make" stage="make"
# ## Make
#
# **A compiler in six lines.** It asks a guard, and makes a plan when it has none.

# %% id="m1-task" stage="make"
task("L20.M1")


# %% id="m1" answers="L20.M1" stage="make"
def compiler(plan_for, guard):
    plans = {}

    def run(x):
        ### BEGIN SOLUTION
        if guard(x) not in plans:
            plans[guard(x)] = plan_for(x)
        return plans[guard(x)](x)
        ### END SOLUTION
        return plan_for(x)(x)

    return run


# %% id="m1-check" checks="L20.M1" stage="make"
check("L20.M1", compiler)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: a function is compiled, and each call is slower than plain Python was. What may have happened? Think of the guards.

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p4" stage="exit"
predict("L20.P4")

# %% id="p5" stage="exit"
predict("L20.P5")

# %% [markdown] id="next"
# **Next:** [Lesson 11 · Network and loop](11_network_and_loop.ipynb). All lessons: [index](index.ipynb).
