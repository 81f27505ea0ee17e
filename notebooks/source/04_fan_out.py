# %% [markdown] id="goals" source=["003-23", "003-24"] slide="slide"
# # Lesson 4 · Fan-out
#
# **Why.** One tensor can be used twice, or a million times: a weight in every step of a network, a word in every sentence. Then many
# paths lead from the result back to it. What does each path bring? And when may the tensor's node run, if some gradients
# have not arrived yet?
#
# **After this lesson** you can say what comes back along several paths, and why the order in which an engine runs its nodes matters.
#
# 85 minutes. You need lesson 3.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="predict" source="003-23" stage="predict"
# ## Predict
#
# First two powers, then two products, which are asked about in the player.

# %% id="p1" source="003-23" stage="predict"
predict("L4.P1")

# %% id="record-branches" source="003-24" stage="predict"
with record() as branches:
    x = torch.tensor(2.0, requires_grad=True)
    p = x * 2
    q = x * 3
    z = p + q
    z.backward()

# %% id="p2" stage="predict"
predict("L4.P2", branches)

# %% id="p3" source="001-5" stage="predict"
predict("L4.P3")

# %% [markdown] id="need" source="003-24" after=["L4.P1", "L4.P2"]
# ## One tensor, two users
#
# `x` goes into two products, and their results meet again. Change `x` by a little. The first product changes by twice that, the second by
# three times that, and the sum by both together: five times. So what comes back to `x` is $2 + 3$. This is no rule of computers. It is
# the chain rule for more than one path: $\frac{dz}{dx} = \frac{dz}{dp}\frac{dp}{dx} + \frac{dz}{dq}\frac{dq}{dx}$.
#
# So two plain rules answer both questions: *paths add*, and *a node waits for all of them*.

# %% [markdown] id="run" source=["003-23", "003-24"] stage="run" after="L4.P1"
# ## Run
#
# By calculus: $\frac{d}{dx}(x^2 + x^3) = 2x + 3x^2$, which is $6 + 27$ at 3. And $2x + 3x$ is $5x$: a straight line, whose
# slope is 5 at every `x`.

# %% id="sums" source=["003-23", "003-24"] stage="run" after="L4.P1"
x = torch.tensor([3.0], requires_grad=True)
(x**2 + x**3).backward()
print("square and cube  ", x.grad)
assert x.grad.item() == 2 * 3.0 + 3 * 3.0**2 == 33

x = torch.tensor([2.0], requires_grad=True)
(x * 2 + x * 3).backward()
print("two products     ", x.grad)
assert x.grad.item() == 2 + 3

# %% [markdown] id="drawing" source="001-5" stage="run" after="L4.P3"
# **How it is drawn.** On the left stands a common sketch of $x^2 + 3x + 1$: `x` on top, two products below it, and *one* addition at the bottom, of three things.
# On the right stands what PyTorch has: two additions, each of two things, and two lines from the product `x * x` to `x`.
#
# ```
#          x                         x
#        /   \                    //   \
#     x*x     3*x     1         x*x     3*x
#        \     |     /             \   /
#          \   |   /                 +       1
#              +                       \   /
#                                        +
# ```
#
# So three lines lead to `x`, and three gradients arrive: `x`, `x` again, and 3.

# %% id="three-lines" source="001-5" stage="run" after="L4.P3"
x = torch.tensor(2.0, requires_grad=True)
y = x * x + 3 * x + 1
inner = y.grad_fn.next_functions[0][0]  # the inner sum
lines = []
for product, _ in inner.next_functions:
    for node, _ in product.next_functions:
        if node is not None:  # 3 gets no gradient
            lines.append(node)
print("lines to x:", len(lines), " nodes at their end:", len(set(lines)))
assert len(lines) == 3 and len(set(lines)) == 1

# %% [markdown] id="investigate" stage="investigate" after="L4.P2"
# ## Investigate
#
# Now a graph in which a tensor in the *middle* has two users. `u` goes into `v`, and into `w`. Step through backward. Watch the card of
# `u`: when one gradient has come, it waits for the other.

# %% id="record-diamonds" stage="investigate"
with record() as diamonds:
    x = torch.tensor(3.0, requires_grad=True)
    u = x * x
    v = u + x
    w = u * v
    w.backward()

# %% id="steps" stage="investigate" after="L4.P2"
figure(
    diamonds,
    "u has two users, v and w; when a gradient has come from one of them, the node of u waits for the other.",
    fold=False,
    step=9,
)

# %% id="f1-task" stage="investigate"
task("L4.F1")

# %% id="f1" answers="L4.F1" stage="investigate"
gradients = {"v": ..., "u": ..., "x": ...}
### BEGIN SOLUTION
gradients = {"v": 4, "u": 10, "x": 44}
### END SOLUTION

# %% id="f1-check" checks="L4.F1" stage="investigate"
check("L4.F1", gradients)

# %% id="t1" stage="investigate"
task("L4.T1")

