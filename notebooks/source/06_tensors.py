# %% [markdown] id="goals" source="001-16" slide="slide"
# # Lesson 6 · Tensors
#
# **Why.** So far a tensor was mostly one number. Real ones are tables with thousands of entries. The picture stays as small as it was: an
# operation on whole tables is one node. But two questions are new. Where does backward begin, if the result is many numbers? And what is the gradient of a small tensor that is added to a large one?
#
# **After this lesson** you can start backward from any result, say the shape of every gradient, and explain why one backward pass is enough for a million weights.
#
# 90 minutes. You need lessons 3 to 5. Products of tables (matrices) are used, and explained on the way.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself
nn = torch.nn

# %% [markdown] id="predict" source="000-22" stage="predict"
# ## Predict
#
# The **shape** of a tensor says how long it is in each of its dimensions: a table of 2 rows with 5 numbers each has the shape (2, 5), a row of 5 numbers has (5,), a single number ().
#
# First `backward()` as you know it, then another way to call it. Where a gradient is many numbers, the picture writes its *norm* on the line: $\|(3, 4)\| = \sqrt{3^2 + 4^2} = 5$.

# %% id="p1" source="000-22" stage="predict"
predict("L6.P1")

# %% [markdown] id="need" source="000-22" after="L6.P1"
# ## More than one result
#
# Take $z = x \cdot y + \sum_j x_j$, entry by entry. With two entries there are two results:
# $z_1 = x_1 y_1 + x_1 + x_2$ and $z_2 = x_2 y_2 + x_1 + x_2$. So there are four slopes, $\partial z_i / \partial x_j$. Written as a table, one row for each
# result, one column for each input, they are called the **Jacobian**:
#
# $J = \begin{pmatrix} y_1 + 1 & 1 \\ 1 & y_2 + 1 \end{pmatrix}$
#
# But `x.grad` has room for two numbers, as `x` has. So one has to say how much each result counts: a seed $v = (v_1, v_2)$. Backward then gives the slopes of
# the one number $v_1 z_1 + v_2 z_2$: each row of the table times its weight, and the rows added. With other numbers, for a table with the rows $(2, 0)$ and $(1, 3)$ and the seed $(10, 1)$:
#
# $10 \cdot (2, 0) + 1 \cdot (1, 3) = (21, 3)$
#
# This is called a *vector-Jacobian product*, written $v^{\mathsf T} J$. The table itself is never built.

# %% id="record-seed" source="000-22" stage="predict"
with record() as seeded:
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = torch.tensor([4.0, 5.0], requires_grad=True)
    v = torch.tensor([1.0, 0.0])
    z = x * y + torch.sum(x)
    z.backward(v)

# %% id="p2" source="000-22" stage="predict"
predict("L6.P2", seeded)

# %% id="p3" source="001-30" stage="predict"
predict("L6.P3")

# %% [markdown] id="run" source="000-22" stage="run" after=["L6.P1", "L6.P2"]
# ## Run
#
# Like every recorded result, `z` requires grad and has a `grad_fn`. Without a seed, backward refuses. With one it works, and `z.sum().backward()` does the same as the seed $(1, 1)$.

# %% id="seeds" source="000-22" stage="run" after=["L6.P1", "L6.P2"]
x = torch.tensor([2.0, 3.0], requires_grad=True)
y = torch.tensor([4.0, 5.0], requires_grad=True)
z = x * y + torch.sum(x)
print(z.tolist(), z.requires_grad, z.grad_fn.name())
try:
    z.backward()
except RuntimeError as error:  # so that the cell goes on
    print("RuntimeError:", str(error).splitlines()[0])

for seed in ([1.0, 0.0], [0.0, 1.0], [1.0, 1.0]):
    x.grad = None
    y.grad = None
    z = x * y + torch.sum(x)
    z.backward(torch.tensor(seed))
    print("seed", seed, " x.grad", x.grad, " y.grad", y.grad)

by_seed = x.grad
x.grad = None
z = x * y + torch.sum(x)
z.sum().backward()
assert torch.equal(x.grad, by_seed)

