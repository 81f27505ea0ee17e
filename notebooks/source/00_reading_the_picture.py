# %% [markdown] id="goals" source=["000-2", "000-3", "003-1", "003-2"] slide="slide"
# # Lesson 0 · Reading the picture
#
# **Why.** A neural network learns by changing thousands or millions of numbers, its *weights*, each a little. That is called *training*.
# For each weight one has to know: if it grows, does the *loss* grow or shrink, and how fast? (The loss is one number that says how wrong
# the network is.) That speed is its *gradient*. By hand nobody would get it right. PyTorch does it in two moves: while your program
# computes (*forward*), it writes down what was done (the *graph*); then it goes through those notes backwards (*backward*). Both together
# are called *autograd*. The notes are taken anew each time your program runs, so they always fit it.
#
# **After this lesson** you can point at each thing in the picture of such a graph, and say what PyTorch calls it: tensor, leaf, node, edge,
# saved value, version, `.grad`. The later lessons follow a graph through its life: how it is built and walked, what lives how long, what
# can be asked for twice, and how to find what went wrong.
#
# 50 minutes. You need: school calculus, and to have seen a little Python. How to work: *predict* first, then run. A wrong
# guess teaches more than none, so guess; you may also skip.

# %% id="world"
from autograd_lab.lessons import check, drag, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="hook" source="000-1"
# ## The riddle
#
# PyTorch computes with *tensors*: a single number, a row of numbers, a table, or more. Print one that a network made, and it shows a
# curious tail: `grad_fn=<AddmmBackward0>`. Something hangs on it. Here is a smaller one. What hangs on this one?

# %% id="small-one" source="000-1"
x = torch.tensor(2.0, requires_grad=True)
print(x * x)

# %% [markdown] id="predict" stage="predict"
# ## Predict
#
# We take one expression for the whole lesson: $y = (a + b)\cdot(b + 1)$ with $a = 2$ and $b = 3$. The program makes `a` and `b`
# itself; such a tensor, which no recorded operation made, is called a **leaf**. Both *ask for a gradient*: we want to know how fast `y` grows with each. PyTorch says that they *require grad*. The notes that it takes are called **nodes**: each one knows how to send a
# gradient one step back, or, where a path ends, how to put it into its leaf. How many will there be? Guess before you see the picture:

# %% id="p1" stage="predict"
predict("L0.P1")

# %% [markdown] id="run" source=["000-4", "003-3"] stage="run"
# ## Run
#
# `record()` watches what the lines below do. `requires_grad=True` is how a tensor asks for a gradient. `assert` stops with an error if what
# follows it is not true: so the lessons check themselves. You may pass over these lines.

# %% id="run-it" source=["000-4", "003-3"] stage="run"
with record() as run:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    c = a + b
    d = b + 1
    y = c * d

print("a and b are leaves:", a.is_leaf, b.is_leaf, "  c and y are leaves:", c.is_leaf, y.is_leaf)
print("y is", y.item(), "and its node is", y.grad_fn.name())
assert y.item() == 20.0

# %% [markdown] id="investigate" source=["003-4", "003-5"] stage="investigate"
# ## Investigate
#
# Click into the picture: it stands at its last step; ← goes back, → goes on. What is what in it stands below.

# %% id="graph" source="003-5" stage="investigate"
figure(
    run,
    "Lines lead from the leaves `a` and `b` to `c`, from `b` to `d`, from `c` and `d` to `y`; below `y` hang `c` and `d`.",
)

# %% [markdown] id="parts" source=["003-4", "003-5"] stage="investigate"
# * A **tensor** stands on a card, with its name and its value. The blue cards are the leaves.
# * A **node** was recorded when an operation ran, and it knows how to send a gradient back. It stands on the card of its tensor: that of
#   `y`, in Python `y.grad_fn`, is *MulBackward0 #2* (in a narrow window *Mul #2*). The 0 tells the forms of an operation apart; `#2` counts
#   operations from 0. Each of these leaves has a node, too, made when it is first used: its **AccumulateGrad**, which will put the gradient
#   into `.grad`. The card of the leaf stands for it.
# * A line is an **edge**: it joins what was made to what it was made from. A node has its edges in `next_functions`. There is one for each use: the nodes of `c` and of `d` each have one
#   that leads to `b`, so two lines meet there. The arrow first shows how values went; in backward it turns round, since gradients go the other way. PyTorch keeps only the way back.
# * A **pocket** below a card holds a **saved value**: backward will need it again. `y` has two, *c v0* and *d v0* (in a
#   narrow window *2 saved*, or nothing). v0 is the **version** that `c` had then: not written to since it was made. *4 B* are four bytes of
#   memory, which one number takes.
# * The drawer **`.grad`** of a leaf says none until the first gradient comes. That is not the same as 0.
# * Click a card, and more is told. There *op* means an operation that ran; *self* and *other* are PyTorch's names for the first and the
#   second thing that went into it: `c v0` is `y.grad_fn._saved_self`. *g* is the gradient that comes to the node. Edges are counted from 0.
#
# And the riddle? On the tensor hangs its node, and on that node the whole path back to `x`.
#
# Now find things: click them in the picture of the next cell. Without the player that cell lists the names that PyTorch has for all things;
# write three of them for the dots of `check("L0.T1", ["…", "…", "…"])`. For help, make a cell of your own: the key Esc, then `b`; then Enter,
# and write `hint("L0.T1")`.

