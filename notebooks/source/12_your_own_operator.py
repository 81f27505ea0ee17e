# %% [markdown] id="goals" source=["002-5", "002-11"] slide="slide"
# # Lesson 12 · Your own operator
#
# **Why.** PyTorch has thousands of operations, and still not the one you need: a new activation, a solver, a call into somebody else's library. You can add it. What you owe PyTorch is two
# functions, one for each direction. What PyTorch owes you is nothing: it asks for a gradient whose shape fits (what could have been stretched is added up), and takes its numbers as they are. So one has to be able to check.
#
# **After this lesson** you can write an operation with its own backward, save what it needs where PyTorch watches it, and check that it is right.
#
# 70 minutes. You need lessons 3, 6 and 9.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="need" source="002-5"
# ## Two functions
#
# An operation has a **forward**, which computes a value. If it is to be differentiated, it has a **backward** as well. That one gets the gradient of the loss for the result, and
# returns the gradient for each input. With the Jacobian $J$ of the operation this is the product $v^\top J$, a *vector-Jacobian product*. $J$ itself is never built.
#
# Not every operation has one worth having. `argmax` gives a place, and a place has no slope. `round` has slope 0 nearly everywhere.

# %% [markdown] id="predict" stage="predict"
# ## Predict
#
# Somebody has written `swish(z) = z · sigmoid(z)` as a Function, and uses it, once on the wrong tensor.

# %% id="p1" source="002-12" stage="predict"
predict("L12.P1")

# %% id="p2" stage="predict"
predict("L12.P2")

# %% id="p3" stage="predict"
predict("L12.P3")

# %% [markdown] id="run" source="002-11" stage="run"
# ## Run
#
# $\mathrm{swish}(z) = z\,\sigma(z)$ with $\sigma(z) = \frac{1}{1 + e^{-z}}$. By the product rule $\mathrm{swish}'(z) = \sigma(z)\,(1 + z\,(1 - \sigma(z)))$. A Function is a class with two static methods. `ctx` is a
# box for what forward leaves to backward.


# %% id="swish" source="002-11" stage="run"
class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return z * torch.sigmoid(z)

    @staticmethod
    def backward(ctx, gradient):
        (z,) = ctx.saved_tensors
        s = torch.sigmoid(z)
        return gradient * s * (1 + z * (1 - s))


swish = Swish.apply
with record() as run:
    z = torch.tensor([0.0, 2.0], requires_grad=True)
    out = swish(z)
    out.sum().backward()
print("node ", out.grad_fn.name())
print("slope", z.grad)

# %% [markdown] id="gradcheck" source="002-11" stage="run"
# **Is it right?** `gradcheck` moves each input a little, forward only, and compares: $\frac{f(z + \varepsilon) - f(z - \varepsilon)}{2 \varepsilon} \approx f'(z)$. It wants numbers of 64 bits, for the difference of two nearly equal
# numbers has few digits left. `gradgradcheck` does the same to backward: here it consists of tensor operations, so it can be differentiated in its turn.

# %% id="checked" source="002-11" stage="run"
points = torch.tensor([0.3, -1.2, 2.0], dtype=torch.float64, requires_grad=True)
print("gradcheck    ", torch.autograd.gradcheck(swish, (points,)))
print("gradgradcheck", torch.autograd.gradgradcheck(swish, (points,)))

# %% [markdown] id="investigate" stage="investigate"
# ## Investigate
#
# Your node stands in the graph like any other. It has a pocket for what it saved, and the pocket is empty once backward has been there.

# %% id="steps" source="002-11" stage="investigate"
figure(
    run,
    "SwishBackward has saved z; a sum follows. Backward sends ones to it, it multiplies by the slopes 0.5 and 1.09, and its pocket is freed.",
)

# %% id="f1-task" stage="investigate"
task("L12.F1")

# %% id="f1" answers="L12.F1" stage="investigate"
numbers = {"swish(1)": ..., "slope(1)": ..., "swish(-2)": ..., "slope(-2)": ...}
### BEGIN SOLUTION
numbers = {"swish(1)": 0.7311, "slope(1)": 0.9277, "swish(-2)": -0.2384, "slope(-2)": -0.0908}
### END SOLUTION

# %% id="f1-check" checks="L12.F1" stage="investigate"
check("L12.F1", numbers)

# %% [markdown] id="mini" source="002-6" stage="investigate"
# **A node with three inputs.** $\hat y = \mathrm{ReLU}(\mathrm{Conv2d}(x, W, b))$. Forward makes two nodes. No second graph is built for backward: it walks the same nodes from the end, whatever that end is; mostly it is a loss.

# %% id="conv" source="002-6" stage="investigate"
from autograd_lab.lessons.lesson12 import nn_of

