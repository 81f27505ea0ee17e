# %% [markdown] id="goals" source=["000-27", "001-25"] slide="slide"
# # Lesson 7 · Lifetime and memory
#
# **Why.** "Trying to backward through the graph a second time": everybody meets this error. It comes from one question: *how long does which
# part of a graph live?* There are two answers. What nodes have **saved** lives until backward has used it. The **nodes** live as long as
# somebody holds on to them. This lesson is about the first; [lesson 19](19_leaks.ipynb), about the second, can follow at once.
#
# **After this lesson** you can say which second backward runs, where `retain_graph=True` belongs and where it is the wrong cure.
#
# 75 minutes. You need lessons 3 and 5.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="need" source=["003-9", "001-25"]
# ## Used, and let go of
#
# Saved values can be large: in a network there is a whole batch of them at each layer. So backward clears up as it goes. When a node has
# run, it lets go of what it saved. A pass with `retain_graph=True` does not: it leaves all as it was, for another pass. Here is
# the error, with the words that PyTorch has for it.

# %% id="consumed" source=["003-10", "001-25"]
x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
loss = (x**2).sum()
loss.backward()
print("x.grad after the first", x.grad)
try:
    loss.backward()
    raise AssertionError("it ran")
except RuntimeError as error:
    message = str(error)
print(message.split(" (")[0])
assert message.startswith("Trying to backward through the graph a second time")

# %% [markdown] id="predict" source="003-9" stage="predict"
# ## Predict
#
# Does every second backward fail?

# %% id="record-sum" stage="predict"
with record() as double:
    x = torch.tensor(1.0, requires_grad=True)
    y = x + x
    y.backward()
    stopped = False
    try:
        y.backward()
    except RuntimeError:
        stopped = True

# %% id="p1" source="003-9" stage="predict"
predict("L7.P1", double)

# %% id="p2" source="003-9" stage="predict"
predict("L7.P2")

# %% id="p3" source="001-25" stage="predict"
predict("L7.P3")

# %% [markdown] id="run" source=["000-28", "003-11"] stage="run" after="L7.P3"
# ## Run
#
# With `retain_graph=True` on the *first* call the second one runs. It adds to what the first one left.

# %% id="retained" source="003-11" stage="run" after="L7.P3"
x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
loss = (x**2).sum()
loss.backward(retain_graph=True)
first = x.grad.clone()
loss.backward()
print("after one", first, " after two", x.grad)
assert torch.equal(x.grad, 2 * first)

# %% [markdown] id="when" source="003-12" stage="run"
# **When is it right?** When one graph is really asked twice. A result of several numbers, for example, can be asked for the gradient of each of them.
# For two losses over a shared part it works as well, but there is something cheaper: add them.

# %% id="uses" source="003-12" stage="run"
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2 * x.sum()
for weights, retain in (([1.0, 0.0], True), ([0.0, 1.0], False)):
    x.grad = None
    y.backward(torch.tensor(weights), retain_graph=retain)
    print("gradient of y with weights", weights, "is", x.grad)
assert x.grad.tolist() == [4.0, 16.0]

results = []
for together in (False, True):
    x = torch.tensor(2.0, requires_grad=True)
    h = torch.exp(x)
    one, other = h * h, h * 3
    if together:
        (one + other).backward()
    else:
        one.backward(retain_graph=True)
        other.backward()
    results.append(x.grad)
assert torch.allclose(*results)
print("two losses: one pass over the sum leaves the same gradient as two passes")

# %% [markdown] id="investigate" stage="investigate"
# ## Investigate
#
# Watch the pockets below the cards. Those of the product are emptied when its node has run: they are dashed then, *freed*. In the second pass the
# sum lets the gradient through, for it needs nothing. The product finds its pockets empty, and stops.

# %% id="record-drained" stage="investigate"
with record() as drained:
    x = torch.tensor(3.0, requires_grad=True)
    square = x * x
    loss = square + 1
    loss.backward()
    try:
        loss.backward()
    except RuntimeError as error:
        print(str(error).split(" (")[0])

# %% id="drained" stage="investigate"
figure(
    drained,
    "loss = x * x + 1. The first backward frees the two values that the product saved; the second gets past the sum "
    "and stops at the product.",
)

# %% id="t1" stage="investigate"
task("L7.T1")

# %% [markdown] id="bytes" source="003-9" stage="investigate"
# **The same, in bytes.** Eight tanh in a row, over 1,024 numbers. Each of their nodes saves its result: 4 KiB. The strip shows how many bytes all
# pockets hold, step after step.

# %% id="bytes-freed" source="003-9" stage="investigate"
from autograd_lab.lessons import strip
from autograd_lab.view.charts.strip import bytes_kept


def chain(retain):
    with record() as run:
        y = torch.ones(1024, requires_grad=True)
        for _ in range(8):
            y = torch.tanh(y)
        y.sum().backward(retain_graph=retain)
    return run


