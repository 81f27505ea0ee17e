"""A classifier from a seed alone: data, split, weights, order of batches and dropout are all drawn."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
inputs = torch.randn(200, 10)
labels = (inputs[:, :3].sum(1) > 0).long()
train, test = random_split(TensorDataset(inputs, labels), [150, 50])
loader = DataLoader(train, batch_size=16, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.dropout, self.last = nn.Linear(10, 32), nn.Dropout(0.3), nn.Linear(32, 2)

    def forward(self, x):
        return self.last(self.dropout(F.relu(self.first(x))))


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    net.train()
    total = 0.0
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(x)
    net.eval()
    right = sum((net(x[None]).argmax(1) == y).item() for x, y in test)
    print(f"epoch {epoch}: loss {total / len(train):.6f}, {right} of {len(test)} right")
