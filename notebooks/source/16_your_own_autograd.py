# %% [markdown] id="goals" slide="slide"
# # Lesson 16 · Your own autograd
#
# **Why.** You have watched an engine for many hours. Now write one. It takes seven small functions, and you have met the idea of each. An engine
# that you have written yourself holds no more secrets, and PyTorch's is the same idea with more operations.
#
# **After this lesson** you have an engine of your own. Each of its pieces is held against autograd_lab, the player shows how it works, and it has trained a network.
#
# 130 minutes, in two sittings: stop before *The loop*. You need lessons 2 to 7.

# %% id="world"
import numpy as np

from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="need"
# ## What an engine is made of
#
# * a **slope** for each operation: what to send to each of its inputs (`product_slopes`, `tanh_slope`, later `sin_slope`; lesson 3);
# * **edges**: a new node notes to which nodes its gradients go, its *targets* (`edges`; in PyTorch `next_functions`, lesson 2);
# * a count of how many gradients each node **waits** for (`waits`; lesson 4);
# * a loop that goes **backward** (lesson 3);
# * `.grad`, which **accumulates** (lesson 5).
#
# What else there is (storing numbers, stretching shapes) is given. You write a piece; the check puts it into an engine whose other pieces are right, runs seven programs
# with it, and compares every gradient with those of autograd_lab, which the project's tests hold against PyTorch.

# %% [markdown] id="predict" stage="predict"
# ## Predict

# %% id="p1" stage="predict"
predict("L16.P1")

# %% [markdown] id="run" stage="run"
# ## Run
#
# The engine with all pieces given. Yours will do the same at the end.

# %% id="given" stage="run" worlds="it says by whose engine"
from autograd_lab.lessons.own_engine import assemble

engine = assemble()
x = engine.tensor(3.0, requires_grad=True)
u = x * x
w = u * (u + x)
w.backward()
v = torch.tensor(3.0, requires_grad=True)
u = v * v
(u * (u + v)).backward()
print("the small engine", x.grad.item(), "", torch.__name__, v.grad.item())
assert x.grad.item() == v.grad.item()

# %% [markdown] id="investigate" stage="investigate"
# ## Make: slopes
#
# What one operation sends back to its inputs.

# %% id="m1-task" stage="investigate"
task("L16.M1")


# %% id="m1" answers="L16.M1" stage="investigate"
def product_slopes(g, x, y):
    ...
    ### BEGIN SOLUTION
    return g * y, g * x
    ### END SOLUTION


# %% id="m1-check" checks="L16.M1" stage="investigate"
check("L16.M1", product_slopes)

# %% id="m2-task" stage="investigate"
task("L16.M2")


# %% id="m2" answers="L16.M2" stage="investigate"
def tanh_slope(g, z):
    ...
    ### BEGIN SOLUTION
    return g * (1 - z * z)
    ### END SOLUTION


# %% id="m2-check" checks="L16.M2" stage="investigate"
check("L16.M2", tanh_slope)

# %% [markdown] id="modify" stage="modify"
# ## Predict
#
# Must an engine know every function?

# %% id="p2" stage="modify"
predict("L16.P2")

# %% [markdown] id="modify-sin" stage="modify"
# ## Modify
#
# A function that is no sum of products needs a slope of its own. Your engine can compute `x.sin()`, but not yet differentiate it.

# %% id="m7-task" stage="modify"
task("L16.M7")


# %% id="m7" answers="L16.M7" stage="modify"
def sin_slope(g, x):
    ...
    ### BEGIN SOLUTION
    return g * np.cos(x)
    ### END SOLUTION


# %% id="m7-check" checks="L16.M7" stage="modify"
check("L16.M7", sin_slope)

# %% [markdown] id="make" stage="make"
# ## Make: graph and walk
#
# **The graph.** It comes from this one piece.

# %% id="m3-task" stage="make"
task("L16.M3")


# %% id="m3" answers="L16.M3" stage="make"
def edges(operands):
    ...
    ### BEGIN SOLUTION
    return [operand.gradient_goes_to for operand in operands]
    ### END SOLUTION


# %% id="m3-check" checks="L16.M3" stage="make"
check("L16.M3", edges)

# %% [markdown] id="make-waits" stage="make"
# **Who waits for how many?** You saw in lesson 4 why a node must not be in a hurry.

# %% id="m4-task" stage="make"
task("L16.M4")

# %% id="m4" answers="L16.M4" stage="make"
from collections import Counter