# %% [markdown] id="layer" source=["001-30", "001-31"] stage="run"
# ## A layer, in two steps
#
# **Step 1: one new number.** A **layer** makes new numbers of a row of numbers. Each is a weighted sum of the row, plus a number of its own, the **bias**. For the row $(1, 2)$, the weights $(3, 4)$ and the bias 5:
# $1 \cdot 3 + 2 \cdot 4 + 5 = 16$.
#
# You know the way back through all of this: a sum sends on what it got, and a product sends the other factor. So of what arrives at the new number, the weight 3 gets 1 times that, the weight 4 gets 2 times that, and the bias gets it as it is.
#
# A second row, $(0, 1)$, goes through *the same* weights: $0 \cdot 3 + 1 \cdot 4 + 5 = 9$. Now each weight has been used twice.

# %% id="p8" source="001-30" stage="run"
predict("L6.P8")

# %% [markdown] id="batch" source=["001-30", "001-31"] stage="run" after=["L6.P3", "L6.P8"]
# **Step 2: many new numbers.** Nothing new is computed, only more of it at once. Several rows together are a **batch**: a table `x`. A layer has a row of weights for each new number: these are a table, too, `W`. Each row of `x` with each row of `W` gives one weighted sum. All these
# sums are a *matrix product*, in code `x @ W.T`. `W.T` (or $W^{\mathsf T}$, the *transpose*) is `W` with its rows as columns, for a matrix product pairs rows with columns:
#
# $\begin{pmatrix} 1 & 2 \\ 0 & 1 \end{pmatrix} \begin{pmatrix} 3 & 4 \\ 6 & 7 \end{pmatrix}^{\mathsf T} = \begin{pmatrix} 1 \cdot 3 + 2 \cdot 4 & 1 \cdot 6 + 2 \cdot 7 \\ 0 \cdot 3 + 1 \cdot 4 & 0 \cdot 6 + 1 \cdot 7 \end{pmatrix} = \begin{pmatrix} 11 & 20 \\ 4 & 7 \end{pmatrix}$
#
# With the biases a layer is $y = x W^{\mathsf T} + b$. `nn.Linear(2, 3)` makes one, for rows of 2 numbers and 3 new ones.
#
# **And back?** Let $G$ be the gradient that arrives: a table like $y$. As in the question, each weight gets a sum over the rows: what arrived, times the number of `x` that it was multiplied by. All these sums at once are
# a matrix product again, $G^{\mathsf T} x$. A number of `x` went into each new number of its row: it gets what arrived at each of them, times the weight between the two, added up. All at once: $G W$. A bias is added once in each row, so `b` gets the sum of the rows of $G$.

# %% id="linear" source=["001-30", "001-31"] stage="run" after=["L6.P3", "L6.P8"]
layer = nn.Linear(2, 3)
x = torch.tensor([[1.0, 2.0], [0.0, 1.0]])
y = layer(x)
y.retain_grad()
loss = (y * y).sum()
loss.backward()
print("a row of W for each new number:", tuple(layer.weight.shape))

G = y.grad
print("W.grad is G.T @ x:            ", torch.allclose(layer.weight.grad, G.T @ x))
print("b.grad is the sum of the rows:", torch.allclose(layer.bias.grad, G.sum(0)))  # sum(0) adds up the rows
assert torch.allclose(layer.weight.grad, G.T @ x) and torch.allclose(layer.bias.grad, G.sum(0))

# %% [markdown] id="f2-goal" stage="run"
# Now the shapes, of a layer with an `x` that asks for a gradient, too.

# %% id="f2-task" stage="run"
task("L6.F2")

# %% id="f2" answers="L6.F2" stage="run"
shapes = {"y": [..., ...], "x.grad": [..., ...], "W.grad": [..., ...], "b.grad": [...]}
### BEGIN SOLUTION
shapes = {"y": [5, 2], "x.grad": [5, 4], "W.grad": [2, 4], "b.grad": [2]}
### END SOLUTION

# %% id="f2-check" checks="L6.F2" stage="run"
check("L6.F2", shapes)

# %% [markdown] id="investigate" stage="investigate"
# ## Investigate
#
# Step through backward in the run from above. The seed (1, 0) enters at `z`. Two paths lead to `x`: one through the product, one through the sum. What does each of them bring?

