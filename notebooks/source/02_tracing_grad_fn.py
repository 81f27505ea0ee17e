# %% [markdown] id="goals" source=["000-8", "003-6"] slide="slide"
# # Lesson 2 · Tracing grad_fn
#
# **Why.** When something goes wrong in training, the question is mostly: is there a path from the loss to this weight? You need no tool to find out. The graph is made of Python
# objects that you can hold, name, and follow. This lesson walks it by hand, from the end to the beginning, as backward will do.
#
# **After this lesson** you can follow `grad_fn` and `next_functions` from a result to its leaves, and say what each entry means.
#
# 70 minutes. You need lesson 1.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="need" source=["000-8", "003-7"]
# ## Two words of Python
#
# * `t.grad_fn` is the node that was recorded when `t` was made. One is recorded if the operation has a derivative, and at least one operand
#   asks for a gradient (and nobody has switched recording off: lesson 8).
# * `node.next_functions` are the edges of a node: as a rule one entry for each operand, in the order in which
#   the operation takes them. An entry is a pair: the *target*, which is the node to which a gradient will be sent, and a number. The number says which result of
#   the target's operation is meant: mostly 0, for most have one.
#
# A leaf has no `grad_fn`. The path to it ends at a special node, `AccumulateGrad`, which will put the gradient into the leaf's `.grad`.

# %% [markdown] id="predict" stage="predict"
# ## Predict

# %% id="p1" source="000-10" stage="predict"
predict("L2.P1")

# %% id="p2" source="000-10" stage="predict"
predict("L2.P2")

# %% id="p3" source="001-13" stage="predict"
predict("L2.P3")

# %% [markdown] id="run" source=["000-9", "000-10"] stage="run"
# ## Run
#
# First the node of each tensor, then what follows it. We print names: the objects themselves print an address in memory, another one each time.

# %% id="who" source="000-9" stage="run"
with record() as run:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    c = a + b
    d = b + 1
    y = c * d
for name, each in {"y": y, "c": c, "d": d}.items():
    print(name, "has the node", each.grad_fn.name())
assert [each.grad_fn.name() for each in (y, c, d)] == ["MulBackward0", "AddBackward0", "AddBackward0"]


# %% id="following" source=["000-10", "000-11"] stage="run" after="L2.P1"
def names(node):
    """The names of the targets of a node, and None where there is none."""
    found = []
    for entry in node.next_functions:
        target = entry[0]
        if target is None:
            found.append(None)
        else:
            found.append(type(target).__name__)
    return found


print("after the product   ", names(y.grad_fn))
print("after the first sum ", names(c.grad_fn))
print("after the second sum", names(d.grad_fn))
assert names(y.grad_fn) == ["AddBackward0", "AddBackward0"]
assert names(c.grad_fn) == ["AccumulateGrad", "AccumulateGrad"]
assert names(d.grad_fn) == ["AccumulateGrad", None]

# %% [markdown] id="reading" source="000-11" stage="run" after=["L2.P1", "L2.P2"]
# Read it from the top. `y` came from a product. Its operands `c` and `d` both came from sums. The first sum leads to the leaves `a` and `b`. The second leads to `b`, and its
# other entry is None: the number 1 asks for no gradient. Where nothing asks for a gradient, the entry is `(None, 0)`. And the two paths to `b` end at *one* object:

# %% id="one-object" source="000-10" stage="run" after="L2.P2"
to_b, also_to_b = c.grad_fn.next_functions[1][0], d.grad_fn.next_functions[0][0]
print("one object:", to_b is also_to_b, " its leaf is b:", to_b.variable is b)
assert to_b is also_to_b and to_b.variable is b

# %% [markdown] id="step-by-step" source="003-6" stage="run"
# **While it grows.** The same with a tensor of three numbers, one line at a time.

# %% id="growing" source="003-6" stage="run"
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
print("x:", x.grad_fn)
y = x**2
print("y:", y.grad_fn.name())
z = y.sum()
print("z:", z.grad_fn.name(), "->", names(z.grad_fn), "->", names(y.grad_fn))
assert x.grad_fn is None and (y.grad_fn.name(), z.grad_fn.name()) == ("PowBackward0", "SumBackward0")

# %% [markdown] id="matrices" source="003-14" stage="run"
# **With tables.** A matrix is a table of numbers. This is all you need to know of it before lesson 6: `x.T` is the table with its rows as columns, `@` makes one table of two (the *matrix product*; its node is Mm, *matrix multiply*), and `torch.trace` makes one number of a table.
# Which numbers come out does not matter here: three operations run, so there are three nodes. `x.T` is an operation, too: PyTorch calls it a permutation of the axes. So two paths of different length lead to `x`.

# %% id="trace" source="003-14" stage="run"
x = torch.tensor([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]], requires_grad=True)
z = torch.trace(x @ x.T)
product = z.grad_fn.next_functions[0][0]
print(z.grad_fn.name(), "->", product.name(), "->", names(product))
assert [z.grad_fn.name(), product.name()] == ["TraceBackward0", "MmBackward0"]
assert names(product) == ["AccumulateGrad", "PermuteBackward0"]

