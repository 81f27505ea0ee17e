# %% [markdown] id="goals" source="001-32" slide="slide"
# # Lesson 17 · Saving memory
#
# **Why.** A deep model makes a deep graph, and each node keeps what its backward needs. That is often more than the weights themselves
# take. When the memory is full, one can keep less. There are four common ways, and each has a price:
#
# | way | idea | price |
# |---|---|---|
# | mixed precision | numbers of 16 bits | fewer digits; small gradients may vanish |
# | checkpointing | save a few, compute the rest again | time |
# | offloading | move saved values elsewhere until they are needed | transport |
# | tensor parallelism | split a tensor over several devices | talk between them |
#
# **After this lesson** you can say for each of them how many bytes it saves, what it costs, and what the graph looks like then.
#
# 55 minutes. You need lessons 7 and 11.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="predict" stage="predict"
# ## Predict
#
# The whole lesson has one program: tanh, and tanh of that, and so on, eight times. Each tensor has 1,024 numbers.

# %% id="p1" stage="predict"
predict("L17.P1")

# %% [markdown] id="run" stage="run" after="L17.P1"
# ## Run
#
# **Fewer bits.** `held` counts the bytes that nodes are given to save: first in 32 bits, then in 16.

# %% id="bytes" source="001-32" stage="run" after="L17.P1"
from autograd_lab.lessons.lesson17 import checkpoint_of, held


def deep(x):
    for _ in range(8):
        x = torch.tanh(x)
    return x


x = torch.ones(1024, requires_grad=True)
plain = held(torch, lambda: deep(x))
half = held(torch, lambda: deep(x.to(torch.float16)))
print(f"32 bits {plain:,} bytes  16 bits {half:,} bytes")
assert (plain, half) == (8 * 4096, 8 * 2048)

# %% [markdown] id="vanishing" source="001-32" stage="run"
# The price: in 16 bits (`float16`) a gradient of $10^{-8}$ is 0. If the loss is made larger, so are all gradients. In the end they are divided again. `GradScaler` does that.

# %% id="scaled" source="001-32" stage="run"
for scale in (1.0, 4096.0):
    w = torch.tensor([[1.0]], requires_grad=True)
    with torch.autocast("cpu", dtype=torch.float16):
        y = torch.mm(w, torch.tensor([[1e-4]]))
    (y.float() * 1e-4 * scale).sum().backward()
    print(f"{y.dtype}, loss times {scale:g}: gradient {w.grad.item() / scale:.1e}")
assert abs(w.grad.item() / scale - 1e-8) < 1e-10

# %% [markdown] id="investigate" stage="investigate"
# ## Investigate
#
# **Checkpoints.** A checkpoint is a part of the program whose insides are not kept. It keeps its input, and when backward comes to it, it
# runs a second time.

# %% id="p2" source="001-32" stage="investigate"
predict("L17.P2")

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

# %% id="second-forward" source="001-32" stage="investigate" after="L17.P2"
figure(
    again, "The pockets of both tanh are kept elsewhere. In backward both run again: a second small forward inside it."
)

# %% id="f1-task" stage="investigate"
task("L17.F1")

# %% id="f1" answers="L17.F1" stage="investigate"
kept = {"plain": ..., "half": ..., "three": ...}
### BEGIN SOLUTION
kept = {"plain": 12 * 4096, "half": 12 * 2048, "three": 3 * 4096}
### END SOLUTION

# %% id="f1-check" checks="L17.F1" stage="investigate"
check("L17.F1", kept)

# %% [markdown] id="files" source="001-32" stage="investigate"
# **Offloading**, here to files. The pockets hold nothing meanwhile.

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
print(f"held: plain {max(bytes_kept(here)):,} bytes  offloaded {max(bytes_kept(away)):,}  in files {sum(moved):,}")
assert (max(bytes_kept(here)), max(bytes_kept(away)), sum(moved)) == (8 * 4096, 0, 8 * 4096)
assert torch.equal(gradient, x.grad)

# %% [markdown] id="lanes" source="001-32" stage="investigate"
# **Tensor parallelism.** Two processes share $\tanh(x U) V$. Each has half of the columns of $U$, and the same rows of $V$. What comes out is added up: the *all-reduce*. Backward adds up once
# more, for the gradient of $x$.

# %% id="two-lanes" source="001-32" stage="investigate"
from autograd_lab.lessons.lane_figures import drawing, shared

(whole,) = shared(torch, 1)
both = shared(torch, 2)
print(f"alone      weights {whole.weights:,} bytes  held {whole.slots:,}")
for number, part in enumerate(both):
    print(f"process {number}  weights {part.weights:,} bytes  held {part.slots:,}")
assert all(part.agrees(whole) for part in both)
figure(
    drawing(both),
    "Two lanes run the same operations, each on its half, and meet twice: one all-reduce forward, one backward.",
)

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# Two checkpoints of four tanh kept two tensors. Now make the pieces smaller.

# %% id="p3" stage="modify"
predict("L17.P3")

# %% [markdown] id="modified" stage="modify" after="L17.P3"
# Smaller pieces keep more inputs, and run again in smaller portions: the most that is held at once in backward is one piece. For $n$
# layers, about $\sqrt{n}$ pieces are a good middle.

# %% [markdown] id="make" stage="make"
# ## Make

# %% id="m1-task" stage="make"
task("L17.M1")


# %% id="m1" answers="L17.M1" stage="make"
def thrifty(blocks, x):
    ### BEGIN SOLUTION
    for block in blocks:
        x = checkpoint(block, x, use_reentrant=False)
    return x
    ### END SOLUTION
    for block in blocks:
        x = block(x)
    return x


# %% id="m1-check" checks="L17.M1" stage="make"
check("L17.M1", thrifty)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: your model needs twice the memory that you have. In which order would you try the four ways, and why?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p4" stage="exit"
predict("L17.P4")

# %% id="p5" stage="exit"
predict("L17.P5")

# %% [markdown] id="next"
# **On:** [Lesson 15 · Errata hunt](15_errata_hunt.ipynb), if you have not done it yet. All lessons: [index](index.ipynb).