# %% id="steps" source="000-22" stage="investigate" after="L6.P2"
figure(
    seeded,
    "The seed 1, 0 enters at z; two paths lead from there to x, one through x * y, one through sum(x).",
    fold=False,
    step=9,
)

# %% id="f1-task" stage="investigate"
task("L6.F1")

# %% id="f1" answers="L6.F1" stage="investigate"
gradients = {"x.grad": [..., ...], "y.grad": [..., ...]}
### BEGIN SOLUTION
gradients = {"x.grad": [7, 13], "y.grad": [2, 6]}
### END SOLUTION

# %% id="f1-check" checks="L6.F1" stage="investigate"
check("L6.F1", gradients)

# %% [markdown] id="measure" stage="investigate"
# **Believe nothing, measure.** Finite differences need no graph: move one entry of `x` a little, and see how $v_1 z_1 + v_2 z_2$ moves.

# %% id="differences" stage="investigate" after="L6.P2"
at, v, h = torch.tensor([2.0, 3.0]), torch.tensor([1.0, 0.0]), 0.01


def weighted(x):
    return (v * (x * torch.tensor([4.0, 5.0]) + torch.sum(x))).sum().item()


for move in (torch.tensor([h, 0.0]), torch.tensor([0.0, h])):
    slope = (weighted(at + move) - weighted(at - move)) / (2 * h)
    print("moved by", move.tolist(), " slope", round(slope, 2))

# %% [markdown] id="broadcast" source="001-30" stage="investigate"
# **Stretching.** If shapes differ, they are lined up at their right ends. A missing dimension, or one of length 1, is stretched: PyTorch says *broadcast*. Nothing
# is copied. Here a row $(10, 20)$ is added to each row of a table. Then both are stretched: a column of the shape (3, 1) and a row of the shape (1, 2) make a table of (3, 2).
#
# $\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix} + (10, 20) = \begin{pmatrix} 11 & 22 \\ 13 & 24 \end{pmatrix} \qquad \begin{pmatrix} 1 \\ 2 \\ 3 \end{pmatrix} + (10, 20) = \begin{pmatrix} 11 & 21 \\ 12 & 22 \\ 13 & 23 \end{pmatrix}$
#
# So each entry of the small tensor is used many times, and you know what a fan-out does (lesson 4): what comes back along all these paths is added.
#
# In the picture a table is drawn as squares: the darker one is, the larger its number. The legend says how large the darkest would be: ±4.0, say.

# %% id="t1" stage="investigate"
task("L6.T1")

# %% [markdown] id="says" source="001-30" stage="says"
# ## The article says / PyTorch does
#
# One article counts broadcasting among the operations that a graph contains. Another one stretches a bias that does not fit.

# %% id="says-001-e6" source="001-30" defect="001-E6" stage="says"
# The article says: the graph of a linear layer contains a matrix multiplication, broadcasting, and an addition.
# PyTorch does: one node, AddmmBackward0, holds all three; and no sum of tensors has a node for the stretching.
y = layer(torch.ones(2, 2))
print("layer  ", y.grad_fn.name())
assert y.grad_fn.name() == "AddmmBackward0"

row = torch.zeros(2, requires_grad=True)
table = torch.ones(3, 2) + row
to_row = table.grad_fn.next_functions[1][0]
print("by hand", table.grad_fn.name(), "->", to_row.name().split("::")[-1])
assert to_row.name().endswith("AccumulateGrad")

# %% id="says-002-e6" source="002-8" defect="002-E6" stage="says"
# The article says: with W of shape (5, 3), x of (10, 3) and b of (5, 1), mm(x, W.t()) + b is computed on the spot.
# PyTorch does: it refuses, for (10, 5) and (5, 1) do not fit. A bias of shape (5,) or (1, 5) does.
W = torch.ones(5, 3, requires_grad=True)
x = torch.ones(10, 3)
try:
    torch.mm(x, W.t()) + torch.zeros(5, 1)
except RuntimeError as error:
    print("RuntimeError:", str(error).splitlines()[0])
else:
    raise AssertionError("PyTorch refuses this")

