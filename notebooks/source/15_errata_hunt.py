# %% [markdown] id="goals" source=["000-39", "001-36"] slide="slide"
# # Lesson 15 · Errata hunt
#
# **Why.** Much of what is written about autograd is nearly right. In four articles there are forty places where it is not; thirty-two of them stand in the lessons before this one. Now it is your turn to find, to prove, and to show. Whoever can do that needs no teacher any more.
#
# What you have learnt, in one breath: a graph is recorded while the program runs; backward walks it from the end, multiplies along each path, and adds where paths meet; nodes keep what their formulas need, until it is used; leaves keep
# gradients. All else follows.
#
# **After this lesson** you can tell a claim that is true from one that depends, and prove it by a program.
#
# 130 minutes, in two sittings: stop before the hunt. You need all the other lessons.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself
nn = torch.nn

# %% [markdown] id="predict" stage="predict"
# ## Predict
#
# Six sentences as one finds them, three of them now. Each is true, or false, or it depends. "It depends" means: there are programs for which it is so, and others.

# %% id="p1" stage="predict"
predict("L15.P1")

# %% id="p2" stage="predict"
predict("L15.P2")

# %% id="p3" stage="predict"
predict("L15.P3")

# %% [markdown] id="run" stage="run"
# ## Run
#
# A claim is refuted by *one* program. It is not proved by one: for that you have to know why. Here is one program for each of the three.

# %% id="three" stage="run"
x = torch.tensor(2.0, requires_grad=True)
y = x + 3
y += 1
y.backward()
print("a write that does no harm:", x.grad)

with record() as run:
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    x.data += 1
    y.backward()
print("a write that nobody sees: ", x.grad, "where 2x was 4")
assert x.grad.item() == 2 * 3.0

x = torch.tensor(2.0, requires_grad=True)
y = x + x
y.backward()
y.backward()
print("a graph walked twice:     ", x.grad)
assert x.grad.item() == 2 + 2

# %% [markdown] id="investigate" source="003-26" stage="investigate"
# ## Investigate
#
# The silent one, step by step. Look at the pocket of the product and at the version of `x`. The write is not drawn as a change of version, for PyTorch does not count it.

# %% id="steps" stage="investigate"
figure(
    run,
    "x times x has saved x at version 0; x is overwritten through .data, its version stays 0, and backward multiplies by the new value 3.",
)

# %% [markdown] id="table" source="003-26" stage="investigate"
# **A summary, put right.**
#
# | word | what is often said | what is so |
# |---|---|---|
# | dynamic graph | built while the program runs | yes |
# | `grad_fn` | links a tensor to its inputs | links a tensor to its node, and nodes to nodes |
# | `retain_graph` | keeps the graph | keeps what the nodes saved; nodes stay anyway |
# | version counter | finds every write in place | finds those that go through it, not those through `.data` |
# | sums | gradients of several uses are added | yes, before a node runs |
# | lifetime | freed after backward | what was saved goes; nodes live as long as something refers to them |

# %% id="f1-task" source="003-26" stage="investigate"
task("L15.F1")

# %% id="f1" answers="L15.F1" stage="investigate"
summary = {"in place": ..., "data": ..., "freed": ..., "eval": ...}
### BEGIN SOLUTION
summary = {"in place": "it depends", "data": "false", "freed": "it depends", "eval": "false"}
### END SOLUTION

# %% id="f1-check" checks="L15.F1" stage="investigate"
check("L15.F1", summary)

# %% [markdown] id="drawings" source=["000-33", "000-34", "003-22"] stage="investigate"
# **How to read other drawings.** A popular tool, torchviz, draws the graph behind a result. In its pictures inputs and parameters are on *top*, the result is at the *bottom*, boxes between them are the nodes of backward, and
# lines join them. `make_dot` here makes the same drawing.

# %% id="p8" source=["000-33", "000-34"] stage="investigate"
predict("L15.P8")

# %% [markdown] id="drawings-read" stage="investigate" after="L15.P8"
# So it is a drawing of backward's graph, with its arrowheads turned round: gradients go up, against the arrows.

# %% id="torchviz" source="003-22" stage="investigate"
from autograd_lab import make_dot