picture = torch.ones((1, 1, 3, 3))
W = torch.full((1, 1, 2, 2), 0.5, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
y = torch.relu(nn_of(torch).functional.conv2d(picture, W, b))
conv = y.grad_fn.next_functions[0][0]
following = [node.name().rpartition("::")[2] if node else None for node, _ in conv.next_functions]
print(y.grad_fn.name(), "->", conv.name(), "->", following)
assert following == [None, "AccumulateGrad", "AccumulateGrad"]

# %% id="t1" stage="investigate"
task("L12.T1")

# %% [markdown] id="says" stage="says"
# ## The article says / PyTorch does

# %% id="says-002-e3" source="002-5" defect="002-E3" stage="says"
# The article says: each operator has a forward and a backward function.
# PyTorch does: argmax has no backward, its result does not require grad; round has one that gives 0.
x = torch.tensor([1.2, 2.4], requires_grad=True)
print("argmax requires grad:", torch.argmax(x).requires_grad)
rounded = torch.round(x)
rounded.sum().backward()
print("round:", rounded.grad_fn.name(), x.grad)
assert not torch.argmax(x).requires_grad and (x.grad == 0).all()

# %% id="says-002-e4" source="002-6" defect="002-E4" stage="says"
# The article says: the loss node becomes the new root of a backward graph with reversed edges.
# PyTorch does: there is one graph, and no loss in it unless you compute one; here the root is the ReLU.
print("root:", y.grad_fn.name())
y.backward(torch.ones(y.shape))
print("W.grad", W.grad.flatten().tolist(), " b.grad", b.grad.tolist())
assert y.grad_fn.name() == "ReluBackward0" and W.grad.flatten().tolist() == [4.0] * 4

# %% id="says-002-e5" source="002-7" defect="002-E5" stage="says"
# The article says: each operation appends a node to a tape.
# PyTorch does: no list of nodes; each node knows those before it, and nodes that nobody can reach are gone.
import gc
import weakref

x = torch.tensor(2.0, requires_grad=True)
factor, other = torch.tensor(3.0), torch.tensor(5.0)
used, unused = x * factor, x * other
saved, lost = weakref.ref(factor), weakref.ref(other)
del factor, other, unused
gc.collect()
print("what the node in use has saved:", saved().item(), "  what the other one had saved:", lost())
assert saved() is not None and lost() is None

# %% [markdown] id="wire" source=["002-8", "002-9", "002-10", "002-12"] stage="says" after="L12.P1"
# **The missing wire.** The article builds a layer, `y = x Wᵀ + b`, defines swish, and then applies it to `x`. With a bias of shape (5,), which adds itself to each row, the layer works. The rest does not.

# %% id="says-002-e8" source=["002-8", "002-9", "002-12"] defect="002-E8" stage="says" after="L12.P1"
# The article says: out = swish(x); out.sum().backward(); W.grad has the shape (5, 3).
# PyTorch does: an error, for x requires no grad and leads nowhere; swish(y) is what was meant.
W = torch.ones((5, 3), requires_grad=True)
b = torch.ones(5, requires_grad=True)
x = torch.ones((10, 3))
y = torch.mm(x, W.t()) + b
try:
    swish(x).sum().backward()
except RuntimeError as error:
    print("RuntimeError:", str(error).splitlines()[0])
else:
    raise AssertionError("PyTorch refuses this")
assert W.grad is None
swish(y).sum().backward()
print("W.grad", tuple(W.grad.shape))
assert tuple(W.grad.shape) == (5, 3)

# %% id="says-002-e9" source="002-13" defect="002-E9" stage="says"
# The article says: every built-in operation uses the same mechanism, autograd.Function.
# PyTorch does: nodes of built-in operations are made in C++, mostly from generated code, and are no Functions.
own = torch.autograd.function.BackwardCFunction
print("swish is one:", isinstance(swish(y).grad_fn, own), " a product:", isinstance((y * 2).grad_fn, own))
assert isinstance(swish(y).grad_fn, own) and not isinstance((y * 2).grad_fn, own)

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# Turn the sign of what Swish returns. What will tell you?

# %% id="p4" stage="modify"
predict("L12.P4")


# %% id="wrong" stage="modify" after="L12.P4"
class Wrong(Swish):
    @staticmethod
    def backward(ctx, gradient):
        return -Swish.backward(ctx, gradient)


z = torch.tensor(2.0, requires_grad=True)
Wrong.apply(z).backward()
print("backward says nothing:", round(z.grad.item(), 4))
try:
    torch.autograd.gradcheck(Wrong.apply, (points,))
except Exception as error:
    print("gradcheck:", type(error).__name__, str(error).splitlines()[0])
else:
    raise AssertionError("gradcheck finds this")

# %% [markdown] id="make" stage="make"
# ## Make

# %% id="d1-task" stage="make"
task("L12.D1")


# %% id="d1" answers="L12.D1" stage="make"
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        ### BEGIN SOLUTION
        ctx.save_for_backward(x)
        ### END SOLUTION
        return x**3

    @staticmethod
    def backward(ctx, gradient):
        ### BEGIN SOLUTION
        (x,) = ctx.saved_tensors
        return gradient * 3 * x**2
        ### END SOLUTION
        return 3 * ctx.x


# %% id="d1-check" checks="L12.D1" stage="make"
check("L12.D1", Cube)

# %% id="m1-task" stage="make"
task("L12.M1")


# %% id="m1" answers="L12.M1" stage="make"
class Softplus(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ...
        ### BEGIN SOLUTION
        ctx.save_for_backward(x)
        return torch.log(1 + torch.exp(x))
        ### END SOLUTION

    @staticmethod
    def backward(ctx, gradient):
        ...
        ### BEGIN SOLUTION
        (x,) = ctx.saved_tensors
        return gradient * torch.sigmoid(x)
        ### END SOLUTION


# %% id="m1-check" checks="L12.M1" stage="make"
check("L12.M1", Softplus)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: exp saves its *result*, a product saves its *operands*. Why? What would Softplus save, if memory is short?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p5" source="002-5" stage="exit"
predict("L12.P5")

# %% id="p6" stage="exit"
predict("L12.P6")

# %% [markdown] id="next"
# **Next:** [Lesson 13 · Higher order](13_higher_order.ipynb). All lessons: [index](index.ipynb).