freed = chain(retain=False)
print("bytes in pockets: at most", max(bytes_kept(freed)), " at the end", bytes_kept(freed)[-1])
assert max(bytes_kept(freed)) == 8 * 4096 and bytes_kept(freed)[-1] == 0
figure(strip(freed=freed), "A staircase: forward climbs it in eight stairs of 4 KiB, backward goes down to 0.")

# %% id="p8" source="003-9" stage="investigate"
predict("L7.P8")

# %% id="bytes-retained" source="003-9" stage="investigate" after="L7.P8"
retained = chain(retain=True)
print("at the end", bytes_kept(retained)[-1])
figure(strip(freed=freed, retained=retained), "Both climb to 32 KiB; with retain_graph=True the strip stays up there.")

# %% id="f1-task" stage="investigate"
task("L7.F1")

# %% id="f1" answers="L7.F1" stage="investigate"
second_runs = {
    "x + x": ...,
    "x * x": ...,
    "3 * x": ...,
    "x - 1": ...,
    "x ** 2": ...,
    "torch.exp(x)": ...,
    "x.sum()": ...,
}
### BEGIN SOLUTION
second_runs = dict.fromkeys(second_runs, False) | {"x + x": True, "x - 1": True, "x.sum()": True}
### END SOLUTION

# %% id="f1-check" checks="L7.F1" stage="investigate"
check("L7.F1", second_runs)

# %% [markdown] id="says" source=["000-27", "003-9"] stage="says"
# ## The article says / PyTorch does
#
# All four articles say, each in its own words, that backward frees *the graph*. You know better by now.

# %% id="says-000-e6" source="000-27" defect="000-E6" stage="says" after="L7.P2"
# The article says: after backward the graph is freed.
# PyTorch does: nodes and edges are still there; what is gone is what the nodes had saved.
x = torch.tensor(2.0, requires_grad=True)
y = x * x
y.backward()
node = y.grad_fn
print(node.name(), "leads to", [each.name().split("::")[-1] for each, _ in node.next_functions])
try:
    print(node._saved_self)
    raise AssertionError("it was still there")
except RuntimeError as error:
    print("its saved value:", str(error).split(" (")[0])
assert len(node.next_functions) == 2

# %% id="says-001-e4" source="001-25" defect="001-E4" stage="says" after="L7.P3"
# The article says: where a second backward fails, y.backward(retain_graph=True) preserves the graph.
# PyTorch does: on the second call it is too late; it belongs on the first.
x = torch.tensor(2.0, requires_grad=True)
y = x * x
y.backward()
try:
    y.backward(retain_graph=True)
    raise AssertionError("it ran")
except RuntimeError as error:
    print(str(error).split(" (")[0])
assert x.grad.item() == 4

# %% id="says-003-e4" source="003-12" defect="003-E4" stage="says"
# The article says: retain_graph is what gradients of gradients need.
# PyTorch does: it keeps the old graph, but the gradient has none of its own; create_graph=True records one.
for option in ("retain_graph", "create_graph"):
    x = torch.tensor(2.0, requires_grad=True)
    (slope,) = torch.autograd.grad(x**3, x, **{option: True})
    print(option, "- slope", slope.item(), "- has a history:", slope.grad_fn is not None)
    assert slope.item() == 12 and (slope.grad_fn is not None) == (option == "create_graph")

# %% [markdown] id="modify" source="003-13" stage="modify"
# ## Modify
#
# In `drained` write `loss.backward(retain_graph=True)` for the first pass. What will become of the pockets, and what will be in `x.grad`? Think, then look.

# %% id="record-kept" source="003-13" stage="modify"
with record() as kept_once:
    x = torch.tensor(3.0, requires_grad=True)
    square = x * x
    loss = square + 1
    loss.backward(retain_graph=True)
    loss.backward()
print("x.grad", x.grad)
assert x.grad.item() == 6 + 6

# %% id="kept-once" stage="modify"
figure(
    kept_once, "The first backward retains what the product saved; the second runs through and frees it: 6, then 12."
)

# %% [markdown] id="make" stage="make"
# ## Make
#
# **Two losses, one body.**

# %% id="d2-task" stage="make"
task("L7.D2")


# %% id="d2" answers="L7.D2" stage="make"
def learn(body, x):
    h = body(x)
    first, second = h * h, h * 3
    ### BEGIN SOLUTION
    (first + second).backward()
    return
    ### END SOLUTION
    first.backward()
    second.backward()


# %% id="d2-check" checks="L7.D2" stage="make"
check("L7.D2", learn)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: somebody writes `retain_graph=True` because an error message named it, and the error is gone. Which three questions would you ask before you
# let it stand?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p6" stage="exit"
predict("L7.P6")

# %% id="p7" stage="exit"
predict("L7.P7")

# %% [markdown] id="next"
# **Next:** [Lesson 19 · Leaks](19_leaks.ipynb), or [Lesson 8 · Stopping gradients](08_stopping_gradients.ipynb). All lessons: [index](index.ipynb).
