# %% [markdown] id="goals" source="002-10" slide="slide"
# # Lesson 13 · Higher order
#
# **Why.** A gradient says which way is down. A *second* derivative says how the slope itself changes: whether the valley is narrow or wide, how
# long a step may be. Some losses even contain a slope. So one wants to differentiate what backward has computed. For that, backward has to
# leave a graph of its own.
#
# **After this lesson** you can take derivatives of derivatives, say what `create_graph` does that `retain_graph` does not, and multiply by a
# Hessian that is far too large to be written down.
#
# 70 minutes. You need lessons 3, 6 and 7.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="need" source="002-10"
# ## Backward is computation, too
#
# For $y = x^3$ backward computes $3x^2$. That is a power and two products: ordinary operations on tensors. Usually nobody records them. With
# `create_graph=True` they are recorded, as if you had written them by hand. Then the gradient has a `grad_fn`, and can be differentiated in its turn:
#
# $y = x^3, \quad \frac{dy}{dx} = 3x^2, \quad \frac{d^2y}{dx^2} = 6x, \quad \frac{d^3y}{dx^3} = 6.$

# %% [markdown] id="predict" stage="predict"
# ## Predict
#
# Two arguments with names that sound alike.

# %% id="p1" source="003-12" stage="predict"
predict("L13.P1")

# %% id="record-cube" source="002-10" stage="predict"
with record() as twice:
    x = torch.tensor(2.0, requires_grad=True)
    y = x**3
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x)

# %% id="p2" source="002-10" stage="predict"
predict("L13.P2", twice)

# %% id="p3" stage="predict"
predict("L13.P3")

# %% [markdown] id="run" source="002-10" stage="run" after="L13.P2"
# ## Run
#
# We ask `torch.autograd.grad(output, input)`, which returns gradients and leaves `.grad` alone. For this it suits better than
# `backward(create_graph=True)`: that one would store a gradient in `x.grad` whose graph holds `x`, a circle that keeps memory alive, and PyTorch
# warns of it.

# %% id="derivatives" source="002-10" stage="run" after="L13.P2"
x = torch.tensor(2.0, requires_grad=True)
y = x**3
(first,) = torch.autograd.grad(y, x, create_graph=True)
(second,) = torch.autograd.grad(first, x, create_graph=True)
(third,) = torch.autograd.grad(second, x)
print("first ", first)
print("second", second)
print("third ", third)
assert (first.item(), second.item(), third.item()) == (3 * 2.0**2, 6 * 2.0, 6.0)

# %% [markdown] id="ending" stage="run" after="L13.P3"
# **Where it ends.** For $x \cdot x$ the first derivative is $x + x$, and the second is $1 + 1$. No $x$ is in that, so there is no path back to it. A
# missing path is an error, not a 0: autograd cannot know whether you meant it.

# %% id="no-way" stage="run" after="L13.P3"
y = x * x
(first,) = torch.autograd.grad(y, x, create_graph=True)
(second,) = torch.autograd.grad(first, x, create_graph=True)
print("second", second, " requires_grad", second.requires_grad)
try:
    torch.autograd.grad(second, x)
except RuntimeError as error:
    print("third: RuntimeError:", str(error).splitlines()[0])
else:
    raise AssertionError("PyTorch refuses this")

# %% [markdown] id="investigate" stage="investigate"
# ## Investigate
#
# Step through the run of `x ** 3` slowly. The first node is forward's. Then the *first* backward runs, and while it does, new nodes appear: it is
# being recorded. The second backward goes through these.

# %% id="steps" source="002-10" stage="investigate" after="L13.P2"
figure(
    twice,
    "One power is recorded forward. The first backward computes 12 and records nodes of its own; the second goes back through them and gives 12 again.",
)

# %% id="f1-task" stage="investigate"
task("L13.F1")

# %% id="f1" answers="L13.F1" stage="investigate"
slopes = {"first": ..., "second": ..., "third": ...}
### BEGIN SOLUTION
slopes = {"first": 32, "second": 48, "third": 48}
### END SOLUTION

# %% id="f1-check" checks="L13.F1" stage="investigate"
check("L13.F1", slopes)

# %% [markdown] id="uses" source="003-12" stage="investigate"
# **Retain or create?** `retain_graph=True` only means: do not free what the nodes saved. That is enough for a second pass over the *same* graph, with
# another seed, or from another loss that shares a part of it. It is not enough for a derivative of the gradient.