x = torch.tensor([[1.0, -2.0, 3.0], [0.5, 0.0, 1.0]], requires_grad=True)
z = (x**2).sum()
drawing = make_dot(z, params={"x": x})
boxes = [line.split("[label=")[1].split()[0].strip('"]') for line in drawing.source.splitlines() if "Backward0" in line]
print(boxes)
assert boxes == ["SumBackward0", "PowBackward0"]

# %% [markdown] id="says" source=["002-14", "002-15", "003-28"] stage="says"
# ## The article says / PyTorch does
#
# Some defects teach nothing about autograd, and cost a reader an hour all the same: what is printed is another thing, a bracket is missing, a link has the wrong name. Eight of them, the last of the forty among them.

# %% id="says-000-e2" source="000-7" defect="000-E2" stage="says"
# The article says: print(y) shows "y = tensor(20., grad_fn=<MulBackward0>)".
# PyTorch does: it prints the tensor, and knows nothing of the name y.
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
y = (a + b) * (b + 1)
print(y)
assert str(y) == "tensor(20., grad_fn=<MulBackward0>)"

# %% id="says-000-e3" source="000-10" defect="000-E3" stage="says"
# The article says: (nothing false, but its output is cut off after the first entry of each line)
# PyTorch does: two entries for each node; the second one of d is (None, 0), and both sums share the AccumulateGrad of b.
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c, d = a + b, b + 1
y = c * d
for each in (y, c, d):
    print(each.grad_fn.next_functions)
    assert len(each.grad_fn.next_functions) == 2
assert d.grad_fn.next_functions[1] == (None, 0)
assert c.grad_fn.next_functions[1][0] is d.grad_fn.next_functions[0][0]

# %% id="says-000-e4" source="000-13" defect="000-E4" stage="says"
# The article says: the network prints tensor([[ -0.1435]]).
# PyTorch does: no space stands there, and without a seed everybody gets another number.
print(torch.tensor([[-0.1435]]))
assert str(torch.tensor([[-0.1435]])) == "tensor([[-0.1435]])"

torch.manual_seed(0)
first, second = nn.Linear(2, 3).weight, nn.Linear(2, 3).weight
torch.manual_seed(0)
again = nn.Linear(2, 3).weight
print("another:", not torch.equal(first, second), " with the seed set again, the same:", torch.equal(first, again))
assert torch.equal(first, again) and not torch.equal(first, second)

# %% id="says-000-e8" source="000-28" defect="000-E8" stage="says"
# The article says: the two lines end with tensor(4.).
# PyTorch does: a tensor of one number in an f-string is written as a number, 4.0.
x = torch.tensor(2.0, requires_grad=True)
y = x * x
y.backward(retain_graph=True)
print(f"After first backward: {x.grad}")
x.grad.zero_()
y.backward()
print(f"After second backward: {x.grad}")
assert f"{x.grad}" == "4.0" and str(x.grad) == "tensor(4.)"


