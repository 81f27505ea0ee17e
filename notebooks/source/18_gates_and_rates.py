# %% [markdown] id="goals" slide="slide"
# # Lesson 18 · Gates and rates
#
# **Why.** You can follow backward step by step. This lesson is about seeing it at a glance: four kinds of operations, each with a habit of
# its own. Who knows the four can say for most graphs which way a gradient goes, before anything is computed.
#
# **After this lesson** you can read a graph as gates, explain the chain rule without a formula, and derive the gradient of softmax with
# cross-entropy by hand.
#
# 55 minutes. You need lessons 3 and 4.

# %% id="world"
from autograd_lab.lessons import check, drag, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="predict" stage="predict"
# ## Predict
#
# A gradient is a *rate*: how fast one thing moves when another does. Think of two wheels that drive each other.

# %% id="p1" stage="predict"
predict("L18.P1")

# %% id="p2" stage="predict"
predict("L18.P2")

# %% id="p3" stage="predict"
predict("L18.P3")

# %% [markdown] id="run" stage="run"
# ## Run
#
# Nudge an input, and watch what follows. Here are three gates, with handles at `a` and `b`. Push `a` a little, and look by how much each
# of the three results moves. Then go to the last step: what stands in `.grad`?


# %% id="nudge" stage="run"
def three_gates(a, b):
    total = a + b
    product = a * b
    larger = torch.maximum(a, b)
    return total + product + larger


drag(three_gates, "a = 4 and b = 2 go into a sum, a product and a maximum.", a=(2.0, 6.0, 1.0), b=(0.0, 4.0, 1.0))

# %% id="p4" stage="run"
predict("L18.P4")

# %% [markdown] id="table" stage="run" after=["L18.P2", "L18.P3", "L18.P4"]
# The four gates:
#
# | gate | what it does with a gradient that comes | why |
# |---|---|---|
# | sum | **distributes**: everybody gets all of it | push one, and the sum moves as much |
# | product | **switches**: each gets it times the value of the *other* | push one, and the product moves that many times |
# | max | **routes**: the one that was taken gets it, the others get 0 | push another, and nothing moves |
# | copy (used twice) | **adds** what comes back from all places | push it, and all places move |

# %% [markdown] id="investigate" stage="investigate"
# ## Investigate
#
# All four in one program. First go back through it on paper.

# %% id="f1-task" stage="investigate"
task("L18.F1")

# %% id="f1" answers="L18.F1" stage="investigate"
arrives = {"a": ..., "b": ..., "c": ...}
### BEGIN SOLUTION
arrives = {"a": 3, "b": 4, "c": 0}
### END SOLUTION

# %% id="f1-check" checks="L18.F1" stage="investigate"
check("L18.F1", arrives)

# %% [markdown] id="same" stage="investigate"
# Now let it run, with other numbers. Step through backward, and name the gate at each node before you press →.

# %% id="record" stage="investigate"
with record() as all_four:
    a = torch.tensor(3.0, requires_grad=True)
    b = torch.tensor(2.0, requires_grad=True)
    c = torch.tensor(9.0, requires_grad=True)
    y = torch.maximum(a * b, c) + a
    y.backward()
figure(
    all_four, "a and b go into a product; it and c go into a maximum, which is c; that and a once more go into a sum."
)

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# A max has a kink where both are equal. There is no slope there, so PyTorch has to choose something.

# %% id="p5" stage="modify"
predict("L18.P5")

# %% id="kink" stage="modify" after="L18.P5"
a, b = (torch.tensor(3.0, requires_grad=True) for _ in range(2))
torch.maximum(a, b).backward()
print("maximum of two:", a.grad.item(), b.grad.item())
x = torch.tensor([3.0, 3.0, 1.0], requires_grad=True)
x.max(dim=0).values.backward()
print("with a place:  ", x.grad.tolist())
assert a.grad.item() == b.grad.item() == 0.5 and sorted(x.grad.tolist()) == [0.0, 0.0, 1.0]

# %% [markdown] id="make" stage="make"
# ## Make
#
# The loss of nearly every classifier. Scores `z` become probabilities `p` (*softmax*), and the loss is the logarithm of what the right
# class got, with a minus before it (*cross-entropy*). Four lines, and each is a gate or a function of one number:

# %% id="softmax" stage="make"
from autograd_lab.lessons.lesson18 import LINES

print(LINES)

# %% id="m1-task" stage="make"
task("L18.M1")


# %% id="m1" answers="L18.M1" stage="make"
def backward_by_hand(e, s, p):
    ...
    ### BEGIN SOLUTION
    to_p = [0.0, -1 / p[1], 0.0]
    to_s = sum(gradient * -each / s**2 for gradient, each in zip(to_p, e, strict=True))
    to_e = [gradient / s + to_s for gradient in to_p]
    to_z = [gradient * each for gradient, each in zip(to_e, e, strict=True)]
    return {"p": to_p, "s": to_s, "e": to_e, "z": to_z}
    ### END SOLUTION


# %% id="m1-check" checks="L18.M1" stage="make"
check("L18.M1", backward_by_hand)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: a weight gets its input as a gradient, times what comes. Inputs are often between 0 and 255, as in pictures. What does
# that do to the steps that the weight takes, and what do people do about it?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p6" stage="exit"
predict("L18.P6")

# %% id="p7" stage="exit"
predict("L18.P7")

# %% [markdown] id="next"
# **Next:** [Lesson 5 · Leaves and .grad](05_leaves_and_grad.ipynb), or [lesson 16](16_your_own_autograd.ipynb), where you build these gates
# yourself. All lessons: [index](index.ipynb).
