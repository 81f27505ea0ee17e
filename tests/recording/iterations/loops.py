"""Training loops of every kind, as scripts of either world, and how many iterations each has."""

from __future__ import annotations

HEAD = """
import WORLD as torch
from WORLD import nn
torch.manual_seed(0)
x = torch.linspace(-1, 1, 24).reshape(8, 3)
y = x.sum(1, keepdim=True)
"""

LOOPS: dict[str, tuple[int, str]] = {
    "one optimizer": (
        5,
        """
model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
with torch.no_grad():
    print(float(nn.functional.mse_loss(model(x), y)))
""",
    ),
    "gradients cleared at the end of a turn": (
        4,
        """
model = nn.Linear(3, 1)
optimizer = torch.optim.Adam(model.parameters())
for step in range(4):
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    accuracy = ((model(x) > 0) == (y > 0)).float().mean()
""",
    ),
    "epochs over batches, in functions": (
        6,
        """
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(batches):
    for xb, yb in batches:
        optimizer.zero_grad()
        loss = ((model(xb) - yb) ** 2).mean()
        loss.backward()
        optimizer.step()

def evaluate():
    with torch.no_grad():
        return ((model(x) - y) ** 2).mean()

def main():
    for epoch in range(3):
        train(zip(x.split(4), y.split(4)))
        print(float(evaluate()))

main()
""",
    ),
    "two optimizers": (
        4,
        """
generator, critic = nn.Linear(2, 3), nn.Linear(3, 1)
of_generator = torch.optim.SGD(generator.parameters(), lr=0.1)
of_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
z = x[:, :2]
for step in range(4):
    fake = generator(z)
    critic_loss = (critic(fake.detach()) ** 2).mean() + ((critic(x) - 1) ** 2).mean()
    of_critic.zero_grad()
    critic_loss.backward()
    of_critic.step()
    generator_loss = ((critic(fake) - 1) ** 2).mean()
    of_generator.zero_grad()
    generator_loss.backward()
    of_generator.step()
""",
    ),
    "accumulated gradients": (
        3,
        """
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in range(12):
    loss = ((model(x) - y) ** 2).mean() / 4
    loss.backward()
    if (batch + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
""",
    ),
    "updates by hand": (
        6,
        """
w = torch.zeros(3, 1, requires_grad=True)
for step in range(6):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
print(w.tolist())
""",
    ),
    "updates by hand, in a function": (
        6,
        """
def sgd(parameters, lr):
    with torch.no_grad():
        for parameter in parameters:
            parameter -= lr * parameter.grad
            parameter.grad.zero_()

def batches(size):
    for at in range(0, len(x), size):
        yield x[at:at + size], y[at:at + size]

w = torch.zeros(3, 1, requires_grad=True)
for epoch in range(3):
    for xb, yb in batches(4):
        loss = ((xb @ w - yb) ** 2).sum()
        loss.backward()
        sgd([w], 0.01)
""",
    ),
    "a while": (
        7,
        """
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
step = 0
while True:
    loss = ((model(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    if step >= 7:
        break
""",
    ),
    "one loop after another": (
        9,
        """
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
for step in range(4):
    optimizer.zero_grad()
    loss = (model(x) - y).abs().mean()
    loss.backward()
    optimizer.step()
""",
    ),
    "a function that is called on two lines": (
        7,
        """
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def fit(steps):
    for step in range(steps):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()

fit(4)
fit(3)
""",
    ),
    "gradients that are zeroed by hand": (
        6,
        """
w = torch.zeros(3, 1, requires_grad=True)
for step in range(6):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
""",
    ),
    "parameters updated in a loop": (
        6,
        """
model = nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))
for step in range(6):
    loss = ((model(x) - y) ** 2).mean()
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= 0.1 * p.grad
""",
    ),
    "a state that is carried on": (
        6,
        """
cell = nn.RNNCell(3, 3)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
state = torch.zeros(8, 3)
for step in range(6):
    state = cell(x, state.detach())
    loss = (state.sum(1, keepdim=True) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
""",
    ),
}

CLOSURE = """
model = nn.Linear(3, 1)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=3)

def closure():
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    return loss

for step in range(5):
    optimizer.step(closure)
"""


def script(world: str, body: str) -> str:
    """The text of a script."""
    return (HEAD + body).replace("WORLD", world)
