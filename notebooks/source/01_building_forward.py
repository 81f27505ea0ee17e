# %% [markdown] id="goals" source=["000-5", "001-4"] slide="slide"
# # Lesson 1 · Building forward
#
# **Why.** You write ordinary Python, line after line, and PyTorch computes the numbers. Nobody declares a graph, and yet there is one in the end. When does it come about,
# and what is it made from? If you know what each line adds, no later picture will surprise you.
#
# **After this lesson** you can say for a line of code which nodes it adds, which edges they have, and where nothing is recorded.
#
# 55 minutes. You need lesson 0.

# %% id="world"
import math

from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="need" source="000-5"
# ## An expression in three operations
#
# Take $y = (a + b)\cdot(b + 1)$ with $a = 2$ and $b = 3$. There are two inputs. Then come $c = a + b$, $d = b + 1$, and at last
# $y = c \cdot d$. What goes into an operation are its *operands*: those of $b + 1$ are $b$ and 1. A node says what kind of operation ran,
# and to whose nodes a gradient will have to go. The result of an operation has its node under `grad_fn`.

# %% [markdown] id="predict" source="000-6" stage="predict"
# ## Predict

# %% id="record" source="000-6" stage="predict"
with record() as run:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    c = a + b
    d = b + 1
    y = c * d

# %% id="p1" source="000-6" stage="predict"
predict("L1.P1")

# %% id="p2" source="001-4" stage="predict"
predict("L1.P2")

# %% id="p3" source="001-8" stage="predict"
predict("L1.P3")

# %% [markdown] id="run" source=["000-6", "000-7"] stage="run" after="L1.P1"
# ## Run
#
# Each of the three operations did two things: it computed a value, and it recorded a node. So the graph grew line by line, while the program ran. That is called
# *define by run*.
#
# Now the values, and the name of each tensor's node. A leaf has no `grad_fn`: no recorded operation made it.

# %% id="grow" source="000-6" stage="run"
for name, each in {"a": a, "b": b, "c": c, "d": d, "y": y}.items():
    print(name, each.item(), each.grad_fn.name() if each.grad_fn is not None else "no grad_fn")
assert (c.item(), d.item(), y.item()) == (5, 4, 20)
assert a.grad_fn is None and y.grad_fn.name() == "MulBackward0"

# %% [markdown] id="polynomial" source=["001-4", "001-7", "001-9"] stage="run"
# **A polynomial.** $y = x^2 + 3x + 1$, in pieces: $a = x^2$, $b = 3x$, $y = a + b + 1$. Each node saves what the derivative of its own operation needs, and
# no other values: the product `x * x` saves `x`; a sum saves no tensor.

# %% id="pieces" source=["001-7", "001-9", "001-10"] stage="run"
x = torch.tensor(2.0, requires_grad=True)
a = x * x
b = 3 * x
y = a + b + 1
print(y)
assert str(y) == "tensor(11., grad_fn=<AddBackward0>)"
print("saved by x * x:", a.grad_fn._saved_self, " saved by the last sum:", hasattr(y.grad_fn, "_saved_self"))
assert a.grad_fn._saved_self is x and not hasattr(y.grad_fn, "_saved_self")

# %% [markdown] id="three-terms" source=["002-3", "002-4"] stage="run"
# **Two inputs and five operations.** $f(x_1, x_2) = \ln x_1 + x_1 x_2 - \sin x_2$. Leaves are $x_1$ and $x_2$. Python works from left to right, so the difference is
# the last operation. Its node is the **root** of the graph: there backward will begin.

# %% id="three-kinds" source=["002-3", "002-4"] stage="run"
x1 = torch.tensor(2.0, requires_grad=True)
x2 = torch.tensor(5.0, requires_grad=True)
f = torch.log(x1) + x1 * x2 - torch.sin(x2)
print(f"f = {f.item():.4f}  root: {f.grad_fn.name()}")
assert round(f.item(), 4) == 11.6521 and f.grad_fn.name() == "SubBackward0"

# %% [markdown] id="investigate" stage="investigate"
# ## Investigate
#
# Step through the five lines of the first run. Which step adds a node with its edges, and which one a saved value? (The last two steps save; gray cards come later.)

# %% id="steps" source=["000-6", "001-5"] stage="investigate"
figure(
    run,
    "Two leaves `a` and `b`; three operations appear one after the other: `c = a + b`, `d = b + 1`, and `y = c * d`, which saves `c` and `d`.",
)

# %% id="t1" stage="investigate"
task("L1.T1")

# %% id="f1-task" source="002-3" stage="investigate"
task("L1.F1")

