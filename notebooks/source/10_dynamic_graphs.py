# %% [markdown] id="goals" source=["001-1", "001-3"] slide="slide"
# # Lesson 10 · Dynamic graphs
#
# **Why.** A sentence has five words or fifty. A game ends after three moves or three hundred. A program for such data has loops and branches, and its formula is another one for each input. In
# PyTorch that is no problem: the graph is not written down beforehand. It is what is left behind by the operations that *have run*. That is why it is called dynamic.
#
# **After this lesson** you can say which graph a program with `if`, `while` or recursion leaves, and differentiate through it.
#
# 85 minutes. You need lessons 1, 4 and 8.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="need" source=["001-2", "001-3", "001-6", "001-33"]
# ## First the plan, or first the run?
#
# | | static graph | dynamic graph |
# |---|---|---|
# | when it is made | before anything is computed | while it is computed, anew in each run |
# | known from | the first TensorFlow | PyTorch |
# | a branch | a special node, with both branches in the graph | Python's `if`; only the branch that was taken |
# | to look at a value | run the whole plan | `print`, in the next line or in a debugger |
# | good for | optimising the whole | trying things out, a notebook, another structure for each input |
#
# PyTorch is *eager*: each operation computes at once, and, if it is to be recorded, adds its node.

# %% id="eager" source="001-33"
x = torch.tensor([1.0, 2.0])
y = x + 1
print(y)  # the numbers are there; nothing waits for a plan
assert y.tolist() == [2, 3]

# %% [markdown] id="predict" source="001-20" stage="predict"
# ## Predict
#
# Two lines, with two branches.

# %% id="branches" source="001-20" stage="predict"
inputs = {"up": [1.0, 2.0], "down": [-1.0, -2.0]}


def f(x):
    if x.sum() > 0:
        return x * 2
    return x * x


# %% id="p1" source="001-20" stage="predict"
predict("L10.P1")

# %% id="p3" source="001-20" stage="predict"
predict("L10.P3")

# %% id="p2" source="001-22" stage="predict"
predict("L10.P2")

# %% [markdown] id="run" source=["001-20", "001-22", "001-23", "000-23"] stage="run"
# ## Run
#
# For each input there is a graph of its own.

# %% id="both-branches" source="001-20" stage="run" after=["L10.P1", "L10.P3"]
for name, numbers in inputs.items():
    x = torch.tensor(numbers, requires_grad=True)
    y = f(x)
    y.sum().backward()
    nodes = [node.name().rpartition("::")[2] if node else None for node, _ in y.grad_fn.next_functions]
    print(f"{name:5} {y.grad_fn.name()} -> {nodes}  x.grad {x.grad.tolist()}")

# %% [markdown] id="flag" source="000-23" stage="run"
# **By a flag.** The switch may be anything Python can ask. Both results are 4 here, and they are made in different ways.

# %% id="compute" source="000-23" stage="run"
a = torch.tensor(2.0, requires_grad=True)
for squared in (True, False):
    b = a * a if squared else a + a
    print(squared, b.item(), b.grad_fn.name())

# %% [markdown] id="loops" source=["001-22", "001-23"] stage="run" after="L10.P2"
# **A loop** leaves its turns in a row: $y = 2^5 x$. **A branch** may do nothing at all: then `y` *is* `x`, without any node. Its slope is 1. In the other branch it is $2x$.

# %% id="loop" source=["001-22", "001-23"] stage="run" after="L10.P2"
x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(5):
    y = y * 2
y.backward()
print("five turns  ", x.grad)
assert x.grad.item() == 2**5

for start in (-2.0, 2.0):
    x = torch.tensor(start, requires_grad=True)
    y = x if x.item() > 0 else x * x
    y.backward()
    print(f"start {start:4}  y is x: {y is x!s:5}  x.grad {x.grad.item()}")

# %% [markdown] id="recursion" source=["000-24", "001-24"] stage="run"
# **Recursion** is no different. The graph of $x^4$ does not show that a function has called itself.

# %% id="power" source=["000-24", "001-24"] stage="run"
x = torch.tensor(2.0, requires_grad=True)


def power(x, n):
    return x if n == 1 else x * power(x, n - 1)


y = power(x, 4)
y.backward()
print(y.item(), x.grad.item())
assert x.grad.item() == 4 * 2.0**3

# %% [markdown] id="investigate" source="001-20" stage="investigate"
# ## Investigate
#
# A loop that asks for a value in each turn. Here are two runs of the same lines, at 8 and at 3. In the second one, watch how a node comes with each turn. (Where widgets live, a slider shows it, too: `from autograd_lab import explore`, then
# `explore(grow, x=(3.0, 10.0))`.)

# %% id="record-two" source="001-22" stage="investigate"
enough = 50


def grow(x):
    y = x
    while y.item() < enough:
        y = y * x
    return y


with record() as short:
    x = torch.tensor(8.0, requires_grad=True)
    y = grow(x)
    y.backward()
with record() as long:
    u = torch.tensor(3.0, requires_grad=True)
    v = grow(u)
    v.backward()

# %% id="one-turn" source="001-22" stage="investigate"
figure(short, "At 8 one turn is enough: a single product, with both lines to the leaf.")

# %% id="p4" source="001-22" stage="investigate"
predict("L10.P4")