def waits(root):
    ...
    ### BEGIN SOLUTION
    found, todo = Counter(), [root]
    for node in todo:
        for target in node.edges:
            if target is not None:
                found[target] += 1
                todo += [target] if found[target] == 1 else []
    return found
    ### END SOLUTION


# %% id="m4-check" checks="L16.M4" stage="make"
check("L16.M4", waits)

# %% [markdown] id="make-backward" stage="make"
# **The loop.** (A second sitting begins here: click into this cell, then Run > Run All Above Selected Cell.) The five steps of lesson 3, in code.

# %% id="m5-task" stage="make"
task("L16.M5")


# %% id="m5" answers="L16.M5" stage="make"
def backward(root, expected):
    ready, arrived, total = [root], Counter(), {root: root.one}
    while ready:
        node = ready.pop()
        ...
        ### BEGIN SOLUTION
        for target, gradient in node.run(total[node]):
            total[target] = total.get(target, 0) + gradient
            arrived[target] += 1
            if arrived[target] == expected[target]:
                ready.append(target)
        ### END SOLUTION


# %% [markdown] id="m5-by-hand" stage="make"
# First let it run on four nodes that tell what they do, as often as you like. They belong to `w = u * s`, with `u = x * x` and `s = u + x`, at `x` = 3.

# %% id="m5-try" stage="make"
from autograd_lab.lessons.by_hand import try_by_hand

try_by_hand(backward)

# %% id="m5-check" checks="L16.M5" stage="make"
check("L16.M5", backward)

# %% id="m6-task" stage="make"
task("L16.M6")


# %% id="m6" answers="L16.M6" stage="make"
def accumulate(old, gradient):
    ...
    ### BEGIN SOLUTION
    return gradient if old is None else old + gradient
    ### END SOLUTION


# %% id="m6-check" checks="L16.M6" stage="make"
check("L16.M6", accumulate)

# %% [markdown] id="together" stage="make"
# **All of it is yours.** Put your pieces together, and watch them in the player. A piece that is not right yet is left out, and the given one takes its place.

# %% id="own" stage="make"
from autograd_lab.lessons.lesson16 import right_ones

pieces = (product_slopes, tanh_slope, sin_slope, edges, waits, backward, accumulate)
mine = right_ones(*pieces)
print("your pieces:", len(mine), "of", len(pieces))
engine = assemble(**mine)

# %% id="own-run" stage="make"
with record() as run:
    a = engine.tensor(2.0, requires_grad=True)
    b = engine.tensor(3.0, requires_grad=True)
    c = a + b
    y = c * b.tanh()
    y.backward()

# %% id="watch" stage="make"
figure(run, "Two leaves, a sum, a tanh and a product, computed and differentiated by the learner's own engine.")

# %% id="p5" stage="make"
predict("L16.P5")

# %% [markdown] id="train" stage="make"
# **Let it learn.** Two half moons reach into each other; no straight line parts them. A network of eight tanh units can, if its gradients are right.

# %% id="moons" stage="make"
from autograd_lab.lessons.lesson16 import weights
from autograd_lab.lessons.moons import draw_moons, moons

points, sides = moons()
numbers = weights()


def network(x, w1, b1, w2):
    return (x @ w1 + b1).tanh() @ w2


for turn in range(1, 301):
    leaves = [engine.tensor(each, requires_grad=True) for each in numbers]
    error = network(engine.tensor(points), *leaves) - engine.tensor(sides)
    loss = (error * error).sum()
    loss.backward()
    numbers = [each - 0.005 * leaf.grad.numpy() for each, leaf in zip(numbers, leaves, strict=True)]
    if turn in (1, 100, 300):
        print(f"turn {turn:3}  loss {loss.item():.1f}")


# %% id="moons-border" stage="make"
def answers(numbers):
    return lambda places: network(engine.tensor(places), *map(engine.tensor, numbers)).numpy()


drawn = draw_moons(points, sides, {"before": answers(weights()), "after 300 turns": answers(numbers)})
figure(drawn, "Two half moons. The network's border cuts through both at first; at the end it winds between them.")
assert (np.sign(answers(numbers)(points)) == sides).mean() > 0.95

# %% id="p6" stage="make"
predict("L16.P6")

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: which of your seven functions know that there is calculus? Why did `sin` need no new walk?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p3" stage="exit"
predict("L16.P3")

# %% id="p4" stage="exit"
predict("L16.P4")

# %% [markdown] id="next"
# **Next:** read the whole small engine. You have written its core. In a new cell, `from autograd_lab.examples import miniature` and then, in the next one,
# `miniature??` show it; `print(miniature.__file__)` says where it lies. All lessons: [index](index.ipynb).