# %% id="f1" answers="L1.F1" stage="investigate"
values = {"ln": ..., "product": ..., "sum": ..., "sine": ..., "f": ...}
### BEGIN SOLUTION
values = {"ln": 1.3863, "product": 8, "sum": 9.3863, "sine": 0.9093, "f": 8.4770}
### END SOLUTION

# %% id="f1-check" checks="L1.F1" stage="investigate"
check("L1.F1", values)

# %% [markdown] id="composition" source="001-6" stage="investigate"
# **What one gets from it.** Since the graph is what ran, loops, branches and recursion need no special syntax; a value can be printed in the middle; a notebook can go on
# line by line; and for another input the graph may be another one. Lesson 10 is about that.

# %% [markdown] id="says" stage="says"
# ## The article says / PyTorch does
#
# For those who have read the articles; others may go on to *Modify*. Two small things. But anyone who believes them will look for nodes that are
# not there.

# %% id="says-001-e1" source=["001-5", "001-8"] defect="001-E1" stage="says"
# The article says: (in two sketches) x*x + 3*x + 1 ends in one box for all that is added, and x*x is called square.
# PyTorch does: each plus is a node of two operands; x*x is MulBackward0 with two edges to x's AccumulateGrad.
x = torch.tensor(2.0, requires_grad=True)
y = x * x + 3 * x + 1
last_sum = y.grad_fn
first_sum = last_sum.next_functions[0][0]  # the node of its first operand
square = first_sum.next_functions[0][0]
print(last_sum.name(), "<-", first_sum.name(), "<-", square.name())
print("operands of the last sum:", len(last_sum.next_functions), " edges of the square:", len(square.next_functions))
assert (last_sum.name(), first_sum.name(), square.name()) == ("AddBackward0", "AddBackward0", "MulBackward0")
assert square.next_functions[0] == square.next_functions[1]

# %% id="says-002-e2" source="002-4" defect="002-E2" stage="says"
# The article says: ln, mul, sin, add and sub are inner nodes, and f is one more node, the root.
# PyTorch does: the root is the node of the last operation, the difference; five operations, five nodes, and none for the name f.
x1 = torch.tensor(2.0, requires_grad=True)
x2 = torch.tensor(5.0, requires_grad=True)
log, product, sine = torch.log(x1), x1 * x2, torch.sin(x2)
total = log + product
f = total - sine
for result in (log, product, total, sine, f):
    print(result.grad_fn.name())
assert f.grad_fn.name() == "SubBackward0" and f.grad_fn.next_functions[0][0] is total.grad_fn

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# One of the inputs no longer asks for a gradient. What becomes of the rest?

# %% id="p4" stage="modify"
predict("L1.P4")

# %% id="one-input" source="000-8" stage="modify" after="L1.P4"
a = torch.tensor(2.0)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
to_a = c.grad_fn.next_functions[0][0]  # None: backward does not go there
print("a + b requires grad:", c.requires_grad, " node of a:", to_a)
assert c.requires_grad and to_a is None
plain = a * a + 1
print("a * a + 1 requires grad:", plain.requires_grad, " grad_fn:", plain.grad_fn)
assert plain.grad_fn is None

# %% [markdown] id="make" stage="make"
# ## Make
#
# Three graphs to build. A check compares the *shape* of your graph with that of a target; what you call things does not matter, nor in which order the operands of
# sums and products stand.

# %% id="b1-task" stage="make"
task("L1.B1")


# %% id="b1" answers="L1.B1" stage="make"
def three_products(a, b):
    ...
    ### BEGIN SOLUTION
    return (a * a) * (b * b)
    ### END SOLUTION


# %% id="b1-check" checks="L1.B1" stage="make"
check("L1.B1", three_products)

# %% id="b2-task" stage="make"
task("L1.B2")


# %% id="b2" answers="L1.B2" stage="make"
def product_and_sine(a, b):
    ...
    ### BEGIN SOLUTION
    return a * b + torch.sin(b)
    ### END SOLUTION


# %% id="b2-check" checks="L1.B2" stage="make"
check("L1.B2", product_and_sine)

# %% id="b3-task" stage="make"
task("L1.B3")


# %% id="b3" answers="L1.B3" stage="make"
def chain(a, b):
    ...
    ### BEGIN SOLUTION
    return torch.exp((a + b) ** 2)
    ### END SOLUTION


# %% id="b3-check" checks="L1.B3" stage="make"
check("L1.B3", chain)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: the line `a = torch.tensor(2.0, requires_grad=True)` records no operation. Why then does `a` turn up in the graph as soon as it is used?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p5" source="002-4" stage="exit"
predict("L1.P5")

# %% id="p6" stage="exit"
predict("L1.P6")

# %% [markdown] id="next"
# **Next:** [Lesson 2 · Tracing grad_fn](02_tracing_grad_fn.ipynb). All lessons: [index](index.ipynb).