b = torch.zeros(5, requires_grad=True)
loss = (torch.mm(x, W.t()) + b).mean()
print("the value is there before any backward:", loss.item())
loss.backward()
assert W.grad.shape == (5, 3) and b.grad.shape == (5,)

# %% [markdown] id="modify" source="001-16" stage="modify"
# ## Modify
#
# **Why backwards?** The chain rule, $y = f(g(x))$ with $\frac{dy}{dx} = f'(g(x)) \cdot g'(x)$, can be worked off from either end. *Forward* mode moves one input a
# little and follows what that does to everything. *Backward* asks one result how much it feels everything. A loss is one number,
# $L = f(\theta_1, \dots, \theta_n)$, that depends on very many weights, and its gradient has a slope for each: $\nabla L = \left(\frac{\partial L}{\partial \theta_1}, \dots, \frac{\partial L}{\partial \theta_n}\right)$.
#
# Forward mode needs $n$ runs for that, backward needs one. With many results and few inputs it is the other way round. (`python -m autograd_lab.examples.jacobian` measures both.)

# %% id="p4" source="001-16" stage="modify"
predict("L6.P4")

# %% id="row-by-row" source="001-16" stage="modify" after="L6.P4"
x = torch.ones(100, requires_grad=True)
for seed in ([1.0, 0.0], [0.0, 1.0]):
    x.grad = None
    y = torch.stack([(x**2).sum(), (3 * x).sum()])  # two results in one tensor
    y.backward(torch.tensor(seed))
    print("seed", seed, ":", len(x.grad), "slopes, the first", x.grad[0].item())

# %% id="p6" stage="modify"
predict("L6.P6")

# %% [markdown] id="make" stage="make"
# ## Make
#
# **A loss to mend.** It runs, it shrinks a little, and it is not what its author meant. For predictions that are all right it should be 0. Is it? Run
# `mse(torch.tensor([[1.0], [5.0]]), torch.tensor([1.0, 5.0]))` in a cell of your own. Some calls that may help, for a tensor `t`:
#
# * `t.shape` is its shape, `t.tolist()` its numbers;
# * `t.squeeze(1)` takes dimension 1 out, if it has length 1: from (n, 1) to (n,); `t.unsqueeze(1)` puts it in: from (n,) to (n, 1);
# * `t.sum()` and `t.mean()` are the sum and the mean of all its numbers, `len(t)` its length in dimension 0.

# %% id="d1-task" stage="make"
task("L6.D1")


# %% id="d1" answers="L6.D1" stage="make"
def mse(pred, target):
    ### BEGIN SOLUTION
    pred = pred.squeeze(1)
    ### END SOLUTION
    return ((pred - target) ** 2).mean()


# %% id="d1-check" checks="L6.D1" stage="make"
check("L6.D1", mse)

# %% [markdown] id="make-unbroadcast" stage="make"
# **Back to shape.** What every engine does after a sum of different shapes. Your function is held against the gradients of backward, for six pairs of shapes. Three tools, for a `gradient` of the shape (4, 3):
#
# * `gradient.dim()` is the number of dimensions, 2;
# * `gradient.sum(0)` adds along dimension 0, the four rows; that dimension goes, and the shape is (3,);
# * `gradient.sum(1, keepdim=True)` adds along dimension 1 and keeps it, with length 1: the shape is (4, 1).

# %% id="m1-task" stage="make"
task("L6.M1")


# %% id="m1" answers="L6.M1" stage="make"
def unbroadcast(gradient, shape):
    ...
    ### BEGIN SOLUTION
    while gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    for place, length in enumerate(shape):
        if length == 1:
            gradient = gradient.sum(place, keepdim=True)
    return gradient
    ### END SOLUTION


# %% id="m1-check" checks="L6.M1" stage="make"
check("L6.M1", unbroadcast)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: why does nobody want the whole Jacobian of a layer? How many entries would it have for a batch of 100 rows, with 1,000 numbers in
# and 1,000 out?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p5" stage="exit"
predict("L6.P5")

# %% id="p7" stage="exit"
predict("L6.P7")

# %% [markdown] id="next"
# **Next:** [Lesson 7 · Lifetime and memory](07_lifetime_and_memory.ipynb). All lessons: [index](index.ipynb).
