# %% [markdown] id="goals" source="003-27" slide="slide"
# # Lesson 14 · Clinic
#
# **Why.** Broken training rarely says what is broken. The loss stands still, or turns into nan, or the memory fills up. Four mistakes make up most of it: a second backward over freed values, a write into a value
# that is still needed, gradients that nobody has emptied, and graphs that somebody keeps alive. You have met them all. Here are the tools to find them, and six patients.
#
# **After this lesson** you can listen to a gradient on its way, find where nan comes from, find where a graph is cut, and say what memory is spent on.
#
# 80 minutes. You need lessons 7 to 12.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="need"
# ## Three instruments
#
# * A **hook** is a function that autograd calls with a gradient, when all of it has arrived. It can look, or return something else in its place.
# * **Anomaly mode** stops at the first backward that makes a nan, and names the operation.
# * The **picture** answers the question that the other two cannot: is there a way at all?

# %% [markdown] id="predict" stage="predict"
# ## Predict
#
# First a choice between two branches, one of which is not taken.

# %% id="record-nan" stage="predict"
with record() as branch_run:
    x = torch.tensor(0.0, requires_grad=True)
    root = torch.sqrt(x)
    y = torch.where(x > 0, root, torch.tensor(0.0))
    y.backward()

# %% id="p1" stage="predict"
predict("L14.P1", branch_run)

# %% id="p2" stage="predict"
predict("L14.P2")

# %% id="p3" stage="predict"
predict("L14.P3")

# %% [markdown] id="run" stage="run" after="L14.P2"
# ## Run
#
# **Hooks.** One listens at `y`, one at the leaf. Each is called once, with the sum.

# %% id="hooks" stage="run" after="L14.P2"
seen = []
x = torch.tensor(2.0, requires_grad=True)
y = x * 3
y.register_hook(lambda gradient: seen.append(("y", gradient.item())))
x.register_hook(lambda gradient: seen.append(("x", gradient.item())))
z = y * y + y
z.backward()
print(seen)
assert seen == [("y", 2 * 6.0 + 1), ("x", 3 * (2 * 6.0 + 1))]

# %% id="f1-task" stage="run"
task("L14.F1")

# %% id="f1" answers="L14.F1" stage="run"
heard = {"y": ..., "x": ...}
### BEGIN SOLUTION
heard = {"y": 8, "x": 24}
### END SOLUTION

# %% id="f1-check" checks="L14.F1" stage="run"
check("L14.F1", heard)

# %% [markdown] id="anomaly" stage="run"
# **Anomaly mode** finds the operation. It costs time, so it is switched on for the search only.

# %% id="detect" stage="run" after="L14.P1"
import warnings

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), torch.zeros(2))
y.sum().backward()
print("x.grad", x.grad)
assert x.grad.isnan().tolist() == [True, False]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that anomaly mode is on, and where the operation was
    try:
        with torch.autograd.detect_anomaly():
            torch.where(x > 0, torch.sqrt(x), torch.zeros(2)).sum().backward()
    except RuntimeError as error:
        print("RuntimeError:", str(error).splitlines()[0])
    else:
        raise AssertionError("anomaly mode finds this")

# %% [markdown] id="investigate" stage="investigate" after="L14.P1"
# ## Investigate
#
# The run with nan once more. Find the line along which 0 goes *in*, and the node out of which nan comes: $0 \cdot \frac{1}{2\sqrt{0}} = 0 \cdot \infty$.

# %% id="steps" stage="investigate" after="L14.P1"
figure(
    branch_run,
    "where sends 0 to the root that was not taken; the root multiplies by an infinite slope, and nan arrives at x.",
)

# %% id="d5-task" stage="investigate"
task("L14.D5")


# %% id="d5" answers="L14.D5" stage="investigate"
def safe_root(x):
    inner = x
    ### BEGIN SOLUTION
    inner = torch.where(x > 0, x, torch.ones(x.shape))
    ### END SOLUTION
    return torch.where(x > 0, torch.sqrt(inner), torch.zeros(x.shape))


# %% id="d5-check" checks="L14.D5" stage="investigate"
check("L14.D5", safe_root)

# %% [markdown] id="drawings" source=["000-33", "000-34", "003-22"] stage="investigate"
# **How to read other drawings.** A popular tool, torchviz, draws the graph behind a result. In its pictures inputs and parameters are on *top*, the result is at the *bottom*, boxes between them are the nodes of backward, and
# lines join them. `make_dot` here makes the same drawing.

