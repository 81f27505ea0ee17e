# %% [markdown] id="goals" source="001-17" slide="slide"
# # Lesson 5 · Leaves and .grad
#
# **Why.** Training changes weights, so the gradients of weights have to stay somewhere until that is done. For the millions of values in
# between, nobody needs them. So PyTorch keeps some gradients and drops the rest. Two surprises follow. You will meet both.
#
# **After this lesson** you can say of any tensor whether it is a leaf, whether it will get a `.grad`, and what is in that drawer after
# two backwards.
#
# 65 minutes. You need lessons 3 and 4.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="need" source="001-17"
# ## What is a leaf?
#
# A tensor is a **leaf** if no recorded operation made it: it stands where the graph begins. You made it by hand, or it was computed while
# nothing was recorded. `is_leaf` tells. Whether it *asks for a gradient* is another matter, which `requires_grad` tells.

# %% id="p4" source="001-17"
predict("L5.P4")

# %% id="four" source="001-17" after="L5.P4"
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0])
c = a * b
d = b * 2
for name, each in {"a": a, "b": b, "c": c, "d": d}.items():
    print(name, " leaf:", each.is_leaf, " requires_grad:", each.requires_grad)
assert (a.is_leaf, b.is_leaf, c.is_leaf, d.is_leaf) == (True, True, False, True)

# %% [markdown] id="predict" source="003-11" stage="predict"
# ## Predict
#
# The same two lines, twice.

# %% id="record-twice" source="003-11" stage="predict"
with record() as twice:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    y.backward()
    y = x * x
    y.backward()

# %% id="p1" source="003-11" stage="predict"
predict("L5.P1", twice)

# %% id="p2" source="001-19" stage="predict"
predict("L5.P2")

# %% [markdown] id="run" source=["001-18", "001-19"] stage="run"
# ## Run
#
# $y = x^2$ has the derivative $2x$, which is 4 at 2. The leaf keeps it.

# %% id="leaf-keeps" source="001-18" stage="run"
x = torch.tensor(2.0, requires_grad=True)
y = x * x
y.backward()
print("x.grad", x.grad)
assert x.grad.item() == 2 * 2.0

# %% [markdown] id="between" source="001-19" stage="run" after="L5.P2"
# **In between.** The gradient that arrives at an intermediate tensor is used, sent on, and dropped. Ask for it, and you get None (and a warning, which the first lines below
# switch off). None is not 0: it says that nobody kept it. `retain_grad()` asks to keep it, *before* backward.
# Unless you say so, a gradient is kept only at leaves that require grad.

# %% id="retain-grad" source="001-19" stage="run" after="L5.P2"
import warnings

warnings.filterwarnings("ignore", "The .grad attribute")

x = torch.tensor(2.0, requires_grad=True)
y = x * x
z = y * 3
z.backward()
print("without  y.grad", y.grad, " x.grad", x.grad)
assert y.grad is None

x = torch.tensor(2.0, requires_grad=True)
y = x * x
y.retain_grad()
z = y * 3
z.backward()
print("with     y.grad", y.grad, " x.grad", x.grad)
assert y.grad.item() == 3 and x.grad.item() == 12

# %% [markdown] id="piling" source="003-11" stage="run" after="L5.P1"
# **It piles up.** Every backward *adds* to `.grad`. Here the graph of one loss is walked twice, and the second result is exactly double the first.
#
# Usually a walk frees what the nodes saved. `retain_graph=True` keeps it for a second walk. It has nothing to do with `retain_grad()`: one keeps the *graph*, the other a *gradient*.

# %% id="double" source="003-11" stage="run" after="L5.P1"
x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
loss = (x**2).sum()
loss.backward(retain_graph=True)
first = x.grad.clone()  # a copy: the second walk writes into x.grad itself
loss.backward()
print("after one", first, " after two", x.grad)
assert torch.equal(x.grad, 2 * first)

# %% [markdown] id="fresh" source="003-13" stage="run" after="L5.P1"
# **To begin anew**, empty the drawer, and compute the loss again. `x.grad = None` takes the tensor away; `x.grad.zero_()` writes zeros
# into it. Either way, after the next backward `.grad` holds only what that backward brought.

# %% id="fresh-gradients" source="003-13" stage="run" after="L5.P1"
x.grad.zero_()
loss = (x**2).sum()
loss.backward()
print("after zero_ ", x.grad)
x.grad = None
loss = (x**2).sum()
loss.backward()
print("after None  ", x.grad)
assert x.grad.tolist() == [2, -4, 6]

# %% [markdown] id="investigate" stage="investigate" after="L5.P1"
# ## Investigate
#
# The run from above. Step through it and watch the drawer of `x`. The second `y` is another tensor, with a card of its own: it is called y₂ and stays grey until it is made. The leaf is the same.

# %% id="steps" source="003-11" stage="investigate" after="L5.P1"
figure(twice, "Two graphs of y = x times x; the first backward leaves 4 in x.grad, the second adds 4 more: 8.")

