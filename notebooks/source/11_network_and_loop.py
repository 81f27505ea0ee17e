# %% [markdown] id="goals" source=["000-12", "000-37"] slide="slide"
# # Lesson 11 · Network and loop
#
# **Why.** You know the graph node by node. A real network has hundreds of them, and nobody wants to write each by hand. *Modules* bundle operations with the weights
# they use. Training repeats five short calls, and autograd does the hard one. But a slip in those calls gives no error: the loss just does not fall.
#
# **After this lesson** you can find a network's graph behind its modules, say what each of the five calls does, and train until a goal is reached.
#
# 90 minutes. You need lessons 5, 6 and 7.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself
nn = torch.nn

# %% [markdown] id="need" source=["000-12", "001-11"]
# ## A network is functions in a row
#
# A network is a composition of functions, $f = f_3 \circ f_2 \circ f_1$. A small one has a hidden layer $h$ of three units:
#
# $h = \mathrm{relu}(W_1 x + b_1), \qquad y = W_2 h + b_2.$
#
# As a **module** it looks so: an object that has its parameters, and a `forward`. `__init__` makes the parts, `forward` says how they are joined. The graph is not made here: it comes when the module is *called*.

# %% id="tiny" source=["000-12", "000-31"]
from autograd_lab.lessons.lesson11 import points, settle


class TinyNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear1 = nn.Linear(2, 3)
        self.relu = nn.ReLU()
        self.linear2 = nn.Linear(3, 1)

    def forward(self, x):
        return self.linear2(self.relu(self.linear1(x)))


net = settle(torch, TinyNet())  # numbers without chance, so that everybody sees the same

# %% [markdown] id="predict" source="000-14" stage="predict"
# ## Predict

# %% id="p1" source="000-19" stage="predict"
predict("L11.P1")

# %% id="p2" source="000-14" stage="predict"
predict("L11.P2")

# %% [markdown] id="run" source=["000-13", "000-14"] stage="run"
# ## Run
#
# `AddmmBackward0` is a product of matrices and a sum in one operation: that is what a linear layer computes. Behind it stand the bias, the ReLU, and the transposed weight.

# %% id="walk" source=["000-13", "000-14"] stage="run" after="L11.P2"
x = torch.tensor([[0.5, 0.3]], requires_grad=True)
output = net(x)
print(output)


def walk(node, depth=0):
    print("  " * depth + ("None" if node is None else node.name().rpartition("::")[2]))
    for following, _ in getattr(node, "next_functions", ()):
        walk(following, depth + 1)


walk(output.grad_fn)

# %% [markdown] id="loss" source=["000-19", "000-20"] stage="run" after="L11.P1"
# **A loss** turns the output into one number that says how wrong it is. The mean squared error of $n$ outputs is $L = \frac{1}{n} \sum_i (y_i - t_i)^2$. Backward from there brings a gradient to
# every parameter. Then each parameter $\theta$ moves a little against its gradient, which is the way in which $L$ falls fastest: $\theta \leftarrow \theta - \eta \, \nabla_\theta L$. The number
# $\eta$ is the *learning rate*, `lr`.

# %% id="one-gradient" source="000-19" stage="run" after="L11.P1"
loss = nn.MSELoss()(net(x), torch.tensor([[1.0]]))
print("loss", round(loss.item(), 4))
loss.backward()
print(tuple(net.linear1.weight.grad.shape), "like", tuple(net.linear1.weight.shape))
assert net.linear1.weight.grad.shape == (3, 2)
net.zero_grad()

# %% [markdown] id="sequential" source="001-12" stage="run"
# **Without a class.** `nn.Sequential` joins modules in a row. The graph is of the same kind. Here `x` asks for no gradient, so its place is None.

# %% id="in-a-row" source=["001-12", "001-31"] stage="run"
row = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
logits = row(torch.ones(3, 4))
print(tuple(logits.shape))
walk(logits.grad_fn)

nn.CrossEntropyLoss()(logits, torch.tensor([0, 1, 1])).backward()
print([tuple(parameter.grad.shape) for parameter in row.parameters()])
assert all(parameter.grad.shape == parameter.shape for parameter in row.parameters())

# %% [markdown] id="f1-goal" stage="run"
# Now count what there is to learn in TinyNet.

# %% id="f1-task" stage="run"
task("L11.F1")

# %% id="f1" answers="L11.F1" stage="run"
found = {"tensors": ..., "numbers": ..., "first W.grad": [..., ...]}
### BEGIN SOLUTION
found = {"tensors": 4, "numbers": 13, "first W.grad": [3, 2]}
### END SOLUTION

# %% id="f1-check" checks="L11.F1" stage="run"
check("L11.F1", found)

# %% [markdown] id="investigate" source=["000-32", "000-33"] stage="investigate"
# ## Investigate
#
# One turn of the loop, in two pictures. First the module is one card: `x` goes in at the left, the loss comes out at the right. Backward runs from right to left.