# %% id="p4" source=["000-33", "000-34"] stage="investigate"
predict("L14.P4")

# %% [markdown] id="drawings-read" stage="investigate" after="L14.P4"
# So it is a drawing of backward's graph, with its arrowheads turned round: gradients go up, against the arrows.

# %% id="torchviz" source="003-22" stage="investigate"
from autograd_lab import make_dot

x = torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.0, 1.0]], requires_grad=True)
z = (x**2).sum()
drawing = make_dot(z, params={"x": x})
boxes = [line.split("[label=")[1].split()[0].strip('"]') for line in drawing.source.splitlines() if "Backward0" in line]
print(boxes)
assert boxes == ["SumBackward0", "PowBackward0"]

# %% [markdown] id="memory" source="001-32" stage="investigate"
# **What memory is spent on.** Deep models make deep graphs, and each node keeps what its backward needs. There are four common ways to keep less, and each has a price:
#
# | way | idea | price |
# |---|---|---|
# | mixed precision | numbers of 16 bits | fewer digits; small gradients may vanish |
# | checkpointing | save a few, compute the rest again | time |
# | offloading | move saved values elsewhere until they are needed | transport |
# | tensor parallelism | split a tensor over several devices | talk between them |
#
# All four, measured. First bytes given to slots by eight tanh in a row over 1,024 numbers, in 32 bits and in 16.

# %% id="bytes" source="001-32" stage="investigate"
from autograd_lab.lessons.lesson14 import checkpoint_of, held


def deep(x):
    for _ in range(8):
        x = torch.tanh(x)
    return x


x = torch.ones(1024, requires_grad=True)
plain = held(torch, lambda: deep(x))
half = held(torch, lambda: deep(x.to(torch.float16)))
print(f"32 bits {plain:,} bytes  16 bits {half:,} bytes")
assert (plain, half) == (8 * 4096, 8 * 2048)

# %% [markdown] id="vanishing" source="001-32" stage="investigate"
# The price: in 16 bits (`float16`) a gradient of $10^{-8}$ is 0. If the loss is made larger, so are all gradients. In the end they are divided again. `GradScaler` does that.

# %% id="scaled" source="001-32" stage="investigate"
for scale in (1.0, 4096.0):
    w = torch.tensor([[1.0]], requires_grad=True)
    with torch.autocast("cpu", dtype=torch.float16):
        y = torch.mm(w, torch.tensor([[1e-4]]))
    (y.float() * 1e-4 * scale).sum().backward()
    print(f"{y.dtype}, loss times {scale:g}: gradient {w.grad.item() / scale:.1e}")
assert abs(w.grad.item() / scale - 1e-8) < 1e-10

# %% [markdown] id="again" source="001-32" stage="investigate"
# **Checkpoints.** Two of them, with four tanh in each. Each keeps its input, and runs a second time in backward. The figure has one of two tanh.

# %% id="checkpoints" source="001-32" stage="investigate"
checkpoint = checkpoint_of(torch).checkpoint


def four(x):
    return torch.tanh(torch.tanh(torch.tanh(torch.tanh(x))))


less = held(torch, lambda: checkpoint(four, checkpoint(four, x, use_reentrant=False), use_reentrant=False))
print(f"plain {plain:,} bytes  two checkpoints {less:,} bytes")
assert less == 2 * 4096

with record() as again:
    u = torch.tensor([0.5, 1.0], requires_grad=True)
    v = checkpoint(lambda h: torch.tanh(torch.tanh(h)), u, use_reentrant=False)
    v.sum().backward()

# %% id="second-forward" source="001-32" stage="investigate"
figure(
    again, "The slots of both tanh are kept elsewhere. In backward both run again: a second small forward inside it."
)

# %% id="p7" source="001-32" stage="investigate"
predict("L14.P7")

# %% [markdown] id="files" source="001-32" stage="investigate"
# **Offloading**, here to files. The slots hold nothing meanwhile.

# %% id="offload" source="001-32" stage="investigate"
import os
import tempfile

from autograd_lab.view.charts.strip import bytes_kept

moved = []


def to_disk(tensor):
    handle, name = tempfile.mkstemp()
    os.close(handle)
    torch.save(tensor.detach(), name)
    moved.append(tensor.numel() * tensor.element_size())
    return name


