# %% [markdown] id="goals" source=["001-29", "003-17"] slide="slide"
# # Lesson 9 · In-place and versions
#
# **Why.** An operation such as `x.add_(1)` or `x += 1` does not make a new tensor. It writes into the one that is there. That saves memory.
# But what if a node has saved that very tensor, and will need its old value? Then its derivative would be computed from the wrong number. So
# PyTorch counts writes. The count is called the **version**. It is a witness: before backward uses a saved value, it asks whether
# anybody has written to it since.
#
# **After this lesson** you can say of a write whether it is refused, caught, harmless, or wrong without a word; and you can mend it.
#
# 90 minutes. You need lessons 3 and 5.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="need" source="003-17"
# ## Who saved what
#
# An underscore at the end of a name says: this one changes the tensor itself. So do `+=` and its kin, and `x[0] = …`. Whenever values are written, `_version` goes up by
# one. (A few such names write no values: `requires_grad_()`, for one, leaves the version as it is.) A node
# that saves a tensor makes no copy: it keeps *the very memory*, and notes the version. What a node saves depends on its formula:
#
# | operation | what its derivative needs | saved |
# |---|---|---|
# | `a + b`, `a + 1`, `a.sum()` | no value | no tensor |
# | `a * b`, if both ask for a gradient | the other factor | both factors |
# | `a * 2` | the 2 | the number |
# | `a ** 2` | the base | the base |
# | `torch.exp(a)`, `torch.relu(a)` | the result | the result |

# %% id="note" source="003-17"
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2
print("saved is x itself:", y.grad_fn._saved_self is x, " version", x._version)
with torch.no_grad():
    x += 1
print("after one write: version", x._version)
assert x._version == 1

# %% [markdown] id="predict" stage="predict"
# ## Predict
#
# Three writes. Decide before you see what becomes of each.

# %% id="p1" stage="predict"
predict("L9.P1")

# %% id="record" stage="predict" after="L9.P1"
with record() as caught:
    x = torch.tensor(2.0, requires_grad=True)
    h = x + 1
    y = h * h
    h.add_(1)
    try:
        y.backward()
    except RuntimeError as error:
        message = str(error)

# %% id="p2" source="001-29" stage="predict"
predict("L9.P2")

# %% id="p4" source="003-19" stage="predict"
predict("L9.P4")

# %% [markdown] id="run" stage="run" after="L9.P1"
# ## Run
#
# What backward said above. It names the version that it found, and the one that it had noted.

# %% id="message" stage="run" after="L9.P1"
for part in message.splitlines()[0].split(". Hint")[0].split("; "):
    print(part)
assert "is at version 1; expected version 0 instead" in message

# %% [markdown] id="leaf" source="001-29" stage="run" after="L9.P2"
# **A leaf that asks for a gradient refuses.** An operation that writes is recorded like any other. After it, `x` would be a result, and no leaf. Its gradient would
# have no place to go. So PyTorch refuses, *before* anything changes. With recording off there is no such trouble, and the write is allowed.

# %% id="refused" source="001-29" stage="run" after="L9.P2"
x = torch.tensor(2.0, requires_grad=True)
try:
    x.add_(1)
except RuntimeError as error:
    print(str(error).splitlines()[0])
print("value", x.item(), " version", x._version)
assert (x.item(), x._version) == (2.0, 0)

# %% [markdown] id="safe" source="003-20" stage="run"
# **After backward** nobody needs the saved values any more. That is when weights are updated: in place, under `no_grad`.

# %% id="update" source="003-20" stage="run"
x = torch.tensor([1.0], requires_grad=True)
y = x * 2
y.sum().backward()
with torch.no_grad():
    x += 1
print("x", x.detach(), " x.grad", x.grad, " still a leaf:", x.is_leaf)
assert x.item() == 2 and x.grad.item() == 2 and x.is_leaf

# %% [markdown] id="investigate" stage="investigate" after="L9.P1"
# ## Investigate
#
# The run from above. The product has saved `h` twice, both times at v0. Watch its pocket when `h.add_(1)` runs: the badge of `h` says v1, and
# the pocket tears, for what it keeps is *stale*. Nothing has failed yet. Then step on to the error.