# %% [markdown] id="impatient" stage="investigate"
# **What if a node does not wait?** Here is a backward that many people write first. A node runs as soon as *anything* arrives, adds it to what it has, and
# hands the whole on at once. `small_graph()` makes the nodes of the graph above. Each has a `gradient`, 0 at first, and `edges`: pairs of a target and the local derivative. `naive` calls itself: it goes down one path to its end before the next one begins.

# %% id="naive" stage="investigate" worlds="it says by whose engine"
from autograd_lab.lessons.lesson04 import all_paths, small_graph, tower


def naive(node, arrived):
    node.gradient += arrived
    node.runs += 1
    for target, derivative in node.edges:
        naive(target, node.gradient * derivative)


nodes = small_graph()
naive(nodes[0], 1.0)  # the root, and the seed
print("impatient", {node.name: node.gradient for node in nodes})
print(torch.__name__, "x.grad", x.grad.item())
assert nodes[-1].gradient != x.grad.item()

# %% [markdown] id="why-wrong" stage="investigate"
# `u` handed on 12 at the first arrival, and $12 \cdot 6 = 72$ came to `x`: along two lines, 3 and 3 times. At the second it had 21, and handed on all of that: $21 \cdot 6 = 126$ more. With the 9 that
# comes straight from `v` this makes $72 + 126 + 9 = 207$. The 12 went out twice. One could hand on only what has just arrived, `arrived * derivative`. `all_paths` does so. That is right, but look at what it costs.
#
# A tower of doublings shows it: `x1 = x + x`, then `x2 = x1 + x1`, and so on. Two edges lead from each floor to the next, so three doublings have four nodes and $2 \cdot 2 \cdot 2 = 8$ paths. The nodes on the way run, too: $8 + 4 + 2 + 1 = 15$ runs:
#
# $x_3 \rightrightarrows x_2 \rightrightarrows x_1 \rightrightarrows x$

# %% id="paths" stage="investigate"
nodes = small_graph()
all_paths(nodes[0], 1.0)
print("path by path", {node.name: node.gradient for node in nodes})
assert nodes[-1].gradient == x.grad.item()

for height in (4, 8, 16):
    nodes = tower(height)
    all_paths(nodes[0], 1.0)
    print(f"{height:2} doublings: {len(nodes):2} nodes, {sum(node.runs for node in nodes):6} runs")

# %% [markdown] id="waiting" stage="investigate"
# An engine that goes along each path by itself is lost after some dozens of floors. If each node waits until all has arrived, it runs once, and backward takes about as many steps as forward. For that the engine needs an order in which users
# come before what they used. It is called a **topological order**. PyTorch counts beforehand how many gradients each node has to wait for, and
# a node is ready when the count is down to zero.

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# One sign has changed: `z = p - q`. Predict, then look.

# %% id="p4" stage="modify"
predict("L4.P4")

# %% id="minus" stage="modify" after="L4.P4"
x = torch.tensor(2.0, requires_grad=True)
(x * 2 - x * 3).backward()
print("x.grad", x.grad)
assert x.grad.item() == 2 - 3

# %% [markdown] id="make" stage="make"
# ## Make
#
# **An engine that waits.** It gets the nodes in an order in which users come first. No recursion is needed.

# %% id="d1-task" stage="make"
task("L4.D1")


# %% id="d1" answers="L4.D1" stage="make"
def backward(root, nodes):
    ...
    ### BEGIN SOLUTION
    root.gradient = 1.0
    for node in nodes:
        node.runs += 1
        for target, derivative in node.edges:
            target.gradient += node.gradient * derivative
    ### END SOLUTION


# %% id="d1-check" checks="L4.D1" stage="make"
check("L4.D1", backward)

# %% [markdown] id="make-graphs" stage="make"
# **Two graphs to build.**

# %% id="b1-task" stage="make"
task("L4.B1")


# %% id="b1" answers="L4.B1" stage="make"
def powers_of(x):
    ...
    ### BEGIN SOLUTION
    return x**2 + x**3
    ### END SOLUTION


# %% id="b1-check" checks="L4.B1" stage="make"
check("L4.B1", powers_of)

# %% id="m1-task" stage="make"
task("L4.M1")


# %% id="m1" answers="L4.M1" stage="make"
def six_paths(x):
    ...
    ### BEGIN SOLUTION
    two = x + x
    four = two + two
    return two + four
    ### END SOLUTION


# %% id="m1-check" checks="L4.M1" stage="make"
check("L4.M1", six_paths)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: a weight is used in all 200 steps of a network. How many gradients arrive at it in one backward, and how often does its
# AccumulateGrad run?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p5" stage="exit"
predict("L4.P5")

# %% id="p6" stage="exit"
predict("L4.P6")

# %% [markdown] id="next"
# **Next:** [Lesson 5 · Leaves and .grad](05_leaves_and_grad.ipynb). All lessons: [index](index.ipynb).
