# %% [markdown] id="goals" source=["000-15", "000-16", "000-21"] slide="slide"
# # Lesson 3 · Backward, one node at a time
#
# **Why.** Forward has gone from the inputs to one number, and left a graph behind. Think of it as a map of all paths along which each input
# acted on the result. Now we ask: how strongly? One walk over that map, from its end back to its beginnings, answers for *all* inputs
# at once. What walks in autograd is called its *engine*. It does not think: it does five small things, over and over. You can do them with
# a pencil.
#
# The whole of it, in three moves: (1) forward computes, and records the graph; (2) at its end stands one number, usually a loss;
# (3) backward goes from that number to the leaves, and puts a gradient at each.
#
# **After this lesson** you can say for each step of `backward()` which node runs, what it multiplies, where the product goes, and
# what stays behind.
#
# 65 minutes. You need lessons 0 to 2, the derivatives of $x^2$ and $\sin x$, and the chain rule.

# %% id="world"
import math

from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="need" source=["000-29", "001-14"]
# ## One operation, two directions
#
# Each operation can do two things. *Forward*: compute its result. *Backward*: given how fast the loss grows with its result, say how
# fast the loss grows with each of its inputs. That takes one multiplication by its **local derivative**. For $y = x^2$ the local
# derivative is $2x$. So backward needs $x$ again, and that is why the node saved it on the way forward.
#
# The chain rule does the rest: along a path through the graph the local derivatives are multiplied,
# $\frac{dL}{dx} = \frac{dL}{dy}\cdot\frac{dy}{dx}$, beginning at the *end*, with $\frac{dL}{dL} = 1$, which is called the **seed**. Because
# it begins at the one output, this is *reverse mode*.

# %% id="square" source="000-29"
x = torch.tensor(3.0, requires_grad=True)
y = x**2
print("saved for backward:", y.grad_fn._saved_self)
y.backward()
print("local derivative 2x:", x.grad)
assert x.grad.item() == 6.0

# %% [markdown] id="predict" source="000-17" stage="predict"
# ## Predict
#
# Our expression again, now with `backward`. Run the next cell, and the one after it. The player stands at the moment that the question is
# about; you can go back from there. When you have answered, it goes on, and shows what happens.

# %% id="record" source="000-17" stage="predict"
with record() as run:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    c = a + b
    d = b + 1
    y = c * d
    y.backward()

# %% id="p1" stage="predict"
predict("L3.P1", run)

# %% id="p2" stage="predict" after="L3.P1"
predict("L3.P2", run)

# %% id="p3" stage="predict"
predict("L3.P3")

# %% [markdown] id="run" source=["000-17", "000-18"] stage="run" after=["L3.P1", "L3.P3"]
# ## Run
#
# What autograd left in the two leaves, and what calculus says. A round d, ∂, says that only one input moves:
# $\frac{\partial y}{\partial a}$ is how fast $y$ grows with $a$ while $b$ stays as it is.
#
# $\frac{\partial y}{\partial a} = b + 1 = 4$, and $\frac{\partial y}{\partial b} = (b + 1) + (a + b) = a + 2b + 1 = 9$.

# %% id="grads" source=["000-17", "000-18"] stage="run" after=["L3.P1", "L3.P3"]
print("a.grad", a.grad, " b.grad", b.grad)
assert a.grad.item() == 3.0 + 1
assert b.grad.item() == 2.0 + 2 * 3.0 + 1

# %% [markdown] id="investigate" source="000-30" stage="investigate" after=["L3.P1", "L3.P2", "L3.P3"]
# ## Investigate
#
# The five steps, which the player names while backward runs:
#
# 1. **seed**: put 1 at the output, for $\frac{dy}{dy} = 1$;
# 2. **pop a ready node**: take one that has got all the gradients it waits for;
# 3. **local derivative**: multiply the gradient that came by it, once for each input that asks for a gradient;
# 4. **send and sum**: hand each product to the next node on the way back; what meets there is added;
# 5. **store or drop**: at a leaf, AccumulateGrad adds what came to `.grad`; elsewhere the gradient is dropped, and saved values
#    are freed.
#
# Then again from 2, until no node is ready. The numbered boxes in the timeline are something else: they count the nodes that run. Watch the card of `b`: its dashed box fills with each gradient that
# comes, for its AccumulateGrad waits for two.

# %% id="steps" source="000-30" stage="investigate" after=["L3.P1", "L3.P2", "L3.P3"]
figure(
    run,
    "Backward through y = c times d: the seed 1 at y; 4 goes to c and 5 to d; a gets 4; b gets 4 and 5, added to 9.",
    step=8,
)

# %% id="f1-task" stage="investigate"
task("L3.F1")

# %% id="f1" answers="L3.F1" stage="investigate"
gradients = {"y": ..., "c": ..., "d": ..., "a": ..., "b": ...}
### BEGIN SOLUTION
gradients = {"y": 1, "c": 2, "d": 6, "a": 2, "b": 8}
### END SOLUTION