# %% id="steps" stage="investigate" after="L9.P1"
figure(
    caught,
    "y saved h twice, at version 0. h.add_ moves h to version 1, both saved values are stale, and backward stops at y.",
)

# %% id="t1" stage="investigate"
task("L9.T1")

# %% [markdown] id="ten" stage="investigate"
# **Ten programs.** In each `x` is a leaf that requires grad, and at the end `y.backward()` is called. What happens: `"at once"`, `"at backward"`,
# `"fine"` or `"wrong"`? First decide, then try in a cell of your own.

# %% id="snippets" source=["003-18", "003-19"] stage="investigate"
from autograd_lab.lessons.lesson09 import SNIPPETS

for name, text in SNIPPETS.items():
    print(f"{name})", text.replace("\n", "\n   "), "\n")

# %% id="f1-task" stage="investigate"
task("L9.F1")

# %% id="f1" answers="L9.F1" stage="investigate"
endings = {"a": ..., "b": ..., "c": ..., "d": ..., "e": ..., "f": ..., "g": ..., "h": ..., "i": ..., "j": ...}
### BEGIN SOLUTION
endings = {"a": "at once", "b": "at backward", "c": "fine", "d": "fine", "e": "at backward"}
endings |= {"f": "wrong", "g": "at backward", "h": "at backward", "i": "fine", "j": "fine"}
### END SOLUTION

# %% id="f1-check" checks="L9.F1" stage="investigate"
check("L9.F1", endings)

# %% id="f2-task" stage="investigate"
task("L9.F2")

# %% id="f2" answers="L9.F2" stage="investigate"
versions = {"h": ..., "twin": ..., "copy": ..., "raw": ..., "new": ...}
### BEGIN SOLUTION
versions = {"h": 2, "twin": 2, "copy": 1, "raw": 1, "new": 0}
### END SOLUTION

# %% id="f2-check" checks="L9.F2" stage="investigate"
check("L9.F2", versions)

# %% [markdown] id="says" source="003-18" stage="says"
# ## The article says / PyTorch does
#
# One article shows the version counter at work, and writes through `.data`. Step to the write, and compare the badges. Then predict.

# %% id="record-silent" source="003-18" stage="says"
with record() as silent:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (x**2).sum()
    x.data += 1
    y.backward()

# %% id="p3" source="003-18" stage="says"
predict("L9.P3", silent)

# %% id="says-003-e6" source="003-18" defect="003-E6" stage="says" after="L9.P3"
# The article says: after x.data += 1 the version has changed, and backward raises an error.
# PyTorch does: the version stays 0, there is no error, and the gradient is that of other values.
print("version", x._version, " x.grad", x.grad, " but 2x was [2, 4, 6]")
assert x._version == 0 and x.grad.tolist() == [4.0, 6.0, 8.0]

# %% [markdown] id="witness" source="003-18" stage="says" after="L9.P3"
# The witness was passed by. `detach()` shares the memory too, but it also shares the *counter*. There the write is caught. So is one under `no_grad`.

# %% id="witness-sees" source="003-18" stage="says"
for name in ("detach", "no_grad"):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (x**2).sum()
    if name == "detach":
        x.detach().add_(1)
    else:
        with torch.no_grad():
            x.add_(1)
    try:
        y.backward()
    except RuntimeError:
        print(name, "- version", x._version, "- backward refuses")
assert x._version == 1 and x.grad is None

# %% [markdown] id="leaf-says" source="001-29" stage="says"
# Another article warns that a write to `x` *may* break autograd. For a leaf there is no "may".

# %% id="says-001-e5" source="001-29" defect="001-E5" stage="says"
# The article says: x.add_(1) on this leaf may break autograd.
# PyTorch does: it refuses, always and at once, and the graph is still sound.
x = torch.tensor(2.0, requires_grad=True)
y = x * x
try:
    x.add_(1)
    raise AssertionError("the write was accepted")
except RuntimeError as error:
    assert "a leaf Variable that requires grad" in str(error)
