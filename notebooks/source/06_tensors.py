# %% [markdown] id="goals" source="001-16" slide="slide"
# # Lesson 6 · Tensors
#
# **Why.** So far a tensor was mostly one number. Real ones are tables with thousands of entries. The picture stays as small as it was: an
# operation on whole tables is one node. But two questions are new. Where does backward begin, if the result is many numbers? And what is the gradient of a small tensor that is added to a large one?
#
# **After this lesson** you can start backward from any result, say the shape of every gradient, and explain why one backward pass is enough for a million weights.
#
# 85 minutes. You need lessons 3 to 5.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself
nn = torch.nn

# %% [markdown] id="predict" source="000-22" stage="predict"
# ## Predict
#
# First without a seed, then with one. Where a gradient is many numbers, the picture writes its *norm* on the line: $\|(3, 4)\| = \sqrt{3^2 + 4^2} = 5$.

# %% id="p1" source="000-22" stage="predict"
predict("L6.P1")

# %% [markdown] id="need" source="000-22" after="L6.P1"
# ## Which slope do you mean?
#
# Take $z = x \cdot y + \sum_j x_j$, entry by entry. With two entries there are two results:
# $z_1 = x_1 y_1 + x_1 + x_2$ and $z_2 = x_2 y_2 + x_1 + x_2$. So there are four slopes, $\partial z_i / \partial x_j$. Written as a table, one row for each
# result, one column for each input, they are called the **Jacobian**:
#
# $J = \begin{pmatrix} y_1 + 1 & 1 \\ 1 & y_2 + 1 \end{pmatrix}$
#
# But `x.grad` has room for two numbers, as `x` has. So one has to say how much each result counts: a seed $v = (v_1, v_2)$. Backward then gives the slopes of
# the one number $v_1 z_1 + v_2 z_2$. That is $v^{\mathsf T} J$, a *vector-Jacobian product*. The table itself is never built.

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
print(z.detach(), z.requires_grad, z.grad_fn.name())
try:
    z.backward()
except RuntimeError as error:
    print("RuntimeError:", str(error).splitlines()[0])

for seed in ([1.0, 0.0], [0.0, 1.0], [1.0, 1.0]):
    gradients = torch.autograd.grad(z, (x, y), torch.tensor(seed), retain_graph=True)
    print("seed", seed, " for x", gradients[0], " for y", gradients[1])

z.sum().backward()
assert x.grad.tolist() == [6, 7] and y.grad.tolist() == [2, 3]

# %% [markdown] id="layer" source=["001-30", "001-31"] stage="run" after="L6.P3"
# **A layer.** It makes of each row of `x`, with $d$ numbers, a row of `y`, with $m$. Each of these is a weighted sum: the numbers of the row, each times its weight, and a bias.
#
# $y_{ij} = x_{i1} W_{j1} + \dots + x_{id} W_{jd} + b_j$
#
# All of them at once are a *matrix product*: $y = x W^{\mathsf T} + b$, where $W^{\mathsf T}$ is $W$ with rows and columns swapped. In code it is `x @ W.T + b`, or `nn.Linear`. For $n$ rows
#
# $x \in \mathbb{R}^{n \times d}, \quad W \in \mathbb{R}^{m \times d}, \quad b \in \mathbb{R}^{m}, \quad y \in \mathbb{R}^{n \times m}.$
#
# If $G$ is the gradient that arrives at $y$, what leaves is $G W$ for $x$, $G^{\mathsf T} x$ for $W$, and for $b$ the sum of the rows of $G$.
# You need not learn these by heart: if $n$, $d$ and $m$ differ, the shapes fit in only one way.

# %% id="linear" source=["001-30", "001-31"] stage="run" after="L6.P3"
layer = nn.Linear(4, 2)
x = torch.arange(12.0).reshape(3, 4) / 10
target = torch.tensor([0, 1, 1])
logits = layer(x)  # the raw scores of the classes
logits.retain_grad()
loss = nn.CrossEntropyLoss()(logits, target)  # a loss for classes, which lesson 18 takes apart
loss.backward()
print("W.grad", tuple(layer.weight.grad.shape), " b.grad", tuple(layer.bias.grad.shape))

G = logits.grad
assert torch.allclose(layer.weight.grad, G.T @ x)
assert torch.allclose(layer.bias.grad, G.sum(0))

# %% [markdown] id="f2-goal" stage="run"
# Now the shapes, of a layer with an `x` that asks for a gradient, too.

# %% id="f2-task" stage="run"
task("L6.F2")

# %% id="f2" answers="L6.F2" stage="run"
shapes = {"y": [..., ...], "x.grad": [..., ...], "W.grad": [..., ...], "b.grad": [...]}
### BEGIN SOLUTION
shapes = {"y": [3, 2], "x.grad": [3, 4], "W.grad": [2, 4], "b.grad": [2]}
### END SOLUTION

# %% id="f2-check" checks="L6.F2" stage="run"
check("L6.F2", shapes)

# %% [markdown] id="investigate" stage="investigate"
# ## Investigate
#
# Step back through the run from above. The seed (1, 0) enters at `z`. Two paths lead to `x`: one through the product, one through the sum. What does each of them bring?