# %% [markdown] id="investigate" stage="investigate"
# ## Investigate
#
# The player shows what you have just walked. Select a node: beside it stands, among other things, by which Python expression one reaches it.

# %% id="steps" source="000-11" stage="investigate"
figure(
    run,
    "`y` leads to the nodes of `c` and `d`; `c` leads to the nodes of `a` and `b`, `d` to that of `b` alone; both paths to `b` end at one AccumulateGrad.",
)

# %% id="t1" stage="investigate"
task("L2.T1")

# %% id="f1-task" stage="investigate"
task("L2.F1")

# %% id="f1" answers="L2.F1" stage="investigate"
found = {"root": ..., "first": [..., ...], "second": [..., ...]}
### BEGIN SOLUTION
found = {
    "root": "SubBackward0",
    "first": ["AccumulateGrad", "None"],
    "second": ["AccumulateGrad", "AccumulateGrad"],
}
### END SOLUTION

# %% id="f1-check" checks="L2.F1" stage="investigate"
check("L2.F1", found)

# %% [markdown] id="says" stage="says"
# ## The article says / PyTorch does
#
# For those who have read the articles; others may go on to *Modify*. Three places. Two of them take the graph for one of tensors, but it is one of
# *nodes*. The third leaves out an entry.

# %% id="says-001-e2" source="001-13" defect="001-E2" stage="says"
# The article says: the graph records the parent tensors, those that went into its operations.
# PyTorch does: it records their nodes; a tensor is kept only by a node that saved it for its own formula,
# and a leaf by its AccumulateGrad.
import weakref

x = torch.tensor(2.0, requires_grad=True)
middle = x + 1
look = weakref.ref(middle)  # look() gives the tensor while something keeps it, then None
y = middle + 1
del middle
print("the tensor in the middle:", look(), " its node:", names(y.grad_fn)[0])
assert look() is None and names(y.grad_fn)[0] == "AddBackward0"

# %% id="says-003-e2" source="003-7" defect="003-E2" stage="says"
# The article says: grad_fn stores references to the inputs of its operation.
# PyTorch does: grad_fn stores the next nodes, and what its own formula needs; an AccumulateGrad holds its leaf.
x = torch.tensor([1.0, 2.0], requires_grad=True)
z = (x * 2).sum()
target = z.grad_fn.next_functions[0][0]
print("the target is a tensor:", torch.is_tensor(target), " it is:", target.name())
assert not torch.is_tensor(target) and target.next_functions[0][0].variable is x

# %% id="says-003-e3" source="003-8" defect="003-E3" stage="says"
# The article says: for y = x * 2 the next functions are ((AccumulateGrad, 0),).
# PyTorch does: there are two entries, the second one (None, 0) for the number 2.
y = x * 2
print(names(y.grad_fn))
assert names(y.grad_fn) == ["AccumulateGrad", None] and y.grad_fn.next_functions[1] == (None, 0)

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# A number in front of a tensor. Predict at which place its None stands, then look.

# %% id="p4" source="003-8" stage="modify"
predict("L2.P4")

# %% id="sides" source="003-8" stage="modify" after="L2.P4"
x = torch.tensor(2.0, requires_grad=True)
print("3 * x", names((3 * x).grad_fn), "  x * 3", names((x * 3).grad_fn), "  x ** 2", names((x**2).grad_fn))
assert names((3 * x).grad_fn) == names((x * 3).grad_fn) == ["AccumulateGrad", None]
assert names((x**2).grad_fn) == ["AccumulateGrad"]

# %% [markdown] id="no-place" source="003-8" stage="modify" after="L2.P4"
# A sum or a product makes a tensor of its number, so there is a place for it. The exponent of `x ** 2` stays a number, and has no place at all.

# %% [markdown] id="make" stage="make"
# ## Make
#
# **A walk that goes all the way**, and comes to an end. For `y = (a + b) * (b + 1)` it finds five nodes. Loops are enough, and the hints go
# as far as you like, one at a time. The last graph of the check is a tower: two dozen nodes, and millions of paths over them.

# %% id="d1-task" source="003-21" stage="make"
task("L2.D1")


# %% id="d1" answers="L2.D1" source="003-21" stage="make"
def walk(node):
    ...
    ### BEGIN SOLUTION
    found = [node]
    for each in found:
        for target, _ in each.next_functions:
            if target is not None and target not in found:
                found.append(target)
    return found
    ### END SOLUTION


# %% id="d1-check" checks="L2.D1" stage="make"
check("L2.D1", walk)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: after backward a weight has no gradient. How do you find out, by `grad_fn` and `next_functions` alone, whether a path leads from the loss to it?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p5" stage="exit"
predict("L2.P5")

# %% id="p6" stage="exit"
predict("L2.P6")

# %% [markdown] id="next"
# **Next:** [Lesson 3 · Backward, one node at a time](03_backward.ipynb). All lessons: [index](index.ipynb).