# %% id="f2-task" stage="investigate"
task("L5.F2")

# %% id="f2" answers="L5.F2" stage="investigate"
after_each = [..., ..., ...]
### BEGIN SOLUTION
after_each = [10, 20, 10]
### END SOLUTION

# %% id="f2-check" checks="L5.F2" stage="investigate"
check("L5.F2", after_each)

# %% id="t1" stage="investigate"
task("L5.T1")

# %% [markdown] id="eight" source="001-17" stage="investigate"
# **Eight tensors.** Which of them are leaves? Read the lines, and decide for each; they are not run here.
#
# ```python
# a = torch.tensor(1.0, requires_grad=True)
# b = torch.tensor(2.0)
# c = a * 2
# d = b * 2
# e = a.double()  # the same number in 64 bits, by an operation
# f = a.detach()  # the same number, cut off from its past: lesson 8
# with torch.no_grad():  # nothing is recorded in here
#     g = a * 3
# h = torch.nn.Parameter(torch.zeros(2))  # made by hand, to be a weight: it asks for a gradient by itself
# ```

# %% id="f1-task" stage="investigate"
task("L5.F1")

# %% id="f1" answers="L5.F1" stage="investigate"
leaves = {"a": ..., "b": ..., "c": ..., "d": ..., "e": ..., "f": ..., "g": ..., "h": ...}
### BEGIN SOLUTION
leaves = {"a": True, "b": True, "c": False, "d": True, "e": False, "f": True, "g": True, "h": True}
### END SOLUTION

# %% id="f1-check" checks="L5.F1" stage="investigate"
check("L5.F1", leaves)

# %% [markdown] id="says" source="001-17" stage="says"
# ## The article says / PyTorch does
#
# An article calls those tensors leaves that a user made with `requires_grad=True`, and says that gradients pile up in `.grad` only for leaves. Both are a
# little too narrow.

# %% id="says-001-e3" source="001-17" defect="001-E3" stage="says"
# The article says: a leaf has requires_grad=True, and only leaves have a .grad that adds up.
# PyTorch does: tensors without requires_grad are leaves too, and after retain_grad() the .grad of any tensor adds up.
plain = torch.tensor(5.0)
print("a plain tensor is a leaf:", plain.is_leaf)
assert plain.is_leaf

x = torch.tensor(2.0, requires_grad=True)
y = x * x
y.retain_grad()
z = y * 3
z.backward(retain_graph=True)
z.backward()
print("y.grad after two backwards:", y.grad)
assert not y.is_leaf and y.grad.item() == 3 + 3

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# Predict what becomes of a weight that you change by hand.

# %% id="p5" stage="modify"
predict("L5.P5")

# %% [markdown] id="optimizer" stage="modify"
# An **optimizer** changes many weights, in the right way: it writes into the leaves. `optimizer = torch.optim.SGD([w], lr=0.1)` is given them in a list. `optimizer.step()` subtracts 0.1 times its gradient from each, and
# `optimizer.zero_grad()` empties their drawers.

# %% id="p3" stage="modify"
predict("L5.P3")

# %% id="update" stage="modify" after=["L5.P5", "L5.P3"]
w = torch.tensor(2.0, requires_grad=True)
(w * w).backward()
moved = w - 0.1 * w.grad  # a new tensor, at the end of a graph
print("result of a subtraction: leaf", moved.is_leaf)
assert not moved.is_leaf

with torch.no_grad():
    w -= 0.1 * w.grad  # the same tensor, with another value
print("written into in no_grad: leaf", w.is_leaf, " value", round(w.item(), 4))
assert w.is_leaf

optimizer = torch.optim.SGD([w], lr=0.1)
optimizer.zero_grad()
print("after zero_grad:", w.grad)
assert w.grad is None

# %% [markdown] id="make" stage="make"
# ## Make
#
# **A loop to mend.** It fits $w$ in $y = w x$, one pair at a time. The first three losses grow, for `x` does; from the fourth on they should be near 0. Run it as it is, and look at them.

# %% id="d1-task" stage="make"
task("L5.D1")


# %% id="d1" answers="L5.D1" stage="make"
def train(w, xs, ys):
    losses = []
    for x, y in zip(xs, ys, strict=True):
        ### BEGIN SOLUTION
        w.grad = None
        ### END SOLUTION
        loss = (w * x - y) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.05 * w.grad
        losses.append(loss.item())
    return losses


# %% id="d1-look" stage="make"
xs = [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]
print([round(loss, 4) for loss in train(torch.tensor(0.0, requires_grad=True), xs, [2 * x for x in xs])])

# %% id="d1-check" checks="L5.D1" stage="make"
check("L5.D1", train)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: piling up looks like a trap. When is it just what one wants? (Think of a batch that is too large for the memory, or of two losses.)

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p6" stage="exit"
predict("L5.P6")

# %% id="p7" stage="exit"
predict("L5.P7")

# %% [markdown] id="next"
# **Next:** [Lesson 6 · Tensors](06_tensors.ipynb). All lessons: [index](index.ipynb).