# %% id="f1-check" checks="L3.F1" stage="investigate"
check("L3.F1", gradients)

# %% [markdown] id="orders" stage="investigate"
# **Which orders are legal?** A node must not run before all its gradients have arrived. That leaves some freedom. Without the player:
# `check("L3.T1", ["y", …])`, each node named after its tensor.

# %% id="t1" stage="investigate"
task("L3.T1")

# %% [markdown] id="chain" source="003-15" stage="investigate"
# ## A chain, and a sign
#
# $y = \sin x$, then $z = y^2$. The chain rule says $\frac{dz}{dx} = \frac{dz}{dy}\cdot\frac{dy}{dx} = 2\sin x\cdot\cos x = \sin 2x$. Take
# $x = 2$. Is the answer positive or negative?

# %% id="p5" source="003-16" stage="predict"
predict("L3.P5")

# %% id="f2-task" source="003-15"
task("L3.F2")

# %% id="f2" answers="L3.F2"
chain = {"y": ..., "dz/dy": ..., "dy/dx": ..., "dz/dx": ...}
### BEGIN SOLUTION
chain = {"y": math.sin(2), "dz/dy": 2 * math.sin(2), "dy/dx": math.cos(2), "dz/dx": math.sin(4)}
### END SOLUTION

# %% id="f2-check" checks="L3.F2"
check("L3.F2", chain)

# %% [markdown] id="sign" source="003-16" stage="says" after="L3.P5"
# ## The article says / PyTorch does
#
# For those who have read the articles. One of them computes just this, by autograd and by the formula, and shows 0.756802 twice. The two agree, and yet
# both have lost their minus.

# %% id="says-003-e5" source="003-16" defect="003-E5" stage="says" after="L3.P5"
# The article says: both lines print 0.756802.
# PyTorch does: both lines print -0.756802, for 4 lies beyond π, where the sine is negative.
x = torch.tensor([2.0], requires_grad=True)
z = torch.sin(x) ** 2
z.backward()
print(f"by autograd  {x.grad.item():.6f}")
print(f"by formula   {torch.sin(2 * x.detach()).item():.6f}")
assert round(x.grad.item(), 6) == round(math.sin(4), 6) == -0.756802

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# One sign has changed: $y = (a + b)\cdot(b - 1)$. Predict, then run the cell below, and see.

# %% id="p4" stage="modify"
predict("L3.P4")

# %% id="minus" stage="modify" after="L3.P4"
with record() as changed:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    c = a + b
    d = b - 1
    y = c * d
    y.backward()

print("b.grad", b.grad)
figure(
    changed, "The same graph with a subtraction: 2 goes to the sum and 5 to the difference; b gets 2 and 5, added to 7."
)

# %% [markdown] id="make" stage="make"
# ## Make
#
# **The loop itself.** Ten lines of Python, one too many and in no order. Answer with their letters, such as `"DACB"`. Your order is
# run on a real graph of five small nodes: each order that leaves the right gradients is right.

# %% id="s1-task" stage="make"
task("L3.S1")

# %% id="s1" answers="L3.S1" stage="make"
order = ...
### BEGIN SOLUTION
order = "GCFIAHJBE"
### END SOLUTION

# %% id="s1-check" checks="L3.S1" stage="make"
check("L3.S1", order)

# %% [markdown] id="mend" stage="make"
# **A function to mend.** It gives the right value, and `backward` runs without a complaint. But `x` gets no gradient.

# %% id="d1-task" stage="make"
task("L3.D1")


# %% id="d1" answers="L3.D1" stage="make"
def squared_sine(x):
    y = torch.tensor(math.sin(x.item()), requires_grad=True)
    ### BEGIN SOLUTION
    y = torch.sin(x)
    ### END SOLUTION
    return y**2


# %% id="d1-check" checks="L3.D1" stage="make"
check("L3.D1", squared_sine)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: why does backward begin at the end and not at the inputs? Hint: how many walks would it take from the inputs, if
# there are a million of them and one output?

# %% [markdown] id="exit" source=["001-14", "001-15"] stage="exit"
# ## Exit ticket
#
# One more by hand, and one from an earlier lesson.

# %% id="p6" source="001-15" stage="exit"
predict("L3.P6")

# %% id="p7" stage="exit"
predict("L3.P7")

# %% id="polynomial" source="001-15" stage="exit" after="L3.P6"
x = torch.tensor(2.0, requires_grad=True)
y = x * x + 3 * x + 1
y.backward()
print("y", y.item(), " x.grad", x.grad, " by formula 2x + 3:", 2 * 2.0 + 3)
assert x.grad.item() == 2 * 2.0 + 3

# %% [markdown] id="next"
# **Next:** [Lesson 4 · Fan-out](04_fan_out.ipynb) asks why the order matters. All lessons: [index](index.ipynb).