# %% id="record-one" source="000-36" stage="investigate"
loss_fn = nn.MSELoss()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.tensor([[0.5, 0.3]]), torch.tensor([[1.0]])
with record() as one:
    loss = loss_fn(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

# %% id="closed" source=["000-32", "000-33"] stage="investigate"
figure(
    one,
    "x goes into the card of TinyNet, its output into the loss; the card has four weights, 13 numbers in all.",
    depth=0,
)

# %% id="p3" source="000-36" stage="investigate"
predict("L11.P3")

# %% [markdown] id="open-one" source="000-32" stage="investigate"
# Now `linear1` is opened; its weight and bias appear as leaves. Step to the end: after backward their drawers are full, and in the last steps the optimizer writes to the weights, whose
# version moves. Then decide: what would have happened with the calls in another order?

# %% id="opened" source=["000-32", "000-36"] stage="investigate"
figure(one, "In linear1: weight, transpose and Addmm; the step moves the versions.", depth=0, expand=["linear1"])

# %% id="p4" source="000-36" stage="investigate"
predict("L11.P4")

# %% [markdown] id="says" source=["000-31", "000-34"] stage="says"
# ## The article says / PyTorch does
#
# An article shows such a network, and draws it with a tool named torchviz. Two things in it do not hold.

# %% id="says-000-e11" source="000-33" defect="000-E11" stage="says"
# The article says: in the picture the input and the parameters are at the bottom, the output at the top.
# PyTorch does: (with torchviz) arrows go from leaves to the result, and Graphviz draws what an arrow leaves above.
from autograd_lab.lessons.lesson11 import arrows

lines = arrows(net(x))
never_entered = {tail for tail, _ in lines} - {head for _, head in lines}
never_left = {head for _, head in lines} - {tail for tail, _ in lines}
print("top:   ", sorted(name.partition(" ")[0] for name in never_entered))
print("bottom:", sorted(name.partition(" ")[0] for name in never_left))
assert all(name.startswith("AccumulateGrad") for name in never_entered) and len(never_left) == 1

# %% id="says-000-e12" source="000-34" defect="000-E12" stage="says"
# The article says: the arrows of that picture show how data flows in the forward pass.
# PyTorch does: they are the paths of gradients, drawn backwards. Data flows from x, too; an x that wants no
# gradient is not in the graph.
names = {name.partition(" ")[0] for line in lines for name in line}
print(sorted(names))
assert all(name == "AccumulateGrad" or name.endswith("Backward0") for name in names)

plain, asking = torch.ones(1, 2), torch.ones(1, 2, requires_grad=True)
print("arrows without x:", len(arrows(net(plain))), " if x requires grad:", len(arrows(net(asking))))
assert len(arrows(net(plain))) == len(arrows(net(asking))) - 1

# %% [markdown] id="modify" source=["000-35", "000-36", "000-37", "003-25"] stage="modify"
# ## Modify
#
# **The loop.** A turn has five calls: *forward* builds a graph; the *loss* adds its nodes; *zero_grad* empties the drawers; *backward* fills them; *step* moves the weights. The next turn builds
# a new graph on the moved weights. Ten points now, and something to learn that is no straight line: $|x_1 - x_2|$.

# %% id="loop" source=["000-35", "000-36", "003-25"] stage="modify"
x, y = points(torch)


def fit(net, lr, turns=100):
    optimizer = torch.optim.SGD(net.parameters(), lr=lr)
    for turn in range(1, turns + 1):
        loss = loss_fn(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if turn % 10 == 0:
            print(f"turn {turn:3}  loss {loss.item():.2f}")


fit(settle(torch, TinyNet()), lr=0.2)

# %% id="p5" source="000-35" stage="modify"
predict("L11.P5")

# %% id="loop-lr" stage="modify" after="L11.P5"
for lr in (0.01, 0.1, 3.0):
    print("lr", lr)
    fit(settle(torch, TinyNet()), lr, turns=20)

# %% [markdown] id="three-turns" source="003-25" stage="modify"
# **Three turns.** A loop does the same in each turn, so the picture shows one turn for all of them: the last. Its graph is also the only one that still stands. The others were let go when `loss` got a new value.

# %% id="record-three" source="003-25" stage="modify"
net = settle(torch, TinyNet())
optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
with record() as three:
    for _turn in range(3):
        loss = loss_fn(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

# %% id="turns" source="003-25" stage="modify"
figure(
    three,
    "The last of three turns: x goes into TinyNet, its output into the loss, and the step moves the weights. The headline says how far the loss fell.",
    step=len(three),
    depth=0,
)

# %% [markdown] id="make" source="000-36" stage="make"
# ## Make
#
# **The loop, sorted.**

# %% id="s1-task" source="000-36" stage="make"
task("L11.S1")

# %% id="s1" answers="L11.S1" stage="make"
order = ""
### BEGIN SOLUTION
order = "CGFDA"
### END SOLUTION

# %% id="s1-check" checks="L11.S1" stage="make"
check("L11.S1", order)

# %% [markdown] id="make-deep" stage="make"
# **A network to mend.** It runs, and backward fills all of its gradients. Yet two of its three layers never learn.

# %% id="d1-task" stage="make"
task("L11.D1")


# %% id="d1" answers="L11.D1" stage="make"
class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.others = [nn.Linear(3, 3), nn.Linear(3, 1)]
        ### BEGIN SOLUTION
        self.others = nn.ModuleList(self.others)
        ### END SOLUTION

    def forward(self, x):
        x = self.first(x)
        for layer in self.others:
            x = layer(torch.relu(x))
        return x


# %% id="d1-check" checks="L11.D1" stage="make"
check("L11.D1", Deep)

# %% [markdown] id="make-train" source="000-35" stage="make"
# **Train to a goal.** The data are the ten points `x, y` from above, the network has the numbers it began with.

# %% id="m1-task" stage="make"
task("L11.M1")


# %% id="m1" answers="L11.M1" stage="make"
def train(net, x, y):
    ...
    ### BEGIN SOLUTION
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
    for _ in range(200):
        loss = nn.MSELoss()(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    ### END SOLUTION


# %% id="m1-check" checks="L11.M1" stage="make"
check("L11.M1", train)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: which of the five calls build, read or change the graph, and which know nothing of it?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p6" stage="exit"
predict("L11.P6")

# %% id="p7" source="001-31" stage="exit"
predict("L11.P7")

# %% [markdown] id="next"
# **Next:** [Lesson 12 · Your own operator](12_your_own_operator.ipynb). All lessons: [index](index.ipynb).