# %% id="says-000-e9" source="000-31" defect="000-E9" stage="says"
# The article says: (on paper, the class is cut in two, and forward stands at the margin, outside of it)
# PyTorch does: a module without a forward of its own can be made, but not called.
class Apart(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear1 = nn.Linear(2, 3)


def forward(self, x):
    return self.linear1(x)


try:
    Apart()(x)
except NotImplementedError as error:
    print("NotImplementedError:", str(error).splitlines()[0])
    assert 'missing the required "forward"' in str(error)
else:
    raise AssertionError("PyTorch refuses this")

# %% id="says-000-e10" source="000-31" defect="000-E10" stage="says"
# The article says: one line with make_dot draws the graph; the line ends before its last bracket.
# PyTorch does: nothing; Python refuses that line. And the tool needs Graphviz besides; `figure` does without.
try:
    compile("dot = make_dot(net(x), params=dict(net.named_parameters())", "article", "exec")
except SyntaxError as error:
    print("SyntaxError:", error.msg)
    assert "never closed" in str(error)
else:
    raise AssertionError("Python refuses this")

# %% id="says-003-e10" source="003-21" defect="003-E10" stage="says"
# The article says: its function print_graph recursively prints the structure of a graph.
# PyTorch does: such a function prints the next functions of one node: one level, which here does not reach the leaf.
x = torch.ones((2, 3), requires_grad=True)
sums = x.sum(dim=1)  # another form of the sum than x.sum(): another digit
z = sums.mean()
one_level = [node.name() for node, _ in z.grad_fn.next_functions]
print("one level:", z.grad_fn.name(), one_level, " what it does not reach:", sums.grad_fn.next_functions)
assert one_level == ["SumBackward1"] and sums.grad_fn.next_functions[0][0].variable is x

# %% id="says-003-e12" source="003-28" defect="003-E12" stage="says"
# The article says: "Dynamic vs Static Graphs" is to be found at this address of PyTorch's blog.
# PyTorch does: the page there is "How Computational Graphs are Constructed in PyTorch", as its address says.
address = "pytorch.org/blog/computational-graphs-constructed-in-pytorch"
words = address.rpartition("/")[2].split("-")
print(words)
assert "constructed" in words and "static" not in words

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# Two more sentences. For each, think of a program that would refute it, *before* you answer.

# %% id="p4" stage="modify"
predict("L15.P4")

# %% id="p5" stage="modify"
predict("L15.P5")

# %% [markdown] id="make" stage="make"
# ## Make
#
# **The hunt.** At least eight of the forty. For each one a pair: a function that asserts what the article says, and fails; a function that asserts what PyTorch does, and holds. One pair is there, so that you see how it is meant. The lessons have their cells
# *The article says / PyTorch does*; write your own programs.


# %% id="example" stage="make"
def article_says():
    x = torch.tensor([2.0], requires_grad=True)
    (torch.sin(x) ** 2).backward()
    assert x.grad.item() > 0


def pytorch_does():
    x = torch.tensor([2.0], requires_grad=True)
    (torch.sin(x) ** 2).backward()
    assert x.grad.item() < 0


# %% id="m1-task" stage="make"
task("L15.M1")

# %% id="m1" answers="L15.M1" stage="make"
hunt = {"003-E5": (article_says, pytorch_does), "003-E6": (..., ...)}


### BEGIN SOLUTION
def claim(holds):
    assert holds


def pair(measure, said, so):
    return (lambda: claim(measure() == said)), (lambda: claim(measure() == so))


def leaf(value):
    return torch.tensor(value, requires_grad=True)


def version_after_data():
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    x.data += 1
    y.backward()
    return x._version


def slope_of_slope(**how):
    x = leaf(2.0)
    return torch.autograd.grad(x**3, x, **how)[0].requires_grad


def second_pass_of_a_sum():
    x = leaf(2.0)
    y = x + x
    y.backward()
    y.backward()
    return x.grad.item()


def a_plain_tensor_is_a_leaf():
    return (torch.tensor(1.0) * 2).is_leaf


def detached_is_a_copy():
    x = leaf([1.0, 2.0]) * 1
    x.detach()[0] = 9.0
    return x[0].item() == 1.0


hunt = {
    "003-E5": (article_says, pytorch_does),
    "003-E6": pair(version_after_data, 1, 0),
    "002-E7": pair(lambda: slope_of_slope(retain_graph=True), True, False),
    "003-E4": pair(lambda: slope_of_slope(create_graph=True), False, True),
    "000-E6": pair(second_pass_of_a_sum, "an error", 4.0),
    "001-E3": pair(a_plain_tensor_is_a_leaf, False, True),
    "003-E9": pair(detached_is_a_copy, True, False),
    "003-E3": pair(lambda: len((leaf(1.0) * 2).grad_fn.next_functions), 1, 2),
    "001-E1": pair(lambda: len((leaf(1.0) * 3 + 1 + 2).grad_fn.next_functions), 3, 2),
}
### END SOLUTION

# %% id="m1-check" checks="L15.M1" stage="make"
check("L15.M1", hunt)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# Present one of your defects to the others, in three minutes: the claim, a vote, the program, and the picture. `run.save("mine.html")` makes a page to step through, and
# `from autograd_lab import draw`, then `draw(run, "mine.png")`, a picture for a slide.

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p6" stage="exit"
predict("L15.P6")

# %% id="p7" stage="exit"
predict("L15.P7")

# %% [markdown] id="next" source=["000-39", "001-36"]
# **This was the last one.** Take the test again, in the [index](index.ipynb), and compare. To read on: PyTorch's note on the mechanics of autograd, and the sources of this engine, in the order that ARCHITECTURE.md names.
