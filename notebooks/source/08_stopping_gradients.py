# %% [markdown] id="goals" source=["000-25", "001-26"] slide="slide"
# # Lesson 8 · Stopping gradients
#
# **Why.** Sometimes a gradient should *not* get through. A target should stand still while an estimate moves towards it. A part of a network
# should stay as it is. A number is for a log. And when you only want an answer from a network, a graph is waste. PyTorch has several
# tools for this. They look alike, and they are not. Who mixes them up gets no error, but a network that does not learn, or one that
# eats memory.
#
# **After this lesson** you can say what each tool cuts, and what it leaves; and you pick the right one.
#
# 90 minutes. You need lessons 4, 5 and 7.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself
nn = torch.nn

# %% [markdown] id="need" source=["000-38", "001-26"]
# ## One rule
#
# An operation is recorded if **recording is on**, and **at least one** of its operands requires grad. So there are two ways to stop it:
#
# * switch recording off for a while: `with torch.no_grad():`
# * give it operands that lead nowhere: `y.detach()` is a tensor with the values of `y`, without its past.
#
# `detach()` copies nothing. Old and new tensor share one piece of memory, and they count their writes together.

# %% id="detached" source="001-26"
x = torch.tensor(2.0, requires_grad=True)
y = x * x
z = y.detach()
print("z.requires_grad", z.requires_grad, " z.grad_fn", z.grad_fn)
z.add_(1)
print("after a write to z: y is", y.item(), "at version", y._version)
assert not z.requires_grad and (y.item(), y._version) == (5.0, 1)

# %% [markdown] id="predict" stage="predict"
# ## Predict

# %% id="record-cut" source="000-25" stage="predict"
with record() as cut:
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    y = x * 2
    z = y.detach()
    w = z * 3

# %% id="p1" source="000-25" stage="predict"
predict("L8.P1", cut)

# %% id="p2" source="001-27" stage="predict"
predict("L8.P2")

# %% id="p3" source="000-26" stage="predict"
predict("L8.P3")

# %% [markdown] id="run" source="000-25" stage="run" after="L8.P1"
# ## Run
#
# **detach** cuts at one place. What came before is as it was; what comes after knows nothing of it.

# %% id="run-detach" source="000-25" stage="run" after="L8.P1"
for name, each in {"y": y, "z": z, "w": w}.items():
    print(f"{name}.requires_grad: {each.requires_grad}")
assert (y.requires_grad, z.requires_grad, w.requires_grad) == (True, False, False)

# %% [markdown] id="no-grad" source="000-26" stage="run" after="L8.P3"
# **no_grad** switches recording off, for a block. Only *operations* are affected, and only inside.

# %% id="run-no-grad" source="000-26" stage="run" after="L8.P3"
x = torch.tensor([2.0, 3.0], requires_grad=True)
with torch.no_grad():
    y = x * 2
    leaf = torch.tensor(1.0, requires_grad=True)
z = x * 2
print("inside:", y.requires_grad, " after it:", z.requires_grad, " a leaf made inside:", leaf.requires_grad)
assert (y.requires_grad, z.requires_grad, leaf.requires_grad) == (False, True, True)

# %% [markdown] id="evaluate" source="001-27" stage="run" after="L8.P2"
# **eval** belongs to another story. `model.eval()` tells layers such as Dropout and BatchNorm to behave as they should when it counts. It
# records as before! So an evaluation has both: `eval()` for the layers, and `no_grad()` for the graph.

# %% id="run-eval" source="001-27" stage="run" after="L8.P2"
model = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
inputs = torch.ones(3, 2)
model.eval()
print("eval alone:      requires_grad", model(inputs).requires_grad)
assert model(inputs).requires_grad
with torch.no_grad():
    outputs = model(inputs)
print("eval and no_grad: requires_grad", outputs.requires_grad)
assert not outputs.requires_grad

# %% [markdown] id="benefits" source=["001-28", "000-26"] stage="run"
# What one gains without recording:
#
# | gain | because |
# |---|---|
# | memory | nothing is saved for a backward that never comes |
# | time | no nodes are made |
# | safety | no loss can reach what was computed here |
#
# `torch.inference_mode()` goes a step further: what is made there has no version counter, and may never be saved for a backward. Count what is saved:

# %% id="count" source="001-28" stage="run"
saved = []
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
with torch.autograd.graph.saved_tensors_hooks(lambda tensor: saved.append(1) or tensor, lambda tensor: tensor):
    model(inputs)
    print("recorded: ", len(saved), "tensors saved")
    assert saved
    for mode in (torch.no_grad, torch.inference_mode):
        saved.clear()
        with mode():
            outputs = model(inputs)
        print(f"{mode.__name__}: {len(saved)} tensors saved, is_inference {outputs.is_inference()}")
        assert not saved

# %% [markdown] id="investigate" stage="investigate"
# ## Investigate
#
# A product of `x` with its own detached twin. The value is that of $x^2$. What does backward say?

# %% id="record-half" stage="investigate"
with record() as half:
    x = torch.tensor(3.0, requires_grad=True)
    twin = x.detach()
    y = x * twin
    y.backward()

# %% id="p4" stage="investigate"
predict("L8.P4", half)

# %% id="half" stage="investigate" after="L8.P4"
figure(
    half,
    "y = x times its detached twin: one of the two paths ends at the twin, so only 3 comes back to x, where 2x is 6.",
)

