# %% [markdown] id="goals" source="003-27" slide="slide"
# # Lesson 14 · Clinic
#
# **Why.** Broken training rarely says what is broken. The loss stands still, or turns into nan, or the memory fills up. Four mistakes make up most of it: a second backward over freed values, a write into a value
# that is still needed, gradients that nobody has emptied, and graphs that somebody keeps alive. You have met them all. Here are the tools to find them, and eight patients.
#
# **After this lesson** you can listen to a gradient on its way, find where nan comes from, and find where a graph is cut, a leaf is lost, or shapes do not fit.
#
# 120 minutes, in two sittings: stop after patient 4. You need lessons 7 to 12.

# %% id="world"
from autograd_lab.lessons import check, figure, hint, predict, record, reveal, task, world

torch = world()  # autograd_lab, spelled as PyTorch; world("torch") is PyTorch itself

# %% [markdown] id="need"
# ## Three instruments
#
# * A **hook** is a function that autograd calls with a gradient, when all of it has arrived. It can look, or return something else in its place.
# * **Anomaly mode** stops at the first backward that makes a nan, and names the operation.
# * The **picture** answers the question that the other two cannot: is there a path at all? Click a card, and *why?* says why its `.grad` is empty. The
#   button with a number beside it, or the key `d`, says what is wrong with the run, and which line did it. Look for yourself first.

# %% [markdown] id="predict" stage="predict"
# ## Predict
#
# First a choice between two branches, one of which is not taken.

# %% id="record-nan" stage="predict"
with record() as branch_run:
    x = torch.tensor(0.0, requires_grad=True)
    root = torch.sqrt(x)
    y = torch.where(x > 0, root, torch.tensor(0.0))
    y.backward()

# %% id="p1" stage="predict"
predict("L14.P1", branch_run)

# %% id="p2" stage="predict"
predict("L14.P2")

# %% id="p3" stage="predict"
predict("L14.P3")

# %% [markdown] id="run" stage="run" after="L14.P2"
# ## Run
#
# **Hooks.** One listens at `y`, one at the leaf. Each is called once, with the sum.

# %% id="hooks" stage="run" after="L14.P2"
seen = []
x = torch.tensor(2.0, requires_grad=True)
y = x * 3
y.register_hook(lambda gradient: seen.append(("y", gradient.item())))
x.register_hook(lambda gradient: seen.append(("x", gradient.item())))
z = y * y + y
z.backward()
print(seen)
assert seen == [("y", 2 * 6.0 + 1), ("x", 3 * (2 * 6.0 + 1))]

# %% id="f1-task" stage="run"
task("L14.F1")

# %% id="f1" answers="L14.F1" stage="run"
heard = {"y": ..., "x": ...}
### BEGIN SOLUTION
heard = {"y": 8, "x": 24}
### END SOLUTION

# %% id="f1-check" checks="L14.F1" stage="run"
check("L14.F1", heard)

# %% [markdown] id="anomaly" stage="run"
# **Anomaly mode** finds the operation. It costs time, so it is switched on for the search only.

# %% id="detect" stage="run" after="L14.P1"
import warnings

