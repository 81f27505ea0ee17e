# %% [markdown] id="goals" source="003-25" slide="slide"
# # Lesson 19 · Leaks
#
# **Why.** Almost everybody meets the program that gets slower from turn to turn, until the memory is full. No error names the line that does it.
# It is always the same: somebody holds on to a tensor, that tensor holds its node, and that node all the others.
#
# **After this lesson** you can find what keeps a graph in memory, and let go of it.
#
# 45 minutes. You need lesson 7.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, strip, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself
nn = torch.nn

# %% [markdown] id="predict" stage="predict"
# ## Predict
#
# First one loss, and a way to keep its value.

# %% id="p1" stage="predict"
predict("L19.P1")

# %% [markdown] id="who-holds" source="003-25" stage="run"
# ## Run
#
# **Who holds the nodes?** A tensor holds its `grad_fn`, and each node those that come next. So whoever holds a loss holds all of its nodes. Here are two
# loops that differ in one word. Step to the end of each turn: does the graph of the turn before fade, or does it stay?

# %% id="record-loops" source="003-25" stage="run"
w = torch.tensor(3.0, requires_grad=True)
with record() as leaking:
    history = []
    for target in (0.0, 1.0, 2.0):
        loss = (w - target) ** 2
        history.append(loss)

with record() as tidy:
    history = []
    for target in (0.0, 1.0, 2.0):
        loss = (w - target) ** 2
        history.append(loss.item())

# %% id="leaking" stage="run"
figure(leaking, "Three turns, and the list holds each loss: the nodes of all three turns are in memory at the end.")

# %% id="tidy" stage="run"
figure(tidy, "Three turns, and the list holds numbers: the nodes of the first two turns are let go of.")

# %% id="p2" stage="run"
predict("L19.P2")

# %% [markdown] id="investigate" stage="investigate"
# ## Investigate
#
# The same two loops in bytes, and then four ways to write a log.

# %% id="loops-bytes" source="003-25" stage="investigate" after="L19.P2"
figure(strip(leaking=leaking, tidy=tidy), "Leaking climbs by one stair a turn; tidy comes down again in each turn.")

# %% id="f1-task" stage="investigate"
task("L19.F1")

# %% id="f1" answers="L19.F1" stage="investigate"
graphs_in_memory = {
    "losses.append(loss)": ...,
    "losses.append(loss.item())": ...,
    "total += loss": ...,
    "total += loss.detach()": ...,
}
### BEGIN SOLUTION
graphs_in_memory = dict(zip(graphs_in_memory, (5, 1, 5, 1), strict=True))
### END SOLUTION

# %% id="f1-check" checks="L19.F1" stage="investigate"
check("L19.F1", graphs_in_memory)

# %% [markdown] id="says" source="000-27" stage="says"
# ## The article says / PyTorch does
#
# **The wrong cure.** Some networks read a text word by word, and hand a state `h` on from turn to turn. If each turn ends with a backward, the second one runs into the
# first turn's graph, and stops. An article advises `retain_graph=True` there. Predict what that costs.

# %% id="p3" source="000-27" stage="says"
predict("L19.P3")

# %% id="says-000-e7" source="000-27" defect="000-E7" stage="says" after="L19.P3"
# The article says: recurrent networks are a case for retain_graph=True.
# PyTorch does: with it each pass walks the whole past; one detaches the state, and each turn costs the same.
from autograd_lab.lessons.lesson19 import nodes_by_turn

kept, cut = (nodes_by_turn(torch, detached=each) for each in (False, True))
print("nodes behind the loss, turn by turn: retained", kept, " detached", cut)
assert kept == [5, 8, 11] and cut == [5, 5, 5]

# %% id="says-003-e11" source="003-25" defect="003-E11" stage="says"
# The article says: at the end of a turn of the training loop the graph is freed.
# PyTorch does: its nodes live until the next turn gives the names pred and loss to other tensors.
from autograd_lab.lessons.lesson19 import Graphs

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs, targets, graphs = torch.ones(4, 2), torch.zeros(4, 1), Graphs()
for turn in range(3):
    pred = model(inputs)
    loss = ((pred - targets) ** 2).mean()
    graphs.watch(loss)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("end of turn", turn, "- graphs in memory:", graphs.alive)
assert graphs.alive == 1
del loss, pred
assert graphs.alive == 0

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# Somebody wants the last two losses with their graphs, and no more. The loop keeps a short list.

# %% id="p4" stage="modify"
predict("L19.P4")

# %% id="short-list" stage="modify" after="L19.P4"
from autograd_lab.lessons.lesson19 import Graphs

graphs, history, w = Graphs(), [], torch.tensor(3.0, requires_grad=True)
for target in range(5):
    loss = (w - float(target)) ** 2
    graphs.watch(loss)
    history = [*history, loss][-2:]
print("graphs in memory:", graphs.alive)
assert graphs.alive == 2

# %% [markdown] id="make" stage="make"
# ## Make
#
# **A leak to mend.** Its memory grows by one graph a turn.

# %% id="d1-task" stage="make"
task("L19.D1")


# %% id="d1" answers="L19.D1" stage="make"
def train(loss_of, batches):
    total = 0.0
    for batch in batches:
        loss = loss_of(batch)
        loss.backward()
        ### BEGIN SOLUTION
        loss = loss.item()
        ### END SOLUTION
        total += loss
    return total / len(batches)


# %% id="d1-check" checks="L19.D1" stage="make"
check("L19.D1", train)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: the memory of a training grows by the same amount in each turn. Which three lines would you look at first?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p5" stage="exit"
predict("L19.P5")

# %% id="p6" stage="exit"
predict("L19.P6")

# %% [markdown] id="next"
# **Next:** [Lesson 8 · Stopping gradients](08_stopping_gradients.ipynb). All lessons: [index](index.ipynb).