y.backward()
print("after the refusal x.grad is", x.grad)
assert x.grad.item() == 4

# %% id="says-003-e7" source="003-19" defect="003-E7" stage="says"
# The article says: x += 1 after y = x * 2 spoils the gradient of y.
# PyTorch does: the line itself raises an error; x is unchanged, so nothing is spoiled.
x = torch.tensor([1.0], requires_grad=True)
y = x * 2
try:
    x += 1
    raise AssertionError("the write was accepted")
except RuntimeError as error:
    print(str(error).splitlines()[0])
assert x.item() == 1 and x._version == 0

# %% id="says-003-e8" source="003-19" defect="003-E8" stage="says" after="L9.P4"
# The article says: (by this example) y = x * 2 needs x for its gradient.
# PyTorch does: it saved the 2 and not x, so even a write that is accepted does no harm.
with torch.no_grad():
    x += 1
y.backward()
print("x", x.item(), " x.grad", x.grad)
assert x._version == 1 and x.grad.item() == 2

# %% id="says-003-e9" source="003-20" defect="003-E9" stage="says"
# The article says: a detached tensor is a copy, safe to write to.
# PyTorch does: detach() gives another view of the same memory; detach().clone() is a copy.
x = torch.tensor([1.0, 2.0], requires_grad=True)
alias, copy = x.detach(), x.detach().clone()
alias[0] = 100
print("x", x.detach(), " copy", copy)
assert x[0].item() == 100 and copy[0].item() == 1

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# Now write to a *part* of a tensor that has a history. `h[0]` is a **view**: it has no memory of its own. Predict what comes back to `x`.

# %% id="p5" stage="modify"
predict("L9.P5")

# %% id="views" stage="modify" after="L9.P5"
with record() as spliced:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    h = x * 2
    h[0] = 10
    y = h.sum()
    y.backward()

print("h was made by", h.grad_fn.name().split("::")[-1], " x.grad", x.grad)
assert x.grad.tolist() == [0.0, 2.0, 2.0]

# %% [markdown] id="spliced-look" stage="modify" after="L9.P5"
# The write put a node *into* the graph: CopySlices. It hands on what came, but puts 0 where the old value was lost. Change `h[0] = 10` to `h[0] = h[1]`
# in your head: who gets the gradient that arrives at `h[0]`? Try it.

# %% id="spliced" stage="modify" worlds="PyTorch does not tell what a write through a view saves" after="L9.P5"
figure(
    spliced,
    "h is 2, 4, 6; the write to its first place makes it 10, 4, 6, by CopySlices; backward sends 0, 2, 2 to x.",
)

# %% [markdown] id="make" stage="make"
# ## Make
#
# **Four repairs**, two in each function. The first one gives the right value; backward stops.

# %% id="d1-task" stage="make"
task("L9.D1")


# %% id="d1" answers="L9.D1" stage="make"
def soft(x):
    e = torch.exp(x)
    ### BEGIN SOLUTION
    f = e + 1
    return f * f + e
    ### END SOLUTION
    e += 1
    y = e * e
    e -= 1
    return y + e


# %% id="d1-check" checks="L9.D1" stage="make"
check("L9.D1", soft)

# %% id="d2-task" stage="make"
task("L9.D2")


# %% id="d2" answers="L9.D2" stage="make"
def step(w, rate):
    old = w.detach()
    ### BEGIN SOLUTION
    old = w.detach().clone()
    with torch.no_grad():
        w -= rate * w.grad
    return old
    ### END SOLUTION
    w -= rate * w.grad
    return old


# %% id="d2-check" checks="L9.D2" stage="make"
check("L9.D2", step)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: why does a node keep the tensor itself, and not a copy? And what would a training run of a week look like, if somebody wrote
# to a weight through `.data` at the wrong moment?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p6" stage="exit"
predict("L9.P6")

# %% id="p7" stage="exit"
predict("L9.P7")

# %% [markdown] id="next"
# **Next:** [Lesson 10 · Dynamic graphs](10_dynamic_graphs.ipynb). All lessons: [index](index.ipynb).