# %% id="t1" stage="investigate"
task("L0.T1")

# %% id="f1-task" stage="investigate"
task("L0.F1")

# %% id="f1" answers="L0.F1" stage="investigate"
read_off = {"c": ..., "d": ..., "y": ..., "saved": ..., "lines from b": ...}
### BEGIN SOLUTION
read_off = {"c": 9, "d": 8, "y": 72, "saved": 2, "lines from b": 2}
### END SOLUTION

# %% id="f1-check" checks="L0.F1" stage="investigate"
check("L0.F1", read_off)

# %% [markdown] id="two-views" stage="investigate"
# **Two pictures of one thing.** Click into the first picture of this lesson. There the key `m`, or the button *maths / engine* (in a narrow window behind ⋯), takes the names of nodes off the
# cards, such as *MulBackward0 #2*, and brings them back. The maths picture is what you would draw on paper. The engine picture is what PyTorch holds in memory for its *engine*,
# the part that runs backward. Both are the same graph.

# %% [markdown] id="nodes-only" source="000-4" stage="says"
# ## The article says / PyTorch does
#
# The lessons follow four articles, which the [index](index.ipynb) lists. You need not have read them. Where one of them and PyTorch differ, a cell
# names the article and shows what PyTorch does. It runs on autograd_lab, which the project's tests compare with PyTorch. To run it on PyTorch itself, pass
# `"torch"` to `world` as its first argument, at the top, and run all cells again.
#
# One of the articles says: nodes are operations *or variables*, and data flow along the edges. That is a good picture of
# a formula. What PyTorch records is stricter. There are nodes only for going *backward*, and edges lead from node to node.

# %% id="says-000-e1" source="000-4" defect="000-E1" stage="says"
# The article says: a variable such as a is a node of the graph.
# PyTorch does: it records backward functions only; the leaf a is reached through its AccumulateGrad.
node = c.grad_fn.next_functions[0][0]  # where the first edge of c's node leads; lesson 2 explains such lines
print("a.grad_fn:", a.grad_fn)
print("The first edge of c's node leads to:", type(node).__name__)
print("This node puts the gradient into a:", node.variable is a)
assert a.grad_fn is None and type(node).__name__ == "AccumulateGrad" and node.variable is a

# %% [markdown] id="leaf-words" source="003-3" stage="says"
# Another article says: leaf nodes are input tensors with `requires_grad=True`. PyTorch calls *every* tensor a leaf that no
# recorded operation made. Most data are such leaves: they ask for no gradient, and nothing is recorded for them.

# %% id="says-003-e1" source="003-3" defect="003-E1" stage="says"
# The article says: a leaf is a tensor with requires_grad=True.
# PyTorch does: a tensor without it is a leaf as well, and so is what is computed from such tensors alone.
data = torch.tensor([1.0, 2.0])
print("data:", data.is_leaf, " data * 2:", (data * 2).is_leaf, " c:", c.is_leaf)
assert data.is_leaf and (data * 2).is_leaf and not c.is_leaf

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# Numbers first. Here `a` and `b` can be dragged, each by its ↔. Drag `b`: which cards follow, and which stay as they are? Then drag `a`.
# (What follows this step is backward: lesson 3.)


# %% id="dragged" stage="modify"
def expression(a, b):
    c = a + b
    d = b + 1
    y = c * d
    return y


drag(
    expression,
    "The same graph, with numbers to drag.",
    a=(0.0, 4.0, 1),
    b=(1.0, 5.0, 1),
)

# %% [markdown] id="writes" stage="modify"
# Values change, and the graph stays as it is: it says what was done, not with which numbers.
#
# A tensor can be written to, too: `c.add_(10)`, with an underscore at the end, writes **in place**: it changes `c` itself, and makes no new
# tensor. What does that do to its version?

# %% id="p4" stage="modify"
predict("L0.P4")

# %% id="write" stage="modify" after="L0.P4"
with record() as rewritten:
    c = a + b
    c.add_(10)

print("value", c.item(), " version", c._version)
assert c._version == 1

# %% id="write-graph" stage="modify" after="L0.P4"
figure(
    rewritten,
    "`c` is 5 at version 0; after `add_` it is 15, and its badge says v1. A write is an operation, too: it records a node, and the card of `c` "
    "stands for both.",
)

# %% [markdown] id="make" stage="make"
# ## Make
#
# Now the other way round: from a graph to a program. Write the function, and let `check` compare. `hint("L0.B1")` helps a little,
# and more each time.

# %% id="b1-task" stage="make"
task("L0.B1")


# %% id="b1" answers="L0.B1" stage="make"
def target(a, b):
    ...
    ### BEGIN SOLUTION
    return a * (a + b)
    ### END SOLUTION


# %% id="b1-check" checks="L0.B1" stage="make"
check("L0.B1", target)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour, in two sentences: what is the difference between the *tensor* `c` and the *node* `c.grad_fn`? And why has `b`
# one AccumulateGrad and two lines?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p2" stage="exit"
predict("L0.P2")

# %% id="p3" stage="exit"
predict("L0.P3")

# %% [markdown] id="next"
# **Next:** [Lesson 1 · Building forward](01_building_forward.ipynb) watches the graph grow line by line. All lessons: [index](index.ipynb).