x = torch.tensor([0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, torch.sqrt(x), torch.zeros(2))
y.sum().backward()
print("x.grad", x.grad)
assert x.grad.isnan().tolist() == [True, False]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that anomaly mode is on, and where the operation was
    try:
        with torch.autograd.detect_anomaly():
            torch.where(x > 0, torch.sqrt(x), torch.zeros(2)).sum().backward()
    except RuntimeError as error:
        print("RuntimeError:", str(error).splitlines()[0])
    else:
        raise AssertionError("anomaly mode finds this")

# %% [markdown] id="investigate" stage="investigate" after="L14.P1"
# ## Investigate
#
# Patient 1, the run with nan, once more. Find the line along which 0 goes *in*, and the node out of which nan comes: $0 \cdot \frac{1}{2\sqrt{0}} = 0 \cdot \infty$.

# %% id="steps" stage="investigate" after="L14.P1"
figure(
    branch_run,
    "where sends 0 to the root that was not taken; the root multiplies by an infinite slope, and nan arrives at x.",
)

# %% id="d1-task" stage="investigate"
task("L14.D1")


# %% id="d1" answers="L14.D1" stage="investigate"
def safe_root(x):
    inner = x
    ### BEGIN SOLUTION
    inner = torch.where(x > 0, x, torch.ones(x.shape))
    ### END SOLUTION
    return torch.where(x > 0, torch.sqrt(inner), torch.zeros(x.shape))


# %% id="d1-check" checks="L14.D1" stage="investigate"
check("L14.D1", safe_root)

# %% [markdown] id="modify" stage="modify"
# ## Modify
#
# Patient 2: the loss is right, and nothing learns. Follow the lines from `loss` to the left. How far do you come?

# %% id="patient2" stage="modify"
with record() as patient2:
    w = torch.tensor(3.0, requires_grad=True)
    predicted = torch.tensor((w * 2.0).item(), requires_grad=True)
    loss = (predicted - 5.0) ** 2
    loss.backward()
print("w.grad", w.grad)
figure(patient2, "From the loss a path leads to predicted, and ends there. w stands by itself.", findings=True)

# %% id="d2-task" stage="modify"
task("L14.D2")


# %% id="d2" answers="L14.D2" stage="modify"
def loss_of(w, x, y):
    predicted = torch.tensor((w * x).item(), requires_grad=True)
    ### BEGIN SOLUTION
    predicted = w * x
    ### END SOLUTION
    return (predicted - y) ** 2


# %% id="d2-check" checks="L14.D2" stage="modify"
check("L14.D2", loss_of)

# %% [markdown] id="make" source="003-27" stage="make"
# ## Make
#
# Six more patients. Each has one of the troubles of this course: first look at the picture, then mend the program.

# %% id="patient3" source="003-27" stage="make"
with record() as patient3:
    w = torch.tensor(2.0, requires_grad=True)
    loss = w * w
    try:
        for _ in range(2):
            loss.backward()
    except RuntimeError as error:
        print("RuntimeError:", str(error)[:52])
figure(
    patient3,
    "Two passes go to one product. The first one empties its pockets, the second one stops there.",
    findings=True,
)

# %% id="d3-task" source="003-27" stage="make"
task("L14.D3")


# %% id="d3" answers="L14.D3" stage="make"
def train(w, steps):
    seen, loss = [], w * w
    for _ in range(steps):
        ### BEGIN SOLUTION
        loss, w.grad = w * w, None
        ### END SOLUTION
        loss.backward()
        seen.append(w.grad.item())
        with torch.no_grad():
            w -= 0.1 * w.grad
    return seen


# %% id="d3-check" checks="L14.D3" stage="make"
check("L14.D3", train)

# %% id="patient4" source="003-27" stage="make"
with record() as patient4:
    x = torch.tensor(0.5, requires_grad=True)
    y = torch.exp(2 * x)
    y += 1
    try:
        y.backward()
    except RuntimeError as error:
        print("RuntimeError:", str(error)[:62])
figure(patient4, "exp keeps its result at v0, a later line moves it to v1, and backward stops at exp.", findings=True)

# %% id="d4-task" source="003-27" stage="make"
task("L14.D4")


# %% id="d4" answers="L14.D4" stage="make"
def scale_and_exp(x):
    y = torch.exp(2 * x)
    ### BEGIN SOLUTION
    return y + 1
    ### END SOLUTION
    y += 1
    return y


# %% id="d4-check" checks="L14.D4" stage="make"
check("L14.D4", scale_and_exp)

# %% id="patient5" source="003-27" stage="make"
with record() as patient5:
    w, history = torch.tensor(2.0, requires_grad=True), []
    for n in range(3):
        loss = (w * n) ** 2
        loss.backward()
        history.append(loss)
print(sum(each.grad_fn is not None for each in history), "graphs are alive")
figure(patient5, "Three turns, and the graphs of all three still lead to w.", findings=True)

# %% id="d5-task" source="003-27" stage="make"
task("L14.D5")


# %% id="d5" answers="L14.D5" stage="make"
def log(losses):
    ### BEGIN SOLUTION
    return [loss.item() for loss in losses]
    ### END SOLUTION
    return list(losses)


# %% id="d5-check" checks="L14.D5" stage="make"
check("L14.D5", log)

# %% id="patient6" stage="make"
with record() as patient6:
    w, v = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    with torch.no_grad():
        features = 1.5 * w
        loss = features * v
    try:
        loss.backward()
    except RuntimeError as error:
        print("RuntimeError:", str(error)[:52])
figure(
    patient6, "Two products, both dashed: nothing was recorded, and no path leads from the loss to v.", findings=True
)

# %% id="d6-task" stage="make"
task("L14.D6")


# %% id="d6" answers="L14.D6" stage="make"
def frozen_loss(x, w, v):
    with torch.no_grad():
        features = x * w
        loss = features * v
    ### BEGIN SOLUTION
    loss = features * v
    ### END SOLUTION
    return loss


# %% id="d6-check" checks="L14.D6" stage="make"
check("L14.D6", frozen_loss)

# %% id="patient7" stage="make"
with record() as patient7:
    w = torch.tensor(2.0, requires_grad=True)
    for _ in range(2):
        loss = (w - 5.0) ** 2
        loss.backward()
        print("w", round(w.item(), 2), " is a leaf:", w.is_leaf)
        if w.is_leaf:
            w = w - 0.1 * w.grad
figure(
    patient7,
    "After the first turn the name w belongs to a result; the second pass brings its gradient to the old leaf.",
    findings=True,
)

# %% id="d7-task" stage="make"
task("L14.D7")


# %% id="d7" answers="L14.D7" stage="make"
def descend(w, steps):
    for _ in range(steps):
        w.grad = None
        loss = (w - 5.0) ** 2
        loss.backward()
        ### BEGIN SOLUTION
        with torch.no_grad():
            w -= 0.1 * w.grad
        continue
        ### END SOLUTION
        w = w - 0.1 * w.grad
    return w


# %% id="d7-check" checks="L14.D7" stage="make"
check("L14.D7", descend)

# %% id="patient8" stage="make"
with record() as patient8:
    w = torch.tensor([[2.0]], requires_grad=True)
    x = torch.tensor([[1.0], [2.0], [3.0]])
    target = torch.tensor([2.0, 4.0, 6.0])
    loss = ((x @ w - target) ** 2).mean()
    loss.backward()
print(f"w is right, and the loss is {loss.item():.2f}")
figure(
    patient8, "A column of 3 numbers minus a row of 3 numbers. How large is the card of the difference?", findings=True
)

# %% id="d8-task" stage="make"
task("L14.D8")


# %% id="d8" answers="L14.D8" stage="make"
def fit(w, x, target):
    predicted = x @ w
    ### BEGIN SOLUTION
    target = target.unsqueeze(1)
    ### END SOLUTION
    return ((predicted - target) ** 2).mean()


# %% id="d8-check" checks="L14.D8" stage="make"
check("L14.D8", fit)

# %% [markdown] id="explain" stage="explain"
# ## Explain
#
# To your neighbour: which of the eight would an error message have told you about? Which ones were silent, and how would you notice them in a training that takes a week?

# %% [markdown] id="exit" stage="exit"
# ## Exit ticket

# %% id="p4" stage="exit"
predict("L14.P4")

# %% id="p5" stage="exit"
predict("L14.P5")

# %% [markdown] id="next"
# **Next:** [Lesson 15 · Errata hunt](15_errata_hunt.ipynb). All lessons: [index](index.ipynb).