# %% id="three-uses" source="003-12" stage="investigate"
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
(one,) = torch.autograd.grad(y, x, torch.tensor([1.0, 0.0]), retain_graph=True)
(other,) = torch.autograd.grad(y, x, torch.tensor([0.0, 1.0]))
print("two seeds    ", one, other)

shared = x * x
losses = shared.sum(), (3 * shared).sum()
losses[0].backward(retain_graph=True)
losses[1].backward()
print("two losses   ", x.grad)
assert torch.equal(x.grad, 2 * x.detach() + 6 * x.detach())

shared = x * x
(both,) = torch.autograd.grad(shared.sum() + (3 * shared).sum(), x)
print("of their sum ", both)
assert torch.equal(both, x.grad)

# %% [markdown] id="says" source="002-10" stage="says"
# ## The article says / PyTorch does
#
# An article ends its tour of eager execution with the advice to set `retain_graph=True` for higher-order derivatives. Try it.

# %% id="says-002-e7" source="002-10" defect="002-E7" stage="says"
# The article says: to keep the tape for higher-order derivatives, set retain_graph=True.
# PyTorch does: the gradient then has no graph, and differentiating it is an error; create_graph=True gives it one.
x = torch.tensor(2.0, requires_grad=True)
(kept,) = torch.autograd.grad(x**3, x, retain_graph=True)
print("retain_graph: ", kept, kept.requires_grad)
assert kept.grad_fn is None
try:
    torch.autograd.grad(kept, x)
except RuntimeError as error:
    print("RuntimeError:", str(error).splitlines()[0])
else:
    raise AssertionError("PyTorch refuses this")

(created,) = torch.autograd.grad(x**3, x, create_graph=True)
print("create_graph: ", created.requires_grad, torch.autograd.grad(created, x)[0])
assert created.requires_grad

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# **More inputs.** With $n$ inputs the second derivatives form a table of $n \times n$ numbers, the Hessian $H$. For a million inputs nobody can store
# it. But often one needs $H v$ only, for one direction $v$. Now $H v$ is the gradient of one number, $g \cdot v$, if $v$ is held fixed:
# $\nabla (g \cdot v) = H v$.

# %% id="p4" stage="modify"
predict("L13.P4")

# %% id="hvp" stage="modify" after="L13.P4"
a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
f = a * a * b + b**3
by_a, by_b = torch.autograd.grad(f, (a, b), create_graph=True)
print("gradient", by_a.item(), by_b.item())
for v in ((1.0, 0.0), (0.0, 1.0)):
    along = by_a * v[0] + by_b * v[1]
    row = torch.autograd.grad(along, (a, b), retain_graph=True)
    print("Hessian times", v, "=", [each.item() for each in row])

# %% id="f2-task" stage="modify"
task("L13.F2")

# %% id="f2" answers="L13.F2" stage="modify"
product = [..., ...]
### BEGIN SOLUTION
product = [2, -10]
### END SOLUTION

# %% id="f2-check" checks="L13.F2" stage="modify"
check("L13.F2", product)

# %% [markdown] id="make" stage="make"
# ## Make
#
# **A slope inside a loss.** This function gives the right number. But no backward can begin at what it returns.

# %% id="d1-task" stage="make"
task("L13.D1")


# %% id="d1" answers="L13.D1" stage="make"
def penalty(x):
    y = torch.sin(x) * x
    (slope,) = torch.autograd.grad(y, x, retain_graph=True)
    ### BEGIN SOLUTION
    (slope,) = torch.autograd.grad(y, x, create_graph=True)
    ### END SOLUTION
    return slope**2


# %% id="d1-check" checks="L13.D1" stage="make"
check("L13.D1", penalty)

# %% [markdown] id="make-hvp" stage="make"
# **Your own product.** For any `f`, and any number of entries.

# %% id="m1-task" stage="make"
task("L13.M1")


# %% id="m1" answers="L13.M1" stage="make"
def hvp(f, x, v):
    ...
    ### BEGIN SOLUTION
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad((g * v).sum(), x)[0]
    ### END SOLUTION


# %% id="m1-check" checks="L13.M1" stage="make"
check("L13.M1", hvp)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: why does `create_graph=True` cost memory, even if nobody ever calls the second backward?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p5" source="003-12" stage="exit"
predict("L13.P5")

# %% id="p6" stage="exit"
predict("L13.P6")

# %% [markdown] id="next"
# **Next:** [Lesson 14 · Clinic](14_clinic.ipynb). All lessons: [index](index.ipynb).