# %% id="t1" stage="investigate"
task("L8.T1")

# %% [markdown] id="tiles" source="001-26" stage="investigate"
# **Four tiles.** Four ways to get another tensor from `y`. For each: has it the *memory* of `y`? Its version *counter*? Its *history*?

# %% id="f1-task" stage="investigate"
task("L8.F1")

# %% id="f1" answers="L8.F1" stage="investigate"
in_common = {
    "y.detach()": [..., ..., ...],
    "y.data": [..., ..., ...],
    "y.clone()": [..., ..., ...],
    "no_grad: y * 1": [..., ..., ...],
}
### BEGIN SOLUTION
in_common["y.detach()"] = [True, True, False]
in_common["y.data"] = [True, False, False]
in_common["y.clone()"] = [False, False, True]
in_common["no_grad: y * 1"] = [False, False, False]
### END SOLUTION

# %% id="f1-check" checks="L8.F1" stage="investigate"
check("L8.F1", in_common)

# %% [markdown] id="says" source="000-25" stage="says"
# ## The article says / PyTorch does
#
# An article names *gradient clipping* as a use of `detach`. Clipping means: if a gradient is too long, make it shorter, before the update. That
# is done to `.grad`, after backward. No tensor is cut off for it.

# %% id="says-000-e5" source="000-25" defect="000-E5" stage="says"
# The article says: detach() is useful for gradient clipping.
# PyTorch does: clipping rescales .grad in place after backward; nothing is detached on the way.
x = torch.tensor([2.0, 3.0], requires_grad=True)
(x * 100).sum().backward()
box = x.grad
print("before", box)
torch.nn.utils.clip_grad_norm_([x], max_norm=1.0)
print("after ", box)
assert x.grad is box and abs(box.norm().item() - 1) < 1e-4

# %% [markdown] id="at-least-one" source="000-38" stage="says"
# At its end it sums up: dynamic graphs are flexible, efficient, simple and open to inspection. For *efficient* it gives a reason: only operations on tensors
# with `requires_grad=True` are tracked. That is nearly the rule. One such operand is enough, and the others may be plain.

# %% id="says-000-e13" source="000-38" defect="000-E13" stage="says"
# The article says: only operations on tensors with requires_grad=True are tracked.
# PyTorch does: one such operand is enough for the operation to be recorded.
weight, data = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0)
mixed, plain = weight * data, data * data
print("weight * data:", mixed.requires_grad, " data * data:", plain.requires_grad)
assert mixed.requires_grad and not plain.requires_grad
assert mixed.grad_fn.next_functions[1][0] is None

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# Move the parenthesis: detach the product, not the factor. Predict, then look.

# %% id="p5" stage="modify"
predict("L8.P5")

# %% id="all-cut" stage="modify" after="L8.P5"
x = torch.tensor(3.0, requires_grad=True)
y = (x * x).detach()
try:
    y.backward()
    raise AssertionError("it ran")
except RuntimeError as error:
    print(str(error).splitlines()[0])

# %% [markdown] id="make" stage="make"
# ## Make
#
# **A target that runs away.** A program that learns a game guesses how good a position is. A later guess, plus what was won meanwhile, is its
# target for the one before. Both come from the same weight.

# %% id="d1-task" stage="make"
task("L8.D1")


# %% id="d1" answers="L8.D1" stage="make"
def loss(value, w, now, later):
    target = 1 + 0.9 * value(w, later)
    ### BEGIN SOLUTION
    target = target.detach()
    ### END SOLUTION
    return (value(w, now) - target) ** 2


# %% id="d1-check" checks="L8.D1" stage="make"
check("L8.D1", loss)

# %% [markdown] id="make-evaluation" stage="make"
# **An evaluation** that leaves no traces.

# %% id="d2-task" stage="make"
task("L8.D2")


# %% id="d2" answers="L8.D2" stage="make"
def evaluate(model, inputs):
    model.eval()
    ### BEGIN SOLUTION
    with torch.no_grad():
        outputs = model(inputs)
    model.train()
    return outputs
    ### END SOLUTION
    return model(inputs)


# %% id="d2-check" checks="L8.D2" stage="make"
check("L8.D2", evaluate)

# %% [markdown] id="make-jobs" stage="make"
# **The right tool**, five times. Write for example `"log": lambda y: …`.

# %% id="m1-task" stage="make"
task("L8.M1")

# %% id="m1" answers="L8.M1" stage="make"
tools = {"log": ..., "target": ..., "copy": ..., "twin": ..., "freeze": ...}
### BEGIN SOLUTION
tools = {
    "log": lambda y: y.item(),
    "target": lambda y: y.detach(),
    "copy": lambda y: y.detach().clone(),
    "twin": lambda y: y.clone(),
    "freeze": lambda model: model.requires_grad_(False),
}
### END SOLUTION

# %% id="m1-check" checks="L8.M1" stage="make"
check("L8.M1", tools)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: `evaluate` could return `model(inputs).detach()`. The result requires no grad then, either. What is the difference, and when would
# you notice it?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p6" stage="exit"
predict("L8.P6")

# %% id="p7" stage="exit"
predict("L8.P7")

# %% [markdown] id="next"
# **Next:** [Lesson 9 · In-place and versions](09_in_place.ipynb). All lessons: [index](index.ipynb).
