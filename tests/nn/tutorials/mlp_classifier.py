"""A classifier of two spirals: Dataset, DataLoader, train and test loops, a scheduler, saving and loading."""

import io

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split

from tests.nn.tutorials.drawn import draws

_, _, settle = draws(torch)


class Spirals(Dataset):
    def __init__(self, n):
        angle = np.linspace(0.5, 6, n // 2)
        arm = np.stack([angle * np.cos(angle), angle * np.sin(angle)], 1) / 6
        self.x = torch.tensor(np.concatenate([arm, -arm]), dtype=torch.get_default_dtype())
        self.y = torch.cat([torch.zeros(n // 2), torch.ones(n // 2)]).long()

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.y[index]


class NeuralNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(
            nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2)
        )

    def forward(self, x):
        return self.linear_relu_stack(self.flatten(x))


def train(dataloader, model, loss_fn, optimizer):
    size = len(dataloader.dataset)
    model.train()
    for batch, (X, y) in enumerate(dataloader):
        loss = loss_fn(model(X), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if batch % 2 == 0:
            print(f"loss: {loss.item():>7f}  [{(batch + 1) * len(X):>5d}/{size:>5d}]")


def test(dataloader, model, loss_fn):
    model.eval()
    test_loss, correct = 0, 0
    with torch.no_grad():
        for X, y in dataloader:
            pred = model(X)
            test_loss += loss_fn(pred, y).item()
            correct += (pred.argmax(1) == y).type(torch.float).sum().item()
    print(f"Accuracy: {100 * correct / len(dataloader.dataset):>0.1f}%, Avg loss: {test_loss / len(dataloader):>8f}")


device = "cuda" if torch.cuda.is_available() else "cpu"
data = Spirals(96)
train_dataloader = DataLoader(data, batch_size=16)
model = settle(NeuralNetwork()).to(device)
print(model)
loss_fn = nn.CrossEntropyLoss(label_smoothing=0.05)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=5)
for epoch in range(5):
    train(train_dataloader, model, loss_fn, optimizer)
    test(train_dataloader, model, loss_fn)
    scheduler.step()
    print(scheduler.get_last_lr())

file = io.BytesIO()
torch.save(model.state_dict(), file)
file.seek(0)
other = NeuralNetwork()
print(other.load_state_dict(torch.load(file, weights_only=True)))
other.eval()
print(nn.Softmax(dim=1)(other(data.x[:3])))
print([len(part) for part in random_split(data, [0.75, 0.25])])