def from_disk(name):
    tensor = torch.load(name)
    os.remove(name)
    return tensor


with record() as away, torch.autograd.graph.saved_tensors_hooks(to_disk, from_disk):
    deep(x).sum().backward()
gradient, x.grad = x.grad, None
with record() as here:
    deep(x).sum().backward()
print(f"in slots: plain {max(bytes_kept(here)):,} bytes  offloaded {max(bytes_kept(away)):,}  in files {sum(moved):,}")
assert (max(bytes_kept(here)), max(bytes_kept(away)), sum(moved)) == (8 * 4096, 0, 8 * 4096)
assert torch.equal(gradient, x.grad)

# %% [markdown] id="lanes" source="001-32" stage="investigate"
# **Tensor parallelism.** Two processes share $\tanh(x U) V$. Each has half of the columns of $U$, and the same rows of $V$. What comes out is added up: the *all-reduce*. Backward adds up once
# more, for the gradient of $x$.

# %% id="two-lanes" source="001-32" stage="investigate"
from autograd_lab.lessons.lane_figures import drawing, shared

(whole,) = shared(torch, 1)
both = shared(torch, 2)
print(f"alone      weights {whole.weights:,} bytes  in slots {whole.slots:,}")
for number, part in enumerate(both):
    print(f"process {number}  weights {part.weights:,} bytes  in slots {part.slots:,}")
assert all(part.agrees(whole) for part in both)
figure(
    drawing(both), "Two lanes run the same ops, each on its half, and meet twice: one all-reduce forward, one backward."
)

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# Case 1. The loss is right and nothing learns. Where is the graph cut?

# %% id="d1-task" stage="modify"
task("L14.D1")


# %% id="d1" answers="L14.D1" stage="modify"
def loss_of(w, x, y):
    predicted = torch.tensor((w * x).item(), requires_grad=True)
    ### BEGIN SOLUTION
    predicted = w * x
    ### END SOLUTION
    return (predicted - y) ** 2


# %% id="d1-check" checks="L14.D1" stage="modify"
check("L14.D1", loss_of)

# %% [markdown] id="make" source="003-27" stage="make"
# ## Make
#
# Four more patients. Each has one of the troubles of this course.

# %% id="d2-task" source="003-27" stage="make"
task("L14.D2")


# %% id="d2" answers="L14.D2" stage="make"
def train(w, steps):
    seen, loss = [], w * w
    for _ in range(steps):
        ### BEGIN SOLUTION
        loss, w.grad = w * w, None
        ### END SOLUTION
        loss.backward()
        seen.append(w.grad.item())
        with torch.no_grad():
            w -= 0.1 * w.grad
    return seen


# %% id="d2-check" checks="L14.D2" stage="make"
check("L14.D2", train)

# %% id="d3-task" source="003-27" stage="make"
task("L14.D3")


# %% id="d3" answers="L14.D3" stage="make"
def scale_and_exp(x):
    y = torch.exp(2 * x)
    ### BEGIN SOLUTION
    return y + 1
    ### END SOLUTION
    y += 1
    return y


# %% id="d3-check" checks="L14.D3" stage="make"
check("L14.D3", scale_and_exp)

# %% id="d4-task" source="003-27" stage="make"
task("L14.D4")


# %% id="d4" answers="L14.D4" stage="make"
def log(losses):
    ### BEGIN SOLUTION
    return [loss.item() for loss in losses]
    ### END SOLUTION
    return list(losses)


# %% id="d4-check" checks="L14.D4" stage="make"
check("L14.D4", log)

# %% id="d6-task" stage="make"
task("L14.D6")


# %% id="d6" answers="L14.D6" stage="make"
def frozen_loss(x, w, v):
    with torch.no_grad():
        features = x * w
        loss = features * v
    ### BEGIN SOLUTION
    loss = features * v
    ### END SOLUTION
    return loss


# %% id="d6-check" checks="L14.D6" stage="make"
check("L14.D6", frozen_loss)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: which of the six would an error message have told you about? Which ones were silent, and how would you notice them in a training that takes a week?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p5" stage="exit"
predict("L14.P5")

# %% id="p6" stage="exit"
predict("L14.P6")

# %% [markdown] id="next"
# **Next:** [Lesson 15 · Errata hunt](15_errata_hunt.ipynb). All lessons: [index](index.ipynb).