# %% id="three-turns" source="001-22" stage="investigate" after="L10.P4"
from autograd_lab.lessons import strip

figure(long, "At 3 the loop takes three turns: three products in a row, each with a second line to the leaf.")
figure(
    strip(short=short, long=long),
    "Each turn but the first has a value to keep: 4 bytes more. The leaf is there anyway.",
)

# %% [markdown] id="f1-goal" source=["001-21", "001-35"] stage="investigate"
# **Where the structure varies.** Sentences differ in length; trees of grammar and molecules in shape. In a game the moves decide what comes next. In a *mixture of experts* the input chooses the part of the network
# that computes. An agent may or may not call a tool. A search may branch. For some of these only the *shape* of the data matters, for others the values.
# (Six small programs of these kinds are bundled; in a terminal, `autograd-lab compare "experts 3" "experts -3"` plays two inputs side by side, and likewise `sentence`, `trajectory`, `molecule`, `agent` and `reasoning`.)
# Tell them apart:
#
# | name | program |
# |---|---|
# | line | `(x * 2 + 1).sum()` |
# | relu | `x.relu().sum()` |
# | rows | `for row in x: total = total + row * row` |
# | five | `for _ in range(5): x = x * 2` |
# | while | `y = x.sum()`, then `while y.item() < 100: y = y * 2` |
# | if | the `f` from above |

# %% id="f1-task" source=["001-21", "001-35"] stage="investigate"
task("L10.F1")

# %% id="f1" answers="L10.F1" stage="investigate"
depends_on = {"line": ..., "relu": ..., "rows": ..., "five": ..., "while": ..., "if": ...}
### BEGIN SOLUTION
depends_on = {
    "line": "nothing",
    "relu": "nothing",
    "rows": "shape",
    "five": "nothing",
    "while": "values",
    "if": "values",
}
### END SOLUTION

# %% id="f1-check" checks="L10.F1" stage="investigate"
check("L10.F1", depends_on)

# %% [markdown] id="says" source=["002-1", "002-2"] stage="says"
# ## The article says / PyTorch does
#
# One article gives four reasons for a graph: gradients of millions of parameters, operations fused or left out by a compiler, work spread over GPUs and their kin, memory reserved beforehand. The first one is autograd.
# To fuse, to leave out, to reserve takes a plan *before* the run; and eager PyTorch sends each operation to its GPU by itself. The article credits the graph with all four, and then
# describes eager PyTorch.

# %% id="says-002-e1" source=["002-1", "002-2"] defect="002-E1" stage="says"
# The article says: with the graph, the framework can reason about the entire model ahead of time.
# PyTorch does: without a compiler, it knows only what has run. A line that cannot work is noticed when it is reached.
x = torch.ones(2, 3, requires_grad=True)
reached = []
try:
    h = x * 2
    reached.append(h.grad_fn.name())
    out = h + torch.ones(5)
    reached.append(out.grad_fn.name())
except RuntimeError as error:
    print("RuntimeError:", str(error).splitlines()[0])
print("computed and recorded before that:", reached, h.sum().item())
assert reached == ["MulBackward0"]

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# Let the loop of `grow` stop earlier: with `enough` = 20. At 3 it now takes fewer turns.

# %% id="p5" stage="modify"
predict("L10.P5")

# %% id="sooner" stage="modify" after="L10.P5"
enough = 20
x = torch.tensor(3.0, requires_grad=True)
y = grow(x)
y.backward()
print("y", y.item(), " x.grad", x.grad.item())
assert y.item() == 3.0**3 and x.grad.item() == 3 * 3.0**2

# %% [markdown] id="make" source="001-24" stage="make"
# ## Make
#
# **As deep as needed.** The depth of this graph is decided by the data.

# %% id="m1-task" source="001-22" stage="make"
task("L10.M1")


# %% id="m1" answers="L10.M1" stage="make"
def halved(x):
    ...
    ### BEGIN SOLUTION
    while x.item() > 1:
        x = x * 0.5
    return x
    ### END SOLUTION


# %% id="m1-check" checks="L10.M1" stage="make"
check("L10.M1", halved)

# %% [markdown] id="make-power" source="001-24" stage="make"
# **Recursion with a small graph.** The one from above takes $n - 1$ products. You can do with far fewer.

# %% id="b1-task" source="001-24" stage="make"
task("L10.B1")


# %% id="b1" answers="L10.B1" stage="make"
def power(x, n):
    ...
    ### BEGIN SOLUTION
    if n == 1:
        return x
    if n % 2:
        return x * power(x, n - 1)
    half = power(x, n // 2)
    return half * half
    ### END SOLUTION


# %% id="b1-check" checks="L10.B1" stage="make"
check("L10.B1", power)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: `x` = 8 and `x` = 3 gave two formulas in `grow`. What is the slope of `grow` just where one formula takes over from the other? What does autograd say there?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p6" source="001-24" stage="exit"
predict("L10.P6")

# %% id="p7" stage="exit"
predict("L10.P7")

# %% [markdown] id="next"
# **Next:** [Lesson 20 · Compiling](20_compiling.ipynb) makes a plan of such a program after all, or [Lesson 11 · Network and loop](11_network_and_loop.ipynb). All lessons: [index](index.ipynb).