# %% id="steps" source="000-22" stage="investigate" after="L6.P2"
figure(seeded, "The seed 1, 0 goes to the product and to the sum; 4, 0 and 1, 1 meet at x and make 5, 1.")

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


for entry in torch.eye(2):  # (1, 0), then (0, 1)
    slope = (weighted(at + h * entry) - weighted(at - h * entry)) / (2 * h)
    print("moved", entry.tolist(), " slope", round(slope, 2))

# %% [markdown] id="broadcast" source="001-30" stage="investigate"
# **Stretching.** If shapes differ, they are lined up at their right ends. A missing dimension, or one of length 1, is stretched: PyTorch says *broadcast*. Nothing
# is copied. But each entry of the small tensor is now used many times, and you know what a fan-out does (lesson 4): what comes back along all these paths is added.

# %% id="t1" stage="investigate"
task("L6.T1")

# %% [markdown] id="says" source="001-30" stage="says"
# ## The article says / PyTorch does
#
# One article counts broadcasting among the operations that a graph contains. Another one stretches a bias that does not fit.

# %% id="says-001-e6" source="001-30" defect="001-E6" stage="says"
# The article says: the graph of a linear layer contains a matrix multiplication, broadcasting, and an addition.
# PyTorch does: one node, AddmmBackward0, holds all three; and no sum of tensors has a node for the stretching.
logits = layer(x)
names = [logits.grad_fn.name(), *(node.name() for node, _ in logits.grad_fn.next_functions if node)]
names = [name.rpartition("::")[2] for name in names]
print("layer ", names)
assert names == ["AddmmBackward0", "AccumulateGrad", "TBackward0"]

row = torch.zeros(2, requires_grad=True)
table = torch.ones(3, 2) + row
print("by hand", table.grad_fn.name(), "->", table.grad_fn.next_functions[1][0].name().rpartition("::")[2])
assert table.grad_fn.next_functions[1][0].name().endswith("AccumulateGrad")

# %% id="says-002-e6" source="002-8" defect="002-E6" stage="says"
# The article says: with W of shape (5, 3), x of (10, 3) and b of (5, 1), mm(x, W.t()) + b is computed on the spot.
# PyTorch does: it refuses, for (10, 5) and (5, 1) do not fit. A bias of shape (5,) or (1, 5) does.
W = (torch.arange(15.0).reshape(5, 3) / 10).requires_grad_()
x = torch.arange(30.0).reshape(10, 3) / 10
try:
    torch.mm(x, W.t()) + torch.zeros(5, 1)
except RuntimeError as error:
    print("RuntimeError:", str(error).splitlines()[0])
else:
    raise AssertionError("PyTorch refuses this")

b = torch.zeros(5, requires_grad=True)
loss = (torch.mm(x, W.t()) + b).pow(2).mean()
print("the value is there before any backward:", round(loss.item(), 3))
loss.backward()
assert W.grad.shape == (5, 3) and b.grad.shape == (5,)

# %% [markdown] id="modify" source="001-16" stage="modify"
# ## Modify
#
# **Why backwards?** The chain rule, $y = f(g(x))$ with $\frac{dy}{dx} = f'(g(x)) \cdot g'(x)$, can be worked off from either end. *Forward* mode moves one input a
# little and follows what that does to everything. *Backward* asks one result how much it feels everything. A loss is one number that
# depends on very many:
#
# $L = f(\theta), \quad \theta \in \mathbb{R}^n, \quad \nabla L = \left(\frac{\partial L}{\partial \theta_1}, \dots, \frac{\partial L}{\partial \theta_n}\right).$
#
# Forward mode needs $n$ runs for that, backward needs one. With many results and few inputs it is the other way round. (What each run and
# each pass costs, in steps and in time, is measured by `python -m autograd_lab.examples.jacobian`.)

# %% id="p4" source="001-16" stage="modify"
predict("L6.P4")

# %% id="both-ways" source="001-16" stage="modify" after="L6.P4"
from autograd_lab.lessons.lesson06 import slopes_both_ways

for inputs, results in ((3, 1), (300, 1), (1, 300), (30, 30)):
    forward, backward = slopes_both_ways(torch, inputs, results)
    print(
        f"{inputs:4} inputs, {results:4} results: {forward:4} runs in forward mode, or 1 run and {backward:4} backward passes"
    )

# %% id="p5" stage="modify"
predict("L6.P5")

# %% [markdown] id="make" stage="make"
# ## Make
#
# **A loss to mend.** It runs, it shrinks a little, and it is not what its author meant.

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
# **Back to shape.** What every engine does after a sum of different shapes. Your function is held against the gradients of backward, for six pairs of shapes.

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
# To your neighbour: why does nobody want the whole Jacobian of a layer? How many entries would it have for a batch of 100 rows, with 1,000 features in
# and 1,000 out?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p6" stage="exit"
predict("L6.P6")

# %% id="p7" stage="exit"
predict("L6.P7")

# %% [markdown] id="next"
# **Next:** [Lesson 7 · Lifetime and memory](07_lifetime_and_memory.ipynb). All lessons: [index](index.ipynb).
